/**
 * The program behind its surfaces: joins configuration, origins and library, and answers requests.
 *
 * The library is opened when it is first needed, and kept up with the disk (content/live): every request asks for it anew.
 * Surfaces know this interface and nothing behind it.
 */
import type { Clock, Work } from "./base/work.ts";
import type { Config } from "./settings/plan/mod.ts";
import {
  type Change,
  type Details,
  diagnose,
  diagnosticsOf,
  examineLibrary,
  executeEntry,
  type ExecuteRequest,
  type FileContent,
  type Filling,
  findKnowledge,
  type Health,
  type Knowledge,
  type KnowledgeRequest,
  type Library,
  listFillings,
  listLibrary,
  listOverridden,
  type ListRequest,
  listResources,
  listSkills,
  listTemplates,
  type Located,
  locateResource,
  menuRequests,
  type NameQuery,
  type Order,
  type OriginFacts,
  originFacts,
  type Overview,
  overviewOf,
  readEntry,
  readRaw,
  readResource,
  type Resolution,
  resolveEntry,
  type ResourceFacts,
  type Row,
  searchLibrary,
  type SearchRequest,
  type SkillFolder,
  type TemplateFacts,
  visibleEntries,
} from "./content/library/mod.ts";
import { openLive, type Reloads } from "./content/live/mod.ts";
import { shareConcurrent } from "./base/cache.ts";
import type { CodeReport, CodeRequest } from "./project/codebase/mod.ts";
import type { ProjectMemory } from "./project/memory/mod.ts";
import type { Diagnostic, Entry } from "./base/model.ts";
import { openProject } from "./project/mod.ts";
import { openCopies, type UpdatedCopy, type UpdateRequest } from "./content/repositories/mod.ts";
import { openUsage } from "./project/usage/mod.ts";
import type { Runs } from "./project/runs/mod.ts";

export type {
  Calls,
  ChainLink,
  Change,
  Details,
  ExecuteRequest,
  Fact,
  FileContent,
  Filling,
  Health,
  Knowledge,
  ListRequest,
  Located,
  NameQuery,
  OriginFacts,
  OriginState,
  Overview,
  Page,
  Resolution,
  ResourceFacts,
  Row,
  SearchRequest,
  SkillFile,
  SkillFolder,
  TemplateFacts,
} from "./content/library/mod.ts";
export type { MemoryFault, MemoryHealth, ProjectMemory } from "./project/memory/mod.ts";
export { checkPack, type PackCheck } from "./content/origins/mod.ts";
export {
  type CachedRepository,
  clearCopies,
  clearFailures,
  findGit,
  listCache,
  repositoryName,
} from "./content/repositories/mod.ts";
export { type Config, isChosen, type Toolset, TOOLSETS } from "./settings/plan/mod.ts";
export type { Artefact, Choice, Question, Report, Runs } from "./project/runs/mod.ts";
export {
  byteLength,
  closeMatches,
  fitsBytes,
  LISTABLE,
  originState,
  splitParts,
  takePage,
  toolNames,
} from "./content/library/mod.ts";

/** Who waits for an answer, and what of the work for it they want to know. */
export interface Watcher extends Work {
  /** Told how each name was resolved. */
  resolved?(resolution: Resolution): void;
}

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
  /** One thing in full, in the form in which it is wanted. */
  read(entry: Entry): Promise<Details>;
  /** The text of an entry's own file. */
  raw(entry: Entry): Promise<string>;
  /** What a URI, or a path as content spells it, leads to; a relative path is seen from the thing that has it. */
  open(reference: string, options?: { readonly of?: Entry; readonly raw?: boolean }): Promise<FileContent>;
  /** Where such a reference leads, without reading it; undefined when it leads nowhere. */
  locate(reference: string): Promise<Located | undefined>;
  /** Things that fit some words, best first, each with its `score` and what `matched` in its data. */
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
  /** What the project remembers and works on. Fails when no project is served. */
  runs(): Promise<Runs>;
  /** What the project's agents were told to remember. Fails when no project is served. */
  memory(): Promise<ProjectMemory>;
  /** Files of the project that fit a question. Fails when no project is served. */
  searchCode(request: CodeRequest): Promise<CodeReport>;
  /** Things that several origins have, the one that counts first; the list of conflicts looks at their files, too. */
  shadowed(): Promise<readonly Row[]>;
  /** Every origin in numbers, best first, as it is now. */
  origins(): Promise<readonly OriginFacts[]>;
  /** How often the content was read anew so far because it had changed. */
  reloads(): Reloads;
  /** What was found wrong while the origins were opened and read. */
  diagnostics(): Promise<readonly Diagnostic[]>;
  /** The same, and what only a look at every file shows. Takes longer. */
  diagnose(): Promise<readonly Diagnostic[]>;
  /** How everything is: what `diagnose` finds, the origins, and whether every reference leads somewhere. */
  health(): Promise<Health>;
  /** Calls back when the content has changed; returns how to end that, as nothing is watched when nobody listens. */
  onChange(listener: (change: Change) => void): () => void;
  /** Things by the use of the entries that they stand for; unused ones as they stand. */
  rank<T>(things: readonly T[], entryOf: (thing: T) => Entry | undefined): Promise<readonly T[]>;
  /** Fetches the copies of repositories that are due, or all that are chosen, and says what came of each. */
  updateCopies(request?: UpdateRequest): Promise<readonly UpdatedCopy[]>;
  /** Does so in the background from now on, whenever one is due; returns how to end that. */
  keepCopies(report: (problem: string) => void): () => void;
  /** The same app for one request, whose sender may give up waiting or want to know how far the work is. */
  watched(by: Watcher): App;
  /** Gives back what it holds: files of memories that are open. Nothing is asked of it afterwards. */
  close(): Promise<void>;
}

/** What the steps that a project cannot skip have ahead of others in a list. */
const REQUIRED = 0.1;

/** Opens the program. Nothing is read before the first request. `warn` is told of what costs no answer. */
export function openApp(config: Config, clock: Clock, warn?: (text: string) => void): App {
  const { usageFolder: folder, rights } = config;
  const isAdding = folder !== undefined && rights.write.includes(folder);
  const usage = openUsage({ now: clock.now, folder, isAdding, warn });
  const useOrder = async (): Promise<Order> => {
    const rank = await usage.ranking();
    return (entries) => rank(entries, (entry) => entry);
  };
  const listOrder = async (isContinued: boolean | undefined): Promise<Order> => {
    const rank = await usage.ranking({ isContinued });
    return (entries) => rank(entries, (entry) => entry, ({ help }) => help?.required ? REQUIRED : 0);
  };

  const watches = new Set<Work>();
  const fetchWatches = new Set<Work>();
  const progress: Work["progress"] = (...facts) => watches.forEach((watch) => watch.progress?.(...facts));
  const live = openLive(config, clock, progress);
  const readings = shareConcurrent(
    (reference: string) => live.ask((library) => readResource(library, reference)),
    (call) => clock.after(0, call),
  );
  const copies = openCopies(config, {
    clock,
    progress: (...facts) => fetchWatches.forEach((watch) => watch.progress?.(...facts)),
    changed: live.check,
  });
  const project = openProject(config, clock);
  /** As long as it takes, a watcher hears of work that is done for all. */
  const follow = <T>(watcher: Watcher, work: Promise<T>, others = watches): Promise<T> => {
    others.add(watcher);
    return work.finally(() => others.delete(watcher));
  };
  /** Who gives up waiting does not stop the opening of the library, for which others wait too. */
  const ask = <T>(watcher: Watcher, work: (library: Library) => T | Promise<T>): Promise<T> =>
    follow(
      watcher,
      live.ask((library) => {
        watcher.signal?.throwIfAborted();
        return work(library);
      }),
    );
  /** What many ask for at once is read once; who gives up does not stop it. */
  const atOnce = async (watcher: Watcher, reference: string): Promise<FileContent> => {
    const content = await follow(watcher, readings(reference));
    watcher.signal?.throwIfAborted();
    return content;
  };
  /** What an app can be asked: work on the library, for its watcher. */
  const asked = <A extends readonly unknown[], T>(work: (library: Library, ...args: A) => T | Promise<T>) =>
    function (this: Own, ...args: A): Promise<T> {
      return ask(this.watcher, (library) => work(library, ...args));
    };
  /** The same about an entry: what was delivered was used. */
  const used = <A extends readonly unknown[], T>(
    work: (library: Library, entry: Entry, ...args: A) => Promise<T>,
  ) =>
    async function (this: Own, entry: Entry, ...args: A): Promise<T> {
      const delivered = await ask(this.watcher, (library) => work(library, entry, ...args));
      await usage.note(entry);
      return delivered;
    };
  /**
   * What the apps of all requests have in common: of its own, each has its watcher and nothing else. Functions that are
   * made for each would cost a tenth of a short request.
   */
  const common: App & ThisType<Own> = {
    config,
    overview: async () => overviewOf(await live.survey()),
    async list(request) {
      const { watcher } = this;
      // Who asks how the origins are can wait a moment for those that are being fetched.
      if (ABOUT_ORIGINS.test(request.what)) {
        await follow(watcher, copies.whenIdle(watcher.signal), fetchWatches);
      }
      return await ask(
        watcher,
        async (library) => listLibrary(library, request, watcher, await listOrder(request.isContinued)),
      );
    },
    resolve(query) {
      const { watcher } = this;
      const resolving = async (library: Library) =>
        resolveEntry(library, query, { resolved: watcher.resolved, order: await useOrder() });
      return ask(watcher, resolving).catch(copies.rethrow);
    },
    execute: used(executeEntry),
    read: used(readEntry),
    raw: used(readRaw),
    async open(reference, options) {
      const { watcher } = this;
      return await project.read(reference, watcher) ??
        await (options === undefined
          ? atOnce(watcher, reference)
          : ask(watcher, (library) => readResource(library, reference, options))).catch(copies.rethrow);
    },
    locate: asked(locateResource),
    search(request) {
      const { watcher } = this;
      return ask(
        watcher,
        async (library) => searchLibrary(library, request, watcher, await useOrder()),
      );
    },
    knowledge: asked(findKnowledge),
    entries: asked(({ effective }) => visibleEntries(effective)),
    async resources() {
      return [...project.resources, ...await ask(this.watcher, listResources)];
    },
    templates: async () => [...await listTemplates(), ...project.templates],
    async fillings(uriTemplate) {
      return project.fillings(uriTemplate) ??
        await ask(this.watcher, (library) => listFillings(library, uriTemplate));
    },
    wishes: asked(menuRequests),
    skills: asked(listSkills),
    runs() {
      return project.runs(this.watcher);
    },
    memory() {
      return project.memory(this.watcher);
    },
    searchCode(request) {
      return project.search(request, this.watcher);
    },
    shadowed: asked(listOverridden),
    origins: asked(({ sources }) => sources.map(originFacts)),
    reloads: live.reloads,
    diagnostics: asked(diagnosticsOf),
    diagnose: asked(diagnose),
    health() {
      const { watcher } = this;
      return ask(watcher, (library) => examineLibrary(library, watcher));
    },
    rank: async (things, entryOf) => (await usage.ranking())(things, entryOf),
    onChange: live.onChange,
    updateCopies(request) {
      return follow(this.watcher, copies.update(request), fetchWatches);
    },
    keepCopies: copies.keepFresh,
    watched: (watcher) => Object.assign(Object.create(common), { watcher }),
    close: project.close,
  };
  return common.watched({});
}

/** What the app of a request has of its own. */
interface Own {
  readonly watcher: Watcher;
}

/** Lists that tell of the origins themselves. */
const ABOUT_ORIGINS = /^\s*(sources?|doctor)\s*$/i;
