import type { CallToolResult } from "@modelcontextprotocol/server";
import type { App, Config } from "../../app.ts";
import { cachedWith, keepLatest } from "../../base/cache.ts";
import { BmadError, describe, failField, failInput, failUnknown, forbid } from "../../base/errors.ts";
import { suggest } from "../../base/suggestions.ts";
import { withChoices } from "./ambiguity.ts";
import { numberArg, textArg } from "./args.ts";
import type { Asker } from "./question.ts";
import { type Answer, resultLimits, toResult, withWays } from "./reply.ts";
import { type Args, deedOf, type Tool } from "./tool.ts";
import { callableTool, everyTool, toolHint } from "./toolsets.ts";

export async function runTool(app: App, tool: Tool, given: Args, asker: Asker): Promise<CallToolResult> {
  const part = numberArg(given, "part", 1, 10_000) ?? 1;
  const { part: _, ...args } = given;
  const { config, projects } = app;
  const request = { call: tool.name, part, ...resultLimits(config) };
  if (tool.runsOnce && part > 1) return toResult(cachedAnswer(config, tool.name, args), { ...request, args });
  const deed = asker.record && deedOf(tool, args);
  const recorded = deed === undefined ? app : await app.recording(deed, asker.record!);
  const meant = projects === undefined ? recorded : await projectOf(recorded, tool, args);
  const said = [args["message"], args["context"], args["prompt"], args["input"]];
  const choices = withChoices(meant, asker, said.find((value) => typeof value === "string"));
  const answer = await runWithHint(tool, choices.app, args, asker);
  const chosen = choices.applyTo(args);
  if (tool.runsOnce) keepLatest(answersOf(config), keyOf(tool.name, chosen), answer, MAX_ANSWERS);
  return toResult(answer, { ...request, args: chosen });
}

async function projectOf(app: App, { answersForAll }: Tool, args: Args): Promise<App> {
  const { failUndecided, findProject } = await import("../../projects.ts");
  const projects = app.projects!;
  const word = textArg(args, "project");
  if (word !== undefined) return findProject(projects, word);
  return projects.current === undefined && !answersForAll ? failUndecided(projects, "This tool", true) : app;
}

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
    return failInput(describe(failure!), hint);
  }
}

interface CallResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean;
}

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
  if (excludeTools.includes(name)) forbidTool(name, "excludeTools");
  const allowed = callableTool(app.config, tool) ?? forbidTool(name, "readOnly");
  return await runTool(app, allowed, args, NOBODY).catch((error: unknown) => {
    throw error instanceof BmadError ? withWays(error) : error;
  });
}

export const NOBODY: Asker = { offers: () => false, ask: () => Promise.resolve({ kind: "missing" }) };

function forbidTool(name: string, setting: string): never {
  return forbid(`call ${name}`, `the setting ${setting} forbids it`);
}

const MAX_ANSWERS = 10;

/** Of tools that must not run again for the next part. A server may live for one request only. */
const answersOf = cachedWith((_: Config) => new Map<string, Answer>());

function cachedAnswer(config: Config, tool: string, args: Args): Answer {
  return answersOf(config).get(keyOf(tool, args)) ??
    failField(
      "part",
      `no recent answer of ${tool} to these arguments`,
      "Call it without part to run it again",
    );
}

function keyOf(tool: string, args: Args): string {
  return JSON.stringify([tool, args]);
}
