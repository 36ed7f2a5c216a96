/**
 * The tool set `agents`: one tool for each agent, and two for workflows and files.
 *
 * For clients and people who are used to one tool per agent. Tools are named `{module}-{agent}`. Agents beyond the limit
 * that clients have can be started with `bmad-workflow`, whose description says so.
 */
import { callsFor } from "../handshake/mod.ts";
import { type App, LISTABLE, toolNames } from "../../app.ts";
import { type Entry, hasKind, kindNamed } from "../../base/model.ts";
import { counted, shorten } from "../../base/text.ts";
import { executionAnswer, fileAnswer, rowsAnswer, searchAnswer } from "./answers.ts";
import { flagArg, inputArg, listArgs, missing, placeArgs, textArg, unknownOperation } from "./args.ts";
import { resolveOfKind } from "./name_args.ts";
import type { Answer } from "./reply.ts";
import { type Args, ORIGIN, READS, textSchema, titleOf, type Tool } from "./tool.ts";

const OPERATIONS = ["read", "list", "modules", "agents", "workflows", "search"];

export const AGENTS_TOOLS: readonly Tool[] = [
  {
    name: "bmad-workflow",
    title: "Start a BMAD workflow",
    describe: (_, leftOut) =>
      "Start a BMAD workflow, such as prd, architecture or sprint-planning: returns its instructions with resolved " +
      "configuration. Then follow them yourself." + (leftOut === 0
        ? ""
        : ` ${
          counted(leftOut, "more agent has", "more agents have")
        } no tool, because clients limit their number: ` +
          'bmad-resources {"operation":"agents"} lists all, {"workflow":"MODULE/AGENT"} starts one here.'),
    annotations: READS,
    searchHint: "BMAD workflow start run PRD architecture story",
    parameters: {
      workflow: textSchema("Its name, or module/name."),
      context: textSchema("What the user wants, in their words."),
      ...ORIGIN,
    },
    required: ["workflow"],
    run: async (app, args) => {
      const named = await resolveOfKind(app, "workflow", {
        tool: "bmad-workflow",
        args,
        parameters: ["workflow", "workflow_name", "workflowName", "name", "agent", "id"],
        hint: 'bmad-resources {"operation":"workflows"} lists them',
      });
      return executionAnswer(app, named, inputArg(args, "context"), args);
    },
  },
  {
    name: "bmad-resources",
    title: "Browse BMAD content",
    describe: () =>
      "Read and find BMAD content: read a bmad:// URI, list resources, modules, agents or workflows, search by words.",
    annotations: READS,
    searchHint: "BMAD files resources agents workflows modules search",
    parameters: {
      operation: { type: "string", enum: OPERATIONS },
      uri: textSchema("read: a bmad:// URI or a path from a BMAD text; #lines=a-b for an excerpt."),
      pattern: textSchema("list: a glob over URIs."),
      query: textSchema("search: words."),
      type: textSchema("search: only this kind, such as agent."),
      ...ORIGIN,
    },
    required: ["operation"],
    run: browse,
  },
];

export function agentTools(entries: readonly Entry[]): readonly Tool[] {
  const agents = entries.filter((entry) => hasKind(entry, "agent"));
  const names = toolNames(agents);
  return agents.map((agent) => agentTool(agent, names.get(agent.key)!));
}

function agentTool(agent: Entry, name: string): Tool {
  const persona = [agent.displayName, agent.title].filter(Boolean).join(", ") || agent.name;
  const description = `Become the BMAD agent ${shorten(persona, 80)}: returns the persona to act as. ${
    shorten(agent.description)
  }`.trim();
  return {
    name,
    title: titleOf(agent),
    describe: () => description,
    annotations: READS,
    searchHint: shorten(`BMAD agent ${persona}`, 80),
    parameters: { message: textSchema("What the user wants, in their words.") },
    required: ["message"],
    run: async (app, args) => {
      const { message, params } = inputArg(args, "message");
      if (message === undefined && params === undefined) missing("message");
      const item = textArg(args, "item", "menuItem", "menu_item");
      // Resolved again, because the content may have changed since the tools were listed.
      const entry = await app.resolve({ name: agent.id, module: agent.module, kind: "agent" });
      return await executionAnswer(app, { entry }, { message, params, item }, args);
    },
  };
}

const START = 'bmad-workflow {"workflow":NAME}';

/** What models write for `read` and `search`. */
const READING = ["read", "get", "open", "show", "view"];
const SEARCHING = ["search", "find"];

async function browse(app: App, args: Args): Promise<Answer> {
  const uri = textArg(args, "uri", "path", "file");
  const words = textArg(args, "query", "searchQuery", "q", "words");
  const implied = uri !== undefined ? "read" : words !== undefined ? "search" : "list";
  const operation = textArg(args, "operation", "action", "op")?.toLowerCase() ?? implied;
  if (READING.includes(operation)) {
    const { origin } = placeArgs(args);
    const options = { raw: flagArg(args, "raw"), origin, calls: callsFor(app.config) };
    return fileAnswer(await app.open(uri ?? missing("uri"), options), args);
  }
  if (SEARCHING.includes(operation)) return await searchAnswer(app, words ?? missing("query"), args, START);
  const what = operation === "list" || operation === "ls" ? "resources" : operation;
  if (!LISTABLE.includes(what)) unknownOperation(operation, OPERATIONS);
  const { maxResult: maxBytes } = app.config.settings;
  return rowsAnswer(
    await app.list({ what, ...listArgs(args), pattern: textArg(args, "pattern") }),
    args,
    kindNamed(what) === undefined ? { what, maxBytes } : { what, maxBytes, then: START, isNamed: true },
  );
}
