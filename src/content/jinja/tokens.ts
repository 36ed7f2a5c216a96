/** A template in pieces: texts, and tags as tokens. */
import { LONG_STEP, type Spend, unsupported } from "./costs.ts";

export interface Token {
  readonly kind: "name" | "number" | "text" | "symbol";
  readonly value: string;
}

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "insertion" | "statement"; readonly tokens: readonly Token[] };

export function parsePieces(text: string, spend: Spend): readonly Piece[] {
  spend(text.length);
  const pieces: Piece[] = [];
  const addText = (from: number, to: number) => {
    if (from < to) pieces.push({ kind: "text", text: text.slice(from, to) });
  };
  for (let at = 0; at < text.length;) {
    const tag = matchAt(TAG, text, at);
    if (tag === undefined) {
      addText(at, text.length);
      break;
    }
    const [whole, opening, sign] = tag;
    addText(at, textEnd(text, at, tag.index, opening === "{{" ? sign || "+" : sign!));
    const inside = tag.index + whole.length;
    const raw = opening === "{%" ? matchAt(RAW, text, tag.index) : undefined;
    if (raw !== undefined) {
      const begin = afterTag(text, tag.index + raw[0].length, raw[1] || "+");
      const end = matchAt(END_RAW, text, begin) ?? unsupported("a raw block is not closed");
      addText(begin, textEnd(text, begin, end.index, end[1]!));
      at = afterTag(text, end.index + end[0].length, end[2]!);
    } else if (opening === "{#") {
      const end = text.indexOf("#}", inside);
      if (end < 0) unsupported("a comment is not closed");
      at = afterTag(text, end + 2, /[-+]/.test(text[end - 1]!) ? text[end - 1]! : "");
    } else {
      const kind = opening === "{{" ? "insertion" : "statement";
      const { tokens, end, sign } = readTag(text, inside, kind, spend);
      pieces.push({ kind, tokens });
      at = afterTag(text, end, kind === "insertion" ? sign || "+" : sign);
    }
  }
  return pieces;
}

const TAG = /(\{[{%#])([-+]?)/g;
const RAW = /\{%[-+]?\s*raw\s*(-?)%\}/y;
const END_RAW = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const SPACE = /\s*/y;
const CLOSE = { insertion: /(-?)\}\}/y, statement: /([-+]?)%\}/y };
const TOKEN =
  /[A-Za-z_]\w*|\d+(?:\.\d+)?|"[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*'|\/\/|[=!<>]=|[-+*%~<>=()[\]{},.:|]/y;

/** A sticky pattern matches at the place, a global one from there on. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** As in BMAD's script, a block tag takes the blanks before it and the line end after it, `-` all, and `+` none. */
function textEnd(text: string, from: number, tag: number, sign: string): number {
  if (sign === "+") return tag;
  let end = tag;
  while (end > from && isSpace(text[end - 1]!) && (sign === "-" || text[end - 1] !== "\n")) end--;
  const isWholeLine = end === 0 || text[end - 1] === "\n";
  return sign === "-" || isWholeLine ? end : tag;
}

function afterTag(text: string, end: number, sign: string): number {
  if (sign === "-") return end + matchAt(SPACE, text, end)![0].length;
  return sign === "" && text[end] === "\n" ? end + 1 : end;
}

function isSpace(char: string): boolean {
  return char.trim() === "";
}

function readTag(text: string, from: number, kind: "insertion" | "statement", spend: Spend) {
  const tokens: Token[] = [];
  let open = 0;
  for (let at = from;;) {
    at += matchAt(SPACE, text, at)![0].length;
    // A table may end with what ends an insertion.
    const close = open === 0 ? matchAt(CLOSE[kind], text, at) : undefined;
    if (close !== undefined) return { tokens, end: at + close[0].length, sign: close[1]! };
    const [value] = matchAt(TOKEN, text, at) ?? unsupported(
      at < text.length ? `"${text[at]}" is not supported in a tag` : "a tag is not closed",
    );
    spend(LONG_STEP);
    if ("([{".includes(value)) open++;
    if (")]}".includes(value)) open--;
    tokens.push(tokenOf(value));
    at += value.length;
  }
}

function tokenOf(value: string): Token {
  if (/^["']/.test(value)) return { kind: "text", value: unescape(value.slice(1, -1)) };
  const kind = /^\d/.test(value) ? "number" : /^\w/.test(value) ? "name" : "symbol";
  return { kind, value };
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\([^])/g, (whole, char: string) => {
    if ("\\\"'".includes(char)) return char;
    return ESCAPES[char] ?? whole;
  });
}
