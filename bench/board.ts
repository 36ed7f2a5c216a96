/**
 * How long does the board of 2,000 stories take, compared with only reading the same files? Fails above the limit, which
 * is for a server that has read them before; the first reading of a process is shown beside it.
 *
 *     deno run -A --config deno.dev.json bench/board.ts
 */
import { loadCleaner } from "../src/content/library/mod.ts";
import { diskTree, walkFiles } from "../src/content/tree/mod.ts";
import { readBoard } from "../src/project/work/board/mod.ts";
import { withStories } from "../tests/support/board.ts";
import { loadNow, median, print } from "./support.ts";

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
  for (let round = 0; round < 10; round++) {
    const reading = await time(() => {
      const tree = diskTree(root);
      for (const path of walkFiles(tree, "out", () => false)) new TextDecoder().decode(tree.read(path));
    });
    rounds.push({ reading, board: await time(() => readBoard(diskTree(root), folders, clean.text)) });
  }
  const [first, ...later] = rounds;
  const ratioOf = ({ reading, board }: (typeof rounds)[number]) => board / reading;
  const ratio = median(later.map(ratioOf));
  print(
    `board of 2,000 stories: ${median(later.map((one) => one.board)).toFixed(0)} ms, ${
      ratio.toFixed(2)
    } times reading the files (limit ${LIMIT}); at first ${first!.board.toFixed(0)} ms, ${
      ratioOf(first!).toFixed(2)
    } times (load ${loadNow()})`,
  );
  if (ratio > LIMIT) Deno.exitCode = 1;
});
