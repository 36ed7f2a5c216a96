/**
 * Answers of memory in words and as data.
 */
import type { Report } from "../../../base/report.ts";
import { HEAD } from "./ids.ts";
import { NOWHERE } from "./places.ts";
import type { Hit, Memory, Question, Recalled, Remembered, StoreStatus } from "./store.ts";

/** A text longer than this is cut where it is shown; as data it is whole. */
const MOST_SHOWN = 2_000;
/** So many are listed when nobody says. */
const USUAL_LIST = 50;

const VERBS = { new: "Remembered", changed: "Remembered anew", same: "Known already" } as const;

/** What became of one memory. */
export function reportRemembered(memory: Memory, { outcomes, isSemantic, problem }: Remembered): Report {
  const [outcome] = outcomes;
  const lines = [
    `${VERBS[outcome!]} [${memory.type}] @${memory.agent}: ${memory.id}`,
    ...(outcome === "changed"
      ? [`It takes the place of a memory of ${memory.agent} whose first ${HEAD} characters are the same.`]
      : []),
    ...(isSemantic ? [] : [`It is found by its words alone${problem === undefined ? "" : `: ${problem}`}.`]),
  ];
  return { text: lines.join("\n"), data: { ...dataOf(memory), outcome, semantic: isSemantic, problem } };
}

/** What fits a question, and why. */
export function reportRecalled(
  { query, type, agent }: Question,
  { hits, isSemantic, problem }: Recalled,
  { clean, isWanted }: { clean(text: string): string; readonly isWanted: boolean },
): Report {
  const where = `${type === undefined ? "" : ` [${type}]`}${agent === undefined ? "" : ` @${agent}`}`;
  const why = isSemantic
    ? ""
    : `; by words alone${problem !== undefined ? `: ${problem}` : isWanted ? "" : " (--no-embedder)"}`;
  const head = hits.length === 0
    ? `No memory${where} fits ${JSON.stringify(query)}${why}. Try other words, or leave the filters out.`
    : `${hits.length} ${hits.length === 1 ? "memory" : "memories"}${where} for ${
      JSON.stringify(query)
    }, best first${why}`;
  const shown = hits.map((hit) => ({ ...hit, memory: cleaned(hit.memory, clean) }));
  return {
    text: [head, ...shown.map((hit, at) => `${at + 1}. ${lineOf(hit.memory)}\n   ${reasonOf(hit)}`)].join(
      "\n",
    ),
    data: {
      query,
      type,
      agent,
      semantic: isSemantic,
      problem,
      hits: shown.map(({ memory, score, lexical, semantic, words }) => ({
        ...dataOf(memory),
        score: rounded(score),
        lexical: rounded(lexical),
        semantic: semantic === undefined ? undefined : rounded(semantic),
        words,
      })),
    },
  };
}

/** Memories as they are. */
export function reportList(
  all: readonly Memory[],
  limit = USUAL_LIST,
  clean: (text: string) => string,
): Report {
  const shown = all.slice(0, limit).map((memory) => cleaned(memory, clean));
  const head = all.length === 0
    ? "Nothing is remembered here yet."
    : `${all.length} ${all.length === 1 ? "memory" : "memories"}, newest first${
      shown.length < all.length ? `; ${shown.length} shown` : ""
    }`;
  return {
    text: [head, ...shown.map((memory) => `- ${lineOf(memory)}`)].join("\n"),
    data: { total: all.length, memories: shown.map(dataOf) },
  };
}

/** What became of many memories. */
export function reportCopied(
  verb: string,
  place: string,
  { outcomes, isSemantic, problem }: Remembered,
  problems: readonly string[],
): Report {
  const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
  const counts = {
    new: count("new"),
    changed: count("changed"),
    same: count("same"),
    leftOut: problems.length,
  };
  const lines = [
    `${verb} ${outcomes.length} memories to ${place}: ${counts.new} new, ${counts.changed} changed, ` +
    `${counts.same} there already`,
    ...(problems.length === 0 ? [] : [`${problems.length} left out, the first because: ${problems[0]}`]),
    ...(problem === undefined ? [] : [`They are found by their words alone: ${problem}.`]),
  ];
  return {
    text: lines.join("\n"),
    data: { place, ...counts, problems: problems.slice(0, 20), semantic: isSemantic, problem },
  };
}

/** How memory is. */
export function reportStatus(
  place: string,
  { counts, withoutVector, facts }: StoreStatus,
  { meaning }: { readonly meaning: string },
): Report {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const isNowhere = place === NOWHERE;
  const where = isNowhere ? "not made yet: the first memory makes it" : place;
  const lines = [
    `Place: ${where}`,
    `Found by: ${meaning}`,
    `Memories: ${total} (${Object.entries(counts).map(([type, count]) => `${type} ${count}`).join(", ")})`,
    ...(withoutVector === 0 ? [] : [`Found by words alone: ${withoutVector}`]),
    ...(isNowhere ? [] : Object.entries(facts).map(([name, value]) => `${name}: ${value}`)),
  ];
  return {
    text: lines.join("\n"),
    data: { place: isNowhere ? null : place, meaning, total, counts, withoutVector, ...facts },
  };
}

function dataOf(
  { id, type, agent, text, tags, project, createdAt }: Memory,
): Readonly<Record<string, unknown>> {
  return { id, type, agent, text, tags, project, created_at: createdAt };
}

function cleaned(memory: Memory, clean: (text: string) => string): Memory {
  return { ...memory, text: clean(memory.text) };
}

function lineOf({ id, type, agent, text, tags, createdAt }: Memory): string {
  const cut = text.length > MOST_SHOWN
    ? `${text.slice(0, MOST_SHOWN).toWellFormed()}… (cut; as JSON it is whole)`
    : text;
  const labels = tags.length === 0 ? "" : ` (${tags.join(", ")})`;
  const day = createdAt.slice(0, 10);
  return `[${type}] @${agent}${day === "" ? "" : ` ${day}`} ${id}\n   ${
    cut.replaceAll("\n", "\n   ")
  }${labels}`;
}

function reasonOf({ score, semantic, words }: Hit): string {
  const reasons = [
    ...(words.length === 0 ? [] : [`has ${words.join(", ")}`]),
    ...(semantic === undefined ? [] : [`meaning ${semantic.toFixed(2)}`]),
  ];
  return `score ${score.toFixed(2)}${reasons.length === 0 ? "" : `: ${reasons.join("; ")}`}`;
}

function rounded(number: number): number {
  return Math.round(number * 1_000) / 1_000;
}
