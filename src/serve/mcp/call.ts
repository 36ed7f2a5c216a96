/**
 * One call of a tool: from the arguments as they came to a result, the same way for every surface.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { App } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import { suggest } from "../../base/suggestions.ts";
import { withChoices } from "./ambiguity.ts";
import { keepAnswer, keptAnswer } from "./kept_answers.ts";
import type { Asker } from "./question.ts";
import { toResult } from "./reply.ts";
import { type Args, numberArg, type Tool } from "./tool.ts";
import { everyTool } from "./toolsets.ts";

/** Runs a tool and gives the part of its answer that is asked for. Failures are thrown. */
export async function runTool(app: App, tool: Tool, given: Args, asker: Asker): Promise<CallToolResult> {
  const part = numberArg(given, "part", 1, 10_000) ?? 1;
  const { part: _, ...args } = given;
  const { config } = app;
  const request = { call: tool.name, part, maxBytes: config.settings.maxResult };
  if (tool.runsOnce && part > 1) return toResult(keptAnswer(config, tool.name, args), { ...request, args });
  const choices = withChoices(app, asker, wishOf(args));
  const answer = await tool.run(choices.app, args, asker);
  const settled = choices.settle(args);
  if (tool.runsOnce) keepAnswer(config, tool.name, settled, answer);
  return toResult(answer, { ...request, args: settled });
}

/** What a call answers, as a client gets it. */
export interface CallResult {
  /** Blocks, of which those with text are the answer. */
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** Calls a tool by its name, of whichever set, for somebody who cannot be asked anything. Failures are thrown. */
export async function callTool(
  app: App,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<CallResult> {
  const { excludeTools, readOnly } = app.config.settings;
  const tools = await everyTool(app);
  const tool = tools.find((tool) => tool.name === name);
  if (tool === undefined) {
    const names = tools.map((tool) => tool.name);
    const near = suggest(name.toLowerCase(), names);
    return fail({
      code: "not-found",
      what: "tool",
      name,
      suggestions: near,
      hint: `There are ${names.join(", ")}`,
    });
  }
  // Whoever calls a tool by its name chooses it; what was forbidden stays so.
  if (excludeTools.includes(name)) forbid(name, "excludeTools");
  if (readOnly && !tool.annotations.readOnlyHint) forbid(name, "readOnly");
  return runTool(app, tool, args, NOBODY);
}

/** The tools that can be called by name. */
export async function callableTools(
  app: App,
): Promise<readonly { readonly name: string; readonly title: string }[]> {
  return await everyTool(app);
}

const NOBODY: Asker = { offers: () => false, ask: () => Promise.resolve({ kind: "missing" }) };

function forbid(name: string, setting: string): never {
  return fail({ code: "not-allowed", what: `call ${name}`, hint: `the setting ${setting} forbids it` });
}

/** What the user wants, by whatever name a tool takes it; what is no text is left to the tool to complain about. */
function wishOf({ message, context, prompt, input }: Args): string | undefined {
  return [message, context, prompt, input].find((value) => typeof value === "string");
}
