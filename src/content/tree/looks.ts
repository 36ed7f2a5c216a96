/**
 * How long a look at the disk counts.
 *
 * A client that sends several requests in a row has not waited for an edit between them: what was current for one request
 * is current for the next. The time is shorter than it takes to edit a file and to say so. What this program writes
 * itself is seen at once.
 */

const LOOK_MS = 20;

let lastWrite = -Infinity;

/** To be called for whatever this program writes: no look before that counts. */
export function noteWrite(): void {
  lastWrite = performance.now();
}

/** Whether a look that began at some time, by `performance.now()`, still counts. */
export function isRecentLook(began: number): boolean {
  return began > lastWrite && performance.now() - began < LOOK_MS;
}
