/**
 * Is a memory file that came with a repository refused or harmless, whatever it holds, and within a short time? And does
 * any change to the bytes of one, or of its log, do harm? With `BMAD_MCP_SOAK=1` twenty times as long; `BMAD_MCP_SEED`
 * repeats a run.
 */
import assert from "node:assert/strict";
import type { Chance } from "../../../support/chance.ts";
import { cpuClock } from "../../../support/cpu.ts";
import {
  HOSTILE_FILES,
  makeSound,
  makeUnfinished,
  REPORTS,
  sealLog,
  useEverything,
} from "../../../support/hostile_memory.ts";
import { inRounds } from "../../../support/property.ts";
import { treeTest } from "../../../support/trees.ts";

/** Many times what the slowest one takes. */
const LIMIT_MS = 30_000;

let sound: Uint8Array<ArrayBuffer> | undefined;

/** Puts a sound file there: the first that was made, or a copy of it. */
async function putSound(file: string): Promise<void> {
  if (sound !== undefined) return await Deno.writeFile(file, sound);
  await makeSound(file);
  sound = await Deno.readFile(file);
}

for (const { name, verdict, make } of HOSTILE_FILES) {
  treeTest(
    `${name} as memory.db ${verdict === "works" ? "does no harm" : `is ${verdict}`} [memory:hostile-file]`,
    { "_memory/": "" },
    async (folder) => {
      const file = `${folder}/_memory/memory.db`;
      await putSound(file);
      await make(file);
      const took = cpuClock();
      for (const mayWrite of [false, true]) {
        const reports = await useEverything(file, mayWrite);
        if (verdict === "works") continue;
        assert.ok(reports.length > 0, "nothing was reported");
        for (const report of reports) assert.match(report, REPORTS[verdict]);
      }
      assert.ok(took() < LIMIT_MS, `took ${took()} ms`);
    },
  );
}

const RUNS = Deno.env.get("BMAD_MCP_SOAK") === "1" ? 4_000 : 60;
const SEED = Number(Deno.env.get("BMAD_MCP_SEED") ?? 20_261_115);
/** For all requests on one file, in milliseconds. */
const MUTATION_MS = 10_000;
const PAGE = 4_096;

const ODD = [0, 1, 2, 5, 10, 13, 127, 128, 255];

/** Changes a few bytes, mostly where pages describe themselves. */
function mutate(bytes: Uint8Array<ArrayBuffer>, chance: Chance): Uint8Array<ArrayBuffer> {
  const page = () => chance.below(Math.ceil(bytes.length / PAGE)) * PAGE;
  for (let left = 1 + chance.below(8); left > 0; left--) {
    const at = chance.below(2) === 0 ? page() + chance.below(40) : chance.below(bytes.length);
    const kind = chance.below(12);
    if (kind === 0) bytes.copyWithin(page(), page(), page() + PAGE);
    else if (kind === 1) bytes.fill(chance.below(256), at, at + chance.below(200));
    else if (kind === 2) bytes.copyWithin(at, chance.below(bytes.length), bytes.length - chance.below(99));
    else if (kind === 3 && chance.below(9) === 0) return bytes.slice(0, at);
    else if (at < bytes.length) bytes[at] = chance.below(2) === 0 ? chance.pick(ODD) : chance.below(256);
  }
  return bytes;
}

for (
  const [what, make, ending] of [
    ["a memory file", makeSound, ""],
    ["the log of a memory file", makeUnfinished, "-wal"],
  ] as const
) {
  treeTest(
    `${RUNS} times changed bytes of ${what} do no harm (seed ${SEED}) [memory:hostile-file]`,
    { "sound/": "" },
    async (folder) => {
      await make(`${folder}/sound/memory.db`);
      await inRounds(RUNS, SEED, async (chance, run) => {
        const place = `${folder}/${run}`, file = `${place}/memory.db`;
        await Deno.mkdir(place);
        for (const each of new Set(["", ending])) {
          await Deno.copyFile(`${folder}/sound/memory.db${each}`, `${file}${each}`);
        }
        const changed = mutate(await Deno.readFile(`${file}${ending}`), chance);
        const isSealed = ending === "-wal" && changed.length > 32;
        await Deno.writeFile(`${file}${ending}`, isSealed ? sealLog(changed) : changed);
        const took = cpuClock();
        for (const mayWrite of [false, true]) await useEverything(file, mayWrite);
        assert.ok(took() < MUTATION_MS);
        await Deno.remove(place, { recursive: true });
      });
    },
  );
}
