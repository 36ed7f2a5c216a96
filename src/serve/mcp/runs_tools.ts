/**
 * The tool set `runs`: the state of workflow runs, tasks for sub-agents, contracts, and delegation.
 *
 * A tool that writes or runs something also needs a row in ../handshake/tool_needs.ts, or it has no right to.
 */
import { RUN_ACTIONS, TASK_ACTIONS } from "../../app.ts";
import { SESSION_STATES, STACKS } from "../../base/model.ts";
import { parseJson } from "../../base/values.ts";
import { json, list, number, text } from "../../operations/mod.ts";
import { agentOf } from "./agent_names.ts";
import { listArg } from "./args.ts";
import { isFields } from "./request_checks.ts";
import { ADDS, type Args, READS, type Tool } from "./tool.ts";
import { origin, tool } from "./tool_rows.ts";

/** Far above the limits of the runs themselves, which have the better messages. */
const maxLength = 100_000;

/** The schema of a list whose fields are described in words, because a schema for each would cost more tokens. */
const listOf = (type: "string" | "object") => ({ type: "array", items: { type } });

/** Outputs as models write them: by name, as a list of objects with a name, or as a list of paths. */
function outputsIn(given: unknown): Args {
  return Object.assign(
    {},
    ...listArg({ given }, "given").map((item) => {
      const fields = typeof item === "string" && item.trimStart().startsWith("{") ? parseJson(item) : item;
      if (!isFields(fields)) return { [String(item)]: item };
      const { name, path, value } = fields;
      return typeof name === "string" && (path ?? value) !== undefined ? { [name]: path ?? value } : fields;
    }),
  );
}

export const RUNS_TOOLS: readonly Tool[] = [
  tool({
    name: "get_workflow_status",
    title: "Show the status of a workflow run",
    description:
      "The status of a BMAD workflow run of this project: step, variables, artefacts, issues, queued tasks.",
    annotations: READS,
    searchHint: "BMAD workflow run status resume step queue",
    params: {
      run_id: text("Default: the latest run.", { names: ["runId", "id"] }),
      branch: text("A session branch, such as main; default any.", { names: ["session_branch"] }),
    },
    run: async ({ project }, { run_id: runId, branch }) =>
      (await project.kitFiles()).status({ runId, branch }),
  }),
  tool({
    name: "list_sessions",
    title: "List sessions and runs",
    description: "List the BMAD session branches of this project with their workflow runs.",
    annotations: READS,
    searchHint: "BMAD sessions branches runs list",
    params: { status: text("", { choices: SESSION_STATES }) },
    run: async ({ project }, { status }) => (await project.kitFiles()).sessions(status),
  }),
  tool({
    name: "spawn_subagent_task",
    title: "Queue a task for a sub-agent",
    description:
      "Queue a task for a BMAD sub-agent: writes a file into the run's queue, for an orchestrator to carry out. The " +
      "same task is queued once.",
    annotations: { ...ADDS, idempotentHint: true },
    searchHint: "BMAD spawn subagent task queue orchestrate",
    params: {
      agent: text("Who should do it, such as dev.", {
        isRequired: true,
        example: "dev",
        names: ["agent_id"],
        maxLength,
      }),
      task: text("The whole task.", { isRequired: true, maxLength }),
      output_key: text("The name of its result.", { isRequired: true, names: ["outputKey"], maxLength }),
      context_files: list("Files of the project that it needs.", {
        names: ["contextFiles", "context"],
        maxLength,
        schema: listOf("string"),
      }),
      run_id: text("Default: the active run.", { names: ["runId"] }),
    },
    run: async (app, { agent, task, output_key: outputKey, context_files: contextFiles, run_id: runId }) => {
      const runs = await app.project.kitFiles();
      return await runs.spawn({ agent: await agentOf(app, agent), task, outputKey, contextFiles, runId });
    },
  }),
  tool({
    name: "run_completion_contract",
    title: "Run the completion contract",
    description:
      "Verify the work: runs this project's BMAD completion contract (cc-verify.sh: build, tests, lint). Returns PASS, " +
      "FAIL, NONE or ERROR with its output. Only where the user allowed it.",
    annotations: { ...ADDS, destructiveHint: true },
    searchHint: "BMAD completion contract verify tests build lint done",
    runsOnce: true,
    params: {
      stack: text("Default auto: all that are found.", { choices: STACKS }),
      working_dir: text("A folder of the project; default its root.", {
        names: ["workingDir", "cwd"],
        maxLength,
      }),
    },
    run: async ({ project }, { stack, working_dir: folder }) =>
      await (await project.kitFiles()).verify({ stack, folder }),
  }),
  tool({
    name: "create_delivery_contract",
    title: "Write a delivery contract",
    description:
      "Write the BMAD delivery contract with which one team hands its artefacts to another, as a new file.",
    annotations: ADDS,
    searchHint: "BMAD delivery contract handoff teams artefacts",
    runsOnce: true,
    params: {
      from_team: text("Who hands over, such as team-vision.", {
        isRequired: true,
        example: "team-vision",
        names: ["from"],
      }),
      to_team: text("Who takes over, such as team-build.", {
        isRequired: true,
        example: "team-build",
        names: ["to"],
      }),
      artefacts: json(
        "Handed over: {name, path, acceptance, optional}. Default: the outputs of the session's runs.",
        { names: ["artifacts"], schema: listOf("object") },
      ),
      questions: json("Open questions: {question, criticality: critical|important|minor, owner}.", {
        schema: listOf("object"),
      }),
      decisions: json("Decisions: {decision, reason, impact}.", { schema: listOf("object") }),
      rejected: list("Rejected options, and why.", { schema: listOf("string"), maxLength: 2_000 }),
      constraints: list("What cannot be changed.", { schema: listOf("string"), maxLength: 2_000 }),
      risks: list("Known risks.", { schema: listOf("string"), maxLength: 2_000 }),
      signed_by: text("Who signs.", { names: ["signedBy"] }),
    },
    run: async ({ project, config }, { from_team: from, to_team: to, signed_by, ...parts }) => {
      const { readParts } = await import("./delivery_request.ts");
      // A caller whom the server knows signs in their own name.
      const signedBy = config.person?.name ?? signed_by;
      return await (await project.kitFiles()).deliver({ from, to, ...parts, ...readParts(parts), signedBy });
    },
  }),
  tool({
    name: "delegate_to_agent",
    title: "Have an agent do a task",
    description:
      "Have a BMAD agent do one task or answer one question, apart from this conversation. Where the client cannot, you " +
      "get the persona to do it yourself.",
    annotations: READS,
    searchHint: "BMAD delegate agent task sampling second opinion",
    runsOnce: true,
    params: {
      agent_id: text("Any agent, such as analyst, architect or bmm/dev.", {
        isRequired: true,
        example: "analyst",
        names: ["agentId", "agent", "name"],
      }),
      task: text("The task or question.", {
        isRequired: true,
        names: ["question", "message", "prompt"],
        maxLength: 200_000,
      }),
      context: text("What the agent has to know for it.", { maxLength: 200_000 }),
      max_tokens: number("", { range: [1, 100_000], schema: { default: 2_048 } }),
      module: text("Only this module.", { forModel: "" }),
      origin,
    },
    // Loaded only when needed.
    run: async (app, args, given, asker) =>
      (await import("./delegation.ts")).delegate(app, args, given, asker),
  }),
  tool({
    name: "update_run",
    title: "Write the course of a workflow run",
    description: "Write down how far a BMAD workflow run is, so that it can be resumed.",
    annotations: { ...ADDS, destructiveHint: true },
    searchHint: "BMAD run start checkpoint finish resume",
    runsOnce: true,
    params: {
      action: text("", { isRequired: true, choices: RUN_ACTIONS }),
      run_id: text("To start: the workflow's name. Default: the active run.", {
        names: ["runId", "workflow"],
      }),
      branch: text("Default: the project's.", { names: ["session_branch"] }),
      step: text("The step that is done.", { names: ["current_step"] }),
      outputs: json("Results by name: paths or values.", { names: ["artefacts", "artifacts"] }),
      status: text("How it ended.", { forModel: "" }),
    },
    run: async ({ project }, { run_id: runId, outputs, ...request }) =>
      await (await project.kitFiles()).update({ ...request, runId, outputs: outputsIn(outputs) }),
  }),
  tool({
    name: "answer_subagent_task",
    title: "Claim or answer a queued task",
    description:
      "Claim a queued task of a BMAD run, then answer it with the result or fail it with the reason.",
    annotations: { ...ADDS, destructiveHint: true },
    searchHint: "BMAD subagent task claim answer",
    runsOnce: true,
    params: {
      task_id: text("", { isRequired: true, names: ["taskId", "id"], maxLength }),
      action: text("", { isRequired: true, choices: TASK_ACTIONS }),
      text: text("", { names: ["result", "error"], maxLength }),
    },
    run: async ({ project }, { task_id: taskId, action, text }) =>
      await (await project.kitFiles()).answer({ taskId, action, text }),
  }),
];
