/**
 * How does an inventory scale? Ratios to a bare walk of the same folder and to the peer's start, in one run.
 *
 * Creates roots in the compiled layout, which both sides read: one of 10,000 files, and two with 1,000 and 10,000
 * agents and as many workflows. Fails above the limits: 3 times a bare `Deno.readDirSync` walk; 0.25 and 0.15 times the
 * peer's time from spawn to tools/list; 200 MB of memory at 10,000.
 *
 *     deno run -A --config deno.dev.json bench/inventory.ts
 */
import { readInventory } from "../src/content/inventory/mod.ts";
import { diskTree } from "../src/content/tree/mod.ts";
import { makeRoot } from "./big_root.ts";
import { buildBundle, installPeer, median, print, timeToTools } from "./support.ts";

const work = await Deno.makeTempDir({ prefix: "bmad-mcp-bench-" });
try {
  const limits: boolean[] = [];
  const judge = (name: string, value: number, limit: number, unit = "") => {
    limits.push(value <= limit);
    print(`${name.padEnd(46)} ${value.toFixed(2)}${unit} (limit ${limit}${unit})`);
  };

  const files = `${work}/files`;
  makeRoot(files, 250, 250, 36);
  const walks = repeat(7, () => walk(files));
  const inventories: number[] = [];
  for (let i = 0; i < 7; i++) {
    inventories.push(await time(() => readInventory(diskTree(files)).then(() => {})));
  }
  print(
    `10,000 files: bare walk ${Math.min(...walks).toFixed(0)} ms, inventory ${
      Math.min(...inventories).toFixed(0)
    } ms`,
  );
  judge("inventory of 10,000 files to a bare walk", Math.min(...inventories) / Math.min(...walks), 3);

  const ours = await buildBundle(`${work}/bundle`);
  const peer = await installPeer(`${work}/peer`);
  for (const [count, limit] of [[1_000, 0.25], [10_000, 0.15]] as const) {
    const root = `${work}/items-${count}`;
    makeRoot(root, count, count, 0);
    const rounds = count > 1_000 ? 3 : 7;
    const times = { ours: [] as number[], peer: [] as number[] };
    let memory = 0;
    for (let round = 0; round < rounds; round++) {
      const mine = await timeToTools(ours, root);
      times.ours.push(mine.ms);
      memory = Math.max(memory, mine.rss);
      times.peer.push((await timeToTools(["node", peer], root)).ms);
    }
    const [a, b] = [median(times.ours), median(times.peer)];
    print(
      `${count} agents, ${count} workflows: ours ${a.toFixed(0)} ms, peer ${b.toFixed(0)} ms, our memory ${
        memory.toFixed(0)
      } MB`,
    );
    judge(`start with ${count} agents and workflows to the peer`, a / b, limit);
    if (count === 10_000) judge("memory after that start", memory, 200, " MB");
  }
  if (limits.includes(false)) Deno.exitCode = 1;
} finally {
  await Deno.remove(work, { recursive: true });
}

function walk(dir: string): void {
  for (const { name, isDirectory } of Deno.readDirSync(dir)) if (isDirectory) walk(`${dir}/${name}`);
}

function repeat(times: number, work: () => void): readonly number[] {
  return Array.from({ length: times }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
}

async function time(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
