/**
 * `bmad-mcp memory`: the project's memory from the shell.
 *
 * Each action prints the report that a model would get or, as JSON, its data. An export is printed unchanged, so that
 * it can go to a file.
 */
import type { App, ProjectMemory } from "../../app.ts";
import { type Invocation, MEMORY_ACTIONS } from "../../settings/mod.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import { suggest } from "../../base/suggestions.ts";
import { parseLimit, readInput } from "./input.ts";
import { printJson, printText } from "./output.ts";

/** The input of an action. */
interface Request {
  readonly host: Host;
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
  remember: ({ memory, words, options }) => {
    const { type = "agent-learnings", agent = "user", tags = "" } = options;
    const text = required(words, "remember TEXT").join(" ");
    return memory.remember({ type, agent, text, tags: tags.split(",") });
  },
  recall: ({ memory, words, options }) => {
    const { type, agent } = options;
    const query = required(words, "recall QUERY").join(" ");
    return memory.recall({ query, type, agent, limit: parseLimit(options.limit) });
  },
  list: ({ memory, words, options: { type, agent, limit } }) => {
    none(words, "list");
    return memory.list({ type, agent, limit: parseLimit(limit) });
  },
  forget: ({ memory, words, options: { type, agent } }) =>
    memory.forget(required(words, "forget ID…"), { type, agent }),
  import: async ({ host, memory, words, options: { type, agent } }) => {
    none(words.slice(1), "import [FILE]");
    return await memory.importText(await textOf(host, words[0]), { type, agent });
  },
  export: ({ memory, words, options: { type, agent, format } }) => {
    none(words, "export");
    return memory.exportText({ type, agent, format });
  },
  copy: ({ memory, words, options: { from = "", to = "" } }) => {
    none(words, "copy");
    return memory.copy(from, to);
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
  const action = ACTIONS[MEMORY_ACTIONS.find((known) => known === name) ?? unknownAction(name)];
  const answer = await action({ host, memory: await app.memory(), words, options });
  if (typeof answer === "string") host.writeOut(answer);
  else if (options.json) printJson(host, answer.data);
  else printText(host, answer.text);
}

function unknownAction(name: string): never {
  const suggestions = suggest(name.toLowerCase(), MEMORY_ACTIONS);
  return fail({ code: "not-found", what: "memory action", name, suggestions, known: MEMORY_ACTIONS });
}

/** The words of an action that needs some; its usage names them. */
function required(words: readonly string[], usage: string): readonly string[] {
  return words.length > 0 ? words : refuse(`missing ${usage.split(" ")[1]}`, usage);
}

function none(words: readonly string[], usage: string): void {
  if (words.length > 0) refuse(`unexpected argument "${words[0]}"`, usage);
}

function refuse(problem: string, usage: string): never {
  const hint = `Usage: bmad-mcp memory ${usage}`;
  return fail({ code: "invalid-input", field: "memory", problem, hint });
}

async function textOf(host: Host, file: string | undefined): Promise<string> {
  if (file === undefined || file === "-") return await readInput(host, MAX_IMPORT);
  return host.readText(file) ??
    fail({ code: "invalid-input", field: file, problem: "not found, or not a readable text file" });
}
