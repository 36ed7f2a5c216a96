import { type App, LISTABLE, toolNames } from "../../app.ts";
import { type Entry, hasKind, kindNamed, type Persona } from "../../base/model.ts";
import { counted, shorten } from "../../base/text.ts";
import { flag, format, json, text } from "../../operations/mod.ts";
import { executionAnswer, fileAnswer, rowsAnswer, searchAnswer } from "./answers.ts";
import { inputArg, isGiven, kindIn, textArg, unknownOperation } from "./args.ts";
import { unlessFailed } from "./name_args.ts";
import { missing, origin, tool } from "./params.ts";
import { contentCallsOn } from "./step_calls.ts";
import { READS, textSchema, titleOf, type Tool } from "./tool.ts";
import { workflowStarter } from "./workflow_tools.ts";

const OPERATIONS = ["read", "list", "modules", "agents", "workflows", "search"];

const OPERATION = text("", {
  names: ["action", "op"],
  schema: { enum: OPERATIONS },
});

const START_WORKFLOW = workflowStarter(
  { context: json("What the user wants, in their words.", { schema: { type: "string" } }) },
  {
    name: "bmad-workflow",
    parameter: "workflow",
    names: ["workflow_name", "workflowName", "name", "agent", "id"],
    lists: 'bmad-resources {"operation":"workflows"} lists them',
  },
);

export const AGENTS_TOOLS: readonly Tool[] = [
  {
    ...START_WORKFLOW,
    describe: (overview, leftOut) =>
      START_WORKFLOW.describe(overview, leftOut) +
      (leftOut === 0
        ? ""
        : ` ${
          counted(leftOut, "more agent has", "more agents have")
        } no tool, because clients limit their number: ` +
          'bmad-resources {"operation":"agents"} lists all, {"workflow":"MODULE/AGENT"} starts one here.'),
  },
  tool({
    name: "bmad-resources",
    title: "Browse BMAD content",
    description:
      "Read and find BMAD content: read a bmad:// URI, list resources, modules, agents or workflows, search by words.",
    searchHint: "BMAD files resources agents workflows modules search",
    params: {
      operation: OPERATION,
      uri: text("read: a bmad:// URI or a path from a BMAD text; #lines=a-b for an excerpt.", {
        names: ["path", "file"],
      }),
      pattern: text("list: a glob over URIs."),
      query: text("search: words.", { names: ["searchQuery", "q", "words"] }),
      type: text("search: only this kind, such as agent.", { names: ["searchType", "kind"] }),
      module: text("Only this module.", { forModel: "" }),
      category: text("Only this category.", { forModel: "", names: ["phase"] }),
      raw: flag("Only the file's text.", { forModel: "" }),
      origin,
      format,
    },
    required: ["operation"],
    run: async (
      app,
      { operation: named, uri, query: words, pattern, type, raw, format: _, ...filters },
      given,
    ) => {
      const implied = uri !== undefined ? "read" : words !== undefined ? "search" : "list";
      const operation = named?.toLowerCase() ?? implied;
      if (READING.includes(operation)) {
        const options = { raw, origin: filters.origin, calls: contentCallsOn(app) };
        return fileAnswer(await app.open(uri ?? missing("uri"), options), given);
      }
      if (SEARCHING.includes(operation)) {
        const request = { words: words ?? missing("query"), kind: kindIn(type), ...filters };
        return await searchAnswer(app, request, given, START);
      }
      const what = operation === "list" || operation === "ls" ? "resources" : operation;
      if (!LISTABLE.includes(what)) unknownOperation(operation, OPERATIONS);
      const rows = await app.list({ what, ...filters, isContinued: isGiven(given["cursor"]), pattern });
      const started = kindNamed(what) === undefined ? {} : { then: START, isNamed: true };
      return rowsAnswer(app, rows, given, { what, ...started });
    },
  }),
];

const START = 'bmad-workflow {"workflow":NAME}';

const READING = ["read", "get", "open", "show", "view"];
const SEARCHING = ["search", "find"];

export function agentTools(entries: readonly Entry[]): readonly Tool[] {
  const agents = entries.filter((entry) => hasKind(entry, "agent"));
  const names = toolNames(agents);
  return agents.map((agent) => agentTool(agent, names.get(agent.key)!));
}

/** A client cuts descriptions at 2,048 characters, and there are up to forty of these. */
const MAX_DETAIL = 800;

async function detailOf(app: App, agent: Entry): Promise<string> {
  const facts = (await unlessFailed(app.read(agent, undefined, { isLook: true })))?.data ?? {};
  const { role = "", identity = "" } = (facts["persona"] ?? {}) as Partial<Persona>;
  const { capabilities = [], menu = [] } = facts as Partial<Persona>;
  const lines = [
    ...[role, identity].map((text) => shorten(text)),
    capabilities.length === 0 ? "" : `Can do: ${capabilities.join(", ")}.`,
    menu.length === 0 ? "" : `Menu: ${menu.map(({ code, label }) => `${code} ${label}`).join(" | ")}`,
  ];
  return shorten(lines.filter((line) => line !== "").join(" "), MAX_DETAIL);
}

function agentTool(agent: Entry, name: string): Tool {
  const persona = [agent.displayName, agent.title].filter(Boolean).join(", ") || agent.name;
  const description = `Become the BMAD agent ${shorten(persona, 80)}: returns the persona to act as. ${
    shorten(agent.description === agent.title ? "" : agent.description)
  }`.trim();
  return {
    name,
    title: titleOf(agent),
    describe: () => description,
    detail: (app) => detailOf(app, agent),
    annotations: READS,
    searchHint: shorten(`BMAD agent ${persona}`, 80),
    parameters: () => ({ message: textSchema("What the user wants, in their words.") }),
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
