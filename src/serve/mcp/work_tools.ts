/**
 * The tool set `work`: the project's ledgers and documents, changed by BMAD's own rules.
 *
 * To add an operation, add a row to `OPERATIONS`, its parameters to the schema, and what it is for to the description.
 * Both cost every model tokens: together with `bmad` the tool stays within 1,000.
 */
import type { App, Report } from "../../app.ts";
import { type Entry, isOf, qualifiedName } from "../../base/model.ts";
import { safeText } from "../../base/text.ts";
import { longTextArg, requiredArg, textArg, unknownOperation } from "./args.ts";
import type { Answer } from "./reply.ts";
import { ADDS, type Args, textSchema, type Tool } from "./tool.ts";

/** Above the limit of a command line, whose own message is better. */
const MAX_CHARACTERS = 200_000;

const SCRIPT = ["script", "command", "cmd"] as const;

/** What each operation does. Where none is named, a command line means `script`, and a story means `show`. */
const OPERATIONS: Readonly<Record<string, (app: App, args: Args) => Promise<Answer>>> = {
  board: async (app, args) => reportAnswer(await (await app.work()).board(), args),
  next: async (app, args) => reportAnswer(await (await app.work()).next(callOf), args),
  show: async (app, args) =>
    reportAnswer(await (await app.work()).show(requiredArg(args, MAX_NAME, ...STORY)), args),
  script: async (app, args) => {
    const command = requiredArg(args, MAX_CHARACTERS, ...SCRIPT);
    const { status, stdout, stderr } = await (await app.work()).script(command);
    if (status === 0) return { text: safeText(stdout) };
    const text = `${stdout}${stderr}${/(?:^|\n)$/.test(stderr) ? "" : "\n"}Exit status ${status}`;
    return { text: safeText(text), isError: true };
  },
};

const STORY = ["story", "ref", "ticket"] as const;
const MAX_NAME = 500;

/** The call that does the next step. */
function callOf(entry: Entry, message: string | undefined): string {
  const kind = isOf(entry, "agent") ? "agent" : "workflow";
  return `bmad ${JSON.stringify({ operation: "execute", [kind]: qualifiedName(entry), message })}`;
}

function reportAnswer({ text, data }: Report, args: Args): Answer {
  return { text: textArg(args, "format")?.toLowerCase() === "json" ? JSON.stringify(data) : text };
}

/** What a call without an operation means. */
function impliedOperation(args: Args): string {
  if (textArg(args, ...STORY) !== undefined) return "show";
  return longTextArg(args, Infinity, ...SCRIPT) === undefined ? "board" : "script";
}

export const WORK_TOOLS: readonly Tool[] = [{
  name: "bmad_work",
  title: "BMAD project work",
  describe: () =>
    "This project's work. board: epics and stories; next: the story to do now, with the call that does it; show: one " +
    "story. script: run BMAD's own scripts (memlog.py, sprint_plan.py …): give the command line as the BMAD text " +
    'spells it. Needs no Python, uv or shell. Example: {"script":"memlog.py append --workspace DIR --text \'…\'"}',
  annotations: { ...ADDS, destructiveHint: true },
  searchHint: "BMAD board story epic next script memlog sprint status",
  runsOnce: true,
  parameters: {
    operation: { type: "string", enum: Object.keys(OPERATIONS) },
    story: textSchema("show: reference, key or title."),
    script: textSchema("A command line; paths from the project root."),
    format: textSchema("json for JSON."),
  },
  run: (app, args) => {
    const name = textArg(args, "operation", "action", "op")?.toLowerCase() ?? impliedOperation(args);
    const known = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
    return (known ?? unknownOperation(name, Object.keys(OPERATIONS)))(app, args);
  },
}];
