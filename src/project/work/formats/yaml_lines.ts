/**
 * The lines of a YAML file, as far as they are keys, values and the items of lists.
 */
import { readScalar, type Scalar } from "./yaml_scalars.ts";

/** A line and how it ends; the last one may not end at all. */
export interface Line {
  text: string;
  end: string;
}

/** A line `key: value`. */
export interface Entry {
  readonly key: string;
  readonly column: number;
  /** Everything up to the colon, included. */
  readonly head: string;
  /** Undefined for anything but text on one line. */
  readonly value: Scalar | undefined;
}

/** The lines of a text, each with its end. */
export function splitLines(text: string): Line[] {
  const lines = [...text.matchAll(/([^\n]*?)(\r?\n|$)/g)].map(([, line, end]) => ({
    text: line!,
    end: end!,
  }));
  return lines.at(-1)?.text === "" && lines.at(-1)?.end === "" ? lines.slice(0, -1) : lines;
}

/** Whether a line is empty or a comment. */
export function isTrivial(text: string): boolean {
  return /^\s*(?:#|$)/.test(text);
}

/** How many blanks a line begins with. */
export function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** Whether an item of a list starts here. */
export function startsItem(text: string, column: number): boolean {
  return indentOf(text) === column && /^-(?: |$)/.test(text.slice(column));
}

/** Reads `key: value`, also after the dash of an item; undefined for anything else, also for a tab where none may be. */
export function readEntry(text: string): Entry | undefined {
  const lead = /^ *(?:- +)?/.exec(text)![0];
  const found =
    /^(?:"((?:[^"\\]|\\[^\s])*)"|'((?:[^']|'')*)'|([^\s"'#&*!|>%@`{}[\],?:-][^\s]*|-[^\s-][^\s]*))/
      .exec(text.slice(lead.length));
  if (found === null) return undefined;
  const [quoted, double, single] = found;
  const isQuoted = double !== undefined || single !== undefined;
  if (double?.includes("\\")) return undefined;
  const colon = isQuoted ? colonAfter(text, lead.length + quoted.length) : plainColon(text, lead.length);
  if (colon === undefined) return undefined;
  const head = text.slice(0, colon + 1);
  const rest = text.slice(colon + 1);
  if (/^ *\t/.test(rest)) return undefined;
  const key = double ?? single?.replaceAll("''", "'") ?? text.slice(lead.length, colon).trimEnd();
  return { key, column: lead.length, head, value: readScalar(rest) };
}

function colonAfter(text: string, from: number): number | undefined {
  const at = from + /^ */.exec(text.slice(from))![0].length;
  return text[at] === ":" && /^(?:\s|$)/.test(text.slice(at + 1, at + 2)) ? at : undefined;
}

/** The first colon that ends a key: a blank or nothing follows it, and no comment precedes it. */
function plainColon(text: string, from: number): number | undefined {
  const at = text.slice(from).search(/:(?:\s|$)/);
  return at < 0 || /\s#/.test(text.slice(from, from + at)) ? undefined : from + at;
}
