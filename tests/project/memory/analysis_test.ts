/** What does memory make of a text before it looks for it? */
import assert from "node:assert/strict";
import { sharedWords } from "../../../src/project/memory/words/analysis.ts";
import { openAnalyzer } from "../../../src/project/memory/words/analyzer.ts";
import { CONTENT } from "../../support/recall.ts";
import { verifies } from "../../support/requirements.ts";

const analyze = openAnalyzer(CONTENT);

Deno.test("an English text is its stems, without the words that only hold it together", () => {
  const { language, terms, gloss, english } = analyze("The access tokens are expiring after 15 minutes");
  assert.equal(language, "en");
  assert.deepEqual(terms, analyze("access token expire after 15 minute").terms);
  assert.deepEqual(gloss, []);
  assert.equal(english, "The access tokens are expiring after 15 minutes");
});

Deno.test(
  verifies("memory:french", "a French text is its own stems and, beside them, the English ones"),
  () => {
    const { language, terms, gloss, english } = analyze(
      "Les jetons d'accès expirent après 15 minutes",
    );
    assert.equal(language, "fr");
    assert.deepEqual(terms, analyze("Un jeton d'accès expire après 15 minutes").terms);
    for (const stem of analyze("access token expire after 15 minute").terms) {
      assert.ok(
        gloss.includes(stem),
        stem,
      );
    }
    assert.equal(english, "access token expire after 15 minute");
  },
);

Deno.test("the language is told by small words, and in a few words by accents", () => {
  const languages = {
    "Why did the build fail?": "en",
    "Pourquoi le build échoue ?": "fr",
    "Accès refusé": "fr",
    "PostgreSQL": "en",
    "We meet at the café": "en",
    "decide de la strategie de cache": "fr",
    "": "en",
  };
  for (const [text, language] of Object.entries(languages)) {
    assert.equal(analyze(text).language, language, text);
  }
});

Deno.test("an identifier is found by its parts too, a name that only looks like one is not", () => {
  const { terms } = analyze("OrderService calls getUserById and writes user_name");
  for (const stem of ["orderservic", "order", "servic", "getuserbyid", "id", "nam"]) {
    assert.ok(terms.includes(stem), stem);
  }
  assert.deepEqual(analyze("GitHub on macOS").terms, ["github", "maco"]);
});

Deno.test("stems are letters and digits alone, whatever the text", () => {
  const texts = [
    `"; DROP TABLE memory; -- NEAR(a b) OR * ^ col:x {a b} "`,
    "l'État, c'est « moi » … \0\u202e",
    "Мы выбрали PostgreSQL, 東京 ☕️",
    "naïve-façade/ß_ÅΩ",
  ];
  for (const text of texts) {
    const { terms, gloss, parts } = analyze(text);
    for (const stem of [...terms, ...gloss, ...parts.flatMap(({ stems }) => [...stems])]) {
      assert.match(stem, /^[\p{L}\p{N}]+$/u);
    }
  }
  assert.ok(analyze("Мы выбрали PostgreSQL").terms.includes("выбрали"));
});

Deno.test("what two texts share is told in the words of the first, also across languages", () => {
  const shared = (asked: string, found: string) => sharedWords(analyze(asked), analyze(found));
  assert.deepEqual(shared("How long do access tokens live?", "An access token lives 15 min"), [
    "access",
    "tokens",
    "live",
  ]);
  assert.deepEqual(shared("Où sont rangés les mots de passe ?", "Passwords are kept in the vault"), [
    "mots de passe",
  ]);
  assert.deepEqual(shared("Where are passwords kept?", "Les mots de passe sont dans le coffre"), [
    "passwords",
  ]);
  assert.deepEqual(shared("release date", "Nothing of the kind"), []);
});

Deno.test("without the list of words, French texts stay French and are still found by their words", () => {
  const analyze = openAnalyzer(`${CONTENT}/blobs`);
  const { language, terms, english } = analyze("Les mots de passe sont dans le coffre");
  assert.equal(language, "fr");
  assert.ok(terms.includes("coffr"));
  assert.equal(english, "mots passe coffre");
});
