/**
 * How long does the board of 2,000 stories take, compared with only reading the same files? Fails above the limit.
 *
 *     deno run -A --config deno.dev.json bench/board.ts
 */
import { loadCleaner } from "../src/content/library/mod.ts";
import { diskTree, walkFiles } from "../src/content/tree/mod.ts";
import { readBoard } from "../src/project/work/board/mod.ts";
import { withStories } from "../tests/support/board.ts";
import { median, print } from "./support.ts";

const LIMIT = 3;

const clean = await loadCleaner();
const folders = { output: "out", planning: ["out/plan"], implementation: ["out/impl"] };

async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

await withStories(2_000, async (root) => {
  const rounds: { readonly reading: number; readonly board: number }[] = [];
  for (let round = 0; round < 7; round++) {
    const reading = await time(() => {
      const tree = diskTree(root);
      for (const path of walkFiles(tree, "out", () => false)) new TextDecoder().decode(tree.read(path));
    });
    rounds.push({ reading, board: await time(() => readBoard(diskTree(root), folders, clean.text)) });
  }
  const board = median(rounds.map((one) => one.board));
  const ratio = median(rounds.map(({ reading, board }) => board / reading));
  print(
    `board of 2,000 stories: ${board.toFixed(0)} ms, ${
      ratio.toFixed(2)
    } times reading the files (limit ${LIMIT})`,
  );
  if (ratio > LIMIT) Deno.exitCode = 1;
});
