/** Does `pick_methods.py` serve its catalogue as BMAD's own script does? */
import assert from "node:assert/strict";
import { pickMethods } from "../../../src/project/scripts/catalogue.ts";
import { chanceFrom } from "../../support/chance.ts";
import { runNative } from "../../support/scripts.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const CATALOGUE = `num,category,method_name,description,output_pattern
1,risk,Pre-mortem,"It failed, why?",failure → causes
2,risk,Red Team,Attack it,attack → defence
3,core,Five Whys,Ask why,why → root
`;

/** Runs it on the catalogue above; the lines that it prints. */
async function pick(...args: readonly string[]) {
  return await withTree({ "m.csv": `\ufeff${CATALOGUE}` }, async (root) => {
    const { status, stdout, stderr } = await runNative(pickMethods, root, ["--file", "m.csv", ...args], "", {
      random: chanceFrom(1).next,
    });
    return { status, stderr, lines: stdout.replace(/\n$/, "").split("\n") };
  });
}

Deno.test("a random draw has as many methods as asked, and --spread one of each category first", async () => {
  assert.equal((await pick("random")).lines.length, 1);
  const all = (await pick("random", "-n", "99")).lines;
  assert.equal(new Set(all).size, 3);
  const two = (await pick("random", "-n", "2", "--spread")).lines.map((line) => line.split("\t")[1]);
  assert.deepEqual(two.sort(), ["core", "risk"]);
  const left = await pick("random", "-n", "9", "--exclude", "red team", "--category", "risk");
  assert.deepEqual(left.lines.map((line) => line.split("\t")[0]), ["1"]);
  assert.equal((await pick("random", "--category", "none")).status, 1);
  assert.deepEqual((await pick("--json", "random", "-n", "-3")).lines, ["[]"]);
});

treeTest("without --file the catalogue is the skill's own", {}, async (root) => {
  const skill = { name: "s", location: "bmad://core/s", read: (path: string) => FILES[path] };
  const run = async (...args: string[]) =>
    await runNative(pickMethods, root, [...args, "categories"], "", { skill, skills: [skill] });
  const FILES: Record<string, string> = { "assets/methods.csv": CATALOGUE };
  assert.equal((await run()).stdout, "core\t1\nrisk\t2\n");
  assert.equal((await run("--file", "bmad://core/s/assets/methods.csv")).stdout, "core\t1\nrisk\t2\n");
  assert.equal((await runNative(pickMethods, root, ["categories"])).status, 2);
});
