/**
 * The tool set `work`: the project's ledgers and documents, changed by BMAD's own rules.
 *
 * To add an operation, add a row to `OPERATIONS`, its parameters to the schema, and what it is for to the description.
 * Both cost every model tokens: together with `bmad` the tool stays within 1,200.
 */
import type { App, Report, ScriptResult } from "../../app.ts";
import { BmadError, fail } from "../../base/errors.ts";
import { whyReadOnly } from "../../base/people.ts";
import { counted, safeText, shorten } from "../../base/text.ts";
import { asValues } from "../../base/values.ts";
import {
  flagArg,
  listArg,
  longTextArg,
  missing,
  numberArg,
  requiredArg,
  textArg,
  textsArg,
  unknownOperation,
} from "./args.ts";
import type { Answer } from "./reply.ts";
import type { Asker } from "./question.ts";
import { reviewCalls, stepCalls } from "./step_calls.ts";
import { ADDS, type Args, callWords, READS, textSchema, type Tool } from "./tool.ts";

/** Above the limit of a command line, whose own message is better. */
const MAX_CHARACTERS = 200_000;
/** Tokens of a context pack. */
const BUDGET = [100, 100_000] as const;
const COUNT = [1, 50] as const;

/** Of one call: more than any step of a skill has. */
const MAX_LINES = 100;
const SCRIPT = ["script", "command", "cmd"] as const;

/** One operation. */
interface Operation {
  /** Whether it changes the project; a script decides that by its arguments. */
  readonly writes?: true;
  run(app: App, args: Args, asker: Asker): Promise<Answer>;
}

/** What each operation does. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  board: { run: async (app, args) => reportAnswer(await (await app.work()).board(), args) },
  next: {
    run: async (app, args) => {
      const request = { by: ownerArg(args), count: numberArg(args, "count", ...COUNT) };
      return reportAnswer(await (await app.work()).next(stepCalls(app.config, true), request), args);
    },
  },
  show: { run: async (app, args) => reportAnswer(await (await app.work()).show(storyArg(args)), args) },
  check: {
    run: async (app, args) => reportAnswer(await (await app.work()).check(textArg(args, ...STORY)), args),
  },
  trace: {
    run: async (app, args) => {
      const { mermaid, ...report } = await (await app.work()).trace(
        textArg(args, ...STORY, "requirement"),
        true,
      );
      const isDrawn = textArg(args, "format")?.toLowerCase() === "mermaid";
      return isDrawn ? { text: mermaid } : reportAnswer(report, args);
    },
  },
  review: {
    run: async (app, args) => {
      const lenses = textsArg(args, MAX_NAME, "lens", "lenses");
      if (lenses.length > 0) refuseReadOnly(app, "review with a lens");
      const work = await app.work();
      const calls = reviewCalls(app.config);
      const report = await work.review(storyArg(args), calls, lenses.length > 0 ? lenses : undefined);
      return reportAnswer(report, args);
    },
  },
  finding: {
    writes: true,
    run: async (app, args) => {
      const request = {
        story: storyArg(args),
        text: requiredArg(args, MAX_FINDING, "text", "id", "finding", "title"),
        severity: textArg(args, "severity", "level"),
        file: placeArg(args),
        verdict: textArg(args, "verdict", "decision"),
        reason: textArg(args, "reason", "why", "evidence"),
        isForced: flagArg(args, "force"),
      };
      return reportAnswer(await (await app.work()).finding(request, reviewCalls(app.config)), args);
    },
  },
  context: {
    run: async (app, args) => {
      const budget = numberArg(args, "budget", ...BUDGET);
      return reportAnswer(await (await app.work()).context(storyArg(args), budget), args);
    },
  },
  evidence: {
    writes: true,
    run: async (app, args) => {
      const command = requiredArg(args, MAX_NAME, "command", ...SCRIPT);
      const told = { before: textArg(args, "before"), after: textArg(args, "after") };
      return reportAnswer(
        await (await app.work()).evidence({ story: storyArg(args), command, ...told }),
        args,
      );
    },
  },
  ask: {
    writes: true,
    run: async (app, args, asker) => {
      const request = {
        story: textArg(args, ...STORY),
        question: requiredArg(args, MAX_FINDING, "text", "question"),
        choices: textsArg(args, MAX_NAME, "choices", "options"),
        to: textArg(args, "to"),
        by: ownerArg(args),
      };
      const { askPeople } = await import("./asking.ts");
      return reportAnswer(await askPeople(app, request, asker), args);
    },
  },
  answer: {
    writes: true,
    run: async (app, args) => {
      const work = await app.work();
      const given = NUMBERS.find((name) => textArg(args, name) !== undefined) ?? "number";
      const number = numberArg(args, given, 1, MAX_NUMBER);
      const text = longTextArg(args, MAX_FINDING, "text", "answer", "choice");
      if (number === undefined || text === undefined) {
        return reportAnswer(await work.questions(stepCalls(app.config, true), number), args);
      }
      return reportAnswer(await work.answer({ number, text, by: ownerArg(args) }), args);
    },
  },
  mark: {
    writes: true,
    run: async (app, args) => {
      // Which statuses a story can have, only its form knows.
      const status = longTextArg(args, MAX_NAME, "status", "state", "to") ?? "";
      const request = {
        story: storyArg(args),
        status,
        by: ownerArg(args),
        isForced: flagArg(args, "force"),
        reason: textArg(args, "reason", "why"),
      };
      return reportAnswer(await (await app.work()).mark(request, stepCalls(app.config, true)), args);
    },
  },
  claim: {
    writes: true,
    run: async (app, args) => {
      const by = ownerArg(args);
      const request = { story: textArg(args, ...STORY), by, isForced: flagArg(args, "force") };
      return reportAnswer(await (await app.work()).claim(request), args);
    },
  },
  release: {
    writes: true,
    run: async (app, args) => {
      const request = { story: storyArg(args), by: ownerArg(args), isForced: flagArg(args, "force") };
      return reportAnswer(await (await app.work()).release(request), args);
    },
  },
  plan: {
    writes: true,
    run: async (app, args) => reportAnswer(await (await app.work()).plan(flagArg(args, "force")), args),
  },
  reconcile: {
    writes: true,
    run: async (app, args) => reportAnswer(await (await app.work()).reconcile(), args),
  },
  script: {
    run: async (app, args) => {
      const commands = textsArg(args, MAX_CHARACTERS, ...SCRIPT);
      if (commands.length === 0) missing("script");
      if (commands.length > MAX_LINES) {
        fail({ code: "invalid-input", field: "script", problem: `more than ${MAX_LINES} lines` });
      }
      // Not in the schema, where it would cost every model tokens: most lines need no skill.
      const skill = textArg(args, "skill");
      const results = await (await app.work()).scripts(commands, { skill });
      const failure = results.at(-1)!.status === 0 ? {} : { isError: true as const };
      if (commands.length === 1) return { text: safeText(outputOf(results[0]!)), ...failure };
      const parts = results.map((result, at) => `$ ${shorten(commands[at]!, 120)}\n${outputOf(result)}`);
      const left = commands.length - results.length;
      const rest = left === 0 ? [] : [`Not run: ${counted(left, "line")}`];
      const lines = [...parts, ...rest].map((part) => part.replace(/\n$/, ""));
      return { text: safeText(lines.join("\n")), ...failure };
    },
  },
};

/** What a script printed; of one that failed, with its messages and its status; and whose rules an unknown one follows. */
function outputOf({ status, stdout, stderr, note = "" }: ScriptResult): string {
  if (status === 0 && note === "") return stdout;
  const failure = status === 0 ? [] : [stderr, `Exit status ${status}`];
  const parts = [stdout, ...failure, note].filter((part) => part !== "");
  return parts.map((part) => part.replace(/\n$/, "")).join("\n");
}

/** What models call an operation; some names say the status too. */
const ALIASES: Readonly<Record<string, readonly [operation: string, status?: string]>> = {
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

/** How people and models name a question that was asked. */
const NUMBERS = ["number", "question", "id"] as const;
const MAX_NUMBER = 999_999_999;

const STORY = ["story", "ref", "ticket", "epic", "key"] as const;
const MAX_NAME = 500;
const MAX_FINDING = 4_000;

function storyArg(args: Args): string {
  return requiredArg(args, MAX_NAME, ...STORY);
}

/** Models name the line beside the file. */
function placeArg(args: Args): string | undefined {
  const file = textArg(args, "file", "location", "path");
  const line = textArg(args, "line");
  return file === undefined || line === undefined || /:\d/.test(file) ? file : `${file}:${line}`;
}

function ownerArg(args: Args): string | undefined {
  return textArg(args, "by", "owner", "assignee");
}

function reportAnswer({ text, data }: Report, args: Args): Answer {
  return { text: textArg(args, "format")?.toLowerCase() === "json" ? JSON.stringify(data) : text };
}

/** What a call without an operation means: by a result, a command line, a question, a story with a status, or a story. */
function impliedOperation(args: Args): string {
  if (textArg(args, "before") !== undefined || textArg(args, "after") !== undefined) return "evidence";
  const hasList = SCRIPT.some((name) => Array.isArray(args[name]));
  if (hasList || listArg(args, ...SCRIPT).length > 0) return "script";
  if (textArg(args, "number") !== undefined) return "answer";
  if (textArg(args, "question") !== undefined) return "ask";
  if (textArg(args, ...STORY) === undefined) return "board";
  return textArg(args, "status") === undefined ? "show" : "mark";
}

const READING =
  "board: epics and stories; next: the story to do now, with its call; show: one story; check: is it " +
  "really done? trace: requirement to commit; review: what a reviewer needs; context: what documents say for it";
const WRITING = "evidence: note or run a command; mark: set its status (done is checked first); " +
  "finding: record or settle one of a review; ask: let people decide, the story waits; answer: a question; " +
  "claim, release: hold it while you work; plan: make or extend the sprint; reconcile: ledger and story files in step";
const RUNNING = "by the line that the BMAD text spells; no Python or shell. Example:";

/** Parameters whose names say enough. */
const TEXT = { type: "string" } as const;
const NUMBER = { type: "number" } as const;

const STORY_SCHEMA = { story: textSchema("Reference, key or title: 1-2; trace: or FR3.") };
const CHANGE_SCHEMAS = {
  status: textSchema("ready-for-dev, in-progress, review, done."),
  by: textSchema("Any name."),
  force: { type: "boolean", description: "Against a rule; recorded." },
  text: textSchema("Finding, its id, question or answer."),
  choices: textSchema("ask: JSON list."),
  to: textSchema("ask: whom."),
  number: NUMBER,
  severity: textSchema("high, medium, low."),
  file: textSchema("FILE:LINE."),
  verdict: textSchema("accepted, rejected, deferred, fixed."),
  reason: TEXT,
  lens: textSchema("review: begin a pass."),
};
const EVIDENCE_SCHEMAS = {
  command: textSchema("evidence: npm test."),
  before: textSchema("Its result."),
  after: TEXT,
};
const OTHER_SCHEMAS = {
  script: textSchema("Line or JSON list."),
  count: { ...NUMBER, description: "next: stories at once." },
  budget: NUMBER,
  format: textSchema("json."),
};

const TOOL = {
  name: "bmad_work",
  title: "BMAD project work",
  searchHint: "BMAD board story epic next script memlog sprint status",
  runsOnce: true,
  deed: workDeed,
  run: (app: App, args: Args, asker: Asker) => {
    const { name, status, operation } = operationOf(args);
    const { writes, run } = operation ?? unknownOperation(name, Object.keys(OPERATIONS));
    if (writes) refuseReadOnly(app, name);
    const meant = { status, ...args };
    return textArg(args, "format") === APP_FORMAT
      ? answerApp(app, name, meant, () => run(app, meant, asker))
      : run(app, meant, asker);
  },
} as const;

/** For the App of the board alone, so not in the schema: its drawing, and what becomes of its actions as data. */
const APP_FORMAT = "app";

async function answerApp(app: App, name: string, args: Args, run: () => Promise<Answer>): Promise<Answer> {
  const { act, canAct, drawBoards, isAction, refusalOf } = await import("../board/mod.ts");
  if (name === "board") {
    const work = await app.work();
    const [board, who] = [await work.ledgers(), app.config.team?.who];
    const drawn = { board, notesOf: work.notesOf, ...(canAct(app) && { acting: {} }) };
    return { text: drawBoards([drawn], { who }).text };
  }
  if (!isAction(name)) return await run();
  try {
    return { text: JSON.stringify(await act(app, { ...args, action: name })) };
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return { text: JSON.stringify(refusalOf(error, app.config.person?.role)), isError: true };
  }
}

/** What an action of a board is to change. */
export function boardDeed(message: unknown): readonly string[] {
  const { action, ...fields } = asValues(message);
  return callWords(String(action), fields);
}

/** What a call is to change; which of its lines a script has come to, it says itself. */
function workDeed(args: Args): readonly [verb: string, fields: Args] {
  const { name, status } = operationOf(args);
  const { operation: _, action: __, op: ___, format: ____, ...fields } = args;
  return [name, { ...(status !== undefined && { status }), ...fields }];
}

/** The operation that a call means, and the status that its name says. */
function operationOf(args: Args) {
  const given = textArg(args, "operation", "action", "op")?.toLowerCase() ?? impliedOperation(args);
  const [name, status] = (Object.hasOwn(ALIASES, given) ? ALIASES[given] : undefined) ?? [given];
  return { name, status, operation: Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined };
}

function refuseReadOnly({ config: { settings, person } }: App, what: string): void {
  if (settings.readOnly) fail({ code: "not-allowed", what, hint: whyReadOnly(person) });
}

function operationSchema(names: readonly string[]) {
  return { operation: { type: "string", enum: names } };
}

/** What is left where nothing may be written. */
const READER: Tool = {
  ...TOOL,
  describe: () =>
    `This project's work. ${READING}. script: run those of BMAD's own scripts that write nothing (this server is ` +
    `read-only) ${RUNNING} {"script":"sprint_plan.py status --status-file FILE"}`,
  annotations: { ...READS, idempotentHint: false },
  parameters: {
    ...operationSchema(Object.keys(OPERATIONS).filter((name) => !OPERATIONS[name]!.writes)),
    ...STORY_SCHEMA,
    ...OTHER_SCHEMAS,
  },
};

export const WORK_TOOLS: readonly Tool[] = [{
  ...TOOL,
  describe: () =>
    `This project's work. ${READING}; ${WRITING}. script: run BMAD's own scripts ` +
    `${RUNNING} {"script":"memlog.py append --workspace DIR --text '…'"}`,
  annotations: { ...ADDS, destructiveHint: true },
  parameters: {
    ...operationSchema(Object.keys(OPERATIONS)),
    ...STORY_SCHEMA,
    ...CHANGE_SCHEMAS,
    ...EVIDENCE_SCHEMAS,
    ...OTHER_SCHEMAS,
  },
  whenReadOnly: READER,
}];
