/**
 * The project whose memory and runs are read: where its files can be, and how they are opened.
 *
 * Everything is read through one tree over the project's folder, so nothing outside it can be. A file of the kit may
 * lie under the kit's names or under Grimoire's; the first that is there counts.
 */
import { KITS, type ProjectKit } from "../../settings/plan/mod.ts";
import { normalizeText, type Values } from "../../content/parse.ts";
import { diskTree, findText, joinPath, type Tree } from "../../content/tree/mod.ts";

/** Takes secrets out of what a project wrote down. */
export interface Cleaner {
  /** Without the values whose keys name a secret, and with secrets inside other values replaced. */
  values(values: Values): Values;
  /** With secrets replaced that their form or the name before them tells. */
  text(text: string): string;
}

/** A project, opened for reading. */
export interface ProjectFolder {
  /** Its folder, absolute and real. */
  readonly root: string;
  /** The only way to its files. */
  readonly tree: Tree;
  /** Folders of memory and configuration, the project's own kind first: `_bmad`. */
  readonly bases: readonly string[];
  /** Folders of what was made, in the same order: `_bmad-output`. */
  readonly outputs: readonly [string, ...string[]];
  readonly clean: Cleaner;
}

/** No file of a kit is larger, unless something went wrong with it. */
const MAX_BYTES = 2 << 20;

/** Opens a project. Nothing is read yet. */
export function openFolder({ root, base, output }: ProjectKit, clean: Cleaner): ProjectFolder {
  const others = KITS.filter((kit) => kit.base !== base);
  return {
    root,
    tree: diskTree(root, { maxBytes: MAX_BYTES }),
    bases: [base, ...others.map((kit) => kit.base)],
    outputs: [output, ...others.map((kit) => kit.output)],
    clean,
  };
}

/** A file of the project. */
export interface ProjectFile {
  /** Inside the project. */
  readonly path: string;
  /** With plain line ends; empty when the file cannot be read. */
  readonly text: string;
  /** Half a sentence such as `it is no text`; missing when all is well. */
  readonly problem?: string;
}

/** The first of some files that is there. */
export function findFile({ tree }: ProjectFolder, paths: readonly string[]): ProjectFile | undefined {
  for (const path of paths) {
    const facts = tree.stat(path);
    if (facts === undefined) continue;
    if (facts.size > MAX_BYTES) return { path, text: "", problem: `it has more than ${MAX_BYTES} bytes` };
    const text = findText(tree, path);
    return text === undefined
      ? { path, text: "", problem: "it cannot be read as text" }
      : { path, text: normalizeText(text) };
  }
  return undefined;
}

/** Where a file of the memory folder can be. */
export function memoryPaths({ bases }: ProjectFolder, name: string): readonly string[] {
  return bases.map((base) => joinPath(base, "_memory", name));
}
