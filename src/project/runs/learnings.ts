/**
 * What an agent has learned: the lines of its file in the folder agent-learnings, the newest first.
 *
 * A line is `- [2026-02-27] text`. In the form that the kit exports, lines stand below a heading for each agent and end
 * with their tags. Which learnings fit a question is found by comparing words, unless somebody brings a better way.
 */
import { fail } from "../../base/errors.ts";
import { plainWords } from "../../base/markdown.ts";
import { type Note, parseNotes } from "../../base/notes.ts";
import type { Report } from "../../base/report.ts";
import { suggest } from "../../base/suggestions.ts";
import { checkName, joinPath } from "../../content/tree/mod.ts";
import { findFile, memoryPaths, type Project } from "./project.ts";

/** One thing learned. */
export type Learning = Omit<Note, "agent">;

/** Puts texts in order by how well they fit a question: the places of those that fit at all, best first. */
export type Ranker = (question: string, texts: readonly string[]) => Promise<readonly number[]>;

/** Whose learnings are wanted, and which. */
export interface LearningsRequest {
  /** The agent as it was asked for. */
  readonly agent: string;
  /** Other names that the file may have. */
  readonly aliases?: readonly string[];
  /** Words, of which the learnings should be. */
  readonly query?: string;
  /** So many at most. */
  readonly lastN?: number;
}

const FOLDER = "agent-learnings";
/** More than a model wants to read at once. */
const USUAL = 20;

/** The learnings of an agent. */
export async function learningsOf(
  project: Project,
  request: LearningsRequest,
  rank: Ranker = rankByWords,
): Promise<Report> {
  const { lastN = USUAL, query } = request;
  const { agent, path, text, problem } = findLearnings(project, request);
  const all = parseLearnings(project.clean.text(text), agent);
  const fitting = query === undefined ? all : (await rank(query, all.map(textOf))).map((at) => all[at]!);
  const shown = fitting.slice(0, lastN);
  const counts = query === undefined ? `${all.length}` : `${fitting.length} of ${all.length}`;
  const head = `${counts} learnings of ${agent}` +
    (query === undefined ? ", newest first" : ` that fit ${JSON.stringify(query)}, best first`) +
    (shown.length < fitting.length ? `; ${shown.length} shown, last_n shows more` : "") +
    (problem === undefined ? "" : `; ${path}: ${problem}`);
  return {
    text: [head, ...shown.map(lineOf)].join("\n"),
    data: { agent, file: path, problem, query, total: all.length, fitting: fitting.length, learnings: shown },
  };
}

function findLearnings(project: Project, { agent, aliases = [] }: LearningsRequest) {
  const names = [checkName("agent", agent), ...aliases];
  const known = knownAgents(project);
  for (const name of names) {
    const exact = known.find((one) => one === name) ??
      known.find((one) => one.toLowerCase() === name.toLowerCase());
    const file = exact && findFile(project, memoryPaths(project, joinPath(FOLDER, `${exact}.md`)));
    if (file) return { agent: exact, ...file };
  }
  const near = suggest(
    agent.toLowerCase(),
    known.map((label) => ({ label, spellings: [label.toLowerCase()] })),
  );
  const hint = known.length === 0
    ? `No file is in ${memoryPaths(project, FOLDER)[0]}: agents write there what they learn`
    : `There are ${known.slice(0, 30).join(", ")}`;
  return fail({ code: "not-found", what: "learnings of agent", name: agent, suggestions: near, hint });
}

/** The agents that have a file. */
function knownAgents(project: Project): readonly string[] {
  const files = memoryPaths(project, FOLDER).flatMap((folder) => project.tree.list(folder));
  const names = files.filter(({ name, isDirectory }) => !isDirectory && name.endsWith(".md"));
  return [...new Set(names.map(({ name }) => name.slice(0, -".md".length)))];
}

/** The learnings in a file, the newest first; of those of one day, the later line. */
export function parseLearnings(text: string, agent: string): readonly Learning[] {
  const isOwn = ({ agent: by }: Note) => by === undefined || plainWords(by) === plainWords(agent);
  const found = parseNotes(text).filter(isOwn).map(({ agent: _, ...learning }) => learning);
  return found.reverse().sort((a, b) => (a.date ?? "") < (b.date ?? "") ? 1 : a.date === b.date ? 0 : -1);
}

function textOf({ text, tags }: Learning): string {
  return [text, ...tags].join(" ");
}

function lineOf({ date, text, tags }: Learning): string {
  const named = tags.length === 0 ? "" : ` (${tags.join(", ")})`;
  return `- ${date === undefined ? "" : `[${date}] `}${text.replaceAll("\n", "\n  ")}${named}`;
}

/** Short words that say nothing; longer ones are in so many texts that they hardly count. */
const FILLERS = new Set(
  ("and any are aux but can ces des did est how les mes nos not our par pas que qui ses son sur the une vos was you")
    .split(" "),
);
/** More words of a question are not looked at. */
const MOST_WORDS = 30;

/** Compares words, and forms of one word as one; a word that few texts have counts for more. */
export const rankByWords: Ranker = (question, texts) => {
  const bags = texts.map(tellingWords);
  const places = texts.map((_, at) => at);
  const scores = places.map(() => 0);
  for (const wanted of tellingWords(question).slice(0, MOST_WORDS)) {
    const having = places.filter((at) => bags[at]!.some((word) => isSameWord(word, wanted)));
    for (const at of having) scores[at]! += Math.log(1 + texts.length / (1 + having.length));
  }
  const fitting = places.filter((at) => scores[at]! > 0);
  return Promise.resolve(fitting.sort((a, b) => scores[b]! - scores[a]! || a - b));
};

function tellingWords(text: string): readonly string[] {
  const words = plainWords(text).split(" ").filter((word) => word.length > 2 && !FILLERS.has(word));
  return [...new Set(words)];
}

/** The beginnings of shorter words are alike by chance. */
const SHORTEST = 4;

/** Whether two words are the same but for their endings: `tests` and `tester`, `expire` and `expiration`. */
function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const alike = Math.max(SHORTEST, Math.min(a.length, b.length) - 1);
  return a.length >= SHORTEST && b.length >= SHORTEST && a.slice(0, alike) === b.slice(0, alike);
}
