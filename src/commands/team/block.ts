/**
 * Lines of ours in a file of other people's, between two comments: added, found and taken out again byte for byte.
 *
 * Pure: texts in, texts out.
 */
import { splitKeepingEnds } from "../../base/text.ts";

const BEGIN = "# bmad-mcp team: begin";
/** Begins the lines in a file that did not exist before. */
const MADE = `${BEGIN} (made this file)`;
const END = "# bmad-mcp team: end";

/** Our lines in a text. */
export interface Block {
  readonly lines: readonly string[];
  readonly before: string;
  readonly after: string;
  readonly isFileOurs: boolean;
}

/** Finds our lines; undefined if there are none. Comments that do not belong together are a problem. */
export function findBlock(text: string): Block | "broken" | undefined {
  const lines = splitKeepingEnds(text);
  const plain = lines.map((line) => line.trimEnd());
  const marks = plain.flatMap((line, at) => [BEGIN, MADE, END].includes(line) ? [at] : []);
  const [start, end, ...others] = marks;
  if (start === undefined) return undefined;
  const isWhole = end !== undefined && others.length === 0 && plain[start] !== END && plain[end] === END;
  if (!isWhole) return "broken";
  const before = lines.slice(0, start).join("");
  return {
    lines: plain.slice(start + 1, end),
    // A text without a last line end has none after our lines either.
    before: lines[end]!.endsWith("\n") ? before : before.replace(/\r?\n$/, ""),
    after: lines.slice(end + 1).join(""),
    isFileOurs: plain[start] === MADE,
  };
}

/** A text with our lines, at its end or where they are; undefined for a file that does not exist. */
export function withBlock(text: string | undefined, lines: readonly string[], old?: Block): string {
  const newline = text?.includes("\r\n") ? "\r\n" : "\n";
  const begin = text === undefined || old?.isFileOurs ? MADE : BEGIN;
  const own = [begin, ...lines, END].join(newline);
  const { before, after } = old ?? { before: text ?? "", after: "" };
  if (before === "" || before.endsWith("\n")) return `${before}${own}${newline}${after}`;
  return before + newline + own + after;
}

/** A text without our lines; undefined if the file was ours and holds nothing else. */
export function withoutBlock({ before, after, isFileOurs }: Block): string | undefined {
  const rest = before + after;
  return isFileOurs && rest === "" ? undefined : rest;
}
