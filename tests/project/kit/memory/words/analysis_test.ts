/** Does the analysis of a text find its language, stems and English words? */
import assert from "node:assert/strict";
import { openAnalyzer, sharedWords } from "../../../../../src/project/kit/memory/words/analysis.ts";
import { CONTENT } from "../../../../support/recall.ts";

const analyze = openAnalyzer(CONTENT);

Deno.test("an English text is reduced to its stems, without function words", () => {
  const { language, terms, gloss, english } = analyze("The access tokens are expiring after 15 minutes");
  assert.equal(language, "en");
  assert.deepEqual(terms, analyze("access token expire after 15 minute").terms);
  assert.deepEqual(gloss, []);
  assert.equal(english, "The access tokens are expiring after 15 minutes");
});

Deno.test("a French text has its own stems and English ones [memory:french]", () => {
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
});

Deno.test("the stems in memory files stay what they are: older memories are found by them", () => {
  const stored = {
    "The access tokens are expiring after 15 minutes": ["access token expir after 15 minut", ""],
    "Les jetons d'accès expirent après 15 minutes": [
      "jeton acc expir apr 15 minut",
      "access token expir after 15 minut",
    ],
    "Die Bücher werden zweimal verlängert": ["bucher zweim verlangert", "buch zweimal verlang"],
    "Los libros se renuevan dos veces": ["los libro se renuevan dos vec", "libr renuev vece"],
  };
  for (const [text, stems] of Object.entries(stored)) {
    const { terms, gloss } = analyze(text);
    assert.deepEqual([terms.join(" "), gloss.join(" ")], stems, text);
  }
});

Deno.test("function words decide the language, and accents that of a short text", () => {
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

Deno.test("an identifier matches by its parts, a name that only looks like one does not", () => {
  const { terms } = analyze("OrderService calls getUserById and writes user_name");
  for (const stem of ["orderservic", "order", "servic", "getuserbyid", "id", "nam"]) {
    assert.ok(terms.includes(stem), stem);
  }
  assert.deepEqual(analyze("GitHub on macOS").terms, ["github", "maco"]);
});

Deno.test("stems are letters and digits only, whatever the text", () => {
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

Deno.test("shared words are those of the question, also across languages", () => {
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

Deno.test("without the word list, French texts stay French and match on their own words", () => {
  const analyze = openAnalyzer(`${CONTENT}/blobs`);
  const { language, terms, english } = analyze("Les mots de passe sont dans le coffre");
  assert.equal(language, "fr");
  assert.ok(terms.includes("coffr"));
  assert.equal(english, "mots passe coffre");
});

Deno.test("function words of other languages say nothing, unless they mean something in English", () => {
  const partsOf = (text: string) => {
    const { language, parts } = analyze(text);
    return [language, ...parts.map((part) => part.text)];
  };
  const readings = {
    "Wer hat am Wochenende Bereitschaft?": ["de", "wochenende", "bereitschaft"],
    "¿De qué color es el logotipo?": ["es", "color", "logotipo"],
    "Onde estão as cópias de segurança?": ["pt", "copias", "seguranca"],
    "Dove sono le copie di sicurezza?": ["it", "copie", "sicurezza"],
    "Waar staan de back-ups van het systeem?": ["nl", "staan", "back", "ups", "systeem"],
    "Wie ist das?": ["de"],
    "Why did the process die?": ["en", "process", "die"],
    "war room": ["en", "war", "room"],
    "van delivery": ["en", "van", "delivery"],
    "son of the owner": ["en", "son", "owner"],
    "Is the todo list in the OS or in ES?": ["en", "todo", "list", "os", "es"],
    "el servidor": ["es", "servidor"],
  };
  for (const [text, reading] of Object.entries(readings)) assert.deepEqual(partsOf(text), reading, text);
});

Deno.test("words of other languages match without their endings", () => {
  const shared = (question: string, text: string) => sharedWords(analyze(question), analyze(text));
  assert.deepEqual(shared("Wer darf Bücher verlängern?", "Das Buch wird zweimal verlängert"), [
    "bucher",
    "verlangern",
  ]);
  assert.deepEqual(shared("¿Quién puede renovar un libro?", "Los libros se renovan dos veces"), [
    "renovar",
    "libro",
  ]);
  // An article is nothing that a question and a memory share.
  assert.deepEqual(
    shared("¿Quién pintó el mural de la entrada?", "El índice se reconstruye en la noche"),
    [],
  );
});
