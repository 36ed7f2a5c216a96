/**
 * How does a test see what a person sees?
 *
 * `runOnTerminal` runs a line in a shell whose stdin, stdout and stderr are a terminal of a given width, where
 * `bmad-mcp` is the program. The terminal is the one that `script` of util-linux makes; where there is none, tests that
 * need it are left out.
 */
import { runShell } from "./shell.ts";
import type { ProgramOptions } from "./program.ts";

export const HAS_TERMINAL = Deno.build.os === "linux" && isFile("/usr/bin/script");

interface TerminalOptions extends ProgramOptions {
  readonly columns?: number;
  /** What is typed, as `printf` writes it, once some words stand on the screen. */
  readonly typed?: { readonly after: string; readonly keys: string };
}

export async function runOnTerminal(
  line: string,
  { columns = 100, env = {}, typed, ...options }: TerminalOptions = {},
) {
  const quoted = `stty cols ${columns} rows 50; ${line}`.replaceAll("'", `'\\''`);
  const hands = typed === undefined
    ? ""
    : `(until grep -q '${typed.after}' $log; do sleep 0.1; done; sleep 0.5; printf '${typed.keys}') | `;
  const run = `log=$(mktemp); ${hands}/usr/bin/script -qefc '${quoted}' $log; code=$?; rm $log; exit $code`;
  const { code, stdout } = await runShell(run, {
    ...options,
    env: { SHELL: "/bin/bash", TERM: "xterm", NO_COLOR: "", ...env },
  });
  return { code, text: stdout.replaceAll("\r\n", "\n") };
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
