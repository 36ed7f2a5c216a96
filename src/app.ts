/**
 * The program behind its surfaces: joins configuration, origins and library, and answers requests.
 *
 * One library per project root, opened when it is first needed and then kept. Every request asks for it anew,
 * so that a reload can put a new one in its place. Surfaces know this interface and nothing behind it.
 */
import type { Config } from "./config/mod.ts";
import {
  diagnose,
  executeEntry,
  type ExecuteRequest,
  type FileContent,
  type Filling,
  findKnowledge,
  type Knowledge,
  type KnowledgeRequest,
  listFillings,
  listLibrary,
  type ListRequest,
  listResources,
  listSkills,
  listTemplates,
  type NameQuery,
  openLibrary,
  type Overview,
  overviewOf,
  readEntry,
  readRaw,
  readResource,
  resolveEntry,
  type ResourceFacts,
  type Row,
  searchLibrary,
  type SearchRequest,
  type SkillFolder,
  surveyOrigins,
  type TemplateFacts,
  visibleEntries,
  wishesOf,
} from "./library/mod.ts";
import type { Diagnostic, Entry } from "./model.ts";
import { openOrigins } from "./origins/mod.ts";

export type {
  Calls,
  ExecuteRequest,
  FileContent,
  Filling,
  Knowledge,
  ListRequest,
  NameQuery,
  Overview,
  Page,
  ResourceFacts,
  Row,
  SkillFile,
  SkillFolder,
  TemplateFacts,
} from "./library/mod.ts";
export { byteLength, LISTABLE, splitParts, takePage, toolNames } from "./library/mod.ts";

/** What every surface works on. */
export interface App {
  /** What the program was told at its start; it never changes. */
  readonly config: Config;
  /** Counts for a greeting or a description; reads the origins if nobody did before. */
  overview(): Promise<Overview>;
  /** The rows of a list, or a failure that names everything that can be listed. */
  list(request: ListRequest): Promise<readonly Row[]>;
  /** The entry that a name means, or a failure with what else it could be. */
  resolve(query: NameQuery): Promise<Entry>;
  /** All that a model needs to act as an entry. */
  execute(entry: Entry, request: ExecuteRequest): Promise<string>;
  /** One thing in full, as text and as data. */
  read(entry: Entry): Promise<{ readonly text: string; readonly data: Readonly<Record<string, unknown>> }>;
  /** The text of an entry's own file. */
  raw(entry: Entry): Promise<string>;
  /** What a URI, or a path as content spells it, leads to; a relative path is seen from the thing that has it. */
  open(reference: string, options?: { readonly of?: Entry; readonly raw?: boolean }): Promise<FileContent>;
  /** Things that fit some words, best first, each with a `score` in its data. */
  search(request: SearchRequest): Promise<readonly Row[]>;
  /** The index of a domain of knowledge, or the fragments that are named. */
  knowledge(request: KnowledgeRequest): Promise<Knowledge>;
  /** Every entry that lists show, as it counts. */
  entries(): Promise<readonly Entry[]>;
  /** All that `open` can read: the generated resources, then every served file. */
  resources(): Promise<readonly ResourceFacts[]>;
  /** Forms of URIs that `open` understands in every generation. */
  templates(): Promise<readonly TemplateFacts[]>;
  /** Every way to fill a template; none when there is no such template. */
  fillings(uriTemplate: string): Promise<readonly Filling[]>;
  /** What a user may want of a thing, in the words of menus. */
  wishes(entry: Entry): Promise<readonly string[]>;
  /** Every skill as a folder, also those that lists hide. */
  skills(): Promise<readonly SkillFolder[]>;
  /** What was found wrong while the origins were opened and read. */
  diagnostics(): Promise<readonly Diagnostic[]>;
  /** The same, and what only a look at every file shows. Takes longer. */
  diagnose(): Promise<readonly Diagnostic[]>;
}

/** Opens the program. Nothing is read before the first request. */
export function openApp(config: Config): App {
  const origins = once(async () => {
    const { origins, diagnostics } = openOrigins(config.origins, config.settings.maxFile);
    return { surveyed: await surveyOrigins(origins), diagnostics };
  });
  const library = once(async () => {
    const { surveyed, diagnostics } = await origins();
    const { project, settings: { maxFiles } } = config;
    return await openLibrary(surveyed, { project, maxFiles, diagnostics });
  });
  return {
    config,
    overview: async () => overviewOf((await origins()).surveyed),
    list: async (request) => listLibrary(await library(), request),
    resolve: async (query) => resolveEntry(await library(), query),
    execute: async (entry, request) => executeEntry(await library(), entry, request),
    read: async (entry) => readEntry(await library(), entry),
    raw: async (entry) => readRaw(await library(), entry),
    open: async (reference, options) => readResource(await library(), reference, options),
    search: async (request) => searchLibrary(await library(), request),
    knowledge: async (request) => findKnowledge(await library(), request),
    entries: async () => visibleEntries((await library()).effective),
    resources: async () => listResources(await library()),
    templates: listTemplates,
    fillings: async (uriTemplate) => listFillings(await library(), uriTemplate),
    wishes: async (entry) => wishesOf(await library(), entry),
    skills: async () => listSkills(await library()),
    diagnostics: async () => (await library()).diagnostics,
    diagnose: async () => diagnose(await library()),
  };
}

/** Work that is done at the first call and kept. What failed is tried again at the next one. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () =>
    done ??= work().catch((error) => {
      done = undefined;
      throw error;
    });
}
