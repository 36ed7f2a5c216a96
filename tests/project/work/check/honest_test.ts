/** Is an honest project left alone, whatever its form and its style, and may its finished stories be called done? */
import assert from "node:assert/strict";
import { findingsIn, judgeDone } from "../../../support/checked.ts";
import { honestProject, SHAPES } from "../../../support/honest.ts";

const LEDGER = "out/impl/sprint-status.yaml";

for (const shape of SHAPES) {
  Deno.test(`honest projects have no findings: ${shape} [work:honest]`, async () => {
    for (let seed = 1; seed <= 15; seed++) {
      const project = honestProject(shape, seed);
      const about = `seed ${seed}: ${JSON.stringify(project.style)}`;
      assert.deepEqual(await findingsIn(project), [], about);
      const { ref, path } = project.stories.find(({ state }) => state === "review")!;
      const { findings, refusal, changed, after } = await judgeDone(project, ref);
      assert.deepEqual([findings, refusal, after], [[], undefined, []], about);
      assert.ok(changed.every((one) => one === path || one === LEDGER), `${about}: ${changed}`);
      assert.ok(changed.length > 0, about);
    }
  });
}
