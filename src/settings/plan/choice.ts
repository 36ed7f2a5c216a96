/**
 * Which tools the settings choose.
 *
 * It must be known before the rights are dropped, because a tool that writes needs its folder. Whether a tool exists,
 * and what it does, only the surfaces know.
 */
import { DEFAULT_SETS, type Settings, type Toolset } from "../mod.ts";

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

/** Whether the sets that are on by default are wanted: nobody named sets or tools, or they are to come as well. */
export function wantsDefaults({ settings, provenance }: Choosing): boolean {
  const { toolsets, tools } = settings;
  return toolsets.includes(DEFAULT_SETS) || provenance.toolsets.startsWith("default") && tools.length === 0;
}

/** The same choice, with sets that come by default. */
export function withDefaults(choosing: Choosing, sets: readonly Toolset[]): Choosing {
  const { settings } = choosing;
  return { ...choosing, settings: { ...settings, toolsets: [...new Set([...settings.toolsets, ...sets])] } };
}
