/** Does the bench read every format of recall sets, and compute its figures correctly? */
import assert from "node:assert/strict";
import { qualityOf, readRecallSet } from "../../../../bench/recall_set.ts";

const WANTED = {
  documents: ["first", "second", "third"],
  questions: [{ text: "which?", answers: new Set([0, 2]) }],
};

const FORMS: Readonly<Record<string, unknown>> = {
  "lists with short names, grades by question": {
    docs: [{ id: "a", t: "first" }, { id: "b", t: "second" }, { id: "c", t: "third" }],
    queries: [{ id: "q", t: "which?" }, { id: "unanswered", t: "what?" }],
    qrels: { q: { a: 1, b: 0, c: 2, gone: 1 }, unanswered: {} },
  },
  "objects from ids to texts, lists of answers": {
    documents: { a: "first", b: { text: "second" }, c: { title: "third" } },
    questions: { q: "which?" },
    relevance: { q: ["a", "c"] },
  },
  "lists of texts, rows of objects": {
    corpus: ["first", "second", "third"],
    queries: [{ _id: 7, text: "which?" }],
    qrels: [{ query_id: 7, corpus_id: 0, score: 1 }, { query_id: 7, corpus_id: 2 }],
  },
  "rows as they stand in files of TREC": {
    docs: [{ id: "a", text: "first" }, { id: "b", text: "second" }, { id: "c", text: "third" }],
    queries: [{ id: "q", query: "which?" }],
    qrels: [["q", 0, "a", 1], ["q", 0, "b", 0], ["q", 0, "c", 1]],
  },
};

for (const [name, form] of Object.entries(FORMS)) {
  Deno.test(`a set is understood: ${name}`, () => {
    const { name: called, ...set } = readRecallSet(JSON.stringify(form), "/some/where/small.json");
    assert.deepEqual(set, WANTED);
    assert.equal(called, "small");
  });
}

Deno.test("a set without answers, or with a missing part, is refused", () => {
  const docs = [{ id: "a", t: "first" }];
  assert.throws(
    () => readRecallSet(JSON.stringify({ docs, queries: [{ id: "q", t: "x" }], qrels: {} }), "x.json"),
    /no question/,
  );
  assert.throws(() => readRecallSet(JSON.stringify({ docs, queries: [] }), "x.json"), /none of qrels/);
});

Deno.test("recall counts the first five hits, and rank the first answer among ten", () => {
  const set = { name: "", ...WANTED };
  assert.deepEqual(qualityOf(set, [[1, 0, 2]]), { recall: 1, rank: 0.5 });
  assert.deepEqual(qualityOf(set, [[1, 5, 6, 7, 8, 0]]), { recall: 0, rank: 1 / 6 });
  assert.deepEqual(qualityOf(set, [[]]), { recall: 0, rank: 0 });
});
