import { command, counted, oneLine, safeText, splitLines, withCommand } from "../../base/text.ts";
import { findFlag } from "../../settings/mod.ts";
import { LIMITS } from "../limits.ts";
import { readInput } from "./input.ts";
import type { ContentSession } from "./session.ts";

/** Stdin is read only where a dash asks for it: it may be a terminal, or open for ever. */
export async function script({ host, open, invocation }: ContentSession): Promise<number> {
  const { operands: words } = invocation;
  const stdin = words.includes("-") ? await readInput(host, LIMITS.input.scriptCharacters) : "";
  const work = await (await open()).project.work();
  const lines = words.length === 1 && words[0] === "-"
    ? splitLines(stdin).filter((line) => /^\s*[^\s#]/.test(line))
    : undefined;
  const results = lines === undefined ? [await work.script(words, { stdin })] : await work.scripts(lines);
  for (const { stdout, stderr, note } of results) {
    host.writeOut(host.terminal.stdout ? safeText(stdout) : stdout);
    host.writeErr(host.terminal.stderr ? safeText(stderr) : stderr);
    if (note !== undefined) host.writeErr(`${/(?:^|\n)$/.test(stderr) ? "" : "\n"}${safeText(note)}\n`);
  }
  const { status, stderr } = results.at(-1) ?? { status: 0, stderr: "" };
  if (lines !== undefined && status !== 0) {
    const failed = `Exit status ${status}: ${oneLine(lines[results.length - 1]!)}`;
    const left = lines.length - results.length;
    const end = /(?:^|\n)$/.test(stderr) ? "" : "\n";
    host.writeErr(`${end}${failed}\n${left === 0 ? "" : `Not run: ${counted(left, "line")}\n`}`);
  }
  const moved = status === 2 && stderr.includes(": error: unknown option ") ? moveFlags(words) : undefined;
  if (moved !== undefined) {
    const line = command`bmad-mcp script ${{ args: moved }}`;
    host.writeErr(`${withCommand("Flags of bmad-mcp come before the script", line)}\n`);
  }
  return status;
}

function moveFlags(words: readonly string[]): readonly string[] | undefined {
  const ours: string[] = [], rest: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const { setting, row } = findFlag(word.split("=", 1)[0]!);
    (setting === undefined ? rest : ours).push(word);
    const hasValue = setting !== undefined && row?.value !== undefined && !word.includes("=");
    if (hasValue) ours.push(...words.slice(++at, at + 1));
  }
  return ours.length === 0 ? undefined : [...ours, ...rest];
}
