/**
 * Which tools the settings choose.
 *
 * It must be known before the rights are dropped, because a tool that writes needs its folder. Whether a tool exists,
 * and what it does, only the surfaces know.
 */
import type { Settings, Toolset } from "../mod.ts";

/** The part of the configuration that chooses tools. */
export interface Choosing {
  readonly settings: Settings;
  /** Says whether the user named the sets. */
  readonly provenance: Readonly<Record<keyof Settings, string>>;
}

/** Whether a tool that belongs to a set was chosen. */
export function isChosen({ settings, provenance }: Choosing, set: Toolset, tool: string): boolean {
  const { toolsets, tools, excludeTools } = settings;
  if (excludeTools.includes(tool)) return false;
  if (tools.includes(tool)) return true;
  // Tools that are named without a set are the only ones wanted.
  const isAlone = tools.length > 0 && provenance.toolsets === "default";
  return !isAlone && toolsets.includes(set);
}
