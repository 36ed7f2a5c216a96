/**
 * What there is, in numbers: counted over the inventories, without making a record of each thing.
 */
import { cachedWith } from "../../base/cache.ts";
import { isHidden, isOf, type Origin } from "../../base/model.ts";
import type { Opening } from "./library.ts";

/** What there is, in numbers. */
export interface Overview {
  /** Whether the numbers of a large origin are what its manifests tell, not what is there. */
  readonly isEstimate: boolean;
  /** Things that are agents, by kind or by role. */
  readonly agents: number;
  /** Things that are workflows, by kind or by role. */
  readonly workflows: number;
  /** The codes of the modules that hold anything, in order. */
  readonly modules: readonly string[];
  /** Every origin, best first, with what was found in it. */
  readonly origins: readonly OriginOverview[];
}

/** One origin in numbers. */
export interface OriginOverview {
  /** Where it is and how much it counts. */
  readonly origin: Origin;
  /** How many things it has, shadowed ones among them. */
  readonly things: number;
  /** Its modules and their versions, such as `bmm 6.12.0`. */
  readonly versions: readonly string[];
}

/** Counts what lists would show, over origins that were surveyed. */
export const overviewOf: (surveyed: readonly Opening[]) => Overview = cachedWith((surveyed) => {
  const seen = new Set<string>();
  const modules = new Set<string>();
  let agents = 0;
  let workflows = 0;
  for (const { inventory, estimate } of surveyed) {
    agents += estimate?.agents ?? 0;
    workflows += estimate?.workflows ?? 0;
    for (const module of estimate?.modules ?? []) modules.add(module);
    for (const item of inventory?.items ?? []) {
      if (item.status === "no-file-found" || isHidden(item)) continue;
      const thing = `${item.module}:${item.kind}:${item.id}`.toLowerCase();
      if (seen.has(thing)) continue;
      seen.add(thing);
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
    origins: surveyed.map(({ origin, inventory, estimate }) => ({
      origin,
      things: estimate?.items ?? inventory?.items.length ?? 0,
      versions: estimate?.modules ?? [
        ...new Set(inventory?.modules.map((module) => `${module.code} ${module.version ?? ""}`.trim())),
      ],
    })),
  };
});
