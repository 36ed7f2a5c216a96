/** Waiting for an event that a test cannot be told of, instead of for a time. */
import assert from "node:assert/strict";

/** Long enough for a very busy machine: only a failing test waits so long. */
const LIMIT_MS = 120_000;

/** Waits until something is true; `what` says it in words for the failure, with what was seen instead. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  seen: () => unknown = () => "",
): Promise<void> {
  for (const since = performance.now(); !await isTrue();) {
    if (performance.now() - since > LIMIT_MS) assert.fail(`waited in vain until ${what} ${await seen()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The result of some work, or undefined if it takes longer than so many milliseconds. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => timer = setTimeout(() => resolve(undefined), ms));
  // Nobody waits for a late failure, such as the end of the process.
  work.catch(() => {});
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
