/**
 * The content in numbers: how many agents and workflows, in which modules, from which sources.
 *
 * Counted over surveyed origins, so that a start can announce it before the library is open. An item counts once, as it
 * is listed once.
 */
import { cachedWith } from "../../base/cache.ts";
import { buildManifest, effectiveEntries, visibleEntries } from "../catalog/mod.ts";
import { isOf, type Origin } from "../../base/model.ts";
import { stepBack } from "./fallback.ts";
import type { Opening } from "./library.ts";

/** The content in numbers. */
export interface Overview {
  /** Whether the numbers of a large origin come from manifests that list more than there may be. */
  readonly isEstimate: boolean;
  /** Whether an origin was only counted so far, and not read. */
  readonly isUnread: boolean;
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
  const active = stepBack(surveyed);
  const estimates = active.flatMap(({ estimate }) => estimate ?? []);
  const read = active.flatMap(({ origin, inventory }) =>
    inventory === undefined ? [] : [{ origin, inventory }]
  );
  const entries = visibleEntries(effectiveEntries(buildManifest(read)));
  const count = (kind: "agent" | "workflow") =>
    entries.filter((entry) => isOf(entry, kind)).length +
    estimates.reduce((sum, estimate) => sum + estimate[`${kind}s`], 0);
  const modules = [...entries.map(({ module }) => module), ...estimates.flatMap(({ modules }) => modules)];
  return {
    isEstimate: surveyed.some(({ estimate }) => estimate?.isSmall === false),
    isUnread: surveyed.some(({ estimate }) => estimate !== undefined),
    agents: count("agent"),
    workflows: count("workflow"),
    modules: [...new Set(modules)].sort(),
    origins: active.map(({ origin, inventory, estimate }) => ({
      origin,
      things: estimate?.items ?? inventory?.items.length ?? 0,
      versions: estimate?.modules ?? [
        ...new Set(inventory?.modules.map((module) => `${module.code} ${module.version ?? ""}`.trim())),
      ],
    })),
  };
});
