/**
 * The library: list, resolve, read, execute and search over everything that was found.
 *
 * What only some requests need (parsers, the search index) is loaded when the first of them comes, so that a
 * start pays for none of it.
 */
import { completeItem } from "../inventory/mod.ts";
import type { Entry } from "../../base/model.ts";
import { type Filter, filterOf, type Order } from "./lists/filter.ts";
import type { Row } from "./lists/row.ts";
import { offersOf } from "./lists/offers.ts";
import type { ResourceFacts } from "./lists/resource_facts.ts";
import type { Health } from "./lists/doctor.ts";
import type { SkillFolder } from "./files/skills.ts";
import type { Filling, TemplateFacts } from "./lists/uri_templates.ts";
import type { Change } from "./change.ts";
import type { Details } from "./lists/details.ts";
import type { ExecuteRequest } from "./generated/execute.ts";
import type { Located } from "./generated/resources.ts";
import type { Knowledge, KnowledgeRequest } from "./lists/knowledge.ts";
import type { FileContent } from "./files/reading.ts";
import { holdingOf, type Library, onlyOrigin, placeOf } from "./library.ts";
import { checkOrigin } from "./lists/resolution.ts";
import type { Work } from "../../base/work.ts";

export { type NameQuery, visibleEntries } from "../catalog/mod.ts";
export type { Calls } from "./generated/calls.ts";
export type { Change } from "./change.ts";
export { diagnose, toldOnTheWay } from "./lists/diagnose.ts";
export type { Details } from "./lists/details.ts";
export type { Health } from "./lists/doctor.ts";
export { type OriginFacts, originFacts, type OriginState, originState } from "./lists/origin_facts.ts";
export type { Closure, DeadReference } from "./lists/closure.ts";
export type { ExecuteRequest } from "./generated/execute.ts";
export { listFiles, type ServedFile } from "./files/files.ts";
export { wishesOf } from "./lists/offers.ts";
export type { FileContent } from "./files/reading.ts";
export type { ResourceFacts } from "./lists/resource_facts.ts";
export type { SkillFile, SkillFolder } from "./files/skills.ts";
export type { Filling, TemplateFacts } from "./lists/uri_templates.ts";
export type { Located } from "./generated/resources.ts";
export type { Knowledge, KnowledgeRequest } from "./lists/knowledge.ts";
export { type Holding, type Library, type Opening, openLibrary, surveyOrigins } from "./library.ts";
export { type OriginOverview, type Overview, overviewOf } from "./overview.ts";
export { contendersOf } from "./find/contenders.ts";
export type { Filter, Order } from "./lists/filter.ts";
export { LISTABLE, listLibrary, type ListRequest } from "./lists/listing.ts";
export { type Finding, type Resolution, resolveEntry, type ResolveOptions } from "./lists/resolution.ts";
export type { Row } from "./lists/row.ts";
export type { ChainLink } from "./lists/chain.ts";
export type { Fact } from "./lists/sheet.ts";
export { toolNames } from "./lists/tool_names.ts";
export { byteLength, fitsBytes, type Page, splitParts, takePage } from "./shape.ts";

/** All that a model needs to act as an entry. */
export async function executeEntry(library: Library, entry: Entry, request: ExecuteRequest): Promise<string> {
  const { renderExecution } = await import("./generated/execute.ts");
  return renderExecution(library, await completeItem(holdingOf(library, entry).tree, entry), request);
}

/** One thing in full, in the form in which it is wanted: what is asked for is made. */
export async function readEntry(library: Library, entry: Entry): Promise<Details> {
  const { detailsOf } = await import("./lists/details.ts");
  const whole = await completeItem(holdingOf(library, entry).tree, entry);
  return detailsOf(library, whole, await offersOf(library));
}

/** Things that several origins have, the one that counts first, without a look at their files. */
export async function listShadowed(library: Library): Promise<readonly Row[]> {
  return (await import("./lists/conflicts.ts")).listShadowed(library);
}

/** The raw text of an entry's file. */
export async function readRaw(library: Library, entry: Entry): Promise<string> {
  return (await import("./files/reading.ts")).rawText(library, entry);
}

/** What a URI, or a path as content spells it, leads to; a relative path is seen from the thing that has it. */
export async function readResource(
  library: Library,
  reference: string,
  { of, raw }: { readonly of?: Entry; readonly raw?: boolean } = {},
): Promise<FileContent> {
  const { readGenerated } = await import("./generated/resources.ts");
  const { readFile } = await import("./files/reading.ts");
  const { throughTemplates } = await import("./lists/uri_templates.ts");
  const from = of && placeOf(library, of);
  // A launcher's text is the rendered one, and so are the files that it speaks of.
  const rendered = of && !raw ? await readSibling(library, of, reference) : undefined;
  if (rendered !== undefined) return rendered;
  return await readGenerated(library, reference, from) ??
    readFile(library, throughTemplates(library, reference), { from, raw });
}

/** The rendered file of a launcher that a relative path means. */
async function readSibling(library: Library, of: Entry, reference: string): Promise<FileContent | undefined> {
  const { isLauncher, snapshotUri } = await import("./generated/launcher.ts");
  const path = reference.replace(/^(\.\/|\{skill-root\}\/)/, "");
  if (/^(bmad:|\{|\/)/.test(path) || !isLauncher(library, of)) return undefined;
  return (await import("./generated/resources.ts")).readGenerated(library, `${snapshotUri(of)}/${path}`);
}

/** All that `readResource` can read: the generated resources, then every served file. */
export async function listResources(library: Library): Promise<readonly ResourceFacts[]> {
  return (await import("./lists/resource_facts.ts")).resourceFacts(library);
}

/** The forms of URIs that mean the same in every generation. */
export async function listTemplates(): Promise<readonly TemplateFacts[]> {
  return (await import("./lists/uri_templates.ts")).URI_TEMPLATES;
}

/** Every way to fill a template; none when there is no such template. */
export async function listFillings(library: Library, uriTemplate: string): Promise<readonly Filling[]> {
  return (await import("./lists/uri_templates.ts")).fillingsOf(library, uriTemplate);
}

/** What a library knows about something, or a failure with what comes near. */
export async function findKnowledge(library: Library, request: KnowledgeRequest): Promise<Knowledge> {
  return (await import("./lists/knowledge.ts")).findKnowledge(library, request);
}

/** Every skill as a folder, also those that lists hide. */
export async function listSkills(library: Library): Promise<readonly SkillFolder[]> {
  return (await import("./files/skills.ts")).skillFolders(library);
}

/** Where a URI, or a path as content spells it, leads; undefined when it leads nowhere. */
export async function locateResource(library: Library, reference: string): Promise<Located | undefined> {
  return (await import("./generated/resources.ts")).findResource(library, reference);
}

/** How a library is: everything that can be found wrong with it, and what there is. Takes its time. */
export async function examineLibrary(library: Library, work: Work): Promise<Health> {
  return (await import("./lists/doctor.ts")).healthOf(library, work);
}

/** What is different between two libraries of the same origins. */
export async function compareLibraries(before: Library, after: Library): Promise<Change> {
  return (await import("./change.ts")).compareLibraries(before, after);
}

/** What may be different since some time, in a library that was read anew while the one before it was unknown. */
export async function suspectLibrary(
  before: Library | undefined,
  after: Library,
  since: number,
): Promise<Change> {
  return (await import("./change.ts")).suspectLibrary(before, after, since);
}

/** How secrets are taken out of what a project wrote down: of its values, and of its texts. */
export async function loadCleaner(): Promise<{
  /** Without the values whose keys name a secret. */
  values(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** With the secrets replaced. */
  text(text: string): string;
}> {
  const { withoutSecrets } = await import("./files/secrets.ts");
  const { maskValue } = await import("./files/secret_signs.ts");
  return { values: withoutSecrets, text: maskValue };
}

/** What a search looks for. */
export interface SearchRequest extends Filter {
  /** Words, or their beginnings. */
  readonly words: string;
  /** An origin's id: only what it holds, also what a better origin shadows. */
  readonly origin?: string;
  /** How many of the first hits will be seen; all when nothing is said. */
  readonly shown?: number;
}

/**
 * The rows of what fits some words, best first, each with its score and with what matched. Where the words do not
 * decide, `order` does.
 */
export async function searchLibrary(
  library: Library,
  request: SearchRequest,
  work: Work = {},
  order: Order = (entries) => entries,
): Promise<readonly Row[]> {
  const { countEqual } = await import("./find/contenders.ts");
  const { searchEntries } = await import("./find/search.ts");
  const { hitRow } = await import("./find/hit_row.ts");
  const { origin, words } = request;
  if (origin !== undefined) checkOrigin(library, origin);
  const view = origin === undefined ? library : onlyOrigin(library, origin);
  const offers = await offersOf(view);
  const hits = await searchEntries(view, words, filterOf(request), work);
  const equal = countEqual(hits);
  const first = new Map(hits.slice(0, equal).map((hit) => [hit.entry, hit]));
  return [...order([...first.keys()]).map((entry) => first.get(entry)!), ...hits.slice(equal)]
    .map((hit) => hitRow(view, hit, offers));
}
