/**
 * Is a question that nothing answers told so, and does an answer count the same beside few memories and many?
 */
import assert from "node:assert/strict";
import { askedIn, isRelevant, relevanceOf } from "../../../../src/project/kit/memory/recall/relevance.ts";
import type { Hit } from "../../../../src/project/kit/memory/store/store.ts";
import { memoryOf, STORES, withRankers } from "../../../support/memories.ts";
import { verifies } from "../../../support/requirements.ts";
import * as fresh from "./fresh_set.ts";
import { HELD_OUT, HELD_OUT_UNANSWERED } from "./held_out_set.ts";
import * as chosen from "./relevance_set.ts";
import { ENGLISH, FRENCH, FRENCH_OTHERS, type Pair } from "./relevance_set.ts";

/** Questions, and the shares that must be silent, found among the first five, and answered. */
interface QuestionSet {
  readonly pairs: readonly Pair[];
  readonly unanswered: readonly string[];
  readonly least: readonly [silent: number, found: number, answered: number];
}

const ENGLISH_LEAST = [0.9, 0.9, 0.6] as const, OTHER_LEAST = [0.9, 0.6, 0.6] as const;

const SETS: Readonly<Record<string, QuestionSet>> = {
  "questions that the floor was chosen with": {
    pairs: ENGLISH,
    unanswered: chosen.UNANSWERED,
    least: ENGLISH_LEAST,
  },
  "and others that it was chosen with": {
    pairs: HELD_OUT,
    unanswered: HELD_OUT_UNANSWERED,
    least: ENGLISH_LEAST,
  },
  "questions that it has never seen": {
    pairs: fresh.FRESH,
    unanswered: fresh.FRESH_UNANSWERED,
    least: ENGLISH_LEAST,
  },
  "German questions": {
    pairs: chosen.GERMAN,
    unanswered: chosen.GERMAN_UNANSWERED,
    least: OTHER_LEAST,
  },
  "Spanish questions": {
    pairs: chosen.SPANISH,
    unanswered: chosen.SPANISH_UNANSWERED,
    least: OTHER_LEAST,
  },
  "German questions that it has never seen": {
    pairs: fresh.FRESH_GERMAN,
    unanswered: fresh.FRESH_GERMAN_UNANSWERED,
    least: OTHER_LEAST,
  },
  "Spanish questions that it has never seen": {
    pairs: fresh.FRESH_SPANISH,
    unanswered: fresh.FRESH_SPANISH_UNANSWERED,
    least: OTHER_LEAST,
  },
};

for (const { name, ignore, use } of STORES) {
  Deno.test({
    name: verifies("memory:floor", `what nothing answers is told apart, in any language: ${name}`),
    ignore,
    fn: (t) =>
      withRankers(async (rankers) => {
        const asked = (question: string) => askedIn(rankers.analyze(question));
        const withPairs = (
          pairs: readonly Pair[],
          work: (ask: (question: string) => Promise<readonly Hit[]>) => Promise<void>,
        ) =>
          use(async (open) => {
            const store = open(rankers);
            await store.remember(await Promise.all(pairs.map(([text]) => memoryOf({ text }))));
            await work(async (query) => (await store.recall({ query, limit: 20 })).hits);
            store.close();
          });

        for (const [name, { pairs, unanswered, least }] of Object.entries(SETS)) {
          await t.step(name, () =>
            withPairs(pairs, async (ask) => {
              let silent = 0, answered = 0, found = 0;
              for (const question of unanswered) {
                const [hits, about] = [await ask(question), asked(question)];
                silent += Number(!hits.some((hit) => isRelevant(hit, about, true)));
              }
              for (const [memory, question] of pairs) {
                const hits = (await ask(question)).slice(0, 5);
                const right = hits.find(({ memory: { text } }) => text === memory);
                found += Number(right !== undefined);
                answered += Number(right !== undefined && isRelevant(right, asked(question), true));
              }
              const shares = [silent / unanswered.length, found / pairs.length, answered / pairs.length];
              const said = `silent ${silent} of ${unanswered.length}, found ${found} and answered ` +
                `${answered} of ${pairs.length}`;
              assert.ok(shares.every((share, at) => share >= least[at]!), said);
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
