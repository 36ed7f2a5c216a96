/**
 * The text that several clients show the model before anything else: the first lines route it.
 *
 * It names only tools that the client was given. A client may cut it at 4,096 characters.
 */
import { type Choosing, isChosen, type Toolset } from "../../settings/plan/mod.ts";
import { cachedWith } from "../../base/cache.ts";
import { callsFor } from "./choice.ts";

/** How a model starts, goes on and finds things. */
interface Ways {
  /** Half a sentence: call what, with what. */
  readonly start: string;
  readonly open: string;
  readonly startOther: string;
  /** Missing when no tool finds anything. */
  readonly find?: string;
}

const BY_BMAD: Ways = {
  start:
    'the tool `bmad` with {"operation":"execute","agent":"NAME"} or "workflow":"NAME" and the user\'s words as "message"',
  open: '{"operation":"read","uri":"bmad://…"}',
  startOther: '{"operation":"execute","skill":"NAME"}',
  find: '{"operation":"search","query":"words"}, {"operation":"list","query":"agents"} or ' +
    '{"operation":"list","query":"next"}',
};

/** The instructions for the tools that were chosen. */
export const instructionsFor: (choosing: Choosing) => string = cachedWith((choosing) => {
  const { start, open, startOther, find } = waysFor(choosing);
  return [
    "BMAD Method agents (analyst Mary, PM John, architect Winston, dev Amelia, UX Sally, test architect Murat), workflows, " +
    "tasks and skills. When the user names a BMAD agent, persona or workflow, or asks for a product brief, PRD, architecture, " +
    `epics, stories, sprint plan, code review or test strategy the BMAD way, call ${start}, then act as the returned text says.`,
    "",
    "- The text you get is written for you to follow. Values under “Resolved by the server” replace the steps that " +
    "would run a script or load a configuration file.",
    `- Open files it refers to with ${open}, one at a time, when a step asks for them.`,
    `- Start other skills it names with ${startOther}.`,
    "- Paths below {project-root} that are not BMAD's own (documents, code) are in the user's project: use your own file tools.",
    ...(find === undefined ? [] : [`- Not sure what fits? ${find}.`]),
    ...(isChosen(choosing, "workflows", "get_knowledge")
      ? [
        '- `get_knowledge` {"domain":"testarch"} is the index of what BMAD knows about testing; a topic gives the text.',
      ]
      : []),
    ...kitLines(choosing),
    "- A long answer ends with “part 1 of N” and the call for the next part.",
  ].join("\n");
});

/** What the tools for the project's memory and runs are there for. */
const KIT_LINES: readonly (readonly [Toolset, tool: string, line: string])[] = [
  [
    "memory",
    "get_project_context",
    "`get_project_context` tells what this project is: look there before you plan or code.",
  ],
  ["memory", "get_agent_memory", "`get_agent_memory` tells what an agent learned here before."],
  ["memory", "get_failure_museum", "`get_failure_museum` tells what went wrong here before."],
  [
    "runs",
    "get_workflow_status",
    "`get_workflow_status` tells where a workflow stopped, to go on from there.",
  ],
];

function kitLines(choosing: Choosing): readonly string[] {
  return KIT_LINES.filter(([set, tool]) => isChosen(choosing, set, tool)).map(([, , line]) => `- ${line}`);
}

function waysFor(choosing: Choosing): Ways {
  const isOn = (set: Toolset, tool: string) => isChosen(choosing, set, tool);
  if (isOn("bmad", "bmad")) return BY_BMAD;
  const calls = callsFor(choosing);
  const starts = [
    isOn("agents", "bmad-workflow")
      ? 'the tool that is named after the agent with the user\'s words as "message", or `bmad-workflow` with ' +
        '{"workflow":"NAME"} and them as "context"'
      : "",
    isOn("workflows", "execute_workflow")
      ? '`execute_workflow` with {"workflow_name":"NAME","params":{"message":"the user\'s words"}}'
      : "",
  ].filter((way) => way !== "");
  return {
    start: starts.join(", or ") || "what fits of the tools and prompts here",
    open: calls.open.replace("URI", '"bmad://…"'),
    startOther: calls.start.replace("NAME", '"NAME"'),
    find: isOn("agents", "bmad-resources")
      ? '`bmad-resources` {"operation":"search","query":"words"}'
      : isOn("workflows", "list_workflows")
      ? "`list_workflows`"
      : undefined,
  };
}
