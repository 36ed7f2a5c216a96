/**
 * The library: list, resolve, read, execute and search over all content.
 *
 * What only some requests need (parsers, the search index) is loaded with the first of them, so that it does not slow
 * down a start.
 */
import { cachedWith } from "../../base/cache.ts";
import type { Entry } from "../../base/model.ts";
import type { Values } from "../../base/values.ts";
import { completeEntry, entryInForce } from "./rows/complete.ts";
import { type Filter, filterOf, type Order } from "./rows/filter.ts";
import type { Row } from "./rows/row.ts";
import type { Step } from "./steps/steps.ts";
import { offersOf } from "./rows/offers.ts";
import type { ResourceFacts } from "./uris/resource_facts.ts";
import type { Reader } from "./authoring/collect.ts";
import type { Exported } from "./authoring/forms.ts";
import type { Validation } from "./authoring/validate.ts";
import type { Health } from "./health/doctor.ts";
import type { SkillFolder } from "./files/skills.ts";
import type { Filling, TemplateFacts } from "./uris/uri_templates.ts";
import type { Change } from "./change.ts";
import type { Details } from "./lists/details.ts";
import type { Calls } from "./delivery/calls.ts";
import type { ExecuteRequest, Execution } from "./delivery/execute.ts";
import type { Resolvers } from "./delivery/resolvers.ts";
import type { PartyAnswers, PartyFacts, PartyRules } from "./delivery/party.ts";
import type { Located } from "./delivery/resources.ts";
import type { Knowledge, KnowledgeRequest } from "./lists/knowledge.ts";
import type { FileContent } from "./files/reading.ts";
import { unexpectedOrigin } from "./entry_notes.ts";
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
import type { VersionChanges } from "./compare/upgrade.ts";
import type { Report } from "../../base/report.ts";
import { once, openTurns, type Work } from "../../base/work.ts";

export { isOwnModule, type NameQuery, visibleEntries } from "../catalog/mod.ts";
export { mergeStructural } from "./values/merge.ts";
export type { PartyAnswers, PartyFacts, PartyRules } from "./delivery/party.ts";
export type { Resolvers } from "./delivery/resolvers.ts";
export { type Calls, startCall } from "./delivery/calls.ts";
export type { Change } from "./change.ts";
export type { Difference } from "./compare/differences.ts";
export type {
  ActivationCost,
  ChangedItem,
  FileChange,
  ForwardingName,
  KeyChange,
  LostName,
  Preview,
  PreviewRequest,
  ScriptChange,
} from "./compare/preview.ts";
export type { ItemChange, LostCustomization, VersionChanges } from "./compare/upgrade.ts";
export { diagnose, diagnosticsOf } from "./health/diagnose.ts";
export type { Details } from "./lists/details.ts";
export type { Health } from "./health/doctor.ts";
export type { NewerRelease } from "./health/newer.ts";
export type { Unserved } from "./health/unserved.ts";
export { type OriginFacts, originsOf, type OriginState, originState } from "./health/origin_facts.ts";
export type { Fault, Validation } from "./authoring/validate.ts";
export type { LeftOut } from "./authoring/collect.ts";
export type { Exported } from "./authoring/forms.ts";
export type { BrokenReference, Closure } from "./health/closure.ts";
export type { ExecuteRequest } from "./delivery/execute.ts";
export { listFiles, prepareFiles, type ServedFile } from "./files/files.ts";
export { agentFor, menuRequests } from "./rows/offers.ts";
export type { FileContent } from "./files/reading.ts";
export type { ResourceFacts } from "./uris/resource_facts.ts";
export type { SkillFile, SkillFolder } from "./files/skills.ts";
export type { Filling, TemplateFacts } from "./uris/uri_templates.ts";
export type { Located } from "./delivery/resources.ts";
export type { FragmentContent, Knowledge, KnowledgeRequest } from "./lists/knowledge.ts";
export { beginsAsBefore, currentEntry, type Library, type LibrarySource } from "./library.ts";
export { type LibraryOptions, type Opening, surveyOrigins } from "./library.ts";
export { type OriginOverview, type Overview, overviewOf } from "./overview.ts";
export { closeMatches } from "./find/close_matches.ts";
export { type Filter, filterOf, type Order } from "./rows/filter.ts";
export { LISTABLE, type ListContext, listLibrary, type ListRequest } from "./lists/listing.ts";
export { type Finding, type Resolution, resolveEntry, type ResolveOptions } from "./lists/resolution.ts";
export { countSeveral, firstOverridden, type Row, type SeveralCounts, severalText } from "./rows/row.ts";
export type { Step } from "./steps/steps.ts";
export type { ChainLink } from "./compare/chain.ts";
export type { Fact } from "./lists/sheet.ts";
export { unexpectedOrigin } from "./entry_notes.ts";
export { toolNames } from "./rows/tool_names.ts";
export { byteLength, fitsBytes, type Page, splitParts, takePage } from "./shape.ts";

/** Reads every origin into a library, in which agents are as their customization makes them. */
export async function openLibrary(
  openings: readonly Opening[],
  options: LibraryOptions = {},
): Promise<Library> {
  const library = await openSources(openings, options);
  const ids = new Set(library.whole.sources.flatMap(overriddenIds));
  return ids.size === 0
    ? library
    : await (await import("./rows/customized.ts")).customizeAgents(library, ids);
}

/** Everything a model needs to act as an entry. */
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

/** Tells requests about entries apart. */
function keyOf({ key }: Entry, request: unknown): string {
  return JSON.stringify([key, request]);
}

/** Loads what renders templates, where a generation has them. */
async function loadTemplates(library: Library): Promise<void> {
  if (hasTemplates(library)) await (await import("./delivery/launcher.ts")).loadEngine(library);
}

const hasTemplates = perLibrary(({ sources }): boolean =>
  sources.some(({ inventory: { items } }) => items.some(({ generation }) => generation === "flat"))
);

/** One entry in full; each form of it is built when it is read. */
export async function readEntry(given: Library, entry: Entry, asked?: string): Promise<Details> {
  const [{ Details }, { rawText }] = await loadDetails();
  const library = libraryFor(given, entry);
  // Its forms are built later: whether its file can be read has to be known now.
  rawText(library, entry);
  return new Details(library, await entryInForce(library, entry), await offersOf(library), asked);
}

const loadDetails = once(() => Promise.all([import("./lists/details.ts"), import("./files/reading.ts")]));

/** How what is served differs from what it overrides, or from an overridden entry. */
export async function compareEntry(given: Library, entry: Entry): Promise<Report> {
  const { reportDifferences } = await import("./compare/differences.ts");
  return reportDifferences(libraryFor(given, entry), entry);
}

/** What another version of a source changes: the ids are those of the origins that have the two. */
export async function compareVersions(
  library: Library,
  before: string,
  after: string,
): Promise<VersionChanges> {
  return (await import("./compare/upgrade.ts")).compareVersions(library, before, after);
}

/** What the package of an origin would change in the project of another one; both by their ids. */
export async function previewUpgrade(
  library: Library,
  request: Omit<PreviewRequest, "activate">,
): Promise<Preview> {
  const { previewUpgrade: preview } = await import("./compare/preview.ts");
  const activate = (entry: Entry) => executeEntry(library, entry, {});
  return await preview(library, { ...request, activate });
}

/** Items that several origins have, without comparing their files. */
export async function listOverridden(library: Library): Promise<readonly Row[]> {
  return (await import("./health/conflicts.ts")).listOverridden(library);
}

/** The steps that the help catalogues name: first those in phases, in order, then those for any time. */
export async function listSteps(library: Library): Promise<readonly Step[]> {
  return (await import("./steps/steps.ts")).stepsOf(library);
}

/** The URIs of the modules' main help documents, where help is prose. */
export async function listHelp(library: Library): Promise<readonly string[]> {
  const { helpFiles } = await import("./delivery/help_files.ts");
  return [...new Set(helpFiles(library).filter(({ isMain }) => isMain).map(({ uri }) => uri))];
}

/** The configuration of the core and of each module, as their items see it. */
export async function listConfigs(library: Library): Promise<readonly Values[]> {
  const { configuredModules, resolveModuleConfig } = await import("./values/config.ts");
  const configs: Values[] = [];
  const giveWay = openTurns();
  for (const module of new Set(["core", ...configuredModules(library)])) {
    configs.push(resolveModuleConfig(library, module));
    await giveWay();
  }
  return configs;
}

/** The raw text of an entry's file. */
export async function readRaw(library: Library, entry: Entry): Promise<string> {
  return (await import("./files/reading.ts")).rawText(libraryFor(library, entry), entry);
}

/** How to read a resource. */
export interface ReadOptions {
  /** The entry in whose texts the path occurs. */
  readonly of?: Entry;
  /** Deliver the file as it is. */
  readonly raw?: boolean;
  /** An origin's id: only its files, including what is overridden. */
  readonly origin?: string;
  /** How the reader opens files; the surface knows. */
  readonly calls?: Calls;
}

/** Reads a URI, or a path as content spells it in any file of entry `of`. */
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
    ? (await import("./uris/variables.ts")).expandVariable(library, reference, of)
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

/** The rendered file of a launcher at a relative path. */
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

/** Everything `readResource` can read: the generated resources, then every served file. */
export async function listResources(library: Library): Promise<readonly ResourceFacts[]> {
  return (await import("./uris/resource_facts.ts")).resourceFacts(library);
}

/** The URI templates that work in every generation. */
export async function listTemplates(): Promise<readonly TemplateFacts[]> {
  return (await import("./uris/uri_templates.ts")).URI_TEMPLATES;
}

/** Every way to fill a template; none for an unknown template. */
export async function listFillings(library: Library, uriTemplate: string): Promise<readonly Filling[]> {
  return (await import("./uris/uri_templates.ts")).fillingsOf(library, uriTemplate);
}

/** The knowledge on a subject, or a failure with suggestions. */
export async function findKnowledge(library: Library, request: KnowledgeRequest): Promise<Knowledge> {
  return (await import("./lists/knowledge.ts")).findKnowledge(library, request);
}

/** What BMAD's scripts that look something up would print. */
export async function findResolvers(library: Library): Promise<Resolvers> {
  await loadTemplates(library);
  return (await import("./delivery/resolvers.ts")).resolversOf(library);
}

/** The parties that some values describe. */
export async function findParty(facts: PartyFacts, rules: PartyRules): Promise<PartyAnswers> {
  return (await import("./delivery/party.ts")).openParty(facts, rules);
}

/** Every skill as a folder, including those that lists hide. */
export async function listSkills(library: Library): Promise<readonly SkillFolder[]> {
  return (await import("./files/skills.ts")).skillFolders(library);
}

/** The resource at a URI, or at a path as content spells it, without reading it; undefined when there is none. */
export async function locateResource(library: Library, reference: string): Promise<Located | undefined> {
  await loadTemplates(library);
  return (await import("./delivery/resources.ts")).findResource(library, reference);
}

/** The health of a library: its issues, its origins and its references. Reads every file. */
export async function examineLibrary(library: Library, work: Work): Promise<Health> {
  return (await import("./health/doctor.ts")).healthOf(library, work);
}

/** The faults of the first source, as its author wants to see them; of it, only what lies at `within`. */
export async function validateSource(library: Library, within: string, work: Work): Promise<Validation> {
  return (await import("./authoring/validate.ts")).validate(library, within, work);
}

/** The forms of an export. */
export type ExportForm = "skill" | "web-bundle";

/** An entry with everything it leads to, as the files of an export; `name` is that of its skill or its file. */
export async function exportEntry(
  given: Library,
  entry: Entry,
  { form, name }: { readonly form: ExportForm; readonly name: string },
  work: Work,
): Promise<Exported> {
  const { collect } = await import("./authoring/collect.ts");
  const { EXPORT_CALLS: calls, toBundle, toSkill } = await import("./authoring/forms.ts");
  // The reader of an export has none of our paths.
  const library = { ...libraryFor(given, entry), isRemote: true };
  const reader: Reader = {
    execute: (item, request) => executeEntry(library, item, request),
    read: (reference, options) => readResource(library, reference, options),
  };
  const collection = await collect(library, entry, { reader, calls }, work);
  return form === "skill" ? toSkill(collection, name) : toBundle(collection, name);
}

/** What changed between two libraries of the same origins. */
export async function compareLibraries(before: Library, after: Library): Promise<Change> {
  return (await import("./change.ts")).compareLibraries(before, after);
}

/** The change to assume when the library before was never read in full: everything since some time. */
export async function assumeChanged(
  before: Library | undefined,
  after: Library,
  since: number,
): Promise<Change> {
  return (await import("./change.ts")).assumeChanged(before, after, since);
}

/** Removes secrets from what a project wrote: from its values, and from its texts. */
export interface Cleaner {
  values(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** The same for the tables of a whole configuration. */
  config(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  text(text: string): string;
  /** The same for a whole file: fast, and every line keeps its number. */
  longText(text: string): string;
}

/** Loads it with the first request. */
export const loadCleaner: () => Promise<Cleaner> = once(async () => {
  const { configWithoutSecrets, withoutSecrets } = await import("./files/secrets.ts");
  const { maskLongText, maskValue } = await import("./files/secret_patterns.ts");
  return { values: withoutSecrets, config: configWithoutSecrets, text: maskValue, longText: maskLongText };
});

/** What to search for. */
export interface SearchRequest extends Filter {
  /** Words, or their beginnings. */
  readonly words: string;
  /** An origin's id: only its entries, including overridden ones. */
  readonly origin?: string;
  /** How many of the first hits will be shown; all by default. */
  readonly shown?: number;
}

const loadSearch = once(() =>
  Promise.all([import("./find/close_matches.ts"), import("./find/search.ts"), import("./find/hit_row.ts")])
);

/** The rows that match some words, best first, each with its score and what matched. `order` settles close scores. */
export async function searchLibrary(
  library: Library,
  request: SearchRequest,
  work: Work = {},
  order: Order = (entries) => entries,
): Promise<readonly Row[]> {
  const [{ countTied }, { searchEntries }, { hitRow }] = await loadSearch();
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
