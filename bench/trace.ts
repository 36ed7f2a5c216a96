/**
 * How long does the trace of 2,000 stories take once their board is read, compared with only reading the same files? Fails
 * above the limit.
 *
 *     deno run -A --config deno.dev.json bench/trace.ts
 */
import { loadCleaner } from "../src/content/library/mod.ts";
import { diskTree, walkFiles } from "../src/content/tree/mod.ts";
import { readBoard } from "../src/project/work/board/mod.ts";
import { keepTexts } from "../src/project/work/formats/mod.ts";
import { readTrace } from "../src/project/work/trace/mod.ts";
import { withStories } from "../tests/support/board.ts";
import { median, print } from "./support.ts";

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
    const tree = keepTexts(diskTree(root));
    const board = await time(() => readBoard(tree, folders, clean));
    const trace = await time(() => readTrace({ board: board.value, tree, folders, clean }));
    rounds.push({ reading: reading.ms, board: board.ms, trace: trace.ms });
  }
  const ratio = median(rounds.map(({ reading, trace }) => trace / reading));
  const whole = median(rounds.map(({ reading, board, trace }) => (board + trace) / reading));
  print(
    `trace of 2,000 stories: ${median(rounds.map((one) => one.trace)).toFixed(0)} ms, ${
      ratio.toFixed(2)
    } times reading the files (limit ${LIMIT}); with its board ${whole.toFixed(2)} times (load ${
      Deno.loadavg().map((load) => load.toFixed(1)).join(" ")
    })`,
  );
  if (ratio > LIMIT) Deno.exitCode = 1;
});
