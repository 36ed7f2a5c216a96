/** The board's files, each read once. One belongs to the ledger that claimed it first: folders may be shared. */
import { findConflict } from "../../../base/conflicts.ts";
import type { Interruptible } from "../../../base/work.ts";
import { describe, expectFailure } from "../../../base/errors.ts";
import { shorten } from "../../../base/text.ts";
import { cacheListings, decodeText, joinPath, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { readDocument, readStoryText, type StoryDocument, type StoryText } from "./document.ts";
import type { BoardFolders, Problem } from "./model.ts";

export function lengthProblem(text: string): string | undefined {
  if (text.length > LIMITS.source.textLength) {
    return `it is longer than ${LIMITS.source.textLength} characters`;
  }
  if (text.length <= LIMITS.source.textLines) return undefined;
  let lines = 0;
  for (const ends = /\n|\r(?!\n)/g; lines <= LIMITS.source.textLines && ends.test(text);) lines++;
  return lines > LIMITS.source.textLines ? `it has more than ${LIMITS.source.textLines} lines` : undefined;
}

const kept = new WeakMap<Tree, { readonly texts: Map<string, StoryText>; left: number }>();

/** For requests that need more than a board does: kept as memory allows. */
export function cacheStoryTexts(tree: Tree): Tree {
  kept.set(tree, { texts: new Map(), left: LIMITS.documents.cachedLength });
  return tree;
}

export function cachedStoryText(tree: Tree, path: string): StoryText | undefined {
  return kept.get(tree)?.texts.get(path);
}

export type Source = ReturnType<typeof openSource>;

export function openSource(files: Tree, folders: BoardFolders) {
  const tree = cacheListings(files);
  const problems: Problem[] = [];
  const conflicts: Problem[] = [];
  const claimed = new Set<string>();
  const documents = new Map<string, StoryDocument | undefined>();
  const prefetched = new Map<string, string | undefined>();
  const story = kept.get(files);
  const read = (path: string, text: string): StoryDocument => {
    if (story === undefined || (story.left -= text.length) < 0) return readDocument(path, text);
    const found = readStoryText(path, text);
    story.texts.set(path, found);
    return found;
  };
  let [count, cost] = [0, 0];
  const report = (path: string, problem: string, line?: number) => {
    // Other problems there come of the marks.
    if (problems.length >= LIMITS.source.problems || conflicts.some((one) => one.path === path)) return;
    const isLast = problems.length === LIMITS.source.problems - 1;
    const limit = `limit reached: only ${LIMITS.source.problems} problems are shown`;
    problems.push({ path, line, problem: isLast ? limit : shorten(problem) });
  };
  let isFull = false;
  const isWithin = (path: string) => {
    if (!isFull && (++count > LIMITS.source.files || cost > LIMITS.source.cost)) {
      isFull = true;
      report(path, "limit reached: this file and those after it are not read");
    }
    return !isFull;
  };
  const namesIn = (folder: string, isDirectory: boolean) =>
    tree.list(folder).filter((item) => item.isDirectory === isDirectory).map(({ name }) => name);
  const text = (path: string): string | undefined => {
    if (!isWithin(path)) return undefined;
    try {
      const bytes = tree.read(path);
      const text = decodeText(bytes);
      const problem = text === undefined ? "it is not text" : lengthProblem(text);
      cost += text === undefined || problem !== undefined ? bytes.length : readingCost(path, text);
      if (problem !== undefined) report(path, problem);
      const conflict = problem === undefined ? findConflict(text!) : undefined;
      if (conflict !== undefined) {
        report(path, conflict.problem, conflict.line);
        conflicts.push({ path, ...conflict });
      }
      return problem === undefined ? text : undefined;
    } catch (error) {
      const failure = expectFailure(error);
      if (failure.code !== "not-found") report(path, describe(failure));
      return undefined;
    }
  };
  return {
    folders,
    problems,
    conflicts,
    filesIn: (folder: string): readonly string[] => namesIn(folder, false),
    foldersIn: (folder: string): readonly string[] =>
      namesIn(folder, true).filter((name) => !name.startsWith(".")),
    has: (path: string): boolean => tree.hasFile(path),
    text,
    /** Several in a row are read sooner than between others' parsing. */
    readAhead: (path: string): void => {
      if (!documents.has(path) && !claimed.has(path)) prefetched.set(path, text(path));
    },
    document: (path: string): StoryDocument | undefined =>
      documents.getOrInsertComputed(path, () => {
        const found = prefetched.has(path) ? prefetched.get(path) : text(path);
        prefetched.delete(path);
        const document = found === undefined ? undefined : read(path, found);
        if (document?.problem !== undefined) report(path, document.problem.problem, document.problem.line);
        return document;
      }),
    claim: (path: string): boolean => !claimed.has(path) && claimed.add(path).has(path),
    isClaimed: (path: string): boolean => claimed.has(path),
    report,
  };
}

/** In characters of prose: a line costs as much as 16, data eight times as much. */
export function readingCost(path: string, text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  const isDocument = /\.md$/i.test(path);
  const frontMatter = isDocument && /^\uFEFF?---\r?\n/.test(text) ? Math.max(0, text.indexOf("\n---", 4)) : 0;
  return text.length + 16 * lines + 8 * (isDocument ? frontMatter : text.length);
}

export function uniqueFolders(...folders: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

export function pathsIn(source: Source, folder: string): readonly string[] {
  return source.foldersIn(folder).map((name) => joinPath(folder, name));
}

/** Except hidden, installed and put aside ones. */
export function* filesBelow(tree: Tree, folder: string): Interruptible<readonly string[]> {
  const found: string[] = [];
  // Nearest first: a folder full of other files must not hide them.
  const folders = [folder];
  for (const at of folders) {
    if (found.length >= LIMITS.source.filesBelow) break;
    for (const { name, isDirectory } of tree.list(at)) {
      if (/^[._]|^(?:node_modules|archive(?:-v6)?)$/.test(name)) continue;
      if (!isDirectory) found.push(joinPath(at, name));
      else if (folders.length < LIMITS.source.filesBelow) folders.push(joinPath(at, name));
    }
    yield;
  }
  return found.slice(0, LIMITS.source.filesBelow);
}
