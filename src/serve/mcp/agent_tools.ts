/**
 * The tool set `agents`: a tool for each agent, and two for workflows and files.
 *
 * For clients and people who are used to one tool for each agent. Names are `{module}-{agent}`; what a client cannot
 * take any more is reached through `bmad-workflow`, whose description says so.
 */
import { type App, LISTABLE, toolNames } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import { type Entry, isOf, kindNamed, qualifiedName } from "../../base/model.ts";
import { executionAnswer, fileAnswer, rowsAnswer, shorten } from "./answers.ts";
import { resolveWanted } from "./named.ts";
import { titleOf } from "./title.ts";
import type { Answer } from "./reply.ts";
import {
  type Args,
  flagArg,
  inputArg,
  kindArg,
  listArgs,
  READS,
  searchArgs,
  textArg,
  textSchema,
  type Tool,
} from "./tool.ts";

/** The tools beside those of the agents. */
export const AGENTS_TOOLS: readonly Tool[] = [
  {
    name: "bmad-workflow",
    title: "Start a BMAD workflow",
    describe: (_, leftOut) =>
      "Start a BMAD workflow, such as prd, architecture or sprint-planning: returns its instructions with resolved " +
      "configuration. Then follow them yourself." + (leftOut === 0
        ? ""
        : ` ${leftOut} more agents have no tool of their own, as clients take only so many: ` +
          'bmad-resources {"operation":"agents"} lists all, and {"workflow":"MODULE/AGENT"} starts one here.'),
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD workflow start run PRD architecture story" },
    inputSchema: {
      type: "object",
      properties: {
        workflow: textSchema("Its name, or module/name."),
        context: textSchema("What the user wants, in their words."),
      },
      required: ["workflow"],
    },
    run: async (app, args) => {
      const entry = await resolveWanted(app, "workflow", {
        tool: "bmad-workflow",
        args,
        parameters: ["workflow", "workflow_name", "workflowName", "name", "agent", "id"],
        hint: 'bmad-resources {"operation":"workflows"} says which there are',
      });
      return executionAnswer(app, entry, inputArg(args, "context"), args);
    },
  },
  {
    name: "bmad-resources",
    title: "Look around in BMAD",
    describe: () =>
      "Read BMAD files and find things: read a bmad:// URI, list resources, modules, agents or workflows, search " +
      "by words.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD files resources agents workflows modules search" },
    inputSchema: {
      type: "object",
      properties: {
        operation: { type: "string", enum: ["read", "list", "modules", "agents", "workflows", "search"] },
        uri: textSchema("read: a bmad:// URI or a path as BMAD text spells it; #lines=a-b for an excerpt."),
        pattern: textSchema("list: a glob over URIs."),
        query: textSchema("search: words."),
        type: textSchema("search: only this kind, such as agent."),
      },
      required: ["operation"],
    },
    run: lookAround,
  },
];

/** A tool for each agent among some entries. */
export function agentTools(entries: readonly Entry[]): readonly Tool[] {
  const agents = entries.filter((entry) => isOf(entry, "agent"));
  const names = toolNames(agents);
  return agents.map((agent): Tool => {
    const name = names.get(agent.key)!;
    const who = [agent.displayName, agent.title].filter(Boolean).join(", ") || agent.name;
    return {
      name,
      title: titleOf(agent),
      describe: () =>
        `Become the BMAD agent ${shorten(who, 80)}: returns the persona to act as. ${
          shorten(agent.description)
        }`
          .trim(),
      annotations: READS,
      meta: { "anthropic/searchHint": shorten(`BMAD agent ${who}`, 80) },
      inputSchema: {
        type: "object",
        properties: { message: textSchema("What the user wants, in their words.") },
        required: ["message"],
      },
      run: async (app, args) => {
        const { message, params } = inputArg(args, "message");
        if (message === undefined && params === undefined) {
          fail({ code: "invalid-input", field: "message", problem: "say what the user wants of the agent" });
        }
        const item = textArg(args, "item", "menuItem", "menu_item");
        // Asked for anew: the content may have changed since the tools were listed.
        const entry = await app.resolve({ name: qualifiedName(agent), kind: "agent" });
        return await executionAnswer(app, entry, { message, params, item }, args);
      },
    };
  });
}

/** How a thing of a list is started. */
const START = 'bmad-workflow {"workflow":NAME}';

/** What models write instead of `read` and `search`. */
const OPENING = ["read", "get", "open", "show", "view"];
const FINDING = ["search", "find"];

async function lookAround(app: App, args: Args): Promise<Answer> {
  const { maxResult: maxBytes } = app.config.settings;
  const uri = textArg(args, "uri", "path", "file");
  const words = textArg(args, "query", "searchQuery", "q", "words");
  const implied = uri !== undefined ? "read" : words !== undefined ? "search" : "list";
  const operation = textArg(args, "operation", "action", "op")?.toLowerCase() ?? implied;
  if (OPENING.includes(operation)) {
    if (uri !== undefined) return fileAnswer(await app.open(uri, { raw: flagArg(args, "raw") }), args);
    return fail({
      code: "invalid-input",
      field: "uri",
      problem: "say what to read",
      hint: "Give a bmad:// URI",
    });
  }
  if (FINDING.includes(operation)) {
    if (words === undefined) {
      return fail({ code: "invalid-input", field: "query", problem: "say which words to search for" });
    }
    const kind = kindArg(args, "type", "searchType", "kind");
    const rows = await app.search({ words, kind, ...searchArgs(args) });
    return rowsAnswer(rows, args, { what: `results for "${words}"`, maxBytes, then: START });
  }
  const what = operation === "list" || operation === "ls" ? "resources" : operation;
  if (!LISTABLE.includes(what)) {
    const hint = "Use read, list, modules, agents, workflows or search";
    return fail({
      code: "invalid-input",
      field: "operation",
      problem: `"${operation}" is no operation`,
      hint,
    });
  }
  const isNamed = kindNamed(what) !== undefined;
  return rowsAnswer(
    await app.list({ what, ...listArgs(args), pattern: textArg(args, "pattern") }),
    args,
    isNamed ? { what, maxBytes, then: START, isNamed } : { what, maxBytes },
  );
}
