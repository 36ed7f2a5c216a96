/**
 * The tool set `runs`: the state of workflow runs, tasks for sub-agents, contracts, and delegation.
 *
 * A tool that writes or runs something also needs a row in ../handshake/tool_needs.ts, or it has no right to.
 */
import { RUN_ACTIONS, TASK_ACTIONS } from "../../app.ts";
import { SESSION_STATES, STACKS } from "../../base/model.ts";
import { parseJson } from "../../base/values.ts";
import { agentOf } from "./agent_names.ts";
import { reportAnswer, reporting } from "./answers.ts";
import { listArg, longTextArg, missing, requiredArg, textArg, textsArg } from "./args.ts";
import { isFields } from "./request_checks.ts";
import { ADDS, type Args, ORIGIN, READS, textSchema, type Tool } from "./tool.ts";

/** Far above the limits of the runs themselves, which have the better messages. */
const MAX_CHARACTERS = 100_000;

/** A list whose fields are described in words, because a schema for each would cost more tokens. */
const listSchema = (type: "string" | "object", description: string) => ({
  type: "array",
  items: { type },
  description,
});

/** Outputs as models write them: by name, as a list of objects with a name, or as a list of paths. */
function outputsOf(args: Args): Args {
  return Object.assign(
    {},
    ...listArg(args, "outputs", "artefacts", "artifacts").map((item) => {
      const fields = typeof item === "string" && item.trimStart().startsWith("{") ? parseJson(item) : item;
      if (!isFields(fields)) return { [String(item)]: item };
      const { name, path, value } = fields;
      return typeof name === "string" && (path ?? value) !== undefined ? { [name]: path ?? value } : fields;
    }),
  );
}

export const RUNS_TOOLS: readonly Tool[] = [
  {
    name: "get_workflow_status",
    title: "Show the status of a workflow run",
    describe: () =>
      "The status of a BMAD workflow run of this project: step, variables, artefacts, issues, queued tasks.",
    annotations: READS,
    searchHint: "BMAD workflow run status resume step queue",
    parameters: {
      run_id: textSchema("Default: the latest run."),
      branch: textSchema("A session branch, such as main; default any."),
    },
    run: reporting(async (app, args) =>
      (await app.project.kitFiles()).status({
        runId: textArg(args, "run_id", "runId", "id"),
        branch: textArg(args, "branch", "session_branch"),
      })
    ),
  },
  {
    name: "list_sessions",
    title: "List sessions and runs",
    describe: () => "List the BMAD session branches of this project with their workflow runs.",
    annotations: READS,
    searchHint: "BMAD sessions branches runs list",
    parameters: { status: { type: "string", enum: SESSION_STATES } },
    run: reporting(async (app, args) => (await app.project.kitFiles()).sessions(textArg(args, "status"))),
  },
  {
    name: "spawn_subagent_task",
    title: "Queue a task for a sub-agent",
    describe: () =>
      "Queue a task for a BMAD sub-agent: writes a file into the run's queue, for an orchestrator to carry out. The " +
      "same task is queued once.",
    annotations: { ...ADDS, idempotentHint: true },
    searchHint: "BMAD spawn subagent task queue orchestrate",
    parameters: {
      agent: textSchema("Who should do it, such as dev."),
      task: textSchema("The whole task."),
      output_key: textSchema("The name of its result."),
      context_files: listSchema("string", "Files of the project that it needs."),
      run_id: textSchema("Default: the active run."),
    },
    required: ["agent", "task", "output_key"],
    run: reporting(async (app, args) =>
      await (await app.project.kitFiles()).spawn({
        agent: await agentOf(app, requiredArg(args, MAX_CHARACTERS, "agent", "agent_id")),
        task: requiredArg(args, MAX_CHARACTERS, "task"),
        outputKey: requiredArg(args, MAX_CHARACTERS, "output_key", "outputKey"),
        contextFiles: textsArg(args, MAX_CHARACTERS, "context_files", "contextFiles", "context"),
        runId: textArg(args, "run_id", "runId"),
      })
    ),
  },
  {
    name: "run_completion_contract",
    title: "Run the completion contract",
    describe: () =>
      "Verify the work: runs this project's BMAD completion contract (cc-verify.sh: build, tests, lint). Returns PASS, " +
      "FAIL, NONE or ERROR with its output. Only where the user allowed it.",
    annotations: { ...ADDS, destructiveHint: true },
    searchHint: "BMAD completion contract verify tests build lint done",
    runsOnce: true,
    parameters: {
      stack: { type: "string", enum: STACKS, description: "Default auto: all that are found." },
      working_dir: textSchema("A folder of the project; default its root."),
    },
    run: async (app, args) => {
      const runs = await app.project.kitFiles();
      const folder = longTextArg(args, MAX_CHARACTERS, "working_dir", "workingDir", "cwd");
      return reportAnswer(await runs.verify({ stack: textArg(args, "stack"), folder }), args);
    },
  },
  {
    name: "create_delivery_contract",
    title: "Write a delivery contract",
    describe: () =>
      "Write the BMAD delivery contract with which one team hands its artefacts to another, as a new file.",
    annotations: ADDS,
    searchHint: "BMAD delivery contract handoff teams artefacts",
    runsOnce: true,
    parameters: {
      from_team: textSchema("Who hands over, such as team-vision."),
      to_team: textSchema("Who takes over, such as team-build."),
      artefacts: listSchema(
        "object",
        "Handed over: {name, path, acceptance, optional}. Default: the outputs of the session's runs.",
      ),
      questions: listSchema(
        "object",
        "Open questions: {question, criticality: critical|important|minor, owner}.",
      ),
      decisions: listSchema("object", "Decisions: {decision, reason, impact}."),
      rejected: listSchema("string", "Rejected options, and why."),
      constraints: listSchema("string", "What cannot be changed."),
      risks: listSchema("string", "Known risks."),
      signed_by: textSchema("Who signs."),
    },
    required: ["from_team", "to_team"],
    run: async (app, args) => {
      const { deliveryOf } = await import("./delivery_request.ts");
      const request = deliveryOf(args);
      // Nobody whom the server knows signs for another.
      const signedBy = app.config.person?.name ?? request.signedBy;
      return reportAnswer((await app.project.kitFiles()).deliver({ ...request, signedBy }), args);
    },
  },
  {
    name: "delegate_to_agent",
    title: "Have an agent do a task",
    describe: () =>
      "Have a BMAD agent do one task or answer one question, apart from this conversation. Where the client cannot, you " +
      "get the persona to do it yourself.",
    annotations: READS,
    searchHint: "BMAD delegate agent task sampling second opinion",
    runsOnce: true,
    parameters: {
      agent_id: textSchema("Any agent, such as analyst, architect or bmm/dev."),
      task: textSchema("The task or question."),
      context: textSchema("What the agent has to know for it."),
      max_tokens: { type: "integer", default: 2048 },
      ...ORIGIN,
    },
    required: ["agent_id", "task"],
    // Loaded only when needed.
    run: async (app, args, asker) => (await import("./delegation.ts")).delegate(app, args, asker),
  },
  {
    name: "update_run",
    title: "Write the course of a workflow run",
    describe: () => "Write down how far a BMAD workflow run is, so that it can be resumed.",
    annotations: { ...ADDS, destructiveHint: true },
    searchHint: "BMAD run start checkpoint finish resume",
    runsOnce: true,
    parameters: {
      action: { type: "string", enum: RUN_ACTIONS },
      run_id: textSchema("To start: the workflow's name. Default: the active run."),
      branch: textSchema("Default: the project's."),
      step: textSchema("The step that is done."),
      outputs: { type: "object", description: "Results by name: paths or values." },
    },
    required: ["action"],
    run: reporting(async (app, args) =>
      await (await app.project.kitFiles()).update({
        action: textArg(args, "action") ?? missing("action"),
        runId: textArg(args, "run_id", "runId", "workflow"),
        branch: textArg(args, "branch", "session_branch"),
        step: textArg(args, "step", "current_step"),
        outputs: outputsOf(args),
        status: textArg(args, "status"),
      })
    ),
  },
  {
    name: "answer_subagent_task",
    title: "Claim or answer a queued task",
    describe: () =>
      "Claim a queued task of a BMAD run, then answer it with the result or fail it with the reason.",
    annotations: { ...ADDS, destructiveHint: true },
    searchHint: "BMAD subagent task claim answer",
    runsOnce: true,
    parameters: {
      task_id: { type: "string" },
      action: { type: "string", enum: TASK_ACTIONS },
      text: { type: "string" },
    },
    required: ["task_id", "action"],
    run: reporting(async (app, args) =>
      await (await app.project.kitFiles()).answer({
        taskId: requiredArg(args, MAX_CHARACTERS, "task_id", "taskId", "id"),
        action: textArg(args, "action") ?? missing("action"),
        text: longTextArg(args, MAX_CHARACTERS, "text", "result", "error"),
      })
    ),
  },
];
