/**
 * The tool set `workflows`: one narrow tool for each operation on workflows, tasks and knowledge.
 */
import { type App, findKnowledge, type FragmentContent } from "../../app.ts";
import { failUnknown } from "../../base/errors.ts";
import { suggest } from "../../base/suggestions.ts";
import { json, text } from "../../operations/mod.ts";
import { entryAnswer, executionAnswer, fileAnswer, rowsAnswer, wantsJson } from "./answers.ts";
import { givenName, inputArg, isGiven } from "./args.ts";
import { resolveOfKind } from "./name_args.ts";
import { unknownArgs } from "./params.ts";
import type { Answer } from "./reply.ts";
import { type Args, READS, type Tool } from "./tool.ts";
import { origin, tool } from "./tool_rows.ts";

const category = text("analysis, planning, solutioning, implementation or other.", {
  names: ["phase"],
  example: "planning",
});
const module = text("Only this module, such as bmm.");
const hiddenModule = { ...module, forModel: "" } as const;
const params = json("Values by name; message: what the user wants, in their words.");

const workflow_name = text("Its name, or module/name.", {
  value: "NAME",
  names: ["workflowName", "workflow", "name", "id"],
});
const WORKFLOWS = { kind: "workflow", hint: "list_workflows lists them" } as const;

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
    annotations: READS,
    searchHint: "BMAD workflows list phases",
    params: { category, module, origin },
    run: (app, filters, given) =>
      listAnswer(app, { what: "workflows", ...filters }, given, 'execute_workflow {"workflow_name":NAME}'),
  }),
  tool({
    name: "get_workflow_details",
    title: "Show a BMAD workflow",
    description: "Show a BMAD workflow in full: purpose, phase, the URIs of its files, its text.",
    annotations: READS,
    searchHint: "BMAD workflow details files",
    params: { workflow_name, module: hiddenModule, origin },
    required: ["workflow_name"],
    run: async (app, { workflow_name: name, ...place }, given) => {
      const call = { tool: "get_workflow_details", args: given, parameter: "workflow_name" };
      return await entryAnswer(app, await resolveOfKind(app, { name, ...place }, call, WORKFLOWS), given);
    },
  }),
  tool({
    name: "execute_workflow",
    title: "Start a BMAD workflow",
    description:
      "Start a BMAD workflow, such as prd, architecture or sprint-planning: returns its instructions with resolved " +
      "configuration. Then follow them yourself.",
    annotations: READS,
    searchHint: "BMAD workflow start run PRD architecture story",
    params: { workflow_name, params, module: hiddenModule, origin },
    required: ["workflow_name"],
    run: async (app, { workflow_name: name, module, origin }, given) => {
      const call = { tool: "execute_workflow", args: given, parameter: "workflow_name" };
      const named = await resolveOfKind(app, { name, module, origin }, call, WORKFLOWS);
      return await executionAnswer(app, named, inputArg(given, "params"), given);
    },
  }),
  tool({
    name: "list_tasks",
    title: "List BMAD tasks",
    description: "List the BMAD tasks: short jobs such as reviewing, elicitation or indexing documents.",
    annotations: READS,
    searchHint: "BMAD tasks list",
    params: { category: { ...category, forModel: "" }, module, origin },
    run: (app, filters, given) =>
      listAnswer(app, { what: "tasks", ...filters }, given, 'execute_task {"task_name":NAME}'),
  }),
  tool({
    name: "execute_task",
    title: "Start a BMAD task",
    description:
      "Start a BMAD task from list_tasks: returns its instructions with resolved configuration. Then follow them " +
      "yourself.",
    annotations: READS,
    searchHint: "BMAD task start run",
    params: {
      task_name: text("Its name, or module/name.", {
        value: "NAME",
        names: ["taskName", "task", "name", "id"],
      }),
      params,
      module: hiddenModule,
      origin,
    },
    required: ["task_name"],
    run: async (app, { task_name: name, module, origin }, given) => {
      const call = { tool: "execute_task", args: given, parameter: "task_name" };
      const kind = { kind: "task", hint: "list_tasks lists them" } as const;
      const named = await resolveOfKind(app, { name, module, origin }, call, kind);
      return await executionAnswer(app, named, inputArg(given, "params"), given);
    },
  }),
  tool({
    name: "get_knowledge",
    title: "Look up BMAD knowledge",
    description:
      "Look up BMAD knowledge: testarch (test architecture), architecture, patterns, methods. Without a topic: the " +
      "domain's index. With one: its text. An unknown domain is answered with all domains.",
    annotations: READS,
    searchHint: "BMAD knowledge testarch patterns playwright fixtures risk",
    params: KNOWLEDGE_PARAMS,
    required: ["domain"],
    run: async (app, { domain, topic, origin }, given) => {
      refuseUnknown(given);
      const knowledge = await app.ask((library) => findKnowledge(library, { domain, topic, origin }));
      if (knowledge.is !== "index") return fragmentsAnswer(knowledge.files, given);
      const { maxResult: maxBytes } = app.config.settings;
      const then = domain === undefined
        ? 'get_knowledge {"domain":NAME}'
        : `get_knowledge {"domain":${JSON.stringify(domain)},"topic":ID}`;
      const listing = { what: knowledge.of, maxBytes, then };
      return rowsAnswer(knowledge.rows, { limit: INDEX_LIMIT, ...given }, listing);
    },
  }),
];

/** An index should be seen as a whole. */
const INDEX_LIMIT = 100;

/** Without a parameter that it does not have, the answer would be to another question. */
function refuseUnknown(given: Args): void {
  const { names } = unknownArgs("get_knowledge", KNOWLEDGE_PARAMS, given);
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
  const { maxResult: maxBytes } = app.config.settings;
  return rowsAnswer(rows, given, { what, maxBytes, then, isNamed: true, hasRecords: true });
}

function fragmentsAnswer(files: readonly FragmentContent[], args: Args): Answer {
  if (files.length === 1 && wantsJson(args)) return fileAnswer(files[0]!, args);
  const texts = files.map((file) => `=== ${file.uri} (${file.origin}) ===\n${fileAnswer(file, args).text}`);
  return { text: texts.join("\n\n") };
}
