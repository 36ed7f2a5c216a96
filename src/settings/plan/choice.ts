/**
 * Which tools were chosen, as far as the settings alone tell.
 *
 * It must be known before the rights are dropped: a tool that writes needs its folder. Whether there is such a tool,
 * and what it does, is for the surfaces to know.
 */
import type { Settings, Toolset } from "../mod.ts";

/** The part of the configuration that chooses tools. */
export interface Choosing {
  /** Which sets and tools are on. */
  readonly settings: Settings;
  /** Whether somebody named the sets. */
  readonly provenance: Readonly<Record<keyof Settings, string>>;
}

/** Whether a tool that belongs to a set was chosen. */
export function isChosen({ settings, provenance }: Choosing, set: Toolset, tool: string): boolean {
  const { toolsets, tools, excludeTools } = settings;
  if (excludeTools.includes(tool)) return false;
  if (tools.includes(tool)) return true;
  // Single tools that were named without any set are all that is wanted.
  const isAlone = tools.length > 0 && provenance.toolsets === "default";
  return !isAlone && toolsets.includes(set);
}
