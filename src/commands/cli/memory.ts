/** Actions answer with the report that a model gets; exports and backups are printed as they are. */
import type { App, ProjectMemory, Report } from "../../app.ts";
import { actionNamed, type Invocation } from "../../operations/mod.ts";
import { expectFailure, fail, failInput } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { resolvePath } from "../../base/paths.ts";
import { asItems } from "../../handlers.ts";
import { LIMITS } from "../limits.ts";
import { parseLimit, readInput, tooLong } from "./input.ts";
import type { Answer, Session } from "./session.ts";

interface Request {
  readonly host: Host;
  readonly app: App;
  readonly memory: ProjectMemory;
  readonly words: readonly string[];
  readonly options: Invocation["options"];
}

const ACTIONS: Readonly<
  Record<ReturnType<typeof actionNamed<"memory">>, (request: Request) => Promise<Report | string>>
> = {
  remember: async ({ app, memory, words, options }) => {
    const { type = "agent-learnings", agent: given, tags = "" } = options;
    const agent = given === undefined ? "user" : await (await loadNames()).agentOf(app, given);
    return await memory.remember({ type, agent, text: words.join(" "), tags: tags.split(",") });
  },
  recall: async ({ app, memory, words, options: { type, agent, limit } }) => {
    const request = { query: words.join(" "), type, limit: parseLimit(limit) };
    return await memory.recall({ ...request, ...await allNames(app, agent) });
  },
  list: async ({ app, memory, options: { type, agent, limit: given } }) => {
    const limit = parseLimit(given);
    return await memory.list({ type, ...await allNames(app, agent), limit });
  },
  forget: async ({ app, memory, words, options: { type, agent } }) => {
    return await memory.forget(words, { type, ...await allNames(app, agent) }).catch(pointToList);
  },
  import: async ({ host, app, memory, words, options: { type, agent } }) => {
    const by = agent === undefined ? {} : { agent: await (await loadNames()).agentOf(app, agent) };
    return await memory.importText(await textOf(host, words[0]), { type, ...by });
  },
  export: async ({ app, memory, options: { type, agent: given, format = "json" } }) => {
    const agent = await allNames(app, given);
    if (format === "json") return await memory.exportJson({ type, ...agent });
    if (format !== "md") failInput(`Unknown format "${format}"`, "Use json or md");
    if (type === undefined) return failInput("--format md needs --type");
    return await memory.exportMarkdown({ type, ...agent });
  },
  backup: async ({ app }) => await (await app.project.backups()).save(),
  restore: async ({ host, app, words }) =>
    await (await app.project.backups()).restore(await textOf(host, words[0], "backup")),
  copy: ({ memory, options: { from = "", to = "" } }) => {
    const source = storeOf(from, memory), target = storeOf(to, memory);
    if (source === target) failInput("--from and --to name the same store");
    return memory.copy(source, target);
  },
  status: ({ memory }) => memory.status(),
};

export async function memory({ host, open, invocation }: Session): Promise<Answer | void> {
  const { operands: [name = "", ...words], options } = invocation;
  const action = ACTIONS[actionNamed("memory", name)];
  const app = await open();
  const answer = await action({ host, app, memory: await app.project.memory(), words, options });
  if (typeof answer === "string") return host.writeOut(answer);
  return { text: answer.text, data: asItems(answer.data, "hits", "memories") };
}

async function allNames(app: App, agent: string | undefined) {
  return agent === undefined ? {} : await (await loadNames()).allNamesOf(app, agent);
}

/** With the SDK, which most calls do not need. */
const loadNames = () => import("../../serve/mcp/mod.ts");

function pointToList(error: unknown): never {
  const failure = expectFailure(error);
  if (failure.code !== "not-found") throw error;
  return fail({ ...failure, hint: "List the ids with `bmad-mcp memory list`" });
}

type Store = ProjectMemory["backends"][number];
const STORES: readonly Store[] = ["sqlite", "qdrant"];

function storeOf(given: string, { backends }: ProjectMemory): Store {
  const store = STORES.find((known) => known === given) ??
    failInput(`Unknown store "${given}"`, "Use sqlite or qdrant");
  if (backends.includes(store)) return store;
  return failInput("No Qdrant server is configured", "Set --qdrant-url or BMAD_QDRANT_URL");
}

async function textOf(host: Host, file: string | undefined, what = "text"): Promise<string> {
  const most = LIMITS.input.importCharacters;
  if (file === undefined || file === "-") return await readInput(host, most, what);
  const path = resolvePath(file, { base: host.cwd, home: host.home, os: host.os });
  const { size = 0 } = host.look(path) ?? {};
  if (size > most) failInput(tooLong(what, most));
  return host.readText(path) ?? failInput(`Cannot read ${file}: not found, or not a readable text file`);
}
