/** In which order are hits shown, and what is nearest when nothing answers? */
import assert from "node:assert/strict";
import { reportRecalled } from "../../../../src/project/kit/memory/store/reports.ts";
import { createTextRanker } from "../../../../src/project/kit/memory/store/text_ranker.ts";
import { fuse } from "../../../../src/project/kit/memory/recall/fusion.ts";
import { memoryOf, TERMS_ONLY } from "../../../support/memories.ts";
import { verifies } from "../../../support/requirements.ts";

const CONTEXT = {
  clean: (text: string) => text,
  ranking: "keywords and meaning",
  asked: { words: 2, isUnderstood: true },
  hasFloor: true,
};

async function hitOf(text: string, semantic: number, ...words: readonly string[]) {
  return { memory: await memoryOf({ text }), score: 0, lexical: words.length, semantic, words };
}

const noteOf = (text: string, semantic: number) => ({
  note: { type: "decisions" as const, text, tags: [], source: "decisions-log.md" },
  score: 0,
  lexical: 0,
  semantic,
  words: [],
});

Deno.test(
  verifies("memory:floor", "hits keep the order of their ranking, which the score does not change"),
  async () => {
    // The two rankings are merged by score, each in its own order.
    const hits = [await hitOf("second", 0.5), await hitOf("first", 0.9), await hitOf("fourth", 0.4, "a")];
    const noted = [noteOf("last", 0.39), noteOf("third", 0.45)];
    const { data } = reportRecalled({ query: "q", limit: 5 }, { hits, isSemantic: true }, noted, CONTEXT);
    const found = data["hits"] as readonly { text: string; score: number }[];
    assert.deepEqual(found.map(({ text }) => text), ["second", "first", "fourth", "last", "third"]);
    assert.deepEqual(found.map(({ score }) => score), [0.5, 0.9, 0.45, 0.39, 0.45]);
  },
);

Deno.test(verifies("memory:floor", "what is nearest is shown as such, however far it is"), async () => {
  const hits = [await hitOf("far", 0.02), await hitOf("less far", 0.2)];
  const answer = reportRecalled(
    { query: "q", limit: 5 },
    { hits, isSemantic: true },
    [noteOf("note", 0.05)],
    CONTEXT,
  );
  assert.match(
    answer.text,
    /^Nothing relevant for "q"\. The nearest, which may be about something else:\n1\. /,
  );
  const nearest = answer.data["nearest"] as readonly { text: string }[];
  assert.deepEqual([answer.data["hits"], nearest.map(({ text }) => text)], [[], ["less far", "note", "far"]]);
  // The rankings themselves keep something to show.
  const ranked = fuse(
    { terms: [], weight: 1, vectors: [{ id: 1, cosine: 0.05 }, { id: 2, cosine: 0.01 }] },
    5,
  );
  assert.deepEqual(ranked.map(({ id }) => id), [1, 2]);
  assert.deepEqual(await createTextRanker(TERMS_ONLY)("anything", ["nothing of the kind"]), []);
});

Deno.test("a memory that shares words and is not among the nearest still has its cosine", () => {
  const rankings = {
    terms: [{ id: 7, bm25: 1 }],
    weight: 1,
    vectors: [{ id: 1, cosine: 0.9 }],
    cosineOf: (id: number) => id === 7 ? 0.3 : undefined,
  };
  assert.equal(fuse(rankings, 5).find(({ id }) => id === 7)?.semantic, 0.3);
});
