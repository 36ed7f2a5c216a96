/** A tool that writes or runs something also needs a row in ../handshake/tool_needs.ts. */
import { type Artefact, type Choice, type Question, RUN_ACTIONS, TASK_ACTIONS } from "../../app.ts";
import { failField } from "../../base/errors.ts";
import { qualifiedName, SESSION_STATES, STACKS } from "../../base/model.ts";
import { json, list, number, text } from "../../operations/mod.ts";
import { callsFor } from "../handshake/mod.ts";
import { flagArg, listArg, longTextArg, textArg } from "./args.ts";
import { agentOf, resolveAgent } from "./name_args.ts";
import { origin, tool } from "./params.ts";
import { askModel, PATIENCE_MS } from "./question.ts";
import { isValues, parseJson } from "../../base/values.ts";
import { ADDS, type Args, type Tool } from "./tool.ts";

/** Far above the limits of the runs themselves, which have the better messages. */
const maxLength = 100_000;

const MAX_PART = 2_000;

const RULES =
  "You are asked as this agent for one task, and have one reply. You have no tools and nobody answers questions: " +
  "leave out the greeting, the menu, and every step that loads a file or waits. Do the task as this agent does it, " +
  "state your assumptions, and give the result itself.";

/** If the client's model cannot do the task or does not, the caller gets both. */
const DELEGATE: Tool = tool({
  name: "delegate_to_agent",
  title: "Have an agent do a task",
  description:
    "Have a BMAD agent do one task or answer one question, apart from this conversation. Where the client cannot, you " +
    "get the persona to do it yourself.",
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
  run: async (
    app,
    { agent_id: name, task, context, max_tokens: maxTokens = 2_048, ...place },
    given,
    asker,
  ) => {
    const call = { tool: DELEGATE.name, args: given, parameter: "agent_id" };
    const { entry, asked } = await resolveAgent(app, { name, ...place }, call);
    const agent = qualifiedName(entry);
    const origin = await app.unexpectedOrigin(entry);
    const persona = await app.execute(entry, { asked, calls: callsFor(app.config) });
    const notes = Array.from(persona.split("\n---\n", 1)[0]!.matchAll(ANOTHER), ([, note]) => note!);
    const words = context === undefined ? task : `${task}\n\nContext:\n${context}`;

    const isOffered = !app.config.settings.noSampling && asker.offers("sampling", PATIENCE_MS);
    const reply = isOffered
      ? await askModel(asker, `delegate ${agent}`, PATIENCE_MS, {
        systemPrompt: `${persona}\n\n---\n${RULES}`,
        messages: [{ role: "user", content: { type: "text", text: words } }],
        maxTokens,
        includeContext: "none",
      })
      : undefined;
    const text = [reply?.content ?? []].flat()
      .flatMap((block) => block.type === "text" && block.text !== "" ? [block.text] : []).join("\n\n");
    if (reply !== undefined && text !== "") {
      const { model, stopReason } = reply;
      const cut = stopReason === "maxTokens" ? `\n\n[cut at max_tokens ${maxTokens}]` : "";
      const source = [origin && `origin: ${origin}`, ...notes.map((note) => `note: ${note}`)]
        .map((line) => line && `\n${line}`).join("");
      return {
        text:
          `---\nagent: ${agent}${source}\nanswered by: ${model}, the client's model\n---\n\n${text}${cut}`,
        data: { agent, origin, ...(notes.length > 0 && { notes }), delegated: true, text, model, stopReason },
      };
    }
    const reason = isOffered
      ? "the client's model did not answer"
      : "the client's model cannot be asked (no sampling)";
    const prompt = [
      `Nothing was delegated: ${reason}. Do the task yourself: act as the agent below for this one task, without ` +
      `greeting, menu or questions, in at most ${maxTokens} tokens, then continue as yourself.`,
      `Task for ${agent}${notes.map((note) => ` (${note})`).join("")}:\n${words}`,
      persona,
    ].join("\n\n");
    return {
      text: prompt,
      data: { agent, origin, ...(notes.length > 0 && { notes }), delegated: false, reason, prompt },
    };
  },
});

/** What an activation notes if somebody else than the named agent does its work. */
const ANOTHER = /^note: (.* (?:does its work|is overridden by .*))$/gm;

/** Fields are described in words: a schema for each would cost more tokens. */
const listOf = (type: "string" | "object") => ({ type: "array", items: { type } });

/** By name, as objects with a name, or as paths. */
function outputsIn(given: unknown): Args {
  return Object.assign(
    {},
    ...listArg({ given }, "given").map((item) => {
      const fields = typeof item === "string" && item.trimStart().startsWith("{") ? parseJson(item) : item;
      if (!isValues(fields)) return { [String(item)]: item };
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
    searchHint: "BMAD workflow run status resume step queue",
    params: {
      run_id: text("Default: the latest run.", { names: ["runId", "id"] }),
      branch: text("A session branch, such as main; default own.", {
        names: ["session_branch"],
      }),
    },
    run: async ({ project }, { run_id: runId, branch }) =>
      (await project.kitFiles()).status({ runId, branch }),
  }),
  tool({
    name: "list_sessions",
    title: "List sessions and runs",
    description: "List the BMAD session branches of this project with their workflow runs.",
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
        isDivided: true,
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
      rejected: list("Rejected options, and why.", { schema: listOf("string"), maxLength: MAX_PART }),
      constraints: list("What cannot be changed.", { schema: listOf("string"), maxLength: MAX_PART }),
      risks: list("Known risks.", { schema: listOf("string"), maxLength: MAX_PART }),
      signed_by: text("Who signs.", { names: ["signedBy"] }),
    },
    run: async ({ project, config }, { from_team: from, to_team: to, signed_by, ...parts }) => {
      // A caller whom the server knows signs in their own name.
      const signedBy = config.person?.name ?? signed_by;
      return await (await project.kitFiles()).deliver({ from, to, ...parts, ...readParts(parts), signedBy });
    },
  }),
  DELEGATE,
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

function readParts(args: Args) {
  return {
    artefacts: fieldsIn(args, "artefacts", "name").map(artefactOf),
    questions: fieldsIn(args, "questions", "question").map(questionOf),
    decisions: fieldsIn(args, "decisions", "decision").map(choiceOf),
  };
}

/** A text alone is the first field of an object. */
function fieldsIn(args: Args, field: string, first: string): readonly Args[] {
  return listArg(args, field).map((item) => {
    const fields = isValues(item) ? item : { [first]: item };
    if (fields[first] === undefined && fields["path"] === undefined) {
      failField(field, `every item needs a ${first}`);
    }
    return fields;
  });
}

function partText(fields: Args, ...names: readonly string[]): string | undefined {
  return longTextArg(fields, MAX_PART, ...names);
}

function artefactOf(fields: Args): Artefact {
  const name = partText(fields, "name", "title", "path")!;
  // A name that looks like a path is both.
  const path = partText(fields, "path", "file") ??
    (/^\S+$/.test(name) && /(?!^)[/.](?!$)/.test(name) ? name : undefined);
  const isRequired = !flagArg(fields, "optional") && textArg(fields, "required")?.toLowerCase() !== "false";
  const acceptance = partText(fields, "acceptance", "acceptance_criterion", "criteria");
  return { name, path, acceptance, isRequired };
}

function questionOf(fields: Args): Question {
  const word = partText(fields, "criticality", "severity", "priority") ?? "";
  const isMinor = /min|🟢|low|nice/i.test(word);
  const criticality = /crit|🔴|high|block/i.test(word) ? "critical" : isMinor ? "minor" : "important";
  return {
    question: partText(fields, "question")!,
    criticality,
    owner: partText(fields, "owner", "responsible"),
  };
}

function choiceOf(fields: Args): Choice {
  return {
    decision: partText(fields, "decision")!,
    reason: partText(fields, "reason", "justification", "rationale"),
    impact: partText(fields, "impact"),
  };
}
