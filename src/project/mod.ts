/**
 * The project itself: what its agents remember, its runs and its code.
 *
 * Everything is opened with the first request for it, and so is its code: a start pays for nothing here. Without a project
 * each says so.
 */
import type { Codebase, CodeReport, CodeRequest } from "./codebase/mod.ts";
import { type Config, isChosen } from "../settings/plan/mod.ts";
import { MEMORY_TYPES } from "../base/memory_types.ts";
import { fail } from "../base/errors.ts";
import { type Clock, once, type Work } from "../base/work.ts";
import {
  type FileContent,
  type Filling,
  loadCleaner,
  type ResourceFacts,
  type TemplateFacts,
} from "../content/library/mod.ts";
import type { ProjectMemory } from "./memory/mod.ts";
import type { Runs } from "./runs/mod.ts";

/** What a project has beside content. Who asks may give up waiting, or want to know how far the work is. */
export interface Project {
  /** A resource for each type of memories, where the tool that recalls them is on. */
  readonly resources: readonly ResourceFacts[];
  /** The form of their URIs. */
  readonly templates: readonly TemplateFacts[];
  /** What that form can be filled with; undefined for any other. */
  fillings(uriTemplate: string): readonly Filling[] | undefined;
  /** The memories behind a URI; undefined for any other. */
  read(uri: string, work: Work): Promise<FileContent | undefined>;
  /** What its agents were told to remember. */
  memory(work: Work): Promise<ProjectMemory>;
  /** What its agents did, and what they learned on the way. */
  runs(work: Work): Promise<Runs>;
  /** Looks through the project's own files. */
  search(request: CodeRequest, work: Work): Promise<CodeReport>;
  /** Gives back what it holds: files of memories that are open. */
  close(): Promise<void>;
}

/** The project that is served. Nothing is opened yet. */
export function openProject(config: Config, clock: Clock): Project {
  let opened: Promise<ProjectMemory> | undefined;
  /** Opened once for all requests: it holds a file, and vectors in memory. */
  const shared = once(() => opened = openMemory(config, clock));
  /** Opened once: it keeps words of files for the next search. */
  const codebase = once(() => openCode(config, clock));
  const memory = async (work: Work): Promise<ProjectMemory> => (await shared()).forRequest(work);
  const resources = memoryResources(config);
  return {
    resources,
    templates: resources.length === 0 ? [] : [MEMORY_TEMPLATE],
    fillings: (uriTemplate) =>
      uriTemplate === MEMORY_TEMPLATE.uriTemplate
        ? resources.map(({ uri }) => ({ values: { type: uri.slice(MEMORY_URI.length) }, uri }))
        : undefined,
    async read(uri, { signal }) {
      const type = MEMORY_TYPES.find((type) => uri === `${MEMORY_URI}${type}`);
      if (type === undefined || resources.length === 0) return undefined;
      return {
        uri,
        mimeType: "text/markdown",
        text: await (await shared()).forRequest({ signal }).read(type),
      };
    },
    memory,
    runs: (watch) => openProjectRuns(config, clock, watch, () => memory(watch)),
    search: async (request, watch) => await (await codebase()).search(request, watch),
    // One that could not be opened holds nothing.
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

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
  { signal, progress }: Work,
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
  const [{ openProjectMemory }, { namesIn }, clean] = await Promise.all([
    import("./memory/mod.ts"),
    import("./runs/mod.ts"),
    loadCleaner(),
  ]);
  const { project, user } = namesIn(kit, clean);
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
