/**
 * The tool set `work`: the project's ledgers and documents, changed by BMAD's own rules.
 *
 * To add an operation, add a row to `OPERATIONS`, its parameters to the schema, and what it is for to the description.
 * Both cost every model tokens: together with `bmad` the tool stays within 1,000.
 */
import type { App } from "../../app.ts";
import { requiredArg, textArg, unknownOperation } from "./args.ts";
import type { Answer } from "./reply.ts";
import { ADDS, type Args, textSchema, type Tool } from "./tool.ts";

/** Above the limit of a command line, whose own message is better. */
const MAX_CHARACTERS = 200_000;

/** What each operation does; the first is meant where none is named. */
const OPERATIONS: Readonly<Record<string, (app: App, args: Args) => Promise<Answer>>> = {
  script: async (app, args) => {
    const command = requiredArg(args, MAX_CHARACTERS, "script", "command", "cmd");
    const { status, stdout, stderr } = await app.script(command);
    if (status === 0) return { text: stdout };
    return {
      text: `${stdout}${stderr}${/(?:^|\n)$/.test(stderr) ? "" : "\n"}Exit status ${status}`,
      isError: true,
    };
  },
};

export const WORK_TOOLS: readonly Tool[] = [{
  name: "bmad_work",
  title: "BMAD project work",
  describe: () =>
    "Run BMAD's own scripts (memlog.py, sprint_plan.py …) on this project: give the command line as the BMAD text " +
    'spells it. Needs no Python, uv or shell. Example: {"script":"memlog.py append --workspace DIR --text \'…\'"}',
  annotations: { ...ADDS, destructiveHint: true },
  searchHint: "BMAD script memlog sprint status",
  runsOnce: true,
  parameters: {
    operation: { type: "string", enum: Object.keys(OPERATIONS) },
    script: textSchema("A command line; paths from the project root."),
  },
  run: (app, args) => {
    const [first] = Object.keys(OPERATIONS);
    const name = textArg(args, "operation", "action", "op")?.toLowerCase() ?? first!;
    const known = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
    return (known ?? unknownOperation(name, Object.keys(OPERATIONS)))(app, args);
  },
}];
