/**
 * The documents of a project by their role, for planning, solutioning or implementation work.
 *
 * They are those that the steps have left (progress.ts), wherever that is: a workflow that looks for `*prd*.md` in one
 * folder would miss a PRD in a dated folder of its own.
 */
import { type Entry, isOf } from "../../../base/model.ts";
import { cachedWith } from "../../../base/cache.ts";
import { counted, shorten } from "../../../base/text.ts";
import { categoryOf } from "../../../content/catalog/mod.ts";
import { type Library, listSteps, loadCleaner, type Step } from "../../../content/library/mod.ts";
import { byListing, type Footprint, trackReads } from "../../../content/origins/mod.ts";
import { parseDocumentFront } from "../../../content/parse.ts";
import { baseName, parentPath, type Tree } from "../../../content/tree/mod.ts";
import { planAhead, type Roadmap } from "./advice.ts";
import type { Artefacts } from "./progress.ts";
import { foldersOf } from "../formats/mod.ts";
import { nameOf } from "./stories.ts";

/** A role, the artefacts of a step that have it, and how the main file of such a document is named. */
type Role = readonly [name: string, outputs: RegExp, main: RegExp];

const ROLES: readonly Role[] = [
  ["brief", /\bbrief\b|\bprfaq\b/i, /^(?:product-|project-|game-)?brief$|^prfaq$/i],
  ["PRD", /^(?:updated )?prd$/i, /^prd$/i],
  ["GDD", /\bgdd\b/i, /^gdd$/i],
  ["spec", /^spec\.md|^tech(?:nical)?[ -]spec/i, /^(?:tech-)?spec$/i],
  ["PRD shards", /^index\|epic$/i, /^index$/i],
  [
    "UX",
    /\bux\b|^front-end spec/i,
    /^(?:design|experience|front-end-spec|ux(?:-design(?:-specification)?)?)$/i,
  ],
  ["architecture", /^(?:game )?architecture/i, /^architecture(?:-spine)?$/i],
  ["architecture shards", /^index\|coding/i, /^index$/i],
  ["epics", /^epics\b/i, /^epics$/i],
];

/** What goes with a document and is not the document itself. */
const BESIDE = /review|validat|report|checklist|addendum|(?:^|-)log$|handoff|distill/i;

/** Of each role, the latest. */
const MAX_DOCUMENTS = 3;
const MAX_PATH = 200;
const MAX_STATUS = 40;

/** One line for each document that concerns an entry; none for an entry that other work is done with. */
export async function describeArtefacts(
  library: Library,
  entry: Entry,
  now: () => number,
): Promise<readonly string[]> {
  const isConcerned = isAgentOrTask(entry) || CATEGORIES.includes(categoryOf(entry)) ||
    (await listSteps(library)).some((step) => step.entry === entry && leavesWork(step));
  if (!isConcerned) return [];
  const cached = descriptionOf(library);
  const isOutdated = cached.last === undefined || await cached.last.footprint?.differs({ files: true });
  if (isOutdated) cached.last = await describeProject(library, now);
  const { lines, modules } = cached.last!;
  return modules.has(entry.module) ? lines : [];
}

/** The documents of a project, which are the same for every entry of the modules that make them. */
interface Description {
  readonly lines: readonly string[];
  readonly modules: ReadonlySet<string>;
  /** Whether they are still the same. */
  readonly footprint?: Footprint;
}

/** Cached until a document changes: checking takes a tenth of the time of reading again. */
const descriptionOf = cachedWith((_: Library): { last?: Description } => ({}));

async function describeProject(library: Library, now: () => number): Promise<Description> {
  let footprint: Footprint | undefined;
  const track = (tree: Tree) => {
    footprint = trackReads(tree, now);
    return byListing(footprint.tree);
  };
  const roadmap = await planAhead(library, { track });
  const { artefacts, steps } = roadmap;
  if (artefacts === undefined) return { lines: [], modules: new Set(), footprint };
  const { text: clean } = await loadCleaner();
  const flat = flatFiles(steps, artefacts);
  const lines = ROLES.flatMap((role) => {
    const [, outputs] = role;
    const catalogued = steps.filter(({ help }) => outputs.test(help.outputs)).flatMap((step) =>
      artefacts.filesOf(step)
    );
    return linesOf(
      role,
      [...catalogued, ...flat.filter((path) => isFlatDocument(role, path))],
      artefacts,
      clean,
    );
  }).concat(storiesIn(roadmap));
  return { lines, modules: new Set(steps.map(({ module }) => module)), footprint };
}

/**
 * Whether a step leaves a document with a role, or code, whatever its phase: the brief is a part of the analysis, and quick
 * development is for any time.
 */
function leavesWork({ help }: Step): boolean {
  return /\bimplementation\b/i.test(help.outputs) || ROLES.some(([, outputs]) => outputs.test(help.outputs));
}

const CATEGORIES: readonly string[] = ["planning", "solutioning", "implementation"];

/** Agents work in every phase, and so do the tasks of v4, which name none. */
function isAgentOrTask(entry: Entry): boolean {
  return isOf(entry, "agent") || entry.generation === "v4";
}

/** A file that may be the main one of a document. */
interface Candidate {
  readonly path: string;
  readonly folder: string;
  /** How much it looks like the main file. */
  readonly score: number;
}

/** After 6.12 no catalogue says where documents are: they lie in the output folder, under the names of their kinds. */
function flatFiles(steps: readonly Step[], { roots, filesIn }: Artefacts): readonly string[] {
  const configs = new Set(
    steps.filter(({ entry }) => entry.generation === "flat").map(({ config }) => config),
  );
  const { planning } = foldersOf([...configs], roots);
  return configs.size === 0
    ? []
    : [...new Set(planning.flatMap(filesIn))].filter((path) => path.endsWith(".md"));
}

/** Whether a file is the main one of a document with a role, or lies beside it: `prd-shop/prd-shop.md`, `prd.md`. */
function isFlatDocument([name, , main]: Role, path: string): boolean {
  // An index can be one of anything.
  if (name.endsWith("shards")) return false;
  return main.test(kindOf(path)) || main.test(baseName(parentPath(path)).split("-", 1)[0]!);
}

/** The name of a file without its extension; of one that is named after its folder, only the kind: `prd` of `prd-shop`. */
function kindOf(path: string): string {
  const stem = baseName(path).slice(0, -".md".length);
  return stem === baseName(parentPath(path)) ? stem.split("-", 1)[0]! : stem;
}

function linesOf(
  [role, , main]: Role,
  files: readonly string[],
  artefacts: Artefacts,
  clean: (text: string) => string,
): readonly string[] {
  const documentFiles = files.filter((path) => path.endsWith(".md"));
  const candidates = documentFiles.map((path): Candidate => {
    const stem = kindOf(path);
    const score = BESIDE.test(stem) ? 0 : main.test(stem) ? 3 : stem === "index" ? 2 : 1;
    return { path, folder: parentPath(path), score };
  });
  const documents = documentsAmong(candidates);
  const latest = documents.map((document) => ({ document, time: artefacts.modified(document.path) ?? 0 }))
    .toSorted((a, b) => b.time - a.time).slice(0, MAX_DOCUMENTS);
  const more = documents.length - MAX_DOCUMENTS;
  return latest.map(({ document }, at) => {
    const status = statusIn(artefacts.read(document.path));
    const notes = [status && clean(status), besideIt(document, candidates, documents)];
    if (more > 0 && at === MAX_DOCUMENTS - 1) notes.push(`and ${counted(more, "older one")}`);
    return lineOf(role, document.path, notes);
  });
}

/** The best file of each folder, unless a better one lies in a folder above: then it is a part of that document. */
function documentsAmong(candidates: readonly Candidate[]): readonly Candidate[] {
  const best = new Map<string, Candidate>();
  for (const one of candidates) if (one.score > (best.get(one.folder)?.score ?? 0)) best.set(one.folder, one);
  return [...best.values()].filter(({ folder, score }) => {
    for (let above = folder; above !== "";) {
      above = parentPath(above);
      if ((best.get(above)?.score ?? 0) > score) return false;
    }
    return true;
  });
}

/** The other files of a document: `8 more in docs/prd`. */
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

function statusIn(text: string | undefined): string | undefined {
  const { status } = parseDocumentFront(text ?? "").value;
  return typeof status === "string" && status.trim() !== "" ? shorten(status, MAX_STATUS) : undefined;
}

/** The stories to work on now, and the file of each. */
function storiesIn({ advice }: Roadmap): readonly string[] {
  return advice.flatMap(({ story }) => {
    if (story === undefined) return [];
    const status = shorten(story.status ?? story.state, MAX_STATUS);
    return [
      story.file === undefined
        ? `- current story: ${nameOf(story)} (${status}, no file yet)`
        : lineOf("current story", story.file, [status]),
    ];
  });
}

function lineOf(role: string, path: string, notes: readonly (string | undefined)[]): string {
  const given = notes.filter((note) => note !== undefined);
  return `- ${role}: ${shorten(path, MAX_PATH)}${given.length === 0 ? "" : ` (${given.join("; ")})`}`;
}
