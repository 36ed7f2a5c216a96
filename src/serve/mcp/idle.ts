/**
 * Is the client of a stdio connection idle? Background work runs then: the full scan, garbage collection.
 *
 * Garbage is collected because V8 by itself would let the process grow to about twice its size:
 * docs/decisions/0022-memory-is-collected-when-idle.md.
 */
import { pause } from "../../base/work.ts";

/** In milliseconds: a client that has sent nothing for this long is idle. */
const IDLE_MS = 1_000;
/** A client that has sent nothing for this long has received its tools and is idle. */
export const SILENT_MS = 400;

/** Garbage is collected once the heap has grown by this many bytes and no answer is pending. */
const MAX_GROWTH = 24 << 20;
/** Keep what the first requests will need: do not collect as soon as the client connects. */
const START_SIZE = 24 << 20;
/** Reading the size of the heap takes a tenth of the time of a short request. */
const LOOK_MS = 250;
/** A client that always has requests under way: collect once it is idle after this many answers. */
const LOOK_AFTER = 250;

export interface Memory {
  collectGarbage(): Promise<void>;
  heapSize(): number;
}

export function trackIdle(closed: Promise<void>, memory?: Memory) {
  // Listeners can be taken off a signal; a promise would hold everything that ever waited for it.
  const disconnected = new AbortController();
  closed.then(() => disconnected.abort());
  let lastReceived = performance.now();
  let next = Promise.withResolvers<void>();
  let answers = 0, isScheduled = false;
  let size = START_SIZE, lastLook = 0;

  /** Resolves once the client has sent nothing for `ms` milliseconds, or has disconnected. */
  const whenIdle = async (ms = IDLE_MS) => {
    for (;;) {
      const left = lastReceived + ms - performance.now();
      if (left <= 0 || disconnected.signal.aborted) return;
      await pause(left, disconnected.signal);
    }
  };
  const collectIfGrown = async () => {
    lastLook = performance.now();
    if (memory === undefined || disconnected.signal.aborted || memory.heapSize() <= size + MAX_GROWTH) return;
    answers = 0;
    await memory.collectGarbage();
    size = memory.heapSize();
  };
  return {
    received() {
      lastReceived = performance.now();
      next.resolve();
      next = Promise.withResolvers();
    },
    /** To be called for every answer that is sent; `isLast` if the client then waits for no other. */
    answered(isLast: boolean) {
      answers++;
      if (isLast && performance.now() - lastLook >= LOOK_MS) void collectIfGrown();
      if (answers < LOOK_AFTER || isScheduled) return;
      isScheduled = true;
      whenIdle().then(() => {
        isScheduled = false;
        answers = 0;
        return collectIfGrown();
      });
    },
    whenIdle,
    /** Resolves once the client sends something again, or has disconnected. */
    whenReceived: () => Promise.race([next.promise, closed]),
  };
}
