/**
 * How a delivered text tells the model to open files and start workflows: with the tools its client was given.
 */
import { cachedWith } from "../../base/cache.ts";
import type { Calls } from "../../content/library/mod.ts";
import { type Choosing, isChosen, type Toolset } from "../../settings/plan/mod.ts";

/** The calls to name in answers. A URI or a name alone is a whole call of `bmad`. */
export const callsFor: (choosing: Choosing) => Calls = cachedWith((choosing) => {
  const isOn = (set: Toolset, tool: string) => isChosen(choosing, set, tool);
  const script = isOn("work", "bmad_work") ? 'bmad_work {"script":LINE}' : undefined;
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
