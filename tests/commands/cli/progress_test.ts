/**
 * Does long work show its progress, and leave nothing on the screen?
 *
 * The terminal is a fake host with its own clock, because the duration of real work varies.
 */
import assert from "node:assert/strict";
import { openProgress } from "../../../src/commands/cli/progress.ts";
import { denoHost } from "../../../src/process/host.ts";

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

Deno.test("a bar is drawn for long work only, and erased before results [cli:plain-when-piped]", () => {
  const { host, clock, written } = fakeHost(true);
  const progress = openProgress(host);
  progress.report?.(1, 10, "Reading");
  assert.deepEqual(written, [], "short work needs no bar");
  clock.now = 400;
  progress.report?.(5, 10, "Reading");
  clock.now = 450;
  progress.report?.(6, 10, "Reading");
  progress.host.writeOut("results\n");
  progress.end();
  assert.deepEqual(written, [
    `${ERASED}${"█".repeat(12)}${"░".repeat(12)}  50% Reading`,
    ERASED,
    "out results\n",
  ]);
});

Deno.test("without a terminal, nothing is drawn [cli:plain-when-piped]", () => {
  const { host, clock, written } = fakeHost(false);
  const progress = openProgress(host);
  clock.now = 10_000;
  progress.report?.(5, 10, "Reading");
  progress.host.writeOut("results\n");
  progress.end();
  assert.deepEqual(written, ["out results\n"]);
});

Deno.test("without a terminal, very long work says now and then how far it is [cli:long-work]", () => {
  const { host, clock, written } = fakeHost(false);
  const { report } = openProgress(host);
  for (const [now, done] of [[29_999, 1], [30_000, 2], [59_999, 3], [60_000, 4]] as const) {
    clock.now = now;
    report?.(done, 10, "Storing");
  }
  assert.deepEqual(written, ["err Storing: 20 %\n", "err Storing: 40 %\n"]);
  assert.equal(openProgress(host, { isSilent: true }).report, undefined);
});
