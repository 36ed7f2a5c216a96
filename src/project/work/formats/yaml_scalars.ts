/**
 * One YAML value on one line: how it is written, and how another text is written in its place.
 */

/** How a value is written. */
export type Style = "plain" | "single" | "double";

/** A value as it is written in a line, the blanks before it, and what follows it there: blanks and a comment. */
export interface Scalar {
  readonly style: Style;
  readonly lead: string;
  /** With its quotes. */
  readonly raw: string;
  readonly tail: string;
}

/** Unquoted, YAML would read these as something other than text. */
const TYPED =
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|=|<<|[-+]?[\d_]+|0o[0-7_]+|0x[\da-fA-F_]+|[-+]?(?:\d[\d_]*\.[\d_]*|\.\d[\d_]*|\d[\d_]*)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)[\d:.]+(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)?)$/;
const QUOTED = /^(?:"(?:[^"\\]|\\.)*"|'[^']*(?:''[^']*)*')/s;
const INDICATORS = "&*!|>%@`{}[],#'\"";
/** What YAML does not allow as it is, and line ends of any kind. */
// deno-lint-ignore no-control-regex
const UNPRINTABLE = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/gu;

/** Reads the value after the colon; undefined for anything but text on one line: a list, an alias, a tag, a block. */
export function readScalar(rest: string): Scalar | undefined {
  const text = rest.trimStart();
  const lead = rest.slice(0, rest.length - text.length);
  if (text.startsWith('"') || text.startsWith("'")) {
    const raw = QUOTED.exec(text)?.[0];
    const tail = text.slice(raw?.length);
    if (raw === undefined || !/^(?:[ \t]+#.*|[ \t]*)$/.test(tail)) return undefined;
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

/** Another text in the place of a value, with everything around it. */
export function replaceScalar({ lead, style, tail }: Scalar, text: string): string {
  return lead + writeScalar(text, style) + tail;
}

/** A text as a value, in a style if that can hold it. */
export function writeScalar(text: string, style: Style): string {
  if (style === "double" || text.search(UNPRINTABLE) >= 0) return writeDouble(text);
  return style === "plain" && isPlain(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

function isPlain(text: string): boolean {
  return text !== "" && text === text.trim() && !text.includes("\t") && canStartPlain(text) &&
    !/:(?: |$)| #|^(?:---|\.\.\.)/.test(text) && !TYPED.test(text);
}

function writeDouble(text: string): string {
  return JSON.stringify(text).replaceAll(UNPRINTABLE, escapeUnit);
}

/** A unit of UTF-16 as JSON, YAML and Python escape it. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
