/**
 * The server's instructions, which many clients show the model before anything else.
 *
 * They name only tools that the client was given, and the first sentence says when to call them: a client may cut the
 * text at 4,096 characters.
 */
import { type Choosing, isChosen, type Toolset } from "../../settings/plan/mod.ts";
import { cachedWith } from "../../base/cache.ts";
import { callsFor } from "./choice.ts";

/** How a model starts an agent or workflow, continues, and searches; each completes a sentence. */
interface Ways {
  readonly start: string;
  readonly open: string;
  readonly startOther: string;
  /** Undefined when no tool can search. */
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

/** Lines for single tools. */
const TOOL_LINES: readonly (readonly [Toolset, tool: string, line: string])[] = [
  [
    "work",
    "bmad_work",
    '`bmad_work` {"script":"…"} runs the scripts that texts call, without Python: give it the command line of the text, or a list of several.',
  ],
  [
    "workflows",
    "get_knowledge",
    '`get_knowledge` {"domain":"testarch"} lists what BMAD knows about testing; add a topic for its text.',
  ],
  [
    "memory",
    "get_project_context",
    "`get_project_context` describes this project: read it before you plan or code.",
  ],
  [
    "memory",
    "recall_structured",
    "`recall_structured` searches what this project knows, in memories and files: ask it before you decide.",
  ],
  [
    "memory",
    "remember_structured",
    "`remember_structured` stores a decision, lesson or failure for later, where all of these tools find it.",
  ],
  ["memory", "get_agent_memory", "`get_agent_memory` shows what an agent has learned here."],
  ["memory", "get_failure_museum", "`get_failure_museum` shows what went wrong here before."],
  [
    "runs",
    "get_workflow_status",
    "`get_workflow_status` shows where a workflow stopped, so that you can resume it.",
  ],
  [
    "runs",
    "update_run",
    "`update_run` writes down how far a workflow is: start it, note each step, finish it.",
  ],
];

/** The instructions for the chosen tools. */
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
    ...TOOL_LINES.filter(([set, tool]) => isOffered(choosing, set, tool)).map(([, , line]) => `- ${line}`),
    ...(isReadingWork(choosing)
      ? [
        "- This server is read-only: `bmad_work` refuses scripts that write. Write files with your own tools.",
      ]
      : []),
    "- A long answer ends with “part 1 of N” and the call for the next part.",
  ].join("\n");
});

/** Whether a tool is chosen and not off because it writes. */
function isOffered(choosing: Choosing, set: Toolset, tool: string): boolean {
  const isWriting = ["remember_structured", "update_run"].includes(tool);
  return isChosen(choosing, set, tool) && !(isWriting && choosing.settings.readOnly);
}

function isReadingWork(choosing: Choosing): boolean {
  return choosing.settings.readOnly && isChosen(choosing, "work", "bmad_work");
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
