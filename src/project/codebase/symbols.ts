/**
 * What source files declare, each with the comment beside it. It goes by the forms that most languages share: misses
 * and false finds only change what a question is compared with.
 */
import { isFiller, wordsOf } from "../../base/language/mod.ts";
import type { Stamp } from "../../content/tree/mod.ts";
import { createFileCache } from "./term_cache.ts";

interface CodeSymbol {
  readonly line: number;
  readonly text: string;
}

/** Of a file: larger ones are generated, and so are lines that are longer. */
const MAX_IN_FILE = 2_000, MAX_LINE = 300;
const MAX_NAME = 80, MAX_COMMENT = 100;
const MAX_COMMENT_LINES = 12;

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

const NOT_NAMES = new Set(
  ("if for while switch catch return new await function throw else do typeof with elif case and or not in is assert " +
    "yield super foreach unless until constructor").split(" "),
);

const COMMENT = /^\s{0,80}(?:\/\/+!?|\/\*+|\*+\/?|#+!?|--+|;+|"""|''')\s?(.*)$/s;
const DOC_STRING = /^\s{0,80}[rR]?(?:"""|''')\s*(.*)$/s;

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
    if (found.length === MAX_IN_FILE) break;
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

function commentAt(lines: readonly string[], line: number): string {
  let first = line;
  while (first > 0 && line - first < MAX_COMMENT_LINES && isBeside(lines[first - 1]!)) first--;
  const above = lines.slice(first, line).map((text) => COMMENT.exec(text.slice(0, MAX_LINE))?.[1] ?? "");
  const [, begun] = DOC_STRING.exec((lines[line + 1] ?? "").slice(0, MAX_LINE)) ?? [];
  const below = begun === "" ? lines[line + 2] ?? "" : begun ?? "";
  return [...above, below].join(" ").slice(0, 4 * MAX_COMMENT).replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim()
    .slice(0, MAX_COMMENT).toWellFormed();
}

function isBeside(text: string): boolean {
  return COMMENT.test(text.slice(0, MAX_LINE)) || /^\s*@/.test(text);
}

export interface IndexedSymbol extends CodeSymbol {
  readonly words: readonly number[];
}

export type SymbolCache = ReturnType<typeof createSymbolCache>;

/** Of all files together: about 20 MB. Files beyond that are found by their words only. */
const MAX_SYMBOLS = 40_000, MAX_WORDS = 20_000;
const MAX_WORD = 40;

export function createSymbolCache() {
  const { find, latest, put, drop, retain } = createFileCache<readonly IndexedSymbol[]>((symbols) => {
    count -= symbols.length;
  });
  const ids = new Map<string, number>();
  let count = 0;

  function idsOf(text: string): readonly number[] {
    const found = new Set<number>();
    for (const word of meaningfulWords(text)) {
      if (ids.size < MAX_WORDS && !ids.has(word)) ids.set(word, ids.size);
      const id = ids.get(word);
      if (id !== undefined) found.add(id);
    }
    return [...found];
  }

  return {
    lacks: (path: string, mark: string) => count < MAX_SYMBOLS && find(path, mark) === undefined,
    add(path: string, stamp: Stamp, page: Uint8Array | undefined, readAt: number): void {
      drop(path);
      const text = page === undefined ? "" : new TextDecoder().decode(page.subarray(page.indexOf(10) + 1));
      const symbols = symbolsOf(path, text).map((symbol) => ({ ...symbol, words: idsOf(symbol.text) }));
      put(path, stamp, readAt, symbols);
      count += symbols.length;
    },
    symbolsIn: (path: string): readonly IndexedSymbol[] => latest(path) ?? [],
    words: (): readonly string[] => [...ids.keys()],
    retain,
  };
}

export function meaningfulWords(text: string): ReadonlySet<string> {
  const words = wordsOf(text).filter((word) => word.length > 1 && word.length <= MAX_WORD);
  return new Set(words.filter((word) => !isFiller(word, "en")));
}
