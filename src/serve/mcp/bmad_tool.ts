/**
 * The tool `bmad`: list, read, execute and search everything through one name.
 *
 * Its description is short and of one size whatever is served. It takes what models send: synonyms of operations
 * and parameters, and the one-string `command` of earlier servers ("bmm/architect", "*party-mode",
 * "*list-agents").
 */
import { type App, LISTABLE, type Overview, type Row } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import { type Entry, type Kind, kindNamed, qualifiedName } from "../../base/model.ts";
import { entryAnswer, executionAnswer, fileAnswer, type Listing, rowsAnswer } from "./answers.ts";
import { resolveNamed } from "./named.ts";
import type { Answer } from "./reply.ts";
import {
  type Args,
  flagArg,
  kindArg,
  listArgs,
  READS,
  searchArgs,
  textArg,
  textSchema,
  type Tool,
} from "./tool.ts";

const OPERATIONS = ["list", "read", "execute", "search"] as const;
type Operation = typeof OPERATIONS[number];

/** What models write instead of the four words. */
const SYNONYMS: Readonly<Record<string, Operation>> = {
  get: "read",
  show: "read",
  view: "read",
  open: "read",
  run: "execute",
  start: "execute",
  activate: "execute",
  invoke: "execute",
  load: "execute",
  use: "execute",
  find: "search",
  ls: "list",
};

/** Parameters that name a thing, and the kind they promise. */
const TARGETS: readonly (readonly [parameter: string, kind: Kind | undefined])[] = [
  ["workflow", "workflow"],
  ["task", "task"],
  ["skill", undefined],
  ["agent", "agent"],
  ["name", undefined],
];

export const bmadTool: Tool = {
  name: "bmad",
  title: "BMAD Method",
  describe: describeTool,
  annotations: READS,
  meta: {
    "anthropic/alwaysLoad": true,
    "anthropic/searchHint": "BMAD agents workflows PRD architecture story",
  },
  inputSchema: {
    type: "object",
    properties: {
      operation: { type: "string", enum: OPERATIONS },
      query: textSchema(`list: one of ${LISTABLE.join(", ")}. search: words.`),
      agent: textSchema("Agent: id, short name, persona name, or module/name."),
      workflow: textSchema("Workflow name."),
      task: textSchema("Task name."),
      skill: textSchema("Name of any skill."),
      module: textSchema("Only this module."),
      item: textSchema("Menu code of the agent to start with."),
      message: textSchema("What the user wants, in their words."),
      uri: textSchema("read: a bmad:// URI or a path as BMAD text spells it; #lines=a-b for an excerpt."),
      category: textSchema("Only analysis, planning, solutioning, implementation or other."),
      origin: textSchema("Only from this origin, such as project."),
      pattern: textSchema("list resources: a glob."),
      type: textSchema("search: only this kind."),
      limit: { type: "integer" },
      cursor: textSchema("From the page before."),
      part: { type: "integer", description: "Part of a long answer." },
      raw: { type: "boolean", description: "Only the file's text." },
      format: { type: "string", enum: ["text", "json"] },
      command: textSchema('Short form: "bmm/architect", "*prd", "*list-agents", "*help".'),
    },
  },
  run: (app, args) => {
    const { command: _, ...others } = args;
    const command = textArg(args, "command");
    const given = command === undefined ? args : { ...others, ...expandCommand(command) };
    if (given["help"] === true) return helpAnswer(app);
    return RUNNERS[operationOf(given)](app, given);
  },
};

function describeTool({ agents, workflows, modules, isEstimate }: Overview): string {
  const named = modules.slice(0, 8).join(", ") +
    (modules.length > 8 ? ` and ${modules.length - 8} more` : "");
  return [
    "Use BMAD Method agents, workflows, tasks and skills: call when the user wants a BMAD persona or workflow " +
    "(analyst, PM, architect, dev, UX, test architect; brief, PRD, architecture, epics, stories, sprint, review).",
    "execute: returns the persona or instructions with resolved configuration; then act on them yourself. " +
    "list: what there is. read: one thing or file. search: by words.",
    `Served now: ${isEstimate ? "about " : ""}${agents} agents and ${workflows} workflows in modules ${
      named || "(none)"
    }.`,
    'Examples: {"operation":"execute","agent":"analyst","message":"…"} {"operation":"list","query":"workflows"} ' +
    '{"operation":"read","uri":"bmad://…"}',
  ].join("\n");
}

const RUNNERS: Readonly<Record<Operation, (app: App, args: Args) => Promise<Answer>>> = {
  list: async (app, args) => {
    const what = textArg(args, "query", "type", "kind", "what", "name") ?? "";
    if (what === "") {
      fail({
        code: "invalid-input",
        field: "query",
        problem: "say what to list",
        hint: `One of ${LISTABLE.join(", ")}`,
      });
    }
    const rows = await app.list({
      what,
      ...listArgs(args),
      pattern: textArg(args, "pattern"),
    });
    return rowsAnswer(rows, args, { ...listingOf(what, rows), maxBytes: app.config.settings.maxResult });
  },

  read: async (app, args) => {
    const uri = textArg(args, "uri", "path", "file", "resource");
    if (uri === undefined) return entryAnswer(app, await targetOf(app, args), args);
    // `./step-02.md` means something when the thing is named that says it.
    const of = isNamed(args) ? await targetOf(app, args) : undefined;
    return fileAnswer(await app.open(uri, { of, raw: flagArg(args, "raw") }), args);
  },

  execute: async (app, args) => {
    const entry = await targetOf(app, args);
    const agent = textArg(args, "agent");
    // A workflow that is started by an agent: the agent is named, the workflow is delivered.
    const by = agent !== undefined && !isTarget(args, "agent")
      ? await app.resolve({ name: agent, kind: "agent", module: textArg(args, "module") })
      : undefined;
    const message = textArg(args, "message", "prompt", "context", "input");
    const item = textArg(args, "item", "menuItem", "menu_item");
    return executionAnswer(app, entry, { message, item, by: by && qualifiedName(by) }, args);
  },

  search: async (app, args) => {
    const words = textArg(args, "query", "searchQuery", "q", "words", "text", "name");
    if (words === undefined) {
      return fail({ code: "invalid-input", field: "query", problem: "say which words to search for" });
    }
    const kind = kindArg(args, "type", "searchType", "kind");
    const rows = await app.search({ words, kind, ...searchArgs(args) });
    const { maxResult: maxBytes } = app.config.settings;
    return rowsAnswer(rows, args, { what: `results for "${words}"`, maxBytes, then: callTo("skill") });
  },
};

/** Lists of things, and the parameter that starts one of them; what cannot be started is read. */
const STARTED: Readonly<Partial<Record<Kind, string>>> = {
  agent: "agent",
  workflow: "workflow",
  task: "task",
  tool: "skill",
  skill: "skill",
  team: "skill",
};

/** How a list is told, and how to go on from it. */
function listingOf(what: string, rows: readonly Row[]): Omit<Listing, "maxBytes"> {
  const kind = kindNamed(what);
  if (kind !== undefined) {
    const parameter = STARTED[kind];
    return { what, isNamed: true, then: parameter === undefined ? undefined : callTo(parameter) };
  }
  if (what !== "next") return { what };
  const next = rows.find(({ data }) => data["standing"] === "next");
  const call = next && { operation: "execute", skill: next.name, message: next.data["story"] };
  return { what: "steps", isNamed: true, then: call && `bmad ${JSON.stringify(call)}` };
}

/** The call that starts a thing of a list. */
function callTo(parameter: string): string {
  return `bmad {"operation":"execute","${parameter}":NAME}`;
}

/** The operation that was asked for, or that the parameters imply. */
function operationOf(args: Args): Operation {
  const word = textArg(args, "operation", "action", "op")?.toLowerCase();
  if (word === undefined) {
    if (textArg(args, "uri") !== undefined) return "read";
    if (isNamed(args)) return "execute";
    return LISTABLE.includes(textArg(args, "query") ?? "agents") ? "list" : "search";
  }
  const found = OPERATIONS.find((operation) => operation === word) ??
    (Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined);
  if (found !== undefined) return found;
  const problem = `"${word}" is no operation`;
  return fail({ code: "invalid-input", field: "operation", problem, hint: `Use ${OPERATIONS.join(", ")}` });
}

function isTarget(args: Args, parameter: string): boolean {
  return TARGETS.find(([name]) => textArg(args, name) !== undefined)?.[0] === parameter;
}

/** Whether the parameters name a thing. */
function isNamed(args: Args): boolean {
  return TARGETS.some(([parameter]) => textArg(args, parameter) !== undefined);
}

async function targetOf(app: App, args: Args): Promise<Entry> {
  const module = textArg(args, "module");
  for (const [parameter, kind] of TARGETS) {
    const name = textArg(args, parameter);
    if (name === undefined) continue;
    const query = { name, module, kind: kind ?? kindArg(args, "type") };
    return await resolveNamed(app, query, { tool: bmadTool.name, args, parameter });
  }
  const problem = "name what you mean";
  return fail({
    code: "invalid-input",
    field: "agent",
    problem,
    hint: "Give agent, workflow, task or skill, or a uri",
  });
}

/** The one-string form of earlier servers, as parameters. */
function expandCommand(command: string): Args {
  const word = command.trim();
  const [, listed] = /^\*list-(\w+)$/.exec(word) ?? [];
  if (listed !== undefined) return { operation: "list", query: listed };
  if (word === "*help" || word === "") return { help: true };
  if (word === "*doctor") return { operation: "list", query: "doctor" };
  return { operation: "execute", name: word };
}

async function helpAnswer(app: App): Promise<Answer> {
  const tips = [
    '{"operation":"list","query":"agents"}: who there is',
    '{"operation":"list","query":"next"}: which workflow comes when',
    '{"operation":"execute","agent":"analyst","message":"…"}: become an agent',
    '{"operation":"search","query":"…"}: find by words',
  ];
  return { text: `${describeTool(await app.overview())}\n${tips.join("\n")}` };
}
