/**
 * The program behind its surfaces: joins configuration, origins and library, and answers requests.
 *
 * One library per project root, opened when it is first needed and then kept. Every request asks for it anew,
 * so that a reload can put a new one in its place. Surfaces know this interface and nothing behind it.
 */
import type { Config } from "./config/mod.ts";
import {
  executeEntry,
  type ExecuteRequest,
  type FileContent,
  type Library,
  listFiles,
  listGenerated,
  type ListRequest,
  listRows,
  type NameQuery,
  openLibrary,
  rawText,
  readEntry,
  readResource,
  resolveEntry,
  type Row,
  rowOf,
  searchLibrary,
  visibleEntries,
} from "./library/mod.ts";
import { type Diagnostic, type Entry, isOf, type Kind, type Origin } from "./model.ts";
import { openOrigins } from "./origins/mod.ts";

export type { ExecuteRequest, FileContent, ListRequest, NameQuery, Page, Row } from "./library/mod.ts";
export { byteLength, LISTABLE, splitParts, takePage } from "./library/mod.ts";

/** What there is, in numbers. */
export interface Overview {
  readonly agents: number;
  readonly workflows: number;
  readonly things: number;
  readonly modules: readonly string[];
  readonly origins: readonly {
    readonly origin: Origin;
    readonly things: number;
    readonly versions: readonly string[];
  }[];
}

/** A resource that can be opened. */
export interface ResourceFacts {
  readonly uri: string;
  readonly title?: string;
  readonly mimeType: string;
  readonly size?: number;
  readonly modified?: number;
}

/** Which hits of a search are wanted. */
export interface SearchFilter {
  readonly kind?: Kind;
  readonly module?: string;
}

/** What every surface works on. */
export interface App {
  readonly config: Config;
  overview(): Promise<Overview>;
  list(request: ListRequest): Promise<readonly Row[]>;
  /** The entry that a name means, or a failure with what else it could be. */
  resolve(query: NameQuery): Promise<Entry>;
  /** All that a model needs to act as an entry. */
  execute(entry: Entry, request: ExecuteRequest): Promise<string>;
  /** One thing in full, as text and as data. */
  read(entry: Entry): Promise<{ readonly text: string; readonly data: Readonly<Record<string, unknown>> }>;
  /** The text of an entry's own file. */
  raw(entry: Entry): Promise<string>;
  /** What a URI, or a path as content spells it, leads to. */
  open(reference: string): Promise<FileContent>;
  search(words: string, filter: SearchFilter): Promise<readonly Row[]>;
  /** Every entry that lists show, as it counts. */
  entries(): Promise<readonly Entry[]>;
  resources(): Promise<readonly ResourceFacts[]>;
  diagnostics(): Promise<readonly Diagnostic[]>;
}

/** Opens the program. Nothing is read before the first request. */
export function openApp(config: Config): App {
  let opened: Promise<Library> | undefined;
  const library = () => opened ??= loadLibrary(config);
  return {
    config,
    overview: async () => overviewOf(await library()),
    list: async (request) => listRows(await library(), request),
    resolve: async (query) => resolveEntry(await library(), query),
    execute: async (entry, request) => executeEntry(await library(), entry, request),
    read: async (entry) => readEntry(await library(), entry),
    raw: async (entry) => rawText(await library(), entry),
    open: async (reference) => readResource(await library(), reference),
    search: async (words, filter) => searchRows(await library(), words, filter),
    entries: async () => visibleEntries((await library()).effective),
    resources: async () => resourcesOf(await library()),
    diagnostics: async () => (await library()).manifest.diagnostics,
  };
}

function loadLibrary(config: Config): Promise<Library> {
  const { origins, diagnostics } = openOrigins(config.origins);
  return openLibrary(origins, { project: config.project, diagnostics });
}

function overviewOf(library: Library): Overview {
  const entries = visibleEntries(library.effective);
  return {
    agents: entries.filter((entry) => isOf(entry, "agent")).length,
    workflows: entries.filter((entry) => isOf(entry, "workflow")).length,
    things: entries.length,
    modules: [...new Set(entries.map((entry) => entry.module))].sort(),
    origins: library.holdings.map(({ origin, inventory }) => ({
      origin,
      things: inventory.items.length,
      versions: [
        ...new Set(inventory.modules.map((module) => `${module.code} ${module.version ?? ""}`.trim())),
      ],
    })),
  };
}

async function searchRows(
  library: Library,
  words: string,
  { kind, module }: SearchFilter,
): Promise<readonly Row[]> {
  const hits = await searchLibrary(library, words);
  return hits
    .filter(({ entry }) => kind === undefined || isOf(entry, kind))
    .filter(({ entry }) => module === undefined || entry.module.toLowerCase() === module.toLowerCase())
    .map(({ entry, score }) => {
      const row = rowOf(library, entry);
      return { ...row, data: { ...row.data, score: Math.round(score * 100) / 100 } };
    });
}

async function resourcesOf(library: Library): Promise<readonly ResourceFacts[]> {
  const files = listFiles(library).map(({ uri, mimeType, facts }) => ({ uri, mimeType, ...facts }));
  return [...await listGenerated(), ...files];
}
