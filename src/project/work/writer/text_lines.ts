/** Lines of a document of which single ones change. */
import { fail } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { type EditedText, type Heading, type Line, readDocument } from "../formats/mod.ts";

export function endOfSection(edited: EditedText, outline: readonly Heading[], own: Heading): number {
  const next = outline.find(({ line, level }) => line > own.line && level <= own.level);
  return edited.lastFilled(next === undefined ? undefined : next.line - 1);
}

export const BULLET = /^\s*(?:[-*+]|\d{1,4}[.)])\s+/;

/** With deeper indentation and lazy continuation lines. */
export function endOfItem(lines: readonly Line[], line: number): number {
  const indentOf = (text: string) => text.length - text.trimStart().length;
  const own = indentOf(lines[line - 1]!.text);
  const isDeeper = (text: string) => text.trim() !== "" && indentOf(text) > own;
  let end = line;
  for (let at = line; at < lines.length; at++) {
    const { text } = lines[at]!;
    if (text.trim() === "") continue;
    const goesOn = at === end && !BULLET.test(text) && !/^\s{0,3}(?:#{1,6}\s|\||>|```|~~~|<!--)/.test(text);
    if (!isDeeper(text) && !goesOn) break;
    end = at + 1;
  }
  return end;
}

const NO_FACTS = ["path", "title", "end", "problem", "heading", "openFindings", "status", "boxes"];

/** Besides reviews and boxes; an edit must not change it. */
export function factsOf(path: string, text: string): string {
  const { status, ...document } = readDocument(path, text);
  const facts = Object.entries(document).filter(([key]) => !NO_FACTS.includes(key));
  return JSON.stringify([status?.word, facts]);
}

/** That cannot hide or close the Markdown around it. */
export function plainLine(text: string): string {
  return oneLine(text).trim().replaceAll("<!--", "&lt;!--").replaceAll("-->", "--&gt;");
}

export function saysSomething(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

export function refuseForm(path: string, problem: string, line?: number): never {
  return fail({ code: "invalid-file", path, problem, ...(line !== undefined && { line }) });
}
