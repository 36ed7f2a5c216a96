/** Is the French word list well formed, and are inflected forms found? */
import assert from "node:assert/strict";
import { createFrenchGlossary } from "../../../src/base/language/french_glossary.ts";
import { isFunctionWord } from "../../../src/base/language/mod.ts";

const LIST = Deno.readTextFileSync(
  new URL("../../../bmad-embedded/memory/lexicon_fr.txt", import.meta.url),
);
const LINES = LIST.trimEnd().split("\n");
const glossesOf = createFrenchGlossary(LIST);

function bestOf(text: string): string {
  return glossesOf(text).map(({ english }) => english[0]).join(" ");
}

Deno.test("each line is a French word or phrase and one to four English ones, in lower case", () => {
  const line =
    /^[a-zàâäçèéêëîïôöùûüÿœæ][a-zàâäçèéêëîïôöùûüÿœæ' -]*: [A-Za-z][\w /'-]*(?:, [A-Za-z][\w /'-]*){0,3}$/;
  assert.deepEqual(LINES.filter((text) => !line.test(text) || /\s\s|\s$/.test(text)), []);
});

Deno.test("the list has thousands of words, each once and in order", () => {
  const words = LINES.map((line) => line.split(": ")[0]!);
  assert.ok(words.length >= 5_000, `only ${words.length}`);
  assert.deepEqual(words.filter((word, at) => words.indexOf(word) !== at), []);
  const key = (word: string) =>
    word.replaceAll("œ", "oe").normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll(/['-]/g, " ");
  assert.deepEqual(words.filter((word, at) => at > 0 && key(words[at - 1]!) > key(word)), []);
});

Deno.test("no line is for a function word", () => {
  const words = LINES.map((line) => line.split(": ")[0]!).filter((word) => !word.includes(" "));
  assert.deepEqual(words.filter((word) => glossesOf(word).length === 0), []);
});

Deno.test("no line repeats an English word", () => {
  const repeated = LINES.filter((line) => {
    const english = line.split(": ")[1]!.split(", ");
    return new Set(english).size < english.length;
  });
  assert.deepEqual(repeated, []);
});

Deno.test("every phrase of the list is found, and none hides another", () => {
  const phrases = LINES.map((line) => line.split(": ")).filter(([french]) => /[ '-]/.test(french!));
  const hidden = phrases.filter(([french, english]) => {
    const glosses = glossesOf(french!);
    return glosses.length !== 1 || glosses[0]!.english.join(", ") !== english;
  });
  assert.deepEqual(hidden, []);
});

Deno.test("forms of a word lead to it", () => {
  const forms = {
    fichier: "fichiers",
    journal: "journaux",
    réseau: "réseaux",
    actif: "active actives",
    dangereux: "dangereuse dangereuses",
    public: "publique publiques",
    utilisateur: "utilisatrice utilisatrices",
    complet: "complète complètes",
    supprimer: "supprime supprimé supprimées supprimons suppriment supprimait supprimera supprimant",
    changer: "changeons changeait changeant",
    envoyer: "envoyé envoyons envoyait",
    appeler: "appelle appelé appellera",
    choisir: "choisi choisissons choisira choisissant",
    répondre: "répondu répondra répondons",
    gérer: "gère géré gérait",
  };
  for (const [word, written] of Object.entries(forms)) {
    for (const form of written.split(" ")) assert.equal(bestOf(form), bestOf(word), `${form} of ${word}`);
  }
});

Deno.test("accents distinguish words, but may be missing", () => {
  assert.equal(bestOf("marché"), "market");
  assert.notEqual(bestOf("marche"), bestOf("marché"));
  assert.equal(bestOf("un serveur sûr sur le port"), "server sure port");
  assert.equal(bestOf("securite"), bestOf("sécurité"));
  assert.equal(bestOf("RÉSEAU"), bestOf("réseau"));
});

Deno.test("the longest phrase wins, also in the plural, and unknown words stay", () => {
  assert.equal(bestOf("les variables d'environnement du dépôt"), "environment variable repository");
  assert.equal(bestOf("deux mots de passe"), "two password");
  assert.equal(bestOf("revue de code par Amélie sur Kubernetes"), "code review amélie kubernetes");
});

Deno.test("function words are left out", () => {
  assert.deepEqual(glossesOf("c'est à elle de le faire").map(({ french }) => french), ["faire"]);
  assert.ok(isFunctionWord("a", "fr") && !isFunctionWord("user", "en"));
});
