/**
 * Which pieces a story needs: those that its ids and references name, that share its words, then that mean the same.
 * What its requirements say is part of the question. Embedding takes milliseconds a text: whole chapters only.
 */
import {
  dotProduct,
  rarityOf,
  scoreBags,
  type Statistics,
  statisticsOf,
  type Tuning,
} from "../../../base/ranking.ts";
import { isFiller, type Language, languageOf, partsOfCompound, wordsOf } from "../../../base/language/mod.ts";
import { countEach, slug } from "../../../base/values.ts";
import { giveWay } from "../../../base/work.ts";
import { familyOf } from "../formats/mod.ts";
import { LIMITS } from "../../limits.ts";
import { countTerms, idsIn, meantIn, type Piece } from "./pieces.ts";
import { splitLines } from "../../../base/text.ts";
import { linesOf } from "../../../base/markdown.ts";
import { normalizeText } from "../../../content/parse.ts";
import type { StoryMatch } from "../board/mod.ts";

type Reason = "general" | "reference" | "requirement" | "plan" | "words" | "meaning";

export interface Scored {
  readonly piece: Piece;
  readonly score: number;
  readonly fit: number;
  readonly why: Reason;
}

export type Embed = (
  texts: readonly string[],
  languages: readonly Language[],
) => Promise<readonly Float32Array[] | undefined>;

const WEIGHTS = {
  reference: 4,
  below: 2.5,
  definition: 4,
  mention: 1.2,
  plan: 1,
  meaning: 0.6,
  /** The embedder knows it word by word only. */
  foreign: 0.3,
  document: 0.1,
  earlier: 0.2,
} as const;
const MANY_IDS = 8;
const TUNING: Tuning = { saturation: 1.2, lengthWeight: 0.6 };
const EXPANSION = 24;
const EXPANSION_WEIGHT = 0.5;
/** What fits this much worse than the best few is not needed. */
const MIN_FIT = 0.3;
/** A shorter one, in tokens, comes a little sooner: it costs less. */
const [SHORT, SOONEST] = [100, 0.5];
const TOP = 5;
const TELLING = 12;
const MIN_SHARE = 0.5;
const LABEL = 100;
const MAX_LABEL_WORDS = 8;

export async function rankPieces(
  given: readonly Piece[],
  asked: Query,
  isOwn: (piece: Piece) => boolean,
  embed?: Embed,
): Promise<Readonly<Record<"needed" | "rest", readonly Scored[]>>> {
  const { pieces, query } = withCompounds(given, asked);
  await giveWay();
  const index = statisticsOf(pieces);
  const meant = { ...query, ids: meantIn(query.ids, pieces) };
  const exact = pieces.map((piece) => exactScore(piece, meant, isOwn));
  const certain = pieces.filter((_, at) => exact[at]!.score >= WEIGHTS.mention);
  await giveWay();
  const first = lexicalScores(pieces, query.terms, index);
  const seeds = certain.length > 0 ? certain : best(pieces, first, 3);
  await giveWay();
  const words = lexicalScores(pieces, expanded(query.terms, seeds, index), index);
  await giveWay();
  // What is named needs no guessing. The embedder knows English, and German in English words.
  const isAsked = certain.length < 3 && (query.isEnglish || query.language === "de");
  const meanings = await meaningScores(pieces, query, words, index, isAsked ? embed : undefined);
  await giveWay();
  const parents = parentScores(pieces, words);
  // A story that names requirements means no others of that list.
  const families = new Set([...meant.ids].map(familyOf));
  const isOfOthers = ({ defines }: Piece) =>
    defines !== undefined && !meant.ids.has(defines) && families.has(familyOf(defines));
  const ofMeaning = query.isEnglish ? WEIGHTS.meaning : WEIGHTS.foreign;
  const weight = ofMeaning * (2 - first.reduce((a, b) => Math.max(a, b), 0));
  const scored = pieces.map((piece, at): Scored => {
    const word = words[at]! + 0.35 * parents[at]!;
    const meaning = weight * meanings[at]!;
    const { score, why } = exact[at]!;
    // What was learned counts more than what was planned.
    const fit = word + meaning + (piece.role === "story" && word > WEIGHTS.document ? WEIGHTS.earlier : 0);
    return { piece, score: score + fit, fit, why: why ?? (meaning > word ? "meaning" : "words") };
  }).sort((a, b) => b.score - a.score);
  // What ids name has lent its words to the question, and would set too high a measure.
  const named = new Set(certain);
  const top = scored.filter(({ piece }) => !named.has(piece)).map(({ fit }) => fit).sort((a, b) => b - a)
    .slice(0, TOP);
  const least = MIN_FIT * top.reduce((sum, fit) => sum + fit, 0) / Math.max(1, top.length);
  const isNeeded = ({ score, fit, piece }: Scored) =>
    fit > 0 && fit >= least * Math.min(1, Math.max(SOONEST, piece.tokens / SHORT)) && !isOfOthers(piece) ||
    score - fit >= WEIGHTS.mention / 2;
  return { needed: scored.filter(isNeeded), rest: scored.filter((one) => !isNeeded(one)) };
}

/** A part says less than the whole compound. */
const PART_WEIGHT = 0.5;

function withCompounds(pieces: readonly Piece[], query: Query) {
  if (query.language !== "de") return { pieces, query };
  const words = new Set(query.terms.keys());
  for (const { terms } of pieces) for (const term of terms.keys()) words.add(term);
  const parts = new Map<string, readonly string[]>();
  const partsOf = (term: string): readonly string[] => {
    if (parts.size >= LIMITS.context.compounds) return parts.get(term) ?? [];
    return parts.getOrInsertComputed(term, () => partsOfCompound(term, (one) => words.has(one)));
  };
  const whole = (terms: ReadonlyMap<string, number>) => {
    const all = new Map(terms);
    for (const [term, weight] of terms) {
      for (const part of partsOf(term)) all.set(part, (all.get(part) ?? 0) + PART_WEIGHT * weight);
    }
    return all;
  };
  return {
    pieces: pieces.map((piece) => piece.language === "de" ? { ...piece, terms: whole(piece.terms) } : piece),
    query: { ...query, terms: whole(query.terms) },
  };
}

function exactScore(
  piece: Piece,
  { ids, references }: Query,
  isOwn: (piece: Piece) => boolean,
): { readonly score: number; readonly why?: Reason } {
  const mentioned = [...piece.ids].filter((id) => ids.has(id)).length;
  const reference = Math.max(0, ...references.map((one) => referenceScore(piece, one)));
  const defined = piece.defines !== undefined && ids.has(piece.defines) ? WEIGHTS.definition : 0;
  const mention = mentioned === 0 || piece.ids.size > MANY_IDS
    ? 0
    : WEIGHTS.mention * mentioned / piece.ids.size;
  const plan = isOwn(piece) ? WEIGHTS.plan : 0;
  const score = reference + defined + mention + plan;
  if (reference > WEIGHTS.document) return { score, why: "reference" };
  if (defined + mention > 0) return { score, why: "requirement" };
  return plan > 0 ? { score, why: "plan" } : { score };
}

function referenceScore({ path, chain }: Piece, { path: named, anchor }: Reference): number {
  if (path !== named && !path.endsWith(`/${named}`)) return 0;
  if (anchor === undefined) return WEIGHTS.document;
  const at = chain.findLastIndex((heading) => {
    const name = slug(heading);
    return name === anchor || name.replace(/^[\d-]+/, "") === anchor.replace(/^[\d-]+/, "");
  });
  return at < 0 ? WEIGHTS.document : at === chain.length - 1 ? WEIGHTS.reference : WEIGHTS.below;
}

function lexicalScores(
  pieces: readonly Piece[],
  terms: Query["terms"],
  index: Statistics,
): readonly number[] {
  const scores = scoreBags(pieces, terms, TUNING, index);
  // If even the best shares few telling terms, words do not decide.
  const telling = Array.from(terms, ([term, weight]) => weight * rarityOf(term, index))
    .sort((a, b) => b - a).slice(0, TELLING);
  const least = MIN_SHARE * telling.reduce((a, b) => a + b, 0);
  const most = scores.reduce((a, b) => Math.max(a, b), Math.max(least, Number.EPSILON));
  return scores.map((score) => score / most);
}

function expanded(
  terms: ReadonlyMap<string, number>,
  seeds: readonly Piece[],
  index: Statistics,
): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { terms: own, length } of seeds.slice(0, 20)) {
    for (const [term, count] of own) {
      const weight = rarityOf(term, index) * count / Math.max(length, 20);
      weights.set(term, (weights.get(term) ?? 0) + weight);
    }
  }
  const added = [...weights].sort((a, b) => b[1] - a[1]).slice(0, EXPANSION);
  const all = new Map(terms);
  for (const [term] of added) all.set(term, Math.max(all.get(term) ?? 0, EXPANSION_WEIGHT));
  return all;
}

function best(pieces: readonly Piece[], scores: readonly number[], count: number): readonly Piece[] {
  return pieces.map((piece, at) => ({ piece, score: scores[at]! })).filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score).slice(0, count).map(({ piece }) => piece);
}

function parentScores(pieces: readonly Piece[], scores: readonly number[]): readonly number[] {
  const groups = chaptersOf(pieces);
  const values = new Array<number>(pieces.length).fill(0);
  for (const members of groups.values()) {
    const sorted = members.map((at) => scores[at]!).sort((a, b) => b - a).slice(0, 3);
    const mean = sorted.reduce((a, b) => a + b, 0) / 3;
    // They are about different things.
    for (const at of members) values[at] = pieces[at]!.defines === undefined ? mean : 0;
  }
  return values;
}

/** With at most this many pieces, one of several of its kind is about one subject: its title's. */
const SMALL = 15;
const SEVERAL = 3;

function chaptersOf(pieces: readonly Piece[]): ReadonlyMap<string, readonly number[]> {
  const counts = countEach(pieces.map(({ path }) => path));
  const documents = countEach(new Map(pieces.map(({ path, role }) => [path, role])).values());
  return Map.groupBy(pieces.keys(), (at) => {
    const { path, chain, role } = pieces[at]!;
    const isWhole = counts.get(path)! <= SMALL && documents.get(role)! >= SEVERAL;
    return isWhole ? path : `${path}\n${chain.slice(0, Math.max(2, chain.length - 1)).join("\n")}`;
  });
}

async function meaningScores(
  pieces: readonly Piece[],
  { summary, language }: Query,
  words: readonly number[],
  index: Statistics,
  embed: Embed | undefined,
): Promise<readonly number[]> {
  const values = new Array<number>(pieces.length).fill(0);
  if (embed === undefined || pieces.length === 0) return values;
  const chapters = [...chaptersOf(pieces).values()]
    .map((members) => ({ members, word: Math.max(...members.map((at) => words[at]!)) }))
    .sort((a, b) => b.word - a.word).slice(0, LIMITS.context.embeddedChapters).map(({ members }) => members);
  const labels = chapters.map((members) => labelOf(members.map((at) => pieces[at]!), index));
  const languages = chapters.map(([first]) => pieces[first!]!.language);
  const [asked, ...vectors] = await embed([summary, ...labels], [language, ...languages]) ?? [];
  if (asked === undefined) return values;
  const cosines = vectors.map((vector) => dotProduct(asked, vector));
  const sorted = cosines.toSorted((a, b) => b - a);
  // Most chapters have nothing to do with a story: what a quarter of them reach says nothing.
  const [high, low] = [sorted[0] ?? 0, sorted[Math.floor(sorted.length / 4)] ?? 0];
  for (const [at, members] of chapters.entries()) {
    const value = high > low ? Math.max(0, cosines[at]! - low) / (high - low) : 0;
    for (const member of members) values[member] = value;
  }
  return values;
}

function labelOf(members: readonly Piece[], index: Statistics): string {
  const counts = new Map<string, number>();
  for (const { terms } of members) {
    for (const [term, count] of terms) counts.set(term, (counts.get(term) ?? 0) + count);
  }
  const telling = new Map(
    [...counts].map(([term, count]) => [term, Math.sqrt(count) * rarityOf(term, index)] as const)
      .sort((a, b) => b[1] - a[1]).slice(0, MAX_LABEL_WORDS),
  );
  const spelled = new Map<string, string>();
  for (const { text, language } of members) {
    for (const [word] of text.slice(0, 4_000).matchAll(/\p{L}{3,}/gu)) {
      const [stem] = countTerms(word, language).keys();
      if (stem !== undefined && telling.has(stem)) spelled.getOrInsert(stem, word.toLowerCase());
    }
    if (spelled.size === telling.size) break;
  }
  const [first, last] = [members[0]!, members.at(-1)!];
  const shared = first.chain.filter((heading, at) => last.chain[at] === heading);
  const headings = shared.length > 1 ? shared.slice(1, Math.max(2, first.chain.length - 1)) : shared;
  const words = [...telling.keys()].flatMap((term) => spelled.get(term) ?? []);
  return `${headings.join(", ")}: ${words.join(" ")}`.slice(0, LABEL);
}

interface Reference {
  readonly path: string;
  /** A slug; undefined for the whole document. */
  readonly anchor?: string;
}

interface Query {
  readonly ids: ReadonlySet<string>;
  readonly references: readonly Reference[];
  readonly terms: ReadonlyMap<string, number>;
  readonly summary: string;
  /** The embedder knows English only. */
  readonly isEnglish: boolean;
  readonly language: Language;
}

const REFERENCE = /([\w./-]{1,200}\.md)(?:#([^\]\)\n,;"`|]{1,120}))?/g;
/** Below, a story file records what was done. */
const RECORD =
  /^#{1,6}\s+(?:dev agent record|change log|qa results|senior developer|review|file list|debug log)/i;

export function queryOf({ story, epic }: StoryMatch, text: string): Query {
  const lines = linesOf(normalizeText(text.slice(0, LIMITS.context.storyText)));
  const end = lines.findIndex(({ text, isCode }) => !isCode && RECORD.test(text));
  const body = (end < 0 ? lines : lines.slice(0, end)).map((line) => line.text).join("\n");
  const language = languageOf([story.title, ...story.criteria, body].join("\n"));
  const terms = countTerms(story.title, language, 3);
  for (const criterion of story.criteria) countTerms(criterion, language, 2, terms);
  countTerms(body.replaceAll(REFERENCE, " "), language, 1, terms);
  countTerms(epic.title, language, 0.5, terms);
  // A word's tenth occurrence adds little.
  const weights = new Map(Array.from(terms, ([term, count]) => [term, Math.min(3, Math.sqrt(count))]));
  const lead = splitLines(body).map((line) => line.trim())
    .filter((line) => line.length > 20 && !/^(?:#|status\s*:|\||---)/i.test(line))
    .map((line) => line.replace(/^as an? [^,]{1,60}, i want(?: to)? /i, "")).join(" ");
  const summary = `${story.title}. ${lead || story.criteria.join(" ")}`.slice(0, LIMITS.context.summary);
  return {
    ids: new Set([...story.covers, ...idsIn(splitLines(body), [])]),
    references: referencesIn(body),
    terms: weights,
    summary,
    isEnglish: isEnglish(summary),
    language,
  };
}

/** About a third of English words are fillers, few words of other languages. */
function isEnglish(text: string): boolean {
  const words = wordsOf(text);
  return words.filter((word) => isFiller(word, "en")).length >= 0.15 * words.length;
}

function referencesIn(text: string): readonly Reference[] {
  return text.matchAll(REFERENCE).take(LIMITS.context.references).map(([, path, anchor]) => ({
    path: path!.replace(/^(?:\.{0,2}\/)+/, ""),
    ...(anchor && { anchor: slug(anchor.replaceAll("%20", " ")) }),
  })).toArray();
}
