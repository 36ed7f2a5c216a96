/**
 * What an agent has learned: the lines of its file in the folder agent-learnings, newest first.
 *
 * A line is `- [2026-02-27] text`. In the kit's export format, each agent has a heading and its lines end with tags.
 * How learnings are ranked for a question is left to the caller.
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
  readonly agent: string;
  /** Other names that its file may have. */
  readonly aliases?: readonly string[];
  /** Only learnings that match it, best first. */
  readonly query?: string;
  readonly limit?: number;
}

const FOLDER = "agent-learnings";
/** Of a file that lies in the memory folder itself: `dev-learnings.md`. */
const ENDING = "-learnings.md";
const DEFAULT_LIMIT = 20;

export async function reportLearnings(
  project: ProjectFolder,
  request: LearningsRequest,
  rank: Ranker,
): Promise<Report> {
  const { limit = DEFAULT_LIMIT, query } = request;
  const { agent, path, text, problem } = findLearnings(project, request);
  const all = parseLearnings(project.clean.text(text), agent);
  const texts = all.map(({ text, tags }) => [text, ...tags].join(" "));
  const fitting = query === undefined ? all : (await rank(query, texts)).map((at) => all[at]!);
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
    const file = exact && findFile(project, placesOf(exact).flatMap((place) => memoryPaths(project, place)));
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

/** Where the file of an agent may be, in the memory folder. */
function placesOf(agent: string): readonly string[] {
  return [joinPath(FOLDER, `${agent}.md`), `${agent}${ENDING}`];
}

function knownAgents(project: ProjectFolder): readonly string[] {
  const namesIn = (folder: string, ending: string) =>
    memoryPaths(project, folder).flatMap((path) => project.tree.list(path))
      .filter(({ name, isDirectory }) => !isDirectory && name.endsWith(ending) && name !== ending)
      .map(({ name }) => name.slice(0, -ending.length));
  return [...new Set([...namesIn(FOLDER, ".md"), ...namesIn("", ENDING)])];
}

/** The learnings in a file, newest first; of the same day, the later line first. */
export function parseLearnings(text: string, agent: string): readonly Learning[] {
  const isOwn = ({ agent: by }: Note) => by === undefined || plainWords(by) === plainWords(agent);
  return parseNotes(text).filter(isOwn).map(({ agent: _, ...note }) => note).reverse().sort(newestFirst);
}

function lineOf({ date, text, tags }: Learning): string {
  const named = tags.length === 0 ? "" : ` (${tags.join(", ")})`;
  return `- ${date === undefined ? "" : `[${date}] `}${text.replaceAll("\n", "\n  ")}${named}`;
}
