/** The tool `bmad`, with synonyms and the one-string `command` of earlier servers. */
import {
  type App,
  type Config,
  describeProjects,
  firstOverridden,
  LISTABLE,
  type Overview,
  type Row,
} from "../../app.ts";
import { BmadError } from "../../base/errors.ts";
import { type Kind, kindNamed, qualifiedName } from "../../base/model.ts";
import { suggest } from "../../base/suggestions.ts";
import { counted } from "../../base/text.ts";
import { listSteps, placeOfItem } from "../../handlers.ts";
import {
  type Arguments,
  isWorkOperation,
  operationNamed,
  OPERATIONS,
  type WorkOperation,
} from "../../operations/mod.ts";
import {
  entryAnswer,
  executionAnswer,
  fileAnswer,
  type Listing,
  type Named,
  rowsAnswer,
  searchAnswer,
} from "./answers.ts";
import { flagArg, kindIn, operationArg, textArg, unknownOperation } from "./args.ts";
import { resolveAgent, resolveNamed } from "./name_args.ts";
import { correctedCall, missing } from "./params.ts";
import type { Answer } from "./reply.ts";
import { callsOn, contentCallsOn, spellCall, STARTED_BY, stepCall } from "./step_calls.ts";
import { type Args, READS, textSchema, type Tool } from "./tool.ts";
import { answerOperation, answerReading, hintsOf, isLeftOut, readingIn, schemasOf } from "./work_calls.ts";

type ContentOperation = "list" | "read" | "execute" | "search";
const CONTENT: readonly ContentOperation[] = ["list", "read", "execute", "search"];

const WORDS = ["query", ...OPERATIONS.search.params.query.names.filter((name) => name !== "name")];

const TARGETS = [
  ["workflow", "workflow"],
  ["task", "task"],
  ["skill", undefined],
  ["agent", "agent"],
  ["name", undefined],
] as const;

export const bmadTool: Tool = {
  name: "bmad",
  title: "BMAD Method",
  describe: (overview) => describeTool(overview, []),
  annotations: READS,
  searchHint: "BMAD agents workflows PRD architecture story board next",
  isAlwaysLoaded: true,
  answersForAll: true,
  parameters: () => parametersWith([]),
  required: ["operation"],
  forConfig: (config) => {
    const reading = readingIn(config);
    const content = CONTENT.filter((name) => !isLeftOut(config, bmadTool.name, name));
    if (reading.length === 0 && content.length === CONTENT.length) return bmadTool;
    return {
      ...bmadTool,
      ...(reading.length > 0 && { showsBoard: true }),
      describe: (overview) => describeTool(overview, reading, content),
      parameters: () => parametersWith(reading, content),
    };
  },
  run: (app, args, asker) => {
    const { command: _, ...others } = args;
    const command = textArg(args, "command");
    const given = command === undefined ? args : { ...others, ...expandCommand(command) };
    if (asksForHelp(given)) return helpAnswer(app);
    const operation = operationOf(given, app.config);
    if (operation === "next" && flagArg(given, "all")) {
      return answerContent(app, "list", { ...given, operation: "list", query: "next" });
    }
    return isWorkOperation(operation)
      ? answerReading(app, operation, given, asker)
      : answerContent(app, operation, given);
  },
};

function parametersWith(
  reading: readonly WorkOperation[],
  content = CONTENT,
): ReturnType<Tool["parameters"]> {
  const { lens: _, query: __, ...rows } = schemasOf([...content, ...reading]);
  return {
    operation: { type: "string", enum: [...content, ...reading] },
    query: textSchema(
      `list: one of ${LISTABLE.join(", ")}.${content.includes("search") ? " search: words." : ""}`,
    ),
    ...rows,
    format: {
      type: "string",
      enum: ["text", "json", "diff"],
      description: "diff: of an override.",
    },
    part: { type: "integer", description: "Part of a long answer." },
    command: textSchema('Short form: "bmm/architect", "*prd", "*list-agents", "*help".'),
  };
}

function describeTool(
  { agents, workflows, modules, isEstimate, standIn }: Overview,
  reading: readonly WorkOperation[],
  content = CONTENT,
): string {
  const named = modules.slice(0, 8).join(", ") +
    (modules.length > 8 ? ` and ${modules.length - 8} more` : "");
  return [
    "Use BMAD agents, workflows, tasks and skills: call when the user wants a BMAD persona or workflow " +
    "(analyst, PM, architect, dev, UX, test architect; brief, PRD, architecture, epics, stories, sprint, review).",
    "execute: returns the persona or instructions with resolved configuration: act on them yourself. " +
    `list: what exists. read: an item or file.${content.includes("search") ? " search: by words." : ""}`,
    ...(reading.length === 0 ? [] : [`This project's stories: ${hintsOf(reading)}.`]),
    `Served now: ${isEstimate ? "about " : ""}${counted(agents, "agent")} and ${
      counted(workflows, "workflow")
    } in modules ${named || "(none)"}.`,
    ...(standIn === undefined ? [] : [`${standIn}.`]),
    'Examples: {"operation":"execute","agent":"analyst","message":"…"} {"operation":"list","query":"workflows"}',
  ].join("\n");
}

function answerContent<N extends ContentOperation>(app: App, name: N, given: Args): Promise<Answer> {
  const run = RUNNERS[name] as Runner<N>;
  return answerOperation(
    app,
    { tool: bmadTool.name, operation: name },
    given,
    (args) => run(app, args, given),
  );
}

type Runner<N extends ContentOperation> = (app: App, args: Arguments<N>, given: Args) => Promise<Answer>;

const RUNNERS: { readonly [N in ContentOperation]: Runner<N> } = {
  list: async (app, { query, module, origin, category, pattern, cursor }, given) => {
    if (query === undefined) missing("query", `Use one of ${LISTABLE.join(", ")}`);
    const filters = { module, origin, category, isContinued: cursor !== undefined };
    if (query.trim().toLowerCase() === "next") return await stepsAnswer(app, filters, given);
    const rows = await app.list({ what: query, ...filters, pattern })
      .catch((error) => withNearList(error, query, given, readingIn(app.config).includes("board")));
    const projects = /^\s*sources?\s*$/i.test(query) ? describeProjects(app.config) : undefined;
    const verdict = rows[0]?.data["verdict"];
    const { standIn } = kindNamed(query) === undefined ? {} : await app.overview();
    const before = projects !== undefined
      ? { lines: projects.lines, data: { projects: projects.data } }
      : verdict !== undefined
      ? { lines: [`Verdict: ${verdict}.`], data: { verdict } }
      : standIn === undefined
      ? undefined
      : { lines: [`${standIn}.`], data: { standIn } };
    return rowsAnswer(app, rows, given, { ...listingOf(query, rows), before });
  },

  read: async (asked, args, given) => {
    const { uri, raw } = args;
    const app = targetIn(args) === undefined ? asked : await meantApp(asked, "read", args);
    if (uri === undefined) return entryAnswer(app, await targetOf(app, "read", args, given), given);
    // `./step-02.md` is relative to the item that refers to it.
    const of = targetIn(args) === undefined ? undefined : (await targetOf(app, "read", args, given)).entry;
    // The source of a named item is not that of all files that its texts name.
    const origin = of === undefined ? args.origin : undefined;
    const openOf = (skill: string) => `bmad ${JSON.stringify({ skill, uri: "PATH" })}`;
    return fileAnswer(
      await app.open(uri, { of, raw, origin, calls: contentCallsOn(app) }),
      given,
      raw ? undefined : openOf,
    );
  },

  execute: async (asked, args, given) => {
    const app = await meantApp(asked, "execute", args);
    const named = await targetOf(app, "execute", args, given);
    const { agent, message, item, module, origin } = args;
    // An agent beside a workflow is the one that starts it.
    const by = agent !== undefined && targetIn(args)?.[0] !== "agent"
      ? await app.resolve({ name: agent, kind: "agent", module, origin })
      : undefined;
    return executionAnswer(app, named, { message, item, by: by && qualifiedName(by) }, given);
  },

  search: (app, { query, type, module, origin, category }, given) => {
    const request = { words: query, kind: kindIn(type), module, origin, category };
    return searchAnswer(app, request, given, callTo("skill"));
  },
};

const WORK_LISTS = "stories story epics epic tickets issues backlog sprint board".split(" ");

function withNearList(error: unknown, query: string, given: Args, isOfWork: boolean): never {
  if (!(error instanceof BmadError) || error.failure.code !== "invalid-input") throw error;
  if (error.failure.field !== undefined) throw error;
  const [near = "agents"] = suggest(query.toLowerCase(), LISTABLE);
  const hint = isOfWork && WORK_LISTS.includes(query.trim().toLowerCase())
    ? `Call ${spellCall(bmadTool.name, "board", {})}`
    : `Call ${correctedCall({ tool: bmadTool.name, operation: "list" }, given, { query: near })}`;
  throw new BmadError({ ...error.failure, hint });
}

async function stepsAnswer(app: App, filters: Parameters<typeof listSteps>[1], given: Args): Promise<Answer> {
  const { rows, data } = await listSteps({ app, callsOn, isModel: true }, filters);
  return rowsAnswer(app, rows, given, { ...listingOf("next", rows), before: { lines: [], data } });
}

const NOUNS: Readonly<Record<string, string>> = {
  knowledge: "knowledge files",
  config: "configuration files",
  doctor: "facts",
  next: "steps",
  usage: "used items",
};

function listingOf(what: string, rows: readonly Row[]): Listing {
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
  const word = operationArg(args);
  if (word === undefined) return impliedOperation(args);
  // An item is shown by `read`, a story by `show`.
  const isItem = word === "show" && (targetIn(args) ?? textArg(args, "uri")) !== undefined;
  if (isWorkOperation(word) && !(isItem && textArg(args, "story") === undefined)) return word;
  const known = operationNamed(word, CONTENT);
  if (known !== undefined) return known.name;
  const operations = [...CONTENT, ...readingIn(config)];
  const [operation = impliedOperation(args)] = suggest(word, operations);
  return unknownOperation(word, operations, correctedCall({ tool: bmadTool.name, operation }, args, {}));
}

function impliedOperation(args: Args): ContentOperation | WorkOperation {
  if (textArg(args, "uri") !== undefined) return "read";
  if (textArg(args, "story") !== undefined) return "show";
  if (textArg(args, "script") !== undefined) return "script";
  if (targetIn(args) !== undefined) return "execute";
  return LISTABLE.includes(textArg(args, ...WORDS) ?? "") ? "list" : "search";
}

function targetIn(args: Args): typeof TARGETS[number] | undefined {
  return TARGETS.find(([parameter]) => textArg(args, parameter) !== undefined);
}

async function meantApp(app: App, operation: "read" | "execute", args: Arguments<"read" | "execute">) {
  const [parameter, kind] = targetIn(args) ?? [];
  const name = parameter && args[parameter];
  if (name === undefined) return app;
  const { module, origin, type } = args;
  return await placeOfItem(app, operation, { name, module, origin, kind: kind ?? kindIn(type) }, true);
}

async function targetOf(
  app: App,
  operation: ContentOperation,
  args: Arguments<"read" | "execute">,
  given: Args,
): Promise<Named> {
  const [parameter, kind] = targetIn(args) ?? missing("agent", "Give an agent, workflow, task, skill or uri");
  const { module, origin, type } = args;
  const query = { name: args[parameter]!, module, origin, kind: kind ?? kindIn(type) };
  const parameterOf = (kind: string) => STARTED_BY[kind as Kind];
  const call = { tool: bmadTool.name, operation, args: given, parameter, parameterOf };
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
  const operation = operationArg(args);
  if (flagArg(args, "help") || operation === "help") return true;
  return operation === undefined && targetIn(args) === undefined &&
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
