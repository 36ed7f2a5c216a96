/**
 * How long does the trace of 2,000 stories take with its board, compared with only reading the same files? Fails above the
 * limit, which is for a server that has read them before; the first reading of a process is shown beside it.
 *
 *     deno run -A --config deno.dev.json bench/trace.ts
 */
import { loadCleaner } from "../src/content/library/mod.ts";
import { diskTree, walkFiles } from "../src/content/tree/mod.ts";
import { readBoard } from "../src/project/work/board/mod.ts";
import { cacheStoryTexts } from "../src/project/work/formats/mod.ts";
import { readTrace } from "../src/project/work/trace/mod.ts";
import { withStories } from "../tests/support/board.ts";
import { loadNow, median, print } from "./support.ts";

const LIMIT = 3;

const { text: clean } = await loadCleaner();
const folders = { output: "out", planning: ["out/plan"], implementation: ["out/impl"] };

async function time<T>(work: () => T | Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

await withStories(2_000, async (root) => {
  const rounds: { readonly reading: number; readonly board: number; readonly trace: number }[] = [];
  for (let round = 0; round < 9; round++) {
    const reading = await time(() => {
      const tree = diskTree(root);
      for (const path of walkFiles(tree, "out", () => false)) new TextDecoder().decode(tree.read(path));
    });
    const tree = cacheStoryTexts(diskTree(root));
    const board = await time(() => readBoard(tree, folders, clean));
    const trace = await time(() => readTrace({ board: board.value, tree, folders, clean }));
    rounds.push({ reading: reading.ms, board: board.ms, trace: trace.ms });
  }
  const [first, ...later] = rounds;
  const wholeOf = ({ board, trace }: (typeof rounds)[number]) => board + trace;
  const ratioOf = (one: (typeof rounds)[number]) => wholeOf(one) / one.reading;
  const ratio = median(later.map(ratioOf));
  print(
    `trace of 2,000 stories with its board: ${median(later.map(wholeOf)).toFixed(0)} ms, ${
      ratio.toFixed(2)
    } times reading the files (limit ${LIMIT}); the trace alone ${
      median(later.map(({ reading, trace }) => trace / reading)).toFixed(2)
    } times; at first ${wholeOf(first!).toFixed(0)} ms, ${
      ratioOf(first!).toFixed(2)
    } times (load ${loadNow()})`,
  );
  if (ratio > LIMIT) Deno.exitCode = 1;
});
