/**
 * The table of tool sets, and which tools a client is offered.
 *
 * To add a tool, put it into its set; to add a set, name it in src/settings/settings.ts and add a row. Tools are always
 * listed in the order of the table, those of single agents last and by name.
 */
import { type App, isChosen, type Toolset, TOOLSETS } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import { AGENTS_TOOLS, agentTools } from "./agent_tools.ts";
import { bmadTool } from "./bmad_tool.ts";
import { MEMORY_TOOLS } from "./memory_tools.ts";
import { RUNS_TOOLS } from "./runs_tools.ts";
import type { Tool } from "./tool.ts";
import { WORKFLOW_TOOLS } from "./workflow_tools.ts";

/** The tools of each set, without those of single agents. */
export type ToolTable = Readonly<Record<Toolset, readonly Tool[]>>;

/** All sets. */
export const TOOLS: ToolTable = {
  bmad: [bmadTool],
  workflows: WORKFLOW_TOOLS,
  agents: AGENTS_TOOLS,
  memory: MEMORY_TOOLS,
  runs: RUNS_TOOLS,
};

/** A widely used client warns about more tools than this. */
export const MAX_TOOLS = 40;

/** The tools that a client is offered. */
export interface Choice {
  /** In the order of the list. */
  readonly tools: readonly Tool[];
  /** How many agents have no tool because of the limit. */
  readonly leftOut: number;
}

/** The tools that the settings choose. Unknown names are ignored here: `checkTools` reports them. */
export async function chooseTools(app: App, table: ToolTable = TOOLS): Promise<Choice> {
  const { config } = app;
  const { toolsets, tools: named, readOnly } = config.settings;
  const isAllowed = (tool: Tool) => !readOnly || tool.annotations.readOnlyHint;
  const fixed = TOOLSETS.flatMap((set) => table[set].filter(({ name }) => isChosen(config, set, name)))
    .filter(isAllowed);
  const needsAgents = toolsets.includes("agents") || named.some((name) => !isFixed(table, name));
  const agents = needsAgents
    ? agentTools(await app.entries()).filter(({ name }) => isChosen(config, "agents", name)).filter(isAllowed)
    : [];
  // Tools chosen by name are never left out.
  const wanted = agents.filter(({ name }) => named.includes(name));
  const others = agents.filter((tool) => !wanted.includes(tool));
  const kept = others.slice(0, Math.max(0, MAX_TOOLS - fixed.length - wanted.length));
  return {
    tools: [...fixed, ...[...wanted, ...kept].sort((a, b) => (a.name < b.name ? -1 : 1))],
    leftOut: others.length - kept.length,
  };
}

/** Every tool of every set, those of single agents last and by name. */
export async function everyTool(app: App): Promise<readonly Tool[]> {
  const fixed = TOOLSETS.flatMap((set) => TOOLS[set]);
  const agents = agentTools(await app.entries()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [...fixed, ...agents];
}

/** Fails if the settings name an unknown tool. */
export async function checkTools(app: App): Promise<void> {
  const { settings, provenance } = app.config;
  const keys = ["tools", "excludeTools"] as const;
  if (keys.every((key) => settings[key].every((name) => isFixed(TOOLS, name)))) return;
  const known = (await everyTool(app)).map(({ name }) => name);
  const fixed = known.filter((name) => isFixed(TOOLS, name));
  const agents = known.filter((name) => !isFixed(TOOLS, name));
  for (const key of keys) {
    const unknown = settings[key].filter((name) => !known.includes(name));
    if (unknown.length === 0) continue;
    const agentTools = agents.length === 0 ? "" : `, or for agents ${agents.join(", ")}`;
    fail({
      code: "invalid-config",
      setting: key,
      value: unknown.join(", "),
      source: provenance[key],
      problem: `expected one of ${fixed.join(", ")}${agentTools}`,
    });
  }
}

function isFixed(table: ToolTable, name: string): boolean {
  return Object.values(table).flat().some((tool) => tool.name === name);
}
