/**
 * Search in one collection: by vectors, and by terms.
 *
 * Collections that we created hold the terms of each point. In those of the kit, terms are looked for in the texts:
 * of the points whose meaning is near or, without an embedder, of all points.
 */
import { CANDIDATES, type TermHit, type VectorHit } from "../recall/fusion.ts";
import { queryStems, scoreTexts } from "../recall/terms.ts";
import type { Analysis } from "../words/analysis.ts";
import type { Analyzer } from "../words/analyzer.ts";
import { type Collection, conditionOf, type Point, sparseVector, TERMS } from "./qdrant_collection.ts";
import { searchableText } from "./searchable.ts";
import type { Memory, MemoryFilter } from "./store.ts";

/** A question in every form that it is searched by. */
export interface Search extends MemoryFilter {
  readonly analysis: Analysis;
  readonly embedded: readonly Float32Array[];
}

/** What a collection holds for a question; ids include the type. */
export interface Matches {
  readonly vectors: readonly VectorHit<string>[];
  readonly terms: readonly TermHit<string>[];
  readonly memories: ReadonlyMap<string, Memory>;
}

export async function searchIn(collection: Collection, search: Search, analyze: Analyzer): Promise<Matches> {
  const { nearest, matching } = await query(collection, search);
  const keyOf = ({ id }: Pick<Point, "id">) => `${collection.type} ${id}`;
  const points = [...nearest, ...matching];
  const memories = new Map(points.map((point) => [keyOf(point), collection.memoryOf(point)]));
  const cosines = new Map<string, number>();
  for (const point of nearest) {
    cosines.set(keyOf(point), Math.max(point.score ?? 0, cosines.get(keyOf(point)) ?? -1));
  }
  for (
    const point of await compareOthers(
      collection,
      search,
      matching.filter((one) => !cosines.has(keyOf(one))),
    )
  ) {
    cosines.set(keyOf(point), Math.max(point.score ?? 0, cosines.get(keyOf(point)) ?? -1));
  }
  if (!collection.hasTerms && search.embedded.length === 0) {
    for await (const memory of collection.scroll(search)) memories.set(keyOf(memory), memory);
  }
  return {
    vectors: [...cosines].map(([id, cosine]) => ({ id, cosine })),
    terms: collection.hasTerms
      ? matching.map((point) => ({ id: keyOf(point), bm25: point.score ?? 0 }))
      : scoreMemories(search.analysis, memories, analyze),
    memories,
  };
}

/** One request for all forms of the question. */
async function query(collection: Collection, search: Search) {
  const { analysis, embedded } = search;
  const common = { limit: CANDIDATES, with_payload: true, filter: conditionOf(search) };
  const { all: stems } = queryStems(analysis);
  const byTerms = collection.hasTerms && stems.length > 0
    ? [{ ...common, using: TERMS, query: sparseVector(new Map(stems.map((stem) => [stem, 1]))) }]
    : [];
  const searches = [...embedded.map((vector) => ({ ...common, query: Array.from(vector) })), ...byTerms];
  type Answers = readonly { readonly points: readonly Point[] }[];
  const answers = searches.length === 0
    ? []
    : await collection.post<Answers>("/query/batch", { searches }) ?? [];
  const points = answers.map((answer) => answer.points);
  return { nearest: points.slice(0, embedded.length).flat(), matching: points.slice(embedded.length).flat() };
}

/** The cosines of points that match by terms and are not among the nearest. */
async function compareOthers(
  collection: Collection,
  { embedded }: Search,
  others: readonly Point[],
): Promise<readonly Point[]> {
  if (others.length === 0 || embedded.length === 0) return [];
  const filter = { must: [{ has_id: others.map(({ id }) => id) }] };
  const searches = embedded.map((vector) => ({ query: Array.from(vector), limit: others.length, filter }));
  type Answers = readonly { readonly points: readonly Point[] }[];
  return (await collection.post<Answers>("/query/batch", { searches }) ?? []).flatMap(({ points }) => points);
}

function scoreMemories(question: Analysis, memories: Matches["memories"], analyze: Analyzer) {
  const keys = [...memories.keys()];
  const texts = [...memories.values()].map((memory) => analyze(searchableText(memory)));
  return scoreTexts(queryStems(question), texts).terms.map(({ id, bm25 }) => ({ id: keys[id]!, bm25 }));
}
