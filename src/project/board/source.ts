/**
 * The files of a project as the board reads them: within limits, and with a note of every problem.
 *
 * Each file is read once, and belongs to the ledger that claimed it first: folders of several formats may be the same.
 */
import { BmadError, describe } from "../../base/errors.ts";
import { shorten } from "../../base/text.ts";
import { cacheListings, decodeText, joinPath, type Tree } from "../../content/tree/mod.ts";
import { readDocument, type StoryDocument } from "./document.ts";
import type { BoardFolders, Problem } from "./model.ts";

/** More stories than any project has. */
const MAX_FILES = 20_000;
/** A document of that length was written by a machine. */
const MAX_LENGTH = 1 << 20;

/** What adapters read from. */
export interface Source {
  readonly folders: BoardFolders;
  readonly problems: Problem[];
  /** The files directly in a folder, by name. */
  filesIn(folder: string): readonly string[];
  foldersIn(folder: string): readonly string[];
  has(path: string): boolean;
  /** A file's text; undefined if it is missing, and with a problem if it cannot be read. */
  text(path: string): string | undefined;
  /** A file about a story; undefined as for `text`. */
  document(path: string): StoryDocument | undefined;
  /** Takes a file for a ledger; false if another one has it. */
  claim(path: string): boolean;
  isClaimed(path: string): boolean;
  report(path: string, problem: string, line?: number): void;
}

/** Opens the files for one reading. */
export function openSource(files: Tree, folders: BoardFolders): Source {
  const tree = cacheListings(files);
  const problems: Problem[] = [];
  const claimed = new Set<string>();
  const documents = new Map<string, StoryDocument | undefined>();
  let read = 0;
  const report = (path: string, problem: string, line?: number) => {
    problems.push({ path, ...(line !== undefined && { line }), problem: shorten(problem) });
  };
  const namesIn = (folder: string, isDirectory: boolean) =>
    tree.list(folder).filter((item) => item.isDirectory === isDirectory).map(({ name }) => name);
  const text = (path: string): string | undefined => {
    if (++read > MAX_FILES) {
      if (read === MAX_FILES + 1) report(path, `only the first ${MAX_FILES} files are read`);
      return undefined;
    }
    try {
      const text = decodeText(tree.read(path));
      if (text === undefined) report(path, "it is not text");
      else if (text.length > MAX_LENGTH) report(path, `it is longer than ${MAX_LENGTH} characters`);
      return text !== undefined && text.length <= MAX_LENGTH ? text : undefined;
    } catch (error) {
      if (!(error instanceof BmadError)) throw error;
      if (error.failure.code !== "not-found") report(path, describe(error.failure));
      return undefined;
    }
  };
  return {
    folders,
    problems,
    filesIn: (folder) => namesIn(folder, false),
    foldersIn: (folder) => namesIn(folder, true).filter((name) => !name.startsWith(".")),
    has: (path) => tree.hasFile(path),
    text,
    document: (path) =>
      documents.getOrInsertComputed(path, () => {
        const found = text(path);
        const document = found === undefined ? undefined : readDocument(path, found);
        if (document?.problem !== undefined) report(path, document.problem.problem, document.problem.line);
        return document;
      }),
    claim: (path) => !claimed.has(path) && claimed.add(path).has(path),
    isClaimed: (path) => claimed.has(path),
    report,
  };
}

/** The folders among which a document may lie, each once. */
export function uniqueFolders(...folders: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

/** The folders directly in `folder`, as paths. */
export function pathsIn(source: Source, folder: string): readonly string[] {
  return source.foldersIn(folder).map((name) => joinPath(folder, name));
}
