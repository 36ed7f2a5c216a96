/** Do the forms of a word have one stem, and is the language of a text recognized? */
import assert from "node:assert/strict";
import { isFiller, type Language, languageOf, stemOf, wordsOf } from "../../../src/base/language/mod.ts";

Deno.test("the forms of an English word have one stem, other words another", () => {
  const families = [
    "test tests testing tested",
    "plan plans planning planned",
    "create creates creating created creation",
    "validate validates validation validating",
    "story stories",
    "review reviews reviewing reviewer",
    "implement implements implementing implementation",
    "document documents documentation",
    "require requirement requirements",
    "customize customizing customization",
    "analysis analyze analyse",
    "process processes processing",
    "press pressing",
  ].map((family) => family.split(" "));
  for (const family of families) {
    assert.deepEqual([...new Set(family.map((word) => stemOf(word, "en")))].length, 1, family.join(" "));
  }
  const stems = families.map(([word]) => stemOf(word!, "en"));
  assert.equal(new Set(stems).size, stems.length);
  for (const word of ["ux", "prd", "status", "thing", "bus", "e2e", "проект"]) {
    assert.equal(stemOf(word, "en"), word);
  }
  assert.notEqual(stemOf("architect", "en"), stemOf("architecture", "en"));
});

Deno.test("the forms of a French word have one stem", () => {
  for (const family of ["tests tester teste testez", "valider validation validez", "journal journaux"]) {
    assert.equal(new Set(family.split(" ").map((word) => stemOf(word, "fr"))).size, 1, family);
  }
});

Deno.test("words are compared in lower case, without accents and one by one", () => {
  assert.deepEqual(wordsOf("Créer l’Épopée"), ["creer", "l", "epopee"]);
  assert.deepEqual(wordsOf("let's run bmad-prd, v2!"), ["lets", "run", "bmad", "prd", "v2"]);
  assert.deepEqual(wordsOf(" — "), []);
});

Deno.test("the words that say nothing tell the language of a text", () => {
  const texts: Readonly<Record<string, Language>> = {
    "je veux écrire des tests": "fr",
    "I want to write tests": "en",
    "tests": "en",
    "Welche Agenten gibt es für die Planung?": "de",
    "¿Quién puede revisar la arquitectura?": "es",
    "Onde estão as histórias do projeto?": "pt",
    "Chi può controllare le storie?": "it",
    "Wie kan de code nakijken?": "nl",
    "car rental in the CI of the EU": "en",
    "There is no y-axis, and it is not planned": "en",
  };
  for (const [text, language] of Object.entries(texts)) assert.equal(languageOf(text), language, text);
  assert.equal(isFiller("veux", "fr"), true);
  assert.equal(isFiller("veux", "en"), false);
});

Deno.test("words of a language without stems of its own are compared as English ones", () => {
  assert.equal(stemOf("stories", "de"), stemOf("story", "en"));
  assert.equal(stemOf("tests", "nl"), "test");
});
