import type { Memory } from "../../../../base/model.ts";
import type { Language } from "../../../../base/language/mod.ts";
import { joinLines, type Report, textLines } from "../../../../base/report.ts";
import { counted } from "../../../../base/text.ts";
import { type Asked, isRelevant, relevanceOf } from "../recall/ranking.ts";
import { HEAD } from "./checks.ts";
import { toRecord } from "./texts.ts";
import type { Hit, NoteHit, Question, Recalled, Remembered, StoreStatus } from "./store.ts";

const MAX_SHOWN = 2_000;
const DEFAULT_LIST = 50;

const countOf = (count: number) => counted(count, "memory");

type Clean = (text: string) => string;

const LANGUAGES = new Intl.DisplayNames(["en"], { type: "language" });

const VERBS = { new: "Remembered", changed: "Updated", same: "Already known" } as const;

export function reportRemembered(
  memory: Memory,
  location: string | undefined,
  { outcomes, isSemantic, problem }: Remembered,
  unknown: Language | undefined,
): Report {
  const outcome = outcomes[0]!;
  const text = joinLines(
    `${VERBS[outcome]} [${memory.type}] @${memory.agent}: ${memory.id}`,
    location !== undefined && `Stored in ${location}`,
    outcome === "changed" &&
      `It replaces a memory of ${memory.agent} with the same first ${HEAD} characters.`,
    !isSemantic && `It is found by keywords only${problem === undefined ? "" : `: ${problem}`}.`,
    isSemantic && unknown !== undefined &&
      `It is found by its words only: the embedder does not know ${LANGUAGES.of(unknown)}.`,
  );
  const semantic = isSemantic && unknown === undefined;
  return { text, data: { ...toRecord(memory), place: location, outcome, semantic, problem } };
}

interface RecallContext {
  readonly clean: Clean;
  readonly ranking: string;
  readonly asked: Asked;
  readonly hasFloor: boolean;
}

const MAX_NEAREST = 3;

export function reportRecalled(
  { query, type, agent, limit }: Question,
  { hits, isSemantic, problem }: Recalled,
  noted: readonly NoteHit[],
  { clean, ranking, asked, hasFloor }: RecallContext,
): Report {
  const where = `${type ? ` [${type}]` : ""}${agent ? ` @${agent}` : ""}`;
  const note = isSemantic ? "" : `; by ${problem === undefined ? ranking : `keywords only: ${problem}`}`;
  const scored = <T extends Hit | NoteHit>(hit: T): T => ({
    ...hit,
    score: relevanceOf(hit, asked),
    // In a language that the embedder does not know, it says nothing; other embedders may know it.
    semantic: asked.isUnderstood || !hasFloor ? hit.semantic : undefined,
  });
  const memories = hits.map(scored).map((hit) => {
    const memory = cleaned(hit.memory, clean);
    return shownHit(hit, memory, { ...toRecord(memory), source: MEMORY });
  });
  const notes = notTwice(hits, noted).map(scored).map((hit) => {
    const { type, agent, text, tags, date = "", source } = hit.note;
    const memory = { id: source, type, agent: agent ?? "", text, tags, project: "", createdAt: date };
    return shownHit(hit, memory, { type, agent, text, tags, created_at: date, source });
  });
  const all = merged(memories, notes);
  // The rankings have the right hit first more often than the scores do.
  const found = all.filter(({ why }) => isRelevant(why, asked, hasFloor)).slice(0, limit);
  const nearest = found.length > 0
    ? []
    : all.toSorted((a, b) => b.score - a.score).slice(0, Math.min(MAX_NEAREST, limit));
  const count = found.filter(({ data }) => data["source"] === MEMORY).length;
  const said = `${where} for ${JSON.stringify(query)}`;
  const parts = [
    ...(count > 0 ? [countOf(count)] : []),
    ...(count < found.length ? [counted(found.length - count, "note") + " of the project's files"] : []),
  ];
  const head = found.length > 0
    ? `${parts.join(" and ")}${said}, best first${note}`
    : nearest.length > 0
    ? `Nothing relevant${said}${note}. The nearest, which may be about something else:`
    : `No memory${where} matches ${JSON.stringify(query)}${note}. Try other words or fewer filters.`;
  const text = joinLines(
    head,
    found.map(({ line, score, why }, at) => `${at + 1}. ${line}\n   ${reasonOf(score, why)}`),
    // What is below the floor has no figure that means anything.
    nearest.map(({ line }, at) => `${at + 1}. ${line}`),
  );
  const data = { query, type, agent, semantic: isSemantic, problem, hits: found.map(({ data }) => data) };
  return { text, data: nearest.length === 0 ? data : { ...data, nearest: nearest.map(({ data }) => data) } };
}

/** By relevance; each ranking keeps its own order. */
function merged(one: readonly Shown[], other: readonly Shown[]): readonly Shown[] {
  const all: Shown[] = [];
  for (let a = 0, b = 0; a < one.length || b < other.length;) {
    const isFirst = b === other.length || (a < one.length && one[a]!.score >= other[b]!.score);
    all.push(isFirst ? one[a++]! : other[b++]!);
  }
  return all;
}

const MEMORY = "memory";

type Why = Pick<Hit, "score" | "lexical" | "semantic" | "words">;
type Shown = ReturnType<typeof shownHit>;

function shownHit({ score, lexical, semantic, words }: Why, memory: Memory, about: Report["data"]) {
  const figures = {
    score: rounded(score),
    lexical: rounded(lexical),
    semantic: semantic && rounded(semantic),
    words,
  };
  return {
    score,
    why: { semantic, words },
    line: lineOf(memory),
    data: { ...about, ...figures } as Report["data"],
  };
}

/** The notes that no memory repeats: a team may have imported them. */
function notTwice(hits: readonly Hit[], noted: readonly NoteHit[]): readonly NoteHit[] {
  const plain = (text: string) => text.replaceAll(/\s+/g, " ").trim();
  const known = new Set(hits.map(({ memory }) => plain(memory.text)));
  return noted.filter(({ note }) => !known.has(plain(note.text)));
}

export function reportList(all: readonly Memory[], limit = DEFAULT_LIST, clean: Clean): Report {
  const shown = all.slice(0, limit).map((memory) => cleaned(memory, clean));
  const rest = shown.length < all.length ? `; ${shown.length} shown` : "";
  const head = all.length === 0 ? "No memories yet." : `${countOf(all.length)}, newest first${rest}`;
  return {
    text: joinLines(head, shown.map((memory) => `- ${lineOf(memory)}`)),
    data: { total: all.length, memories: shown.map(toRecord) },
  };
}

export function reportForgotten(count: number, ids: readonly string[]): Report {
  return { text: `Forgot ${countOf(count)}`, data: { forgotten: count, ids } };
}

export function reportCopied(
  verb: "Imported" | "Copied" | "Restored",
  location: string | undefined,
  { outcomes, isSemantic, problem }: Remembered,
  skipped: readonly string[] = [],
): Report {
  const counts = { new: 0, changed: 0, same: 0 };
  for (const outcome of outcomes) counts[outcome]++;
  const text = joinLines(
    `${verb} ${countOf(outcomes.length)} to ${location}: ${counts.new} new, ${counts.changed} changed, ` +
      `${counts.same} already there`,
    skipped.length > 0 && `Skipped ${skipped.length}. First problem: ${skipped[0]}`,
    problem !== undefined && `They are found by keywords only: ${problem}.`,
  );
  const left = verb !== "Restored" && { leftOut: skipped.length, problems: skipped.slice(0, 20) };
  return { text, data: { place: location, ...counts, ...left, semantic: isSemantic, problem } };
}

export function reportStatus(
  location: string | undefined,
  { counts, withoutVector, facts }: StoreStatus,
  ranking: string,
): Report {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const text = joinLines(
    `Location: ${location ?? "none yet; the first memory creates it"}`,
    `Found by: ${ranking}`,
    `Memories: ${total} (${Object.entries(counts).map(([type, count]) => `${type} ${count}`).join(", ")})`,
    withoutVector > 0 && `Found by keywords only: ${withoutVector}`,
    location !== undefined && Object.entries(facts).map(([name, value]) => `${name}: ${value}`),
  );
  const data = { place: location ?? null, meaning: ranking, total, counts, withoutVector, ...facts };
  return { text, data };
}

function cleaned(memory: Memory, clean: Clean): Memory {
  return { ...memory, text: clean(memory.text) };
}

function lineOf({ id, type, agent, text, tags, createdAt }: Memory): string {
  const isLong = text.length > MAX_SHOWN;
  const cut = isLong ? `${text.slice(0, MAX_SHOWN).toWellFormed()}… (cut; complete as JSON)` : text;
  const labels = tags.length === 0 ? "" : ` (${tags.join(", ")})`;
  const head = [`[${type}]`, agent && `@${agent}`, createdAt.slice(0, 10), id].filter((part) => part !== "");
  return `${head.join(" ")}\n   ${cut.replaceAll("\n", "\n   ")}${labels}`;
}

function reasonOf(score: number, { semantic, words }: Pick<Why, "semantic" | "words">): string {
  const reasons = textLines(
    words.length > 0 && `has ${words.join(", ")}`,
    semantic !== undefined && `meaning ${semantic.toFixed(2)}`,
  );
  return `score ${score.toFixed(2)}${reasons.length === 0 ? "" : `: ${reasons.join("; ")}`}`;
}

function rounded(number: number): number {
  return Math.round(number * 1_000) / 1_000;
}
