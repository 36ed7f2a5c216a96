/**
 * The tool set `memory`: what a project is, what its agents learned, and what went wrong in it.
 *
 * To add a tool, add a row. A tool that writes also needs a row in `NEEDS` (src/config/kit.ts), or it has no right to.
 */
import type { App } from "../app.ts";
import { BmadError, fail } from "../errors.ts";
import { CONTEXT_SECTIONS, FAILURE_CATEGORIES } from "../model.ts";
import { reportAnswer } from "./answers.ts";
import { numberArg, READS, textArg, textSchema, type Tool } from "./tool.ts";

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
        lastN: numberArg(args, "last_n", 1, MOST),
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
        topN: numberArg(args, "top_n", 1, MOST),
      };
      return reportAnswer((await app.runs()).failures(request), args);
    },
  },
];

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
