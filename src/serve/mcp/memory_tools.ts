/**
 * The tool set `memory`: what a project is, what its agents learned, and what went wrong in it.
 *
 * To add a tool, add a row. A tool that writes also needs a row in `NEEDS` (src/settings/plan/kit.ts), or it has no right to.
 */
import type { App } from "../../app.ts";
import { BmadError, fail } from "../../base/errors.ts";
import { MEMORY_TYPES } from "../../base/memory_types.ts";
import { CONTEXT_SECTIONS, FAILURE_CATEGORIES } from "../../base/model.ts";
import { reportAnswer } from "./answers.ts";
import {
  type Args,
  longTextArg,
  numberArg,
  READS,
  textArg,
  textsArg,
  textSchema,
  type Tool,
} from "./tool.ts";

/** More than anybody has. */
const MOST = 10_000;

/** The tools, in the order of use. */
export const MEMORY_TOOLS: readonly Tool[] = [
  {
    name: "get_project_context",
    title: "Show the project's context",
    describe: () =>
      "What this project is, from its BMAD memory: name, stack, agents, latest decisions, architecture, conventions. " +
      "Look here before you plan, decide or code.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD project context stack decisions architecture conventions" },
    inputSchema: {
      type: "object",
      properties: {
        section: {
          type: "string",
          enum: CONTEXT_SECTIONS,
          description: "Default all: short. Others: whole.",
        },
      },
    },
    run: async (app, args) => reportAnswer((await app.runs()).context(textArg(args, "section")), args),
  },
  {
    name: "get_agent_memory",
    title: "Show what an agent learned",
    describe: () =>
      "What an agent of this project has learned, newest first, or what fits a query, from its BMAD memory.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD agent memory learnings lessons" },
    inputSchema: {
      type: "object",
      properties: {
        agent: textSchema("Its id, such as dev, architect or qa."),
        query: textSchema("Words: only learnings that fit, best first."),
        last_n: { type: "number", description: "At most so many; 20 if not said." },
      },
      required: ["agent"],
    },
    run: async (app, args) => {
      const agent = textArg(args, "agent", "agent_id", "agentId", "name");
      if (agent === undefined) {
        return fail({
          code: "invalid-input",
          field: "agent",
          problem: "name the agent",
          hint: "Such as dev or architect",
        });
      }
      const runs = await app.runs();
      const request = {
        query: textArg(args, "query", "q", "words"),
        limit: numberArg(args, "last_n", 1, MOST),
      };
      return reportAnswer(
        await runs.learnings({ agent, aliases: await namesOf(app, agent), ...request }),
        args,
      );
    },
  },
  {
    name: "get_failure_museum",
    title: "Show past failures",
    describe: () =>
      "What went wrong in this project before, with cause and lesson, gravest first, from its BMAD memory.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD failure museum mistakes lessons errors" },
    inputSchema: {
      type: "object",
      properties: {
        category: { type: "string", enum: ["all", ...FAILURE_CATEGORIES] },
        top_n: { type: "number", description: "At most so many; 10 if not said." },
      },
    },
    run: async (app, args) => {
      const request = {
        category: textArg(args, "category", "type"),
        limit: numberArg(args, "top_n", 1, MOST),
      };
      return reportAnswer((await app.runs()).failures(request), args);
    },
  },
  {
    name: "remember_structured",
    title: "Remember something about the project",
    describe: () =>
      "Keep one thing in this project's BMAD memory that agents should know later: a decision, a lesson, a failure. " +
      "One clear sentence or two; the same text again changes nothing.",
    annotations: { ...READS, readOnlyHint: false },
    meta: { "anthropic/searchHint": "BMAD remember store memory decision learning failure" },
    inputSchema: {
      type: "object",
      properties: {
        type: { type: "string", enum: MEMORY_TYPES },
        agent: textSchema("Who remembers it: an agent's id, such as dev."),
        text: textSchema("What to remember, without secrets."),
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["type", "agent", "text"],
    },
    run: async (app, args) => {
      const request = {
        type: neededArg(args, "the type", "type", "collection"),
        agent: neededArg(args, "who remembers it", "agent", "agent_id", "agentId"),
        text: longTextArg(args, MOST_CHARACTERS, "text", "memory", "content") ??
          missing("text", "what to remember"),
        tags: textsArg(args, MOST_CHARACTERS, "tags").flatMap((tag) => tag.split(",")),
      };
      return reportAnswer(await (await app.memory()).remember(request), args);
    },
  },
  {
    name: "recall_structured",
    title: "Recall what the project knows",
    describe: () =>
      "Find what this project's BMAD memory knows, by meaning and by words, best first, with the reasons. " +
      "Ask before you decide or repeat work.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD recall search memory decisions learnings failures" },
    inputSchema: {
      type: "object",
      properties: {
        query: textSchema("A question or words, in English or French."),
        type: { type: "string", enum: MEMORY_TYPES },
        agent: textSchema("Only what this agent remembered."),
        limit: { type: "number", description: "At most so many, up to 50; 5 if not said." },
      },
      required: ["query"],
    },
    run: async (app, args) => {
      const request = {
        query: longTextArg(args, MOST_CHARACTERS, "query", "q", "question") ??
          missing("query", "what to look for"),
        type: textArg(args, "type", "collection"),
        agent: textArg(args, "agent", "agent_id", "agentId"),
        limit: numberArg(args, "limit", 1, 50),
      };
      return reportAnswer(await (await app.memory()).recall(request), args);
    },
  },
  {
    name: "search_codebase",
    title: "Search the project's files",
    describe: () =>
      "Find files of the BMAD project that fit a question or words, best first, with the lines to look at. " +
      "Knows parts of names and French; what git ignores is left out.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD search code files of the project" },
    inputSchema: {
      type: "object",
      properties: {
        query: textSchema("What to look for, in a few words."),
        path: textSchema("A folder or file of the project to look in."),
        limit: { type: "number", description: "At most so many files, up to 50; 10 if not said." },
      },
      required: ["query"],
    },
    run: async (app, args) => {
      const request = {
        query: longTextArg(args, MOST_CHARACTERS, "query", "q", "pattern") ??
          missing("query", "what to look for"),
        path: textArg(args, "path", "folder", "directory"),
        limit: numberArg(args, "limit", 1, 50),
      };
      return reportAnswer(await app.searchCode(request), args);
    },
  },
];

/** So that what is too long is refused by who knows how long it may be. */
const MOST_CHARACTERS = 1_000_000;

function neededArg(args: Args, what: string, ...names: readonly string[]): string {
  return textArg(args, ...names) ?? missing(names[0]!, what);
}

function missing(field: string, what: string): never {
  return fail({ code: "invalid-input", field, problem: `say ${what}` });
}

/** The names under which the library knows an agent, who may have been called by another one. */
async function namesOf(app: App, name: string): Promise<readonly string[]> {
  try {
    const { id, name: short, displayName } = await app.resolve({ name, kind: "agent" });
    return [id, short, displayName].filter((one) => one !== undefined);
  } catch (error) {
    if (error instanceof BmadError) return [];
    throw error;
  }
}
