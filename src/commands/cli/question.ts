/**
 * `bmad-mcp ask` and `answer`: what people have to decide, and what they decide.
 */
import type { App } from "../../app.ts";
import { BmadError, fail } from "../../base/errors.ts";
import { command, oneLine, withCommand } from "../../base/text.ts";
import type { Host } from "../../process/host.ts";
import type { Invocation } from "../../settings/mod.ts";
import { stepCommands } from "./commands_shown.ts";
import { parseCount } from "./input.ts";
import { asItems, printJson, printReport, printText } from "./output.ts";

/** Asks a question, about a story if two operands are given. */
export async function ask(
  host: Host,
  app: App,
  { operands, options: { choices, to, by, json } }: Invocation,
): Promise<void> {
  const [question, story] = operands.toReversed();
  await refuseAgent(app, operands[0]!, story === undefined ? undefined : question);
  const request = { story, question: question!, choices: choicesIn(choices ?? ""), to, by };
  printReport(host, await (await app.work()).ask(request, stepCommands(app.config)), json);
}

/** People talk to agents; a question to one would wait for an answer forever. */
async function refuseAgent(app: App, name: string, message: string | undefined): Promise<void> {
  if (/\s/.test(name)) return;
  const entry = await app.resolve({ name, kind: "agent" }).catch((error) => {
    if (!(error instanceof BmadError)) throw error;
    return undefined;
  });
  if (entry === undefined) return;
  const line = { line: message === undefined ? "" : command` -m ${message}` };
  const talk = withCommand("To talk to it", command`bmad-mcp execute ${name}${line}`);
  const problem = `"${oneLine(name)}" is an agent. ${talk}. To ask people: bmad-mcp ask QUESTION`;
  fail({ code: "invalid-input", problem });
}

/** Answers a question; without a number, lists them, and with a number alone, shows that one. */
export async function answer(
  host: Host,
  app: App,
  { operands: [given, text], options: { by, json } }: Invocation,
): Promise<void> {
  const work = await app.work();
  const number = parseCount("NUMBER", given?.replace(/^(?:Q|#)/i, ""));
  if (number !== undefined && text !== undefined) {
    return printReport(host, await work.answer({ number, text, by }), json);
  }
  const report = await work.questions(stepCommands(app.config), number);
  if (json) return printJson(host, asItems(report.data, "open"));
  printText(host, report.text);
}

/** `A,B`, or `A | B` where one has a comma. */
function choicesIn(given: string): readonly string[] {
  return given.split(given.includes("|") ? "|" : ",").map((one) => one.trim()).filter((one) => one !== "");
}
