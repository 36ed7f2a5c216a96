/**
 * Is a question in other words answered first by the memory that answers it, and one that nothing answers not at all?
 *
 * The limits are what is reached, a little below: these questions share hardly a word with their answers, and of English
 * ones the embedder has 22 first by meaning alone. Everyday questions share some.
 */
import assert from "node:assert/strict";
import { askedIn, isRelevant } from "../../../../src/project/kit/memory/recall/relevance.ts";
import { memoryOf, STORES, withRankers } from "../../../support/memories.ts";
import { verifies } from "../../../support/requirements.ts";
import * as everyday from "./everyday_set.ts";
import * as set from "./paraphrase_set.ts";

const SETS = {
  "everyday English": {
    pairs: everyday.EVERYDAY,
    unanswered: everyday.EVERYDAY_UNANSWERED,
    answered: 25,
    silent: 9,
  },
  "everyday English, written later": {
    pairs: everyday.LATER,
    unanswered: everyday.LATER_UNANSWERED,
    answered: 27,
    silent: 9,
  },
  English: { pairs: set.PARAPHRASED, unanswered: set.UNANSWERED, answered: 11, silent: 9 },
  French: { pairs: set.PARAPHRASED_FRENCH, unanswered: set.UNANSWERED_FRENCH, answered: 20, silent: 16 },
  German: { pairs: set.PARAPHRASED_GERMAN, unanswered: set.UNANSWERED_GERMAN, answered: 8, silent: 9 },
  Spanish: { pairs: set.PARAPHRASED_SPANISH, unanswered: set.UNANSWERED_SPANISH, answered: 14, silent: 9 },
};

Deno.test(
  verifies("memory:floor", "what is asked in other words is answered, and what nothing answers is not"),
  (t) =>
    withRankers(async (rankers) => {
      for (const [language, { pairs, unanswered, answered, silent }] of Object.entries(SETS)) {
        await t.step(language, () =>
          STORES[0]!.use(async (open) => {
            const store = open(rankers);
            await store.remember(await Promise.all(pairs.map(([text]) => memoryOf({ text }))));
            const firstFor = async (query: string) => {
              const asked = askedIn(rankers.analyze(query));
              const { hits } = await store.recall({ query, limit: 20 });
              return hits.find((hit) => isRelevant(hit, asked, true))?.memory.text;
            };
            let right = 0, quiet = 0;
            for (const [text, question] of pairs) right += Number(await firstFor(question) === text);
            for (const question of unanswered) quiet += Number(await firstFor(question) === undefined);
            store.close();
            assert.ok(right >= answered && quiet >= silent, `${right} answered, ${quiet} silent`);
          }));
      }
    }),
);
