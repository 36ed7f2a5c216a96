/**
 * Finding things by what people say: names old and new, personas, titles, descriptions, menus and the help catalogue.
 *
 * The index is made when somebody first searches a library, and kept as long as the library is. What counts was
 * measured with bench/finding.ts: forms of a word are one word, words that say nothing are left out of a request,
 * and only a word that the index does not know is taken for a slip.
 */
import MiniSearch, { type SearchResult } from "minisearch";
import { namesLeadingTo, visibleEntries } from "../../catalog/mod.ts";
import { type Entry, isOf } from "../../model.ts";
import { type Library, perLibraryPaced } from "../library.ts";
import { forEachPaced, type Watch } from "../pace.ts";
import { menuTextsOf } from "./offers.ts";
import { SUPPORTING_KINDS, supportingEntries } from "./supporting.ts";
import { isFiller, languageOf, stemOf, wordsOf } from "./words.ts";

/** An entry and how well it fits. */
interface Hit {
  /** Always one that counts and that lists show. */
  readonly entry: Entry;
  /** Higher fits better; numbers of two searches cannot be compared. */
  readonly score: number;
  /** In which of its texts the words were found, the weightiest first: `title`. */
  readonly matched: readonly Field[];
}

/** The texts of an entry that are looked through, the weightiest first, and what a word in each is worth. */
const FIELDS = {
  "name": 4,
  "persona": 4,
  "title": 3,
  "module": 2,
  "other name": 1,
  "description": 1,
  "help": 1,
  "capability": 1,
  "role": 1,
  "menu": 0.7,
  "phase": 0.5,
} as const;

/** The name of such a text, as people are told it. */
type Field = keyof typeof FIELDS;

/** In a name every word counts. */
const NAMING: ReadonlySet<Field> = new Set(["name", "persona", "title", "other name"]);

const FIELD_NAMES = Object.keys(FIELDS) as readonly Field[];

/** How many of the best hits are looked at again for the words in their order. */
const LOOKED_AT_AGAIN = 30;
/** What the whole request, word for word, is worth: more than the same words anywhere. */
const WORD_FOR_WORD = 3;
/** Hits that are worth less than this share of the best one are left out: they share a word by chance. */
const TOO_LITTLE = 0.02;
/** Who asks for somebody is not looking for a workflow. */
const SOMEBODY = 4;
const ASKS_FOR_SOMEBODY = /^\W*(?:who|qui)\b|\b(?:someone|somebody|talk to)\b/i;

/** The entries that pass and fit the words, best first; equal ones in the order of their names. */
export async function searchEntries(
  library: Library,
  words: string,
  passes: (entry: Entry) => boolean,
  watch: Watch,
): Promise<readonly Hit[]> {
  const { index, documents, known } = await indexOf(library, watch);
  const terms = termsOf(words);
  const phrase = terms.length > 1 ? ` ${terms.join(" ")} ` : undefined;
  const wantsAgent = ASKS_FOR_SOMEBODY.test(words);
  const found: Found[] = [];
  for (
    const { id, score, match, queryTerms } of index.search(terms.join(" "), {
      tokenize: (text) => text === "" ? [] : text.split(" "),
      processTerm: (term) => term,
      // A single word may still be being typed.
      prefix: (term) => term.length > 2 && (terms.length === 1 || !known.has(term)),
      fuzzy: (term) => term.length > 3 && term.length <= 32 && !known.has(term) ? 0.2 : false,
      boost: FIELDS,
    })
  ) {
    const document = documents.get(id)!;
    const { entry, worth } = document;
    if (!passes(entry)) continue;
    const fit = score * worth * (wantsAgent && isOf(entry, "agent") ? SOMEBODY : 1);
    // Some of each word is worth more than much of one.
    found.push({ document, entry, match, score: fit * queryTerms.length / terms.length });
  }
  const best = found.sort(byScore).slice(0, LOOKED_AT_AGAIN).map((hit) =>
    phrase !== undefined && hit.document.text.includes(phrase)
      ? { ...hit, score: hit.score * WORD_FOR_WORD }
      : hit
  ).sort(byScore);
  const least = (best[0]?.score ?? 0) * TOO_LITTLE;
  return [...best, ...found.slice(LOOKED_AT_AGAIN)].filter(({ score }) => score >= least)
    .map(({ entry, score, match }) => ({ entry, score, matched: fieldsIn(match) }));
}

/** A hit before it is known whether anybody will see it. */
interface Found extends Pick<Hit, "entry" | "score"> {
  readonly document: Document;
  readonly match: SearchResult["match"];
}

function fieldsIn(match: SearchResult["match"]): readonly Field[] {
  const fields = Object.values(match).flat();
  return FIELD_NAMES.filter((field) => fields.includes(field));
}

function byScore(a: Found, b: Found): number {
  return b.score - a.score || (a.entry.key < b.entry.key ? -1 : Number(a.entry.key > b.entry.key));
}

/** What is looked for: the stems of the words that say something, each once. */
function termsOf(request: string): readonly string[] {
  // Who says “help me” does not look for help, but who says “bmad help” does.
  const words = wordsOf(request.replaceAll(/\bhelp (?=(?:me|us)\b)/gi, ""));
  const language = languageOf(words);
  const telling = words.filter((word) => !isFiller(word, language));
  const stems = (telling.length > 0 ? telling : words).map((word) => stemOf(word, language));
  return [...new Set(stems)];
}

/** An entry as it is looked for. */
interface Document {
  readonly entry: Entry;
  /** What a hit on it is worth: parts of other things are less often meant. */
  readonly worth: number;
  /** Its texts as stems between spaces, a bar between two texts. */
  readonly text: string;
}

const indexOf = perLibraryPaced(async (library, watch) => {
  const all = [
    ...visibleEntries(library.effective),
    ...supportingEntries(library).filter(({ kind }) => kind !== "config"),
  ];
  const menuTexts = await menuTextsOf(library);
  const known = new Set<string>();
  const documents = new Map<string, Document>();
  const index = new MiniSearch<Record<Field | "key", string>>({
    fields: [...FIELD_NAMES],
    idField: "key",
    tokenize: (text) => text.split(" "),
    processTerm: (term) => term,
  });
  await forEachPaced(all, { name: "Indexing", stride: 512 }, watch, (entry) => {
    const stems = stemmed(textsOf(entry, menuTexts(entry)));
    for (const text of Object.values(stems)) for (const stem of text.split(" ")) known.add(stem);
    index.add({ key: entry.key, ...stems });
    const worth = SUPPORTING_KINDS.includes(entry.kind) ? 0.2 : 1;
    documents.set(entry.key, { entry, worth, text: ` ${Object.values(stems).join(" | ")} ` });
  });
  return { index, documents, known };
});

/** The same texts as stems, all in the language of the sentences: a name is too short to tell. */
function stemmed(texts: Readonly<Record<Field, string>>): Record<Field, string> {
  const words = FIELD_NAMES.map((field) => [field, wordsOf(texts[field])] as const);
  const language = languageOf(words.flatMap(([field, list]) => NAMING.has(field) ? [] : list));
  return Object.fromEntries(
    words.map(([field, list]) => [
      field,
      list.filter((word) => NAMING.has(field) || !isFiller(word, language)).map((word) =>
        stemOf(word, language)
      ).join(" "),
    ]),
  ) as Record<Field, string>;
}

/** The texts of an entry that are looked through, as they are; `startedBy` is what menus say that start it. */
export function textsOf(entry: Entry, startedBy: readonly string[]): Record<Field, string> {
  const { persona, help } = entry;
  return {
    "name": `${entry.name} ${entry.id}`,
    "persona": entry.displayName ?? "",
    "title": `${entry.title ?? ""} ${help?.title ?? ""}`,
    // A word that many old names have counts once.
    "other name": [...new Set(namesLeadingTo(entry.name).flatMap(wordsOf))].join(" "),
    "module": entry.module,
    "description": entry.description,
    "help": `${help?.description ?? ""} ${help?.outputs ?? ""}`,
    "capability": persona?.capabilities.join(" ") ?? "",
    "role": persona?.role ?? "",
    "menu": [...startedBy, ...persona?.menu.map(({ label }) => label) ?? []].join(" "),
    "phase": entry.phase ?? "",
  };
}
