import { type App, findKnowledge, type FragmentContent } from "../../app.ts";
import { failUnknown } from "../../base/errors.ts";
import type { Kind } from "../../base/model.ts";
import { suggest } from "../../base/suggestions.ts";
import { format, json, type Params, text } from "../../operations/mod.ts";
import { entryAnswer, executionAnswer, fileAnswer, type Named, rowsAnswer, wantsJson } from "./answers.ts";
import { givenName, inputArg, isGiven } from "./args.ts";
import { resolveOfKind } from "./name_args.ts";
import { missing, origin, tool, unknownArgs } from "./params.ts";
import type { Answer } from "./reply.ts";
import type { Args, Tool } from "./tool.ts";

const category = text("analysis, planning, solutioning, implementation or other.", {
  names: ["phase"],
  example: "planning",
});
const module = text("Only this module, such as bmm.");
const FIELDS = "name, module, description, phase, category, standalone, agents, author and path of each.";

interface ItemTool extends Pick<Tool, "name" | "title" | "searchHint"> {
  readonly description: string;
  readonly kind: Kind;
  readonly parameter: string;
  readonly names: readonly string[];
  readonly lists: string;
  readonly input?: Params;
  answer(app: App, named: Named, given: Args): Promise<Answer>;
}

function itemTool({ kind, parameter, names, lists, input = {}, answer, ...row }: ItemTool): Tool {
  return tool({
    ...row,
    params: {
      [parameter]: text("Its name, or module/name.", { value: "NAME", names }),
      ...input,
      module: { ...module, forModel: "" },
      origin,
    },
    required: [parameter],
    run: async (app, args, given) => {
      const { [parameter]: name, module, origin } = args as Readonly<Record<string, string | undefined>>;
      if (name === undefined) missing(parameter, lists);
      const call = { tool: row.name, args: given, parameter };
      return await answer(app, await resolveOfKind(app, { name, module, origin, kind }, call), given);
    },
  });
}

function startTool(input: Params, row: Omit<ItemTool, "input" | "answer" | "title">): Tool {
  const [wanted = ""] = Object.keys(input);
  return itemTool({
    ...row,
    title: `Start a BMAD ${row.kind}`,
    input,
    answer: (app, named, given) => executionAnswer(app, named, inputArg(given, wanted), given),
  });
}

export function workflowStarter(
  input: Params,
  row: Pick<ItemTool, "name" | "parameter" | "names" | "lists">,
): Tool {
  return startTool(input, {
    ...row,
    kind: "workflow",
    description:
      "Start a BMAD workflow, such as prd, architecture or sprint-planning: returns its instructions with resolved " +
      "configuration. Then follow them yourself.",
    searchHint: "BMAD workflow start run PRD architecture story",
  });
}

const WORKFLOW = {
  parameter: "workflow_name",
  names: ["workflowName", "workflow", "name", "id"],
  lists: "list_workflows lists them",
} as const;
const INPUT = { params: json("Values by name; message: what the user wants, in their words.") };

const KNOWLEDGE_PARAMS = {
  domain: text("Such as testarch, or the name of a workflow or module.", {
    example: "testarch",
    names: ["area", "category", "module"],
  }),
  topic: text("Ids from the index, comma-separated, or words.", {
    names: ["fragment", "id", "name", "query"],
  }),
  origin,
} as const;

export const WORKFLOW_TOOLS: readonly Tool[] = [
  tool({
    name: "list_workflows",
    title: "List BMAD workflows",
    description:
      "List the BMAD workflows (brief, PRD, UX, architecture, epics, stories, sprint, review, tests).",
    searchHint: "BMAD workflows list phases",
    params: { category, module, origin, format: { ...format, about: `json: ${FIELDS}` } },
    run: (app, { format: _, ...filters }, given) =>
      listAnswer(app, { what: "workflows", ...filters }, given, 'execute_workflow {"workflow_name":NAME}'),
  }),
  itemTool({
    ...WORKFLOW,
    kind: "workflow",
    name: "get_workflow_details",
    title: "Show a BMAD workflow",
    description: "Show a BMAD workflow in full: purpose, phase, the URIs of its files, its text.",
    searchHint: "BMAD workflow details files",
    answer: entryAnswer,
  }),
  workflowStarter(INPUT, { ...WORKFLOW, name: "execute_workflow" }),
  tool({
    name: "list_tasks",
    title: "List BMAD tasks",
    description: "List the BMAD tasks: short jobs such as reviewing, elicitation or indexing documents.",
    searchHint: "BMAD tasks list",
    params: { category: { ...category, forModel: "" }, module, origin, format },
    run: (app, { format: _, ...filters }, given) =>
      listAnswer(app, { what: "tasks", ...filters }, given, 'execute_task {"task_name":NAME}'),
  }),
  startTool(INPUT, {
    kind: "task",
    name: "execute_task",
    description:
      "Start a BMAD task from list_tasks: returns its instructions with resolved configuration. Then follow them " +
      "yourself.",
    searchHint: "BMAD task start run",
    parameter: "task_name",
    names: ["taskName", "task", "name", "id"],
    lists: "list_tasks lists them",
  }),
  tool({
    name: "get_knowledge",
    title: "Look up BMAD knowledge",
    description:
      "Look up BMAD knowledge: testarch (test architecture), architecture, patterns, methods. Without a topic: the " +
      "domain's index. With one: its text. An unknown domain is answered with all domains.",
    searchHint: "BMAD knowledge testarch patterns playwright fixtures risk",
    params: KNOWLEDGE_PARAMS,
    required: ["domain"],
    run: async (app, { domain, topic, origin }, given) => {
      refuseUnknown(given);
      const knowledge = await app.ask((library) => findKnowledge(library, { domain, topic, origin }));
      if (knowledge.is !== "index") return fragmentsAnswer(knowledge.files, given);
      const then = domain === undefined
        ? 'get_knowledge {"domain":NAME}'
        : `get_knowledge {"domain":${JSON.stringify(domain)},"topic":ID}`;
      return rowsAnswer(app, knowledge.rows, { limit: INDEX_LIMIT, ...given }, { what: knowledge.of, then });
    },
  }),
];

/** An index should be seen as a whole. */
const INDEX_LIMIT = 100;

/** Without a parameter that it does not have, the answer would be to another question. */
function refuseUnknown(given: Args): void {
  const names = unknownArgs(KNOWLEDGE_PARAMS, given);
  const isDomain = givenName(given, ["domain", "area", "category"]) === undefined;
  const unknown = names.find((name) => !["limit", "cursor", "raw"].includes(name)) ??
    (!isDomain && isGiven(given["module"]) ? "module" : undefined);
  const shown = ["domain", "topic", "origin"];
  if (unknown !== undefined) failUnknown("parameter", unknown, shown, suggest(unknown, shown));
}

async function listAnswer(
  app: App,
  { what, ...filters }: Parameters<App["list"]>[0],
  given: Args,
  then: string,
): Promise<Answer> {
  const rows = await app.list({ what, ...filters, isContinued: isGiven(given["cursor"]) });
  return rowsAnswer(app, rows, given, { what, then, isNamed: true });
}

function fragmentsAnswer(files: readonly FragmentContent[], args: Args): Answer {
  if (files.length === 1 && wantsJson(args)) return fileAnswer(files[0]!, args);
  const texts = files.map((file) => `=== ${file.uri} (${file.origin}) ===\n${fileAnswer(file, args).text}`);
  return { text: texts.join("\n\n") };
}
