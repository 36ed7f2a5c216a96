/** Is a memory file that came with a repository refused or harmless, whatever it holds, and within a short time? */
import assert from "node:assert/strict";
import { HOSTILE_FILES, makeSound, REPORTS, useEverything } from "../../../support/hostile_memory.ts";
import { verifies } from "../../../support/requirements.ts";
import { withTree } from "../../../support/trees.ts";

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
  Deno.test(
    verifies(
      "memory:hostile-file",
      `${name} as memory.db ${verdict === "works" ? "does no harm" : `is ${verdict}`}`,
    ),
    () =>
      withTree({ "_memory/": "" }, async (folder) => {
        const file = `${folder}/_memory/memory.db`;
        await putSound(file);
        await make(file);
        const since = performance.now();
        for (const mayWrite of [false, true]) {
          const reports = await useEverything(file, mayWrite);
          if (verdict === "works") continue;
          assert.ok(reports.length > 0, "nothing was reported");
          for (const report of reports) assert.match(report, REPORTS[verdict]);
        }
        const ms = performance.now() - since;
        assert.ok(ms < LIMIT_MS, `took ${ms} ms`);
      }),
  );
}
