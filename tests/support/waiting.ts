/**
 * Waiting for an event that a test cannot be told of, instead of for a time.
 */
import assert from "node:assert/strict";

/** Long enough for a very busy machine: only a failing test waits so long. */
const LIMIT_MS = 30_000;

/** Waits until something is true; `what` says it in words for the failure, with what was seen instead. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  seen: () => unknown = () => "",
): Promise<void> {
  for (const since = performance.now(); !await isTrue();) {
    assert.ok(performance.now() - since < LIMIT_MS, `waited in vain until ${what} ${seen()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
