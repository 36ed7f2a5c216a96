/** Does the record of a server keep every change, in order, and no more than it may? */
import assert from "node:assert/strict";
import { openRecordFile, type RecordEntry } from "../../src/process/record_file.ts";
import { hashText } from "../../src/base/text.ts";
import { treeTest, withTree } from "../support/trees.ts";

const DEED: RecordEntry = {
  at: 1,
  name: "ana",
  role: "worker",
  address: "10.0.0.7",
  request: "r1",
  project: "shop",
  deed: "mark 1-2 done",
};

treeTest("a server's record has every change, the newest first, and rotates [team:record]", {}, (folder) => {
  const record = openRecordFile(folder);
  assert.deepEqual(record.latest(10), []);
  const deeds = Array.from({ length: 5 }, (_, at) => ({ ...DEED, at, deed: `claim "1-${at}"\n{}` }));
  deeds.forEach(record.add);
  assert.deepEqual(record.latest(3), deeds.slice(2).toReversed());
  const [{ name: own }] = [...Deno.readDirSync(folder)] as [Deno.DirEntry];
  Deno.writeTextFileSync(`${folder}/${own}`, "cut off {\n", { append: true });
  record.add({ ...DEED, at: 9 });
  assert.deepEqual(record.latest(3).map(({ at }) => at), [9, 4, 3]);
  assert.deepEqual(openRecordFile(folder).latest(100).length, 6);
  Deno.writeTextFileSync(`${folder}/${own}`, `${" ".repeat(6 << 20)}\n`, { append: true });
  record.add({ ...DEED, at: 10 });
  assert.deepEqual([...Deno.readDirSync(folder)].length, 2);
  assert.deepEqual(record.latest(2).map(({ at }) => at), [10, 9]);
  return Promise.resolve();
});

Deno.test("names of one 32-bit hash have files of their own [team:record]", () =>
  withTree({}, (folder) => {
    const record = openRecordFile(folder);
    const [one, other] = ["p11lg21t", "p1bdzggq"];
    assert.equal(hashText(one), hashText(other));
    record.add({ ...DEED, name: one, at: 1 });
    for (let at = 2; at < 33; at++) record.add({ ...DEED, name: other, at, deed: "x".repeat(1 << 20) });
    assert.equal(record.latest(100).at(-1)!.name, one);
    return Promise.resolve();
  }));

Deno.test("however much somebody does, the lines of others stay, in their order [team:record]", () =>
  withTree({}, (folder) => {
    const record = openRecordFile(folder);
    const { name: _, ...nobody } = DEED;
    record.add({ ...DEED, name: "olga", at: 1 });
    record.add({ ...nobody, at: 2 });
    const deed = "x".repeat(1 << 20);
    for (let at = 3; at < 33; at++) record.add({ ...DEED, at, deed });
    assert.deepEqual(record.latest(1_000).slice(-2).map(({ at, name }) => [at, name]), [[2, undefined], [
      1,
      "olga",
    ]]);
    assert.equal(record.latest(1)[0]!.at, 32);
    assert.ok(record.latest(1_000).length < 30, "what is ana's own rotates");
    Deno.removeSync(folder, { recursive: true });
    assert.deepEqual(record.latest(1), []);
    Deno.mkdirSync(folder);
    return Promise.resolve();
  }));
