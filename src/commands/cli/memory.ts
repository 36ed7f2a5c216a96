/**
 * `bmad-mcp memory`: what a project remembers, from the shell.
 *
 * Each action is a row of the table; what it prints is the report that a model would get or, as JSON, its data. An
 * export is printed as it is, so that it can go to a file.
 */
import type { App, ProjectMemory } from "../../app.ts";
import { type Invocation, MEMORY_ACTIONS } from "../../settings/mod.ts";
import { BmadError, fail } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import { suggest } from "../../base/suggestions.ts";
import { readInput } from "./input.ts";
import { printJson, printText } from "./output.ts";

/** What an action works with. */
interface Work {
  readonly host: Host;
  readonly memory: ProjectMemory;
  /** The words behind the action. */
  readonly words: readonly string[];
  readonly options: Invocation["options"];
}

type Report = Awaited<ReturnType<ProjectMemory["status"]>>;

/** No export is larger, unless something went wrong with it. */
const MOST_CHARACTERS = 256 << 20;

const ACTIONS: Readonly<Record<typeof MEMORY_ACTIONS[number], (work: Work) => Promise<Report | string>>> = {
  remember: ({ memory, words, options }) => {
    const { type = "agent-learnings", agent = "user", tags = "" } = options;
    const text = needed(words, "remember TEXT", "what to remember").join(" ");
    return memory.remember({ type, agent, text, tags: tags.split(",") });
  },
  recall: ({ memory, words, options }) => {
    const { type, agent } = options;
    const query = needed(words, "recall QUERY", "what to look for").join(" ");
    return memory.recall({ query, type, agent, limit: numberOf(options.limit) });
  },
  list: ({ memory, words, options: { type, agent, limit } }) => {
    none(words, "list");
    return memory.list({ type, agent, limit: numberOf(limit) });
  },
  forget: ({ memory, words, options: { type, agent } }) =>
    memory.forget(needed(words, "forget ID…", "which memories"), { type, agent }).catch(pointToList),
  import: async ({ host, memory, words, options: { type, agent } }) => {
    none(words.slice(1), "import");
    return await memory.importText(await textOf(host, words[0]), { type, agent });
  },
  export: ({ memory, words, options: { type, agent, format = "json" } }) => {
    none(words, "export");
    if (format === "json") return memory.exportJson({ type, agent });
    if (format !== "md") unusable(`Unknown format "${format}"`, "Use json or md");
    if (type === undefined) return unusable("--format md needs --type");
    return memory.exportMarkdown({ type, agent });
  },
  copy: ({ memory, words, options: { from = "", to = "" } }) => {
    none(words, "copy");
    const source = storeOf(from, memory), target = storeOf(to, memory);
    if (source === target) unusable("--from and --to name the same store");
    return memory.copy(source, target);
  },
  status: ({ memory, words }) => {
    none(words, "status");
    return memory.status();
  },
};

/** Carries out one action and prints what it says. */
export async function memory(
  host: Host,
  app: App,
  { operands: [name = "", ...words], options }: Invocation,
): Promise<void> {
  const action = ACTIONS[MEMORY_ACTIONS.find((known) => known === name) ?? unknownAction(name)];
  const answer = await action({ host, memory: await app.memory(), words, options });
  if (typeof answer === "string") host.writeOut(answer);
  else if (options.json) printJson(host, answer.data);
  else printText(host, answer.text);
}

function unknownAction(name: string): never {
  const near = suggest(name.toLowerCase(), MEMORY_ACTIONS);
  return fail({
    code: "not-found",
    what: "action of memory",
    name,
    suggestions: near,
    hint: `There are ${MEMORY_ACTIONS.join(", ")}`,
  });
}

/** Only the command line can say where ids are listed. */
function pointToList(error: unknown): never {
  if (!(error instanceof BmadError) || error.failure.code !== "not-found") throw error;
  return fail({ ...error.failure, hint: "List the ids with `bmad-mcp memory list`" });
}

type Store = ProjectMemory["backends"][number];
const STORES: readonly Store[] = ["sqlite", "qdrant"];

function storeOf(given: string, { backends }: ProjectMemory): Store {
  const store = STORES.find((known) => known === given) ??
    unusable(`Unknown store "${given}"`, "Use sqlite or qdrant");
  if (backends.includes(store)) return store;
  return unusable("No Qdrant server is configured", "Set --qdrant-url or BMAD_QDRANT_URL");
}

function unusable(problem: string, hint?: string): never {
  return fail({ code: "invalid-input", problem, hint });
}

function needed(words: readonly string[], usage: string, what: string): readonly string[] {
  if (words.length > 0) return words;
  return refuse(`say ${what}`, usage);
}

function none(words: readonly string[], usage: string): void {
  if (words.length > 0) refuse(`"${words[0]}" is one word too many`, usage);
}

function refuse(problem: string, usage: string): never {
  return fail({
    code: "invalid-input",
    field: "the words",
    problem,
    hint: `Write: bmad-mcp memory ${usage}`,
  });
}

function numberOf(limit: string | undefined): number | undefined {
  if (limit === undefined) return undefined;
  return /^[1-9]\d{0,6}$/.test(limit)
    ? Number(limit)
    : fail({ code: "invalid-input", field: "--limit", problem: `"${limit}" is not a whole number above 0` });
}

async function textOf(host: Host, file: string | undefined): Promise<string> {
  if (file === undefined || file === "-") return await readInput(host, MOST_CHARACTERS);
  return host.readText(file) ??
    fail({
      code: "invalid-input",
      field: file,
      problem: "there is no such file, or none that can be read as text",
    });
}
