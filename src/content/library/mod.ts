/** What the library is asked. What only some requests need (parsers, the search index) is loaded with the first of them. */
import type { Entry } from "../../base/model.ts";
import { completeEntry } from "./rows/in_force.ts";
import type { Exported, ExportRequest } from "./authoring/export.ts";
import type { FileContent } from "./files/reading.ts";
import type { TemplateFacts } from "./uris/uri_templates.ts";
import type { ReadOptions } from "./uris/read.ts";
import type { ExecuteRequest, Execution } from "./delivery/execute.ts";
import { unexpectedOrigin } from "./entry_facts.ts";
import {
  type Library,
  libraryFor,
  type LibraryOptions,
  openCache,
  type Opening,
  openSources,
} from "./library.ts";
import { overriddenIds } from "./values/override_files.ts";
import { checkOrigin } from "./lists/resolution.ts";
import type { Preview, PreviewRequest } from "./compare/preview.ts";
import { lazy, once, type Work } from "../../base/work.ts";

export { isOwnModule, type NameQuery, visibleEntries } from "../catalog/mod.ts";
export { mergeStructural } from "./values/merge.ts";
export type { PartyRules } from "./delivery/roster.ts";
export type { Resolvers } from "./delivery/script_reports.ts";
export { type Calls, startCall } from "./delivery/calls.ts";
export type { Change } from "./change.ts";
export type { ActivationCost, Preview } from "./compare/preview.ts";
export type { VersionChanges } from "./compare/differences.ts";
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
export type { ReadOptions } from "./uris/read.ts";
export type { FragmentContent, Knowledge } from "./lists/knowledge.ts";
export {
  beginsAsBefore,
  currentEntry,
  type Library,
  type LibraryOptions,
  type Opening,
  surveyOrigins,
} from "./library.ts";
export {
  closeMatches,
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
export type { SearchRequest } from "./find/search.ts";
export type { Step } from "./steps/steps.ts";
export { unexpectedOrigin } from "./entry_facts.ts";
export { byteLength, fitsBytes, splitParts, takePage } from "./shape.ts";

export async function openLibrary(
  openings: readonly Opening[],
  options: LibraryOptions = {},
): Promise<Library> {
  const library = await openSources(openings, options);
  const ids = new Set(library.whole.sources.flatMap(overriddenIds));
  return ids.size === 0 ? library : await (await import("./rows/in_force.ts")).customizeAgents(library, ids);
}

export async function executeEntry(given: Library, entry: Entry, request: ExecuteRequest): Promise<string> {
  const { asksForNext, asksForNextAlone, namedParts, prepareExecution, renderExecution } =
    await loadExecution();
  const { message, isNative, advise, again: _, isServed: __, ...rest } = request;
  const advice = request.raw || !asksForNext(entry) ? undefined : await advise?.();
  // Only tasks of v4 depend on the user's words; elsewhere these choose parts and are repeated.
  const asked = entry.generation === "v4" ? message : undefined;
  const library = libraryFor(given, entry);
  const chosen = namedParts(library, entry, request);
  const isNextAsked = advice !== undefined && asksForNextAlone(entry, message);
  const key = JSON.stringify([entry.key, rest, asked, isNative !== undefined, chosen, advice, isNextAsked]);
  const execution = await executions(given, key, async () => {
    const complete = await completeEntry(library, entry);
    const prepared = await prepareExecution(
      library,
      complete,
      { ...request, advice, isNextAsked },
      unexpectedOrigin(given, entry),
    );
    // Where each of them would cost a call.
    if (request.raw || isNextAsked || request.calls?.openOf === undefined) return prepared;
    const { withFollowUps } = await import("./uris/along.ts");
    return await withFollowUps(library, complete, prepared, request.calls);
  });
  return renderExecution(execution, request);
}

const loadExecution = once(() => import("./delivery/execute.ts"));
const executions = openCache<string, Promise<Execution>>(({ text }) => text.length);

export const readEntry = lazy(async () => (await import("./lists/details.ts")).readEntry);
export const diagnose = lazy(async () => (await import("./health/diagnose.ts")).diagnose);
export const diagnosticsOf = lazy(async () => (await import("./health/diagnose.ts")).diagnosticsOf);
export const compareEntry = lazy(async () => (await import("./compare/differences.ts")).reportDifferences);
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
export const listHelp = lazy(async () => (await import("./steps/steps.ts")).listHelp);
export const listSharedConfigs = lazy(async () => (await import("./values/config.ts")).listSharedConfigs);
export const listConfigs = lazy(async () => (await import("./values/config.ts")).listConfigs);

export async function readRaw(library: Library, entry: Entry): Promise<string> {
  return (await import("./files/reading.ts")).rawText(libraryFor(library, entry), entry);
}

export async function readResource(
  library: Library,
  reference: string,
  options: ReadOptions = {},
): Promise<FileContent> {
  const { of, ...rest } = options;
  if (rest.origin !== undefined) checkOrigin(library, rest.origin);
  const { findContent } = await loadReading();
  const key = JSON.stringify([of?.key, reference, rest]);
  return await files(library, key, () => findContent(library, reference, options));
}

const loadReading = once(() => import("./uris/read.ts"));
const files = openCache<string, Promise<FileContent>>(({ text, bytes }) => (text ?? bytes!).length);

export const listResources = lazy(async () => (await import("./delivery/resources.ts")).listResources);

export async function listTemplates(): Promise<readonly TemplateFacts[]> {
  return (await import("./uris/uri_templates.ts")).URI_TEMPLATES;
}

export const listFillings = lazy(async () => (await import("./uris/uri_templates.ts")).listFillings);
export const findKnowledge = lazy(async () => (await import("./lists/knowledge.ts")).findKnowledge);
export const findResolvers = lazy(async () => (await import("./delivery/script_reports.ts")).findResolvers);
export const findParty = lazy(async () => (await import("./delivery/roster.ts")).openParty);
export const listSkills = lazy(async () => (await import("./files/reading.ts")).listSkills);
export const locateResource = lazy(async () => (await import("./delivery/resources.ts")).locateResource);
export const examineLibrary = lazy(async () => (await import("./health/doctor.ts")).examineLibrary);
export const validateSource = lazy(async () => (await import("./authoring/validate.ts")).validateSource);

export async function exportEntry(
  given: Library,
  entry: Entry,
  request: ExportRequest,
  work: Work,
): Promise<Exported> {
  const { exportWith } = await import("./authoring/export.ts");
  // The reader of an export has none of our paths.
  const library = { ...libraryFor(given, entry), isRemote: true };
  return await exportWith({ execute: executeEntry, read: readResource }, library, entry, request, work);
}

export const compareLibraries = lazy(async () => (await import("./change.ts")).compareLibraries);

/** When the library before was never read in full: everything since some time. */
export const assumeChanged = lazy(async () => (await import("./change.ts")).assumeChanged);

export const loadCleaner = once(async () => {
  const { configWithoutSecrets, maskLongText, maskValue, withoutSecrets } = await import(
    "./files/secrets.ts"
  );
  return { values: withoutSecrets, config: configWithoutSecrets, text: maskValue, longText: maskLongText };
});

export const searchLibrary = lazy(async () => (await import("./find/search.ts")).searchLibrary);
export const namesItem = lazy(async () => (await import("./find/search.ts")).namesItem);
