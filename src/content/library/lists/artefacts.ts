/**
 * Which steps have left something behind: the files in a project's output folders, and what they say of themselves.
 *
 * Catalogues say in a few words what a step leaves, and where: `epics and stories` in `planning_artifacts`. A file is
 * taken for what its path has most words of. That it is there shows that the step was begun; only a status in the file
 * shows more. Folders outside the project are not looked into. Nothing is written, and nothing is kept.
 */
import { parseFrontMatter, type Values } from "../../parse.ts";
import { diskTree, findText, normalizePath, type Tree, walkFiles } from "../../tree/mod.ts";
import { stemOf, wordsOf } from "../../../base/terms.ts";
import type { Library } from "../library.ts";
import { resolveModuleConfigs } from "../values/config.ts";
import type { Step } from "./steps.ts";

/** What is known of a step's outputs. */
export interface Progress {
  /**
   * `done` and `begun` are what the files say, `there` is when they say nothing; `none` is when there are none;
   * `unseen` when nothing tells where they would be.
   */
  readonly state: "done" | "there" | "begun" | "none" | "unseen";
  /** The files, by their paths in the project. */
  readonly files: readonly string[];
  /** The folders that were looked into, by their paths in the project. */
  readonly folders: readonly string[];
}

/** What was found in a project. */
export interface Findings {
  /** The progress of each step. */
  of(step: Step): Progress;
  /** The text of a file that was found. */
  read(path: string): string | undefined;
}

/** A document is read for its first lines; nobody writes one that is longer. */
const MAX_BYTES = 1 << 20;
/** More files than a project's documents are. */
const MOST_FILES = 2_000;

/** Looks for the outputs of steps; says why, when there is no project to look into. */
export function findArtefacts(
  library: Library,
  steps: readonly Step[],
): Findings | { readonly reason: string } {
  const { project } = library;
  const source = library.sources.find(({ origin }) => origin.kind === "project");
  if (source === undefined || project === undefined) {
    return { reason: "no project folder is served; name one with --project" };
  }
  const root = source.tree.location;
  // A tree of its own: what the user is working on is no content, and a change of it changes nothing that is served.
  const tree = diskTree(root, { maxBytes: MAX_BYTES });
  const modules = [...new Set(steps.map(({ module }) => module))];
  const configs = resolveModuleConfigs(library, modules);
  const leavings = new Map(steps.map((step): readonly [Step, Leaving] => {
    // The core's things also leave theirs in folders that only a module has.
    const values = Object.assign({}, ...configs, configs[modules.indexOf(step.module)]);
    return [step, { folders: foldersFor(step, values, [root, project]), outputs: outputsOf(step) }];
  }));
  const folders = new Set([...leavings.values()].flatMap((leaving) => leaving.folders));
  const files = new Set([...folders].flatMap((folder) => filesIn(tree, folder)));
  const found = new Map<Step, string[]>();
  for (const path of files) {
    const step = stepFor(path, leavings);
    if (step !== undefined) found.set(step, [...found.get(step) ?? [], path]);
  }
  return {
    of: (step) => {
      const [paths, { folders, outputs }] = [found.get(step) ?? [], leavings.get(step)!];
      const isSeen = folders.length > 0 && outputs.length > 0;
      return {
        state: !isSeen ? "unseen" : paths.length === 0 ? "none" : stateOf(tree, paths),
        files: paths,
        folders,
      };
    },
    read: (path) => findText(tree, path),
  };
}

/** The folders, by their paths in the project, in which a step leaves its outputs. */
function foldersFor({ help }: Step, values: Values, roots: readonly string[]): readonly string[] {
  return help.location.split("|").flatMap((part) => {
    const word = part.trim().replaceAll("-", "_");
    const named = typeof values[word] === "string"
      ? values[word]
      : /[/{]/.test(part)
      ? part.trim()
      : undefined;
    const folder = named === undefined ? undefined : inProject(fill(named, values), roots);
    return folder === undefined ? [] : [folder];
  });
}

/** Values may name each other, a few deep. */
function fill(text: string, values: Values): string {
  let filled = text;
  for (let depth = 0; depth < 4; depth++) {
    filled = filled.replaceAll(/\{(\w+)\}/g, (whole, key) => {
      const value = values[key];
      return typeof value === "string" ? value : whole;
    });
  }
  return filled;
}

/** The path in the project of a folder; undefined when it lies elsewhere, or is the project itself. */
function inProject(path: string, roots: readonly string[]): string | undefined {
  const parts = path.replace(/^\{project[-_]root\}[\\/]?/, "").split(/[\\/]/);
  // What is not known yet, such as a date, ends the path.
  const end = parts.findIndex((part) => /[{}*]/.test(part));
  const folder = (end < 0 ? parts : parts.slice(0, end)).join("/");
  const root = roots.map((root) => root.replaceAll("\\", "/")).find((root) =>
    `${folder}/`.startsWith(`${root}/`)
  );
  const isElsewhere = root === undefined && /^([A-Za-z]:)?\/|^~/.test(folder);
  return isElsewhere
    ? undefined
    : normalizePath(folder.slice(root === undefined ? 0 : root.length + 1)) || undefined;
}

function filesIn(tree: Tree, folder: string): readonly string[] {
  const isLeftOut = (path: string) => /(?:^|\/)(?:\.[^/]*|node_modules|archive)$/.test(path);
  return walkFiles(tree, folder, isLeftOut).take(MOST_FILES).toArray();
}

/** Where a step leaves its outputs, and the words of each of them. */
interface Leaving {
  readonly folders: readonly string[];
  readonly outputs: readonly (readonly string[])[];
}

/** `epics and stories` are two outputs, `SPEC.md + companion files` too. */
function outputsOf({ help }: Step): Leaving["outputs"] {
  return help.outputs.split(/[|+,/&]|\band\b/).map((output) =>
    stemsOf(output.replaceAll(/\([^)]*\)|\.\w+\b/g, " "))
  )
    .filter((words) => words.length > 0);
}

function stemsOf(text: string): readonly string[] {
  return wordsOf(text).map((word) => stemOf(word, "en"));
}

/** The step whose words a path has most of, among those whose folder is the nearest. */
function stepFor(path: string, leavings: ReadonlyMap<Step, Leaving>): Step | undefined {
  const around = [...leavings].flatMap(([step, { folders, outputs }]) =>
    folders.filter((folder) => path.startsWith(`${folder}/`)).map((folder) => ({ step, folder, outputs }))
  );
  const nearest = Math.max(...around.map(({ folder }) => folder.length));
  const own = stemsOf(path.slice(nearest + 1));
  let best: { readonly step: Step; readonly share: number; readonly count: number } | undefined;
  for (const { step, outputs } of around.filter(({ folder }) => folder.length === nearest)) {
    for (const output of outputs) {
      const count = output.filter((word) => own.some((other) => isAkin(word, other))).length;
      const share = count / output.length;
      const isBetter = best === undefined || share > best.share ||
        (share === best.share && count > best.count);
      // Half of its words are enough: what is called a product brief lies in `briefs`.
      if (share >= 0.5 && isBetter) best = { step, share, count };
    }
  }
  return best?.step;
}

/** Forms of one word, and what people shorten: `retro` for a retrospective. */
function isAkin(a: string, b: string): boolean {
  return a === b || (Math.min(a.length, b.length) >= 5 && (a.startsWith(b) || b.startsWith(a)));
}

const FINISHED = /^(?:final(?:i[sz]ed)?|done|completed?|approved|accepted|finished)$/i;

/** What documents say of themselves; one that is finished is enough. */
function stateOf(tree: Tree, paths: readonly string[]): Progress["state"] {
  const statuses = paths.filter((path) => path.endsWith(".md")).flatMap((path) => {
    const { status } = parseFrontMatter(findText(tree, path) ?? "").value;
    return typeof status === "string" && status.trim() !== "" ? [status.trim()] : [];
  });
  if (statuses.some((status) => FINISHED.test(status))) return "done";
  return statuses.length > 0 ? "begun" : "there";
}
