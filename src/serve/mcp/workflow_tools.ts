/**
 * The tool set `workflows`: one narrow tool for each operation on workflows, tasks and knowledge.
 */
import { type App, findKnowledge, type FragmentContent } from "../../app.ts";
import { entryAnswer, executionAnswer, fileAnswer, rowsAnswer, wantsJson } from "./answers.ts";
import { checkNames, inputArg, listArgs, placeArgs, textArg } from "./args.ts";
import { resolveOfKind } from "./name_args.ts";
import type { Answer } from "./reply.ts";
import { type Args, ORIGIN, READS, textSchema, type Tool } from "./tool.ts";

const MODULE = textSchema("Only this module, such as bmm.");
const NAME = textSchema("Its name, or module/name.");
const PARAMS = {
  type: "object",
  description: "Values by name; message: what the user wants, in their words.",
};

export const WORKFLOW_TOOLS: readonly Tool[] = [
  {
    name: "list_workflows",
    title: "List BMAD workflows",
    describe: () =>
      "List the BMAD workflows (brief, PRD, UX, architecture, epics, stories, sprint, review, tests).",
    annotations: READS,
    searchHint: "BMAD workflows list phases",
    parameters: {
      category: textSchema("analysis, planning, solutioning, implementation or other."),
      module: MODULE,
      ...ORIGIN,
    },
    run: (app, args) => listAnswer(app, args, "workflows", 'execute_workflow {"workflow_name":NAME}'),
  },
  {
    name: "get_workflow_details",
    title: "Show a BMAD workflow",
    describe: () => "Show a BMAD workflow in full: purpose, phase, the URIs of its files, its text.",
    annotations: READS,
    searchHint: "BMAD workflow details files",
    parameters: { workflow_name: NAME, ...ORIGIN },
    required: ["workflow_name"],
    run: async (app, args) => entryAnswer(app, await workflowOf(app, "get_workflow_details", args), args),
  },
  {
    name: "execute_workflow",
    title: "Start a BMAD workflow",
    describe: () =>
      "Start a BMAD workflow, such as prd, architecture or sprint-planning: returns its instructions with resolved " +
      "configuration. Then follow them yourself.",
    annotations: READS,
    searchHint: "BMAD workflow start run PRD architecture story",
    parameters: { workflow_name: NAME, params: PARAMS, ...ORIGIN },
    required: ["workflow_name"],
    run: async (app, args) => {
      const named = await workflowOf(app, "execute_workflow", args);
      return executionAnswer(app, named, inputArg(args, "params"), args);
    },
  },
  {
    name: "list_tasks",
    title: "List BMAD tasks",
    describe: () => "List the BMAD tasks: short jobs such as reviewing, elicitation or indexing documents.",
    annotations: READS,
    searchHint: "BMAD tasks list",
    parameters: { module: MODULE, ...ORIGIN },
    run: (app, args) => listAnswer(app, args, "tasks", 'execute_task {"task_name":NAME}'),
  },
  {
    name: "execute_task",
    title: "Start a BMAD task",
    describe: () =>
      "Start a BMAD task from list_tasks: returns its instructions with resolved configuration. Then follow them " +
      "yourself.",
    annotations: READS,
    searchHint: "BMAD task start run",
    parameters: { task_name: NAME, params: PARAMS, ...ORIGIN },
    required: ["task_name"],
    run: async (app, args) => {
      const named = await resolveOfKind(app, "task", {
        tool: "execute_task",
        args,
        parameters: ["task_name", "taskName", "task", "name", "id"],
        hint: "list_tasks lists them",
      });
      return executionAnswer(app, named, inputArg(args, "params"), args);
    },
  },
  {
    name: "get_knowledge",
    title: "Look up BMAD knowledge",
    describe: () =>
      "Look up BMAD knowledge: testarch (test architecture), architecture, patterns, methods. Without a topic: the " +
      "domain's index. With one: its text. An unknown domain is answered with all domains.",
    annotations: READS,
    searchHint: "BMAD knowledge testarch patterns playwright fixtures risk",
    parameters: {
      domain: textSchema("Such as testarch, or the name of a workflow or module."),
      topic: textSchema("Ids from the index, comma-separated, or words."),
      ...ORIGIN,
    },
    required: ["domain"],
    run: async (app, args) => {
      const named = textArg(args, ...DOMAIN);
      const domain = named ?? textArg(args, "module");
      const others = [...DOMAIN, ...(named === undefined ? ["module"] : []), ...TOPIC, "source", ...SHAPING];
      checkNames(args, ["domain", "topic", "origin"], others);
      const topic = textArg(args, ...TOPIC);
      const { origin } = placeArgs(args);
      const knowledge = await app.ask((library) => findKnowledge(library, { domain, topic, origin }));
      if (knowledge.is !== "index") return fragmentsAnswer(knowledge.files, args);
      const { maxResult: maxBytes } = app.config.settings;
      const then = domain === undefined
        ? 'get_knowledge {"domain":NAME}'
        : `get_knowledge {"domain":${JSON.stringify(domain)},"topic":ID}`;
      const listing = { what: knowledge.of, maxBytes, then };
      return rowsAnswer(knowledge.rows, { limit: INDEX_LIMIT, ...args }, listing);
    },
  },
];

const DOMAIN = ["domain", "area", "category"];
const TOPIC = ["topic", "fragment", "id", "name", "query"];
/** What every answer takes. */
const SHAPING = ["format", "limit", "cursor", "part", "raw"];

/** An index should be seen as a whole. */
const INDEX_LIMIT = 100;

async function listAnswer(app: App, args: Args, what: string, then: string): Promise<Answer> {
  const rows = await app.list({ what, ...listArgs(args) });
  const { maxResult: maxBytes } = app.config.settings;
  return rowsAnswer(rows, args, { what, maxBytes, then, isNamed: true, hasRecords: true });
}

function workflowOf(app: App, tool: string, args: Args) {
  return resolveOfKind(app, "workflow", {
    tool,
    args,
    parameters: ["workflow_name", "workflowName", "workflow", "name", "id"],
    hint: "list_workflows lists them",
  });
}

function fragmentsAnswer(files: readonly FragmentContent[], args: Args): Answer {
  if (files.length === 1 && wantsJson(args)) return fileAnswer(files[0]!, args);
  const texts = files.map((file) => `=== ${file.uri} (${file.origin}) ===\n${fileAnswer(file, args).text}`);
  return { text: texts.join("\n\n") };
}
