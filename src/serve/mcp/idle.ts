/**
 * Is the client of a stdio connection idle? Work that nobody waits for runs then: the full scan, garbage collection.
 *
 * Garbage is collected because V8 by itself would let the process grow to about twice its size:
 * docs/decisions/0022-memory-is-collected-when-idle.md.
 */
import { pause } from "../../base/work.ts";

/** In milliseconds: a client that has sent nothing for this long is idle. */
const IDLE_MS = 1_000;

/** After this many answers garbage is collected; for a client with several requests under way, only once it is idle. */
const COLLECT_AFTER = 250;

/** Garbage is also collected after an answer, such as the first list of thousands of items, that leaves so many bytes. */
const MAX_GROWTH = 48 << 20;
const LOOK_MS = 250;

export interface IdleTracker {
  /** To be called for every message that arrives. */
  received(): void;
  /** To be called for every answer that is sent; `isLast` if the client then waits for no other. */
  answered(isLast: boolean): void;
  /** Resolves once the client is idle or has disconnected. */
  whenIdle(): Promise<void>;
}

/** The memory of the process. */
export interface Memory {
  /** Collects garbage; resolves once that is done. */
  collectGarbage(): Promise<void>;
  /** The size of the heap in bytes, garbage included. */
  heapSize(): number;
}

/** Starts to follow a connection. */
export function trackIdle(closed: Promise<void>, memory?: Memory): IdleTracker {
  // Listeners can be taken off a signal; a promise would hold everything that ever waited for it.
  const disconnected = new AbortController();
  closed.then(() => disconnected.abort());
  let lastReceived = performance.now();
  let answers = 0, lastAnswers = 0, isScheduled = false;
  let size = memory?.heapSize() ?? Infinity, lastLook = 0;

  const whenIdle = async () => {
    for (
      let left = IDLE_MS;
      left > 0 && !disconnected.signal.aborted;
      left = lastReceived + IDLE_MS - performance.now()
    ) {
      await pause(left, disconnected.signal);
    }
  };
  const collect = async () => {
    answers = lastAnswers = 0;
    if (memory === undefined || disconnected.signal.aborted) return;
    await memory.collectGarbage();
    size = memory.heapSize();
  };
  /** To look takes as long as a tenth of a short request. */
  const hasGrown = () => {
    const now = performance.now();
    if (now - lastLook < LOOK_MS) return false;
    lastLook = now;
    return (memory?.heapSize() ?? 0) > size + MAX_GROWTH;
  };
  return {
    received: () => lastReceived = performance.now(),
    answered(isLast) {
      answers++;
      if (isLast && (++lastAnswers >= COLLECT_AFTER || hasGrown())) collect();
      if (answers < COLLECT_AFTER || isScheduled) return;
      isScheduled = true;
      whenIdle().then(() => {
        isScheduled = false;
        if (answers >= COLLECT_AFTER) collect();
      });
    },
    whenIdle,
  };
}
