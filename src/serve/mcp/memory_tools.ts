/** A tool that writes or uses memory also needs a row in ../handshake/tool_needs.ts. */
import { CONTEXT_SECTIONS, FAILURE_CATEGORIES, MEMORY_TYPES } from "../../base/model.ts";
import { list, number, text } from "../../operations/mod.ts";
import { agentOf, allNamesOf } from "./name_args.ts";
import { tool } from "./params.ts";
import { READS, type Tool } from "./tool.ts";

/** Far above the limits of the memory itself, which has the better message. */
const MAX_CHARACTERS = 1_000_000;

const COUNT = [1, 10_000] as const;
const AGENT = ["agent_id", "agentId"] as const;
const TYPE = text("", { choices: MEMORY_TYPES, names: ["collection"] });

export const MEMORY_TOOLS: readonly Tool[] = [
  tool({
    name: "get_project_context",
    title: "Show the project's context",
    description:
      "What this project is, from its BMAD memory: name, stack, agents, latest decisions, architecture, conventions. " +
      "Read it before you plan, decide or code.",
    searchHint: "BMAD project context stack decisions architecture conventions",
    params: {
      section: text(
        `Default all: a summary. In full: ${
          CONTEXT_SECTIONS.slice(1).join(", ")
        }, or a chapter by its heading.`,
      ),
    },
    run: async ({ project }, { section }) => (await project.kitFiles()).context(section),
  }),
  tool({
    name: "get_agent_memory",
    title: "Show what an agent learned",
    description:
      "What an agent of this project has learned, from its BMAD memory: newest first, or the best matches of a query.",
    searchHint: "BMAD agent memory learnings lessons",
    params: {
      agent: text("Its id, such as dev, architect or qa.", {
        isRequired: true,
        example: "dev",
        names: [...AGENT, "name"],
      }),
      query: text("Only learnings that match these words.", { names: ["q", "words"] }),
      last_n: number("Limit, default 20.", { range: COUNT }),
    },
    run: async (app, { agent, query, last_n: limit }) => {
      const names = await allNamesOf(app, agent);
      return await (await app.project.kitFiles()).learnings({ ...names, query, limit });
    },
  }),
  tool({
    name: "get_failure_museum",
    title: "Show past failures",
    description:
      "What went wrong in this project before, with cause and lesson, worst first, from its BMAD memory.",
    searchHint: "BMAD failure museum mistakes lessons errors",
    params: {
      category: text("", { choices: ["all", ...FAILURE_CATEGORIES], names: ["type"] }),
      top_n: number("Limit, default 10.", { range: COUNT }),
    },
    run: async ({ project }, { category, top_n: limit }) =>
      await (await project.kitFiles()).failures({ category, limit }),
  }),
  tool({
    name: "remember_structured",
    title: "Remember something about the project",
    description:
      "Store something in this project's BMAD memory that agents should know later: a decision, a lesson, a failure. " +
      "One or two clear sentences; storing the same text again changes nothing.",
    annotations: { ...READS, readOnlyHint: false },
    searchHint: "BMAD remember store memory decision learning failure",
    params: {
      type: { ...TYPE, isRequired: true },
      agent: text("Who remembers it: an agent's id, such as dev.", {
        isRequired: true,
        example: "dev",
        names: AGENT,
      }),
      text: text("What to remember, without secrets.", {
        isRequired: true,
        names: ["memory", "content"],
        maxLength: MAX_CHARACTERS,
      }),
      tags: list("", {
        maxLength: MAX_CHARACTERS,
        schema: { type: "array", items: { type: "string" } },
      }),
    },
    run: async (app, { type, agent, text, tags }) =>
      await (await app.project.memory()).remember({
        type,
        agent: await agentOf(app, agent),
        text,
        tags: tags.flatMap((tag) => tag.split(",")),
      }),
  }),
  tool({
    name: "recall_structured",
    title: "Recall what the project knows",
    description:
      "Search this project's BMAD memory by meaning and words: memories, decisions, context, learnings, failures, stories. " +
      "Best first, with source and reasons. Ask before you decide or repeat work.",
    searchHint: "BMAD recall search memory decisions learnings failures",
    params: {
      query: text("A question or words, in English or French.", {
        isRequired: true,
        names: ["q", "question"],
        maxLength: MAX_CHARACTERS,
      }),
      type: TYPE,
      agent: text("Only what this agent remembered.", { names: AGENT }),
      limit: number("Up to 50, default 5.", { range: [1, 50] }),
    },
    run: async (app, { agent, ...request }) => {
      const names = agent === undefined ? {} : await allNamesOf(app, agent);
      return await (await app.project.memory()).recall({ ...request, ...names });
    },
  }),
  tool({
    name: "search_codebase",
    title: "Search the project's files",
    description:
      "Find files of the BMAD project by a question or words, best first, with the lines to look at. " +
      "Knows parts of names and French; skips what git ignores.",
    searchHint: "BMAD search code files of the project",
    params: {
      query: text("What to look for, in a few words.", {
        isRequired: true,
        names: ["q", "pattern"],
        maxLength: MAX_CHARACTERS,
      }),
      path: text("Only in this folder or file.", { names: ["folder", "directory"] }),
      limit: number("Up to 50 files, default 10.", { range: [1, 50] }),
    },
    run: async ({ project }, request) => await project.searchCode(request),
  }),
];
