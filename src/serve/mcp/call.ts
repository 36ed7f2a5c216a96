/**
 * One call of a tool, from its arguments to its result: the same for every surface.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { App } from "../../app.ts";
import { BmadError, describe, fail, failUnknown } from "../../base/errors.ts";
import { suggest } from "../../base/suggestions.ts";
import { withChoices } from "./ambiguity.ts";
import { cacheAnswer, cachedAnswer } from "./answer_cache.ts";
import { numberArg } from "./args.ts";
import type { Asker } from "./question.ts";
import { type Answer, resultLimits, toResult, withWays } from "./reply.ts";
import { type Args, deedOf, type Tool } from "./tool.ts";
import { allowedTool, everyTool, toolHint } from "./toolsets.ts";

/** Runs a tool and returns the part of its answer that is asked for. Failures are thrown. */
export async function runTool(
  app: App,
  tool: Tool,
  given: Args,
  asker: Asker,
): Promise<CallToolResult> {
  const part = numberArg(given, "part", 1, 10_000) ?? 1;
  const { part: _, ...args } = given;
  const { config } = app;
  const request = { call: tool.name, part, ...resultLimits(config) };
  if (tool.runsOnce && part > 1) return toResult(cachedAnswer(config, tool.name, args), { ...request, args });
  const deed = asker.record && deedOf(tool, args);
  const recorded = deed === undefined ? app : await app.recording(deed, asker.record!);
  const choices = withChoices(recorded, asker, messageIn(args));
  const answer = await runWithHint(tool, choices.app, args, asker);
  const chosen = choices.applyTo(args);
  if (tool.runsOnce) cacheAnswer(config, tool.name, chosen, answer);
  return toResult(answer, { ...request, args: chosen });
}

/** What finds nothing, or only similar items, says what to do if another tool was meant. */
async function runWithHint(tool: Tool, app: App, args: Args, asker: Asker): Promise<Answer> {
  try {
    const answer = await tool.run(app, args, asker);
    const hint = answer.isList ? toolHint(app.config, args) : undefined;
    return hint === undefined ? answer : { ...answer, text: `${answer.text}\n${hint}.` };
  } catch (error) {
    const failure = error instanceof BmadError ? error.failure : undefined;
    const isUnknown = failure?.code === "not-found" || failure?.code === "invalid-input";
    const hint = isUnknown ? toolHint(app.config, args) : undefined;
    if (hint === undefined) throw error;
    return fail({ code: "invalid-input", problem: describe(failure!), hint });
  }
}

/** The result of a call, as a client gets it. */
export interface CallResult {
  /** Blocks; those with text are the answer. */
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  /** Whether the text says what failed. */
  readonly isError?: boolean;
}

/** Calls any tool by its name, for a caller that cannot be asked anything. Failures are thrown. */
export async function callTool(
  app: App,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<CallResult> {
  const { excludeTools } = app.config.settings;
  const tools = await everyTool(app);
  const tool = tools.find((tool) => tool.name === name);
  if (tool === undefined) {
    const known = tools.map((tool) => tool.name);
    return failUnknown("tool", name, known, suggest(name.toLowerCase(), known));
  }
  // Calling a tool by its name chooses it, but what is forbidden stays forbidden.
  if (excludeTools.includes(name)) forbid(name, "excludeTools");
  const allowed = allowedTool(app.config, tool) ?? forbid(name, "readOnly");
  return await runTool(app, allowed, args, NOBODY).catch((error: unknown) => {
    throw error instanceof BmadError ? withWays(error) : error;
  });
}

/** The tools that can be called by name. */
export async function callableTools(
  app: App,
): Promise<readonly { readonly name: string; readonly title: string }[]> {
  return await everyTool(app);
}

/** A caller that cannot be asked anything. */
export const NOBODY: Asker = { offers: () => false, ask: () => Promise.resolve({ kind: "missing" }) };

function forbid(name: string, setting: string): never {
  return fail({ code: "not-allowed", what: `call ${name}`, hint: `the setting ${setting} forbids it` });
}

/** The user's words, under whatever name a tool takes them. Anything but text is the tool's to refuse. */
function messageIn({ message, context, prompt, input }: Args): string | undefined {
  return [message, context, prompt, input].find((value) => typeof value === "string");
}
