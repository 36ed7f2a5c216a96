/** Is what is wrong with memory reported as a problem that a surface can suggest a fix for? */
import assert from "node:assert/strict";
import { BmadError, fail } from "../../../../src/base/errors.ts";
import { examineMemory, type Stores } from "../../../../src/project/kit/memory/store/stores.ts";
import { translateErrors } from "../../../../src/project/kit/memory/store/sqlite_disk.ts";
import { TERMS_ONLY } from "../../../support/memories.ts";

Deno.test("a failure other than a time-out keeps its own message", async () => {
  const refuse = () =>
    Promise.resolve().then(() => fail({ code: "not-allowed", what: "open it", hint: "it is shut" }));
  const stores: Stores = { forReading: refuse, forWriting: refuse, open: refuse, close: () => {} };
  const plan = { files: [], mayWrite: false, qdrant: undefined, embedder: "none", contentDir: "" } as const;
  const rankers = { ...TERMS_ONLY, description: "keywords only", close: () => {} };
  const { faults } = await examineMemory(stores, rankers, plan, { isUsed: true });
  assert.deepEqual(faults, [{ of: "store", reason: "Cannot open it: it is shut" }]);
});

/** Messages of SQLite, and the problem that each means. */
const PROBLEMS: readonly (readonly [said: string, problem: string])[] = [
  ["database disk image is malformed", "damaged"],
  ["file is not a database", "not-a-database"],
  ["attempt to write a readonly database", "no-access"],
  ["database or disk is full", "disk-full"],
  ["database is locked", "locked"],
];

Deno.test("errors of SQLite become problems of the file, and other errors pass through", () => {
  const file = "C:/Users/ann/memory.db";
  const failing = (error: Error) => () =>
    translateErrors(file, () => {
      throw error;
    });
  for (const [said, problem] of PROBLEMS) {
    const error = Object.assign(new Error(said), { code: "ERR_SQLITE_ERROR" });
    assert.throws(failing(error), (thrown) => {
      assert.ok(thrown instanceof BmadError && thrown.failure.code === "memory-unavailable");
      assert.deepEqual([thrown.failure.problem, thrown.failure.subject], [problem, file]);
      return true;
    });
  }
  assert.throws(failing(new TypeError("a bug")), TypeError);
});
