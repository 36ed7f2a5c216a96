/**
 * The tool `bmad`: lists, reads, executes and searches everything under one name.
 *
 * Its description is short, and equally so for any content. It accepts what models send: synonyms of operations and
 * parameters, and the one-string `command` of earlier servers ("bmm/architect", "*party-mode", "*list-agents").
 */
import { callsFor, isProject } from "../handshake/mod.ts";
import {
  type App,
  type Config,
  firstOverridden,
  isChosen,
  LISTABLE,
  type Overview,
  type Row,
} from "../../app.ts";
import { listSteps } from "../../handlers.ts";
import type { WorkOperation } from "../../operations/mod.ts";
import { type Kind, kindNamed, qualifiedName } from "../../base/model.ts";
import { counted } from "../../base/text.ts";
import {
  entryAnswer,
  executionAnswer,
  fileAnswer,
  type Listing,
  rowsAnswer,
  searchAnswer,
} from "./answers.ts";
import { flagArg, kindArg, listArgs, missing, placeArgs, textArg, unknownOperation } from "./args.ts";
import { resolveAgent } from "./agent_names.ts";
import { type Named, resolveNamed } from "./name_args.ts";
import type { Answer } from "./reply.ts";
import { callsOn, STARTED_BY, stepCall } from "./step_calls.ts";
import { answerReading, hintsOf, isWorkOperation, READING, schemasOf } from "./work_calls.ts";
import { type Args, ORIGIN, READS, textSchema, type Tool } from "./tool.ts";

const CONTENT = ["list", "read", "execute", "search"] as const;
type ContentOperation = typeof CONTENT[number];

/** What models write for the operations on content. */
const SYNONYMS: Readonly<Record<string, ContentOperation>> = {
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

const WORDS = ["query", "searchQuery", "q", "words", "text"] as const;

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
  describe: (overview) => describeTool(overview, []),
  annotations: READS,
  searchHint: "BMAD agents workflows PRD architecture story board next",
  isAlwaysLoaded: true,
  parameters: parametersWith([]),
  required: ["operation"],
  forConfig: (config) => {
    const reading = readingIn(config);
    if (reading.length === 0) return bmadTool;
    return {
      ...bmadTool,
      describe: (overview) => describeTool(overview, reading),
      parameters: parametersWith(reading),
    };
  },
  run: (app, args, asker) => {
    const { command: _, ...others } = args;
    const command = textArg(args, "command");
    const given = command === undefined ? args : { ...others, ...expandCommand(command) };
    if (asksForHelp(given)) return helpAnswer(app);
    const operation = operationOf(given, app.config);
    if (operation === "next" && flagArg(given, "all")) return stepsAnswer(app, given);
    return isWorkOperation(operation)
      ? answerReading(app, operation, given, asker)
      : RUNNERS[operation](app, given);
  },
};

/** The operations on the project's work that are offered: with `bmad_work`, and wherever a folder is clearly a project. */
function readingIn(config: Config): readonly WorkOperation[] {
  if (config.kit === undefined) return [];
  if (!isChosen(config, "work", "bmad_work") && !isProject(config)) return [];
  return config.settings.readOnly ? [...READING, "script"] : READING;
}

function parametersWith(reading: readonly WorkOperation[]): Tool["parameters"] {
  const { lens: _, format: __, ...work } = schemasOf(reading);
  return {
    operation: { type: "string", enum: [...CONTENT, ...reading] },
    query: textSchema(`list: one of ${LISTABLE.join(", ")}. search: words.`),
    agent: textSchema("Id, short name, persona name, or module/name."),
    workflow: textSchema("Workflow name."),
    task: textSchema("Task name."),
    skill: textSchema("Name of any skill."),
    module: textSchema("Only this module."),
    item: textSchema("Menu code of the agent."),
    message: textSchema("The user's words."),
    uri: textSchema(
      "read: a bmad:// URI, or a path as the named skill spells it; #lines=a-b for an excerpt.",
    ),
    category: textSchema("Only analysis, planning, solutioning, implementation or other."),
    ...ORIGIN,
    pattern: textSchema("list resources: a glob."),
    type: textSchema("search: only this kind."),
    ...work,
    limit: { type: "integer", description: "Page size." },
    cursor: textSchema("From the page before."),
    part: { type: "integer", description: "Part of a long answer." },
    raw: { type: "boolean", description: "Only the file's text." },
    format: {
      type: "string",
      enum: ["text", "json", "diff"],
      description: "diff: of an override.",
    },
    command: textSchema('Short form: "bmm/architect", "*prd", "*list-agents", "*help".'),
  };
}

function describeTool(
  { agents, workflows, modules, isEstimate }: Overview,
  reading: readonly WorkOperation[],
): string {
  const named = modules.slice(0, 8).join(", ") +
    (modules.length > 8 ? ` and ${modules.length - 8} more` : "");
  return [
    "Use BMAD agents, workflows, tasks and skills: call when the user wants a BMAD persona or workflow " +
    "(analyst, PM, architect, dev, UX, test architect; brief, PRD, architecture, epics, stories, sprint, review).",
    "execute: returns the persona or instructions with resolved configuration: act on them yourself. " +
    "list: what exists. read: an item or file. search: by words.",
    ...(reading.length === 0 ? [] : [`This project's stories: ${hintsOf(reading)}.`]),
    `Served now: ${isEstimate ? "about " : ""}${counted(agents, "agent")} and ${
      counted(workflows, "workflow")
    } in modules ${named || "(none)"}.`,
    'Examples: {"operation":"execute","agent":"analyst","message":"…"} {"operation":"list","query":"workflows"}',
  ].join("\n");
}

const RUNNERS: Readonly<Record<ContentOperation, (app: App, args: Args) => Promise<Answer>>> = {
  list: async (app, args) => {
    const what = textArg(args, "query", "type", "kind", "what", "name") ??
      missing("query", `Use one of ${LISTABLE.join(", ")}`);
    if (what.trim().toLowerCase() === "next") return await stepsAnswer(app, args);
    const rows = await app.list({ what, ...listArgs(args), pattern: textArg(args, "pattern") });
    return rowsAnswer(rows, args, { ...listingOf(what, rows), maxBytes: app.config.settings.maxResult });
  },

  read: async (app, args) => {
    const uri = textArg(args, "uri", "path", "file", "resource");
    if (uri === undefined) return entryAnswer(app, await targetOf(app, args), args);
    // `./step-02.md` is relative to the item that refers to it.
    const of = isNamed(args) ? (await targetOf(app, args)).entry : undefined;
    // The source of a named item is not that of all files that its texts name.
    const origin = of === undefined ? placeArgs(args).origin : undefined;
    const raw = flagArg(args, "raw");
    const openOf = (skill: string) => `bmad ${JSON.stringify({ skill, uri: "PATH" })}`;
    return fileAnswer(
      await app.open(uri, { of, raw, origin, calls: callsFor(app.config) }),
      args,
      raw ? undefined : openOf,
    );
  },

  execute: async (app, args) => {
    const named = await targetOf(app, args);
    const agent = textArg(args, "agent");
    // An agent beside a workflow is the one that starts it.
    const by = agent !== undefined && targetIn(args)?.[0] !== "agent"
      ? await app.resolve({ name: agent, kind: "agent", ...placeArgs(args) })
      : undefined;
    const message = textArg(args, "message", "prompt", "context", "input");
    const item = textArg(args, "item", "menuItem", "menu_item");
    return executionAnswer(app, named, { message, item, by: by && qualifiedName(by) }, args);
  },

  search: async (app, args) => {
    const words = textArg(args, ...WORDS, "name") ?? missing("query");
    return await searchAnswer(app, words, args, callTo("skill"));
  },
};

/** `list next` is `next` with every step. */
async function stepsAnswer(app: App, args: Args): Promise<Answer> {
  const { rows, data } = await listSteps({ app, calls: callsOn(app.config), isModel: true }, listArgs(args));
  const listing = { ...listingOf("next", rows), maxBytes: app.config.settings.maxResult };
  return rowsAnswer(rows, args, { ...listing, before: { lines: [], data } });
}

const NOUNS: Readonly<Record<string, string>> = {
  knowledge: "knowledge files",
  config: "configuration files",
  doctor: "findings",
  next: "steps",
  usage: "used items",
};

function listingOf(what: string, rows: readonly Row[]): Omit<Listing, "maxBytes"> {
  const name = what.trim().toLowerCase();
  const nouns = NOUNS[name] ?? (name.endsWith("s") ? name : `${name}s`);
  const kind = kindNamed(name);
  if (kind !== undefined) {
    const parameter = STARTED_BY[kind];
    return { what: nouns, isNamed: true, then: parameter && callTo(parameter) };
  }
  if (name === "conflicts") return { what: nouns, then: comparison(rows) };
  if (name !== "next") return { what: nouns };
  const next = rows.find(({ data }) => data["standing"] === "next");
  return { what: nouns, isNamed: true, then: next && stepCall(next) };
}

function comparison(rows: readonly Row[]): string | undefined {
  const overridden = firstOverridden(rows);
  if (overridden === undefined) return undefined;
  const { name, origin } = overridden;
  return `bmad ${
    JSON.stringify({ operation: "read", skill: name, origin, format: "diff" })
  } shows what the override changes`;
}

function callTo(parameter: string): string {
  return `bmad {"operation":"execute","${parameter}":NAME}`;
}

function operationOf(args: Args, config: Config): ContentOperation | WorkOperation {
  const word = textArg(args, "operation", "action", "op")?.toLowerCase();
  const isAboutStory = textArg(args, "story") !== undefined;
  if (word === undefined) {
    if (textArg(args, "uri") !== undefined) return "read";
    if (isAboutStory) return "show";
    if (textArg(args, "script") !== undefined) return "script";
    if (isNamed(args)) return "execute";
    return LISTABLE.includes(textArg(args, ...WORDS) ?? "") ? "list" : "search";
  }
  // An item is shown by `read`, a story by `show`.
  if (isWorkOperation(word) && (word !== "show" || isAboutStory)) return word;
  const known = CONTENT.find((operation) => operation === word) ??
    (Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined);
  return known ?? unknownOperation(word, [...CONTENT, ...readingIn(config)]);
}

function targetIn(args: Args): typeof TARGETS[number] | undefined {
  return TARGETS.find(([parameter]) => textArg(args, parameter) !== undefined);
}

function isNamed(args: Args): boolean {
  return targetIn(args) !== undefined;
}

async function targetOf(app: App, args: Args): Promise<Named> {
  const [parameter, kind] = targetIn(args) ?? missing("agent", "Give an agent, workflow, task, skill or uri");
  const name = textArg(args, parameter)!;
  const query = { name, ...placeArgs(args), kind: kind ?? kindArg(args, "type") };
  const parameterOf = (kind: string) => STARTED_BY[kind as Kind];
  const call = { tool: bmadTool.name, args, parameter, parameterOf };
  return await (query.kind === "agent" ? resolveAgent : resolveNamed)(app, query, call);
}

function expandCommand(command: string): Args {
  const word = command.trim();
  const [, listed] = /^\*list-(\w+)$/.exec(word) ?? [];
  if (listed !== undefined) return { operation: "list", query: listed };
  if (word === "*help" || word === "") return { help: true };
  if (word === "*doctor") return { operation: "list", query: "doctor" };
  return { operation: "execute", name: word };
}

function asksForHelp(args: Args): boolean {
  const operation = textArg(args, "operation", "action", "op");
  if (flagArg(args, "help") || operation?.toLowerCase() === "help") return true;
  return operation === undefined && !isNamed(args) &&
    textArg(args, "uri", "story", "script", ...WORDS) === undefined;
}

async function helpAnswer(app: App): Promise<Answer> {
  const tips = [
    '{"operation":"list","query":"agents"}: all agents',
    '{"operation":"list","query":"next"}: which workflow comes next',
    '{"operation":"execute","agent":"analyst","message":"…"}: become an agent',
    '{"operation":"search","query":"…"}: find by words',
  ];
  return { text: `${describeTool(await app.overview(), readingIn(app.config))}\n${tips.join("\n")}` };
}
