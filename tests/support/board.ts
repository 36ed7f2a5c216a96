/**
 * How does a test read a board, and say what is on it?
 */
import { diskTree } from "../../src/content/tree/mod.ts";
import { type Board, type BoardFolders, type Problem, readBoard } from "../../src/project/board/mod.ts";
import { type TreeFile, withTree } from "./trees.ts";

/** The folders of a project of 6.x. */
export const FOLDERS: BoardFolders = {
  output: "out",
  planning: ["out/plan"],
  implementation: ["out/impl"],
};

/** The board of a project with these files. */
export function boardOf(files: Readonly<Record<string, TreeFile>>, folders = FOLDERS): Promise<Board> {
  return withTree(files, (root) => readBoard(diskTree(root), folders));
}

/** `1 in-progress: 1-1 done,1-2 review` for each epic. */
export function states({ epics }: Board): readonly string[] {
  return epics.map(({ ref, state, stories }) =>
    `${ref} ${state}: ${stories.map((one) => `${one.ref} ${one.state}`)}`
  );
}

/** `file:line problem`. */
export function told(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ path, line, problem }) => `${path}:${line} ${problem}`);
}

/** The drift of all epics and stories. */
export function driftOf({ epics }: Board): readonly string[] {
  return epics.flatMap(({ drift, stories }) => told([...drift, ...stories.flatMap((one) => one.drift)]));
}
