/**
 * What an agent has learned: all that its file in the folder agent-learnings says, newest first.
 *
 * A line is `- [2026-02-27] text`; paragraphs, numbered lists and rows of tables count as well. In the kit's export
 * format, each agent has a heading and its lines end with tags: what stands under an agent's heading is that agent's,
 * whatever the file. How learnings are ranked for a question is left to the caller.
 */
import { fail } from "../../base/errors.ts";
import { suggest } from "../../base/suggestions.ts";
import { counted } from "../../base/text.ts";
import { checkName, joinPath } from "../../content/tree/mod.ts";
import { newestFirst } from "./dates.ts";
import { plainWords } from "../../base/markdown.ts";
import { type Note, parseAllNotes } from "../../base/notes.ts";
import { findFile, memoryPaths, type ProjectFolder } from "./project_folder.ts";
import type { Report } from "../../base/report.ts";

/** One note of an agent's file. */
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
/** More agents than any team has. */
const MAX_FILES = 200;

export async function reportLearnings(
  project: ProjectFolder,
  request: LearningsRequest,
  rank: Ranker,
): Promise<Report> {
  const { limit = DEFAULT_LIMIT, query } = request;
  const { agent, path, problem, learnings: all } = findLearnings(project, request);
  const fitting = query === undefined ? all : (await rank(query, all.map(searchText))).map((at) => all[at]!);
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

function searchText({ text, tags, chapter = "" }: Learning): string {
  return [chapter, text, ...tags].filter((part) => part !== "").join(" ");
}

/** The files of all agents; one without a name of its own, such as an export, can still have learnings of several. */
function readFiles(project: ProjectFolder) {
  return knownAgents(project).slice(0, MAX_FILES).flatMap((agent) => {
    const file = findFile(project, placesOf(agent).flatMap((place) => memoryPaths(project, place)));
    return file === undefined ? [] : [{ agent, ...file, text: project.clean.text(file.text) }];
  });
}

function findLearnings(project: ProjectFolder, { agent, aliases = [] }: LearningsRequest) {
  const names = [checkName("agent", agent), ...aliases];
  const files = readFiles(project);
  const known = files.map((file) => file.agent);
  for (const name of names) {
    const own = files.find((file) => file.agent === name) ??
      files.find((file) => file.agent.toLowerCase() === name.toLowerCase());
    const others = files.filter((file) => file !== own)
      .map(({ path, text }) => ({ path, learnings: parseLearnings(text, own?.agent ?? name, known, false) }))
      .filter(({ learnings }) => learnings.length > 0);
    if (own === undefined && others.length === 0) continue;
    const learnings = [
      ...(own === undefined ? [] : parseLearnings(own.text, own.agent, known)),
      ...others.flatMap((other) => other.learnings),
    ];
    const { path, problem } = own ?? { path: others[0]!.path, problem: undefined };
    return { agent: own?.agent ?? name, path, problem, learnings: learnings.sort(newestFirst) };
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

/** What the kit writes into an empty file. */
const BLURB = /^apprentissages accumules par cet agent$/;

/**
 * An agent's learnings in a file, newest first; of the same day, the later line first. In its own file, that is all but
 * what stands under the heading of another known agent; elsewhere, what stands under its own heading.
 */
export function parseLearnings(
  text: string,
  agent: string,
  known: readonly string[],
  isOwnFile = true,
): readonly Learning[] {
  const own = plainWords(agent);
  const others = new Set(known.map(plainWords).filter((name) => name !== own));
  const isOwn = ({ agent: by, text }: Note) => {
    if (BLURB.test(plainWords(text.slice(0, 80)))) return false;
    const name = by === undefined ? undefined : plainWords(by);
    return name === own || isOwnFile && (name === undefined || !others.has(name));
  };
  return parseAllNotes(text).filter(isOwn).map(({ agent: by, ...note }) => {
    const isTopic = by !== undefined && plainWords(by) !== own;
    const chapter = [isTopic ? by : undefined, note.chapter].filter((part) => part !== undefined).join(", ");
    return { ...note, ...(chapter === "" ? {} : { chapter }) };
  }).reverse().sort(newestFirst);
}

function lineOf({ date, text, tags, chapter }: Learning): string {
  const named = tags.length === 0 ? "" : ` (${tags.join(", ")})`;
  const topic = chapter === undefined ? "" : `${chapter}: `;
  return `- ${date === undefined ? "" : `[${date}] `}${topic}${text.replaceAll("\n", "\n  ")}${named}`;
}
