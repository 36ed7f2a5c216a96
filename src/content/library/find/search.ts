/**
 * Finding things by what people say: names old and new, personas, titles, descriptions, menus and the help catalogue.
 *
 * The index is made when somebody first searches a library, and kept as long as the library is. What counts was
 * measured with bench/finding.ts: forms of a word are one word, words that say nothing are left out of a request,
 * only a word that the index does not know is taken for a slip, and whoever asks for somebody is told of the agents
 * that offer what fits.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import { cacheRecent } from "../../../base/cache.ts";
import { type Entry, isOf } from "../../../base/model.ts";
import { isFiller, languageOf, stemOf, wordsOf } from "../../../base/terms.ts";
import { type Library, perLibraryPaced } from "../library.ts";
import { startersOf } from "../lists/offers.ts";
import { SUPPORTING_KINDS, supportingEntries } from "../lists/supporting.ts";
import { forEachPaced, type Work } from "../../../base/work.ts";
import { type Find, openIndex } from "./index.ts";
import { snippetOf } from "./snippet.ts";
import { type Field, FIELD_NAMES, FIELDS, textOf, wordsOfThing } from "./texts.ts";

/** An entry and how well it fits. */
export interface Hit {
  /** Always one that counts and that lists show. */
  readonly entry: Entry;
  /** Higher fits better; numbers of two searches cannot be compared. */
  readonly score: number;
  /** In which of its texts the words were found, the weightiest first: `title`. Empty where only what it offers fits. */
  matched(): readonly Field[];
  /** The place where the words were found; undefined where its name or title has them. */
  snippet(): string | undefined;
}

/** What the whole request, word for word, is worth: more than the same words anywhere. */
const WORD_FOR_WORD = 3;
/** What a hit on a part of other things is worth: it is less often meant. */
const PART = 0.2;
/** Hits that are worth less than this share of the best one are left out: they share a word by chance. */
const TOO_LITTLE = 0.1;
/** Who asks for somebody is not looking for a workflow. */
const SOMEBODY = 4;
const ASKS_FOR_SOMEBODY = /^\W*(?:who|qui)\b|\b(?:someone|somebody|talk to)\b/i;
/** The most words of a request that are looked for. */
const MOST_WORDS = 32;

/** The entries that pass and fit the words, best first; equal ones in the order of their names. */
export async function searchEntries(
  library: Library,
  request: string,
  passes: (entry: Entry) => boolean,
  work: Work,
): Promise<readonly Hit[]> {
  const index = await indexOf(library, work);
  const hits = index.lately(request, () => findHits(index, request)).filter(({ entry }) => passes(entry));
  const least = (hits[0]?.score ?? 0) * TOO_LITTLE;
  return hits.filter(({ score }) => score >= least);
}

/** All that fits a request, best first. */
function findHits(index: SearchIndex, request: string): readonly Hit[] {
  const words = stemsOf(request);
  const phrase = words.length > 1 ? ` ${words.join(" ")} ` : undefined;
  const found = new Map<number, Found>();
  for (const { document, score, words: count, fields } of index.find(words)) {
    const { isPart, text } = index.documents[document]!;
    const isPhrase = count === words.length && phrase !== undefined && text.includes(phrase);
    // Some of each word is worth more than much of one.
    const fit = score * Math.sqrt(count / words.length) * (isPart ? PART : 1) *
      (isPhrase ? WORD_FOR_WORD : 1);
    found.set(document, { document, score: fit, fields });
  }
  const all = ASKS_FOR_SOMEBODY.test(request) ? withAgents(found, index) : [...found.values()];
  return all.toSorted((a, b) => b.score - a.score || a.document - b.document)
    .map(({ document, score, fields }) => {
      const { entry, startedBy } = index.documents[document]!;
      const matched = () => FIELD_NAMES.filter((_, field) => (fields & 1 << field) !== 0);
      let shown: { readonly snippet: string | undefined } | undefined;
      const snippet = () => (shown ??= { snippet: snippetIn(entry, startedBy, matched(), words) }).snippet;
      return { entry, score, matched, snippet };
    });
}

/** A document that fits, and how well. */
interface Found {
  readonly document: number;
  readonly score: number;
  readonly fields: number;
}

/** What was found, in which agents count more, and each also by the best of what it offers. */
function withAgents(found: ReadonlyMap<number, Found>, { documents }: SearchIndex): readonly Found[] {
  const offered = new Map<number, number>();
  for (const { document, score } of found.values()) {
    for (const agent of documents[document]!.agents) {
      offered.set(agent, Math.max(score, offered.get(agent) ?? 0));
    }
  }
  const agents = new Set([...found.keys(), ...offered.keys()]
    .filter((document) => isOf(documents[document]!.entry, "agent")));
  return [
    ...[...agents].map((document) => {
      const own = found.get(document) ?? { document, score: 0, fields: 0 };
      return { ...own, score: SOMEBODY * (own.score + (offered.get(document) ?? 0)) };
    }),
    ...[...found.values()].filter(({ document }) => !agents.has(document)),
  ];
}

/** Names speak for themselves; of all else, where the words stand. */
function snippetIn(
  entry: Entry,
  startedBy: readonly string[],
  matched: readonly Field[],
  words: readonly string[],
): string | undefined {
  if (matched.some((field) => SPEAKING.has(field))) return undefined;
  const stems = new Set(words);
  return matched.values().map((field) => snippetOf(textOf(field, entry, startedBy), stems))
    .find((snippet) => snippet !== undefined);
}

const SPEAKING: ReadonlySet<Field> = new Set(["name", "persona", "title"]);

/** What is looked for: the stems of the words that say something, each once. */
function stemsOf(request: string): readonly string[] {
  // Who says “help me” does not look for help, but who says “bmad help” does.
  const words = wordsOf(request.replaceAll(/\bhelp (?=(?:me|us)\b)/gi, ""));
  const language = languageOf(words);
  const telling = words.filter((word) => !isFiller(word, language));
  const stems = (telling.length > 0 ? telling : words).map((word) => stemOf(word, language));
  return [...new Set(stems)].slice(0, MOST_WORDS);
}

/** An entry as it is looked for. */
interface Document {
  readonly entry: Entry;
  /** Whether it is a part of other things. */
  readonly isPart: boolean;
  /** Its texts as stems between spaces, a bar between two texts. */
  readonly text: string;
  /** What menus say that start it. */
  readonly startedBy: readonly string[];
  /** The documents of the agents whose menus those are. */
  readonly agents: readonly number[];
}

interface SearchIndex {
  /** In the order of their names. */
  readonly documents: readonly Document[];
  readonly find: Find;
  /** What fits the last few requests: many clients ask the same. */
  readonly lately: (request: string, find: () => readonly Hit[]) => readonly Hit[];
}

const indexOf = perLibraryPaced(async (library, work): Promise<SearchIndex> => {
  const all = [
    ...visibleEntries(library.effective),
    ...supportingEntries(library).filter(({ kind }) => kind !== "config"),
  ].sort((a, b) => a.key < b.key ? -1 : Number(a.key > b.key));
  const places = new Map(all.map((entry, document) => [entry.key, document]));
  const starters = await startersOf(library);
  const prepared = library.holdings.map(({ preparedWords }) => preparedWords?.());
  const indexing = openIndex(Object.values(FIELDS));
  const documents: Document[] = [];
  await forEachPaced(all, { name: "Indexing", stride: 512 }, work, (entry) => {
    const started = starters(entry);
    const startedBy = started.map(({ words }) => words);
    const fields = wordsOfThing(entry, startedBy, prepared[entry.rank]);
    indexing.add(fields);
    documents.push({
      entry,
      isPart: SUPPORTING_KINDS.includes(entry.kind),
      text: ` ${fields.join(" | ")} `,
      startedBy,
      agents: started.map(({ agent }) => places.get(agent.key)!),
    });
  });
  return { documents, find: indexing.close(), lately: cacheRecent(32) };
});
