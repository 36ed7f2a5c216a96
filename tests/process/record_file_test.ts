/**
 * Does the record of a server keep every change, in order, and no more than it may?
 */
import assert from "node:assert/strict";
import { openRecordFile, type RecordedDeed } from "../../src/process/record_file.ts";
import { verifies } from "../support/requirements.ts";
import { withTree } from "../support/trees.ts";

const DEED: RecordedDeed = {
  at: 1,
  name: "ana",
  role: "worker",
  address: "10.0.0.7",
  request: "r1",
  project: "shop",
  deed: "mark 1-2 done",
};

Deno.test(
  verifies("team:record", "a server's record has every change, the newest first, and rotates"),
  () =>
    withTree({}, (folder) => {
      const record = openRecordFile(folder);
      assert.deepEqual(record.latest(10), []);
      const deeds = Array.from({ length: 5 }, (_, at) => ({ ...DEED, at, deed: `claim "1-${at}"\n{}` }));
      deeds.forEach(record.add);
      assert.deepEqual(record.latest(3), deeds.slice(2).toReversed());
      Deno.writeTextFileSync(`${folder}/record.jsonl`, "cut off {\n", { append: true });
      record.add({ ...DEED, at: 9 });
      assert.deepEqual(record.latest(3).map(({ at }) => at), [9, 4, 3]);
      assert.deepEqual(openRecordFile(folder).latest(100).length, 6);
      Deno.writeTextFileSync(`${folder}/record.jsonl`, `${" ".repeat(11 << 20)}\n`, { append: true });
      record.add({ ...DEED, at: 10 });
      assert.deepEqual([...Deno.readDirSync(folder)].length, 2);
      assert.deepEqual(record.latest(2).map(({ at }) => at), [10, 9]);
      return Promise.resolve();
    }),
);
