/**
 * Does `pick_methods.py` serve its catalogue as BMAD's own script does?
 */
import assert from "node:assert/strict";
import { pickMethods } from "../../../src/project/scripts/pick_methods.ts";
import { type Chance, chanceFrom } from "../../soak/chance.ts";
import { sourceTree } from "../../support/installs.ts";
import { verifies } from "../../support/requirements.ts";
import { bytesOf, tableOf } from "../../support/script_texts.ts";
import { compareCases, NO_ORIGINALS, runNative, type ScriptCase, skillAt } from "../../support/scripts.ts";
import { withTree } from "../../support/trees.ts";

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

Deno.test("methods are found by category, name and number", async () => {
  assert.deepEqual((await pick("categories")).lines, ["core\t1", "risk\t2"]);
  assert.deepEqual((await pick("list", "--category", "CORE")).lines, [
    "3\tcore\tFive Whys\tAsk why\twhy → root",
  ]);
  const { lines, stderr } = await pick("show", "red team", "1", "none");
  assert.deepEqual(lines.map((line) => line.split("\t")[2]), ["Red Team", "Pre-mortem"]);
  assert.equal(stderr, "# not found: none\n");
  assert.equal((await pick("show", "none")).status, 1);
  assert.equal((await pick("list")).status, 2);
  assert.equal((await pick("--file", "none.csv", "categories")).status, 2);
});

Deno.test("additions replace methods of their name or get the next numbers", async () => {
  const extra = JSON.stringify([
    { category: "risk", method_name: "RED TEAM", description: "retuned" },
    { category: "new", method_name: "Own", description: 5 },
  ]);
  assert.deepEqual((await pick("--extra", extra, "list", "--all")).lines.slice(1), [
    "2\trisk\tRED TEAM\tretuned\t",
    "3\tcore\tFive Whys\tAsk why\twhy → root",
    "4\tnew\tOwn\t5\t",
  ]);
  for (const wrong of ["[1]", "[", "none.json"]) {
    assert.equal((await pick("--extra", wrong, "categories")).status, 2);
  }
});

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

Deno.test("without --file the catalogue is the skill's own", () =>
  withTree({}, async (root) => {
    const skill = { name: "s", location: "bmad://core/s", read: (path: string) => FILES[path] };
    const run = async (...args: string[]) =>
      await runNative(pickMethods, root, [...args, "categories"], "", { skill, skills: [skill] });
    const FILES: Record<string, string> = { "assets/methods.csv": CATALOGUE };
    assert.equal((await run()).stdout, "core\t1\nrisk\t2\n");
    assert.equal((await run("--file", "bmad://core/s/assets/methods.csv")).stdout, "core\t1\nrisk\t2\n");
    assert.equal((await runNative(pickMethods, root, ["categories"])).status, 2);
  }));

const HEADERS = [
  "num,category,method_name,description,output_pattern",
  "method_name,num,category",
  "num,num,category",
  "category,extra,method_name",
];
const CELLS = [
  ...["1", "2", "10", "", "a, b", "two\nlines", 'Say "why"', "risk", "Core", "core", "Red Team", "red team"],
  ...[" x ", "→", "é", "語", "😀", "\u00a0x"],
];
const NAMES = ["risk", "core", "Red Team", "1", "2", "x", "", " red team "];
const ITEMS = [
  '{"method_name": "Red Team", "category": "new"}',
  '{"method_name": "Own", "num": 7, "description": " Ask "}',
  "{}",
  "3",
];

function randomCase(chance: Chance): ScriptCase {
  const text = tableOf(chance, chance.pick(HEADERS), CELLS, 12);
  const files = { "m.csv": bytesOf(chance, chance.below(6) === 0 ? `\ufeff${text}` : text) };
  const items = `[${Array.from({ length: chance.below(4) }, () => chance.pick(ITEMS)).join()}]`;
  const extra = chance.pick([[], [], ["--extra", items], [
    "--extra",
    chance.pick(["{}", "[1", " [ ]", "m.csv", ""]),
  ]]);
  const some = (option: string) => chance.below(2) === 0 ? [] : [option, chance.pick(NAMES)];
  const command = chance.pick([
    ["categories"],
    ["list", "--all"],
    ["list", ...some("--category"), ...some("--category")],
    ["show", chance.pick(NAMES), chance.pick(NAMES)],
    ["random", "-n", "99", ...some("--category"), ...some("--exclude")],
  ]);
  const isRandom = command[0] === "random";
  const json = !isRandom && chance.below(3) === 0 ? ["--json"] : [];
  const args = ["--file", "m.csv", ...extra, ...json, ...command];
  return { files, args, ...isRandom ? { isUnordered: true } : {} };
}

Deno.test({
  name: verifies("work:same-answers", "pick_methods.py answers as BMAD's own"),
  ignore: NO_ORIGINALS,
  fn: async () => {
    const skill = `${await sourceTree("bmad-method@6.12.0")}/src/core-skills/bmad-advanced-elicitation`;
    const chance = chanceFrom(4);
    const calls = [
      ["categories"],
      ["--json", "list", "--all"],
      ["show", "1", "2"],
      ["random", "-n", "x"],
      ["list"],
      [
        "show",
      ],
      ["--file", "none.csv", "categories"],
      ["--extra", "none", "categories"],
      ["random", "--spread", "-n", "0"],
    ];
    await compareCases(pickMethods, `${skill}/scripts/pick_methods.py`, [
      ...Array.from({ length: 500 }, () => randomCase(chance)),
      ...calls.map((args) => ({ files: {}, args })),
    ], { skill: skillAt(skill) });
  },
});
