/** A tool that writes needs its folder before the rights are dropped, so the choice of tools comes first. */
import type { WantedRights } from "../../base/model.ts";
import type { Context, Place } from "../../base/paths.ts";
import {
  type Choices,
  DEFAULT_SETS,
  type LookAt,
  type PlannedPath,
  type RefusedPath,
  resolveRight,
  type Settings,
  type Toolset,
  type WantedPath,
} from "../mod.ts";

export interface Start
  extends
    Place,
    Choosing,
    Pick<Choices, "invocation" | "project" | "place" | "notProject" | "isProjectTrusted" | "pins"> {
  readonly look: LookAt;
  findFolder(path: string): string | undefined;
  readHead?(path: string): string | undefined;
  namesIn?(folder: string): readonly string[];
  readonly context: Context;
  /** What a path that the user named must lie in: in a project, the project has put there what is found. */
  within(path: string): Pick<WantedPath, "within">;
  readonly toolNeeds: readonly ToolNeeds[];
  readonly isNamed: boolean;
  /** Whether it is planned beside the project that the start is about. */
  readonly isBeside: boolean;
  readonly mayChange: boolean;
  readonly servedFrom?: string | undefined;
}

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
  readonly memory?: "reads" | "writes";
  /** Whether memories are also resources while it is on. */
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

/** A call by name enables a tool. */
export function isOn(start: Start, { set, tool }: Pick<ToolNeeds, "set" | "tool">): boolean {
  const { invocation: { name, operands }, settings } = start;
  if (name === "call") return operands[0] === tool && !settings.excludeTools.includes(tool);
  return name === "serve" && isChosen(start, set, tool);
}

/** Unless the user named sets or tools without a plus. */
export function withDefaults(choosing: Choosing, sets: readonly Toolset[], sign?: string): Choosing {
  const { settings, provenance } = choosing;
  const { toolsets, tools } = settings;
  const wantsDefaults = toolsets.includes(DEFAULT_SETS) ||
    provenance.toolsets.startsWith("default") && tools.length === 0;
  if (!wantsDefaults) return choosing;
  return {
    settings: { ...settings, toolsets: [...new Set([...toolsets, ...sets])] },
    provenance: sign === undefined
      ? provenance
      : { ...provenance, toolsets: `${provenance.toolsets}, and ${sign}` },
  };
}

export function planFolder(
  root: string,
  folder: string,
  holds: "documents" | "content",
  { look }: Pick<Start, "look">,
): PlannedPath & { readonly folder: string } {
  return {
    folder,
    ...resolveRight({ path: `${root}/${folder}`, kind: "folder", within: { root, holds } }, look),
  };
}

export function refusedOf(
  paths: readonly (Pick<RefusedPath, "folder" | "key"> & { readonly reason?: string })[],
): readonly RefusedPath[] {
  return paths.flatMap(({ folder, key, reason }) =>
    reason === undefined ? [] : [{ folder, ...(key !== undefined && { key }), reason }]
  );
}
