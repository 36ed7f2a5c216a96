/**
 * Does what was used come first, by the published formula, and is it remembered only where the user wants that?
 */
import assert from "node:assert/strict";
import { addUses, readUses } from "../../src/project/usage/kept_uses.ts";
import { openUsage } from "../../src/project/usage/mod.ts";
import { rankByUse, scoreOf } from "../../src/project/usage/score.ts";
import { mergeUses, type Use } from "../../src/project/usage/uses.ts";
import { verifies } from "../support/requirements.ts";
import { withTree } from "../support/trees.ts";

const MINUTE = 60_000;
const NOW = 1_763_190_000_000;

const isNear = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-12, `${actual} is not ${expected}`);

Deno.test(verifies("ranking:formula", "a score is made of recency, frequency, position and a boost"), () => {
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

Deno.test(verifies("ranking:formula", "things of equal score stay in the order of the content"), () => {
  const uses = new Map<string, Use>([["c", { count: 1, last: NOW }], ["e", { count: 30, last: NOW }]]);
  const rank = (things: string, boostOf?: (thing: string) => number) =>
    rankByUse([...things], { useOf: (thing) => uses.get(thing), now: NOW, boostOf }).join("");
  assert.equal(rank("abcdef"), "ecabdf");
  assert.equal(rank("abd"), "abd");
  assert.equal(rank(""), "");
  // Ahead of the next one, not of all.
  assert.equal(rank("abd", (thing) => thing === "d" ? 0.15 : 0), "adb");
  assert.equal(rank("ab", () => 0.1), "ab");
});

/** A clock that tests can put forward. */
function clock(): { now(): number; at: number } {
  const time = { at: NOW, now: () => time.at };
  return time;
}

const thing = (name: string) => ({ module: "bmm", id: name });
const order = async (usage: ReturnType<typeof openUsage>, things: string, isContinued?: boolean) =>
  (await usage.ranking({ isContinued }))([...things], thing).join("");

Deno.test("the next page of a list has the order of the one before, however time goes by", async () => {
  const time = clock();
  const usage = openUsage(time);
  await usage.note(thing("d"));
  time.at += 20 * MINUTE;
  for (let i = 0; i < 9; i++) await usage.note(thing("c"));
  await usage.note(thing("a"));
  const first = await order(usage, "abcd");
  time.at += 600 * MINUTE;
  assert.equal(await order(usage, "abcd", true), first);
  assert.notEqual(await order(usage, "abcd"), first);
});

Deno.test(
  verifies("ranking:memory", "what was used is forgotten with the process that counted it"),
  async () => {
    const time = clock();
    const usage = openUsage(time);
    await usage.note({ module: "BMM", id: "C" });
    assert.equal(await order(usage, "abc"), "cab");
    assert.equal(await order(openUsage(time), "abc"), "abc");
  },
);

Deno.test(
  verifies("ranking:memory", "what was used is remembered in a folder that was named for it"),
  () =>
    withTree({}, async (dir) => {
      const folder = `${dir}/state/usage`;
      const time = clock();
      const usage = openUsage({ ...time, folder, isAdding: true });
      assert.equal(await order(usage, "abc"), "abc");
      await assert.rejects(Deno.stat(`${dir}/state`), Deno.errors.NotFound);
      await usage.note(thing("c"));
      await usage.note(thing("c"));
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
      await other.note(thing("b"));
      assert.equal(await order(other, "abc"), "bca");
      assert.deepEqual([...(await readUses(folder, NOW)).keys()], ["bmm/c"]);
    }),
);

Deno.test("a file of uses that is broken costs nothing but what it held", async () => {
  const good = '"bmm/a":[1,5]';
  const table: readonly (readonly [text: string, names: readonly string[]])[] = [
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
      assert.deepEqual([...(await readUses(folder, NOW)).keys()], names, text.slice(0, 80));
      const kept = await addUses(folder, new Map([["bmm/z", { count: 1, last: NOW }]]), NOW);
      assert.deepEqual([...kept!.keys()], ["bmm/z", ...names]);
      assert.deepEqual([...(await readUses(folder, NOW)).keys()], ["bmm/z", ...names]);
    });
  }
});

Deno.test("a time in the future is taken for now", () =>
  withTree({ "uses.json": `{"version":1,"uses":{"bmm/a":[1,${NOW * 2}]}}` }, async (folder) => {
    assert.deepEqual([...await readUses(folder, NOW)], [["bmm/a", { count: 1, last: NOW }]]);
  }));

Deno.test("a file of uses stays small: what was used longest ago is forgotten", () =>
  withTree({}, async (folder) => {
    const many = Array.from({ length: 700 }, (_, i): readonly [string, Use] => [
      `bmm/${i}`,
      { count: 1, last: NOW - i },
    ]);
    const kept = await addUses(folder, new Map(many), NOW);
    assert.deepEqual([kept!.size, kept!.has("bmm/499"), kept!.has("bmm/500")], [500, true, false]);
    assert.deepEqual(await readUses(folder, NOW), kept);
  }));

Deno.test("two processes that remember at once lose nothing of each other", () =>
  withTree({}, async (folder) => {
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
  }));

Deno.test("a draft that a process left behind is taken over, one that is being written is waited for", () =>
  withTree({ "uses.json.new": "{" }, async (folder) => {
    const one = new Map([["bmm/a", { count: 1, last: NOW }]]);
    const written = Deno.statSync(`${folder}/uses.json.new`).mtime!.getTime();
    assert.equal(await addUses(folder, one, written + 1_000), undefined);
    assert.equal(Deno.readTextFileSync(`${folder}/uses.json.new`), "{");
    assert.deepEqual(await addUses(folder, one, written + 11_000), one);
  }));

Deno.test("what could not be remembered at once is remembered with the next use", () =>
  withTree({ "uses.json.new": "{" }, async (folder) => {
    const usage = openUsage({ now: () => Date.now(), folder, isAdding: true });
    await usage.note(thing("a"));
    await assert.rejects(Deno.stat(`${folder}/uses.json`), Deno.errors.NotFound);
    Deno.removeSync(`${folder}/uses.json.new`);
    await usage.note(thing("b"));
    assert.deepEqual([...(await readUses(folder, Date.now())).keys()].sort(), ["bmm/a", "bmm/b"]);
    assert.equal(await order(usage, "cba"), "bac");
  }));

Deno.test("a folder that cannot be written is told of once, and uses still count", () =>
  withTree({ "state": "a file" }, async (dir) => {
    const told: string[] = [];
    const usage = openUsage({
      now: () => NOW,
      folder: `${dir}/state/usage`,
      warn: (text) => told.push(text),
    });
    await usage.note(thing("c"));
    await usage.note(thing("c"));
    assert.equal(await order(usage, "abc"), "cab");
    assert.equal(told.length, 1);
    assert.match(told[0]!, /^What you use is not remembered: /);
  }));

Deno.test("uses in two places are added up", () => {
  const merged = mergeUses(
    new Map([["a", { count: 2, last: 5 }], ["b", { count: 1, last: 1 }]]),
    new Map([["a", { count: 3, last: 4 }], ["c", { count: 1, last: 9 }]]),
  );
  assert.deepEqual(Object.fromEntries(merged), {
    a: { count: 5, last: 5 },
    b: { count: 1, last: 1 },
    c: { count: 1, last: 9 },
  });
});
