/** Do used items come first, by the published formula, and are uses remembered only if the user wants that? */
import assert from "node:assert/strict";
import { addUses, openUsage, rankByUse, readUses, scoreOf, type Use } from "../../src/project/usage/mod.ts";
import { chanceFrom } from "../support/chance.ts";
import { treeTest, withTree } from "../support/trees.ts";

const MINUTE = 60_000;
const NOW = 1_763_190_000_000;

const isNear = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-12, `${actual} is not ${expected}`);

Deno.test("a score is made of recency, frequency, position and a boost [ranking:formula]", () => {
  const last = { position: 9, total: 10 };
  isNear(scoreOf(undefined, NOW, last), 0);
  // Recency: all of it now, e times less after a quarter of an hour.
  const once = 0.3 * Math.log2(2) / Math.log2(101);
  isNear(scoreOf({ count: 1, last: NOW }, NOW, last), 0.4 + once);
  isNear(scoreOf({ count: 1, last: NOW - 15 * MINUTE }, NOW, last), 0.4 / Math.E + once);
  isNear(scoreOf({ count: 1, last: NOW - 60 * MINUTE }, NOW, last), 0.4 * Math.exp(-4) + once);
  isNear(scoreOf({ count: 1, last: NOW + MINUTE }, NOW, last), 0.4 + once);
  // Frequency: by doublings, and no more than a hundred uses.
  const longAgo = NOW - 1e12;
  isNear(scoreOf({ count: 9, last: longAgo }, NOW, last), 0.3 * Math.log2(10) / Math.log2(101));
  isNear(scoreOf({ count: 100, last: longAgo }, NOW, last), 0.3);
  isNear(scoreOf({ count: 5_000, last: longAgo }, NOW, last), 0.3);
  // Position: from the first to the last.
  isNear(scoreOf(undefined, NOW, { position: 0, total: 10 }), 0.2);
  isNear(scoreOf(undefined, NOW, { position: 3, total: 7 }), 0.1);
  isNear(scoreOf(undefined, NOW, { position: 0, total: 1 }), 0.2);
  isNear(scoreOf(undefined, NOW, last, 0.05), 0.05);
});

Deno.test("any uses and boosts give the order of the scores [ranking:formula]", () => {
  const chance = chanceFrom(20_000);
  for (let round = 0; round < 200; round++) {
    const items = Array.from({ length: chance.below(40) }, (_, at) => ({
      at,
      use: chance.below(3) === 0
        ? { count: 1 + chance.below(3), last: NOW - chance.below(3) * 15 * MINUTE }
        : undefined,
      boost: chance.pick([0, 0, 0, 0.1]),
    }));
    const scores = items.map(({ use, boost }, position) =>
      scoreOf(use, NOW, { position, total: items.length }, boost)
    );
    const ranked = rankByUse(items, ({ use }) => use, NOW, ({ boost }) => boost);
    const expected = [...items.keys()].sort((a, b) => scores[b]! - scores[a]!);
    assert.deepEqual(ranked.map(({ at }) => at), expected, `round ${round}`);
  }
});

function clock(): { now(): number; at: number } {
  const time = { at: NOW, now: () => time.at };
  return time;
}

const item = (name: string) => ({ module: "bmm", id: name });
const order = async (usage: ReturnType<typeof openUsage>, items: string, isContinued?: boolean) =>
  (await usage.ranking({ isContinued }))([...items], item).join("");

Deno.test("the next page of a list has the order of the one before, however time goes by", async () => {
  const time = clock();
  const usage = openUsage(time);
  await usage.note(item("d"));
  time.at += 20 * MINUTE;
  for (let i = 0; i < 9; i++) await usage.note(item("c"));
  await usage.note(item("a"));
  const first = await order(usage, "abcd");
  time.at += 600 * MINUTE;
  assert.equal(await order(usage, "abcd", true), first);
  assert.notEqual(await order(usage, "abcd"), first);
});

Deno.test("uses end with the process that counted them [ranking:memory]", async () => {
  const time = clock();
  const usage = openUsage(time);
  await usage.note({ module: "BMM", id: "C" });
  assert.equal(await order(usage, "abc"), "cab");
  assert.equal(await order(openUsage(time), "abc"), "abc");
});

treeTest(
  "uses are remembered in the folder that was named for them [ranking:memory]",
  {},
  async (dir) => {
    const folder = `${dir}/state/usage`;
    const time = clock();
    const usage = openUsage({ ...time, folder, isAdding: true });
    assert.equal(await order(usage, "abc"), "abc");
    await assert.rejects(Deno.stat(`${dir}/state`), Deno.errors.NotFound);
    await usage.note(item("c"));
    await usage.note(item("c"));
    assert.deepEqual(
      Deno.readTextFileSync(`${folder}/uses.json`),
      `{"version":1,"uses":{"bmm/c":[2,${NOW}]}}\n`,
    );
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["uses.json"]);
    if (Deno.build.os !== "windows") {
      assert.equal(Deno.statSync(`${folder}/uses.json`).mode! & 0o777, 0o600);
    }
    const other = openUsage({ ...time, folder });
    assert.equal(await order(other, "abc"), "cab");
    await other.note(item("b"));
    assert.equal(await order(other, "abc"), "bca");
    assert.deepEqual([...(await readUses(folder, NOW)).keys()], ["bmm/c"]);
  },
);

Deno.test("a damaged file of uses costs nothing but its contents", async () => {
  const good = '"bmm/a":[1,5]';
  const table: readonly (readonly [text: string, names: readonly string[]])[] = [
    // A time in the future counts as now.
    [`{"version":1,"uses":{"bmm/a":[1,${NOW * 2}]}}`, ["bmm/a"]],
    [`{"version":1,"uses":{${good}}}`, ["bmm/a"]],
    [`{"version":1,"uses":{${good},"bmm/b":[0,5],"bmm/c":["1",5],"bmm/d":7,"bmm/e":[1,null]}}`, ["bmm/a"]],
    [`{"version":1,"uses":{${good},"${"x".repeat(300)}":[1,5]}}`, ["bmm/a"]],
    [`{"version":2,"uses":{${good}}}`, []],
    [`{"version":1,"uses":{${good}`, []],
    ['{"version":1,"uses":null}', []],
    ["null", []],
    ["", []],
    ["\0\xff", []],
    [`{"version":1,"uses":{${good}}}${" ".repeat(300_000)}`, []],
  ];
  for (const [text, names] of table) {
    await withTree({ "uses.json": text }, async (folder) => {
      const uses = await readUses(folder, NOW);
      assert.deepEqual([...uses.keys()], names, text.slice(0, 80));
      assert.ok(uses.values().every(({ last }) => last <= NOW));
      const kept = await addUses(folder, new Map([["bmm/z", { count: 1, last: NOW + 1 }]]), NOW);
      assert.deepEqual([...kept!.keys()], ["bmm/z", ...names]);
      assert.deepEqual([...(await readUses(folder, NOW)).keys()], ["bmm/z", ...names]);
    });
  }
});

treeTest("a file of uses stays small: the least recently used items are dropped", {}, async (folder) => {
  const many = Array.from({ length: 700 }, (_, i): readonly [string, Use] => [
    `bmm/${i}`,
    { count: 1, last: NOW - i },
  ]);
  const kept = await addUses(folder, new Map(many), NOW);
  assert.deepEqual([kept!.size, kept!.has("bmm/499"), kept!.has("bmm/500")], [500, true, false]);
  assert.deepEqual(await readUses(folder, NOW), kept);
});

treeTest("two processes that write at once lose nothing of each other", {}, async (folder) => {
  const program = (name: string) => `
      const { openUsage } = await import(${
    JSON.stringify(new URL("../../src/project/usage/mod.ts", import.meta.url).href)
  });
      const usage = openUsage({ now: () => Date.now(), folder: ${JSON.stringify(folder)}, isAdding: true });
      for (let i = 0; i < 40; i++) await usage.note({ module: "bmm", id: "${name}" });
      for (let i = 0; i < 40; i++) await usage.note({ module: "bmm", id: "both" });
    `;
  const runs = ["one", "other"].map((name) =>
    new Deno.Command(Deno.execPath(), { args: ["eval", "--quiet", program(name)] }).output()
  );
  for (const { success, stderr } of await Promise.all(runs)) {
    assert.ok(success, new TextDecoder().decode(stderr));
  }
  const uses = await readUses(folder, Date.now());
  const counts = [...uses].map(([name, { count }]) => [name, count]).sort();
  assert.deepEqual(counts, [["bmm/both", 80], ["bmm/one", 40], ["bmm/other", 40]]);
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["uses.json"]);
});

treeTest("an abandoned draft is taken over, and one that is being written is waited for", {
  "uses.json.new": "{",
}, async (folder) => {
  const one = new Map([["bmm/a", { count: 1, last: NOW }]]);
  const written = Deno.statSync(`${folder}/uses.json.new`).mtime!.getTime();
  assert.equal(await addUses(folder, one, written + 1_000), undefined);
  assert.equal(Deno.readTextFileSync(`${folder}/uses.json.new`), "{");
  assert.deepEqual(await addUses(folder, one, written + 11_000), one);
});

treeTest(
  "uses that could not be saved are saved with the next use",
  { "uses.json.new": "{" },
  async (folder) => {
    const usage = openUsage({ now: () => Date.now(), folder, isAdding: true });
    await usage.note(item("a"));
    await assert.rejects(Deno.stat(`${folder}/uses.json`), Deno.errors.NotFound);
    Deno.removeSync(`${folder}/uses.json.new`);
    await usage.note(item("b"));
    assert.deepEqual([...(await readUses(folder, Date.now())).keys()].sort(), ["bmm/a", "bmm/b"]);
    assert.equal(await order(usage, "cba"), "bac");
  },
);

treeTest(
  "a folder that is not writable causes one warning, and uses still count",
  { "state": "a file" },
  async (dir) => {
    const warnings: string[] = [];
    const usage = openUsage({
      now: () => NOW,
      folder: `${dir}/state/usage`,
      warn: (text) => warnings.push(text),
    });
    await usage.note(item("c"));
    await usage.note(item("c"));
    assert.equal(await order(usage, "abc"), "cab");
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /^Cannot remember usage: /);
  },
);
