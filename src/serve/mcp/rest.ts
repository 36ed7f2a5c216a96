/**
 * When is a client at rest?
 *
 * Work that nobody waits for is put off until then: a look at every file, and the clearing of memory.
 */
import { pause } from "../../base/work.ts";

/** In milliseconds: who has asked for nothing for so long is quiet. */
const QUIET_MS = 1_000;

/**
 * When the client has had all its answers so many times, memory is cleared; after so many answers to one that asks for
 * much at once, only when it is quiet. Left to itself the engine waits until four times as much is in use: functions that
 * are stored in objects, as the SDK makes them for each request, keep all that they know until then.
 */
const TIDY_AFTER = 250;

/** What is known of a connection. */
export interface Rest {
  /** To be told of every message that comes. */
  came(): void;
  /** To be told of every answer that was sent, and whether the client waits for another. */
  answered(isIdle: boolean): void;
  /** Settles when the client has asked for nothing for a second, or has gone. */
  quiet(): Promise<void>;
}

/** Follows a connection that begins now; `tidy` clears memory. */
export function openRest(closed: Promise<void>, tidy: () => void): Rest {
  // A promise keeps everything that ever waited for it; a signal can be told that nobody waits any more.
  const gone = new AbortController();
  let asked = performance.now();
  let answers = 0, rests = 0, isWaiting = false;
  closed.then(() => gone.abort());
  const quiet = async () => {
    for (
      let left = QUIET_MS;
      left > 0 && !gone.signal.aborted;
      left = asked + QUIET_MS - performance.now()
    ) {
      await pause(left, gone.signal);
    }
  };
  const clear = () => {
    answers = rests = 0;
    if (!gone.signal.aborted) tidy();
  };
  return {
    came: () => asked = performance.now(),
    answered(isIdle) {
      answers++;
      if (isIdle && ++rests >= TIDY_AFTER) clear();
      if (answers < TIDY_AFTER || isWaiting) return;
      isWaiting = true;
      quiet().then(() => {
        isWaiting = false;
        if (answers >= TIDY_AFTER) clear();
      });
    },
    quiet,
  };
}
