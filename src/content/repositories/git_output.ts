/**
 * What git prints: its answer on stdout; its progress and, when it fails, the reason on stderr.
 */
import { oneLine } from "../../base/text.ts";
import type { Work } from "../../base/work.ts";

/** Passes bytes on as text. */
export function decodeEach(take: (text: string) => void, encoding = "utf-8"): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder(encoding);
  return (bytes) => take(decoder.decode(bytes, { stream: true }));
}

const MAX_LINE = 2_000;
const MAX_LINES = 20;

/** Follows stderr: reports progress, and remembers the last messages for `problem`. */
export function openStderr(progress: Work["progress"]): { push(text: string): void; problem(): string } {
  let rest = "";
  let lines: readonly string[] = [];
  const takeLine = (line: string) => {
    const [, phase, done, total] = /^(?:remote: )?([A-Z][\w ]+):\s+\d+% \((\d+)\/(\d+)\)/.exec(line) ?? [];
    if (phase !== undefined) progress?.(Number(done), Number(total), phase);
    else if (line.trim() !== "") lines = [...lines.slice(-MAX_LINES), line.trim()];
  };
  return {
    push: (text) => {
      const parts = (rest + text).split(/[\r\n]/);
      rest = parts.pop()!.slice(-MAX_LINE);
      parts.forEach(takeLine);
    },
    problem: () => {
      if (rest !== "") takeLine(rest);
      return summarize(lines);
    },
  };
}

const ERROR_LINE = /^(fatal|error|remote|ERROR|ssh|.*Permission denied|Host key)/;
const ACCESS_DENIED =
  /could not read (Username|Password)|Authentication failed|error: 40[13]|Permission denied \(/;

/** The most relevant lines, joined into one. */
function summarize(lines: readonly string[]): string {
  const errors = lines.filter((line) => ERROR_LINE.test(line));
  const said = (errors.length > 0 ? errors : lines).slice(-3)
    .map((line) => line.replace(/^(fatal|error|remote): */i, "")).join("; ");
  // The text of a stranger: on a terminal it must do nothing but be read.
  const plain = oneLine(said).slice(0, 400).replace(/(?<![. ])[. ]+$/, "") ||
    "git failed without a message";
  return ACCESS_DENIED.test(plain) ? `access denied (${plain})` : plain;
}
