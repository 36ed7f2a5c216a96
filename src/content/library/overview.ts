/**
 * The content in numbers: how many agents and workflows, in which modules, from which sources.
 *
 * Counted over the inventories alone, so that a start can announce it before any entry is built. An item that several
 * origins have counts once.
 */
import { cachedWith } from "../../base/cache.ts";
import { isHidden, isOf, type Origin } from "../../base/model.ts";
import { stepBack } from "./fallback.ts";
import type { Opening } from "./library.ts";

/** The content in numbers. */
export interface Overview {
  /** Whether the numbers of a large origin come from its manifests, not from its files. */
  readonly isEstimate: boolean;
  readonly agents: number;
  readonly workflows: number;
  /** The codes of the modules that have any content, sorted. */
  readonly modules: readonly string[];
  /** Every origin, highest priority first. */
  readonly origins: readonly OriginOverview[];
}

/** One origin in numbers. */
export interface OriginOverview {
  readonly origin: Origin;
  /** How many items it has, overridden ones included. */
  readonly things: number;
  /** Its modules and their versions, such as `bmm 6.12.0`. */
  readonly versions: readonly string[];
}

/** Counts the items that lists would show, over surveyed origins. */
export const overviewOf: (surveyed: readonly Opening[]) => Overview = cachedWith((surveyed) => {
  const seen = new Set<string>();
  const modules = new Set<string>();
  let agents = 0;
  let workflows = 0;
  const active = stepBack(surveyed);
  for (const { inventory, estimate } of active) {
    agents += estimate?.agents ?? 0;
    workflows += estimate?.workflows ?? 0;
    for (const module of estimate?.modules ?? []) modules.add(module);
    for (const item of inventory?.items ?? []) {
      if (item.status === "no-file-found" || isHidden(item)) continue;
      const key = `${item.module}:${item.kind}:${item.id}`.toLowerCase();
      if (seen.has(key)) continue;
      seen.add(key);
      modules.add(item.module);
      if (isOf(item, "agent")) agents++;
      if (isOf(item, "workflow")) workflows++;
    }
  }
  return {
    isEstimate: surveyed.some(({ estimate }) => estimate !== undefined),
    agents,
    workflows,
    modules: [...modules].sort(),
    origins: active.map(({ origin, inventory, estimate }) => ({
      origin,
      things: estimate?.items ?? inventory?.items.length ?? 0,
      versions: estimate?.modules ?? [
        ...new Set(inventory?.modules.map((module) => `${module.code} ${module.version ?? ""}`.trim())),
      ],
    })),
  };
});
