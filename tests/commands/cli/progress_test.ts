/**
 * Does long work say how far it is, and leave nothing behind?
 *
 * A host of plain values stands for a terminal, because how long real work takes is nothing to rely on.
 */
import assert from "node:assert/strict";
import { openProgress } from "../../../src/commands/cli/progress.ts";
import { denoHost } from "../../../src/base/host.ts";
import { verifies } from "../../support/requirements.ts";

/** A host whose clock and streams are in our hands. */
function fakeHost(canRedraw: boolean) {
  const written: string[] = [];
  const clock = { now: 0 };
  const host = {
    ...denoHost("/"),
    canRedraw,
    now: () => clock.now,
    writeOut: (text: string) => void written.push(`out ${text}`),
    writeErr: (text: string) => void written.push(`err ${text}`),
  };
  return { host, clock, written };
}

const ERASED = "err \r\x1b[2K";

Deno.test(
  verifies("cli:plain-when-piped", "a bar is drawn for long work, seldom, and erased before results come"),
  () => {
    const { host, clock, written } = fakeHost(true);
    const progress = openProgress(host);
    progress.tell?.(1, 10, "Reading");
    assert.deepEqual(written, [], "what is over in a moment needs no bar");
    clock.now = 400;
    progress.tell?.(5, 10, "Reading");
    clock.now = 450;
    progress.tell?.(6, 10, "Reading");
    progress.host.writeOut("results\n");
    progress.end();
    assert.deepEqual(written, [
      `${ERASED}${"█".repeat(12)}${"░".repeat(12)}  50% Reading`,
      ERASED,
      "out results\n",
    ]);
  },
);

Deno.test(verifies("cli:plain-when-piped", "where nobody watches, nothing is drawn"), () => {
  const { host, clock, written } = fakeHost(false);
  const progress = openProgress(host);
  clock.now = 10_000;
  progress.tell?.(5, 10, "Reading");
  progress.host.writeOut("results\n");
  progress.end();
  assert.deepEqual(written, ["out results\n"]);
});
