/**
 * The status of a document, changed in its own line: in front matter, after a label or below a heading.
 *
 * Every other byte stays. The new text is read again: unless it says the new status, nothing is returned.
 */
import { fail } from "../../../base/errors.ts";
import {
  type DocumentStatus,
  type Line,
  readDocument,
  readEntry,
  replaceScalar,
  writeScalar,
} from "../formats/mod.ts";
import { endOf, insert, joined, linesIn } from "./text_lines.ts";

/** Longer than any status with the text beside it. */
const MAX_LINE = 2_000;

/** Where a status goes if a document has none. */
export type Place = "front matter" | "body";

/** The text with a status. Without a place, a document that has none stays as it is. */
export function withStatus(path: string, text: string, status: string, place?: Place): string {
  const { status: old, end, heading } = readDocument(path, text);
  if (old === undefined && place === undefined) return text;
  const lines = linesIn(text);
  if (old !== undefined) {
    const line = lines[old.line - 1];
    if (line === undefined || line.text.length > MAX_LINE) return refuse(path, old.line);
    line.text = withWord(line.text, old, status) ?? refuse(path, old.line);
  } else if (place === "front matter") addField(lines, end, status);
  else addLine(lines, heading?.line ?? end, status);
  const changed = joined(text, lines);
  return readDocument(path, changed).status?.word === status ? changed : refuse(path, old?.line);
}

function refuse(path: string, line?: number): never {
  const problem = "its status is written in a way that cannot be changed by itself";
  return fail({ code: "invalid-file", path, problem, ...(line !== undefined && { line }) });
}

/** A line of front matter with another value, in the same quotes; undefined for one that is no `key: value`. */
export function withValue(line: string, value: string): string | undefined {
  const { head, value: scalar } = readEntry(line) ?? {};
  if (head === undefined || scalar === undefined) return undefined;
  return head + replaceScalar(scalar, value);
}

const SIGNS = "*_`";

/** A line with another status between the same signs; undefined if the old one is not where it was read. */
function withWord(line: string, { written }: DocumentStatus, status: string): string | undefined {
  if (written === undefined) return withValue(line, status);
  const { text, from } = written;
  if (!line.startsWith(text, from)) return undefined;
  let [start, end] = [0, text.length];
  while (start < end && SIGNS.includes(text[start]!)) start++;
  while (end > start && SIGNS.includes(text[end - 1]!)) end--;
  return `${line.slice(0, from + start)}${status}${line.slice(from + end)}`;
}

/** Adds the status at the end of the front matter, which has so many lines and is made if missing. */
function addField(lines: Line[], close: number, status: string): void {
  const end = endOf(lines);
  const field = { text: `status: ${writeScalar(status, "plain")}`, end };
  if (close > 0) lines.splice(close - 1, 0, field);
  else lines.unshift({ text: "---", end }, field, { text: "---", end }, { text: "", end });
}

/** Adds `Status: …` below the title or the front matter, or at the beginning. */
function addLine(lines: Line[], above: number, status: string): void {
  insert(lines, above, [...(above === 0 ? [] : [""]), `Status: ${status}`], endOf(lines));
}
