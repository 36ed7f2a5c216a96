/**
 * What follows from the choice of tools for the texts of answers.
 */
import type { Calls } from "../../content/library/mod.ts";
import { type Choosing, isChosen, type Toolset } from "../../settings/plan/mod.ts";

/** How a client opens files and starts items with the tools that it was given. */
export function callsFor(choosing: Choosing): Calls {
  const isOn = (set: Toolset, tool: string) => isChosen(choosing, set, tool);
  if (isOn("bmad", "bmad")) return { open: 'bmad {"uri":URI}', start: 'bmad {"KIND":NAME}' };
  return {
    open: isOn("agents", "bmad-resources") ? 'bmad-resources {"uri":URI}' : "the MCP resource URI",
    start: isOn("agents", "bmad-workflow")
      ? 'bmad-workflow {"workflow":NAME}'
      : isOn("workflows", "execute_workflow")
      ? 'execute_workflow {"workflow_name":NAME}'
      : "its MCP prompt",
  };
}
