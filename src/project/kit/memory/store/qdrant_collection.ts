/**
 * The collections of a project on a Qdrant server, and the points in them.
 *
 * A collection is `{project}-{type}`, its points have the kit's ids and payload, and the vector without a name is the
 * text embedded by the kit's own model. In collections that we create, a sparse vector holds the weighted stems.
 */
import { hashText } from "../../../../base/text.ts";
import { MEMORY_TYPES, type MemoryType } from "../../../../base/model.ts";
import { asValues } from "../../../../base/values.ts";
import type { Embedder } from "../embed/embedder.ts";
import { collectionOf } from "./ids.ts";
import { refuse, type Send } from "./qdrant_server.ts";
import { type Memory, type MemoryFilter, namesIn } from "./store.ts";

export interface Session {
  readonly url: string;
  readonly project: string;
  readonly embedder: Embedder | undefined;
  readonly signal: AbortSignal | undefined;
  readonly send: Send;
}

/** A point as the server sends it. */
export interface Point {
  readonly id: string | number;
  readonly score?: number;
  readonly payload?: Readonly<Record<string, unknown>> | null;
}

interface Page {
  readonly points: readonly Point[];
  readonly next_page_offset?: unknown;
}

/** The length of the vectors of the kit's model. */
const KIT_DIMENSIONS = 384;
export const TERMS = "words";
/** The condition of points that were stored without an embedder, or while it failed. */
export const WITHOUT_VECTOR = { must_not: [{ has_vector: "" }] };
const PAGE = 1_000;
/** A faulty server may always announce another page. */
const MAX_PAGES = 200;

/** A collection that exists. Should another program delete it, it looks empty. */
export class Collection {
  constructor(
    readonly session: Session,
    readonly type: MemoryType,
    readonly dimensions: number,
    /** Whether its points have a sparse vector of stems. */
    readonly hasTerms: boolean,
  ) {}

  get name(): string {
    return collectionOf(this.session.project, this.type);
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

  async post<T>(action: string, body: unknown): Promise<T | undefined> {
    const path = `${pathOf(this.session, this.type)}/points${action}`;
    return await this.session.send("POST", path, body) as T | undefined;
  }

  async put(points: readonly unknown[]): Promise<void> {
    await this.session.send("PUT", `${pathOf(this.session, this.type)}/points?wait=true`, { points });
  }

  async read(ids: readonly string[]): Promise<ReadonlyMap<string, Memory>> {
    const points = await this.post<readonly Point[]>("", { ids, with_payload: true }) ?? [];
    return new Map(points.map((point) => [String(point.id), this.memoryOf(point)]));
  }

  async *scroll(filter: MemoryFilter): AsyncGenerator<Memory> {
    let offset: unknown;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const body = { limit: PAGE, with_payload: true, offset, filter: conditionOf(filter) };
      const page = await this.post<Page>("/scroll", body);
      for (const point of page?.points ?? []) yield this.memoryOf(point);
      offset = page?.next_page_offset;
      if (offset === undefined || offset === null) return;
    }
    refuse(this.session.url, "server-error", `has over ${MAX_PAGES * PAGE} memories in ${this.name}`);
  }

  /** Which of some points lack a vector that the embedder could make. */
  async withoutVector(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (this.session.embedder === undefined || ids.length === 0) return new Set();
    const body = { filter: { must: [{ has_id: ids }], ...WITHOUT_VECTOR }, limit: ids.length };
    const page = await this.post<Page>("/scroll", body);
    return new Set((page?.points ?? []).map(({ id }) => String(id)));
  }

  async count(filter?: unknown): Promise<number> {
    return (await this.post<{ readonly count: number }>("/count", { exact: true, filter }))?.count ?? 0;
  }

  pointOf(memory: Memory, vector: Float32Array | undefined, terms: ReadonlyMap<string, number>) {
    const { id, text, agent, type, tags, project, createdAt } = memory;
    return {
      id,
      payload: { text, agent, type, tags, project, created_at: createdAt },
      vector: {
        ...(vector === undefined ? {} : { "": Array.from(vector) }),
        ...(this.hasTerms ? { [TERMS]: sparseVector(terms) } : {}),
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
      tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
      project: textOf(project, this.session.project),
      createdAt: textOf(created, ""),
    };
  }
}

function pathOf({ project }: Session, type: MemoryType): string {
  return `/collections/${encodeURIComponent(collectionOf(project, type))}`;
}

export function conditionOf(filter: MemoryFilter): unknown {
  const names = namesIn(filter);
  return names.length === 0 ? undefined : { must: [{ key: "agent", match: { any: names } }] };
}

/** Weighted stems as a sparse vector; stems whose hashes collide count together. */
export function sparseVector(stems: ReadonlyMap<string, number>) {
  const weights = new Map<number, number>();
  for (const [stem, weight] of stems) {
    const index = hashText(stem);
    weights.set(index, (weights.get(index) ?? 0) + weight);
  }
  return { indices: [...weights.keys()], values: [...weights.values()] };
}
