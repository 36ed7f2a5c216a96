/** How does a test get the context pack of a story? */
import { diskTree } from "../../src/content/tree/mod.ts";
import { findStory, readBoard } from "../../src/project/work/board/mod.ts";
import { type Embed, gatherContext, reportContext } from "../../src/project/work/context/mod.ts";
import { FOLDERS } from "./board.ts";

export const BUDGET = 8_000;

export async function packOf(root: string, name: string, budget = BUDGET, embed?: Embed) {
  const tree = diskTree(root);
  const board = await readBoard(tree, FOLDERS);
  const found = findStory(board, name);
  const pack = await gatherContext({ tree, board, folders: FOLDERS, ...(embed && { embed }) }, found, budget);
  return { pack, ...reportContext(found, pack, (text) => text.replaceAll("hunter2", "[removed]")) };
}
