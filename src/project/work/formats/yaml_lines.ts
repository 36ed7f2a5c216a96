/** Lines of YAML, as far as they are keys, values and items of lists. */
import { escapeUnit } from "../../../base/text.ts";

export interface Entry {
  readonly key: string;
  readonly column: number;
  readonly head: string;
  readonly value: Scalar | undefined;
}

export function isTrivial(text: string): boolean {
  return /^\s*(?:#|$)/.test(text);
}

export function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

export function startsItem(text: string, column: number): boolean {
  return indentOf(text) === column && /^-(?: |$)/.test(text.slice(column));
}

/** Also after an item's dash; undefined for anything else, also with a tab. */
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

/** Before a blank or the end, and not in a comment. */
function plainColon(text: string, from: number): number | undefined {
  const at = text.slice(from).search(/:(?:\s|$)/);
  return at < 0 || /\s#/.test(text.slice(from, from + at)) ? undefined : from + at;
}

type Style = "plain" | "single" | "double";

/** With the blanks before, and what follows: blanks and a comment. */
interface Scalar {
  readonly style: Style;
  readonly lead: string;
  readonly raw: string;
  readonly tail: string;
}

/** Unquoted, these would not be text. */
const TYPED =
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|=|<<|[-+]?[\d_]+|0o[0-7_]+|0x[\da-fA-F_]+|[-+]?(?:\d[\d_]*\.[\d_]*|\.\d[\d_]*|\d[\d_]*)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)[\d:.]+(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)?)$/;
const QUOTED = /^(?:"(?:[^"\\]|\\.)*"|'[^']*(?:''[^']*)*')/s;
const INDICATORS = "&*!|>%@`{}[],#'\"";
// deno-lint-ignore no-control-regex
const UNPRINTABLE = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/gu;

/** Undefined for a list, an alias, a tag, a block. */
function readScalar(rest: string): Scalar | undefined {
  const text = rest.trimStart();
  const lead = rest.slice(0, rest.length - text.length);
  if (text.startsWith('"') || text.startsWith("'")) {
    const raw = QUOTED.exec(text)?.[0];
    const tail = text.slice(raw?.length);
    if (raw === undefined || !/^(?:[ \t]+#[^]*|\s*)$/.test(tail)) return undefined;
    return { style: text.startsWith('"') ? "double" : "single", lead, raw, tail };
  }
  const cut = text.startsWith("#") ? 0 : text.search(/[ \t]#/);
  const raw = (cut < 0 ? text : text.slice(0, cut)).trimEnd();
  if (raw !== "" && !canStartPlain(raw)) return undefined;
  if (raw === "") return { style: "plain", lead: " ", raw, tail: rest };
  return { style: "plain", lead, raw, tail: text.slice(raw.length) };
}

function canStartPlain(text: string): boolean {
  return !INDICATORS.includes(text[0]!) && !/^[-?:](?:[ \t]|$)/.test(text);
}

export function scalarText({ style, raw }: Scalar): string {
  return style === "plain" ? raw : raw.slice(1, -1);
}

export function replaceScalar({ lead, style, tail }: Scalar, text: string): string {
  return lead + writeScalar(text, style) + tail;
}

export function writeScalar(text: string, style: Style): string {
  if (style === "double" || text.search(UNPRINTABLE) >= 0) {
    return JSON.stringify(text).replaceAll(UNPRINTABLE, escapeUnit);
  }
  return style === "plain" && isPlain(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

function isPlain(text: string): boolean {
  return text !== "" && text === text.trim() && !text.includes("\t") && canStartPlain(text) &&
    !/:(?: |$)| #|^(?:---|\.\.\.)/.test(text) && !TYPED.test(text);
}
