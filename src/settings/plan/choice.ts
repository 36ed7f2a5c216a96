/**
 * What every plan of a start is made from, and which tools the settings choose.
 *
 * That must be known before the rights are dropped, because a tool that writes needs its folder. Whether a tool exists,
 * and what it does, only the surfaces know.
 */
import type { WantedRights } from "../../base/model.ts";
import type { Place } from "../../base/paths.ts";
import {
  type Choices,
  DEFAULT_SETS,
  type LookAt,
  type RefusedPath,
  type Settings,
  type Toolset,
  type WantedPath,
} from "../mod.ts";

export interface StartView extends Place, Pick<Choices, "settings" | "provenance" | "invocation"> {
  readonly look: LookAt;
  /** A folder with its links resolved; undefined if it does not exist. */
  findFolder(path: string): string | undefined;
  readHead?(path: string): string | undefined;
  namesIn?(folder: string): readonly string[];
  /** What a path that the user named must lie in: in a project, the project has put there what is found. */
  within(path: string): Pick<WantedPath, "within">;
  readonly toolNeeds: readonly ToolNeeds[];
  readonly isNamed: boolean;
}

/** What the start must be allowed to do for a plan, and the paths that it may not use. */
export interface Claims {
  readonly rights?: Partial<WantedRights>;
  readonly refused?: readonly RefusedPath[];
}

export interface ToolNeeds {
  readonly set: Toolset;
  readonly tool: string;
  readonly folders?: readonly string[];
  readonly programs?: readonly string[];
  readonly works?: true;
  /** Whether it reads or writes the project's memory. */
  readonly memory?: "reads" | "writes";
  /** Whether the memories can be read as resources, too, while it is on. */
  readonly hasMemoryResources?: true;
}

export interface Choosing {
  readonly settings: Settings;
  readonly provenance: Readonly<Record<keyof Settings, string>>;
}

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

export function withDefaults(choosing: Choosing, sets: readonly Toolset[]): Choosing {
  const { settings } = choosing;
  return { ...choosing, settings: { ...settings, toolsets: [...new Set([...settings.toolsets, ...sets])] } };
}
