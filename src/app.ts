/** Joins configuration, content and project for surfaces. Each request asks `live` for the library again. */
import { cacheTexts } from "./base/cache.ts";
import type { Diagnostic, Entry } from "./base/model.ts";
import type { Report } from "./base/report.ts";
import { mayUse, type Person } from "./base/roles.ts";
import { oneLine, shorten } from "./base/text.ts";
import type { Clock, Retryable, Work } from "./base/work.ts";
import { localTime, sprintTime } from "./base/time.ts";
import * as content from "./content/library/mod.ts";
import { type Live, openLive, type Reloads } from "./content/live/mod.ts";
import { type Copies, openCopies, type UpdatedCopy, type UpdateRequest } from "./content/repositories/mod.ts";
import {
  openProject,
  type Project,
  type ProjectHits,
  type ServedProject,
  type WriteCalls,
} from "./project/mod.ts";
import { openUsage, type Usage } from "./project/usage/mod.ts";
import { type Config, configFor } from "./settings/plan/mod.ts";

export type * from "./content/library/mod.ts";
export type * from "./project/work/mod.ts";
export const loadStoryFacts = async () => (await import("./project/work/formats/mod.ts")).STORY_FACTS;

export type StoryFacts = Awaited<ReturnType<typeof loadStoryFacts>>;

export type { MemoryFault, ProjectMemory } from "./project/kit/memory/mod.ts";
export { checkPack, type PackCheck } from "./content/origins/mod.ts";
export {
  type CachedRepository,
  clearCopies,
  clearFailures,
  findGit,
  listCache,
  pinnedName,
  repositoryName,
} from "./content/repositories/mod.ts";
export {
  type Config,
  describeProjects,
  isChosen,
  projectNamed,
  projectOfStory,
  type RefusedPath,
  type RemotePlan,
  RUN_ACTIONS,
  TASK_ACTIONS,
  type Toolset,
  TOOLSETS,
} from "./settings/plan/mod.ts";
export type { ScriptResult, ScriptState } from "./project/scripts/mod.ts";
export type { Artefact, Choice, KitFiles, Question, Report } from "./project/kit/files/mod.ts";
export {
  byteLength,
  closeMatches,
  countSeveral,
  findKnowledge,
  firstOverridden,
  fitsBytes,
  isOwnModule,
  LISTABLE,
  listOverridden,
  listSkills,
  originsOf,
  originState,
  severalText,
  splitParts,
  startCall,
  takePage,
  toolNames,
} from "./content/library/mod.ts";

export interface RequestWork extends Work {
  resolved?(resolution: content.Resolution): void;
  /** The project that the request names. */
  readonly named?: string;
}

export interface Place {
  readonly names: readonly string[];
  find(name: string): App | undefined;
  /** The same for a look at all of them, after which one need not stay open. */
  pass(name: string): App | undefined;
  /** Keeps one open until the returned function is called. */
  hold(name: string): () => void;
}

export interface Projects extends Place {
  /** Without one, a request that names none is about all of them. */
  readonly current: string | undefined;
}

interface ActivationRequest extends content.ExecuteRequest {
  /** For an item that finds out the next step; without them only a list is named. */
  readonly steps?: WriteCalls;
}

export type App = Pick<RequestApp, keyof RequestApp>;

export interface Findings extends ProjectHits {
  readonly items: readonly content.Row[];
  /** Whether they come before what the project has. */
  readonly isItemMeant: boolean;
  files(): Promise<readonly content.Row[]>;
}

type Overrides = Partial<Pick<App, "resolve" | "search">>;

/** Nothing is read before the first request. `warn` gets problems that do not stop an answer. */
export function openApp(
  config: Config,
  clock: Clock,
  warn?: (text: string) => void,
  { name, place }: Pick<Shared, "name" | "place"> = {},
): App {
  const { usageFolder: folder, rights } = config;
  const isAdding = folder !== undefined && rights.write.includes(folder);
  const [opening, fetching] = [new Set<Work>(), new Set<Work>()];
  const live = openLive(config, clock, broadcast(opening));
  const shared: Shared = {
    config,
    opening,
    fetching,
    live,
    now: clock.now,
    copies: openCopies(config, { clock, progress: broadcast(fetching), changed: live.check }),
    project: openProject(config, clock),
    usage: openUsage({ now: clock.now, folder, isAdding, warn }),
    served: cacheTexts(MAX_SERVED),
    name,
    place,
  };
  return new RequestApp(shared, {});
}

function broadcast(waiting: ReadonlySet<Work>): Work["progress"] {
  return (...facts) => waiting.forEach((work) => work.progress?.(...facts));
}

interface Shared {
  readonly config: Config;
  readonly opening: Set<Work>;
  readonly fetching: Set<Work>;
  readonly live: Live;
  readonly copies: Copies;
  readonly project: ServedProject;
  readonly usage: Usage;
  readonly now: Clock["now"];
  readonly served: ReturnType<typeof cacheTexts<true>>;
  readonly name?: string | undefined;
  readonly place?: Place | undefined;
}

/** How far required steps rank ahead of others in a list. */
const bonusOf = ({ help }: Entry): number => help?.required ? 0.1 : 0;
const ABOUT_ORIGINS = /^\s*(sources?|doctor)\s*$/i;

/** The characters of all sessions; what is forgotten is served whole again. */
const MAX_SERVED = 1_000_000;

const NOTHING: ProjectHits = { stories: [], documents: [], memories: [] };

export function withWords(files: readonly content.Row[], words: string): readonly content.Row[] {
  const wanted = words.slice(0, 1_000).toLowerCase().split(/\s+/).filter((word) => word !== "");
  return files.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)));
}

/** In characters: one long argument cannot hide the others in a record. */
const MAX_WORD = 300, MAX_DEED = 1_000;

/** A class: new functions for each request would cost a tenth of a short one. */
class RequestApp {
  readonly #shared: Shared;
  readonly #work: RequestWork;
  readonly #overrides: Overrides;
  #project: Project | undefined;

  constructor(shared: Shared, work: RequestWork, overrides: Overrides = {}) {
    this.#shared = shared;
    this.#work = work;
    this.#overrides = overrides;
  }

  overriding(methods: Overrides): App {
    return new RequestApp(this.#shared, this.#work, methods);
  }

  forRequest(work: RequestWork): App {
    const { person } = this.#work;
    return new RequestApp(this.#shared, person === undefined ? work : { ...work, person });
  }

  forPerson(person: Person): App {
    const { config, ...shared } = this.#shared;
    return new RequestApp({ ...shared, config: configFor(config, person) }, { ...this.#work, person });
  }

  /** Records a deed, in words without secrets, before it changes anything. */
  async recording(deed: readonly string[], record: (deed: string) => void): Promise<App> {
    const { text: clean } = await content.loadCleaner();
    const recorded = new Set<string>();
    const changing = (what?: string) => {
      const words = what === undefined ? deed : [what];
      // Cleaned before they are cut: half a secret is not known as one.
      const line = shorten(words.map((word) => shorten(oneLine(clean(word)), MAX_WORD)).join(" "), MAX_DEED);
      if (!recorded.has(line)) record(line);
      recorded.add(line);
    };
    return new RequestApp(this.#shared, { ...this.#work, changing }, this.#overrides);
  }

  #follow<T>(work: Promise<T>, waiting = this.#shared.opening): Promise<T> {
    waiting.add(this.#work);
    return work.finally(() => waiting.delete(this.#work));
  }

  /** Cancelling does not stop the opening of the library, for which others wait too. */
  ask<T>(work: Retryable<content.Library, T>): Promise<T> {
    const question = (library: content.Library) => {
      this.#work.signal?.throwIfAborted();
      return work(library);
    };
    return this.#follow(this.#shared.live.ask(question as typeof work));
  }

  #askOf<T>(entry: Entry, work: (library: content.Library, entry: Entry) => T | Promise<T>): Promise<T> {
    const current = (library: content.Library) => work(library, content.currentEntry(library, entry));
    return this.ask(current as Retryable<content.Library, T>);
  }

  async #use<T>(entry: Entry, delivery: Promise<T>): Promise<T> {
    const delivered = await delivery;
    if (!this.#work.isRehearsal) await this.#shared.usage.note(entry);
    return delivered;
  }

  async #usageOrder(isContinued?: boolean, bonus?: typeof bonusOf): Promise<content.Order> {
    const rank = await this.#shared.usage.ranking({ isContinued });
    return (entries) => rank(entries, (entry) => entry, bonus);
  }

  get project(): Project {
    return this.#project ??= this.#shared.project.forRequest(this.#work, (work) => this.ask(work));
  }

  get config(): Config {
    return this.#shared.config;
  }

  get projects(): Projects | undefined {
    const { place, name } = this.#shared;
    const { person } = this.#work;
    if (place === undefined) return undefined;
    const names = place.names.filter((one) => person === undefined || mayUse(person, one));
    const current = names.find((one) => one === name);
    if (names.length === Number(current !== undefined)) return undefined;
    const together = new Map<string, Promise<unknown>>();
    const own = (wanted: string, find: Place["find"]): App | undefined => {
      if (wanted === name) return this;
      const other = names.includes(wanted) ? find(wanted) : undefined;
      const app = person === undefined ? other : other?.forPerson(person);
      return app?.forRequest({ ...this.#work, named: wanted, together });
    };
    return {
      names,
      current,
      find: (wanted) => own(wanted, place.find),
      pass: (wanted) => own(wanted, place.pass),
      hold: place.hold,
    };
  }

  get named(): string | undefined {
    return this.#work.named;
  }

  async overview(): Promise<content.Overview> {
    return content.overviewOf(await this.#shared.live.survey());
  }

  async list(request: content.ListRequest): Promise<readonly content.Row[]> {
    const { copies, fetching } = this.#shared;
    // Asking about the origins can wait a moment for those that are being fetched.
    if (ABOUT_ORIGINS.test(request.what)) await this.#follow(copies.whenIdle(this.#work.signal), fetching);
    const order = await this.#usageOrder(request.isContinued, bonusOf);
    const useOf = await this.#shared.usage.lookup();
    const next = (library: content.Library, filter: content.Filter) => this.project.next(library, filter);
    return await this.ask((library) =>
      content.listLibrary(library, request, { ...this.#work, order, useOf, next })
    );
  }

  resolve(query: content.NameQuery): Promise<Entry> {
    if (this.#overrides.resolve !== undefined) return this.#overrides.resolve(query);
    const { resolved } = this.#work;
    return this.ask(async (library) =>
      content.resolveEntry(library, query, { resolved, order: await this.#usageOrder() })
    ).catch(this.#shared.copies.rethrow);
  }

  async execute(resolved: Entry, { steps, ...request }: ActivationRequest): Promise<string> {
    const { now, served } = this.#shared;
    const seat = this.#work.seat?.id ?? "";
    const advise = steps === undefined || this.config.kit === undefined
      ? undefined
      : async () => (await (await this.project.work()).next(steps)).text;
    const { named } = this;
    let delivered: readonly [key: string, text: string] | undefined;
    const delivery = this.#askOf(resolved, async (library, entry) => {
      const artefacts = request.raw ? [] : await this.project.artefacts(library, entry, request.message);
      const isNative = request.calls?.script === undefined ? undefined : await this.project.nativeCalls();
      const local = localTime(now());
      const [date, time] = [local.slice(0, 10), sprintTime(local)];
      const isServed = (text: string) => {
        delivered = [`${seat} ${entry.key}`, text];
        return served.find(...delivered) !== undefined;
      };
      const given = { date, time, artefacts, isNative, advise, isServed, ...request };
      const text = await content.executeEntry(library, entry, given);
      return named === undefined || request.raw ? text : `project: ${named}\n${text}`;
    });
    const text = await this.#use(resolved, delivery);
    // Only now, as it may have been delivered twice because something changed.
    if (delivered !== undefined) served.keep(...delivered, true);
    return text;
  }

  unexpectedOrigin(entry: Entry): Promise<string | undefined> {
    return this.#askOf(entry, content.unexpectedOrigin);
  }

  /** `asked` is the name that the caller used. A look does not count as a use. */
  read(entry: Entry, asked?: string, { isLook } = { isLook: false }): Promise<content.Details> {
    const details = this.#askOf(entry, (library, current) => content.readEntry(library, current, asked));
    return isLook ? details : this.#use(entry, details);
  }

  raw(entry: Entry): Promise<string> {
    return this.#use(entry, this.#askOf(entry, content.readRaw));
  }

  compare(entry: Entry): Promise<Report> {
    return this.#askOf(entry, content.compareEntry);
  }

  /** A relative path is resolved from the entry it occurs in. */
  async open(reference: string, options?: content.ReadOptions): Promise<content.FileContent> {
    const own = options?.origin === undefined ? await this.project.read(reference) : undefined;
    return own ??
      await this.ask((library) => content.readResource(library, reference, options)).catch(
        this.#shared.copies.rethrow,
      );
  }

  locate(reference: string): Promise<content.Located | undefined> {
    return this.ask((library) => content.locateResource(library, reference));
  }

  async search(request: content.SearchRequest): Promise<readonly content.Row[]> {
    if (this.#overrides.search !== undefined) return this.#overrides.search(request);
    const order = await this.#usageOrder();
    return await this.ask((library) => content.searchLibrary(library, request, this.#work, order));
  }

  /** Filters leave items only. `only` asks one of several projects for its own items, or for none. */
  async find(request: content.SearchRequest, only?: "own" | "work"): Promise<Findings> {
    const { words, kind, module, origin, category } = request;
    const isFiltered = [kind, module, origin, category].some((filter) => filter !== undefined);
    const [items, own] = await Promise.all([
      only === "work"
        ? []
        : this.search(only === undefined ? request : { ...request, origin: origin ?? "project" }),
      isFiltered ? NOTHING : this.project.find(words),
    ]);
    const files = async () => isFiltered ? [] : withWords(await this.list({ what: "resources" }), words);
    const titles = own.stories.map(({ about }) => about);
    const isItemMeant = !isFiltered && await content.namesItem(words, items, titles);
    return { ...own, items, files, isItemMeant };
  }

  entries(): Promise<readonly Entry[]> {
    return this.ask(({ effective }) => content.visibleEntries(effective));
  }

  async resources(): Promise<readonly content.ResourceFacts[]> {
    return [...this.#shared.project.resources, ...await this.ask(content.listResources)];
  }

  async templates(): Promise<readonly content.TemplateFacts[]> {
    return [...await content.listTemplates(), ...this.#shared.project.templates];
  }

  async fillings(uriTemplate: string): Promise<readonly content.Filling[]> {
    return this.#shared.project.fillings(uriTemplate) ??
      await this.ask((library) => content.listFillings(library, uriTemplate));
  }

  wishes(entry: Entry): Promise<readonly string[]> {
    return this.#askOf(entry, content.menuRequests);
  }

  reloads(): Reloads {
    return this.#shared.live.reloads();
  }

  diagnostics(): Promise<readonly Diagnostic[]> {
    return this.ask(content.diagnosticsOf);
  }

  diagnose(): Promise<readonly Diagnostic[]> {
    return this.ask(content.diagnose);
  }

  health(): Promise<content.Health> {
    return this.ask((library) => content.examineLibrary(library, this.#work));
  }

  onChange(listener: (change: content.Change) => void): () => void {
    return this.#shared.live.onChange(listener);
  }

  async rank<T>(values: readonly T[], entryOf: (value: T) => Entry | undefined): Promise<readonly T[]> {
    return (await this.#shared.usage.ranking())(values, entryOf);
  }

  updateCopies(request?: UpdateRequest): Promise<readonly UpdatedCopy[]> {
    return this.#follow(this.#shared.copies.update(request), this.#shared.fetching);
  }

  keepCopies(report: (problem: string) => void): () => void {
    return this.#shared.copies.keepFresh(report);
  }

  close(): Promise<void> {
    return this.#shared.project.close();
  }
}
