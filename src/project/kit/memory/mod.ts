/**
 * The memory of one project: what its agents remember, and which of it answers a question. Everything is opened by the
 * first request that needs it; reading leaves no trace on the disk; answers leave out secrets.
 */
import { recover } from "../../../base/absence.ts";
import { BmadError, failMissing } from "../../../base/errors.ts";
import { openMatcher } from "../../../base/matching.ts";
import type { Language } from "../../../base/language/mod.ts";
import { type FileNote, type Memory, MEMORY_TYPES, type MemoryType } from "../../../base/model.ts";
import { demand } from "../../../base/people.ts";
import type { Report } from "../../../base/report.ts";
import { hasRight } from "../../../base/roles.ts";
import { quotation } from "../../../base/text.ts";
import type { Clock, Work } from "../../../base/work.ts";
import { localTime } from "../../../base/time.ts";
import { asList, asValues } from "../../../base/values.ts";
import type { MemoryPlan } from "../../../settings/plan/mod.ts";
import { type Backend, examineMemory, openStores } from "./store/stores.ts";
import { cacheVectors, createTextRanker, openRankers } from "./store/rankers.ts";
import * as checks from "./store/checks.ts";
import { askedIn } from "./recall/ranking.ts";
import * as reports from "./store/reports.ts";
import { type MemoryFilter, namesIn, type NoteHit, type Question } from "./store/store.ts";
import { type Draft, fromText, toJson, toMarkdown } from "./store/texts.ts";
import { openEnglish } from "./words/analysis.ts";

export type { MemoryFault } from "./store/stores.ts";
export { memoryId } from "./store/checks.ts";
export { openAnalyzer, stemsOf } from "./words/analysis.ts";

interface RememberRequest {
  readonly type: string;
  readonly agent: string;
  readonly text: string;
  readonly tags?: readonly string[];
}

type FilterRequest = Omit<MemoryFilter, "type"> & { readonly type?: string };

interface MemoryTools extends Pick<Clock, "now"> {
  readonly plan: MemoryPlan;
  readonly names: { readonly project: string; readonly user: string | undefined };
  clean(text: string): string;
  notes(): readonly FileNote[];
}

type Context = ReturnType<typeof createContext>;

function createContext(tools: MemoryTools) {
  const { plan, names } = tools;
  const rankers = openRankers(plan), project = checks.appIdOf(names.project);
  // Documents of the project are not sent to a server that was named for memories.
  const own = plan.embedder === "built-in" ? rankers.embedder : undefined;
  return {
    ...tools,
    project,
    rankers,
    stores: openStores(plan, project, rankers),
    rankTexts: createTextRanker(rankers),
    embedTexts: own && cacheVectors(own),
    inEnglish: openEnglish(plan.contentDir),
  };
}

export interface ProjectMemory extends ReturnType<typeof memoryFor> {
  forRequest(work: Work): ProjectMemory;
}

export function openProjectMemory(tools: MemoryTools): ProjectMemory {
  const context = createContext(tools);
  const forRequest = (work: Work): ProjectMemory => ({ ...memoryFor(context, work), forRequest });
  return forRequest({});
}

function memoryFor(context: Context, work: Work) {
  const { plan, names, clean, rankers, stores } = context;
  const list = async (filter: MemoryFilter) => await (await stores.forReading()).list(filter, work);
  const oldestFirst = async (filter: FilterRequest) => (await list(toFilter(filter))).toReversed();
  const recall = async ({ query, limit, ...filter }: FilterRequest & { query: string; limit?: number }) => {
    const text = checks.checkContent("query", query);
    const question = { ...toFilter(filter), query: text, limit: checks.checkLimit(limit) };
    // One after the other: both would ask the embedder at once, and a failure of the store ends it all.
    const wider = { ...question, limit: Math.max(MOST_COMPARED, question.limit) };
    const recalled = await (await stores.forReading()).recall(wider, work);
    const noted = await recallNotes(context, question, work.signal);
    const asked = askedIn(rankers.analyze(text));
    // Other embedders have scales of their own.
    const hasFloor = recalled.isSemantic && plan.embedder === "built-in";
    const ranking = rankers.description;
    return reports.reportRecalled(question, recalled, noted, { clean, ranking, asked, hasFloor });
  };
  const backends: readonly Backend[] = plan.qdrant === undefined ? ["sqlite"] : ["sqlite", "qdrant"];
  return {
    project: context.project,
    backends,
    async remember(request: RememberRequest) {
      const name = work.person?.name;
      // An agent's name is whatever a caller says; whom the server knows signs with a tag.
      const signed = name === undefined
        ? request.tags
        : [...(request.tags ?? []).filter((tag) => !checks.isNameTag(tag)), checks.nameTag(name)];
      const memory = await toMemory(context, { ...request, tags: signed });
      const store = await storeToChange(context, work, memory);
      const remembered = await store.remember([memory], work);
      const { language, isUnderstood } = rankers.analyze(memory.text);
      // Other embedders may know it.
      const unknown = isUnderstood || plan.embedder !== "built-in" ? undefined : language;
      return reports.reportRemembered(memory, store.location, remembered, unknown);
    },
    recall,
    list: async ({ limit, ...filter }: FilterRequest & { limit?: number }) =>
      reports.reportList(await list(toFilter(filter)), limit, clean),
    async forget(given: readonly string[], filter: FilterRequest) {
      const store = await storeToChange(context, work);
      const known = await store.list(toFilter(filter), work);
      const ids = given.map((each) => completeId(each, known));
      return reports.reportForgotten(await store.forget(ids, toFilter(filter), work), ids);
    },
    importText: (text: string, defaults: FilterRequest) => importText(context, text, defaults, work),
    exportJson: async (filter: FilterRequest) =>
      toJson(await oldestFirst(filter), checks.userIdOf(names.user)),
    exportMarkdown: async (filter: FilterRequest & { type: string }) =>
      toMarkdown(checks.checkType(filter.type), await oldestFirst(filter)),
    async copy(from: Backend, to: Backend) {
      const memories = await (await stores.open(from, false)).list({}, work);
      const store = await stores.open(to, true);
      const remembered = await store.remember(memories.toReversed(), work);
      return reports.reportCopied("Copied", store.location, remembered);
    },
    async putBack(memories: readonly Memory[]) {
      const store = await storeToChange(context, work);
      return reports.reportCopied("Restored", store.location, await store.remember(memories, work));
    },
    read: async (type: MemoryType) => clean(toMarkdown(type, await list({ type }))),
    async status() {
      const store = await stores.forReading();
      return reports.reportStatus(store.location, await store.status(work), rankers.description);
    },
    health: (request: { readonly isUsed: boolean }) => examineMemory(stores, rankers, plan, request),
    /** By the built-in model; undefined where another embedder was chosen, or none, or it fails. */
    async embed(texts: readonly string[], languages: readonly Language[] = []) {
      const english = texts.map((text, at) => context.inEnglish(text, languages[at] ?? "en"));
      return await recover(BmadError, () => context.embedTexts?.embed(english, work.signal));
    },
    embedWords: async (words: readonly string[]) =>
      await recover(
        BmadError,
        () => context.embedTexts && rankers.embedder?.embedWords?.(words, work.signal),
      ),
    rank: async (question: string, texts: readonly string[]) =>
      (await context.rankTexts(question, texts, work.signal)).flatMap(({ id, isMatch }) =>
        isMatch ? [id] : []
      ),
    remembered: (filter: FilterRequest) => list(toFilter(filter)),
    /** What recall finds, then what has parts of the words; every memory if there are no words. */
    async found(words: string, filter: FilterRequest): Promise<readonly Memory[]> {
      const all = (await list(toFilter(filter))).map((one) => ({ ...one, text: clean(one.text) }));
      if (all.length === 0 || words.trim() === "") return all;
      const recalled = await recover(BmadError, () => recall({ query: words, ...filter }));
      const hits = asList(recalled?.data["hits"]).map((hit) => asValues(hit)["id"]);
      const ids = new Map(hits.map((id, at) => [id, at]));
      const best = all.filter(({ id }) => ids.has(id)).sort((a, b) => ids.get(a.id)! - ids.get(b.id)!);
      return [...best, ...matching(all, words).filter(({ id }) => !ids.has(id))];
    },
    close() {
      stores.close();
      rankers.close();
    },
  };
}

const MOST_COMPARED = 20;

function matching(memories: readonly Memory[], words: string): readonly Memory[] {
  const matcher = openMatcher(words);
  if (matcher === undefined) return memories;
  const scored = memories.map((memory) => {
    const about = [memory.agent, memory.type, ...memory.tags].join(" ");
    const fields = [{ text: memory.text, weight: 2, isLong: true as const }, { text: about, weight: 1 }];
    return { memory, score: matcher.score(fields) };
  });
  return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).map(({ memory }) =>
    memory
  );
}

/** The store, once whoever asks may change it: what somebody else has said is an owner's to replace. */
async function storeToChange({ stores }: Context, work: Work, memory?: Memory) {
  const store = await stores.forWriting();
  const { person } = work;
  if (memory !== undefined && person?.name !== undefined && !hasRight(person.role, "force")) {
    const { id, type, agent, text } = memory;
    const before = (await store.list({ type, agent }, work)).find((one) => one.id === id);
    const isOthers = before !== undefined && before.text !== text &&
      !before.tags.includes(checks.nameTag(person.name));
    if (isOthers) {
      demand(person, "force", `replace ${quotation(before.text)}`, "say it in other words");
    }
  }
  work.changing?.();
  return store;
}

async function toMemory({ project, now }: Context, given: RememberRequest & Pick<Draft, "createdAt">) {
  const type = checks.checkType(given.type), agent = checks.checkAgent(given.agent);
  const text = checks.checkContent("text", given.text), tags = checks.checkTags(given.tags ?? []);
  const createdAt = given.createdAt ?? localTime(now());
  const id = await checks.memoryId({ project, agent, text });
  return { id, type, agent, text, tags, project, createdAt } satisfies Memory;
}

async function importText(context: Context, text: string, given: FilterRequest, work: Work): Promise<Report> {
  const drafts = fromText(text);
  const defaults = { type: "agent-learnings", agent: "import", ...toFilter(given) } as const;
  const memories = new Map<string, Memory>();
  const problems: string[] = [];
  for (const draft of drafts) {
    const given = {
      ...draft,
      type: MEMORY_TYPES.find((type) => type === draft.type) ?? defaults.type,
      agent: draft.agent ?? defaults.agent,
      // The kit allows spaces in tags.
      tags: draft.tags.map((tag) => tag.trim().replaceAll(/[\s`,]+/g, "-")),
    };
    await recover(BmadError, async () => {
      const memory = await toMemory(context, given);
      memories.set(`${memory.type} ${memory.id}`, memory);
    }, ({ message }) => problems.push(message));
  }
  const store = await storeToChange(context, work);
  const remembered = await store.remember([...memories.values()], work);
  return reports.reportCopied("Imported", store.location, remembered, problems);
}

function toFilter({ type, agent, aliases }: FilterRequest): MemoryFilter {
  return {
    ...(type !== undefined && { type: checks.checkType(type) }),
    ...(agent !== undefined && { agent: checks.checkAgent(agent) }),
    ...(aliases !== undefined && { aliases }),
  };
}

async function recallNotes(
  { notes, rankTexts }: Context,
  { query, ...filter }: Question,
  signal: AbortSignal | undefined,
): Promise<readonly NoteHit[]> {
  const names = new Set(namesIn(filter).map((name) => name.toLowerCase()));
  const fitting = notes().filter(({ type, agent }) =>
    (filter.type === undefined || type === filter.type) &&
    (names.size === 0 || (agent !== undefined && names.has(agent.toLowerCase())))
  );
  const texts = fitting.map(({ text, tags }) => [text, ...tags].join("\n"));
  const ranked = await rankTexts(query, texts, signal);
  const matching = ranked.filter(({ isMatch }) => isMatch);
  return (matching.length > 0 ? matching : ranked.slice(0, MOST_COMPARED))
    .map(({ id, isMatch: _, ...why }) => ({ ...why, note: fitting[id]! }));
}

const SHORTEST_ID = 8;

function completeId(given: string, memories: readonly Memory[]): string {
  const isMeant = (id: string) => id === given || (given.length >= SHORTEST_ID && id.startsWith(given));
  const [id, ...others] = new Set(memories.map((memory) => memory.id).filter(isMeant));
  if (id !== undefined && others.length === 0) return id;
  const suggestions = id === undefined ? [] : [id, ...others].slice(0, 5);
  return failMissing("memory", given.slice(0, 60).toWellFormed(), { suggestions });
}
