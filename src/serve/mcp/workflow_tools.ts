/**
 * The tool set `workflows`: one narrow tool for each thing that is done with workflows, tasks and knowledge.
 */
import type { App, FileContent } from "../../app.ts";
import { entryAnswer, executionAnswer, fileAnswer, rowsAnswer } from "./answers.ts";
import { resolveWanted } from "./named.ts";
import type { Answer } from "./reply.ts";
import { type Args, inputArg, listArgs, READS, textArg, textSchema, type Tool } from "./tool.ts";

const MODULE = textSchema("Only this module, such as bmm.");
const PARAMS = {
  type: "object",
  description: "Values by name; message: what the user wants, in their words.",
};

/** The tools, in the order of use. */
export const WORKFLOW_TOOLS: readonly Tool[] = [
  {
    name: "list_workflows",
    title: "List BMAD workflows",
    describe: () =>
      "List the BMAD workflows (brief, PRD, UX, architecture, epics, stories, sprint, review, tests).",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD workflows list phases" },
    inputSchema: {
      type: "object",
      properties: {
        category: textSchema("analysis, planning, solutioning, implementation or other."),
        module: MODULE,
      },
    },
    run: async (app, args) => {
      const rows = await app.list({ what: "workflows", ...listArgs(args) });
      const then = 'execute_workflow {"workflow_name":NAME}';
      const { maxResult: maxBytes } = app.config.settings;
      return rowsAnswer(rows, args, { what: "workflows", maxBytes, then, isNamed: true });
    },
  },
  {
    name: "get_workflow_details",
    title: "Show a BMAD workflow",
    describe: () =>
      "Show one BMAD workflow in full: what it is for, its phase, the URIs of its files, its text.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD workflow details files" },
    inputSchema: {
      type: "object",
      properties: { workflow_name: textSchema("Its name, or module/name.") },
      required: ["workflow_name"],
    },
    run: async (app, args) => entryAnswer(app, await workflowOf(app, "get_workflow_details", args), args),
  },
  {
    name: "execute_workflow",
    title: "Start a BMAD workflow",
    describe: () =>
      "Start a BMAD workflow, such as prd, architecture or sprint-planning: returns its instructions with resolved " +
      "configuration. Then follow them yourself.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD workflow start run PRD architecture story" },
    inputSchema: {
      type: "object",
      properties: { workflow_name: textSchema("Its name, or module/name."), params: PARAMS },
      required: ["workflow_name"],
    },
    run: async (app, args) =>
      executionAnswer(
        app,
        await workflowOf(app, "execute_workflow", args),
        inputArg(args, "params"),
        args,
      ),
  },
  {
    name: "list_tasks",
    title: "List BMAD tasks",
    describe: () => "List the BMAD tasks: short jobs such as reviewing, elicitation or indexing documents.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD tasks list" },
    inputSchema: { type: "object", properties: { module: MODULE } },
    run: async (app, args) => {
      const rows = await app.list({ what: "tasks", ...listArgs(args) });
      const then = 'execute_task {"task_name":NAME}';
      const { maxResult: maxBytes } = app.config.settings;
      return rowsAnswer(rows, args, { what: "tasks", maxBytes, then, isNamed: true });
    },
  },
  {
    name: "execute_task",
    title: "Start a BMAD task",
    describe: () =>
      "Start a BMAD task from list_tasks: returns its instructions with resolved configuration. Then follow them " +
      "yourself.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD task start run" },
    inputSchema: {
      type: "object",
      properties: { task_name: textSchema("Its name, or module/name."), params: PARAMS },
      required: ["task_name"],
    },
    run: async (app, args) => {
      const entry = await resolveWanted(app, "task", {
        tool: "execute_task",
        args,
        parameters: ["task_name", "taskName", "task", "name", "id"],
        hint: "list_tasks says which there are",
      });
      return executionAnswer(app, entry, inputArg(args, "params"), args);
    },
  },
  {
    name: "get_knowledge",
    title: "Look up BMAD knowledge",
    describe: () =>
      "Look up BMAD knowledge: testarch (test architecture), architecture, patterns, methods. Without a topic: the " +
      "domain's index. With one: the text. An unknown domain is answered with those there are.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD knowledge testarch patterns playwright fixtures risk" },
    inputSchema: {
      type: "object",
      properties: {
        domain: textSchema("Such as testarch, or the name of a workflow or module."),
        topic: textSchema("Ids from the index, with commas between, or words."),
      },
      required: ["domain"],
    },
    run: async (app, args) => {
      const found = await app.knowledge({
        domain: textArg(args, "domain", "area", "category"),
        topic: textArg(args, "topic", "fragment", "id", "name", "query"),
      });
      return found.is === "index"
        ? rowsAnswer(found.rows, { limit: INDEX_LIMIT, ...args }, {
          what: found.of,
          maxBytes: app.config.settings.maxResult,
        })
        : filesAnswer(found.files, args);
    },
  },
];

/** An index is there to be seen as a whole. */
const INDEX_LIMIT = 100;

function workflowOf(app: App, tool: string, args: Args) {
  return resolveWanted(app, "workflow", {
    tool,
    args,
    parameters: ["workflow_name", "workflowName", "workflow", "name", "id"],
    hint: "list_workflows says which there are",
  });
}

function filesAnswer(files: readonly FileContent[], args: Args): Answer {
  if (files.length === 1) return fileAnswer(files[0]!, args);
  const texts = files.map((file) => `=== ${file.uri} ===\n${fileAnswer(file, args).text}`);
  return { text: texts.join("\n\n") };
}
