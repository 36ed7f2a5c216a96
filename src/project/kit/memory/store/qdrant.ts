/**
 * Memories on a Qdrant server, in the collections of the project-memory kit: a team shares one memory.
 *
 * The collections and their points are in qdrant_collection.ts, search in qdrant_search.ts.
 */
import { MEMORY_TYPES, type MemoryType } from "../../../../base/model.ts";
import type { Work } from "../../../../base/work.ts";
import { CANDIDATES } from "../recall/fusion.ts";
import { weighStems } from "../recall/terms.ts";
import type { Analyzer } from "../words/analyzer.ts";
import { Collection, type Session, WITHOUT_VECTOR } from "./qdrant_collection.ts";
import { searchIn } from "./qdrant_search.ts";
import { connectQdrant, type QdrantOptions } from "./qdrant_server.ts";
import { EMBEDDING, embedQuestion, rankHits, searchableText } from "./searchable.ts";
import { countsOf, type Memory, type MemoryStore, namesIn, type Outcome, type Rankers } from "./store.ts";

/** How many points are sent at once. */
const BATCH = 32;

/** Opens the memories of a project on a server. Nothing is sent yet. */
export function openQdrant(
  { project, ...server }: QdrantOptions & { readonly project: string },
  { analyze, embedder }: Rankers,
): MemoryStore {
  const connect = connectQdrant(server);
  const session = { url: server.url, project, embedder };
  const sessionFor = ({ signal }: Work): Session => ({ ...session, signal, send: connect(signal) });
  return {
    location: server.url,
    async remember(memories, work = {}) {
      const session = sessionFor(work);
      const outcomes = new Map<Memory, Outcome>();
      for (const type of MEMORY_TYPES) {
        const own = memories.filter((memory) => memory.type === type);
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
      const search = { ...filter, analysis, embedded };
      const found = await Collection.findAll(session, filter);
      const matches = await Promise.all(found.map((each) => searchIn(each, search, analyze)));
      const terms = matches.flatMap((each) => each.terms).sort((a, b) => b.bm25 - a.bm25);
      const vectors = matches.flatMap((each) => each.vectors).sort((a, b) => b.cosine - a.cosine);
      // The server does not report how many points have a term, so the best match counts as a full one.
      const rankings = { terms, weight: terms[0]?.bm25 ?? 1, vectors: vectors.slice(0, CANDIDATES) };
      const memories = new Map(matches.flatMap((each) => [...each.memories]));
      const hits = rankHits(rankings, { limit, question: analysis, analyze }, (id) => memories.get(id)!);
      return { hits, isSemantic: embedded.length > 0, problem: results[0]?.problem };
    },
    async list(filter, work = {}) {
      const memories: Memory[] = [];
      for (const collection of await Collection.findAll(sessionFor(work), filter)) {
        for await (const memory of collection.scroll(filter)) memories.push(memory);
      }
      return memories.sort((a, b) => a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0);
    },
    async forget(ids, filter, work = {}) {
      let count = 0;
      for (const collection of await Collection.findAll(sessionFor(work), filter)) {
        const found = [...(await collection.read(ids)).values()];
        const names = namesIn(filter);
        const points = found.filter(({ agent }) => names.length === 0 || names.includes(agent))
          .map(({ id }) => id);
        if (points.length > 0) await collection.post("/delete?wait=true", { points });
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
  await collection.put(wanted.map((memory, at) => {
    const { createdAt } = before?.get(memory.id) ?? memory;
    const terms = weighStems(analyze(searchableText(memory)));
    return collection.pointOf({ ...memory, createdAt }, vectors?.[at], terms);
  }));
  return outcomes;
}

function outcomeOf(memory: Memory, before: Memory | undefined): Outcome {
  if (before === undefined) return "new";
  const isSame = before.text === memory.text && JSON.stringify(before.tags) === JSON.stringify(memory.tags);
  return isSame ? "same" : "changed";
}
