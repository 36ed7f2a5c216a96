/**
 * Memories on a server of Qdrant, in the collections of the project-memory kit: a team shares one memory.
 *
 * A collection is `{project}-{type}`, its points have the kit's ids and payload, and the vector without a name is what
 * the kit's own model makes of the text. In collections that we make, points have a sparse vector of their stems, too;
 * in those that the kit made, words are looked for among the points whose meaning is near.
 */
import { MEMORY_TYPES, type MemoryType } from "../../../base/memory_types.ts";
import { hashText } from "../../../base/hash.ts";
import { scoreTexts, weighStems } from "../recall/bm25.ts";
import { fuse, LOOKED_AT, type MeaningHit, type WordHit } from "../recall/fusion.ts";
import { wantedOf } from "../recall/lexical.ts";
import { type Analysis, sharedWords } from "../words/analysis.ts";
import { collectionOf } from "./ids.ts";
import { connectQdrant, type QdrantOptions, unavailable } from "./qdrant_api.ts";
import { questionVector, wholeText } from "./senses.ts";
import type { Hit, Memory, MemoryFilter, MemoryStore, Outcome, Question, Senses, Waiting } from "./store.ts";

/** What is known of a collection. */
interface Collection {
  readonly name: string;
  readonly type: MemoryType;
  /** How many numbers its vectors have. */
  readonly size: number;
  /** Whether its points have a vector of stems. */
  readonly hasWords: boolean;
}

/** A point as the server sends it. */
interface Point {
  readonly id: string | number;
  readonly score?: number;
  readonly payload?: Readonly<Record<string, unknown>> | null;
}

/** What of a collection fits a question. */
interface Found {
  readonly meanings: readonly MeaningHit<string>[];
  readonly words: readonly WordHit<string>[];
  readonly memories: ReadonlyMap<string, Memory>;
}

/** The kit's model makes vectors of this size. */
const KIT_DIMENSIONS = 384;
/** The name of the vector of stems. */
const WORDS = "words";
/** So many points are sent, and asked for, at once. */
const SENT_AT_ONCE = 32;
const PAGE = 1_000;

/** Opens the memories of a project on a server. Nothing is sent yet. */
export function openQdrant(
  options: QdrantOptions & { readonly project: string },
  { analyze, embedder }: Senses,
): MemoryStore {
  const { project, url } = options;
  const send = connectQdrant(options);

  async function find(type: MemoryType, signal?: AbortSignal): Promise<Collection | undefined> {
    const name = collectionOf(project, type);
    const facts = await send("GET", `/collections/${encodeURIComponent(name)}`, undefined, signal);
    if (facts === undefined) return undefined;
    const { vectors, sparse_vectors: sparse } = (facts as CollectionFacts).config.params;
    const size = vectors?.size;
    if (typeof size !== "number") {
      unavailable(url, `has a collection ${name} whose vectors have names: it is none of the kit's or ours`);
    }
    checkSize(name, size);
    return { name, type, size, hasWords: sparse?.[WORDS] !== undefined };
  }

  /** How large the vectors of a server are is known once it has made one. */
  function checkSize(name: string, size: number): void {
    const wanted = embedder?.dimensions || size;
    if (wanted === size) return;
    unavailable(
      url,
      `has a collection ${name} for vectors of ${size} numbers, and the embedder makes ${wanted}: use the embedder ` +
        "that it was filled with, or copy its memories to another store",
    );
  }

  async function make(type: MemoryType, dimensions: number, signal?: AbortSignal): Promise<Collection> {
    const path = `/collections/${encodeURIComponent(collectionOf(project, type))}`;
    const body = {
      vectors: { size: dimensions, distance: "Cosine" },
      sparse_vectors: { [WORDS]: { modifier: "idf" } },
    };
    try {
      await send("PUT", path, body, signal);
      await send("PUT", `${path}/index?wait=true`, { field_name: "agent", field_schema: "keyword" }, signal);
    } catch (error) {
      // Another program may have made it at the same moment.
      const made = await find(type, signal);
      if (made === undefined) throw error;
      return made;
    }
    return { name: collectionOf(project, type), type, size: dimensions, hasWords: true };
  }

  const points = async ({ name }: Collection, action: string, body: unknown, signal?: AbortSignal) =>
    await send("POST", `/collections/${encodeURIComponent(name)}/points${action}`, body, signal);

  async function existing(filter: MemoryFilter, signal?: AbortSignal): Promise<readonly Collection[]> {
    const types = filter.type === undefined ? MEMORY_TYPES : [filter.type];
    const found = await Promise.all(types.map((type) => find(type, signal)));
    return found.filter((collection) => collection !== undefined);
  }

  async function read(collection: Collection, ids: readonly string[], signal?: AbortSignal) {
    const found = await points(collection, "", { ids, with_payload: true }, signal) as
      | readonly Point[]
      | undefined;
    return new Map(
      (found ?? []).map((point) => [String(point.id), memoryOf(point, collection.type, project)]),
    );
  }

  async function* scroll(
    collection: Collection,
    filter: MemoryFilter,
    signal?: AbortSignal,
  ): AsyncGenerator<Memory> {
    for (let offset: unknown = undefined;;) {
      const body = { limit: PAGE, with_payload: true, offset, filter: filterOf(filter) };
      const page = await points(collection, "/scroll", body, signal) as ScrollPage | undefined;
      for (const point of page?.points ?? []) yield memoryOf(point, collection.type, project);
      offset = page?.next_page_offset;
      if (offset === undefined || offset === null) return;
    }
  }

  /** Which of some points cannot be found by meaning: they were kept without an embedder, or before it failed. */
  async function bareOf(collection: Collection, ids: readonly string[], signal?: AbortSignal) {
    if (embedder === undefined || ids.length === 0) return new Set<string>();
    const filter = { must: [{ has_id: ids }], must_not: [{ has_vector: "" }] };
    const page = await points(collection, "/scroll", { filter, limit: ids.length }, signal) as
      | ScrollPage
      | undefined;
    return new Set((page?.points ?? []).map(({ id }) => String(id)));
  }

  async function put(
    type: MemoryType,
    memories: readonly Memory[],
    signal?: AbortSignal,
  ): Promise<readonly Outcome[]> {
    const found = await find(type, signal);
    const before = found === undefined
      ? new Map<string, Memory>()
      : await read(found, memories.map(({ id }) => id), signal);
    const outcomes = memories.map((memory) => outcomeOf(memory, before.get(memory.id)));
    const known = memories.filter((_, at) => outcomes[at] === "same").map(({ id }) => id);
    const bare = found === undefined ? new Set() : await bareOf(found, known, signal);
    const wanted = memories.filter(({ id }, at) => outcomes[at] !== "same" || bare.has(id));
    if (wanted.length === 0) return outcomes;
    const vectors = await embedder?.embed(wanted.map(({ text }) => text), signal);
    const collection = found ?? await make(type, embedder?.dimensions || KIT_DIMENSIONS, signal);
    checkSize(collection.name, collection.size);
    const sent = wanted.map((memory, at) => ({
      id: memory.id,
      payload: payloadOf({ ...memory, createdAt: before.get(memory.id)?.createdAt ?? memory.createdAt }),
      vector: {
        ...(vectors === undefined ? {} : { "": Array.from(vectors[at]!) }),
        ...(collection.hasWords ? { [WORDS]: sparseOf(weighStems(analyze(wholeText(memory)))) } : {}),
      },
    }));
    const path = `/collections/${encodeURIComponent(collection.name)}/points?wait=true`;
    await send("PUT", path, { points: sent }, signal);
    return outcomes;
  }

  /** What of one collection fits: by each of the vectors, and by words. */
  async function ask(
    collection: Collection,
    question: Question,
    asked: Analysis,
    vectors: readonly Float32Array[],
    signal?: AbortSignal,
  ): Promise<Found> {
    const wanted = wantedOf(asked);
    const common = { limit: LOOKED_AT, with_payload: true, filter: filterOf({ agent: question.agent }) };
    const byWords = collection.hasWords && wanted.all.length > 0
      ? [{ ...common, using: WORDS, query: sparseOf(new Map(wanted.all.map((stem) => [stem, 1]))) }]
      : [];
    const searches = [...vectors.map((vector) => ({ ...common, query: Array.from(vector) })), ...byWords];
    const answers = searches.length === 0
      ? []
      : await points(collection, "/query/batch", { searches }, signal) as
        | readonly QueryAnswer[]
        | undefined ?? [];
    const keyOf = ({ id }: Point) => `${collection.type} ${id}`;
    const memories = new Map(
      answers.flatMap((answer) => answer.points).map((point) =>
        [keyOf(point), memoryOf(point, collection.type, project)] as const
      ),
    );
    const meanings = new Map<string, number>();
    for (const point of answers.slice(0, vectors.length).flatMap((answer) => answer.points)) {
      meanings.set(keyOf(point), Math.max(point.score ?? 0, meanings.get(keyOf(point)) ?? -1));
    }
    const near = [...meanings].map(([id, cosine]) => ({ id, cosine }));
    if (collection.hasWords) {
      const scored = answers.slice(vectors.length).flatMap((answer) => answer.points);
      const words = scored.map((point) => ({ id: keyOf(point), bm25: point.score ?? 0 }));
      return { meanings: near, words, memories };
    }
    if (vectors.length === 0) {
      for await (const memory of scroll(collection, question, signal)) {
        memories.set(`${memory.type} ${memory.id}`, memory);
      }
    }
    const keys = [...memories.keys()];
    const { words } = scoreTexts(wanted, keys.map((key) => analyze(wholeText(memories.get(key)!))));
    return { meanings: near, words: words.map(({ id, bm25 }) => ({ id: keys[id]!, bm25 })), memories };
  }

  return {
    place: url,
    async remember(memories, { signal, progress } = {}) {
      const outcomes = new Map<Memory, Outcome>();
      for (const type of MEMORY_TYPES) {
        const own = memories.filter((memory) => memory.type === type);
        for (let at = 0; at < own.length; at += SENT_AT_ONCE) {
          const some = own.slice(at, at + SENT_AT_ONCE);
          for (const [place, outcome] of (await put(type, some, signal)).entries()) {
            outcomes.set(some[place]!, outcome);
          }
          progress?.(outcomes.size, memories.length);
        }
      }
      return {
        outcomes: memories.map((memory) => outcomes.get(memory)!),
        isSemantic: embedder !== undefined,
      };
    },
    async recall(question, { signal }: Waiting = {}) {
      const asked = analyze(question.query);
      // What is stored was embedded as it is, in whatever language: an English form of the question is tried, too.
      const forms = [...new Set([question.query, asked.english])];
      const embedded = await Promise.all(forms.map((form) => questionVector(embedder, form, signal)));
      const vectors = embedded.map(({ vector }) => vector).filter((vector) => vector !== undefined);
      const collections = await existing(question, signal);
      const found = await Promise.all(
        collections.map((each) => ask(each, question, asked, vectors, signal)),
      );
      const meanings = found.flatMap((each) => each.meanings).sort((a, b) => b.cosine - a.cosine);
      const words = found.flatMap((each) => each.words).sort((a, b) => b.bm25 - a.bm25);
      // The server does not tell how many points have a word, so the best match counts as a full one.
      const rankings = { words, weight: words[0]?.bm25 ?? 1, meanings: meanings.slice(0, LOOKED_AT) };
      const memories = new Map(found.flatMap((each) => [...each.memories]));
      const hits = fuse(rankings, question.limit).map(({ id, ...why }): Hit => {
        const memory = memories.get(id)!;
        return { memory, ...why, words: sharedWords(asked, analyze(wholeText(memory))) };
      });
      return { hits, isSemantic: vectors.length > 0, problem: embedded[0]?.problem };
    },
    async list(filter, { signal } = {}) {
      const found: Memory[] = [];
      for (const collection of await existing(filter, signal)) {
        for await (const memory of scroll(collection, filter, signal)) found.push(memory);
      }
      return found.sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
    },
    async forget(ids, filter, { signal } = {}) {
      let count = 0;
      for (const collection of await existing(filter, signal)) {
        const found = [...(await read(collection, ids, signal)).values()];
        const meant = found.filter(({ agent }) => filter.agent === undefined || agent === filter.agent);
        if (meant.length > 0) {
          await points(collection, "/delete?wait=true", { points: meant.map(({ id }) => id) }, signal);
        }
        count += meant.length;
      }
      return count;
    },
    async status({ signal } = {}) {
      const collections = await existing({}, signal);
      const count = async (collection: Collection, filter?: unknown) => {
        const answer = await points(collection, "/count", { exact: true, filter }, signal);
        return (answer as { readonly count: number } | undefined)?.count ?? 0;
      };
      const counted = await Promise.all(
        collections.map(async (each) => [each.type, await count(each)] as const),
      );
      const bare = await Promise.all(
        collections.map((each) => count(each, { must_not: [{ has_vector: "" }] })),
      );
      const counts = {
        ...Object.fromEntries(MEMORY_TYPES.map((type) => [type, 0])),
        ...Object.fromEntries(counted),
      };
      return {
        counts: counts as Record<MemoryType, number>,
        withoutVector: bare.reduce((sum, each) => sum + each, 0),
        facts: { collections: collections.map(({ name }) => name).join(", ") },
      };
    },
    close: () => {},
  };
}

interface CollectionFacts {
  readonly config: {
    readonly params: {
      readonly vectors?: { readonly size?: unknown };
      readonly sparse_vectors?: Readonly<Record<string, unknown>>;
    };
  };
}

interface ScrollPage {
  readonly points: readonly Point[];
  readonly next_page_offset?: unknown;
}

interface QueryAnswer {
  readonly points: readonly Point[];
}

function outcomeOf(memory: Memory, before: Memory | undefined): Outcome {
  if (before === undefined) return "new";
  const isSame = before.text === memory.text && JSON.stringify(before.tags) === JSON.stringify(memory.tags);
  return isSame ? "same" : "changed";
}

function filterOf({ agent }: MemoryFilter): unknown {
  return agent === undefined ? undefined : { must: [{ key: "agent", match: { value: agent } }] };
}

/** The payload in the kit's words. */
function payloadOf({ text, agent, type, tags, project, createdAt }: Memory): unknown {
  return { text, agent, type, tags, project, created_at: createdAt };
}

/** A memory from a point that anybody may have written. */
function memoryOf({ id, payload }: Point, type: MemoryType, project: string): Memory {
  const { text, agent, tags, project: own, created_at: created } = payload ?? {};
  const textOf = (value: unknown, otherwise: string) => typeof value === "string" ? value : otherwise;
  return {
    id: String(id),
    type,
    agent: textOf(agent, "unknown"),
    text: textOf(text, ""),
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
    project: textOf(own, project),
    createdAt: textOf(created, ""),
  };
}

/** Stems as a sparse vector: each has a number of its own, and two that share one count together. */
function sparseOf(stems: ReadonlyMap<string, number>): {
  readonly indices: readonly number[];
  readonly values: readonly number[];
} {
  const numbers = new Map<number, number>();
  for (const [stem, value] of stems) {
    numbers.set(hashText(stem), (numbers.get(hashText(stem)) ?? 0) + value);
  }
  return { indices: [...numbers.keys()], values: [...numbers.values()] };
}
