/** Search in plain language, by rules that were measured with bench/finding.ts. */
import { otherNames } from "../../catalog/mod.ts";
import { cacheRecent } from "../../../base/cache.ts";
import { compareTexts } from "../../../base/text.ts";
import { type Entry, hasKind, isSupporting } from "../../../base/model.ts";
import { isFiller, languageOf, stemOf, wordsOf } from "../../../base/language/mod.ts";
import { prepareFiles } from "../files/files.ts";
import { type Library, onlyOrigin, perLibraryPaced } from "../library.ts";
import { checkModule, checkOrigin } from "../lists/resolution.ts";
import { findStarters, type Offers, offersOf } from "../rows/in_force.ts";
import {
  displayTitle,
  type Filter,
  filterOf,
  LazyRow,
  MAX_TIED,
  type Order,
  type Row,
  rowOf,
} from "../rows/row.ts";
import { supportingEntries } from "../files/supporting.ts";
import { forEachPaced, type Work } from "../../../base/work.ts";
import { createIndexBuilder, type Find } from "./index.ts";
import { BEFORE, EXCERPT, excerptAt } from "../../../base/matching.ts";
import { type Field, FIELD_NAMES, FIELDS, termsOf, textOf } from "./texts.ts";
import { LIMITS } from "../../limits.ts";

class Hit {
  constructor(
    private readonly document: Document,
    readonly score: number,
    private readonly fields: number,
    private readonly ranking: Ranking,
  ) {}

  get entry(): Entry {
    return this.document.entry;
  }

  matched(): readonly Field[] {
    return FIELD_NAMES.filter((_, field) => (this.fields & 1 << field) !== 0);
  }

  snippet(): string | undefined {
    const { terms, snippets } = this.ranking;
    const { entry, startedBy } = this.document;
    const known = snippets.get(entry);
    if (known !== undefined) return known || undefined;
    const snippet = snippetIn(entry, startedBy, this.matched(), terms);
    if (snippets.size < LIMITS.search.keptSnippets) snippets.set(entry, snippet ?? "");
    return snippet;
  }
}

export interface SearchRequest extends Filter {
  readonly words: string;
  readonly origin?: string;
  readonly shown?: number;
}

const TIED = 0.8;

export async function searchLibrary(
  library: Library,
  request: SearchRequest,
  work: Work = {},
  order: Order = (entries) => entries,
): Promise<readonly Row[]> {
  const { origin, words, module } = request;
  if (origin !== undefined) checkOrigin(library, origin);
  const view = origin === undefined ? library : onlyOrigin(library, origin);
  if (module) checkModule(view, module);
  const offers = await offersOf(view);
  const hits = await searchEntries(view, words, filterOf(request), work);
  const least = (hits[0]?.score ?? 0) * TIED;
  const tied = new Map(
    hits.slice(0, MAX_TIED).filter(({ score }) => score >= least).map((hit) => [hit.entry, hit]),
  );
  return [...order([...tied.keys()]).map((entry) => tied.get(entry)!), ...hits.slice(tied.size)]
    .map((hit) => hitRow(view, hit, offers));
}

/** Whether the first item has all the words, side by side in its title or in no other title. */
export function namesItem(request: string, [first]: readonly Row[], titles: readonly string[]): boolean {
  const words = wordsOf(request);
  const language = languageOf(request, words);
  const wanted = words.filter((word) => !isFiller(word, language));
  if (first === undefined || wanted.length < 2) return false;
  const { title = "", description } = first.data;
  // A description quotes what users say for it.
  const said = [first.name, String(title), ...String(description).match(/"[^"]+"/g) ?? []];
  const own = new Set(wordsOf(said.join(" ")));
  const isTitle = (title: string) => ` ${wordsOf(title).join(" ")} `.includes(` ${wanted.join(" ")} `);
  return wanted.every((word) => own.has(word)) &&
    (said.some(isTitle) || !titles.some(isTitle));
}

function hitRow(library: Library, hit: Hit, offers: Offers): Row {
  return new LazyRow(() => {
    const { name, about, why, data } = rowOf(library, hit.entry, offers);
    const [matched, snippet] = [hit.matched(), hit.snippet()];
    const score = Math.round(hit.score * 100) / 100;
    return {
      name,
      about: snippet === undefined ? about : [displayTitle(hit.entry), snippet].filter(Boolean).join(": "),
      why: (matched.length === 0 ? "offers a match" : `matched: ${matched.slice(0, 2).join(", ")}`) +
        (why === undefined ? "" : `; ${why}`),
      data: { ...data, score, matched, snippet },
    };
  });
}

const PHRASE = 3;
const FORMER = 1.5;
const SUPPORTING = 0.2;
/** Hits with a smaller share of the best score are dropped: they share a word by chance. */
const MIN_SHARE = 0.1;
const PERSON = 4;
const ASKS_FOR_PERSON = /^\W*(?:who|qui)\b|\b(?:someone|somebody|talk to)\b/i;

async function searchEntries(
  library: Library,
  request: string,
  passes: (entry: Entry) => boolean,
  work: Work,
): Promise<readonly Hit[]> {
  const index = await indexOf(library, work);
  const ranking = index.recent(request, () => rankDocuments(index, request));
  const { documents, scores, fields } = ranking;
  const hits: Hit[] = [];
  for (let at = 0; at < documents.length; at++) {
    const score = scores[at]!;
    if (score < (hits[0]?.score ?? 0) * MIN_SHARE) break;
    const document = index.documents[documents[at]!]!;
    if (passes(document.entry)) hits.push(new Hit(document, score, fields[at]!, ranking));
  }
  return hits;
}

type Ranking = ReturnType<typeof rankDocuments>;

function rankDocuments(index: Pick<SearchIndex, "documents" | "find">, request: string) {
  const terms = termsIn(request);
  const phrase = terms.length > 1 ? ` ${terms.join(" ")} ` : undefined;
  const { documents, scores, terms: counts, fields } = index.find(terms);
  const present = new Set(otherNames(wordsOf(request).join("-")).map(({ name }) => name));
  for (const document of documents) {
    const { isSupporting, text, entry } = index.documents[document]!;
    const count = counts[document]!;
    const isPhrase = count === terms.length && phrase !== undefined && text.includes(phrase);
    scores[document]! *= Math.sqrt(count / terms.length) * (isSupporting ? SUPPORTING : 1) *
      (isPhrase ? PHRASE : 1) * (isPhrase && present.has(entry.name) ? FORMER : 1);
  }
  const all = ASKS_FOR_PERSON.test(request) ? withAgents(documents, scores, index) : documents;
  const scoreOf = (document: number) => scores[document] ?? 0;
  const byScore = (a: number, b: number) => scoreOf(b) - scoreOf(a) || a - b;
  const others = all.toSorted(byScore);
  const named = withFile(index, request).sort(byScore);
  const isNamed = new Set(named);
  const lead = others.length === 0 ? 1 : scoreOf(others[0]!);
  const best = Uint32Array.from([...named, ...others.filter((document) => !isNamed.has(document))]);
  return {
    terms,
    documents: best,
    scores: Float64Array.from(best, (document, at) => scoreOf(document) + (at < named.length ? lead : 0)),
    fields: best.map((document, at) => (fields[document] ?? 0) | (at < named.length ? NAME : 0)),
    snippets: new Map<Entry, string>(),
  };
}

const NAME = 1 << FIELD_NAMES.indexOf("name");

function withFile({ documents }: Pick<SearchIndex, "documents">, request: string): number[] {
  const path = request.normalize().trim().toLowerCase().replaceAll("\\", "/").replace(/^\.?\//, "");
  if (!/[^/]\.[a-z0-9]{1,10}$/.test(path)) return [];
  return documents.flatMap(({ entry: { file } }, document) =>
    `/${file}`.normalize().toLowerCase().endsWith(`/${path}`) ? [document] : []
  );
}

function withAgents(found: Uint32Array, scores: Float64Array, { documents }: Pick<SearchIndex, "documents">) {
  const offered = new Map<number, number>();
  for (const document of found) {
    for (const agent of documents[document]!.agents) {
      offered.set(agent, Math.max(scores[document]!, offered.get(agent) ?? 0));
    }
  }
  const all = Uint32Array.from(new Set([...found, ...offered.keys()]));
  for (const document of all) {
    if (!hasKind(documents[document]!.entry, "agent")) continue;
    scores[document] = PERSON * (scores[document]! + (offered.get(document) ?? 0));
  }
  return all;
}

function snippetIn(
  entry: Entry,
  startedBy: readonly string[],
  matched: readonly Field[],
  terms: readonly string[],
): string | undefined {
  if (matched.some((field) => ["name", "persona", "title"].includes(field))) return undefined;
  const stems = new Set(terms);
  return matched.values().map((field) => snippetOf(textOf(field, entry, startedBy), stems))
    .find((snippet) => snippet !== undefined);
}

export function snippetOf(text: string, stems: ReadonlySet<string>): string | undefined {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const language = languageOf(line);
  const matches = [...line.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].flatMap((match) => {
    const found = wordsOf(match[0]).map((word) => stemOf(word, language)).find((stem) => stems.has(stem));
    return found === undefined ? [] : [{ at: match.index, stem: found }];
  });
  const countFrom = (from: number) =>
    new Set(matches.filter(({ at }) => at >= from && at < from + EXCERPT - BEFORE).map(({ stem }) => stem))
      .size;
  const [first] = matches.toSorted((a, b) => countFrom(b.at) - countFrom(a.at) || a.at - b.at);
  return first === undefined ? undefined : excerptAt(line, first.at);
}

function termsIn(request: string): readonly string[] {
  // “help me” is not a search for help, but “bmad help” is.
  const words = wordsOf(request.replaceAll(/\bhelp (?=(?:me|us)\b)/gi, ""));
  const language = languageOf(request, words);
  const content = words.filter((word) => !isFiller(word, language));
  const stems = (content.length > 0 ? content : words).map((word) => stemOf(word, language));
  return [...new Set(stems)].slice(0, LIMITS.search.terms);
}

interface Document {
  readonly entry: Entry;
  readonly isSupporting: boolean;
  readonly text: string;
  readonly startedBy: readonly string[];
  readonly agents: readonly number[];
}

interface SearchIndex {
  readonly documents: readonly Document[];
  readonly find: Find;
  readonly recent: (request: string, rank: () => Ranking) => Ranking;
}

const indexOf = perLibraryPaced(async (library, work): Promise<SearchIndex> => {
  await prepareFiles(library);
  const supporting = supportingEntries(library);
  const all = [
    ...library.visible,
    ...supporting.filter(({ kind }) => kind !== "config"),
  ].sort((a, b) => compareTexts(a.key, b.key));
  const documentOf = new Map(all.map((entry, document) => [entry.key, document]));
  const starters = await findStarters(library);
  const prepared = library.sources.map(({ preparedWords }) => preparedWords?.());
  const builder = createIndexBuilder(Object.values(FIELDS));
  const documents: Document[] = [];
  await forEachPaced(all, { name: "Indexing", stride: 512 }, work, (entry) => {
    const started = starters(entry);
    const startedBy = started.map(({ words }) => words);
    // What was prepared knows nothing of a customization.
    const known = library.customized.has(entry.key) ? undefined : prepared[entry.rank];
    const fields = termsOf(entry, startedBy, known);
    builder.add(fields);
    documents.push({
      entry,
      isSupporting: isSupporting(entry.kind),
      text: ` ${fields.join(" | ")} `,
      startedBy,
      agents: started.map(({ agent }) => documentOf.get(agent.key)!),
    });
  });
  // The words of configuration would lead away from what works with it.
  const wordless = supporting.filter(({ kind }) => kind === "config")
    .map((entry): Document => ({ entry, isSupporting: true, text: "", startedBy: [], agents: [] }));
  return { documents: [...documents, ...wordless], find: builder.build(), recent: cacheRecent(32) };
});
