/**
 * The project's folder, opened for reading: where the kit's files can be, and how one is read.
 *
 * Everything is read through one tree over the folder, so nothing outside it is ever read. A file may have the kit's
 * name or Grimoire's; the first one that exists counts. What the files mean is left to others.
 */
import { KITS, type ProjectKit, RUNS_FOLDER } from "../../../settings/plan/mod.ts";
import { normalizeText, type Values } from "../../../content/parse.ts";
import { diskTree, findText, joinPath, type Tree } from "../../../content/tree/mod.ts";

/** Removes secrets from what a project wrote down. */
export interface Cleaner {
  /** Removes values whose keys name a secret, and masks secrets inside other values. */
  values(values: Values): Values;
  /** Masks secrets, recognized by their form or the name before them. */
  text(text: string): string;
}

export interface ProjectFolder {
  /** Absolute and real. */
  readonly root: string;
  /** The only way to the project's files. */
  readonly tree: Tree;
  /** Folders of memory and configuration, those of the project's own kit first: `_bmad`. */
  readonly bases: readonly string[];
  /** Output folders, in the same order: `_bmad-output`. */
  readonly outputs: readonly [string, ...string[]];
  /** Folders of runs; new runs go to the first. */
  readonly runs: readonly [string, ...string[]];
  /** Why the folder that the settings name for runs is not used. */
  readonly runsProblem?: string;
  readonly clean: Cleaner;
}

/** No file of a kit is larger, unless something went wrong with it. */
const MAX_MIB = 2;
const MAX_BYTES = MAX_MIB << 20;

export function openFolder(
  { root, base, output, runs, runsProblem }: ProjectKit,
  clean: Cleaner,
): ProjectFolder {
  const runsIn = (output: string) => joinPath(output, RUNS_FOLDER);
  const others = KITS.filter((kit) => kit.base !== base);
  return {
    root,
    tree: diskTree(root, { maxBytes: MAX_BYTES }),
    bases: [base, ...others.map((kit) => kit.base)],
    outputs: [output, ...others.map((kit) => kit.output)],
    runs: [runs ?? runsIn(output), ...others.map((kit) => runsIn(kit.output))],
    ...(runsProblem === undefined ? {} : { runsProblem }),
    clean,
  };
}

export interface ProjectFile {
  /** Inside the project. */
  readonly path: string;
  /** With plain line ends; empty when the file cannot be read. */
  readonly text: string;
  /** Why it cannot be read: `not readable as text`. */
  readonly problem?: string;
}

export function findFile({ tree }: ProjectFolder, paths: readonly string[]): ProjectFile | undefined {
  for (const path of paths) {
    const facts = tree.stat(path);
    if (facts === undefined) continue;
    if (facts.size > MAX_BYTES) return { path, text: "", problem: `larger than ${MAX_MIB} MiB` };
    const text = findText(tree, path);
    return text === undefined
      ? { path, text: "", problem: "not readable as text" }
      : { path, text: normalizeText(text) };
  }
  return undefined;
}

/** Where a file of the memory folder can be. */
export function memoryPaths({ bases }: ProjectFolder, name: string): readonly string[] {
  return bases.map((base) => joinPath(base, "_memory", name));
}
