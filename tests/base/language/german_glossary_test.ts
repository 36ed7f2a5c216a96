/** Is the German word list well formed, and are forms and compounds of its words understood? */
import assert from "node:assert/strict";
import { createGermanGlossary } from "../../../src/base/language/german_glossary.ts";

const LIST = Deno.readTextFileSync(
  new URL("../../../bmad-embedded/memory/lexicon_de.txt", import.meta.url),
);
const LINES = LIST.trimEnd().split("\n");

Deno.test("each line is a German word without accents and its English, and no word has two", () => {
  assert.deepEqual(LINES.filter((line) => !/^[a-z]+: [a-z-]+(?: [a-z-]+)*$/.test(line)), []);
  assert.equal(new Set(LINES.map((line) => line.split(": ")[0])).size, LINES.length);
});

Deno.test("forms and compounds of the list's words become English, unknown words stay", () => {
  const inEnglish = createGermanGlossary(LIST);
  assert.equal(
    inEnglish("Die Termine beim Facharzt und die Zahnarzttermine"),
    "appointment date specialist dentist appointment date",
  );
  assert.equal(inEnglish("Kubernetes für Fahrscheine"), "kubernetes ticket");
  assert.equal(createGermanGlossary("")("Die Termine"), "termine");
});
