/**
 * The memory of one project: remembers, recalls, forgets, and moves memories between places and texts.
 *
 * Everything is opened by the first request that needs it, and what only looks leaves no trace on the disk. Answers
 * are reports, as text for a model and as data for a program, without the secrets that people write down.
 */
import { MEMORY_TYPES, type MemoryType } from "../../base/memory_types.ts";
import type { MemoryPlan } from "../../settings/plan/mod.ts";
import { BmadError, fail } from "../../base/errors.ts";
import type { Report } from "../../base/report.ts";
import { createRanker } from "./store/ranker.ts";
import { examineMemory, type HealthRequest, type MemoryHealth } from "./health.ts";
import { openSenses } from "./senses.ts";
import { checkAgent, checkLimit, checkQuery, checkTags, checkText, checkType } from "./store/checks.ts";
import { appIdOf, memoryId, userIdOf } from "./store/ids.ts";
import { openPlaces, type PlaceName } from "./store/places.ts";
import { reportCopied, reportList, reportRecalled, reportRemembered, reportStatus } from "./store/reports.ts";
import type { Memory, MemoryFilter, Waiting } from "./store/store.ts";
import { type Draft, fromText, toJson, toMarkdown } from "./store/texts.ts";

/** What is to be remembered, as somebody says it. */
export interface RememberRequest {
  /** One of the kinds of memories. */
  readonly type: string;
  /** Who remembers it. */
  readonly agent: string;
  /** What to remember. */
  readonly text: string;
  /** Words to file it under. */
  readonly tags?: readonly string[];
}

/** Which memories are meant, as somebody says it. */
export interface FilterRequest {
  /** One of the kinds of memories. */
  readonly type?: string;
  /** Who remembers them. */
  readonly agent?: string;
}

/** The memory of a project. */
export interface ProjectMemory {
  /** Keeps one memory. */
  remember(request: RememberRequest): Promise<Report>;
  /** Finds what fits a question, and says why. */
  recall(request: FilterRequest & { readonly query: string; readonly limit?: number }): Promise<Report>;
  /** The newest first. */
  list(request: FilterRequest & { readonly limit?: number }): Promise<Report>;
  /** Takes memories away by their ids, or by the first eight characters of them. */
  forget(ids: readonly string[], request: FilterRequest): Promise<Report>;
  /** Takes in what a text of the kit holds; type and agent are for what does not say its own. */
  importText(text: string, request: FilterRequest): Promise<Report>;
  /** Memories as a text of the kit. */
  exportText(request: FilterRequest & { readonly format?: string }): Promise<string>;
  /** Copies everything from one place to the other. */
  copy(from: string, to: string): Promise<Report>;
  /** All memories of one type as Markdown, the newest first. */
  read(type: MemoryType): Promise<string>;
  /** Where memories are, and how many. */
  status(): Promise<Report>;
  /** What is out of order, for who looks for that: nothing is made, and nothing is thrown. */
  health(request: HealthRequest): Promise<MemoryHealth>;
  /** Puts texts in order by how well they fit a question. */
  rank(question: string, texts: readonly string[]): Promise<readonly number[]>;
  /** The same memory for one request, whose sender may give up waiting or want to know how far the work is. */
  waitedFor(by: Waiting): ProjectMemory;
  /** Gives back what it holds. */
  close(): void;
}

/** What a project's memory needs from outside. */
export interface MemoryTools {
  /** Where memories are kept and what finds them. */
  readonly plan: MemoryPlan;
  /** What the project and its user are called. */
  readonly names: { readonly project: string; readonly user: string | undefined };
  /** Replaces secrets. */
  clean(text: string): string;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** What an import without any word about it is filed under, as the kit does. */
const UNNAMED = { type: "agent-learnings", agent: "import" };

/** Opens the memory of a project. Nothing is loaded or read yet. */
export function openProjectMemory({ plan, names, clean, now }: MemoryTools): ProjectMemory {
  const senses = openSenses(plan);
  const project = appIdOf(names.project);
  const places = openPlaces(plan, project, senses);
  const toMemory = async (draft: RememberRequest & { readonly createdAt?: string }): Promise<Memory> => {
    const type = checkType(draft.type), agent = checkAgent(draft.agent);
    const text = checkText(draft.text), tags = checkTags(draft.tags ?? []);
    const createdAt = draft.createdAt ?? localTime(now());
    return { id: await memoryId({ project, agent, text }), type, agent, text, tags, project, createdAt };
  };
  const ranker = createRanker(senses);
  const memoryFor = (waiting: Waiting): ProjectMemory => ({
    async remember(request) {
      const memory = await toMemory(request);
      return reportRemembered(memory, await (await places.forWriting()).remember([memory], waiting));
    },
    async recall({ query, limit, ...filter }) {
      const question = { ...toFilter(filter), query: checkQuery(query), limit: checkLimit(limit) };
      const recalled = await (await places.forReading()).recall(question, waiting);
      return reportRecalled(question, recalled, { clean, isWanted: plan.embedder !== "none" });
    },
    async list({ limit, ...filter }) {
      const all = await (await places.forReading()).list(toFilter(filter), waiting);
      return reportList(all, limit, clean);
    },
    async forget(ids, filter) {
      const store = await places.forWriting();
      const all = (await store.list(toFilter(filter), waiting)).map(({ id }) => id);
      const whole = ids.map((given) => wholeId(given, all));
      const count = await store.forget(whole, toFilter(filter), waiting);
      return {
        text: `Forgot ${count} ${count === 1 ? "memory" : "memories"}`,
        data: { forgotten: count, ids: whole },
      };
    },
    async importText(text, filter) {
      const drafts = fromText(text);
      const given = {
        type: checkType(filter.type ?? UNNAMED.type),
        agent: checkAgent(filter.agent ?? UNNAMED.agent),
      };
      const memories: Memory[] = [];
      const problems: string[] = [];
      for (const draft of drafts) {
        try {
          memories.push(await toMemory(completed(draft, given)));
        } catch (error) {
          if (!(error instanceof BmadError)) throw error;
          problems.push(error.message);
        }
      }
      const kept = [...new Map(memories.map((memory) => [`${memory.type} ${memory.id}`, memory])).values()];
      const store = await places.forWriting();
      return reportCopied("Imported", store.place, await store.remember(kept, waiting), problems);
    },
    async exportText({ format = "json", ...filter }) {
      const { type, agent } = toFilter(filter);
      if (format !== "json" && format !== "md") {
        fail({
          code: "invalid-input",
          field: "--format",
          problem: `"${format}" is no form`,
          hint: "Use json or md",
        });
      }
      // The oldest first, as they would have been written.
      const all = (await (await places.forReading()).list({ type, agent }, waiting)).toReversed();
      if (format === "json") return toJson(all, userIdOf(names.user));
      // A list in Markdown does not say its type.
      return type === undefined
        ? fail({ code: "invalid-input", field: "--type", problem: "Markdown holds one type: name it" })
        : toMarkdown(type, all);
    },
    async copy(from, to) {
      const [source, target] = [toPlace("--from", from), toPlace("--to", to)];
      if (source === target) {
        fail({ code: "invalid-input", field: "--to", problem: `it is the place that --from names` });
      }
      const memories = await (await places.open(source, false)).list({}, waiting);
      const store = await places.open(target, true);
      return reportCopied("Copied", store.place, await store.remember(memories.toReversed(), waiting), []);
    },
    read: async (type) => clean(toMarkdown(type, await (await places.forReading()).list({ type }, waiting))),
    async status() {
      const store = await places.forReading();
      return reportStatus(store.place, await store.status(waiting), senses);
    },
    health: (request) => examineMemory(places, senses, plan, request),
    rank: (question, texts) => ranker(question, texts, waiting.signal),
    waitedFor: memoryFor,
    close() {
      places.close();
      senses.close();
    },
  });
  return memoryFor({});
}

function toFilter({ type, agent }: FilterRequest): MemoryFilter {
  return {
    ...(type === undefined ? {} : { type: checkType(type) }),
    ...(agent === undefined ? {} : { agent: checkAgent(agent) }),
  };
}

/** A draft with what it does not say, and what the kit writes more freely than we do. */
function completed(draft: Draft, given: { readonly type: MemoryType; readonly agent: string }) {
  const isType = MEMORY_TYPES.some((type) => type === draft.type);
  return {
    ...draft,
    type: isType ? draft.type! : given.type,
    agent: draft.agent ?? given.agent,
    tags: draft.tags.map((tag) => tag.trim().replaceAll(/[\s`,]+/g, "-")),
  };
}

const SHORTEST_ID = 8;

function wholeId(given: string, all: readonly string[]): string {
  const found = new Set(
    all.filter((id) => id === given || (given.length >= SHORTEST_ID && id.startsWith(given))),
  );
  if (found.size === 1) return [...found][0]!;
  return fail({
    code: "not-found",
    what: "memory",
    name: given.slice(0, 60).toWellFormed(),
    near: [...found].slice(0, 5),
    hint: "`bmad-mcp memory list` shows the ids",
  });
}

function toPlace(field: string, given: string): PlaceName {
  if (given === "sqlite" || given === "qdrant") return given;
  return fail({
    code: "invalid-input",
    field,
    problem: `"${given}" is no place`,
    hint: "Use sqlite or qdrant",
  });
}

/** A time as the kit writes it: where the clock on the wall stands, without a zone. */
function localTime(now: number): string {
  const date = new Date(now);
  return new Date(now - date.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
}
