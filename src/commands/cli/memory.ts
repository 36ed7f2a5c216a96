/**
 * `bmad-mcp memory`: the project's memory from the shell.
 *
 * Each action prints the report that a model would get or, as JSON, its data. An export, or a backup to stdout, is
 * printed unchanged, so that it can go to a file.
 */
import type { App, ProjectMemory } from "../../app.ts";
import { failUnknownAction, type Invocation, MEMORY_ACTIONS } from "../../settings/mod.ts";
import { BmadError, fail } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { resolvePath } from "../../base/paths.ts";
import { parseLimit, readInput } from "./input.ts";
import { asItems, printJson, printText } from "./output.ts";

/** The input of an action. */
interface Request {
  readonly host: Host;
  readonly app: App;
  readonly memory: ProjectMemory;
  /** The words after the action. */
  readonly words: readonly string[];
  readonly options: Invocation["options"];
}

type Report = Awaited<ReturnType<ProjectMemory["status"]>>;

/** More than any export has. */
const MAX_IMPORT = 256 << 20;

const ACTIONS: Readonly<
  Record<typeof MEMORY_ACTIONS[number], (request: Request) => Promise<Report | string>>
> = {
  remember: async ({ app, memory, words, options }) => {
    const { type = "agent-learnings", agent: given, tags = "" } = options;
    const text = required(words, "remember TEXT").join(" ");
    const agent = given === undefined ? "user" : await (await loadNames()).agentOf(app, given);
    return await memory.remember({ type, agent, text, tags: tags.split(",") });
  },
  recall: async ({ app, memory, words, options }) => {
    const { type, agent } = options;
    const query = required(words, "recall QUERY").join(" ");
    const limit = parseLimit(options.limit);
    return await memory.recall({ query, type, ...await allNames(app, agent), limit });
  },
  list: async ({ app, memory, words, options: { type, agent, limit: given } }) => {
    none(words, "list");
    const limit = parseLimit(given);
    return await memory.list({ type, ...await allNames(app, agent), limit });
  },
  forget: async ({ app, memory, words, options: { type, agent } }) => {
    const ids = required(words, "forget ID…");
    return await memory.forget(ids, { type, ...await allNames(app, agent) }).catch(pointToList);
  },
  import: async ({ host, app, memory, words, options: { type, agent } }) => {
    none(words.slice(1), "import [FILE]");
    const by = agent === undefined ? {} : { agent: await (await loadNames()).agentOf(app, agent) };
    return await memory.importText(await textOf(host, words[0]), { type, ...by });
  },
  export: async ({ app, memory, words, options: { type, agent: given, format = "json" } }) => {
    none(words, "export");
    const agent = await allNames(app, given);
    if (format === "json") return await memory.exportJson({ type, ...agent });
    if (format !== "md") refuse(`Unknown format "${format}"`, "Use json or md");
    if (type === undefined) return refuse("--format md needs --type");
    return await memory.exportMarkdown({ type, ...agent });
  },
  backup: async ({ app, words }) => {
    none(required(words, "backup FILE").slice(1), "backup FILE");
    return await (await app.backups()).save();
  },
  restore: async ({ host, app, words }) => {
    const [file] = required(words, "restore FILE");
    none(words.slice(1), "restore FILE");
    return await (await app.backups()).restore(await textOf(host, file));
  },
  copy: ({ memory, words, options: { from = "", to = "" } }) => {
    none(words, "copy");
    const source = storeOf(from, memory), target = storeOf(to, memory);
    if (source === target) refuse("--from and --to name the same store");
    return memory.copy(source, target);
  },
  status: ({ memory, words }) => {
    none(words, "status");
    return memory.status();
  },
};

/** Runs an action and prints its report. */
export async function memory(
  host: Host,
  app: App,
  { operands: [name = "", ...words], options }: Invocation,
): Promise<void> {
  const action = ACTIONS[MEMORY_ACTIONS.find((known) => known === name) ?? failUnknownAction("memory", name)];
  const answer = await action({ host, app, memory: await app.memory(), words, options });
  if (typeof answer === "string") host.writeOut(answer);
  else if (options.json) printJson(host, asItems(answer.data, "hits", "memories"));
  else printText(host, answer.text);
}

/** A persona means its agent. */
async function allNames(app: App, agent: string | undefined) {
  return agent === undefined ? {} : await (await loadNames()).allNamesOf(app, agent);
}

/** With the SDK, which most calls do not need. */
const loadNames = () => import("../../serve/mcp/mod.ts");

/** Only the command line knows how ids are listed. */
function pointToList(error: unknown): never {
  if (!(error instanceof BmadError) || error.failure.code !== "not-found") throw error;
  return fail({ ...error.failure, hint: "List the ids with `bmad-mcp memory list`" });
}

type Store = ProjectMemory["backends"][number];
const STORES: readonly Store[] = ["sqlite", "qdrant"];

function storeOf(given: string, { backends }: ProjectMemory): Store {
  const store = STORES.find((known) => known === given) ??
    refuse(`Unknown store "${given}"`, "Use sqlite or qdrant");
  if (backends.includes(store)) return store;
  return refuse("No Qdrant server is configured", "Set --qdrant-url or BMAD_QDRANT_URL");
}

/** The words of an action that needs some; its usage names them. */
function required(words: readonly string[], usage: string): readonly string[] {
  return words.length > 0 ? words : refuse(`Missing ${usage.split(" ")[1]}`, usageHint(usage));
}

function none(words: readonly string[], usage: string): void {
  if (words.length > 0) refuse(`Unexpected argument "${words[0]}"`, usageHint(usage));
}

function usageHint(usage: string): string {
  return `Usage: bmad-mcp memory ${usage}`;
}

function refuse(problem: string, hint?: string): never {
  return fail({ code: "invalid-input", problem, hint });
}

async function textOf(host: Host, file: string | undefined): Promise<string> {
  if (file === undefined || file === "-") return await readInput(host, MAX_IMPORT);
  const path = resolvePath(file, { base: host.cwd, home: host.home, os: host.os });
  return host.readText(path) ?? refuse(`Cannot read ${file}: not found, or not a readable text file`);
}
