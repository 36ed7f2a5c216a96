/**
 * Whether a finding repeats one that is known: told in other words, on other lines, or in a file that was renamed.
 *
 * Two reviewers who find the same defect name the same things near the same line, in sentences of their own. So words and
 * lines in common count, and a sentence that is copied but for a word is about something else. The weights were fitted to
 * findings of independent reviewers; tests hold what they are good for.
 */
import { germanStem, isFiller, languageOf, spellOut, stemOf, wordsOf } from "../../../base/language/mod.ts";
import { inTurns, type Steps } from "../../../base/work.ts";
import { pathIn } from "../formats/mod.ts";

/** A finding as somebody wrote it. */
export interface Said {
  readonly text: string;
  /** As written: `src/a.ts:41`. */
  readonly file?: string;
}

/** What a comparison needs to know. */
export interface SameTools {
  /** Whether the project has a file now. */
  hasFile(path: string): boolean;
  /** Whether only what is certain counts, because much is lost with a finding that is not looked at. */
  readonly isStrict?: boolean;
  readonly signal?: AbortSignal;
}

/** The known finding that another repeats, and the one that it may repeat. */
export interface Repeated<T> {
  readonly same?: T;
  readonly alike?: T;
}

const MAX_TEXT = 2_000;
/** The newest are compared. */
const MAX_KNOWN = 2_000;
const MAX_TOKENS = 150;

/** How much each sign of repetition counts. */
const POINTS = {
  /** For the share of words that both have, of all and of the shorter text. */
  shared: 4.4,
  contained: 5.4,
  /** For the same line; less for one that is further away, and half if a line is not known. */
  near: 2.4,
  /** For each word that both have. */
  word: 0.675,
} as const;
const MAX_WORDS = 8;
/** At this distance, the lines count half. */
const NEAR_LINES = 5;
/** So many points are enough to be the same, and to be told as alike. */
const SAME = 7.9;
const ALIKE = 5;
/** A run of words of this length, measured by the shorter text, is a copy. */
const COPIED = 0.4;
/** So many words must two texts have in common that are taken for the same where only what is certain counts. */
const CERTAIN_WORDS = 6;

/** Compares a finding with those that are known. */
export async function findSame<T extends Said>(
  said: Said,
  known: readonly T[],
  tools: SameTools,
): Promise<Repeated<T>> {
  return await inTurns(compareAll(said, known.slice(-MAX_KNOWN), tools));
}

function* compareAll<T extends Said>(
  said: Said,
  known: readonly T[],
  { hasFile, isStrict = false, signal }: SameTools,
): Steps<Repeated<T>> {
  const asked = readWords(said.text);
  let [same, alike]: (readonly [points: number, one: T])[] = [];
  for (const one of known) {
    yield;
    signal?.throwIfAborted();
    if (isElsewhere(said, one, hasFile)) continue;
    const other = readWords(one.text);
    const points = pointsOf(asked, other) + POINTS.near * nearness(said, one);
    const isRepeated = isSameSentence(asked, other) ||
      points >= SAME && !isVaried(asked, other, isStrict) && !(isStrict && isThin(asked, other));
    if (isRepeated && points > (same?.[0] ?? 0)) same = [points, one];
    else if (points >= ALIKE && points > (alike?.[0] ?? 0)) alike = [points, one];
  }
  return { same: same?.[1], alike: alike?.[1] };
}

/** Whether two findings are in two files that both exist. */
function isElsewhere(one: Said, other: Said, hasFile: SameTools["hasFile"]): boolean {
  const [a, b] = [pathIn(one.file), pathIn(other.file)];
  if (a === undefined || b === undefined || a === b) return false;
  return !a.endsWith(`/${b}`) && !b.endsWith(`/${a}`) && hasFile(a) && hasFile(b);
}

/** 1 for the same line of the same file. */
function nearness(one: Said, other: Said): number {
  const [a, b] = [lineOf(one), lineOf(other)];
  if (a === undefined || b === undefined || pathIn(one.file) !== pathIn(other.file)) return 0.5;
  return 1 / (1 + Math.abs(a - b) / NEAR_LINES);
}

function lineOf({ file = "" }: Said): number | undefined {
  const [, line] = /:(\d{1,7})[\d:,–-]{0,30}$/.exec(file) ?? [];
  return line === undefined ? undefined : Number(line);
}

/** The words of a finding. */
interface Words {
  /** All, in their order. */
  readonly tokens: readonly string[];
  /** The stems of those that mean something. */
  readonly stems: ReadonlySet<string>;
}

function readWords(text: string): Words {
  const clean = text.slice(0, MAX_TEXT).normalize("NFC").replaceAll("_", " ");
  const language = languageOf(clean);
  const stemsOf = (word: string): readonly string[] => {
    if (/^[a-z0-9]/.test(word)) return [language === "de" ? germanStem(word) : stemOf(word, language)];
    // Where no space separates words, pairs of signs stand for them.
    return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
  };
  const meaning = wordsOf(spellOut(clean)).filter((word) => word.length > 1 && !isFiller(word, language));
  return {
    tokens: wordsOf(clean).flatMap(stemsOf).slice(0, MAX_TOKENS),
    stems: new Set(meaning.flatMap(stemsOf)),
  };
}

function pointsOf({ stems: a }: Words, { stems: b }: Words): number {
  const common = a.intersection(b).size;
  if (common === 0) return 0;
  return POINTS.shared * 2 * common / (a.size + b.size) +
    POINTS.contained * common / Math.min(a.size, b.size) +
    POINTS.word * Math.min(MAX_WORDS, common);
}

function isSameSentence(a: Words, b: Words): boolean {
  return a.tokens.length > 0 && a.tokens.join(" ") === b.tokens.join(" ");
}

/**
 * Whether each says something that the other does not, in what is otherwise a copy: another thing, or another case. Who
 * only adds to a copy may explain it, or deny it.
 */
function isVaried(a: Words, b: Words, isStrict: boolean): boolean {
  if (!isStrict && (a.stems.isSubsetOf(b.stems) || b.stems.isSubsetOf(a.stems))) return false;
  return longestRun(a.tokens, b.tokens) >= COPIED * Math.min(a.tokens.length, b.tokens.length);
}

/** Whether two texts have too little in common to be sure. */
function isThin(a: Words, b: Words): boolean {
  return a.stems.intersection(b.stems).size < CERTAIN_WORDS;
}

/** The length of the longest run of words that both have. */
function longestRun(a: readonly string[], b: readonly string[]): number {
  let longest = 0;
  let before = new Uint16Array(b.length + 1);
  for (const word of a) {
    const now = new Uint16Array(b.length + 1);
    for (const [at, other] of b.entries()) {
      if (word !== other) continue;
      now[at + 1] = before[at]! + 1;
      longest = Math.max(longest, now[at + 1]!);
    }
    before = now;
  }
  return longest;
}
