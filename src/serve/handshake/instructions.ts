/**
 * What the model is told before anything else: the server's instructions, and how delivered texts name calls; both with the
 * tools that its client was given.
 *
 * The first sentence says when to call them: a client may cut the text at 4,096 characters.
 */
import { cachedWith } from "../../base/cache.ts";
import type { Calls } from "../../content/library/mod.ts";
import { type Choosing, isChosen, type Toolset } from "../../settings/plan/mod.ts";

export const callsFor: (choosing: Choosing) => Calls = cachedWith((choosing) => {
  const isOn = (set: Toolset, tool: string) => isChosen(choosing, set, tool);
  // A read-only server does not offer the tool that changes something.
  const tool = choosing.settings.readOnly && isOn("bmad", "bmad") ? "bmad" : "bmad_work";
  const script = isOn("work", "bmad_work") ? `${tool} {"script":LINE}` : undefined;
  if (isOn("bmad", "bmad")) {
    return {
      script,
      open: 'bmad {"uri":URI}',
      openOf: 'bmad {"skill":ITEM,"uri":"PATH"}',
      start: 'bmad {"KIND":NAME}',
      next: 'bmad {"operation":"list","query":"next"}',
    };
  }
  return {
    script,
    open: isOn("agents", "bmad-resources") ? 'bmad-resources {"uri":URI}' : "the MCP resource URI",
    start: isOn("agents", "bmad-workflow")
      ? 'bmad-workflow {"workflow":NAME}'
      : isOn("workflows", "execute_workflow")
      ? 'execute_workflow {"workflow_name":NAME}'
      : "its MCP prompt",
  };
});

interface Ways {
  readonly start: string;
  readonly open: string;
  readonly startOther: string;
  readonly find?: string;
}

const BY_BMAD: Ways = {
  start:
    'the tool `bmad` with {"operation":"execute","agent":"NAME"} or "workflow":"NAME" and the user\'s words as "message"',
  open: '{"operation":"read","skill":"NAME","uri":"PATH"}, both as in the text',
  startOther: '{"operation":"execute","skill":"NAME"}',
  find: '{"operation":"search","query":"words"}, {"operation":"list","query":"agents"} or ' +
    '{"operation":"list","query":"next"}',
};

const TOOL_LINES: Readonly<Partial<Record<Toolset, Readonly<Record<string, string>>>>> = {
  work: {
    bmad_work:
      '{"script":"…"} runs the scripts that texts call, without Python: give it the command line of the text, or a list of several.',
  },
  workflows: {
    get_knowledge: '{"domain":"testarch"} lists what BMAD knows about testing; add a topic for its text.',
  },
  memory: {
    get_project_context: "describes this project: read it before you plan or code.",
    recall_structured: "searches what this project knows, in memories and files: ask it before you decide.",
    remember_structured: "stores a decision, lesson or failure for later, where all of these tools find it.",
    get_agent_memory: "shows what an agent has learned here.",
    get_failure_museum: "shows what went wrong here before.",
  },
  runs: {
    get_workflow_status: "shows where a workflow stopped, so that you can resume it.",
    update_run: "writes down how far a workflow is: start it, note each step, finish it.",
  },
};

export const instructionsFor: (choosing: Choosing) => string = cachedWith((choosing) => {
  const { start, open, startOther, find } = waysFor(choosing);
  return [
    "BMAD Method agents (analyst Mary, PM John, architect Winston, UX Sally, developers, testers), workflows, " +
    "tasks and skills. When the user names a BMAD agent, persona or workflow, or asks for a product brief, PRD, architecture, " +
    `epics, stories, sprint plan, code review or test strategy the BMAD way, call ${start}, then act as the returned text says.`,
    "",
    "- The returned text is written for you to follow. Values under “Already resolved” replace the steps that would " +
    "run a script or load a configuration file.",
    `- Open files it refers to with ${open}, one at a time, when a step asks for them.`,
    `- Start other skills it names with ${startOther}.`,
    "- Other paths below {project-root} (documents, code) are in the user's project: use your own file tools.",
    ...(find === undefined ? [] : [`- Not sure what fits? ${find}.`]),
    ...toolLines(choosing),
    ...(choosing.settings.readOnly && isChosen(choosing, "work", "bmad_work")
      ? [
        "- This server is read-only: it runs no script that writes. Write files with your own tools.",
      ]
      : []),
    "- A long answer ends with “part 1 of N” and the call for the next part.",
  ].join("\n");
});

function toolLines(choosing: Choosing): readonly string[] {
  const writing = choosing.settings.readOnly ? ["remember_structured", "update_run"] : [];
  return Object.entries(TOOL_LINES).flatMap(([set, tools]) =>
    Object.entries(tools)
      .filter(([tool]) => isChosen(choosing, set as Toolset, tool) && !writing.includes(tool))
      .map(([tool, line]) => `- \`${tool}\` ${line}`)
  );
}

function waysFor(choosing: Choosing): Ways {
  const isOn = (set: Toolset, tool: string) => isChosen(choosing, set, tool);
  if (isOn("bmad", "bmad")) return BY_BMAD;
  const { open, start } = callsFor(choosing);
  const starts = [
    isOn("agents", "bmad-workflow")
      ? 'the tool named after the agent with the user\'s words as "message", or `bmad-workflow` with ' +
        '{"workflow":"NAME"} and them as "context"'
      : "",
    isOn("workflows", "execute_workflow")
      ? '`execute_workflow` with {"workflow_name":"NAME","params":{"message":"the user\'s words"}}'
      : "",
  ].filter((way) => way !== "");
  return {
    start: starts.join(", or ") || "the tool or prompt that fits",
    open: open.replace("URI", '"bmad://…"'),
    startOther: start.replace("NAME", '"NAME"'),
    find: isOn("agents", "bmad-resources")
      ? '`bmad-resources` {"operation":"search","query":"words"}'
      : isOn("workflows", "list_workflows")
      ? "`list_workflows`"
      : undefined,
  };
}
