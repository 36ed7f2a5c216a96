/**
 * Declarations are found by the forms that most languages share, with the comment beside each. Embedding takes ten
 * milliseconds a text: vectors of single words choose which are embedded.
 */
import { dotProduct } from "../../base/ranking.ts";
import { type Clock, giveWay, type Work } from "../../base/work.ts";
import { isFiller, wordsOf } from "../../base/language/mod.ts";
import type { Stamp } from "../../content/tree/mod.ts";
import { createFileCache } from "./term_cache.ts";

/** Vectors of length 1; undefined where there is no embedder, or it fails. */
export interface Meaning {
  english(question: string): string;
  embed(texts: readonly string[], work: Work): Promise<readonly Float32Array[] | undefined>;
  embedWords(words: readonly string[], work: Work): Promise<readonly Float32Array[] | undefined>;
}

export interface Meant {
  readonly line: number;
  readonly closeness: number;
  /** The cosine and, for half of it, how well single words fit: what symbols are ordered by. From 0 to 1.5. */
  readonly fit: number;
}

const MOST_EMBEDDED = 64, PER_FILE = 2, EMBEDDING_MS = 3_000;
const BATCH = 16;
const LEAST_ALIKE = 0.15;

export type MeaningFinder = ReturnType<typeof createMeaningFinder>;

export function createMeaningFinder(symbols: SymbolCache, meaning: Meaning, { now }: Pick<Clock, "now">) {
  const rows: Float32Array[] = [];

  async function learnWords(work: Work): Promise<boolean> {
    const missing = symbols.words().slice(rows.length);
    if (missing.length === 0) return true;
    const added = await meaning.embedWords(missing, work);
    rows.push(...added ?? []);
    return added !== undefined;
  }

  return async (question: string, paths: Iterable<string>, work: Work) => {
    const english = meaning.english(question), meant = new Map<string, Meant>();
    const nothing = { meant, pinpoint: () => Promise.resolve(new Map<string, number>()) };
    const words = [...meaningfulWords(english)];
    if (words.length === 0 || !await learnWords(work)) return nothing;
    const asked = await meaning.embedWords(words, work);
    if (asked === undefined) return nothing;
    const candidates = await candidatesOf(
      [...paths].map((path) => [path, symbols.symbolsIn(path)]),
      asked,
      rows,
    );
    const [vector] = await meaning.embed([english], work) ?? [];
    if (vector === undefined) return nothing;
    const since = now();
    const compare = async (
      all: readonly Candidate[],
      tell: (candidate: Candidate, cosine: number) => void,
    ) => {
      for (let at = 0; at < all.length && now() - since < EMBEDDING_MS; at += BATCH) {
        const batch = all.slice(at, at + BATCH);
        const vectors = await meaning.embed(batch.map(({ symbol }) => symbol.text), work) ?? [];
        for (const [place, other] of vectors.entries()) tell(batch[place]!, dotProduct(vector, other));
      }
    };
    await compare(candidates, ({ path, symbol: { line }, score }, closeness) => {
      const fit = closeness + WORDS_SHARE * score;
      if (fit > (meant.get(path)?.fit ?? 0)) meant.set(path, { line, closeness, fit });
    });
    return {
      meant,
      async pinpoint(paths: readonly string[]) {
        const covers = ({ words }: IndexedSymbol) => coverage(words, asked, rows);
        const likeliest = paths.flatMap((path) =>
          symbols.symbolsIn(path).map((symbol) => ({ path, symbol, score: covers(symbol) }))
            .sort((a, b) => b.score - a.score).slice(0, PER_SHOWN_FILE)
        );
        const best = new Map<string, { readonly line: number; readonly score: number }>();
        await compare(likeliest, ({ path, symbol: { line }, score: covered }, cosine) => {
          const score = cosine + COVERAGE_SHARE * covered;
          if (score > (best.get(path)?.score ?? 0)) best.set(path, { line, score });
        });
        return new Map(best.entries().map(([path, { line }]) => [path, line]));
      },
    };
  };
}

const WORDS_SHARE = 0.5;
const PER_SHOWN_FILE = 6;
/** So alike are words that mean the same: more does not count, or one word that is the same would outweigh all others. */
const ALIKE_ENOUGH = 0.4;
const COVERAGE_SHARE = 0.5;

function coverage(words: readonly number[], asked: readonly Float32Array[], rows: readonly Float32Array[]) {
  let covered = 0, total = 0;
  for (const row of asked) {
    const alike = words.map((word) =>
      rows[word] === undefined ? 0 : dotProduct(row, rows[word], row.length - 1)
    );
    const weight = row.at(-1)!;
    covered += weight * Math.min(Math.max(0, ...alike), ALIKE_ENOUGH);
    total += weight * ALIKE_ENOUGH;
  }
  return total === 0 ? 0 : covered / total;
}

interface Candidate {
  readonly path: string;
  readonly symbol: IndexedSymbol;
  readonly score: number;
}

async function candidatesOf(
  files: readonly (readonly [path: string, symbols: readonly IndexedSymbol[]])[],
  asked: readonly Float32Array[],
  rows: readonly Float32Array[],
): Promise<readonly Candidate[]> {
  const having = new Uint32Array(rows.length);
  let total = 0;
  for (const [, symbols] of files) {
    await giveWay();
    total += symbols.length;
    for (const { words } of symbols) for (const word of words) having[word]!++;
  }
  const counts = asked.map(() => new Float64Array(rows.length));
  // Another search may learn words meanwhile.
  for (const [word, other] of rows.slice().entries()) {
    if ((having[word] ?? 0) === 0) continue;
    await giveWay();
    for (const [at, row] of asked.entries()) {
      const alike = dotProduct(row, other, row.length - 1);
      if (alike < LEAST_ALIKE) continue;
      counts[at]![word] = row.at(-1)! * Math.min(alike, ALIKE_ENOUGH) * Math.log(1 + total / having[word]!);
    }
  }
  const most = asked.reduce((sum, row) => sum + row.at(-1)!, 0) * ALIKE_ENOUGH * Math.log(1 + total);
  const scoreOf = ({ words }: IndexedSymbol) => {
    let sum = 0;
    for (const count of counts) sum += words.reduce((best, word) => Math.max(best, count[word] ?? 0), 0);
    return sum / most;
  };
  const order = (some: readonly Candidate[]) => some.toSorted((a, b) => b.score - a.score);
  const candidates: Candidate[] = [];
  for (const [path, symbols] of files) {
    await giveWay();
    let best: readonly Candidate[] = [];
    for (const symbol of symbols) {
      const score = scoreOf(symbol);
      // Of tens of thousands, few are kept at any time.
      if (score <= (best[PER_FILE - 1]?.score ?? 0)) continue;
      best = order([...best, { path, symbol, score }]).slice(0, PER_FILE);
    }
    candidates.push(...best);
  }
  return order(candidates).slice(0, MOST_EMBEDDED);
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

export function symbolsOf(path: string, text: string): readonly Omit<IndexedSymbol, "words">[] {
  if (PROSE.test(path)) return [];
  const lines = text.split("\n"), place = placeOf(path);
  const found: Omit<IndexedSymbol, "words">[] = [];
  let line = 0, offset = 0;
  for (const match of text.matchAll(SYMBOL)) {
    const name = match.slice(1).find(Boolean)!;
    while (offset + lines[line]!.length < match.index) offset += lines[line++]!.length + 1;
    if (NOT_NAMES.has(name.toLowerCase()) || name.length < 2 || lines[line]!.length > MAX_LINE) continue;
    const words = [place, spellOut(name.slice(0, MAX_NAME)), commentAt(lines, line)];
    found.push({ line: line + 1, text: words.filter((some) => some !== "").join(" ") });
    if (found.length === MAX_IN_FILE) break;
  }
  return found;
}

function placeOf(path: string): string {
  const parts = path.replace(/\.\w+$/, "").split("/").slice(-2);
  return spellOut(parts.filter((part) => !/^(?:src|lib|index|main|mod|__init__)$/.test(part)).join(" "));
}

export function spellOut(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]+/gu, " ").replaceAll(/(?<=\p{Ll}|\p{N})(?=\p{Lu})/gu, " ")
    .replaceAll(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ").trim().toLowerCase();
}

function commentAt(lines: readonly string[], line: number): string {
  const isBeside = (text: string) => COMMENT.test(text.slice(0, MAX_LINE)) || /^\s*@/.test(text);
  let first = line;
  while (first > 0 && line - first < MAX_COMMENT_LINES && isBeside(lines[first - 1]!)) first--;
  const above = lines.slice(first, line).map((text) => COMMENT.exec(text.slice(0, MAX_LINE))?.[1] ?? "");
  const [, begun] = DOC_STRING.exec((lines[line + 1] ?? "").slice(0, MAX_LINE)) ?? [];
  const below = begun === "" ? lines[line + 2] ?? "" : begun ?? "";
  return [...above, below].join(" ").slice(0, 4 * MAX_COMMENT).replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim()
    .slice(0, MAX_COMMENT).toWellFormed();
}

interface IndexedSymbol {
  readonly line: number;
  readonly text: string;
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

function meaningfulWords(text: string): ReadonlySet<string> {
  const words = wordsOf(text).filter((word) => word.length > 1 && word.length <= MAX_WORD);
  return new Set(words.filter((word) => !isFiller(word, "en")));
}
