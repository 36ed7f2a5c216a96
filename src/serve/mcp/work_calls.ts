/**
 * Calls of the operations on a project's work: what a model may have meant, its arguments by the table, and the answer.
 *
 * `bmad` has the operations that only read, `bmad_work` those that change something; either understands both.
 */
import type { App, Report, ScriptResult } from "../../app.ts";
import { BmadError, fail } from "../../base/errors.ts";
import { counted, safeText, shorten } from "../../base/text.ts";
import { asValues } from "../../base/values.ts";
import { type Caller, runOperation } from "../../handlers.ts";
import {
  type Arguments,
  changes,
  type Operation,
  OPERATIONS,
  type Param,
  WORK_OPERATIONS,
  type WorkOperation,
} from "../../operations/mod.ts";
import { flagArg, isGiven, listArg, longTextArg, missing, numberArg, textArg, textsArg } from "./args.ts";
import type { Asker } from "./question.ts";
import type { Answer } from "./reply.ts";
import { callsOn, spellCall } from "./step_calls.ts";
import { type Args, callWords } from "./tool.ts";

/** What models call an operation; some names say the status too. */
const ALIASES: Readonly<Record<string, readonly [operation: WorkOperation, status?: string]>> = {
  complete: ["mark", "done"],
  finish: ["mark", "done"],
  done: ["mark", "done"],
  close: ["mark", "done"],
  start: ["mark", "in-progress"],
  begin: ["mark", "in-progress"],
  update: ["mark"],
  set: ["mark"],
  move: ["mark"],
  take: ["claim"],
  unclaim: ["release"],
  sync: ["reconcile"],
  status: ["board"],
  list: ["board"],
  get: ["show"],
  questions: ["answer"],
  decide: ["answer"],
};

const STORY = ["story", ...OPERATIONS.show.params.story.names] as const;
const SCRIPT = ["script", ...OPERATIONS.script.params.script.names] as const;
/** More than any step of a skill has. */
const MAX_LINES = 100;

/** The operation that a call of `bmad_work` means, and the arguments that its name says. */
export function workCallOf(args: Args): { readonly name: string; readonly args: Args } {
  const given = textArg(args, "operation", "action", "op")?.toLowerCase() ?? impliedOperation(args);
  const [name, status] = (Object.hasOwn(ALIASES, given) ? ALIASES[given] : undefined) ?? [given];
  return { name, args: { ...(status !== undefined && { status }), ...args } };
}

export function isWorkOperation(name: string): name is WorkOperation {
  return WORK_OPERATIONS.some((operation) => operation === name);
}

/** Without its name, an operation is meant by a result, a command line, a question, a story with a status, or a story. */
function impliedOperation(args: Args): WorkOperation {
  if (textArg(args, "before") !== undefined || textArg(args, "after") !== undefined) return "evidence";
  if (listArg(args, ...SCRIPT).length > 0 || SCRIPT.some((name) => Array.isArray(args[name]))) {
    return "script";
  }
  if (textArg(args, "number") !== undefined) return "answer";
  if (textArg(args, "question") !== undefined) return "ask";
  if (textArg(args, ...STORY) === undefined) return "board";
  return textArg(args, "status") === undefined ? "show" : "mark";
}

/** Does an operation and answers in the form that the call asks for. */
export async function answerWork(
  app: App,
  name: WorkOperation,
  given: Args,
  asker: Asker,
): Promise<Answer> {
  if (textArg(given, "format") === APP_FORMAT) return await answerApp(app, name, given, asker);
  const args = argumentsOf(name, given);
  const ignored = ignoredNote(name, given);
  const caller = { app, calls: callsOn(app.config), isModel: true } as const;
  if (name === "script") return scriptAnswer(caller, args as Arguments<"script">);
  const report = name === "ask"
    ? await (await import("./asking.ts")).askPeople(caller, args as Arguments<"ask">, asker)
    : await runOperation(name, caller, args as never) as Report;
  const format = textArg(given, "format")?.toLowerCase();
  if (format === "json") {
    return { text: JSON.stringify(ignored === undefined ? report.data : { ...report.data, ignored }) };
  }
  const drawn = format === "mermaid" && "mermaid" in report ? String(report.mermaid) : report.text;
  return { text: ignored === undefined ? drawn : `${drawn}\n${ignored}` };
}

function argumentsOf(name: WorkOperation, given: Args): Args {
  const params = Object.entries<Param>(OPERATIONS[name].params).filter(([, { only }]) => only !== "terminal");
  return Object.fromEntries(params.map(([key, param]) => {
    const value = argumentOf(key, param, given);
    if (param.isRequired && (value === undefined || Array.isArray(value) && value.length === 0)) missing(key);
    return [key, value];
  }));
}

const MAX_LENGTH = 1_000;

function argumentOf(key: string, { kind, names = [], maxLength, range }: Param, given: Args): unknown {
  const max = maxLength ?? MAX_LENGTH;
  switch (kind) {
    case "flag":
      return flagArg(given, key);
    case "list":
      return textsArg(given, max, key, ...names);
    case "number": {
      const name = [key, ...names].find((name) => textArg(given, name) !== undefined) ?? key;
      return numberArg(given, name, ...range ?? [1, Infinity] as const);
    }
    case "text":
      return longTextArg(given, max, key, ...names);
  }
}

const OF_CALL = ["operation", "action", "op", "part", "format"];

/** What an operation does not know is named, or refused where it would do something else than asked without it. */
function ignoredNote(operation: WorkOperation, given: Args): string | undefined {
  const params = paramsOf(operation);
  const known = params.flatMap(([key, { names = [] }]) => [key, ...names]);
  const others = Object.keys(given)
    .filter((name) => isGiven(given[name]) && ![...known, ...OF_CALL].includes(name));
  if (others.length === 0) return undefined;
  const shown = params.map(([key]) => key).filter((key) => key !== "format");
  const takes = `${operation} takes ${shown.length === 0 ? "no parameters" : shown.join(", ")}`;
  const selecting = others.find((name) => SELECTING.has(name));
  if (selecting !== undefined && changes(OPERATIONS[operation], given)) {
    return fail({
      code: "invalid-input",
      problem: `${operation} cannot be limited by ${selecting}`,
      hint: takes,
    });
  }
  return `Ignored: ${others.map((name) => shorten(name, 40)).join(", ")}; ${takes}`;
}

function paramsOf(operation: WorkOperation): readonly (readonly [string, Param])[] {
  return Object.entries<Param>(OPERATIONS[operation].params).filter(([, { only }]) => only !== "terminal");
}

const SELECTING: ReadonlySet<string> = new Set(
  WORK_OPERATIONS.flatMap(paramsOf).flatMap(([key, { selects, names = [] }]) =>
    selects ? [key, ...names] : []
  ),
);

async function scriptAnswer(caller: Caller, request: Arguments<"script">): Promise<Answer> {
  const { script: commands } = request;
  if (commands.length > MAX_LINES) {
    fail({ code: "invalid-input", field: "script", problem: `more than ${MAX_LINES} lines` });
  }
  const results = await runOperation("script", caller, request);
  const failure = results.at(-1)!.status === 0 ? {} : { isError: true as const };
  if (commands.length === 1) return { text: safeText(outputOf(results[0]!)), ...failure };
  const parts = results.map((result, at) => `$ ${shorten(commands[at]!, 120)}\n${outputOf(result)}`);
  const left = commands.length - results.length;
  const rest = left === 0 ? [] : [`Not run: ${counted(left, "line")}`];
  const lines = [...parts, ...rest].map((part) => part.replace(/\n$/, ""));
  return { text: safeText(lines.join("\n")), ...failure };
}

/** What a script printed; of one that failed, with its messages and its status; and whose rules an unknown one follows. */
function outputOf({ status, stdout, stderr, note = "" }: ScriptResult): string {
  if (status === 0 && note === "") return stdout;
  const failure = status === 0 ? [] : [stderr, `Exit status ${status}`];
  const parts = [stdout, ...failure, note].filter((part) => part !== "");
  return parts.map((part) => part.replace(/\n$/, "")).join("\n");
}

/** For the App of the board alone, so not in the schema: its drawing, and what becomes of its actions as data. */
const APP_FORMAT = "app";

async function answerApp(app: App, name: WorkOperation, args: Args, asker: Asker): Promise<Answer> {
  const { act, canAct, drawBoards, isAction, refusalOf } = await import("../board/mod.ts");
  if (name === "board") {
    const work = await app.project.work();
    const [board, who] = [await work.ledgers(), app.config.team?.who];
    const drawn = { board, notesOf: work.notesOf, ...(canAct(app) && { acting: {} }) };
    return { text: drawBoards([drawn], { who }).text };
  }
  if (!isAction(name)) return await answerWork(app, name, { ...args, format: undefined }, asker);
  try {
    return { text: JSON.stringify(await act(app, { ...args, action: name })) };
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return { text: JSON.stringify(refusalOf(error, app.config.person?.role)), isError: true };
  }
}

/** Answers with an operation that only reads; one that would change something is refused with the call that does it. */
export async function answerReading(
  app: App,
  name: WorkOperation,
  given: Args,
  asker: Asker,
): Promise<Answer> {
  const { operation: _, action: __, op: ___, ...args } = given;
  // A script decides by its own arguments; a read-only server refuses those that write.
  const isReading = name === "script"
    ? app.config.settings.readOnly
    : !changes(OPERATIONS[name], argumentsOf(name, args));
  if (isReading || app.config.settings.readOnly) return await answerWork(app, name, args, asker);
  const hint = `it changes the project. Call ${spellCall("bmad_work", name, args)}`;
  return fail({ code: "not-allowed", what: `${name} with bmad`, hint });
}

/** What a call is to change, for a record; which of its lines a script has come to, it says itself. */
export function workDeed(given: Args): readonly [verb: string, fields: Args] {
  const { name, args } = workCallOf(given);
  const { operation: _, action: __, op: ___, format: ____, ...fields } = args;
  return [name, fields];
}

/** The same for an action of a board. */
export function boardDeed(message: unknown): readonly string[] {
  const { action, ...fields } = asValues(message);
  return callWords(String(action), fields);
}

type Schema = Readonly<Record<string, unknown>>;

const TYPES = { text: "string", list: "string", number: "number", flag: "boolean" } as const;

/** The JSON schemas of the parameters that some operations have: the same words once, others with the operation before them. */
export function schemasOf(operations: readonly WorkOperation[]): Readonly<Record<string, Schema>> {
  const rows = operations.flatMap((operation) =>
    paramsOf(operation).map(([key, param]) => ({ operation, key, param }))
  );
  const shown = rows.filter(({ param }) => param.forModel !== "");
  return Object.fromEntries(
    Map.groupBy(shown, ({ key }) => key).entries().map(([key, uses]) => {
      const byWords = [...Map.groupBy(uses, ({ param }) => param.forModel ?? param.about)]
        .sort(([, a], [, b]) => b.length - a.length);
      const isCommon = byWords[0]![1].length > 1;
      const words = byWords.map(([text, users], at) =>
        at === 0 && isCommon ? text : `${users.map(({ operation }) => operation).join(", ")}: ${text}`
      );
      return [key, { type: TYPES[uses[0]!.param.kind], description: words.join(" ") }];
    }),
  );
}

export function hintsOf(operations: readonly WorkOperation[]): string {
  return operations.map((name) => `${name}: ${(OPERATIONS[name] as Operation).hint}`).join("; ");
}

/** The operations that only read, and those that change something: `review` does both. */
export const READING = WORK_OPERATIONS.filter((name) => {
  const { changes }: Operation = OPERATIONS[name];
  return changes === undefined || name === "review";
});
export const WRITING = WORK_OPERATIONS.filter((name) =>
  (OPERATIONS[name] as Operation).changes !== undefined
);
