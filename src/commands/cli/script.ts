/**
 * `bmad-mcp script`: one of BMAD's own scripts from the shell, with its output and its exit status.
 */
import type { App } from "../../app.ts";
import type { Host } from "../../base/host.ts";
import { safeText } from "../../base/text.ts";
import { readInput } from "./input.ts";

/** As much as a document of a project may have. */
const MAX_INPUT = 8 << 20;

/** Runs a script. Stdin is read for a dash alone: it may be a terminal, or open for ever. */
export async function script(host: Host, app: App, words: readonly string[]): Promise<number> {
  const stdin = words.includes("-") ? await readInput(host, MAX_INPUT) : "";
  const { status, stdout, stderr } = await (await app.work()).script(words, { stdin });
  // A pipe gets what the original prints.
  host.writeOut(host.terminal.stdout ? safeText(stdout) : stdout);
  host.writeErr(host.terminal.stderr ? safeText(stderr) : stderr);
  return status;
}
