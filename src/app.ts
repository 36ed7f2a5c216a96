/**
 * The program behind its surfaces: joins configuration, origins and library, and answers requests.
 *
 * The library is opened when it is first needed, and kept up with the disk (live.ts): every request asks for it anew.
 * Surfaces know this interface and nothing behind it.
 */
import { type Config, isChosen, MEMORY_TYPES } from "./config/mod.ts";
import {
  type Change,
  type Details,
  diagnose,
  examineLibrary,
  executeEntry,
  type ExecuteRequest,
  type FileContent,
  type Filling,
  findKnowledge,
  type Health,
  type Knowledge,
  type KnowledgeRequest,
  listFillings,
  listLibrary,
  type ListRequest,
  listResources,
  listShadowed,
  listSkills,
  listTemplates,
  loadCleaner,
  type Located,
  locateResource,
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
  toldOnTheWay,
  visibleEntries,
  type Watch,
  wishesOf,
} from "./library/mod.ts";
import { type Clock, openLive, type Reloads } from "./live.ts";
import { fail } from "./errors.ts";
import type { Codebase, CodeReport, CodeRequest } from "./codebase/mod.ts";
import type { ProjectMemory } from "./memory/mod.ts";
import type { Diagnostic, Entry } from "./model.ts";
import { type Chosen, openCopies, type UpdatedCopy } from "./repositories/mod.ts";
import { openUsage } from "./usage/mod.ts";
import type { Runs } from "./runs/mod.ts";

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
} from "./library/mod.ts";
export type { MemoryFault, MemoryHealth, ProjectMemory } from "./memory/mod.ts";
export type { Artefact, Choice, Question, Report, Runs } from "./runs/mod.ts";
export {
  byteLength,
  contendersOf,
  fitsBytes,
  LISTABLE,
  originState,
  splitParts,
  takePage,
  toolNames,
} from "./library/mod.ts";

/** Who waits for an answer, and what of the work for it they want to know. */
export interface Watcher extends Watch {
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
  updateCopies(chosen?: Chosen): Promise<readonly UpdatedCopy[]>;
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

  const watches = new Set<Watch>();
  const fetchWatches = new Set<Watch>();
  const progress: Watch["progress"] = (...facts) => watches.forEach((watch) => watch.progress?.(...facts));
  const live = openLive(config, clock, progress);
  const copies = openCopies(config, {
    clock,
    progress: (...facts) => fetchWatches.forEach((watch) => watch.progress?.(...facts)),
    changed: live.look,
  });
  let opened: Promise<ProjectMemory> | undefined;
  /** Opened once for all requests: it holds a file, and vectors in memory. */
  const memory = () => opened ??= openMemory(config, clock);
  let searched: Promise<Codebase> | undefined;
  /** Opened once: it keeps words of files for the next search. */
  const codebase = () => searched ??= openCode(config, clock);
  const memories = memoryResources(config);
  const readMemory = async (uri: string, { signal }: Watcher): Promise<FileContent | undefined> => {
    const type = MEMORY_TYPES.find((type) => uri === `${MEMORY_URI}${type}`);
    if (type === undefined || memories.length === 0) return undefined;
    return { uri, mimeType: "text/markdown", text: await (await memory()).waitedFor({ signal }).read(type) };
  };
  const appFor = (watcher: Watcher): App => {
    /** As long as it takes, the watcher hears of work that is done for all. */
    const follow = <T>(work: Promise<T>, others = watches): Promise<T> => {
      others.add(watcher);
      return work.finally(() => others.delete(watcher));
    };
    /** Who gives up waiting does not stop the opening of the library, for which others wait too. */
    const ask: typeof live.ask = (work) =>
      follow(live.ask((library) => {
        watcher.signal?.throwIfAborted();
        return work(library);
      }));
    /** What was delivered was used. */
    const using = async <T>(entry: Entry, delivery: Promise<T>): Promise<T> => {
      const delivered = await delivery;
      await usage.note(entry);
      return delivered;
    };
    const ownMemory = async () => {
      const { signal, progress } = watcher;
      const told = (done: number, total: number) => progress?.(done, total, "Embedding");
      return (await memory()).waitedFor({ signal, progress: told });
    };
    return {
      config,
      overview: async () => overviewOf(await live.surveyed()),
      list: async (request) => {
        // Who asks how the origins are can wait a moment for those that are being fetched.
        if (ABOUT_ORIGINS.test(request.what)) await follow(copies.settled(watcher.signal), fetchWatches);
        return await ask(async (library) =>
          listLibrary(library, request, watcher, await listOrder(request.isContinued))
        );
      },
      resolve: (query) =>
        ask(async (library) =>
          resolveEntry(library, query, { resolved: watcher.resolved, order: await useOrder() })
        ).catch(copies.excuse),
      execute: (entry, request) => using(entry, ask((library) => executeEntry(library, entry, request))),
      read: (entry) => using(entry, ask((library) => readEntry(library, entry))),
      raw: (entry) => using(entry, ask((library) => readRaw(library, entry))),
      open: async (reference, options) =>
        await readMemory(reference, watcher) ??
          await ask((library) => readResource(library, reference, options)).catch(copies.excuse),
      locate: (reference) => ask((library) => locateResource(library, reference)),
      search: (request) => ask(async (library) => searchLibrary(library, request, watcher, await useOrder())),
      knowledge: (request) => ask((library) => findKnowledge(library, request)),
      entries: () => ask(({ effective }) => visibleEntries(effective)),
      resources: async () => [...memories, ...await ask(listResources)],
      templates: async () => [...await listTemplates(), ...(memories.length === 0 ? [] : [MEMORY_TEMPLATE])],
      fillings: async (uriTemplate) =>
        uriTemplate === MEMORY_TEMPLATE.uriTemplate
          ? memories.map(({ uri }) => ({ values: { type: uri.slice(MEMORY_URI.length) }, uri }))
          : await ask((library) => listFillings(library, uriTemplate)),
      wishes: (entry) => ask((library) => wishesOf(library, entry)),
      skills: () => ask(listSkills),
      runs: () => openProjectRuns(config, clock, watcher, ownMemory),
      memory: ownMemory,
      searchCode: async (request) => await (await codebase()).search(request, watcher),
      shadowed: () => ask(listShadowed),
      origins: () => ask(({ holdings }) => holdings.map(originFacts)),
      reloads: live.reloads,
      diagnostics: () => ask(toldOnTheWay),
      diagnose: () => ask(diagnose),
      health: () => ask((library) => examineLibrary(library, watcher)),
      rank: async (things, entryOf) => (await usage.ranking())(things, entryOf),
      onChange: live.onChange,
      updateCopies: (chosen) => follow(copies.update(chosen), fetchWatches),
      keepCopies: copies.keep,
      watched: appFor,
      // One that could not be opened holds nothing.
      close: async () => (await opened?.catch(() => undefined))?.close(),
    };
  };
  return appFor({});
}

/** Lists that tell of the origins themselves. */
const ABOUT_ORIGINS = /^\s*(sources?|doctor)\s*$/i;

const MEMORY_URI = "bmad://memory/";

const MEMORY_TEMPLATE: TemplateFacts = {
  uriTemplate: `${MEMORY_URI}{type}`,
  name: "memory",
  title: "Project memory",
  description: "What agents were told to remember, of one type, the newest first",
  mimeType: "text/markdown",
};

/** A resource for each type of memories, where the tool that recalls them is on. Nothing is opened for it. */
function memoryResources(config: Config): readonly ResourceFacts[] {
  if (config.memory === undefined || !isChosen(config, "memory", "recall_structured")) return [];
  return MEMORY_TYPES.map((type) => ({
    uri: `${MEMORY_URI}${type}`,
    title: `Memory: ${type}`,
    mimeType: "text/markdown",
  }));
}

/** Opens the memory and the runs of the project. Their code is loaded with the first request for them. */
async function openProjectRuns(
  config: Config,
  { now, after }: Clock,
  { signal, progress }: Watcher,
  memory: () => Promise<ProjectMemory>,
): Promise<Runs> {
  const { kit, script, settings } = config;
  if (kit === undefined) return refuseWithoutProject();
  const [{ openRuns }, clean] = await Promise.all([import("./runs/mod.ts"), loadCleaner()]);
  return openRuns(kit, {
    clean,
    rank: async (question, texts) => await (await memory()).rank(question, texts),
    script,
    limitMs: settings.execTimeout * 1_000,
    now,
    after,
    signal,
    progress,
  });
}

/** Opens what the project's agents were told to remember. Its code is loaded with the first request for it. */
async function openMemory(config: Config, clock: Clock): Promise<ProjectMemory> {
  const { memory: plan, kit } = config;
  if (plan === undefined || kit === undefined) return refuseWithoutProject();
  const runs = await openProjectRuns(config, clock, {}, () => openMemory(config, clock));
  const [{ openProjectMemory }, clean] = await Promise.all([import("./memory/mod.ts"), loadCleaner()]);
  const { project, user } = runs.names();
  const folder = kit.root.split(/[\\/]/).findLast((part) => part !== "");
  return openProjectMemory({
    plan,
    // A project that does not say its name has that of its folder: several must not share one memory by accident.
    names: { project: project ?? folder ?? "bmad-project", user },
    clean: clean.text,
    now: clock.now,
  });
}

/** Opens the project's own files for search. The code is loaded with the first request for it. */
async function openCode({ kit, memory }: Config, { now, after }: Clock): Promise<Codebase> {
  if (kit === undefined || memory === undefined) return refuseWithoutProject();
  const [{ openCodebase }, { openAnalyzer, stemsOf }, clean] = await Promise.all([
    import("./codebase/mod.ts"),
    import("./memory/mod.ts"),
    loadCleaner(),
  ]);
  const analyze = openAnalyzer(memory.contentDir);
  return openCodebase({
    root: kit.root,
    stemsOf: (question) => stemsOf(analyze(question)),
    clean: clean.text,
    now,
    after,
  });
}

function refuseWithoutProject(): never {
  return fail({
    code: "not-allowed",
    what: "open the project's memory and runs",
    hint: "no project is served: name one with --project, in mode auto or local",
  });
}
