import { type App, type Config, isChosen, type Report, type ScriptResult } from "../../app.ts";
import { recover } from "../../base/absence.ts";
import { BmadError, failField, failInput, forbid } from "../../base/errors.ts";
import { counted, safeText, shorten } from "../../base/text.ts";
import { asText, asValues } from "../../base/values.ts";
import { type Caller, runOperation } from "../../handlers.ts";
import {
  type Arguments,
  changes,
  isWorkOperation,
  type Operation,
  type OperationName,
  operationNamed,
  OPERATIONS,
  type Params,
  paramsOf,
  WORK_OPERATIONS,
  type WorkOperation,
} from "../../operations/mod.ts";
import { isProject } from "../handshake/mod.ts";
import { wantsJson } from "./answers.ts";
import { formatArg, listArg, operationArg, textArg, unknownOperation } from "./args.ts";
import { correcting, readParams, takenBy, TYPES, unknownArgs } from "./params.ts";
import { type Asker, askForm, PATIENCE_MS } from "./question.ts";
import type { Answer } from "./reply.ts";
import { callsOn, spellCall } from "./step_calls.ts";
import { ADDS, type Args, callWords, type Schema, type Tool } from "./tool.ts";

const STORY = ["story", ...OPERATIONS.show.params.story.names] as const;
const SCRIPT = ["script", ...OPERATIONS.script.params.script.names] as const;
/** More than any step of a skill has. */
const MAX_LINES = 100;

function workCallOf(args: Args): { readonly name: string; readonly args: Args } {
  const given = operationArg(args) ?? impliedOperation(args);
  const { name, args: said } = operationNamed(given, WORK_OPERATIONS) ?? { name: given, args: {} };
  return { name, args: { ...said, ...args } };
}

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

const ofTool = new Map<OperationName, Params>();

function toolParams(name: OperationName): Params {
  return ofTool.getOrInsertComputed(name, () => Object.fromEntries(paramsOf(name, "tool")));
}

export async function answerOperation<N extends OperationName>(
  app: App,
  call: { readonly tool: string; readonly operation: N },
  given: Args,
  answer: (args: Arguments<N>) => Promise<Answer>,
): Promise<Answer> {
  const { operation } = call;
  if (isLeftOut(app.config, call.tool, operation)) {
    forbid(operation, "the setting excludeTools leaves it out");
  }
  const params = toolParams(operation);
  return await correcting(params, given, call, async () => {
    const args = readParams(params, given) as Arguments<N>;
    const { project: _, ...others } = given;
    // Which project is meant, is known already.
    const ignored = ignoredOrRefused(operation, app.projects === undefined ? given : others);
    const answered = await answer(args);
    if (ignored === undefined) return answered;
    const text = wantsJson(given)
      ? JSON.stringify({ ...JSON.parse(answered.text), ignored })
      : `${answered.text}\n${ignored}`;
    return { ...answered, text };
  });
}

/** What is unknown is named, or refused where it would have limited a change. */
function ignoredOrRefused(operation: OperationName, given: Args): string | undefined {
  const params = toolParams(operation);
  const names = unknownArgs(params, given);
  if (names.length === 0) return undefined;
  const takes = takenBy(operation, params);
  const selecting = names.find(isSelecting);
  if (selecting !== undefined && changes(OPERATIONS[operation], given)) {
    return failInput(`${operation} cannot be limited by ${selecting}`, takes);
  }
  const shown = names.map((name) => shorten(name, 40)).join(", ");
  return `Ignored: ${shown}; ${takes}`;
}

function isSelecting(word: string): boolean {
  return WORK_OPERATIONS.flatMap((name) => paramsOf(name, "tool")).some(([key, { selects, names = [] }]) =>
    selects && (key === word || names.includes(word))
  );
}

type WorkCall = { readonly tool: string; readonly operation: WorkOperation };

async function answerWork(app: App, call: WorkCall, given: Args, asker: Asker): Promise<Answer> {
  const { operation } = call;
  const format = formatArg(given);
  if (format === APP_FORMAT) return await answerApp(app, call, given, asker);
  return await answerOperation(app, call, given, async (args) => {
    const caller = { app, callsOn, isModel: true, goesOn: true } as const;
    if (operation === "script") return await scriptAnswer(caller, args as Arguments<"script">);
    const report = operation === "ask"
      ? await askPeople(caller, args as Arguments<"ask">, asker)
      : await runOperation(operation, caller, args) as Report;
    if (format === "json") return { text: JSON.stringify(report.data) };
    if (format === "mermaid" && "mermaid" in report) return { text: String(report.mermaid) };
    // After these, somebody begins a workflow.
    const { standIn } = ["board", "next", "claim"].includes(operation) ? await app.overview() : {};
    return { text: standIn === undefined ? report.text : `${report.text.trimEnd()}\n${standIn}.` };
  });
}

async function scriptAnswer(caller: Caller, request: Arguments<"script">): Promise<Answer> {
  const { script: commands } = request;
  if (commands.length > MAX_LINES) failField("script", `more than ${MAX_LINES} lines`);
  const results = await runOperation("script", caller, request);
  const failure = results.at(-1)!.status === 0 ? {} : { isError: true as const };
  if (commands.length === 1) return { text: safeText(outputOf(results[0]!)), ...failure };
  const parts = results.map((result, at) => `$ ${shorten(commands[at]!, 120)}\n${outputOf(result)}`);
  const left = commands.length - results.length;
  const rest = left === 0 ? [] : [`Not run: ${counted(left, "line")}`];
  const lines = [...parts, ...rest].map((part) => part.replace(/\n$/, ""));
  return { text: safeText(lines.join("\n")), ...failure };
}

function outputOf({ status, stdout, stderr, note = "" }: ScriptResult): string {
  if (status === 0 && note === "") return stdout;
  const failure = status === 0 ? [] : [stderr, `Exit status ${status}`];
  const parts = [stdout, ...failure, note].filter((part) => part !== "");
  return parts.map((part) => part.replace(/\n$/, "")).join("\n");
}

/** For the App of the board alone, so not in the schema. */
const APP_FORMAT = "app";

async function answerApp(app: App, call: WorkCall, args: Args, asker: Asker): Promise<Answer> {
  const { operation } = call;
  const { act, canAct, drawBoards, isAction, refusalOf } = await import("../board/mod.ts");
  if (operation === "board") {
    const work = await app.project.work();
    const [board, who] = [await work.ledgers(), app.config.team?.who];
    const drawn = { ...work, board, ...(canAct(app) && { acting: {} }) };
    return { text: drawBoards([drawn], { who }).text };
  }
  if (!isAction(operation)) return await answerWork(app, call, { ...args, format: undefined }, asker);
  return await recover(
    BmadError,
    async () => ({ text: JSON.stringify(await act(app, { ...args, action: operation })) }),
    (error) => ({ text: JSON.stringify(refusalOf(error)), isError: true }),
  );
}

/** One that would change something is refused with the call that does it. */
export async function answerReading(
  app: App,
  operation: WorkOperation,
  given: Args,
  asker: Asker,
): Promise<Answer> {
  const { operation: _, action: __, op: ___, ...args } = given;
  const call = { tool: "bmad", operation };
  const row: Operation = OPERATIONS[operation];
  const mayChange = async () => {
    // A script decides by its own arguments; a read-only server refuses those that write.
    if (row.changes === undefined || operation === "script") return operation === "script";
    const params = toolParams(operation);
    const writing = { tool: changes(row, args) ? "bmad_work" : "bmad", operation };
    return changes(row, await correcting(params, args, writing, () => readParams(params, args)));
  };
  if (app.config.settings.readOnly || !await mayChange()) return await answerWork(app, call, args, asker);
  const hint = `it changes the project. Call ${spellCall("bmad_work", operation, args)}`;
  return forbid(`${operation} with bmad`, hint);
}

export function boardDeed(message: unknown): readonly string[] {
  const { action, proof: _, ...fields } = asValues(message);
  return callWords(String(action), fields);
}

/** Words that several share come once, others with the operation before them. */
export function schemasOf(operations: readonly OperationName[]): Readonly<Record<string, Schema>> {
  const rows = operations.flatMap((operation) =>
    paramsOf(operation, "tool").map(([key, param]) => ({ operation, key, param }))
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

/** `review` does both. */
const READING = WORK_OPERATIONS.filter((name) => {
  const { changes }: Operation = OPERATIONS[name];
  return changes === undefined || name === "review";
});

/** With `bmad_work`, and wherever a folder is clearly a project. */
export function readingIn(config: Config): readonly WorkOperation[] {
  const isPlace = config.siblings.length > 0;
  if (!isPlace && config.kit === undefined) return [];
  if (!isPlace && !isChosen(config, "work", "bmad_work") && !isProject(config)) return [];
  const reading: readonly WorkOperation[] = config.settings.readOnly ? [...READING, "script"] : READING;
  return reading.filter((name) => !isLeftOut(config, "bmad", name));
}

/** `--exclude-tools bmad.search`: a tool without one of its operations. */
export function isLeftOut({ settings }: Config, tool: string, operation: string): boolean {
  return settings.excludeTools.includes(`${tool}.${operation}`);
}

export function boardTool(config: Config): "bmad" | "bmad_work" | undefined {
  if (isChosen(config, "bmad", "bmad") && readingIn(config).length > 0) return "bmad";
  return isChosen(config, "work", "bmad_work") ? "bmad_work" : undefined;
}

const WRITING = WORK_OPERATIONS.filter((name) => (OPERATIONS[name] as Operation).changes !== undefined);

function offering(writing: readonly WorkOperation[]): Pick<Tool, "describe" | "parameters"> {
  const script = writing.includes("script")
    ? `script: ${OPERATIONS.script.hint}. ` +
      `Example: {"operation":"script","script":"memlog.py append --workspace DIR --text '…'"}`
    : "";
  return {
    describe: () =>
      `Change this project's stories; bmad shows them. ${
        hintsOf(writing.filter((name) => name !== "script"))
      }. ${script}`.trimEnd(),
    parameters: () => ({ operation: { type: "string", enum: writing }, ...schemasOf(writing) }),
  };
}

export const workTool: Tool = {
  name: "bmad_work",
  title: "BMAD project work",
  searchHint: "BMAD mark claim story done finding script memlog sprint status",
  runsOnce: true,
  answersReads: true,
  answersForAll: true,
  showsBoard: true,
  deed: (given) => {
    const { name, args } = workCallOf(given);
    const { operation: _, action: __, op: ___, format: ____, ...fields } = args;
    return [name, fields];
  },
  ...offering(WRITING),
  forConfig: (config) => {
    const writing = WRITING.filter((name) => !isLeftOut(config, workTool.name, name));
    return writing.length === WRITING.length ? workTool : { ...workTool, ...offering(writing) };
  },
  annotations: { ...ADDS, destructiveHint: true },
  required: ["operation"],
  run: (app, given, asker) => {
    const { name: operation, args } = workCallOf(given);
    return isWorkOperation(operation)
      ? answerWork(app, { tool: workTool.name, operation }, args, asker)
      : unknownOperation(operation, WORK_OPERATIONS);
  },
};

const MAX_ANSWER = 1_000;

/** Noted before it is asked, because a client may never reply; asking again finds the same question. */
async function askPeople(caller: Caller, request: Arguments<"ask">, asker: Asker): Promise<Report> {
  const asked = await runOperation("ask", caller, request);
  const { number, question, story, to, choices, answer } = asked.data as {
    readonly number: number;
    readonly question: string;
    readonly story?: string;
    readonly to?: string;
    readonly choices: readonly string[];
    readonly answer?: string;
  };
  if (answer !== undefined || !asker.offers("elicitation", PATIENCE_MS)) return asked;
  const about = [story, to && `for ${to}`].filter(Boolean).join(", ");
  const message = `Question ${number}${about === "" ? "" : ` (${about})`}: ${question}`;
  const text = await askForAnswer(asker, `question ${number}`, message, choices);
  if (text === undefined) return asked;
  return await recover(BmadError, async () => {
    const deed = ["answer", `number=${number}`, `text=${text}`];
    const app = asker.record === undefined ? caller.app : await caller.app.recording(deed, asker.record);
    return await runOperation("answer", { ...caller, app }, { number, text });
    // Somebody else may have been quicker.
  }, ({ message }) => ({ ...asked, text: `${asked.text}\n${message}` }));
}

async function askForAnswer(asker: Asker, topic: string, message: string, choices: readonly string[]) {
  const isFree = choices.length === 0;
  const title = isFree ? "Answer" : "Or another answer";
  const text = { type: "string", title, maxLength: MAX_ANSWER } as const;
  const choice = { type: "string" as const, title: "Choice", enum: [...choices] };
  const reply = await askForm(asker, topic, message, {
    type: "object",
    properties: isFree ? { text } : { choice, text },
    ...(isFree && { required: ["text"] }),
  });
  const written = asText(reply?.["text"])?.trim() ?? "";
  return written !== "" ? written : choices.find((one) => one === reply?.["choice"]);
}
