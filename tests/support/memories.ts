/**
 * Memories to test with, what ranks them, and every kind of store.
 *
 * A Qdrant server is used when `BMAD_QDRANT_URL` names one; each store gets collections of its own there, which are
 * removed afterwards.
 */
import { openKernel } from "../../src/project/kit/memory/recall/vectors.ts";
import { memoryId } from "../../src/project/kit/memory/store/checks.ts";
import { openQdrant } from "../../src/project/kit/memory/store/qdrant.ts";
import { openSqlite } from "../../src/project/kit/memory/store/sqlite.ts";
import type { MemoryStore, Rankers } from "../../src/project/kit/memory/store/store.ts";
import { openAnalyzer } from "../../src/project/kit/memory/words/analysis.ts";
import { type Memory, MEMORY_TYPES } from "../../src/base/model.ts";
import { CONTENT } from "./recall.ts";
import { withTree } from "./trees.ts";
import { openKeptEmbedder } from "./vectors.ts";

export const PROJECT = "bmad-demo-app";

export async function memoryOf(given: Partial<Memory> & { readonly text: string }): Promise<Memory> {
  const rest = { agent: "dev", project: PROJECT, ...given };
  return {
    type: "decisions",
    tags: [],
    createdAt: "2026-02-27T14:32:15.000",
    id: await memoryId(rest),
    ...rest,
  };
}

export const TERMS_ONLY: Rankers = { analyze: openAnalyzer(CONTENT), embedder: undefined };

export async function withRankers<T>(work: (rankers: Rankers) => Promise<T>): Promise<T> {
  using embedder = await openKeptEmbedder();
  return await work({ ...TERMS_ONLY, embedder, kernel: openKernel(CONTENT) });
}

interface StoreKind {
  readonly name: string;
  readonly ignore: boolean;
  /** Runs something on a new and empty store, which can be opened several times. */
  use<T>(work: (open: (rankers: Rankers) => MemoryStore) => Promise<T>): Promise<T>;
}

const URL = Deno.env.get("BMAD_QDRANT_URL");
const KEY = Deno.env.get("BMAD_QDRANT_API_KEY");

export const STORES: readonly StoreKind[] = [
  {
    name: "a file",
    ignore: false,
    use: (work) =>
      withTree(
        {},
        (folder) => work((rankers) => openSqlite({ file: `${folder}/memory.db`, readOnly: false }, rankers)),
      ),
  },
  {
    name: "a Qdrant server",
    ignore: URL === undefined,
    use: async (work) => {
      const project = `bmad-test-${crypto.randomUUID()}`;
      try {
        return await work((rankers) => openQdrant({ url: URL!, key: KEY, project }, rankers));
      } finally {
        for (const type of MEMORY_TYPES) {
          const headers: Record<string, string> = KEY === undefined ? {} : { "api-key": KEY };
          const answer = await fetch(`${URL}/collections/${project}-${type}`, { method: "DELETE", headers });
          await answer.body?.cancel();
        }
      }
    },
  },
];
