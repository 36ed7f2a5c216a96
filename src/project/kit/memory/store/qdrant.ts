/** Memories on a Qdrant server. Our own collections hold the terms of each point; the kit's have texts alone. */
import { BmadError, fail, type MemoryProblem } from "../../../../base/errors.ts";
import { type Memory, MEMORY_TYPES, type MemoryType } from "../../../../base/model.ts";
import { compareTexts, hashText } from "../../../../base/text.ts";
import { asValues, isValues, parseJson } from "../../../../base/values.ts";
import type { Work } from "../../../../base/work.ts";
import type { MemoryPlan } from "../../../../settings/plan/mod.ts";
import { LIMITS } from "../../../limits.ts";
import type { Embedder } from "../embed/built_in.ts";
import { CANDIDATES, queryStems, scoreTexts, weighStems } from "../recall/ranking.ts";
import { connectTo } from "../server.ts";
import type { Analysis, Analyzer } from "../words/analysis.ts";
import { collectionOf } from "./checks.ts";
import { EMBEDDING, embedQuestion, rankHits, searchableText } from "./rankers.ts";
import {
  countsOf,
  type MemoryFilter,
  type MemoryStore,
  namesIn,
  type Outcome,
  type Rankers,
} from "./store.ts";
import { tagsIn, toRecord } from "./texts.ts";

const BATCH = 32;

export function openQdrant(
  { project, ...server }: QdrantOptions & { readonly project: string },
  { analyze, embedder }: Rankers,
): MemoryStore {
  const connect = connectQdrant(server);
  const sessionFor = ({ signal }: Work) => ({
    url: server.url,
    project,
    embedder,
    signal,
    send: connect(signal),
  });
  return {
    location: server.url,
    async remember(memories, work = {}) {
      const session = sessionFor(work);
      const outcomes = new Map<Memory, Outcome>();
      for (const [type, own] of Map.groupBy(memories, (memory) => memory.type)) {
        for (let at = 0; at < own.length; at += BATCH) {
          const batch = own.slice(at, at + BATCH);
          const written = await writeBatch(session, type, batch, analyze);
          for (const [index, outcome] of written.entries()) outcomes.set(batch[index]!, outcome);
          work.progress?.(outcomes.size, memories.length, EMBEDDING);
        }
      }
      return { outcomes: memories.map((one) => outcomes.get(one)!), isSemantic: embedder !== undefined };
    },
    async recall({ query, limit, ...filter }, work = {}) {
      const session = sessionFor(work);
      const analysis = analyze(query);
      // Memories were embedded in their own language, so the question is tried as it is and in English.
      const forms = [...new Set([query, analysis.english])];
      const results = await Promise.all(
        forms.map((english) => embedQuestion(embedder, { ...analysis, english }, work.signal)),
      );
      const embedded = results.map(({ vector }) => vector).filter((vector) => vector !== undefined);
      const found = await Collection.findAll(session, filter);
      const matches = await Promise.all(
        found.map((each) => searchIn(each, { ...filter, analysis, embedded }, analyze)),
      );
      const terms = matches.flatMap((each) => each.terms).sort((a, b) => b.bm25 - a.bm25);
      const vectors = matches.flatMap((each) => each.vectors).sort((a, b) => b.cosine - a.cosine);
      // The server does not report how many points have a term, so the best match counts as a full one.
      const rankings = { terms, weight: terms[0]?.bm25 ?? 1, vectors: vectors.slice(0, CANDIDATES) };
      const memories = new Map(matches.flatMap((each) => [...each.memories]));
      const hits = rankHits(rankings, { limit, question: analysis, analyze }, (id) => memories.get(id)!);
      return { hits, isSemantic: embedded.length > 0, problem: results[0]?.problem };
    },
    async list(filter, work = {}) {
      const found = await Collection.findAll(sessionFor(work), filter);
      const memories: Memory[] = [];
      for (const collection of found) memories.push(...await Array.fromAsync(collection.scroll(filter)));
      return memories.sort((a, b) => compareTexts(b.createdAt, a.createdAt));
    },
    async forget(ids, filter, work = {}) {
      let count = 0;
      const names = namesIn(filter);
      for (const collection of await Collection.findAll(sessionFor(work), filter)) {
        const points = (await collection.read(ids)).values().toArray()
          .filter(({ agent }) => names.length === 0 || names.includes(agent)).map(({ id }) => id);
        if (points.length > 0) await collection.send("POST", "/points/delete?wait=true", { points });
        count += points.length;
      }
      return count;
    },
    async status(work = {}) {
      const found = await Collection.findAll(sessionFor(work), {});
      const total = await Promise.all(found.map((each) => each.count()));
      const bare = await Promise.all(found.map((each) => each.count(WITHOUT_VECTOR)));
      return {
        counts: countsOf((type) => total[found.findIndex((each) => each.type === type)] ?? 0),
        withoutVector: bare.reduce((sum, count) => sum + count, 0),
        facts: { collections: found.map(({ name }) => name).join(", ") },
      };
    },
    close: () => {},
  };
}

/** Embeds before it creates the collection: only then are the dimensions of an embedding server known. */
async function writeBatch(
  session: Session,
  type: MemoryType,
  memories: readonly Memory[],
  analyze: Analyzer,
): Promise<readonly Outcome[]> {
  const existing = await Collection.find(session, type);
  const before = await existing?.read(memories.map(({ id }) => id));
  const outcomes = memories.map((memory) => outcomeOf(memory, before?.get(memory.id)));
  const unchanged = memories.filter((_, at) => outcomes[at] === "same").map(({ id }) => id);
  const bare = await existing?.withoutVector(unchanged);
  const wanted = memories.filter(({ id }, at) => outcomes[at] !== "same" || bare?.has(id));
  if (wanted.length === 0) return outcomes;
  const vectors = await session.embedder?.embed(wanted.map(({ text }) => text), session.signal);
  const collection = existing ?? await Collection.create(session, type);
  collection.checkDimensions();
  const points = wanted.map((memory, at) => {
    const { createdAt } = before?.get(memory.id) ?? memory;
    const terms = weighStems(analyze(searchableText(memory)));
    return collection.pointOf({ ...memory, createdAt }, vectors?.[at], terms);
  });
  await collection.send("PUT", "/points?wait=true", { points });
  return outcomes;
}

function outcomeOf(memory: Memory, before: Memory | undefined): Outcome {
  if (before === undefined) return "new";
  const isSame = before.text === memory.text && JSON.stringify(before.tags) === JSON.stringify(memory.tags);
  return isSame ? "same" : "changed";
}

interface Search extends MemoryFilter {
  readonly analysis: Analysis;
  readonly embedded: readonly Float32Array[];
}

async function searchIn(collection: Collection, search: Search, analyze: Analyzer) {
  const { analysis, embedded } = search;
  const keyOf = ({ id }: Pick<Point, "id">) => `${collection.type} ${id}`;
  const stems = queryStems(analysis);
  const common = { limit: CANDIDATES, with_payload: true, filter: conditionOf(search) };
  const byMeaning = embedded.map((vector) => ({ ...common, query: Array.from(vector) }));
  const byTerms = {
    ...common,
    using: TERMS,
    query: sparseVector(new Map(stems.all.map((stem) => [stem, 1]))),
  };
  const found = await collection.batch([
    ...byMeaning,
    ...collection.hasTerms && stems.all.length > 0 ? [byTerms] : [],
  ]);
  const nearest = found.slice(0, embedded.length).flat(), matching = found.slice(embedded.length).flat();
  const memories = new Map(
    [...nearest, ...matching].map((point) => [keyOf(point), collection.memoryOf(point)]),
  );
  const isNear = new Set(nearest.map(keyOf));
  const others = matching.filter((one) => !isNear.has(keyOf(one))).map(({ id }) => id);
  const filter = { must: [{ has_id: others }] };
  const compared = others.length === 0
    ? []
    : await collection.batch(byMeaning.map(({ query }) => ({ query, limit: others.length, filter })));
  const cosines = new Map<string, number>();
  for (const point of [...nearest, ...compared.flat()]) {
    const key = keyOf(point);
    cosines.set(key, Math.max(point.score ?? 0, cosines.get(key) ?? -1));
  }
  if (!collection.hasTerms && embedded.length === 0) {
    for await (const memory of collection.scroll(search)) memories.set(keyOf(memory), memory);
  }
  const keys = [...memories.keys()];
  const texts = collection.hasTerms ? [] : [...memories.values()].map((one) => analyze(searchableText(one)));
  return {
    vectors: [...cosines].map(([id, cosine]) => ({ id, cosine })),
    terms: collection.hasTerms
      ? matching.map((point) => ({ id: keyOf(point), bm25: point.score ?? 0 }))
      : scoreTexts(stems, texts).terms.map(({ id, bm25 }) => ({ id: keys[id]!, bm25 })),
    memories,
  };
}

interface Session {
  readonly url: string;
  readonly project: string;
  readonly embedder: Embedder | undefined;
  readonly signal: AbortSignal | undefined;
  readonly send: Send;
}

interface Point {
  readonly id: string | number;
  readonly score?: number;
  readonly payload?: Readonly<Record<string, unknown>> | null;
}

interface Page {
  readonly points: readonly Point[];
  readonly next_page_offset?: unknown;
}

const KIT_DIMENSIONS = 384;
const TERMS = "words";
/** Of points that were stored without an embedder, or while it failed. */
const WITHOUT_VECTOR = { must_not: [{ has_vector: "" }] };
const PAGE = 1_000;

/** A collection that exists. Should another program delete it, it looks empty. */
class Collection {
  readonly name: string;

  constructor(
    readonly session: Session,
    readonly type: MemoryType,
    readonly dimensions: number,
    readonly hasTerms: boolean,
  ) {
    this.name = collectionOf(session.project, type);
  }

  static async find(session: Session, type: MemoryType): Promise<Collection | undefined> {
    const info = await session.send("GET", pathOf(session, type));
    if (info === undefined) return undefined;
    const { vectors, sparse_vectors: sparse } = asValues(asValues(asValues(info)["config"])["params"]);
    const { size } = asValues(vectors);
    if (typeof size !== "number") {
      const name = collectionOf(session.project, type);
      const problem = `has a collection ${name} with named vectors, which belongs to another program`;
      return refuse(session.url, "wrong-collection", problem);
    }
    const collection = new Collection(session, type, size, asValues(sparse)[TERMS] !== undefined);
    collection.checkDimensions();
    return collection;
  }

  static async findAll(session: Session, { type }: MemoryFilter): Promise<readonly Collection[]> {
    const types = type === undefined ? MEMORY_TYPES : [type];
    const found = await Promise.all(types.map((each) => Collection.find(session, each)));
    return found.filter((collection) => collection !== undefined);
  }

  static async create(session: Session, type: MemoryType): Promise<Collection> {
    const path = pathOf(session, type);
    const size = session.embedder?.dimensions || KIT_DIMENSIONS;
    const terms = { [TERMS]: { modifier: "idf" } };
    try {
      await session.send("PUT", path, { vectors: { size, distance: "Cosine" }, sparse_vectors: terms });
      await session.send("PUT", `${path}/index?wait=true`, { field_name: "agent", field_schema: "keyword" });
    } catch (error) {
      // Another program may have created it at the same moment.
      const existing = await Collection.find(session, type);
      if (existing === undefined) throw error;
      return existing;
    }
    return new Collection(session, type, size, true);
  }

  /** Checked again after embedding: an embedding server reveals its dimensions with its first answer. */
  checkDimensions(): void {
    const { embedder, url } = this.session;
    const actual = embedder?.dimensions || this.dimensions;
    if (actual === this.dimensions) return;
    const problem =
      `has a collection ${this.name} for vectors of length ${this.dimensions}, but the embedder makes ` +
      `vectors of length ${actual}. Use the embedder that filled it, or copy its memories to another store`;
    refuse(url, "wrong-collection", problem);
  }

  async send<T>(method: string, path: string, body: unknown): Promise<T | undefined> {
    return await this.session.send(method, pathOf(this.session, this.type) + path, body) as T | undefined;
  }

  async batch(searches: readonly unknown[]): Promise<readonly (readonly Point[])[]> {
    if (searches.length === 0) return [];
    const answers = await this.send<readonly Page[]>("POST", "/points/query/batch", { searches }) ?? [];
    return answers.map(({ points }) => points);
  }

  async read(ids: readonly string[]): Promise<ReadonlyMap<string, Memory>> {
    const points = await this.send<readonly Point[]>("POST", "/points", { ids, with_payload: true }) ?? [];
    return new Map(points.map((point) => [String(point.id), this.memoryOf(point)]));
  }

  async *scroll(filter: MemoryFilter): AsyncGenerator<Memory> {
    const most = LIMITS.memory.qdrantPages;
    let offset: unknown;
    for (let pages = 0; pages < most; pages++) {
      const body = { limit: PAGE, with_payload: true, offset, filter: conditionOf(filter) };
      const page = await this.send<Page>("POST", "/points/scroll", body);
      for (const point of page?.points ?? []) yield this.memoryOf(point);
      offset = page?.next_page_offset;
      if (offset === undefined || offset === null) return;
    }
    refuse(this.session.url, "server-error", `has over ${most * PAGE} memories in ${this.name}`);
  }

  async withoutVector(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (this.session.embedder === undefined || ids.length === 0) return new Set();
    const body = { filter: { must: [{ has_id: ids }], ...WITHOUT_VECTOR }, limit: ids.length };
    const page = await this.send<Page>("POST", "/points/scroll", body);
    return new Set(page?.points.map(({ id }) => String(id)));
  }

  async count(filter?: unknown): Promise<number> {
    type Answer = { readonly count: number };
    return (await this.send<Answer>("POST", "/points/count", { exact: true, filter }))?.count ?? 0;
  }

  pointOf(memory: Memory, vector: Float32Array | undefined, terms: ReadonlyMap<string, number>) {
    const { id, ...payload } = toRecord(memory);
    return {
      id,
      payload,
      vector: {
        ...(vector !== undefined && { "": Array.from(vector) }),
        ...(this.hasTerms && { [TERMS]: sparseVector(terms) }),
      },
    };
  }

  /** Any program may have written the point. */
  memoryOf({ id, payload }: Point): Memory {
    const { text, agent, tags, project, created_at: created } = payload ?? {};
    const textOf = (value: unknown, otherwise: string) => typeof value === "string" ? value : otherwise;
    return {
      id: String(id),
      type: this.type,
      agent: textOf(agent, "unknown"),
      text: textOf(text, ""),
      tags: tagsIn(tags),
      project: textOf(project, this.session.project),
      createdAt: textOf(created, ""),
    };
  }
}

function pathOf({ project }: Session, type: MemoryType): string {
  return `/collections/${encodeURIComponent(collectionOf(project, type))}`;
}

function conditionOf(filter: MemoryFilter): unknown {
  const names = namesIn(filter);
  return names.length === 0 ? undefined : { must: [{ key: "agent", match: { any: names } }] };
}

/** Stems whose hashes collide count together. */
function sparseVector(stems: ReadonlyMap<string, number>) {
  const weights = new Map<number, number>();
  for (const [stem, weight] of stems) {
    const index = hashText(stem);
    weights.set(index, (weights.get(index) ?? 0) + weight);
  }
  return { indices: [...weights.keys()], values: [...weights.values()] };
}

type QdrantOptions = NonNullable<MemoryPlan["qdrant"]>;

/** Undefined if there is no such collection. */
type Send = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** The first version that knows the condition `has_vector`. */
const OLDEST = "1.13";

const MAX_ERROR_LENGTH = 300;

function connectQdrant({ url, key }: QdrantOptions): (signal?: AbortSignal) => Send {
  const { base, ask } = connectTo(url, key === undefined ? {} : { "api-key": key });
  const mostMs = LIMITS.memory.qdrantMs;
  return (signal) => async (method, path, body) => {
    const timeout = AbortSignal.timeout(mostMs);
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    try {
      const { status, text } = await ask({ method, path, body, signal: either });
      return resultIn(base, status, text);
    } catch (error) {
      if (error instanceof BmadError || signal?.aborted) throw error;
      const why = timeout.aborted ? `no answer within ${mostMs / 1_000} seconds` : (error as Error).message;
      return refuse(base, "unreachable", `cannot be reached: ${why}. Check that it runs at this address`);
    }
  };
}

function resultIn(base: string, status: number, text: string): unknown {
  const reply = parseJson(text);
  if (status === 404 && isValues(reply)) return undefined;
  if (status === 401 || status === 403) return refuse(base, "key-refused", "refuses the API key");
  if (!isValues(reply)) {
    return refuse(base, "server-error", `answered ${status} without JSON. Is it a Qdrant server?`);
  }
  const error = String(asValues(reply["status"])["error"] ?? reply["status"]).slice(0, MAX_ERROR_LENGTH);
  // An older server does not know every condition that we select points by.
  if ((status === 400 || status === 422) && /condition/i.test(error)) {
    return refuse(base, "server-too-old", `is too old. Qdrant ${OLDEST} or later is required: ${error}`);
  }
  return status < 400 ? reply["result"] : refuse(base, "server-error", `answered ${status}: ${error}`);
}

function refuse(base: string, problem: MemoryProblem, what: string): never {
  return fail({ code: "memory-unavailable", problem, reason: `Qdrant at ${base} ${what}`, subject: base });
}
