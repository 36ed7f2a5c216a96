/** What is under an agent's heading is that agent's, in any file. */
import { failMissing } from "../../../base/errors.ts";
import { suggest } from "../../../base/suggestions.ts";
import { counted } from "../../../base/text.ts";
import { checkName, joinPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { dayOf, newestFirst, type ReadRemembered } from "./records.ts";
import { plainWords } from "../../../base/markdown.ts";
import { type Note, parseAllNotes } from "../../../base/notes.ts";
import { readAgents } from "./context.ts";
import { saysSomething } from "./documents.ts";
import { findFile, memoryPaths, type ProjectFolder } from "./project_folder.ts";
import { joinLines, type Report } from "../../../base/report.ts";

interface Learning extends Omit<Note, "agent"> {
  readonly source?: string;
}

/** The indexes of the texts that match, best first. */
export type Ranker = (question: string, texts: readonly string[]) => Promise<readonly number[]>;

export interface LearningsRequest {
  readonly agent: string;
  readonly aliases?: readonly string[];
  /** Whether there is such an agent: one that has learned nothing is then no failure. */
  readonly isKnown?: boolean;
  readonly query?: string;
  readonly limit?: number;
}

const FOLDER = "agent-learnings";
const ENDING = "-learnings.md";
const DEFAULT_LIMIT = 20;

export async function reportLearnings(
  project: ProjectFolder,
  request: LearningsRequest,
  rank: Ranker,
  read: ReadRemembered,
): Promise<Report> {
  const { limit = DEFAULT_LIMIT, query } = request;
  const names = [checkName("agent", request.agent), ...request.aliases ?? []];
  const filter = { agent: names[0]!, aliases: names.slice(1) };
  const { memories, problem: unread } = await read(filter);
  const isKnown = request.isKnown || memories.length > 0;
  const { agent, path, problem, learnings } = await findLearnings(project, names, isKnown, read);
  const remembered = memories.map(({ type, text, tags, createdAt }): Learning => ({
    ...dayOf(createdAt),
    text,
    tags,
    source: `memory: ${type}`,
  }));
  const all = [...learnings, ...remembered].sort(newestFirst);
  const texts = all.map(({ text, tags, chapter }) => [chapter, text, ...tags].filter(Boolean).join(" "));
  const fitting = query === undefined ? all : (await rank(query, texts)).map((at) => all[at]!);
  const shown = fitting.slice(0, limit);
  const head = (query === undefined ? "" : `${fitting.length} of `) +
    `${counted(all.length, "learning")} of ${agent}` +
    (query === undefined ? ", newest first" : ` matching ${JSON.stringify(query)}, best first`) +
    (shown.length < fitting.length ? `; ${shown.length} shown, raise the limit for more` : "") +
    (all.length > 0 || path !== undefined ? "" : `; agents write theirs into ${folderOf(project)}`) +
    (all.length > 0 ? "" : await othersWith(project, read)) +
    (problem === undefined ? "" : `; ${path}: ${problem}`);
  return {
    text: joinLines(head, unread, shown.map(lineOf)),
    data: {
      agent,
      file: path,
      problem: problem ?? unread,
      query,
      total: all.length,
      fitting: fitting.length,
      learnings: shown,
    },
  };
}

/** A file without a name of its own, such as an export, can still have learnings of several agents. */
function readFiles(project: ProjectFolder) {
  let left = LIMITS.kit.learningChars;
  return knownAgents(project).slice(0, LIMITS.kit.learningFiles).flatMap((agent) => {
    const places = [joinPath(FOLDER, `${agent}.md`), `${agent}${ENDING}`];
    const file = findFile(project, places.flatMap((place) => memoryPaths(project, place)));
    if (file === undefined) return [];
    left -= file.text.length;
    if (left < 0) return [{ agent, ...file, text: "", problem: "too many learnings in all files" }];
    return [{ agent, ...file, text: project.clean.text(file.text) }];
  });
}

export function allLearnings(
  project: ProjectFolder,
  names: readonly string[] = [],
  files = readFiles(project),
) {
  const roster = readAgents(project).flatMap(({ name, displayName = name }) => [name, displayName]);
  const known = [...files.map(({ agent }) => agent), ...names, ...roster];
  return files.flatMap(({ agent, path, text }) =>
    parseLearnings(text, agent, known).map((learning) => ({ ...learning, path }))
  );
}

async function agentsWith(project: ProjectFolder, read: ReadRemembered): Promise<readonly string[]> {
  const { memories } = await read({});
  const named = [...allLearnings(project), ...memories].map(({ agent }) => agent);
  return [...new Map(named.map((name) => [name.toLowerCase(), name])).values()];
}

async function othersWith(project: ProjectFolder, read: ReadRemembered): Promise<string> {
  const agents = await agentsWith(project, read);
  return agents.length === 0 ? "" : `; agents with learnings: ${agents.slice(0, MAX_NAMED).join(", ")}`;
}

const MAX_NAMED = 30;

async function findLearnings(
  project: ProjectFolder,
  names: readonly string[],
  isKnown: boolean,
  read: ReadRemembered,
) {
  const agent = names[0]!;
  const keys = new Set(names.map((name) => name.toLowerCase()));
  const isMeant = (one: { readonly agent: string }) => keys.has(one.agent.toLowerCase());
  const files = readFiles(project);
  const learnings = allLearnings(project, names, files).filter(isMeant);
  const own = files.filter(isMeant)
    .sort((a, b) => Number(b.agent === agent) - Number(a.agent === agent));
  if (own.length === 0 && learnings.length === 0 && !isKnown) {
    const known = await agentsWith(project, read);
    const suggestions = suggest(agent.toLowerCase(), [...known, ...files.map((file) => file.agent)]);
    const hint = known.length === 0
      ? `No files in ${folderOf(project)}, where agents write what they learn`
      : `Agents with learnings: ${known.slice(0, MAX_NAMED).join(", ")}`;
    return failMissing("agent with learnings", agent, { suggestions, hint });
  }
  return {
    agent: own[0]?.agent ?? learnings[0]?.agent ?? agent,
    path: own[0]?.path ?? learnings[0]?.path,
    problem: own.find(({ problem }) => problem !== undefined)?.problem,
    learnings: learnings.map(({ agent: _, path: _path, ...learning }) => learning).reverse(),
  };
}

function folderOf(project: ProjectFolder): string {
  return memoryPaths(project, FOLDER)[0]!;
}

function knownAgents(project: ProjectFolder): readonly string[] {
  const namesIn = (folder: string, ending: string) =>
    memoryPaths(project, folder).flatMap((path) => project.tree.list(path))
      .filter(({ name, isDirectory }) => !isDirectory && name.endsWith(ending) && name !== ending)
      .map(({ name }) => name.slice(0, -ending.length));
  return [...new Set([...namesIn(FOLDER, ".md"), ...namesIn("", ENDING)])];
}

const BLURB = /^apprentissages accumules par cet agent$/;

/** In the order of the file. The agent is the known one whose heading is above, else the owner of the file. */
export function parseLearnings(text: string, owner: string, known: readonly string[]) {
  const agents = new Map([...known, owner].map((name) => [plainWords(name), name]));
  const isTitleTold = (title: string) => saysSomething(title, plainWords(owner).split(" "));
  const notes = parseAllNotes(text, isTitleTold);
  return notes.filter(({ text }) => !BLURB.test(plainWords(text.slice(0, 80)))).map(
    ({ agent: heading, ...note }) => {
      const named = heading && agents.get(plainWords(heading));
      const chapter = [named ? undefined : heading, note.chapter].filter(Boolean).join(", ");
      return { ...note, ...(chapter !== "" && { chapter }), agent: named || owner };
    },
  );
}

function lineOf({ date, text, tags, chapter, source }: Learning): string {
  const day = date === undefined ? "" : `[${date}] `;
  const topic = chapter === undefined ? "" : `${chapter}: `;
  const labels = tags.length === 0 ? "" : ` (${tags.join(", ")})`;
  const from = source === undefined ? "" : ` [${source}]`;
  return `- ${day}${topic}${text.replaceAll("\n", "\n  ")}${labels}${from}`;
}
