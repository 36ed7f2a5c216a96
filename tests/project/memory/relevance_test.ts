/**
 * Is a question that nothing answers told so, and does an answer count the same beside few memories and many?
 */
import assert from "node:assert/strict";
import { isRelevant, relevanceOf } from "../../../src/project/memory/recall/relevance.ts";
import { searchableText } from "../../../src/project/memory/store/searchable.ts";
import type { Hit } from "../../../src/project/memory/store/store.ts";
import { memoryOf, STORES, withRankers } from "../../support/memories.ts";
import { verifies } from "../../support/requirements.ts";
import { HELD_OUT, HELD_OUT_UNANSWERED } from "./held_out_set.ts";
import { ENGLISH, FRENCH, FRENCH_OTHERS, GERMAN, type Pair, SPANISH, UNANSWERED } from "./relevance_set.ts";

const SETS: readonly (readonly [name: string, pairs: readonly Pair[], unanswered: readonly string[]])[] = [
  ["questions that the floor was chosen with", ENGLISH, UNANSWERED],
  ["questions that it has never seen", HELD_OUT, HELD_OUT_UNANSWERED],
];

for (const { name, ignore, use } of STORES) {
  Deno.test({
    name: verifies("memory:floor", `what nothing answers is told apart, in any language: ${name}`),
    ignore,
    fn: (t) =>
      withRankers(async (rankers) => {
        const asked = (question: string) =>
          new Set(rankers.analyze(question).parts.map(({ text }) => text)).size;
        const withPairs = (
          pairs: readonly Pair[],
          work: (ask: (question: string) => Promise<readonly Hit[]>) => Promise<void>,
        ) =>
          use(async (open) => {
            const store = open(rankers);
            await store.remember(await Promise.all(pairs.map(([text]) => memoryOf({ text }))));
            await work(async (query) => (await store.recall({ query, limit: 5 })).hits);
            store.close();
          });

        for (const [name, pairs, unanswered] of SETS) {
          await t.step(name, () =>
            withPairs(pairs, async (ask) => {
              let silent = 0, answered = 0, found = 0;
              for (const question of unanswered) {
                const hits = await ask(question);
                silent += Number(!hits.some((hit) => isRelevant(hit, asked(question), true)));
              }
              for (const [memory, question] of pairs) {
                const hits = await ask(question);
                const right = hits.find(({ memory: { text } }) => text === memory);
                found += Number(right !== undefined);
                answered += Number(right !== undefined && isRelevant(right, asked(question), true));
              }
              assert.ok(silent / unanswered.length >= 0.9, `silent ${silent} of ${unanswered.length}`);
              assert.ok(found / pairs.length >= 0.9, `found ${found} of ${pairs.length}`);
              assert.ok(answered / pairs.length >= 0.55, `answered ${answered} of ${pairs.length}`);
            }));
        }

        for (const [language, pairs] of Object.entries({ GERMAN, SPANISH })) {
          await t.step(language, () =>
            withPairs(pairs, async (ask) => {
              const found = await Promise.all(
                pairs.map(async ([memory, question]) =>
                  (await ask(question)).some((hit) => searchableText(hit.memory) === memory)
                ),
              );
              const recall = found.filter(Boolean).length / pairs.length;
              assert.ok(recall >= 0.6, `recall@5 ${recall}`);
            }));
        }

        await t.step("the language of a question does not outrank the right answer", () =>
          withPairs([
            ...ENGLISH,
            ...FRENCH_OTHERS.map((text) => [text, ""] as const),
          ], async (ask) => {
            const wrong: string[] = [];
            for (const [place, question] of FRENCH) {
              const [first] = await ask(question);
              if (first?.memory.text !== ENGLISH[place]![0]) wrong.push(question);
            }
            assert.ok(wrong.length <= 2, wrong.join("; "));
          }));

        await t.step("the score of an answer does not depend on the number of memories", () =>
          withPairs(ENGLISH.slice(0, 1), async (askFew) => {
            await withPairs(ENGLISH, async (askMany) => {
              const question = "How long do access tokens live?";
              const scores = await Promise.all([askFew, askMany].map(async (ask) => {
                const right = (await ask(question)).find(({ memory }) =>
                  memory.text === ENGLISH[0]![0]
                )!;
                return relevanceOf(right, asked(question)).toFixed(2);
              }));
              assert.equal(scores[0], scores[1]);
            });
          }));
      }),
  });
}

Deno.test("relevance is between 0 and 1, and words alone count where there is no meaning", () => {
  const hit = (semantic: number | undefined, ...words: readonly string[]) => ({ semantic, words });
  assert.equal(relevanceOf(hit(0.95, "a", "b"), 2), 1);
  assert.equal(relevanceOf(hit(-0.2), 3), 0);
  assert.equal(relevanceOf(hit(undefined, "a"), 2), 0.5);
  assert.equal(isRelevant(hit(0.1, "a"), 3, true), false);
  assert.equal(isRelevant(hit(0.1, "a"), 3, false), true);
  // A name that the embedder does not know.
  assert.equal(isRelevant(hit(0.05, "err_4711"), 1, true), true);
});
