/**
 * What a source file declares: functions, classes, types and constants, each with the comment beside it.
 *
 * By the forms that most languages share, not by parsing: a name after a word such as `def`, `fn` or `class`, or a name
 * before its parameters and an opening brace. Misses some declarations and takes some lines for one; both only change
 * what a question is compared with. Pure.
 */

export interface CodeSymbol {
  /** From 1. */
  readonly line: number;
  /** In words: the place, the parts of the name, and how its comment begins. */
  readonly text: string;
}

/** Larger ones are generated, and so are lines that are longer. */
const MAX_SYMBOLS = 2_000, MAX_LINE = 300;
/** In characters. */
const MAX_NAME = 80, MAX_COMMENT = 100;
const MAX_COMMENT_LINES = 12;

/** Text that declares nothing. */
const PROSE =
  /\.(?:md|mdx|txt|rst|adoc|json5?|jsonc|jsonl|ya?ml|toml|ini|cfg|csv|tsv|html?|xml|svg|s?css|less|log|po)$/i;

// Not U+2028 and U+2029, after which `^` begins a line: a run of them would be read again from each.
const NAME = String.raw`[A-Za-z_$\x80-\u2027\u202a-\uffff][\w$\x80-\u2027\u202a-\uffff]*`;
const MODIFIERS =
  "export|default|declare|public|private|protected|internal|static|async|abstract|final|override|" +
  "inline|virtual|sealed|partial|pub|unsafe|extern|open|suspend|data|local|create|or|replace";
const KINDS =
  "function|class|interface|type|enum|struct|trait|union|fn|func|def|defn|defp|defmodule|fun|sub|proc|" +
  "procedure|module|namespace|object|record|macro|protocol|message|service|rpc|table|view";
/** A declaration by its keyword; values count at the beginning of a line, and elsewhere if they are functions. */
const DECLARED = String.raw`(?:(?:${MODIFIERS})\b[ \t]*(?:\([a-z]*\)[ \t]*)?){0,6}` +
  String.raw`(?:(?:${KINDS})\b\*?[ \t]+(?:\([^)\n]{0,80}\)[ \t]*)?(?:${NAME}[.:]{1,2}){0,4}(${NAME})` +
  String.raw`|(?:const|let|var|val)[ \t]+(${NAME})(?=[^\n]{0,200}(?:=>|\bfunction\b)))`;
const VALUE = String
  .raw`(?:(?:export|pub|public|static|final)[ \t]+){0,3}(?:const|let|var|val)[ \t]+(${NAME})`;
/** `public boolean checkPassword(String given) {` */
const METHOD = String
  .raw`(?:[\w$<>\[\],*&?:.]{1,60}[ \t]+){0,5}[*&]?(${NAME})[ \t]*\([^\n;]{0,200}\{[ \t]*\r?$`;
const SYMBOL = new RegExp(String.raw`^(?:${VALUE}|[ \t]{0,40}\(?(?:${DECLARED}|${METHOD}))`, "gmi");

/** Words before a parenthesis that do not name what follows. */
const NOT_NAMES = new Set(
  ("if for while switch catch return new await function throw else do typeof with elif case and or not in is assert " +
    "yield super foreach unless until constructor").split(" "),
);

const COMMENT = /^\s{0,80}(?:\/\/+!?|\/\*+|\*+\/?|#+!?|--+|;+|"""|''')\s?(.*)$/s;
const DOC_STRING = /^\s{0,80}[rR]?(?:"""|''')\s*(.*)$/s;

/** The symbols of a file, in order. */
export function symbolsOf(path: string, text: string): readonly CodeSymbol[] {
  if (PROSE.test(path)) return [];
  const lines = text.split("\n"), place = placeOf(path);
  const found: CodeSymbol[] = [];
  let line = 0, offset = 0;
  for (const match of text.matchAll(SYMBOL)) {
    const name = match.slice(1).find((each) => each !== undefined)!;
    while (offset + lines[line]!.length < match.index) offset += lines[line++]!.length + 1;
    if (NOT_NAMES.has(name.toLowerCase()) || name.length < 2 || lines[line]!.length > MAX_LINE) continue;
    const words = [place, spellOut(name.slice(0, MAX_NAME)), commentAt(lines, line)];
    found.push({ line: line + 1, text: words.filter((some) => some !== "").join(" ") });
    if (found.length === MAX_SYMBOLS) break;
  }
  return found;
}

/** `src/auth/login_form.ts` → `auth login form` */
function placeOf(path: string): string {
  const parts = path.replace(/\.\w+$/, "").split("/").slice(-2);
  return spellOut(parts.filter((part) => !/^(?:src|lib|index|main|mod|__init__)$/.test(part)).join(" "));
}

/** `checkHTTPToken` → `check http token` */
export function spellOut(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]+/gu, " ").replaceAll(/(?<=\p{Ll}|\p{N})(?=\p{Lu})/gu, " ")
    .replaceAll(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ").trim().toLowerCase();
}

/** The comment above a line, or the doc string below it. */
function commentAt(lines: readonly string[], line: number): string {
  let first = line;
  while (first > 0 && line - first < MAX_COMMENT_LINES && isBeside(lines[first - 1]!)) first--;
  const above = lines.slice(first, line).map((text) => COMMENT.exec(text.slice(0, MAX_LINE))?.[1] ?? "");
  const [, begun] = DOC_STRING.exec((lines[line + 1] ?? "").slice(0, MAX_LINE)) ?? [];
  const below = begun === "" ? lines[line + 2] ?? "" : begun ?? "";
  return [...above, below].join(" ").slice(0, 4 * MAX_COMMENT).replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim()
    .slice(0, MAX_COMMENT).toWellFormed();
}

/** Comments, and decorators between a comment and what it is about. */
function isBeside(text: string): boolean {
  return COMMENT.test(text.slice(0, MAX_LINE)) || /^\s*@/.test(text);
}
