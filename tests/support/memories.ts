/**
 * Memories to test with, the senses to find them by, and every kind of place to keep them in.
 *
 * A server of Qdrant is used when `BMAD_QDRANT_URL` names one; each place gets collections of its own there, which are
 * removed afterwards.
 */
import { openAnalyzer, openEmbedder, openKernel } from "../../src/project/memory/mod.ts";
import { memoryId } from "../../src/project/memory/store/ids.ts";
import { openQdrant } from "../../src/project/memory/store/qdrant.ts";
import { openSqlite } from "../../src/project/memory/store/sqlite.ts";
import type { Memory, MemoryStore, Senses } from "../../src/project/memory/store/store.ts";
import { MEMORY_TYPES } from "../../src/base/memory_types.ts";
import { CONTENT } from "./recall.ts";
import { withTree } from "./trees.ts";

/** The project of every memory here. */
export const PROJECT = "bmad-demo-app";

/** A memory with the id that it gets everywhere. */
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

/** Words alone. */
export const WORDS: Senses = { analyze: openAnalyzer(CONTENT), embedder: undefined };

/** Runs something with words and meaning. */
export async function withSenses<T>(work: (senses: Senses) => Promise<T>): Promise<T> {
  const embedder = openEmbedder({ contentDir: CONTENT });
  if (embedder === undefined) throw new Error("the embedder is missing: run `deno task embed`");
  try {
    return await work({ ...WORDS, embedder, kernel: openKernel(CONTENT) });
  } finally {
    embedder.close();
  }
}

/** A place that tests keep memories in. */
export interface Place {
  readonly name: string;
  /** Whether there is none of this kind here. */
  readonly ignore: boolean;
  /** Runs something on a new and empty place, which can be opened several times. */
  use<T>(work: (open: (senses: Senses) => MemoryStore) => Promise<T>): Promise<T>;
}

const URL = Deno.env.get("BMAD_QDRANT_URL");
const KEY = Deno.env.get("BMAD_QDRANT_API_KEY");

/** Every kind of place. */
export const PLACES: readonly Place[] = [
  {
    name: "a file",
    ignore: false,
    use: (work) =>
      withTree(
        {},
        (folder) => work((senses) => openSqlite({ file: `${folder}/memory.db`, readOnly: false }, senses)),
      ),
  },
  {
    name: "a Qdrant server",
    ignore: URL === undefined,
    use: async (work) => {
      const project = `bmad-test-${crypto.randomUUID()}`;
      try {
        return await work((senses) => openQdrant({ url: URL!, key: KEY, project }, senses));
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
