/**
 * The status of a document, changed in its own line: in front matter, after a label or below a heading.
 *
 * Every other byte stays. The new text is read again: unless it says the new status, nothing is returned.
 */
import { fail } from "../../../base/errors.ts";
import { type Line, readEntry, type Scalar, splitLines, writeScalar } from "../ledger/mod.ts";
import { readDocument } from "../formats/mod.ts";

/** Longer than any status with the text beside it. */
const MAX_LINE = 2_000;

/** Where a status goes if a document has none. */
export type Place = "front matter" | "body";

/** The text with a status. Without a place, a document that has none stays as it is. */
export function withStatus(path: string, text: string, status: string, place?: Place): string {
  const { status: old } = readDocument(path, text);
  if (old === undefined && place === undefined) return text;
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const lines = splitLines(text.slice(mark.length));
  if (old !== undefined) {
    const line = lines[old.line - 1];
    if (line === undefined || line.text.length > MAX_LINE) return refuse(path, old.line);
    const isFrontMatter = old.line <= frontMatterEnd(lines);
    line.text = isFrontMatter
      ? withValue(line.text, status) ?? refuse(path, old.line)
      : withWord(line.text, status);
  } else if (place === "front matter") addField(lines, "status", status);
  else addLine(lines, status);
  const changed = mark + lines.map(({ text, end }) => text + end).join("");
  return readDocument(path, changed).status?.word === status ? changed : refuse(path, old?.line);
}

/** The text with a field of its front matter, which is made if missing. */
export function withField(
  path: string,
  text: string,
  name: string,
  value: string,
  style: Scalar["style"] = "plain",
): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const lines = splitLines(text.slice(mark.length));
  const end = frontMatterEnd(lines);
  const at = lines.slice(0, end).findIndex(({ text }) => readEntry(text)?.key === name);
  if (at < 0) addField(lines, name, value, style);
  else lines[at]!.text = withValue(lines[at]!.text, value) ?? refuse(path, at + 1);
  return mark + lines.map(({ text, end }) => text + end).join("");
}

function refuse(path: string, line?: number): never {
  const problem = "its status is written in a way that cannot be changed by itself";
  return fail({ code: "invalid-file", path, problem, ...(line !== undefined && { line }) });
}

/** How many lines the front matter has, with both rules; 0 if there is none. */
function frontMatterEnd(lines: readonly Line[]): number {
  if (lines[0]?.text !== "---") return 0;
  return lines.findIndex(({ text }, at) => at > 0 && text === "---") + 1;
}

/** A line of front matter with another value, in the same quotes; undefined for one that is no `key: value`. */
export function withValue(line: string, value: string): string | undefined {
  const { head, value: scalar } = readEntry(line) ?? {};
  if (head === undefined || scalar === undefined) return undefined;
  return `${head} ${writeScalar(value, scalar.style)}${scalar.tail}`;
}

/** `**Status:** Ready for Review <!-- x -->` → its label, the signs around the word, the word, and what follows. */
const LABELLED =
  /^((?:#{1,6}\s+)?\s{0,3}(?:[-*+]\s+)?(?:\*\*|__)?status(?:\*\*|__)?\s{0,9}:(?:\*\*|__)?\s{0,99})(.*)$/is;
const ALONE = /^(\s{0,99}(?:[-*+]\s+)?)(.*)$/s;
const SIGNS = "*_`";

function withWord(line: string, status: string): string {
  const [, lead, rest] = LABELLED.exec(line) ?? ALONE.exec(line)!;
  const comment = rest!.indexOf("<!--");
  const word = (comment < 0 ? rest! : rest!.slice(0, comment)).trimEnd();
  let [from, to] = [0, word.length];
  while (from < to && SIGNS.includes(word[from]!)) from++;
  while (to > from && SIGNS.includes(word[to - 1]!)) to--;
  return `${lead}${rest!.slice(0, from)}${status}${rest!.slice(to)}`;
}

function endOf(lines: readonly Line[]): string {
  return lines[0]?.end || "\n";
}

function addField(lines: Line[], name: string, value: string, style: Scalar["style"] = "plain"): void {
  const end = endOf(lines);
  const field = { text: `${name}: ${writeScalar(value, style)}`, end };
  const close = frontMatterEnd(lines);
  if (close > 0) lines.splice(close - 1, 0, field);
  else lines.unshift({ text: "---", end }, field, { text: "---", end }, { text: "", end });
}

/** Adds `Status: …` below the title, or at the beginning. */
function addLine(lines: Line[], status: string): void {
  const end = endOf(lines);
  const title = lines.findIndex(({ text }) => /^# /.test(text));
  const last = lines[title];
  if (last !== undefined && last.end === "") last.end = end;
  lines.splice(title + 1, 0, { text: "", end }, { text: `Status: ${status}`, end });
  if (title < 0) lines.shift();
}
