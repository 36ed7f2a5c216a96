/**
 * The tool set `runs`: what a project is working on, tasks for sub-agents, contracts, and delegation.
 *
 * To add a tool, add a row. A tool that writes or runs also needs a row in `NEEDS` (src/settings/plan/kit.ts), or it has no
 * right to.
 */
import { fail } from "../../base/errors.ts";
import { SESSION_STATES, STACKS } from "../../base/model.ts";
import { reportAnswer } from "./answers.ts";
import { ADDS, type Args, longTextArg, READS, textArg, textsArg, textSchema, type Tool } from "./tool.ts";

/** More letters than a task or a path may have: those who take them say how many. */
const LONG = 100_000;

/** The fields are told in words: as a schema each of them would cost more. */
const list = (type: "string" | "object", description: string) => ({
  type: "array",
  items: { type },
  description,
});

/** What a delivery contract is made of. */
const DELIVERY_SCHEMA: Readonly<Record<string, unknown>> = {
  type: "object",
  properties: {
    from_team: textSchema("Who hands over, such as team-vision."),
    to_team: textSchema("Who takes over, such as team-build."),
    artefacts: list("object", "What is handed over: {name, path, acceptance, optional}."),
    questions: list("object", "What is open: {question, criticality: critical|important|minor, owner}."),
    decisions: list("object", "What was decided: {decision, reason, impact}."),
    rejected: list("string", "Options that were rejected, and why."),
    constraints: list("string", "What cannot be changed."),
    risks: list("string", "Known risks."),
    signed_by: textSchema("Who signs."),
  },
  required: ["from_team", "to_team", "artefacts"],
};

/** The tools, in the order of use. */
export const RUNS_TOOLS: readonly Tool[] = [
  {
    name: "get_workflow_status",
    title: "Show how a workflow run is",
    describe: () =>
      "How a BMAD workflow run of this project is: step, variables, artefacts, issues, queued tasks.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD workflow run status resume step queue" },
    inputSchema: {
      type: "object",
      properties: {
        run_id: textSchema("A run; else the latest."),
        branch: textSchema("A session branch, such as main; else any."),
      },
    },
    run: async (app, args) => {
      const request = {
        runId: textArg(args, "run_id", "runId", "id"),
        branch: textArg(args, "branch", "session_branch"),
      };
      return reportAnswer((await app.runs()).status(request), args);
    },
  },
  {
    name: "list_sessions",
    title: "List sessions and runs",
    describe: () => "List the BMAD session branches of this project with their workflow runs.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD sessions branches runs list" },
    inputSchema: { type: "object", properties: { status: { type: "string", enum: SESSION_STATES } } },
    run: async (app, args) => reportAnswer((await app.runs()).sessions(textArg(args, "status")), args),
  },
  {
    name: "spawn_subagent_task",
    title: "Queue a task for a sub-agent",
    describe: () =>
      "Queue a task for a BMAD sub-agent: writes a file into the run's queue, for an orchestrator to carry out. The " +
      "same task is queued once.",
    annotations: { ...ADDS, idempotentHint: true },
    meta: { "anthropic/searchHint": "BMAD spawn subagent task queue orchestrate" },
    inputSchema: {
      type: "object",
      properties: {
        agent: textSchema("Who shall do it, such as dev."),
        task: textSchema("The whole task."),
        output_key: textSchema("The name of its result."),
        context_files: {
          type: "array",
          items: { type: "string" },
          description: "Files of the project that it needs.",
        },
        run_id: textSchema("A run; else the one that is running."),
      },
      required: ["agent", "task", "output_key"],
    },
    run: async (app, args) => {
      const runs = await app.runs();
      return reportAnswer(
        await runs.spawn({
          agent: needed(args, "agent", "agent_id"),
          task: needed(args, "task"),
          outputKey: needed(args, "output_key", "outputKey"),
          contextFiles: textsArg(args, LONG, "context_files", "contextFiles", "context"),
          runId: textArg(args, "run_id", "runId"),
        }),
        args,
      );
    },
  },
  {
    name: "run_completion_contract",
    title: "Run the completion contract",
    describe: () =>
      "Verify the work: runs this project's BMAD completion contract (cc-verify.sh: build, tests, lint) and gives PASS, " +
      "FAIL, NONE or ERROR with its output. Only where the user allowed it.",
    annotations: { ...ADDS, destructiveHint: true },
    meta: { "anthropic/searchHint": "BMAD completion contract verify tests build lint done" },
    runsOnce: true,
    inputSchema: {
      type: "object",
      properties: {
        stack: { type: "string", enum: STACKS, description: "Default auto: all that are found." },
        working_dir: textSchema("A folder of the project; else its root."),
      },
    },
    run: async (app, args) => {
      const runs = await app.runs();
      const folder = longTextArg(args, LONG, "working_dir", "workingDir", "cwd");
      return reportAnswer(await runs.verify({ stack: textArg(args, "stack"), folder }), args);
    },
  },
  {
    name: "create_delivery_contract",
    title: "Write a delivery contract",
    describe: () =>
      "Write the BMAD delivery contract with which one team hands its artefacts to another: a new file, none is " +
      "overwritten.",
    annotations: ADDS,
    meta: { "anthropic/searchHint": "BMAD delivery contract handoff teams artefacts" },
    runsOnce: true,
    inputSchema: DELIVERY_SCHEMA,
    run: async (app, args) => {
      const { deliveryOf } = await import("./delivery_request.ts");
      const request = deliveryOf(args);
      return reportAnswer((await app.runs()).deliver(request), args);
    },
  },
  {
    name: "delegate_to_agent",
    title: "Have an agent do a task",
    describe: () =>
      "Have a BMAD agent do one task or answer one question, apart from this conversation. Where the client cannot, you " +
      "get the persona to do it yourself.",
    annotations: READS,
    meta: { "anthropic/searchHint": "BMAD delegate agent task sampling second opinion" },
    runsOnce: true,
    inputSchema: {
      type: "object",
      properties: {
        agent_id: textSchema("Any agent, such as analyst, architect or bmm/dev."),
        task: textSchema("The task or question."),
        context: textSchema("What the agent has to know for it."),
        max_tokens: { type: "integer", default: 2048 },
      },
      required: ["agent_id", "task"],
    },
    // Few calls need it.
    run: async (app, args, asker) => (await import("./delegation.ts")).delegate(app, args, asker),
  },
];

/** A text that must be there. How long it may be is for those to say who take it. */
function needed(args: Args, ...names: readonly [string, ...string[]]): string {
  return longTextArg(args, LONG, ...names) ??
    fail({
      code: "invalid-input",
      field: names[0],
      problem: "it is missing",
      hint: "It needs agent, task and output_key",
    });
}
