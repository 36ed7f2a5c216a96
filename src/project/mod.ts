/** The project itself. Each part is opened, and its code loaded, by the first request for it. */
import type { CodeRequest, Meaning } from "./codebase/mod.ts";
import { type Config, configFor, usesProject } from "../settings/plan/mod.ts";
import { type Entry, type Memory, MEMORY_TYPES } from "../base/model.ts";
import { recover } from "../base/absence.ts";
import { BmadError, fail } from "../base/errors.ts";
import { type Clock, once, type Work } from "../base/work.ts";
import {
  type FileContent,
  type Filling,
  type Filter,
  type Library,
  listLibrary,
  loadCleaner,
  readResource,
  type ResourceFacts,
  type Row,
  type TemplateFacts,
} from "../content/library/mod.ts";
import type { Ask } from "../content/live/mod.ts";
import type { ProjectMemory } from "./kit/memory/mod.ts";
import type { KitFiles } from "./kit/files/mod.ts";
import type { BoardWatch, FoundDocument, FoundStory, Ledgers, ProjectWork, Story } from "./work/mod.ts";
import type { ScriptRights } from "./scripts/mod.ts";
import { shorten } from "../base/text.ts";

export type { WriteCalls } from "./work/mod.ts";

export type ServedProject = ReturnType<typeof openProject>;

export type Project = ReturnType<ServedProject["forRequest"]>;

export function openProject(config: Config, clock: Clock) {
  let opened: Promise<ProjectMemory> | undefined;
  let boardWatch: BoardWatch | undefined;
  let ledgers: Ledgers | undefined;
  const remoteMemory = {};
  // Each is opened once for all requests: memory holds a file and vectors, the codebase the terms of files.
  const sharedMemory = once(() => opened = openMemory(config, clock));
  const memoryFor = async (work: Work): Promise<ProjectMemory> => (await sharedMemory()).forRequest(work);
  const codebase = once(() => openCode(config, clock, memoryFor));
  const memories = config.hasMemoryResources ? MEMORY_RESOURCES : [];
  const hasBoard = config.kit !== undefined;
  const refuse = (what?: string) => refuseWithoutProject(config, what);

  const forRequest = (request: Work, ask: Ask) => {
    const own = configFor(config, request.person);
    const memory = () => memoryFor(request);
    const kitFiles = async (): Promise<KitFiles> => {
      const { kit, script, settings } = config;
      if (kit === undefined) return refuse();
      const [{ openKitFiles }, clean] = await Promise.all([import("./kit/files/mod.ts"), loadCleaner()]);
      return openKitFiles(kit, {
        ...request,
        ...clock,
        clean,
        script,
        limitMs: settings.execTimeout * 1_000,
        rank: async (...args) => (await memory()).rank(...args),
        remembered: async (filter) => (await memory()).remembered(filter),
        served: () => ask(servedAgents),
      });
    };
    const work = async (): Promise<ProjectWork> => {
      const verify = async () => (await kitFiles()).verify({});
      const embed: ProjectMemory["embed"] = async (...texts) => await (await memory()).embed(...texts);
      const remember = async (text: string) => {
        if (!config.memory?.mayWrite) return "project memory is off";
        const add = async () =>
          void await (await memory()).remember({ type: "decisions", agent: "user", text });
        return await recover(BmadError, add, ({ message }) => message);
      };
      const { openBoardWatch, openLedgers, openWork } = await loadWork();
      boardWatch ??= openBoardWatch(clock);
      ledgers ??= openLedgers(clock);
      const tools = { config: own, clock, ...request, ask, refuse, verify, remember, embed };
      return openWork({ ...tools, boardWatch, ledgers, remoteMemory });
    };
    const textOf = async (uri: string): Promise<string | undefined> => {
      const board = BOARD_RESOURCES.find((one) => one.uri === uri);
      if (board !== undefined && hasBoard) return (await board.read(await work())).text;
      if (uri === SCRIPTS_URI && config.work !== undefined) {
        const { text = "" } = await ask((library) => readResource(library, uri));
        return (await loadScripts()).listScripts(text, scriptRights(own));
      }
      const type = MEMORY_TYPES.find((type) => uri === `${MEMORY_URI}${type}`);
      return type === undefined || memories.length === 0 ? undefined : await (await memory()).read(type);
    };
    return {
      work,
      memory,
      backups: async () => {
        const { backup: plan, kit } = config;
        if (plan === undefined || kit === undefined) return refuse();
        const { openBackups } = await import("./kit/backup/mod.ts");
        return openBackups({ plan, root: kit.root, memory: await memory(), now: clock.now });
      },
      kitFiles,
      authoring: async () =>
        (await import("./authoring/mod.ts")).openAuthoring({ config, clock, ...request, ask }),
      searchCode: async (question: CodeRequest) => await (await codebase()).search(question, request),
      find: async (words: string): Promise<ProjectHits> => {
        if (!hasBoard) return { stories: [], documents: [], memories: [] };
        const { stories, documents } = await (await work()).find(words);
        const found = searchesMemory(config) && !request.isRehearsal
          ? await findMemories(memory, words)
          : { memories: [] };
        return { stories: stories.map(storyRow), documents: documents.map(documentRow), ...found };
      },
      next: async (library: Library, filter: Filter): Promise<readonly Row[]> => {
        const { listNext } = await loadNext();
        if (!hasBoard) return await listNext(library, filter);
        const { openRecords, withRemote } = await loadWork();
        const { records } = await openRecords(
          await withRemote({ config, clock, refuse, remoteMemory }),
          library,
        );
        return await listNext(library, filter, { records, by: own.team?.who });
      },
      nativeCalls: async (): Promise<(line: string) => boolean> => {
        if (!hasBoard) return () => false;
        const { isNativeCall } = await loadScripts();
        return (line) => isNativeCall(line, scriptRights(own));
      },
      artefacts: async (library: Library, entry: Entry, message?: string) => {
        // It is only noted: the activation stands in any case.
        const begin = async (stories: readonly Story[]) =>
          await recover(BmadError, async () => await (await work()).noteBuilds(stories));
        const mayWrite = own.work !== undefined && own.work.writable.length > 0;
        return await (await loadNext()).describeArtefacts(library, entry, {
          now: clock.now,
          message,
          ...(mayWrite && { begin }),
        });
      },
      read: async (uri: string): Promise<FileContent | undefined> => {
        const text = await textOf(uri);
        return text === undefined ? undefined : { uri, mimeType: MARKDOWN, text };
      },
    };
  };
  return {
    forRequest,
    resources: [...hasBoard ? BOARD_RESOURCES.map(resourceFacts) : [], ...memories],
    templates: memories.length === 0 ? [] : [MEMORY_TEMPLATE],
    fillings: (uriTemplate: string): readonly Filling[] | undefined =>
      uriTemplate === MEMORY_TEMPLATE.uriTemplate
        ? memories.map(({ uri }) => ({ values: { type: uri.slice(MEMORY_URI.length) }, uri }))
        : undefined,
    // A memory that could not be opened holds nothing.
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

/**
 * Whether a search finds memories: where they are served, and if no other server has to be asked, for a user at a
 * terminal, and where the first one may come while we serve.
 */
function searchesMemory({ hasMemoryResources, invocation: { name }, memory, provenance }: Config): boolean {
  const isMeant = name === "search" || name === "serve" && provenance.toolsets.startsWith("default");
  return hasMemoryResources || isMeant && memory !== undefined && memory.qdrant === undefined;
}

function scriptRights({ settings: { readOnly, allowGit }, invocation: { name } }: Config): ScriptRights {
  const isForModel = name === "serve" || name === "call";
  return { isReadOnly: readOnly, mayRunGit: !readOnly && (allowGit || !isForModel) };
}

const loadScripts = once(() => import("./scripts/mod.ts"));
const loadWork = once(() => import("./work/mod.ts"));
const loadNext = once(() => import("./work/next/mod.ts"));

const MARKDOWN = "text/markdown";
const SCRIPTS_URI = "bmad://scripts";
const MEMORY_URI = "bmad://memory/";

interface BoardResource {
  readonly uri: string;
  readonly title: string;
  read(work: ProjectWork): Promise<{ readonly text: string }>;
}

const BOARD_RESOURCES: readonly BoardResource[] = [
  { uri: "bmad://board", title: "Epics and stories", read: (work) => work.board({}) },
  { uri: "bmad://trace", title: "Requirements and what covers them", read: (work) => work.trace() },
  {
    uri: "bmad://questions",
    title: "Questions for people, and their answers",
    read: (work) => work.questions({}),
  },
];

const MEMORY_TEMPLATE: TemplateFacts = {
  uriTemplate: `${MEMORY_URI}{type}`,
  name: "memory",
  title: "Project memory",
  description: "Memories of one type, newest first",
  mimeType: MARKDOWN,
};

const MEMORY_RESOURCES = MEMORY_TYPES.map((type) =>
  resourceFacts({ uri: `${MEMORY_URI}${type}`, title: `Memory: ${type}` })
);

function resourceFacts({ uri, title }: Pick<ResourceFacts, "uri" | "title">): ResourceFacts {
  return { uri, title, mimeType: MARKDOWN };
}

async function servedAgents(library: Library): Promise<readonly Readonly<Record<string, string>>[]> {
  const rows = await listLibrary(library, { what: "agents" });
  const columns = ["name", "displayName", "title", "icon", "role", "module"];
  return rows.map(({ data }) => data).filter(({ origin }) => origin !== "package").map((data) =>
    Object.fromEntries(
      columns.map((key) => [key, data[key]]).filter(([, value]) => typeof value === "string"),
    )
  );
}

async function openMemory(config: Config, clock: Clock): Promise<ProjectMemory> {
  const { memory: plan, kit } = config;
  if (plan === undefined || kit === undefined) return refuseWithoutProject(config);
  const [{ openProjectMemory }, { namesIn, openNotes }, clean] = await Promise.all([
    import("./kit/memory/mod.ts"),
    import("./kit/files/mod.ts"),
    loadCleaner(),
  ]);
  const { project, user } = namesIn(kit, clean);
  // A server has kept the memories of each worktree under the name of its folder.
  const shared = plan.qdrant === undefined ? plan.name : undefined;
  const folder = shared ?? kit.root.split(/[\\/]/).findLast((part) => part !== "");
  return openProjectMemory({
    plan,
    // A project without a name gets that of its folder: several must not share one memory by accident.
    names: { project: project ?? folder ?? "bmad-project", user },
    clean: clean.text,
    notes: openNotes(kit, clean),
    now: clock.now,
  });
}

async function openCode(config: Config, clock: Clock, openMemory: (work: Work) => Promise<ProjectMemory>) {
  const { kit, memory } = config;
  if (kit === undefined || memory === undefined) return refuseWithoutProject(config);
  const [{ openCodebase }, { openAnalyzer, stemsOf }, clean] = await Promise.all([
    import("./codebase/mod.ts"),
    import("./kit/memory/mod.ts"),
    loadCleaner(),
  ]);
  const analyze = openAnalyzer(memory.contentDir);
  const meaning: Meaning = {
    english: (question) => analyze(question).english,
    embed: async (texts, work) => await (await openMemory(work)).embed(texts),
    embedWords: async (words, work) => await (await openMemory(work)).embedWords(words),
  };
  return openCodebase({
    ...clock,
    root: kit.root,
    clean: clean.longText,
    stemsOf: (question) => stemsOf(analyze(question)),
    ...(memory.embedder === "built-in" && { meaning }),
  });
}

function refuseWithoutProject(
  { settings: { mode }, notProject }: Config,
  what = "open the project's memory and runs",
): never {
  const wantsProject = usesProject(mode);
  return fail({
    code: "not-allowed",
    what,
    hint: !wantsProject
      ? `mode ${mode} serves no project`
      : notProject === undefined
      ? "no project is served"
      : `no project is named, and the working folder ${notProject}`,
    setting: wantsProject ? "project" : "mode",
  });
}

export interface ProjectHits {
  readonly stories: readonly Row[];
  readonly documents: readonly Row[];
  readonly memories: readonly Row[];
  readonly problem?: string;
}

async function findMemories(memory: () => Promise<ProjectMemory>, words: string) {
  return await recover(BmadError, async () => {
    const { found } = await memory();
    return { memories: (await found(words, {})).map(memoryRow) };
  }, ({ message }) => ({ memories: [], problem: message }));
}

const MAX_TEXT = 240;

/** As many as are shown anywhere: an excerpt takes a while. */
const MAX_EXCERPTS = 50;

function storyRow({ story, epic, excerpt }: FoundStory, at: number): Row {
  const snippet = at < MAX_EXCERPTS ? excerpt?.() : undefined;
  const { ref, key, title, state, status, file } = story;
  return {
    name: ref,
    about: title,
    why: [state, epic.title].filter(Boolean).join(", "),
    data: { ref, key, title, state, status, epic: epic.title, file, snippet },
  };
}

function documentRow({ document, excerpt }: FoundDocument, at: number): Row {
  const snippet = at < MAX_EXCERPTS ? excerpt?.() : undefined;
  const { path, title, role, status, modified } = document;
  const changed = modified === undefined ? undefined : new Date(modified).toISOString();
  return {
    name: path,
    about: title,
    why: [role === "other" ? undefined : role, status].filter(Boolean).join(", ") || undefined,
    data: { path, title, role, status, changed, snippet },
  };
}

function memoryRow({ id, type, agent, text, tags, createdAt }: Memory): Row {
  return {
    name: id,
    about: shorten(text.replaceAll(/\s+/g, " "), MAX_TEXT),
    why: [type, agent, createdAt.slice(0, 10)].join(", "),
    data: { id, type, agent, text: shorten(text, 4 * MAX_TEXT), tags, createdAt },
  };
}
