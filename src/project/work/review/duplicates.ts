/**
 * Whether a finding repeats one in other words, on other lines, or in a renamed file. Reviewers name the same things
 * near the same line, so words and lines in common count; a copied sentence with another word is about something else.
 * The weights were fitted to findings of independent reviewers, which tests hold.
 */
import { germanStem, isFiller, languageOf, spellOut, stemOf, wordsOf } from "../../../base/language/mod.ts";
import { runInSlices } from "../../../base/work.ts";
import { pathIn, type Severity } from "../formats/mod.ts";

interface Said {
  readonly text: string;
  /** As written: `src/a.ts:41`. */
  readonly file?: string;
  readonly severity?: Severity;
}

interface SameTools {
  hasFile(path: string): boolean;
  /** Only certain matches: a finding taken for a repetition is lost. */
  readonly isStrict?: boolean;
  readonly signal?: AbortSignal;
}

const MAX_TEXT = 2_000;
const MAX_KNOWN = 2_000;
const MAX_TOKENS = 150;

const POINTS = {
  /** For common words' share of both texts and of the shorter one. */
  shared: 4.4,
  contained: 5.4,
  /** Less with distance; half if a line is unknown. */
  near: 2.4,
  word: 0.675,
} as const;
const MAX_WORDS = 8;
/** At this distance, the line counts half. */
const NEAR_LINES = 5;
/** Points for the same finding, or a similar one on the same line; on others, both need as many. */
const SAME = 7.9;
const ALIKE = 5.5;
/** A run of words this long, relative to the shorter text, is a copy. */
const COPIED = 0.4;
const CERTAIN_WORDS = 6;

export async function findSame<T extends Said>(said: Said, known: readonly T[], tools: SameTools) {
  return await runInSlices(compareAll(said, known.slice(-MAX_KNOWN), tools));
}

function* compareAll<T extends Said>(
  said: Said,
  known: readonly T[],
  { hasFile, isStrict = false, signal }: SameTools,
) {
  const asked = readWords(said.text);
  let [same, alike, beside]: (readonly [points: number, one: T])[] = [];
  for (const one of known) {
    yield;
    signal?.throwIfAborted();
    if (isElsewhere(said, one, hasFile)) continue;
    const other = readWords(one.text);
    const near = nearness(said, one);
    const points = pointsOf(asked, other) + POINTS.near * near;
    const isRepeated = isSameSentence(asked, other) ||
      points >= SAME && !isVaried(asked, other, isStrict) && !(isStrict && isThin(asked, other));
    if (isRepeated && points > (same?.[0] ?? 0)) same = [points, one];
    else if (points >= (near === 1 ? ALIKE : SAME) && points > (alike?.[0] ?? 0)) alike = [points, one];
    else if (near === 1 && one.severity === said.severity && points > (beside?.[0] ?? 0)) {
      beside = [points, one];
    }
  }
  // An alike one is the same in 19 of 20 cases, as tests hold; of one beside, whoever asks decides.
  return { same: same?.[1], alike: alike?.[1], beside: beside?.[1] };
}

function isElsewhere(one: Said, other: Said, hasFile: SameTools["hasFile"]): boolean {
  const [a, b] = [pathIn(one.file), pathIn(other.file)];
  if (a === undefined || b === undefined || a === b) return false;
  return !a.endsWith(`/${b}`) && !b.endsWith(`/${a}`) && hasFile(a) && hasFile(b);
}

function nearness(one: Said, other: Said): number {
  const [a, b] = [lineOf(one), lineOf(other)];
  if (a === undefined || b === undefined || pathIn(one.file) !== pathIn(other.file)) return 0.5;
  return 1 / (1 + Math.abs(a - b) / NEAR_LINES);
}

function lineOf({ file = "" }: Said): number | undefined {
  const [, line] = /:(\d{1,7})[\d:,–-]{0,30}$/.exec(file) ?? [];
  return line === undefined ? undefined : Number(line);
}

type Words = ReturnType<typeof readWords>;

function readWords(text: string) {
  const clean = text.slice(0, MAX_TEXT).normalize("NFC").replaceAll("_", " ");
  const language = languageOf(clean);
  const stemsOf = (word: string): readonly string[] => {
    if (/^[a-z0-9]/.test(word)) return [language === "de" ? germanStem(word) : stemOf(word, language)];
    // Without spaces between words, pairs of characters stand for them.
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

/** If both add to a shared sentence, the case is another. A text that only adds to a copy may explain or deny it. */
function isVaried(a: Words, b: Words, isStrict: boolean): boolean {
  if (!isStrict && (a.stems.isSubsetOf(b.stems) || b.stems.isSubsetOf(a.stems))) return false;
  return longestRun(a.tokens, b.tokens) >= COPIED * Math.min(a.tokens.length, b.tokens.length);
}

function isThin(a: Words, b: Words): boolean {
  return a.stems.intersection(b.stems).size < CERTAIN_WORDS;
}

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
