/**
 * Is a question answered by the memory that answers it, also in other words, and is one that nothing answers told so?
 * Does an answer count the same beside few memories and many?
 */
import assert from "node:assert/strict";
import {
  askedIn,
  fuse,
  isRelevant,
  matchExpression,
  queryStems,
  relevanceOf,
} from "../../../../src/project/kit/memory/recall/ranking.ts";
import { createTextRanker } from "../../../../src/project/kit/memory/store/rankers.ts";
import { reportRecalled } from "../../../../src/project/kit/memory/store/reports.ts";
import type { Hit, Rankers } from "../../../../src/project/kit/memory/store/store.ts";
import { memoryOf, STORES, TERMS_ONLY, withRankers } from "../../../support/memories.ts";

/** How many questions must be silent, found among the first five, answered there, and answered first. */
type Least = Partial<Record<"silent" | "found" | "answered" | "first", number>>;

const LEAST: Readonly<Record<string, Least>> = {
  "chosen": { silent: 0.9, found: 0.9, answered: 0.6 },
  "held out": { silent: 0.9, found: 0.9, answered: 0.6 },
  "fresh": { silent: 0.9, found: 0.9, answered: 0.6 },
  "German": { silent: 0.9, found: 0.6, answered: 0.6 },
  "Spanish": { silent: 0.9, found: 0.6, answered: 0.6 },
  "fresh German": { silent: 0.9, found: 0.6, answered: 0.6 },
  "fresh Spanish": { silent: 0.9, found: 0.6, answered: 0.6 },
  "everyday": { silent: 9 / 10, first: 25 / 30 },
  "everyday, later": { silent: 9 / 10, first: 27 / 30 },
  "paraphrased": { silent: 9 / 10, first: 11 / 30 },
  "paraphrased French": { silent: 16 / 20, first: 20 / 30 },
  "paraphrased German": { silent: 9 / 10, first: 8 / 30 },
  "paraphrased Spanish": { silent: 9 / 10, first: 14 / 30 },
};

const SETS = await readSets();

async function readSets() {
  const text = await Deno.readTextFile(new URL("questions.txt", import.meta.url));
  return Object.fromEntries(
    text.split(/^# /m).slice(1).map((part) => {
      const [name, ...lines] = part.split("\n").filter((line) => line !== "");
      const pairs = lines.filter((line) => line.includes(" => ")).map((line) => line.split(" => "));
      const others = lines.filter((line) => !line.includes(" => "));
      return [name!, { pairs: pairs as [memory: string, question: string][], others }];
    }),
  );
}

const CHOSEN = SETS["chosen"]!.pairs.map(([memory]) => memory);

type Ask = (question: string) => Promise<readonly Hit[]>;

for (const { name, ignore, use } of STORES) {
  Deno.test(
    `what nothing answers is told apart in all languages: ${name} [memory:floor]`,
    { ignore },
    (t) =>
      withRankers(async (rankers) => {
        const withMemories = (texts: readonly string[], work: (ask: Ask) => Promise<void>) =>
          use(async (open) => {
            const store = open(rankers);
            await store.remember(await Promise.all(texts.map((text) => memoryOf({ text }))));
            await work(async (query) => (await store.recall({ query, limit: 20 })).hits);
            store.close();
          });

        for (const [name, least] of Object.entries(LEAST)) {
          const { pairs, others } = SETS[name]!;
          await t.step(name, () =>
            withMemories(pairs.map(([memory]) => memory), async (ask) => {
              const shares = await sharesOf(rankers, ask, pairs, others);
              const missed = Object.entries(least).filter(([key, share]) =>
                shares[key as keyof Least] < share
              );
              assert.deepEqual(missed, [], JSON.stringify(shares));
            }));
        }

        const { pairs, others } = SETS["French about chosen"]!;
        await t.step("the language of a question does not outrank the right answer", () =>
          withMemories([...CHOSEN, ...others], async (ask) => {
            const wrong: string[] = [];
            for (const [memory, question] of pairs) {
              if ((await ask(question))[0]?.memory.text !== memory) wrong.push(question);
            }
            assert.ok(wrong.length <= 2, wrong.join("; "));
          }));

        await t.step("the score of an answer does not depend on the number of memories", async () => {
          const question = "How long do access tokens live?", scores: string[] = [];
          for (const memories of [CHOSEN.slice(0, 1), CHOSEN]) {
            await withMemories(memories, async (ask) => {
              const right = (await ask(question)).find(({ memory }) => memory.text === CHOSEN[0])!;
              scores.push(relevanceOf(right, askedIn(rankers.analyze(question))).toFixed(2));
            });
          }
          assert.equal(scores[0], scores[1]);
        });
      }),
  );
}

async function sharesOf(
  { analyze }: Rankers,
  ask: Ask,
  pairs: readonly (readonly [memory: string, question: string])[],
  others: readonly string[],
): Promise<Required<Least>> {
  const relevantIn = async (question: string) => {
    const hits = await ask(question), asked = askedIn(analyze(question));
    return { hits, relevant: hits.filter((hit) => isRelevant(hit, asked, true)) };
  };
  let silent = 0, found = 0, answered = 0, first = 0;
  for (const question of others) silent += Number((await relevantIn(question)).relevant.length === 0);
  for (const [memory, question] of pairs) {
    const { hits, relevant } = await relevantIn(question);
    const right = hits.slice(0, 5).find(({ memory: { text } }) => text === memory);
    found += Number(right !== undefined);
    answered += Number(right !== undefined && relevant.includes(right));
    first += Number(relevant[0]?.memory.text === memory);
  }
  const all = pairs.length;
  return { silent: silent / others.length, found: found / all, answered: answered / all, first: first / all };
}

Deno.test("relevance is between 0 and 1, and words alone count where there is no meaning", () => {
  const hit = (semantic: number | undefined, ...words: readonly string[]) => ({ semantic, words });
  const asked = (words: number, isUnderstood = true) => ({ words, isUnderstood });
  assert.equal(relevanceOf(hit(0.95, "a", "b"), asked(2)), 1);
  assert.equal(relevanceOf(hit(-0.2), asked(3)), 0);
  assert.equal(relevanceOf(hit(undefined, "a"), asked(2)), 0.5);
  assert.equal(isRelevant(hit(0.1, "a"), asked(3), true), false);
  assert.equal(isRelevant(hit(0.1, "a"), asked(3), false), true);
  assert.equal(isRelevant(hit(0.05), asked(3), false), false);
  // A name that the embedder does not know.
  assert.equal(isRelevant(hit(0.05, "err_4711"), asked(1), true), true);
  // A language that it does not know.
  assert.equal(relevanceOf(hit(0.8, "libro"), asked(4, false)), 0.25);
  assert.equal(isRelevant(hit(0.8), asked(3, false), true), false);
});

const NONE = { terms: [], weight: 1, vectors: [] };
const idsIn = (rankings: Parameters<typeof fuse<string | number>>[0], limit = 10) =>
  fuse(rankings, limit).map(({ id }) => id);

Deno.test("terms count six tenths of their share, meaning four tenths between best and worst", () => {
  const ranked = fuse({
    terms: [{ id: "both", bm25: 5 }, { id: "words", bm25: 2.5 }],
    weight: 10,
    vectors: [{ id: "meaning", cosine: 0.6 }, { id: "both", cosine: 0.5 }, { id: "last", cosine: 0.2 }],
    cosineOf: (id) => id === "words" ? 0.3 : undefined,
  }, 10);
  const rows = ranked.map(({ id, score, ...why }) => [id, Number(score.toFixed(9)), ...Object.values(why)]);
  assert.deepEqual(rows, [
    ["both", 0.6, 0.5, 0.5],
    ["meaning", 0.4, 0, 0.6],
    // It is not among the nearest, and still has its cosine.
    ["words", 0.15, 0.25, 0.3],
    ["last", 0, 0, 0.2],
  ]);
});

Deno.test("memories are ranked by terms and by meaning, and only those that match", () => {
  const vectors = [{ id: 1, cosine: 0.4 }, { id: 2, cosine: 0.09 }, { id: 3, cosine: -0.2 }];
  assert.deepEqual(idsIn({ ...NONE, vectors }), [1]);
  assert.deepEqual(idsIn({ ...NONE, terms: [{ id: 3, bm25: 1 }], vectors }), [3, 1]);
  assert.deepEqual(idsIn(NONE), []);
  assert.deepEqual(idsIn({ ...NONE, terms: [{ id: 7, bm25: 2 }, { id: 8, bm25: 1 }], weight: 0 }), [7, 8]);
  const [only] = fuse({ ...NONE, vectors: [{ id: 7, cosine: 0.3 }] }, 10);
  assert.ok(Math.abs(only!.score - 0.4) < 1e-9);
  // A single weak term does not beat the same meaning.
  const weak = { terms: [{ id: "weak", bm25: 0.5 }], weight: 10 };
  assert.deepEqual(
    idsIn({ ...weak, vectors: [{ id: "same", cosine: 0.5 }, { id: "weak", cosine: 0.1 }] }, 1),
    [
      "same",
    ],
  );
  assert.deepEqual(idsIn({ ...NONE, terms: [4, 2, 9, 1].map((id) => ({ id, bm25: 1 })) }, 3), [4, 2, 9]);
});

Deno.test("a question is looked up by each stem once, its own ones first, up to a limit", () => {
  const analysis = { language: "fr", isUnderstood: true, english: "", parts: [] } as const;
  const { own, all } = queryStems({ ...analysis, terms: ["a", "b", "a"], gloss: ["c", "b", "c"] });
  assert.deepEqual([own, all], [["a", "b"], ["a", "b", "c"]]);
  const many = Array.from({ length: 1_000 }, (_, i) => `w${i}`);
  const cut = queryStems({ ...analysis, terms: many, gloss: many });
  assert.deepEqual([cut.own.length, cut.all.length], [64, 128]);
  assert.equal(matchExpression(["jeton", "or", "near"]), '"jeton" OR "or" OR "near"');
});

const CONTEXT = {
  clean: (text: string) => text,
  ranking: "keywords and meaning",
  asked: { words: 2, isUnderstood: true },
  hasFloor: true,
};

async function report(
  hits: readonly (readonly [text: string, semantic: number, ...words: string[]])[],
  notes: readonly (readonly [text: string, semantic: number])[],
) {
  const why = { score: 0, lexical: 0, words: [] };
  const memories = await Promise.all(
    hits.map(async ([text, semantic, ...words]) => ({
      ...why,
      memory: await memoryOf({ text }),
      semantic,
      words,
    })),
  );
  const noted = notes.map(([text, semantic]) => ({
    ...why,
    note: { type: "decisions" as const, text, tags: [], source: "decisions-log.md" },
    semantic,
  }));
  const recalled = { hits: memories, isSemantic: true };
  const { text, data } = reportRecalled({ query: "q", limit: 5 }, recalled, noted, CONTEXT);
  type Told = readonly { readonly text: string; readonly score: number }[] | undefined;
  const told = (hits: unknown) => (hits as Told)?.map(({ text, score }) => [text, score]);
  return { text, found: told(data["hits"]), nearest: told(data["nearest"])?.map(([text]) => text) };
}

Deno.test("the score does not change the order of hits [memory:floor]", async () => {
  // The two rankings are merged by score, each in its own order.
  const { found } = await report([["second", 0.5], ["first", 0.9], ["fourth", 0.4, "a"]], [
    ["last", 0.39],
    ["third", 0.45],
  ]);
  assert.deepEqual(found, [["second", 0.5], ["first", 0.9], ["fourth", 0.45], ["last", 0.39], [
    "third",
    0.45,
  ]]);
});

Deno.test("what is nearest is shown as such, however far it is [memory:floor]", async () => {
  const { text, found, nearest } = await report([["far", 0.02], ["less far", 0.2]], [["note", 0.05]]);
  assert.match(text, /^Nothing relevant for "q"\. The nearest, which may be about something else:\n1\. /);
  assert.deepEqual([found, nearest], [[], ["less far", "note", "far"]]);
  // The rankings themselves keep something to show.
  assert.deepEqual(idsIn({ ...NONE, vectors: [{ id: 1, cosine: 0.05 }, { id: 2, cosine: 0.01 }] }), [1, 2]);
  assert.deepEqual(await createTextRanker(TERMS_ONLY)("anything", ["nothing of the kind"]), []);
});
