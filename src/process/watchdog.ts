/**
 * A worker watches the main thread's heartbeat. A stuck thread cannot notice the end of its input, so the worker reads
 * that, and hands over what it reads.
 */
import type { ByteSource } from "./pipes.ts";

const TICK_MS = 500;
/** Counted in ticks and not by the clock: a process that was suspended has missed none. */
const SILENT_TICKS = { takeOver: 6, kill: 9 };
/** The worker stops reading when the main thread has not taken this many bytes. */
const MAX_HELD = 1 << 20;
/** How long a chunk from the worker waits for the main thread's own read, which began earlier. */
const OWN_READ_MS = 100;

type Chunk = Uint8Array | null;

/** What the flag `--expose-gc` adds. The last resort also gives back the room for new garbage. */
export interface Collecting {
  readonly gc?: (how: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;
}

export interface SharedInput {
  readonly source: ByteSource;
  /** Asks before each read whether another thread reads from now on. */
  shareIf(isTakenOver: () => boolean): void;
  /** Takes a chunk that the other thread has read; `taken` counts what was used. */
  receive(chunk: Chunk, taken: (bytes: number) => void): void;
}

export function shareInput(source: ByteSource): SharedInput {
  const chunks: { readonly chunk: Chunk; readonly taken?: (bytes: number) => void }[] = [];
  const received: typeof chunks = [];
  let arrived = Promise.withResolvers<void>();
  let isTakenOver = () => false, isReading = false;
  const flush = () => {
    chunks.push(...received.splice(0));
    if (chunks.length > 0) arrived.resolve();
  };
  const read = async () => {
    isReading = true;
    try {
      chunks.push({ chunk: await source.read() });
    } catch (error) {
      arrived.reject(error);
    }
    isReading = false;
    flush();
  };
  return {
    source: {
      read: async () => {
        if (chunks.length === 0) {
          arrived = Promise.withResolvers();
          if (!isReading && !isTakenOver()) void read();
          await arrived.promise;
        }
        const { chunk, taken } = chunks.shift()!;
        if (chunk !== null) taken?.(chunk.length);
        return chunk;
      },
      cancel: source.cancel,
    },
    shareIf: (condition) => isTakenOver = condition,
    receive(chunk, taken) {
      received.push({ chunk, taken });
      if (!isReading) flush();
      else setTimeout(flush, OWN_READ_MS);
    },
  };
}

interface Orders {
  readonly shared: Int32Array<SharedArrayBuffer>;
  readonly signals: readonly Deno.Signal[];
  readonly hasInput: boolean;
  readonly tick: number;
  readonly silent: typeof SILENT_TICKS;
  readonly maxHeld: number;
}

/** Takes some milliseconds. Without an input only signals count. */
export async function startWatchdog(signals: readonly Deno.Signal[], input?: SharedInput): Promise<void> {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  input?.shareIf(() => Atomics.load(shared, 1) === 1);
  // The worker's code travels as text: a bundle has no file for it that could be read once the rights are dropped.
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(`(${watch})()`)}`, { type: "module" });
  const ready = Promise.withResolvers<void>();
  worker.onmessage = ({ data }: MessageEvent<Chunk | "ready">) => {
    if (data === "ready") ready.resolve();
    else input?.receive(data, (bytes) => worker.postMessage(bytes));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    ready.reject(new Error(event.message));
  };
  const orders: Orders = {
    shared,
    signals,
    hasInput: input !== undefined,
    tick: TICK_MS,
    silent: SILENT_TICKS,
    maxHeld: MAX_HELD,
  };
  worker.postMessage(orders);
  Deno.unrefTimer(setInterval(() => Atomics.add(shared, 0, 1), TICK_MS));
  await ready.promise;
}

/** The worker. It must not use anything outside this function. */
function watch(): void {
  const thread = self as unknown as Worker;
  thread.onmessage = ({ data }: MessageEvent<Orders>) => {
    const { shared, signals, hasInput, tick, silent, maxHeld } = data;
    let isEnding = false, silentTicks = 0, last = -1, held = 0;
    let resume = () => {};
    thread.onmessage = ({ data }: MessageEvent<number>) => {
      held -= data;
      resume();
    };
    const readOn = async () => {
      for (let isOpen = true; isOpen;) {
        while (held > maxHeld) await new Promise<void>((resolve) => resume = resolve);
        const bytes = new Uint8Array(65_536);
        const count = await Deno.stdin.read(bytes).catch(() => null);
        isOpen = count !== null;
        if (!isOpen) isEnding = true;
        held += count ?? 0;
        thread.postMessage(count === null ? null : bytes.slice(0, count));
      }
    };
    for (const signal of signals) Deno.addSignalListener(signal, () => isEnding = true);
    // A timer would take two megabytes, for the modules behind it.
    const never = new Int32Array(new SharedArrayBuffer(4));
    const look = async () => {
      await Atomics.waitAsync(never, 0, 0, tick).value;
      const beat = Atomics.load(shared, 0);
      silentTicks = beat === last ? silentTicks + 1 : 0;
      last = beat;
      if (hasInput && silentTicks >= silent.takeOver && Atomics.exchange(shared, 1, 1) === 0) void readOn();
      if (isEnding && silentTicks >= silent.kill) Deno.kill(Deno.pid, "SIGKILL");
      void look();
    };
    const collect = (globalThis as Collecting).gc;
    void look().then(() => collect?.({ type: "major", execution: "sync", flavor: "last-resort" }));
    thread.postMessage("ready");
  };
}
