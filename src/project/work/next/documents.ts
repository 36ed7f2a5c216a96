/** Documents by role, wherever they lie: a PRD may have a dated folder. */
import { runInSlices } from "../../../base/work.ts";
import { type Entry, hasKind } from "../../../base/model.ts";
import { cachedWith } from "../../../base/cache.ts";
import { textLines } from "../../../base/report.ts";
import { counted, shorten } from "../../../base/text.ts";
import { categoryOf } from "../../../content/catalog/mod.ts";
import { type Library, listSteps, loadCleaner, type Step } from "../../../content/library/mod.ts";
import { byListing, type Footprint, trackReads } from "../../../content/origins/mod.ts";
import { baseName, findText, parentPath, type Tree } from "../../../content/tree/mod.ts";
import { readRoadmap, type Roadmap } from "./advice.ts";
import type { Artefacts } from "./progress.ts";
import { plainName } from "../board/mod.ts";
import {
  DOCUMENT_ROLES,
  documentRole,
  documentStatus,
  findDocuments,
  foldersOf,
  isStarted,
  othersUnderWay,
  type Story,
} from "../formats/mod.ts";
import { builderOf, nameOf } from "./stories.ts";

const MAIN =
  /(?:^|[-_ ])(?:brief|prfaq|prd|requirements|gdd|spec|ux|design|experience|architecture|epics|project-context)(?:[-_. ]|$)/i;

const MAX_DOCUMENTS = 3;
const MAX_PATH = 200;
const MAX_STATUS = 40;
const MAX_MESSAGE = 2_000;

interface Asked {
  now(): number;
  readonly message?: string | undefined;
  /** Before the stories begin whose build this activation is. */
  begin?(stories: readonly Story[]): Promise<unknown>;
}

export async function describeArtefacts(
  library: Library,
  entry: Entry,
  { now, message = "", begin }: Asked,
): Promise<readonly string[]> {
  // Agents work in every phase; tasks of v4 name none.
  const isConcerned = hasKind(entry, "agent") || entry.generation === "v4" ||
    CATEGORIES.includes(categoryOf(entry)) ||
    (await listSteps(library)).some((step) => step.entry === entry && leavesWork(step));
  if (!isConcerned) return [];
  const cached = descriptionOf(library);
  const isOutdated = cached.last === undefined || await cached.last.footprint?.differs({ files: true });
  if (isOutdated) cached.last = await describeProject(library, now);
  const { lines, modules, roadmap } = cached.last!;
  if (!modules.has(entry.module)) return [];
  const stories = storiesIn(roadmap, message);
  const built = builderOf(roadmap.steps, entry.module) === entry
    ? stories.map(([, story]) => story).filter(({ state }) => !isStarted(state))
    : [];
  if (built.length > 0) await begin?.(built);
  return [...lines, ...stories.map(([label, story]) => storyLine(label, story))];
}

type Description = Awaited<ReturnType<typeof describeProject>>;

/** Checking takes a tenth of the time of reading. */
const descriptionOf = cachedWith((_: Library): { last?: Description } => ({}));

async function describeProject(library: Library, now: () => number) {
  let footprint: Footprint | undefined;
  const track = (tree: Tree) => {
    footprint = trackReads(tree, now);
    return byListing(footprint.tree);
  };
  const roadmap = await readRoadmap(library, { track });
  const { artefacts, steps } = roadmap;
  if (artefacts === undefined) return { lines: [], modules: new Set(), footprint, roadmap };
  const { text: clean } = await loadCleaner();
  const folders = foldersOf([...new Set(steps.map(({ config }) => config))], artefacts.roots);
  const epics = roadmap.boards.flatMap((board) => board.epics);
  const documents = await runInSlices(findDocuments(artefacts.tree, folders, { epics }));
  const byRole = Map.groupBy(documents, ({ role }) => role);
  const lines = DOCUMENT_ROLES.flatMap((role) =>
    linesOf(role, (byRole.get(role) ?? []).map(({ path }) => path), artefacts, clean)
  );
  return { lines, modules: new Set(steps.map(({ module }) => module)), footprint, roadmap };
}

/** Whatever its phase: briefs belong to analysis, quick development to any time. */
function leavesWork({ help }: Step): boolean {
  return /\bimplementation\b/i.test(help.outputs) || documentRole(help.outputs) !== "other";
}

const CATEGORIES: readonly string[] = ["planning", "solutioning", "implementation"];

interface Candidate {
  readonly path: string;
  readonly folder: string;
  readonly score: number;
  readonly time: number;
}

function linesOf(
  role: string,
  files: readonly string[],
  { tree }: Artefacts,
  clean: (text: string) => string,
): readonly string[] {
  const candidates = files.map((path): Candidate => {
    const name = baseName(path);
    const score = MAIN.test(name) ? 2 : /^index\./i.test(name) ? 1 : 0;
    return { path, folder: parentPath(path), score, time: tree.stat(path)?.modified ?? 0 };
  });
  const documents = documentsAmong(candidates).toSorted((a, b) => b.time - a.time);
  const more = documents.length - MAX_DOCUMENTS;
  return documents.slice(0, MAX_DOCUMENTS).map((document, at) => {
    const status = documentStatus(findText(tree, document.path) ?? "", clean);
    const older = more > 0 && at === MAX_DOCUMENTS - 1 && `and ${counted(more, "older one")}`;
    return lineOf(role, document.path, textLines(status, besideIt(document, candidates, documents), older));
  });
}

function documentsAmong(candidates: readonly Candidate[]): readonly Candidate[] {
  const best = new Map<string, Candidate>();
  // Of `prd.md` and `prd-old.md`, the shorter name.
  for (const one of candidates.toSorted((a, b) => a.path.length - b.path.length)) {
    if (one.score > (best.get(one.folder)?.score ?? 0)) best.set(one.folder, one);
  }
  return [...best.values()].filter(({ folder, score }) => {
    for (let above = folder; above !== "";) {
      above = parentPath(above);
      if ((best.get(above)?.score ?? 0) > score) return false;
    }
    return true;
  });
}

function besideIt(
  { folder, path }: Candidate,
  candidates: readonly Candidate[],
  documents: readonly Candidate[],
): string | undefined {
  const others = candidates.filter((one) =>
    one.path !== path && `${one.folder}/`.startsWith(`${folder}/`) && !documents.includes(one)
  );
  const [first] = others;
  if (first === undefined) return undefined;
  const isOne = first.folder !== folder && others.every((one) => one.folder === first.folder);
  return `${others.length} more${isOne ? ` in ${shorten(first.folder, MAX_PATH)}` : ""}`;
}

/** Those named, first those that somebody should know of; else the next one. */
function storiesIn(
  { advice, boards }: Roadmap,
  message: string,
): readonly (readonly [label: string, story: Story])[] {
  const start = message.slice(0, MAX_MESSAGE);
  const words = new Set(start.split(/[^\p{L}\p{N}./_-]+/u).map(plainName).filter((one) => /\D/.test(one)));
  const text = plainName(start);
  // One word may mean anything, unless nothing else is said.
  const isSaid = (one: string) => one === text || one.includes("-") && `-${text}-`.includes(`-${one}-`);
  const all = namesIn(boards);
  const said = all.flatMap(({ phrases }) => phrases.filter((one) => one !== "" && isSaid(one)));
  const isLongest = (one: string) =>
    said.includes(one) && !said.some((other) => other !== one && other.includes(one));
  const exact = all.filter(({ names }) => names.some((one) => words.has(one)));
  const found = exact.length > 0 ? exact : all.filter(({ phrases }) => phrases.some(isLongest));
  const named = found.map(({ story }) => story);
  if (named.length === 0) {
    return advice.flatMap(({ story }) => story ?? []).map((one) => ["current story", one]);
  }
  const begun = named.every((one) => isStarted(one.state)) ? [] : othersUnderWay(boards, named);
  return [
    ...named.map((one) => ["story", one] as const),
    ...begun.map((one) => ["also in progress", one] as const),
  ];
}

const namesIn = cachedWith((boards: Roadmap["boards"]) =>
  boards.flatMap(({ epics }) => epics.flatMap(({ stories }) => stories)).map((story) => {
    const { ref, key, title, file = key } = story;
    const stem = baseName(file).replace(/\.md$/i, "");
    const names = [ref, key, file, stem, `${key}.md`, `${stem}.md`].map(plainName);
    return { story, names, phrases: [plainName(title), plainName(key).replace(/^(?:\d+-)+/, "")] };
  })
);

function storyLine(label: string, story: Story): string {
  const status = shorten(story.status ?? story.state, MAX_STATUS);
  return story.file === undefined
    ? `- ${label}: ${nameOf(story)} (${status}, no file yet)`
    : lineOf(label, story.file, [status]);
}

function lineOf(role: string, path: string, notes: readonly string[]): string {
  return `- ${role}: ${shorten(path, MAX_PATH)}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}
