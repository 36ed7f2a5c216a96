/** Does a question find the memory that answers it, with the built-in embedder and glossary? */
import assert from "node:assert/strict";
import { openEmbedder } from "../../../../src/project/kit/memory/embed/built_in.ts";
import { openKernel } from "../../../../src/project/kit/memory/recall/kernel.ts";
import { openAnalyzer } from "../../../../src/project/kit/memory/words/analyzer.ts";
import { CONTENT, createTextIndex } from "../../../support/recall.ts";
import { verifies } from "../../../support/requirements.ts";

/** Memories of a team, in both languages. */
const MEMORIES = [
  "JWT expiry must be 15 min",
  "The shop must stay open during the migration of the database",
  "Les mots de passe sont hachés avec Argon2, jamais chiffrés",
  "We release on Tuesdays, because support is on call on Wednesdays",
  "The design system uses an 8 px grid",
  "Ne jamais déployer le vendredi après-midi",
  "Live chat was dropped: nobody used it",
  "Amelia reviews every change to the billing code",
  "Les tests de charge tournent chaque nuit sur l'environnement de recette",
  "PostgreSQL was chosen over MongoDB, since orders need transactions",
  "Access to the office needs a badge; tokens for the coffee machine are at the desk",
  "How long a story may be: two days, else it is cut in two",
  "Le budget du trimestre est dépassé de dix pour cent",
  "Feature flags are removed two sprints after the rollout",
  "Error messages tell the user what to try next",
];

/** A question, the start of its answer, and whether terms alone rank it first. */
const QUESTIONS: readonly (readonly [question: string, answer: string, byWords: boolean])[] = [
  ["How long do access tokens live?", "JWT expiry", false],
  ["Combien de temps un jeton d'accès est-il valable ?", "JWT expiry", false],
  ["How are passwords stored?", "Les mots de passe", true],
  ["When should we not ship to production?", "Ne jamais déployer", false],
  ["Pourquoi avons-nous choisi cette base de données ?", "PostgreSQL", false],
  ["Qui relit le code de facturation ?", "Amelia", true],
  ["quel jour livrons-nous une version ?", "We release on Tuesdays", true],
  ["Are we over budget this quarter?", "Le budget", true],
  ["where do the load tests run", "Les tests de charge", true],
];

Deno.test(
  verifies(
    ["memory:offline", "memory:french"],
    "questions find their memories by meaning, in either language",
  ),
  async () => {
    const analyze = openAnalyzer(CONTENT);
    const embedder = openEmbedder({ contentDir: CONTENT })!;
    try {
      const texts = MEMORIES.map(analyze);
      const vectors = await embedder.embed(texts.map(({ english }) => english));
      const index = createTextIndex(texts, vectors, openKernel(CONTENT));
      for (const [question, answer, byWords] of QUESTIONS) {
        const analysis = analyze(question);
        const [vector] = await embedder.embed([analysis.english]);
        const placeOf = (vector?: Float32Array) =>
          index.ask(analysis, vector).findIndex(({ id }) => MEMORIES[id]!.startsWith(answer));
        assert.ok([0, 1].includes(placeOf(vector)), `${question} → ${placeOf(vector)}`);
        if (byWords) assert.equal(placeOf(), 0, question);
      }
      index.close();
    } finally {
      embedder.close();
    }
  },
);
