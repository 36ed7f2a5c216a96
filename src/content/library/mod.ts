/**
 * The library: list, resolve, read, execute and search over all content.
 *
 * What only some requests need (parsers, the search index) is loaded with the first of them, so that it does not slow
 * down a start.
 */
import { cachedWith } from "../../base/cache.ts";
import type { Entry } from "../../base/model.ts";
import type { Values } from "../../base/values.ts";
import { completeEntry, entryInForce, offersOf } from "./rows/in_force.ts";
import { type Filter, filterOf, type Order, type Row } from "./rows/row.ts";
import type { Located } from "./delivery/resources.ts";
import type { Exported, Reader } from "./authoring/export.ts";
import type { FileContent } from "./files/reading.ts";
import type { TemplateFacts } from "./uris/uri_templates.ts";
import type { Details } from "./lists/details.ts";
import type { Calls } from "./delivery/calls.ts";
import type { ExecuteRequest, Execution } from "./delivery/execute.ts";
import type { Resolvers } from "./delivery/script_reports.ts";
import { unexpectedOrigin } from "./entry_facts.ts";
import {
  fileOf,
  type Library,
  libraryFor,
  type LibraryOptions,
  onlyOrigin,
  openCache,
  type Opening,
  openSources,
  perLibrary,
} from "./library.ts";
import { overriddenIds } from "./values/override_files.ts";
import { folderUri } from "./files/files.ts";
import { SCHEME } from "./files/mounts.ts";
import { checkModule, checkOrigin } from "./lists/resolution.ts";
import type { Preview, PreviewRequest } from "./compare/preview.ts";
import type { Report } from "../../base/report.ts";
import { once, openYielder, type Work } from "../../base/work.ts";

export { isOwnModule, type NameQuery, visibleEntries } from "../catalog/mod.ts";
export { mergeStructural } from "./values/merge.ts";
export type { PartyAnswers, PartyRules } from "./delivery/roster.ts";
export type { Resolvers } from "./delivery/script_reports.ts";
export { type Calls, startCall } from "./delivery/calls.ts";
export type { Change } from "./change.ts";
export type { ActivationCost, Preview } from "./compare/preview.ts";
export type { VersionChanges } from "./compare/differences.ts";
export { diagnose, diagnosticsOf } from "./health/diagnose.ts";
export type { ChainLink, Details, Fact } from "./lists/details.ts";
export type { Health } from "./health/doctor.ts";
export {
  type OriginFacts,
  originsOf,
  type OriginState,
  originState,
  type Overview,
  overviewOf,
} from "./overview.ts";
export type { Exported } from "./authoring/export.ts";
export type { ExecuteRequest } from "./delivery/execute.ts";
export { listFiles, prepareFiles } from "./files/files.ts";
export { agentFor, menuRequests } from "./rows/in_force.ts";
export type { FileContent, SkillFile, SkillFolder } from "./files/reading.ts";
export type { Located, ResourceFacts } from "./delivery/resources.ts";
export type { Filling, TemplateFacts } from "./uris/uri_templates.ts";
export type { FragmentContent, Knowledge } from "./lists/knowledge.ts";
export {
  beginsAsBefore,
  currentEntry,
  type Library,
  type LibraryOptions,
  type Opening,
  surveyOrigins,
} from "./library.ts";
export { closeMatches } from "./find/close_matches.ts";
export {
  countSeveral,
  type Filter,
  filterOf,
  firstOverridden,
  type Order,
  type Row,
  severalText,
  toolNames,
} from "./rows/row.ts";
export { LISTABLE, listLibrary, type ListRequest } from "./lists/listing.ts";
export { type Resolution, resolveEntry } from "./lists/resolution.ts";
export type { Step } from "./steps/steps.ts";
export { unexpectedOrigin } from "./entry_facts.ts";
export { byteLength, fitsBytes, splitParts, takePage } from "./shape.ts";

/** A function whose module is loaded with its first call. */
function lazy<A extends readonly unknown[], R>(load: () => Promise<(...args: A) => R>) {
  return async (...args: A): Promise<Awaited<R>> => await (await load())(...args);
}

export async function openLibrary(
  openings: readonly Opening[],
  options: LibraryOptions = {},
): Promise<Library> {
  const library = await openSources(openings, options);
  const ids = new Set(library.whole.sources.flatMap(overriddenIds));
  return ids.size === 0 ? library : await (await import("./rows/in_force.ts")).customizeAgents(library, ids);
}

export async function executeEntry(given: Library, entry: Entry, request: ExecuteRequest): Promise<string> {
  const { asksForNext, namedParts, prepareExecution, renderExecution } = await loadExecution();
  const { message, isNative, calls, advise, ...rest } = request;
  const advice = request.raw || !asksForNext(entry) ? undefined : await advise?.();
  // Only tasks of v4 depend on the words of the user; elsewhere these choose parts and are repeated, and that is all.
  const asked = entry.generation === "v4" ? message : undefined;
  const isTold = isNative !== undefined;
  const chosen = namedParts(libraryFor(given, entry), entry, request);
  const facts = { ...rest, asked: [rest.asked, asked], isTold, chosen, advice };
  const key = keyOf(entry, facts) + (calls && textOf(calls));
  const execution = await executions(given, key, async () => {
    const library = libraryFor(given, entry);
    await loadTemplates(library);
    const complete = await completeEntry(library, entry);
    return prepareExecution(library, complete, { ...request, advice }, unexpectedOrigin(given, entry));
  });
  return renderExecution(execution, message);
}

const loadExecution = once(() => import("./delivery/execute.ts"));
const executions = openCache<string, Promise<Execution>>(({ body }) => body.length);

const textOf = cachedWith((calls: Calls) => JSON.stringify(calls));

function keyOf({ key }: Entry, request: unknown): string {
  return JSON.stringify([key, request]);
}

async function loadTemplates(library: Library): Promise<void> {
  if (hasTemplates(library)) await (await import("./delivery/launcher.ts")).loadEngine(library);
}

const hasTemplates = perLibrary(({ sources }): boolean =>
  sources.some(({ inventory: { items } }) => items.some(({ generation }) => generation === "flat"))
);

export async function readEntry(given: Library, entry: Entry, asked?: string): Promise<Details> {
  const [{ Details }, { rawText }] = await loadDetails();
  const library = libraryFor(given, entry);
  // Its forms are built later: whether its file can be read has to be known now.
  rawText(library, entry);
  return new Details(library, await entryInForce(library, entry), await offersOf(library), asked);
}

const loadDetails = once(() => Promise.all([import("./lists/details.ts"), import("./files/reading.ts")]));

export async function compareEntry(given: Library, entry: Entry): Promise<Report> {
  const { reportDifferences } = await import("./compare/differences.ts");
  return reportDifferences(libraryFor(given, entry), entry);
}

export const compareVersions = lazy(async () => (await import("./compare/differences.ts")).compareVersions);

export async function previewUpgrade(
  library: Library,
  request: Omit<PreviewRequest, "activate">,
): Promise<Preview> {
  const { previewUpgrade: preview } = await import("./compare/preview.ts");
  const activate = (entry: Entry) => executeEntry(library, entry, {});
  return await preview(library, { ...request, activate });
}

export const listOverridden = lazy(async () => (await import("./health/conflicts.ts")).listOverridden);

export const listSteps = lazy(async () => (await import("./steps/steps.ts")).listSteps);

export async function listHelp(library: Library): Promise<readonly string[]> {
  const { helpFiles } = await import("./delivery/help.ts");
  return [...new Set(helpFiles(library).filter(({ isMain }) => isMain).map(({ uri }) => uri))];
}

export async function listConfigs(library: Library): Promise<readonly Values[]> {
  const { configuredModules, resolveModuleConfig } = await import("./values/config.ts");
  const configs: Values[] = [];
  const yieldIfDue = openYielder();
  for (const module of new Set(["core", ...configuredModules(library)])) {
    configs.push(resolveModuleConfig(library, module));
    await yieldIfDue();
  }
  return configs;
}

export async function readRaw(library: Library, entry: Entry): Promise<string> {
  return (await import("./files/reading.ts")).rawText(libraryFor(library, entry), entry);
}

export interface ReadOptions {
  readonly of?: Entry;
  readonly raw?: boolean;
  readonly origin?: string;
  readonly calls?: Calls;
}

export async function readResource(
  library: Library,
  reference: string,
  options: ReadOptions = {},
): Promise<FileContent> {
  const { of, ...rest } = options;
  if (rest.origin !== undefined) checkOrigin(library, rest.origin);
  const key = of === undefined ? JSON.stringify([reference, rest]) : keyOf(of, [reference, rest]);
  return await files(library, key, () => findContent(library, reference, options));
}

const files = openCache<string, Promise<FileContent>>(({ text, bytes }) => (text ?? bytes!).length);

async function findContent(
  given: Library,
  reference: string,
  { of, ...options }: ReadOptions = {},
): Promise<FileContent> {
  await loadTemplates(given);
  const { raw, calls, origin } = options;
  const library = origin !== undefined
    ? onlyOrigin(given, origin)
    : of === undefined
    ? await libraryWith(given, reference)
    : libraryFor(given, of);
  const expanded = of && reference.startsWith("{")
    ? (await import("./uris/item_paths.ts")).expandVariable(library, reference, of)
    : undefined;
  if (expanded !== undefined) return await findContent(given, expanded, { of, ...options });
  const { readGenerated } = await import("./delivery/resources.ts");
  const { readFile } = await import("./files/reading.ts");
  const { throughTemplates } = await import("./uris/uri_templates.ts");
  const { findInItem, findItemPath, otherItem } = await import("./uris/item_paths.ts");
  // For a step of an entry, `../x` starts in the entry's own folder; the folder above that comes second.
  const own = of && reference.startsWith("../") ? findInItem(library, reference, of) : undefined;
  const asked = own ?? reference;
  const from = of && fileOf(library, of);
  // A launcher is delivered rendered, and so are the files it refers to.
  const rendered = of && !raw ? await readSibling(library, of, asked, calls) : undefined;
  const found = rendered ?? await readGenerated(library, asked, { from, raw, calls }) ??
    readFile(library, throughTemplates(library, asked), { from, raw });
  const item = of && found && otherItem(library, found.uri, of);
  if (found !== undefined) return { ...found, ...(item && { item }) };
  const spelled = findItemPath(library, reference, of);
  if (spelled !== undefined) return await findContent(library, spelled.uri, { of: spelled.of, ...options });
  return (await import("./uris/missing.ts")).failToFind(library, reference, of);
}

/** The library that has a URI. It is an exact address, so it also reaches a source that has stepped back. */
async function libraryWith(library: Library, reference: string): Promise<Library> {
  if (library.whole === library || !reference.startsWith(SCHEME)) return library;
  const { findResource } = await import("./delivery/resources.ts");
  const isHere = await findResource(library, reference) !== undefined;
  return isHere || await findResource(library.whole, reference) === undefined ? library : library.whole;
}

async function readSibling(
  library: Library,
  of: Entry,
  reference: string,
  calls: Calls | undefined,
): Promise<FileContent | undefined> {
  const { isLauncher, renderedUri } = await import("./delivery/launcher.ts");
  const own = folderUri(of);
  const path = reference.startsWith(own)
    ? reference.slice(own.length)
    : reference.replace(/^(\.\/|\{skill-root\}\/)/, "");
  if (/^(bmad:|\{|\/)/.test(path) || !isLauncher(library, of)) return undefined;
  return (await import("./delivery/resources.ts")).readGenerated(library, `${renderedUri(of)}/${path}`, {
    calls,
  });
}

export const listResources = lazy(async () => (await import("./delivery/resources.ts")).listResources);

export async function listTemplates(): Promise<readonly TemplateFacts[]> {
  return (await import("./uris/uri_templates.ts")).URI_TEMPLATES;
}

export const listFillings = lazy(async () => (await import("./uris/uri_templates.ts")).listFillings);

export const findKnowledge = lazy(async () => (await import("./lists/knowledge.ts")).findKnowledge);

export async function findResolvers(library: Library): Promise<Resolvers> {
  await loadTemplates(library);
  return (await import("./delivery/script_reports.ts")).resolversOf(library);
}

export const findParty = lazy(async () => (await import("./delivery/roster.ts")).openParty);

export const listSkills = lazy(async () => (await import("./files/reading.ts")).listSkills);

export async function locateResource(library: Library, reference: string): Promise<Located | undefined> {
  await loadTemplates(library);
  return (await import("./delivery/resources.ts")).findResource(library, reference);
}

export const examineLibrary = lazy(async () => (await import("./health/doctor.ts")).examineLibrary);

export const validateSource = lazy(async () => (await import("./authoring/validate.ts")).validateSource);

type ExportForm = "skill" | "web-bundle";

export async function exportEntry(
  given: Library,
  entry: Entry,
  { form, name }: { readonly form: ExportForm; readonly name: string },
  work: Work,
): Promise<Exported> {
  const { collect, EXPORT_CALLS: calls, toBundle, toSkill } = await import("./authoring/export.ts");
  // The reader of an export has none of our paths.
  const library = { ...libraryFor(given, entry), isRemote: true };
  const reader: Reader = {
    execute: (item, request) => executeEntry(library, item, request),
    read: (reference, options) => readResource(library, reference, options),
  };
  const collection = await collect(library, entry, { reader, calls }, work);
  return form === "skill" ? toSkill(collection, name) : toBundle(collection, name);
}

export const compareLibraries = lazy(async () => (await import("./change.ts")).compareLibraries);

/** The change to assume when the library before was never read in full: everything since some time. */
export const assumeChanged = lazy(async () => (await import("./change.ts")).assumeChanged);

interface Cleaner {
  values(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  config(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  text(text: string): string;
  /** The same for a whole file: fast, and every line keeps its number. */
  longText(text: string): string;
}

export const loadCleaner: () => Promise<Cleaner> = once(async () => {
  const { configWithoutSecrets, withoutSecrets } = await import("./files/secrets.ts");
  const { maskLongText, maskValue } = await import("./files/secrets.ts");
  return { values: withoutSecrets, config: configWithoutSecrets, text: maskValue, longText: maskLongText };
});

export interface SearchRequest extends Filter {
  readonly words: string;
  readonly origin?: string;
  readonly shown?: number;
}

const loadSearch = once(() => Promise.all([import("./find/close_matches.ts"), import("./find/search.ts")]));

export async function searchLibrary(
  library: Library,
  request: SearchRequest,
  work: Work = {},
  order: Order = (entries) => entries,
): Promise<readonly Row[]> {
  const [{ countTied }, { hitRow, searchEntries }] = await loadSearch();
  const { origin, words, module } = request;
  if (origin !== undefined) checkOrigin(library, origin);
  const view = origin === undefined ? library : onlyOrigin(library, origin);
  if (module) checkModule(view, module);
  const offers = await offersOf(view);
  const hits = await searchEntries(view, words, filterOf(request), work);
  const tied = countTied(hits);
  const first = new Map(hits.slice(0, tied).map((hit) => [hit.entry, hit]));
  return [...order([...first.keys()]).map((entry) => first.get(entry)!), ...hits.slice(tied)]
    .map((hit) => hitRow(view, hit, offers));
}
