/**
 * What an agent has learned: the lines of its file in the folder agent-learnings, newest first.
 *
 * A line is `- [2026-02-27] text`. In the kit's export format, each agent has a heading and its lines end with tags.
 * Learnings are ranked for a question by shared terms, unless the caller provides a better ranker.
 */
import { fail } from "../../base/errors.ts";
import { suggest } from "../../base/suggestions.ts";
import { counted } from "../../base/text.ts";
import { checkName, joinPath } from "../../content/tree/mod.ts";
import { newestFirst } from "./dates.ts";
import { plainWords } from "../../base/markdown.ts";
import { type Note, parseNotes } from "../../base/notes.ts";
import { findFile, memoryPaths, type ProjectFolder } from "./project_folder.ts";
import type { Report } from "../../base/report.ts";

/** One line of an agent's file. */
export type Learning = Omit<Note, "agent">;

/** Ranks texts for a question: the indexes of those that match, best first. */
export type Ranker = (question: string, texts: readonly string[]) => Promise<readonly number[]>;

/** Which learnings are wanted. */
export interface LearningsRequest {
  /** The agent, as the caller named it. */
  readonly agent: string;
  /** Other names that its file may have. */
  readonly aliases?: readonly string[];
  /** Only learnings that match it, best first. */
  readonly query?: string;
  /** The maximum number. */
  readonly limit?: number;
}

const FOLDER = "agent-learnings";
/** More than a model wants to read at once. */
const DEFAULT_LIMIT = 20;

/** The learnings of an agent. */
export async function reportLearnings(
  project: ProjectFolder,
  request: LearningsRequest,
  rank: Ranker = rankByTerms,
): Promise<Report> {
  const { limit = DEFAULT_LIMIT, query } = request;
  const { agent, path, text, problem } = findLearnings(project, request);
  const all = parseLearnings(project.clean.text(text), agent);
  const fitting = query === undefined ? all : (await rank(query, all.map(textOf))).map((at) => all[at]!);
  const shown = fitting.slice(0, limit);
  const head = (query === undefined ? "" : `${fitting.length} of `) +
    `${counted(all.length, "learning")} of ${agent}` +
    (query === undefined ? ", newest first" : ` matching ${JSON.stringify(query)}, best first`) +
    (shown.length < fitting.length ? `; ${shown.length} shown, raise the limit for more` : "") +
    (problem === undefined ? "" : `; ${path}: ${problem}`);
  return {
    text: [head, ...shown.map(lineOf)].join("\n"),
    data: { agent, file: path, problem, query, total: all.length, fitting: fitting.length, learnings: shown },
  };
}

function findLearnings(project: ProjectFolder, { agent, aliases = [] }: LearningsRequest) {
  const known = knownAgents(project);
  for (const name of [checkName("agent", agent), ...aliases]) {
    const exact = known.find((one) => one === name) ??
      known.find((one) => one.toLowerCase() === name.toLowerCase());
    const file = exact && findFile(project, memoryPaths(project, joinPath(FOLDER, `${exact}.md`)));
    if (file) return { agent: exact, ...file };
  }
  return fail({
    code: "not-found",
    what: "agent with learnings",
    name: agent,
    suggestions: suggest(agent.toLowerCase(), known),
    hint: known.length === 0
      ? `No files in ${memoryPaths(project, FOLDER)[0]}, where agents write what they learn`
      : `Agents with learnings: ${known.slice(0, 30).join(", ")}`,
  });
}

/** The agents that have a file. */
function knownAgents(project: ProjectFolder): readonly string[] {
  const files = memoryPaths(project, FOLDER).flatMap((folder) => project.tree.list(folder));
  const names = files.filter(({ name, isDirectory }) => !isDirectory && name.endsWith(".md"));
  return [...new Set(names.map(({ name }) => name.slice(0, -".md".length)))];
}

/** The learnings in a file, newest first; of the same day, the later line first. */
export function parseLearnings(text: string, agent: string): readonly Learning[] {
  const isOwn = ({ agent: by }: Note) => by === undefined || plainWords(by) === plainWords(agent);
  return parseNotes(text).filter(isOwn).map(({ agent: _, ...learning }) => learning).reverse().sort(
    newestFirst,
  );
}

function textOf({ text, tags }: Learning): string {
  return [text, ...tags].join(" ");
}

function lineOf({ date, text, tags }: Learning): string {
  const named = tags.length === 0 ? "" : ` (${tags.join(", ")})`;
  return `- ${date === undefined ? "" : `[${date}] `}${text.replaceAll("\n", "\n  ")}${named}`;
}

/** Short function words; longer ones are in so many texts that they hardly count. */
const FUNCTION_WORDS = new Set(
  ("and any are aux but can ces des did est how les mes nos not our par pas que qui ses son sur the une vos was you")
    .split(" "),
);
/** Further terms of a question are ignored. */
const MAX_TERMS = 30;

/** Ranks by shared terms, whatever their endings; a term that few texts have counts for more. */
export const rankByTerms: Ranker = (question, texts) => {
  const bags = texts.map(termsOf);
  const indexes = texts.map((_, at) => at);
  const scores = indexes.map(() => 0);
  for (const wanted of termsOf(question).slice(0, MAX_TERMS)) {
    const having = indexes.filter((at) => bags[at]!.some((term) => isSameTerm(term, wanted)));
    for (const at of having) scores[at]! += Math.log(1 + texts.length / (1 + having.length));
  }
  const matching = indexes.filter((at) => scores[at]! > 0);
  return Promise.resolve(matching.sort((a, b) => scores[b]! - scores[a]! || a - b));
};

function termsOf(text: string): readonly string[] {
  const words = plainWords(text).split(" ").filter((word) => word.length > 2 && !FUNCTION_WORDS.has(word));
  return [...new Set(words)];
}

/** Shorter beginnings are alike by chance. */
const MIN_STEM = 4;

/** Whether two words differ only in their endings: `tests` and `tester`, `expire` and `expiration`. */
function isSameTerm(a: string, b: string): boolean {
  if (a === b) return true;
  const alike = Math.max(MIN_STEM, Math.min(a.length, b.length) - 1);
  return a.length >= MIN_STEM && b.length >= MIN_STEM && a.slice(0, alike) === b.slice(0, alike);
}
