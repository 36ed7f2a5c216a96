/**
 * Does the output of a script reach a terminal without what steers it, and a pipe unchanged?
 */
import assert from "node:assert/strict";
import type { App } from "../../../src/app.ts";
import type { Host } from "../../../src/base/host.ts";
import { script } from "../../../src/commands/cli/script.ts";
import { verifies } from "../../support/requirements.ts";

Deno.test(
  verifies("work:script-output", "control characters of a script never reach a terminal"),
  async () => {
    const raw = { status: 3, stdout: "a\x1b]0;x\x07\tb\r\n\x9b\u202e", stderr: "# \x1b[2J\n" };
    const work = { script: () => Promise.resolve(raw) };
    const app = { work: () => Promise.resolve(work) } as unknown as App;
    const run = async (terminal: Host["terminal"]) => {
      const texts = { out: "", err: "" };
      const host = {
        terminal,
        writeOut: (text: string) => texts.out += text,
        writeErr: (text: string) => texts.err += text,
      };
      const status = await script(host as unknown as Host, app, ["brain.py"]);
      return [status, texts.out, texts.err];
    };
    const piped = { stdin: false, stdout: false, stderr: false };
    assert.deepEqual(await run(piped), [3, raw.stdout, raw.stderr]);
    const shown = ["a␛]0;x␇\tb\n\ufffd\ufffd", "# ␛[2J\n"];
    assert.deepEqual(await run({ ...piped, stdout: true, stderr: true }), [3, ...shown]);
    assert.deepEqual(await run({ ...piped, stdout: true }), [3, shown[0], raw.stderr]);
  },
);
