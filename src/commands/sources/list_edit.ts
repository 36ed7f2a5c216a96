/**
 * Adds and removes elements of a list in the text of a settings file; every other byte stays. The parser has accepted the
 * file before, so that what is found here is well formed.
 */
import { splitKeepingEnds } from "../../base/text.ts";
import { parseSettingsFile } from "../../settings/mod.ts";

interface Element {
  readonly value: string;
  readonly start: number;
  readonly end: number;
  readonly comma: number;
}

/** The text with a value added to a list, or undefined if it is there. The list is created if it is missing. */
export function withElement(text: string, key: string, value: string, path: string): string | undefined {
  const quoted = JSON.stringify(value);
  const row = rowOf(text, key, path);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  if (row === undefined) {
    const gap = text === "" || text.endsWith("\n") ? "" : newline;
    return `${text}${gap}${key} = [${newline}  ${quoted},${newline}]${newline}`;
  }
  if (row.texts.includes(value)) return undefined;
  const { list, elements, open } = elementsOf(text, row.line, row.end);
  const last = elements.at(-1);
  // A single text is a list of one.
  if (!list) {
    return replace(text, last!.start, last!.end, `[${text.slice(last!.start, last!.end)}, ${quoted}]`);
  }
  if (last === undefined) return replace(text, open, open, quoted);
  const lineStart = text.lastIndexOf("\n", last.start - 1) + 1;
  const [indent = ""] = /^[ \t]*/.exec(text.slice(lineStart)) ?? [];
  const ownLine = text.slice(lineStart, last.start).trim() === "";
  const added = ownLine ? `${newline}${indent}${quoted},` : ` ${quoted}`;
  if (last.comma === last.end) return replace(text, last.end, last.end, `,${added.replace(/,$/, "")}`);
  // A comment behind the last element stays behind it.
  const lineEnd = text.indexOf("\n", last.comma);
  const at = ownLine && lineEnd > 0 ? lineEnd - (text[lineEnd - 1] === "\r" ? 1 : 0) : last.comma;
  return replace(text, at, at, added);
}

/** The text with a value in the place of others, of which those that are there go; undefined if nothing changes. */
export function withExchanged(
  text: string,
  key: string,
  value: string,
  others: readonly string[],
  path: string,
): string | undefined {
  const row = rowOf(text, key, path);
  const first = row === undefined || row.texts.includes(value)
    ? undefined
    : elementsOf(text, row.line, row.end).elements.find((one) => others.includes(one.value));
  const exchanged = first === undefined ? text : replace(text, first.start, first.end, JSON.stringify(value));
  const rest = others.reduce((left, other) => withoutElement(left, key, other, path) ?? left, exchanged);
  const next = withElement(rest, key, value, path) ?? rest;
  return next === text ? undefined : next;
}

export function withoutElement(text: string, key: string, value: string, path: string): string | undefined {
  const row = rowOf(text, key, path);
  if (row === undefined || !row.texts.includes(value)) return undefined;
  const { list, elements } = elementsOf(text, row.line, row.end);
  const at = elements.findIndex((one) => one.value === value);
  const { start, end, comma } = elements[at]!;
  if (!list) return replace(text, start, end, "[]");
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", comma) + 1 || text.length;
  const rest = text.slice(lineStart, start) + text.slice(comma, lineEnd);
  // An element on a line of its own goes with its line, and with what is said about it there.
  if (/^[ \t]*(?:#[^\n]*)?\r?\n?$/.test(rest)) return replace(text, lineStart, lineEnd, "");
  if (comma > end || at === 0) return text.slice(0, start) + text.slice(comma).replace(/^[ \t]+/, "");
  return replace(text, elements[at - 1]!.end, end, "");
}

function rowOf(text: string, key: string, path: string) {
  return parseSettingsFile(text, path).find((row) => row.key === key);
}

/** What lies between two lines: whether it is a list, where that opens, and its elements. */
function elementsOf(text: string, first: number, last: number) {
  const begin = lineOffset(text, first);
  const value = text.indexOf("=", begin) + 1;
  const source = text.slice(0, lineOffset(text, last + 1));
  const tokens = [...source.slice(value).matchAll(/"(?:[^"\\]|\\[^])*"?|'[^']*'?|#[^\n]*|[[\],]/g)]
    .map((match) => ({ text: match[0], at: value + match.index }))
    .filter(({ text }) => !text.startsWith("#"));
  const elements: Element[] = [];
  for (const [at, token] of tokens.entries()) {
    if (!/^["']/.test(token.text)) continue;
    const end = token.at + token.text.length;
    const next = tokens[at + 1];
    const value = token.text.startsWith("'") ? token.text.slice(1, -1) : JSON.parse(token.text) as string;
    elements.push({ value, start: token.at, end, comma: next?.text === "," ? next.at + 1 : end });
  }
  return { list: tokens[0]?.text === "[", open: (tokens[0]?.at ?? value) + 1, elements };
}

function lineOffset(text: string, line: number): number {
  return splitKeepingEnds(text).slice(0, line - 1).join("").length;
}

function replace(text: string, start: number, end: number, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}
