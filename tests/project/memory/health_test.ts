/**
 * Is what is wrong with a memory told as what it is, and what mends it so that this system can do it?
 */
import assert from "node:assert/strict";
import { BmadError, fail } from "../../../src/base/errors.ts";
import { examineMemory } from "../../../src/project/memory/health.ts";
import { speaking } from "../../../src/project/memory/store/database.ts";
import type { Places } from "../../../src/project/memory/store/places.ts";
import { WORDS } from "../../support/memories.ts";

Deno.test("a failure that is no silent server is told in its own words", async () => {
  const refuse = () =>
    Promise.resolve().then(() => fail({ code: "not-allowed", what: "open it", hint: "it is shut" }));
  const places: Places = { forReading: refuse, forWriting: refuse, open: refuse, close: () => {} };
  const plan = { files: [], mayWrite: false, qdrant: undefined, embedder: "none", contentDir: "" } as const;
  const senses = { ...WORDS, meaning: "words alone", close: () => {} };
  const { faults } = await examineMemory(places, senses, plan, { isUsed: true });
  assert.deepEqual(faults, [{ of: "store", reason: "Cannot open it: it is shut" }]);
});

/** What SQLite says, the command that mends it in a shell, and words for where there is another one. */
const MENDED: readonly (readonly [said: string, command: RegExp, words: RegExp])[] = [
  [
    "database disk image is malformed",
    /: mkdir '.+' && mv '.+'\* '.+'$/,
    /: move \S+memory\.db, and the files/,
  ],
  ["attempt to write a readonly database", /: chmod u\+rw '.+'$/, /: in the properties of \S+memory\.db, /],
];

Deno.test("commands of a shell are told where there is that shell, and words elsewhere", () => {
  const fixOf = (said: string, os: typeof Deno.build.os): string => {
    try {
      return speaking("C:/Users/ann/memory.db", () => {
        throw Object.assign(new Error(said), { code: "ERR_SQLITE_ERROR" });
      }, os);
    } catch (error) {
      assert.ok(error instanceof BmadError && error.failure.code === "memory-unavailable");
      return error.failure.fix ?? "";
    }
  };
  for (const [said, command, words] of MENDED) {
    for (const os of ["linux", "darwin"] as const) assert.match(fixOf(said, os), command);
    assert.match(fixOf(said, "windows"), words);
    assert.doesNotMatch(fixOf(said, "windows"), /chmod|mkdir|mv |'/);
  }
});
