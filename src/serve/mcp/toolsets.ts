import { type App, type Config, isChosen, startCall, toolNames, type Toolset, TOOLSETS } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import { type Entry, hasKind, qualifiedName } from "../../base/model.ts";
import { whyReadOnly } from "../../base/people.ts";
import { asksToRemember } from "../../base/remembering.ts";
import { suggest, suggestionOf } from "../../base/suggestions.ts";
import { OPERATIONS } from "../../operations/mod.ts";
import { callsFor } from "../handshake/mod.ts";
import { AGENTS_TOOLS, agentTools } from "./agent_tools.ts";
import { bmadTool } from "./bmad_tool.ts";
import { MEMORY_TOOLS } from "./memory_tools.ts";
import { unlessFailed } from "./name_args.ts";
import { RUNS_TOOLS } from "./runs_tools.ts";
import type { Args, Tool } from "./tool.ts";
import { workTool } from "./work_calls.ts";
import { WORKFLOW_TOOLS } from "./workflow_tools.ts";

type ToolTable = Readonly<Record<Toolset, readonly Tool[]>>;

export const TOOLS: ToolTable = {
  bmad: [bmadTool],
  work: [workTool],
  workflows: WORKFLOW_TOOLS,
  agents: AGENTS_TOOLS,
  memory: MEMORY_TOOLS,
  runs: RUNS_TOOLS,
};

const FIXED = TOOLSETS.flatMap((set) => TOOLS[set].map((tool) => ({ set, tool })));

function fixedTool(name: string): typeof FIXED[number] | undefined {
  return FIXED.find(({ tool }) => tool.name === name);
}

/** A widely used client warns about more tools than this. */
export const MAX_TOOLS = 40;

/** Unknown names are ignored here: `checkTools` reports them. */
export async function chooseTools(app: App, table: ToolTable = TOOLS) {
  const { config } = app;
  const { toolsets, tools: named } = config.settings;
  const allowed = (tools: readonly Tool[]) =>
    tools.map((tool) => allowedTool(config, tool)).filter((tool) => tool !== undefined);
  const fixed = allowed(
    TOOLSETS.flatMap((set) => table[set].filter(({ name }) => isChosen(config, set, name))),
  );
  const isFixed = (name: string) => Object.values(table).flat().some((tool) => tool.name === name);
  const needsAgents = toolsets.includes("agents") || !named.every(isFixed);
  const agents = needsAgents
    ? allowed(agentTools(await app.entries()).filter(({ name }) => isChosen(config, "agents", name)))
    : [];
  // Tools chosen by name are never left out.
  const wanted = agents.filter(({ name }) => named.includes(name));
  const others = agents.filter((tool) => !wanted.includes(tool));
  const offered = others.slice(0, Math.max(0, MAX_TOOLS - fixed.length - wanted.length));
  return {
    tools: [...fixed, ...[...wanted, ...offered].sort((a, b) => (a.name < b.name ? -1 : 1))],
    leftOut: others.length - offered.length,
  };
}

/** Undefined where it would change something and may not. */
function allowedTool(config: Config, tool: Tool): Tool | undefined {
  if (config.settings.readOnly && !tool.annotations.readOnlyHint) return undefined;
  return tool.forConfig?.(config) ?? tool;
}

export function callableTool(config: Config, tool: Tool): Tool | undefined {
  return allowedTool(config, tool) ?? (tool.answersReads ? tool : undefined);
}

export function unlistedTool(config: Config, name: string): Tool | undefined {
  const { set, tool } = fixedTool(name) ?? {};
  return tool?.answersReads && isChosen(config, set!, name) ? tool : undefined;
}

export async function everyTool(app: App): Promise<readonly Tool[]> {
  const agents = agentTools(await app.entries()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [...FIXED.map(({ tool }) => tool), ...agents];
}

/** Fails for the user's own unknown tools; returns those that an untrusted project names. */
export async function checkTools(app: App): Promise<Config["ignored"]> {
  const { settings, provenance, project, isProjectTrusted } = app.config;
  const keys = ["tools", "excludeTools"] as const;
  if (keys.every((key) => settings[key].every((name) => fixedTool(name) !== undefined))) return [];
  const tools = (await everyTool(app)).map(({ name }) => name);
  const [fixed, agents] = [tools.slice(0, FIXED.length), tools.slice(FIXED.length)];
  const known = [
    ...tools,
    ...[bmadTool, workTool].flatMap(({ name }) => Object.keys(OPERATIONS).map((one) => `${name}.${one}`)),
  ];
  const ofAgents = agents.length === 0 ? "" : `, or for agents ${agents.join(", ")}`;
  const problem = `expected one of ${fixed.join(", ")}${ofAgents}`;
  return keys.flatMap((key) => {
    const value = settings[key].filter((name) => !known.includes(name)).join(", ");
    if (value === "") return [];
    const source = provenance[key];
    const isTheirs = !isProjectTrusted && source.startsWith(`${project}/.bmad-mcp.toml:`);
    if (!isTheirs) fail({ code: "invalid-config", setting: key, value, source, problem });
    const reason = `${JSON.stringify(value)} in it is unknown: ${problem}`;
    return [{ setting: key, source, reason, needsTrust: false, isInvalid: true }];
  });
}

function whyMissing(config: Config, name: string): string {
  const { settings } = config;
  const set = fixedTool(name)?.set;
  if (settings.excludeTools.includes(name)) return `Tool ${name} is off: this server's settings leave it out`;
  if (set === undefined) return `Tool ${name} not found`;
  if (isChosen(config, set, name)) return `Tool ${name} is off: ${whyReadOnly(config.person)}`;
  if (settings.toolsets.includes(set)) return `Tool ${name} is off: this server's settings name others alone`;
  return `Tool ${name} is off: it belongs to the tool set ${set}. ` +
    `Ask the user to set BMAD_TOOLSETS=+${set} for this server`;
}

export async function whyNotOffered(app: App, name: string): Promise<string> {
  const { config } = app;
  if (fixedTool(name) !== undefined || config.settings.excludeTools.includes(name)) {
    return whyMissing(config, name);
  }
  const agents = (await app.entries()).filter((entry) => hasKind(entry, "agent"));
  const names = toolNames(agents);
  const named = agents.find(({ key }) => names.get(key) === name);
  const agent = named ?? await agentCalled(app, name);
  if (agent === undefined) {
    const near = suggestionOf(
      suggest(name.toLowerCase(), (await chooseTools(app)).tools.map((one) => one.name)),
    );
    return [whyMissing(config, name), near].filter(Boolean).join(". ");
  }
  const own = names.get(agent.key);
  if (named === undefined && own !== undefined && isChosen(config, "agents", own)) {
    return `${whyMissing(config, name)}. ${qualifiedName(agent)} is the tool ${own}`;
  }
  const start = startCall("agent", JSON.stringify(qualifiedName(agent)), callsFor(config));
  const reason = named !== undefined && isChosen(config, "agents", name)
    ? `clients limit the number of tools, so at most ${MAX_TOOLS} are offered`
    : "agents have no tools of their own on this server";
  return `Tool ${name} is off: ${reason}. Start the agent with ${start}`;
}

/** `core-john`, `bmad-pm`: another module, or the name of a person. */
async function agentCalled(app: App, name: string): Promise<Entry | undefined> {
  return await unlessFailed(app.resolve({ name, kind: "agent" })) ??
    await unlessFailed(app.resolve({ name: name.replace(/^[^-]*-/, ""), kind: "agent" }));
}

const ASKED = "operation query name skill workflow task agent command script".split(" ");

export function toolHint(config: Config, args: Args): string | undefined {
  const asked = ASKED.map((name) => args[name]).filter((value) => typeof value === "string");
  const words = asked.map((text) => text.trim().split(/\s/, 1)[0]!);
  // The names of these two are taken for something to execute.
  const found = words.map(fixedTool).find((one) => one && one.set !== "bmad" && one.set !== "work") ??
    (asked.some(asksToRemember) ? fixedTool("remember_structured") : undefined);
  if (found === undefined) return undefined;
  const { set, tool } = found;
  const isOffered = isChosen(config, set, tool.name) && allowedTool(config, tool) !== undefined;
  return isOffered ? `Call the tool ${tool.name} itself` : whyMissing(config, tool.name);
}
