/** Sections of documents, parts of long ones, and single requirements of a list. */
import {
  germanStem,
  isFiller,
  type Language,
  languageOf,
  spellOut,
  stemOf,
  wordsOf,
} from "../../../base/language/mod.ts";
import { oneLine, shorten, splitLines } from "../../../base/text.ts";
import type { Interruptible } from "../../../base/work.ts";
import { linesOf } from "../../../base/markdown.ts";
import { normalizeText } from "../../../content/parse.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Document,
  familyOf,
  findDefinition,
  findIds,
  frontMatterEnd,
  isKnownId,
} from "../formats/mod.ts";
import { tokensIn } from "../../../base/tokens.ts";

export interface Piece extends Document {
  readonly chain: readonly string[];
  /** From 1; the first is the heading, except in a section's later parts. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly tokens: number;
  readonly terms: ReadonlyMap<string, number>;
  readonly length: number;
  readonly ids: ReadonlySet<string>;
  readonly defines?: string;
  readonly language: Language;
}

const HEADING = /^(#{1,6})\s+(\S.*)$/;
const HEADING_WEIGHT = 3;

export function idsIn(lines: readonly string[], chain: readonly string[]): ReadonlySet<string> {
  const place = placeBelow(chain);
  const ids = new Set<string>();
  let named = 0;
  for (const line of lines) {
    if (named >= LIMITS.context.ids) break;
    const found = findIds(line, place);
    named += found.length;
    for (const id of found) ids.add(id);
  }
  return ids;
}

function placeBelow(chain: readonly string[]) {
  return { heading: chain.join("\n"), isWide: true };
}

export function meantIn(ids: ReadonlySet<string>, pieces: readonly Piece[]): ReadonlySet<string> {
  const defined = Map.groupBy(new Set(pieces.flatMap(({ defines }) => defines ?? [])), familyOf);
  const isMeant = (id: string) => isKnownId(id) || (defined.get(familyOf(id))?.length ?? 0) >= MIN_FAMILY;
  return new Set([...ids].filter(isMeant));
}

/** A single line that starts like an id may start with the name of a standard. */
const MIN_FAMILY = 2;

export function countTerms(
  text: string,
  language: Language,
  weight = 1,
  terms = new Map<string, number>(),
): Map<string, number> {
  for (const word of wordsOf(spellOut(text))) {
    if (word.length < 2 || isFiller(word, language)) continue;
    const stem = language === "de" ? germanStem(word) : stemOf(word, language);
    terms.set(stem, (terms.get(stem) ?? 0) + weight);
  }
  return terms;
}

export function* piecesOf(document: Document, text: string, most: number): Interruptible<readonly Piece[]> {
  const clean = normalizeText(text);
  const raw = splitLines(clean);
  // A heading alone would not tell.
  const language = languageOf(clean);
  const pieces: Piece[] = [];
  let headings: { readonly level: number; readonly text: string }[] = [];
  let start = frontMatterEnd(clean);
  let first: string | undefined;
  function* close(end: number): Interruptible<void> {
    const lines = raw.slice(start, end);
    const body = first === undefined ? lines : lines.slice(1);
    if (body.every((line) => line.trim() === "") || pieces.length >= most) return;
    const chain = headings.map((one) => one.text.slice(0, 200));
    const section = { lines, start, defined: yield* definitionsIn(lines, chain) };
    for (const part of yield* partsOf(section, first === undefined ? 0 : 1)) {
      if (pieces.length < most) pieces.push(pieceOf({ ...document, chain, language }, section, part));
      yield;
    }
  }
  for (const { text: line, number, isCode } of linesOf(clean)) {
    const [, signs, heading] = isCode || !line.startsWith("#") ? [] : HEADING.exec(line) ?? [];
    if (signs === undefined) continue;
    yield* close(number - 1);
    const level = signs.length;
    headings = [...headings.filter((one) => one.level < level), { level, text: heading! }];
    first = heading;
    start = number - 1;
  }
  yield* close(raw.length);
  return pieces;
}

interface Section {
  readonly lines: readonly string[];
  readonly start: number;
  readonly defined: ReadonlyMap<number, string>;
}

const LINES_A_STEP = 200;

function* definitionsIn(
  lines: readonly string[],
  chain: readonly string[],
): Interruptible<Section["defined"]> {
  const place = placeBelow(chain);
  const defined = new Map<number, string>();
  for (const [at, line] of lines.entries()) {
    const id = findDefinition(line, place);
    if (id !== undefined) defined.set(at, id);
    if (at % LINES_A_STEP === LINES_A_STEP - 1) yield;
  }
  return defined;
}

/** A list of requirements at each of them, a long section at blank lines. */
function* partsOf(
  { lines, defined }: Section,
  firstOfBody: number,
): Interruptible<readonly (readonly [from: number, to: number])[]> {
  const listed = [...defined.keys()].filter((at) => at >= firstOfBody);
  if (listed.length >= 3) {
    const starts = [0, ...listed];
    return starts.map((at, index) => [at, starts[index + 1] ?? lines.length] as const)
      .filter(([at, to]) => lines.slice(at, to).some((line) => line.trim() !== "" && !HEADING.test(line)));
  }
  const parts: (readonly [number, number])[] = [];
  let [begin, size] = [0, 0];
  for (const [at, line] of lines.entries()) {
    if (at % LINES_A_STEP === LINES_A_STEP - 1) yield;
    const most = LIMITS.context.pieceTokens;
    size += tokensIn(line.slice(0, LIMITS.context.lineLength));
    const isBreak = line.trim() === "" || size > 2 * most;
    if (size < most || !isBreak || at + 1 >= lines.length) continue;
    parts.push([begin, at + 1]);
    [begin, size] = [at + 1, 0];
  }
  return [...parts, [begin, lines.length]];
}

function pieceOf(
  place: Pick<Piece, keyof Document | "chain" | "language">,
  { lines, start, defined }: Section,
  [from, to]: readonly [number, number],
): Piece {
  let end = to;
  while (end > from + 1 && lines[end - 1]!.trim() === "") end--;
  const own = lines.slice(from, end).map((line) => line.slice(0, LIMITS.context.lineLength));
  const text = own.join("\n").trim();
  const isStart = from === 0;
  const { chain, language } = place;
  const terms = countTerms(text, language);
  countTerms(chain.at(-1) ?? "", language, isStart ? HEADING_WEIGHT - 1 : HEADING_WEIGHT, terms);
  for (const heading of chain.slice(1, -1)) countTerms(heading, language, 1, terms);
  const defines = own.keys().map((at) => defined.get(from + at)).find((id) => id !== undefined);
  return {
    ...place,
    from: start + from + 1,
    to: start + end,
    text,
    tokens: tokensIn(text),
    terms,
    length: terms.values().reduce((sum, count) => sum + count, 0),
    ids: idsIn(own, chain),
    ...(defines !== undefined && { defines }),
  };
}

/** Rules for every story; `findDefinition` knows headings of constraints. */
const GENERAL =
  /\bnfrs?\b|non[- ]?functional|nicht-?funktional|non[- ]fonctionnel|no[- ]funcional|não[- ]funciona|non funzional|\bquality (?:attribute|goal|requirement)|qualitäts(?:anforderung|merkmal|ziel)|非機能|非功能|비기능/iu;
/** A whole document with that title is ranked by its contents. */
const CONVENTIONS = /^[\d. ]*(?:(?:cod(?:e|ing)|naming) )?(?:conventions?|standards|konventionen)$/i;
const GENERAL_ROLES: ReadonlySet<Document["role"]> = new Set(["PRD", "GDD", "spec", "architecture"]);
const GENERAL_IDS = ["NFR", "CON"];

export function isGeneral({ role, chain, defines }: Piece): boolean {
  if (!GENERAL_ROLES.has(role)) return false;
  if (defines !== undefined && isKnownId(defines)) return GENERAL_IDS.includes(familyOf(defines));
  // Below such a heading, a mere `C1` is a constraint.
  const isConstraint = (heading: string) => findDefinition("C1:", { heading }) !== undefined;
  return chain.some((heading) => GENERAL.test(heading) || isConstraint(heading)) ||
    chain.slice(1).some((heading) => CONVENTIONS.test(heading));
}

export function linesOfPieces(pieces: readonly Pick<Piece, "from" | "to">[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const { from, to } of pieces.toSorted((a, b) => a.from - b.from)) {
    const last = ranges.at(-1);
    // One blank line may lie between two pieces.
    if (last !== undefined && from <= last.to + 2) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges.map(({ from, to }) => from === to ? `L${from}` : `L${from}-L${to}`).join(", ");
}

export function headingsOf(chain: readonly string[]): string {
  return chain.map((heading) => shorten(heading, 80)).join(" > ");
}

export function costOfPiece(piece: Piece, isFirst: boolean): number {
  const lead = `### ${linesOfPieces([piece])}: ${headingsOf(piece.chain)}\n`;
  return piece.tokens + tokensIn(lead) + (isFirst ? tokensIn(`## ${oneLine(piece.path)}\n`) : 0);
}
