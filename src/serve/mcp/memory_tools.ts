/**
 * The tool set `memory`: what a project is, what its agents have learned, and what went wrong in it.
 *
 * A tool that writes or uses the memory database also needs a row in ../handshake/tool_needs.ts, or it has no right to.
 */
import { CONTEXT_SECTIONS, FAILURE_CATEGORIES, MEMORY_TYPES } from "../../base/model.ts";
import { reportAnswer, reporting } from "./answers.ts";
import { missing, numberArg, requiredArg, textArg, textsArg } from "./args.ts";
import { agentOf, allNamesOf } from "./agent_names.ts";
import { READS, textSchema, type Tool } from "./tool.ts";

const MAX_COUNT = 10_000;

/** Far above the limits of the memory itself, which has the better message. */
const MAX_CHARACTERS = 1_000_000;

export const MEMORY_TOOLS: readonly Tool[] = [
  {
    name: "get_project_context",
    title: "Show the project's context",
    describe: () =>
      "What this project is, from its BMAD memory: name, stack, agents, latest decisions, architecture, conventions. " +
      "Read it before you plan, decide or code.",
    annotations: READS,
    searchHint: "BMAD project context stack decisions architecture conventions",
    parameters: {
      section: textSchema(
        `Default all: a summary. In full: ${
          CONTEXT_SECTIONS.slice(1).join(", ")
        }, or a chapter by its heading.`,
      ),
    },
    run: reporting(async (app, args) => (await app.project.kitFiles()).context(textArg(args, "section"))),
  },
  {
    name: "get_agent_memory",
    title: "Show what an agent learned",
    describe: () =>
      "What an agent of this project has learned, from its BMAD memory: newest first, or the best matches of a query.",
    annotations: READS,
    searchHint: "BMAD agent memory learnings lessons",
    parameters: {
      agent: textSchema("Its id, such as dev, architect or qa."),
      query: textSchema("Only learnings that match these words."),
      last_n: { type: "number", description: "Limit, default 20." },
    },
    required: ["agent"],
    run: async (app, args) => {
      const agent = textArg(args, "agent", "agent_id", "agentId", "name") ??
        missing("agent", "Use an agent's id, such as dev");
      const runs = await app.project.kitFiles();
      const request = {
        ...await allNamesOf(app, agent),
        query: textArg(args, "query", "q", "words"),
        limit: numberArg(args, "last_n", 1, MAX_COUNT),
      };
      return reportAnswer(await runs.learnings(request), args);
    },
  },
  {
    name: "get_failure_museum",
    title: "Show past failures",
    describe: () =>
      "What went wrong in this project before, with cause and lesson, worst first, from its BMAD memory.",
    annotations: READS,
    searchHint: "BMAD failure museum mistakes lessons errors",
    parameters: {
      category: { type: "string", enum: ["all", ...FAILURE_CATEGORIES] },
      top_n: { type: "number", description: "Limit, default 10." },
    },
    run: reporting(async (app, args) =>
      await (await app.project.kitFiles()).failures({
        category: textArg(args, "category", "type"),
        limit: numberArg(args, "top_n", 1, MAX_COUNT),
      })
    ),
  },
  {
    name: "remember_structured",
    title: "Remember something about the project",
    describe: () =>
      "Store something in this project's BMAD memory that agents should know later: a decision, a lesson, a failure. " +
      "One or two clear sentences; storing the same text again changes nothing.",
    annotations: { ...READS, readOnlyHint: false },
    searchHint: "BMAD remember store memory decision learning failure",
    parameters: {
      type: { type: "string", enum: MEMORY_TYPES },
      agent: textSchema("Who remembers it: an agent's id, such as dev."),
      text: textSchema("What to remember, without secrets."),
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["type", "agent", "text"],
    run: reporting(async (app, args) =>
      await (await app.project.memory()).remember({
        type: textArg(args, "type", "collection") ?? missing("type"),
        agent: await agentOf(app, textArg(args, "agent", "agent_id", "agentId") ?? missing("agent")),
        text: requiredArg(args, MAX_CHARACTERS, "text", "memory", "content"),
        tags: textsArg(args, MAX_CHARACTERS, "tags").flatMap((tag) => tag.split(",")),
      })
    ),
  },
  {
    name: "recall_structured",
    title: "Recall what the project knows",
    describe: () =>
      "Search this project's BMAD memory by meaning and words: memories, decisions, context, learnings, failures, stories. " +
      "Best first, with source and reasons. Ask before you decide or repeat work.",
    annotations: READS,
    searchHint: "BMAD recall search memory decisions learnings failures",
    parameters: {
      query: textSchema("A question or words, in English or French."),
      type: { type: "string", enum: MEMORY_TYPES },
      agent: textSchema("Only what this agent remembered."),
      limit: { type: "number", description: "Up to 50, default 5." },
    },
    required: ["query"],
    run: async (app, args) => {
      const agent = textArg(args, "agent", "agent_id", "agentId");
      const request = {
        query: requiredArg(args, MAX_CHARACTERS, "query", "q", "question"),
        type: textArg(args, "type", "collection"),
        ...agent === undefined ? {} : await allNamesOf(app, agent),
        limit: numberArg(args, "limit", 1, 50),
      };
      return reportAnswer(await (await app.project.memory()).recall(request), args);
    },
  },
  {
    name: "search_codebase",
    title: "Search the project's files",
    describe: () =>
      "Find files of the BMAD project by a question or words, best first, with the lines to look at. " +
      "Knows parts of names and French; skips what git ignores.",
    annotations: READS,
    searchHint: "BMAD search code files of the project",
    parameters: {
      query: textSchema("What to look for, in a few words."),
      path: textSchema("Only in this folder or file."),
      limit: { type: "number", description: "Up to 50 files, default 10." },
    },
    required: ["query"],
    run: reporting(async (app, args) =>
      await app.project.searchCode({
        query: requiredArg(args, MAX_CHARACTERS, "query", "q", "pattern"),
        path: textArg(args, "path", "folder", "directory"),
        limit: numberArg(args, "limit", 1, 50),
      })
    ),
  },
];
