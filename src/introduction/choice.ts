/**
 * Which tools were chosen, as far as the settings alone tell, and what follows from it for the texts of answers.
 */
import type { Calls } from "../app.ts";
import type { Config, Toolset } from "../config/mod.ts";

/** The part of the configuration that chooses tools. */
export type Choosing = Pick<Config, "settings" | "provenance">;

/** Whether a tool that belongs to a set was chosen. */
export function isChosen({ settings, provenance }: Choosing, set: Toolset, tool: string): boolean {
  const { toolsets, tools, excludeTools } = settings;
  if (excludeTools.includes(tool)) return false;
  if (tools.includes(tool)) return true;
  // Single tools that were named without any set are all that is wanted.
  const isAlone = tools.length > 0 && provenance.toolsets === "default";
  return !isAlone && toolsets.includes(set);
}

/** How a client opens files and starts things with the tools that it was given; undefined when `bmad` is among them. */
export function callsFor(choosing: Choosing): Calls | undefined {
  const isOn = (set: Toolset, tool: string) => isChosen(choosing, set, tool);
  if (isOn("bmad", "bmad")) return undefined;
  return {
    open: isOn("agents", "bmad-resources") ? 'bmad-resources {"uri":URI}' : "the MCP resource URI",
    start: isOn("agents", "bmad-workflow")
      ? 'bmad-workflow {"workflow":NAME}'
      : isOn("workflows", "execute_workflow")
      ? 'execute_workflow {"workflow_name":NAME}'
      : "its MCP prompt",
  };
}
