/**
 * Each step's artefacts. Catalogues describe them in a few words, with a folder (`epics and stories` in
 * `planning_artifacts`): a file belongs to the step whose words fit its path best. That it exists shows that the step
 * was started; only a status in it shows more.
 */
import { cacheRecent } from "../../../base/cache.ts";
import { runInSlices } from "../../../base/work.ts";
import { stemOf, wordsOf } from "../../../base/language/mod.ts";
import type { Library, Step } from "../../../content/library/mod.ts";
import { parseDocumentFront } from "../../../content/parse.ts";
import { diskTree, findText, parentPath, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { filesBelow, folderInProject, readingCost } from "../formats/mod.ts";

export interface Progress {
  /** By its files' status; `present`: without one; `unknown`: no folder known. */
  readonly state: "done" | "present" | "started" | "none" | "unknown";
  readonly files: readonly string[];
  /** Why no file shows one, where it should: `docs/prd.md: the front matter cannot be parsed: … (3:5)`. */
  readonly problem?: string;
  readonly folders: readonly string[];
}

export type Artefacts = Extract<Awaited<ReturnType<typeof findArtefacts>>, { readonly tree: Tree }>;

const MAX_BYTES = 1 << 20;
const MAX_STEMS = 2_000;

export async function findArtefacts(
  library: Library,
  steps: readonly Step[],
  track = (tree: Tree) => tree,
) {
  const { project } = library;
  const source = library.sources.find(({ origin }) => origin.kind === "project");
  if (source === undefined || project === undefined) return { reason: "no project folder is served" };
  const root = source.tree.location;
  // Apart: the user's documents must not reload the library.
  const tree = track(diskTree(root, { maxBytes: MAX_BYTES }));
  const expected = new Map(steps.map((step) => [step, expectedOf(step, [root, project])]));
  const folders = new Set([...expected.values()].flatMap((one) => one.folders));
  const files = new Set<string>();
  for (const folder of folders) {
    for (const file of await runInSlices(filesBelow(tree, folder))) files.add(file);
  }
  const around = cacheRecent<readonly Near[]>(LIMITS.source.files);
  const found = Map.groupBy(
    files,
    (path) => stepFor(path, around(parentPath(path), () => stepsAround(path, expected))),
  );
  let left = LIMITS.source.cost;
  const read = (path: string) => {
    if (left <= 0) return undefined;
    const text = findText(tree, path) ?? "";
    left -= readingCost(path, text);
    return text;
  };
  const progressOf = (step: Step): Progress => {
    const files = found.get(step) ?? [];
    const { folders, outputs } = expected.get(step)!;
    if (folders.length === 0 || outputs.length === 0) return { state: "unknown", files, folders };
    return { ...files.length === 0 ? { state: "none" } : stateOf(read, files), files, folders };
  };
  const known = new Map<Step, Progress>();
  const of = (step: Step) => known.getOrInsertComputed(step, progressOf);
  return { tree, roots: [root, project], of };
}

type Expected = ReturnType<typeof expectedOf>;

/** `epics and stories` are two, and so are `SPEC.md + companion files`. */
function expectedOf({ help, config: values }: Step, roots: readonly string[]) {
  const folders = help.location.split("|").flatMap((part) => {
    const value = values[part.trim().replaceAll("-", "_")];
    const named = typeof value === "string" ? value : /[/{]/.test(part) ? part.trim() : undefined;
    const folder = named === undefined ? undefined : folderInProject(named, values, roots);
    return folder === undefined ? [] : [folder];
  });
  const outputs = help.outputs.split(/[|+,/&]|\band\b/)
    .map((output) => stemsOf(output.replaceAll(/\([^()]*\)|\.\w+\b/g, " ")));
  return { folders, outputs: outputs.filter((words) => words.length > 0) };
}

const stems = cacheRecent<string>(MAX_STEMS);

function stemsOf(text: string): readonly string[] {
  return wordsOf(text).map((word) => stems(word, () => stemOf(word, "en")));
}

type Near = ReturnType<typeof stepsAround>[number];

/** Whose folder is the nearest one above. */
function stepsAround(path: string, expected: ReadonlyMap<Step, Expected>) {
  const around = [...expected].flatMap(([step, { folders, outputs }]) =>
    folders.filter((folder) => path.startsWith(`${folder}/`)).map((folder) => ({ step, folder, outputs }))
  );
  const nearest = Math.max(...around.map(({ folder }) => folder.length));
  return around.filter(({ folder }) => folder.length === nearest);
}

function stepFor(path: string, around: readonly Near[]): Step | undefined {
  const own = stemsOf(path.slice((around[0]?.folder.length ?? 0) + 1));
  const matches = around.flatMap(({ step, outputs }) =>
    outputs.map((output) => {
      const count = output.filter((word) => own.some((other) => isRelated(word, other))).length;
      return { step, count, share: count / output.length };
    })
  );
  // Half will do: a product brief may lie in `briefs`.
  return matches.filter(({ share }) => share >= 0.5)
    .toSorted((a, b) => b.share - a.share || b.count - a.count)[0]?.step;
}

/** Or an abbreviation: `retro` for a retrospective. */
function isRelated(a: string, b: string): boolean {
  return a === b || (Math.min(a.length, b.length) >= 5 && (a.startsWith(b) || b.startsWith(a)));
}

const FINISHED = /^(?:final(?:i[sz]ed)?|done|completed?|approved|accepted|finished)$/i;

const MAX_READ = 100;

function stateOf(
  textOf: (path: string) => string | undefined,
  paths: readonly string[],
): Pick<Progress, "state" | "problem"> {
  const read = paths.filter((path) => path.endsWith(".md")).slice(0, MAX_READ).map((path) => {
    const text = textOf(path);
    if (text === undefined) return { status: "", problem: `${path}: limit reached, the file is not read` };
    const { value: { status }, problem, isLimit } = parseDocumentFront(text);
    return {
      status: typeof status === "string" ? status.trim() : "",
      problem: problem && `${path}: ${problem}${isLimit ? "" : ". Fix that line"}`,
    };
  });
  if (read.some(({ status }) => FINISHED.test(status))) return { state: "done" };
  if (read.some(({ status }) => status !== "")) return { state: "started" };
  return { state: "present", problem: read.find(({ problem }) => problem !== undefined)?.problem };
}
