/** Is a memory file that came with a repository refused or harmless, whatever it holds, and within a short time? */
import assert from "node:assert/strict";
import { BmadError } from "../../../src/base/errors.ts";
import type { MemoryPlan } from "../../../src/settings/plan/mod.ts";
import type { Embedder } from "../../../src/project/memory/embed/embedder.ts";
import type { MemoryStore } from "../../../src/project/memory/store/store.ts";
import { openStores } from "../../../src/project/memory/store/stores.ts";
import { HOSTILE_FILES, makeSound, REPORTS } from "../../support/hostile_memory.ts";
import { memoryOf, PROJECT, TERMS_ONLY } from "../../support/memories.ts";
import { verifies } from "../../support/requirements.ts";
import { withTree } from "../../support/trees.ts";

/** Many times what the slowest one takes. */
const LIMIT_MS = 10_000;

const EMBEDDER: Embedder = {
  id: "constant",
  dimensions: 16,
  embed: (texts) => Promise.resolve(texts.map(() => new Float32Array(16).fill(0.25))),
  close: () => {},
};

/** Every kind of request. */
const REQUESTS: Readonly<Record<string, (store: MemoryStore) => Promise<unknown>>> = {
  list: (store) => store.list({}),
  "list of an agent": (store) => store.list({ agent: "dev", type: "decisions" }),
  recall: (store) => store.recall({ query: "How long do access tokens live?", limit: 50 }),
  "recall of an agent": (store) => store.recall({ query: "review of code", limit: 5, agent: "dev" }),
  status: (store) => store.status(),
};

const CHANGES: typeof REQUESTS = {
  ...REQUESTS,
  remember: async (store) => await store.remember([await memoryOf({ text: "One more memory" })]),
  replace: async (store) =>
    await store.remember([await memoryOf({ text: "Access tokens live for 15 minutes", tags: ["new"] })]),
  forget: async (store) => await store.forget([(await memoryOf({ text: "One more memory" })).id], {}),
};

/** Makes each request on the stores of a folder, and returns what was reported for each that failed. */
async function use(file: string, mayWrite: boolean): Promise<readonly string[]> {
  const plan: MemoryPlan = { files: [file], mayWrite, qdrant: undefined, embedder: "none", contentDir: "" };
  const stores = openStores(plan, PROJECT, { ...TERMS_ONLY, embedder: EMBEDDER });
  const reports: string[] = [];
  try {
    for (const [name, request] of Object.entries(mayWrite ? CHANGES : REQUESTS)) {
      const writes = mayWrite && !(name in REQUESTS);
      try {
        await request(await (writes ? stores.forWriting() : stores.forReading()));
      } catch (error) {
        assert.ok(error instanceof BmadError, `${name}: ${(error as Error).stack}`);
        reports.push(error.message);
      }
    }
  } finally {
    stores.close();
  }
  return reports;
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
        await makeSound(file);
        await make(file);
        const since = performance.now();
        for (const mayWrite of [false, true]) {
          const reports = await use(file, mayWrite);
          if (verdict === "works") continue;
          assert.ok(reports.length > 0, "nothing was reported");
          for (const report of reports) assert.match(report, REPORTS[verdict]);
        }
        const ms = performance.now() - since;
        assert.ok(ms < LIMIT_MS, `took ${ms} ms`);
      }),
  );
}
