/** The content in numbers, announced before the library is open, and the state of each origin. */
import { cachedWith } from "../../base/cache.ts";
import { buildManifest, effectiveEntries, visibleEntries } from "../catalog/mod.ts";
import { hasKind, isHidden } from "../../base/model.ts";
import { hasSteppedBack, type Library, type LibrarySource, type Opening } from "./library.ts";
import { standInOf, stepBack } from "./standby.ts";

export type Overview = ReturnType<typeof overviewOf>;

export const overviewOf = cachedWith((surveyed: readonly Opening[]) => {
  const active = stepBack(surveyed);
  const standIn = standInOf(surveyed);
  const estimates = active.flatMap(({ estimate }) => estimate ?? []);
  const read = active.flatMap(({ origin, inventory }) => inventory ? { origin, inventory } : []);
  const entries = visibleEntries(effectiveEntries(buildManifest(read)));
  const count = (kind: "agent" | "workflow") =>
    entries.filter((entry) => hasKind(entry, kind)).length +
    estimates.reduce((sum, estimate) => sum + estimate[`${kind}s`], 0);
  const modules = [...entries.map(({ module }) => module), ...estimates.flatMap(({ modules }) => modules)];
  return {
    isEstimate: surveyed.some(({ estimate }) => estimate?.isSmall === false),
    isUnread: surveyed.some(({ estimate }) => estimate !== undefined),
    agents: count("agent"),
    workflows: count("workflow"),
    modules: [...new Set(modules)].sort(),
    ...(standIn && { standIn: standIn.text }),
    origins: active.map(({ origin, inventory, estimate }) => ({
      origin,
      things: estimate?.items ?? inventory?.items.filter(({ status }) => status !== "no-file-found").length ??
        0,
      versions: estimate?.modules ?? [
        ...new Set(inventory?.modules.map((module) => `${module.code} ${module.version ?? ""}`.trim())),
      ],
    })),
  };
});

export type OriginFacts = ReturnType<typeof factsOf>;

/** `standby` serves only what is asked of it by name; of one that has `failed`, an older copy may be served. */
export type OriginState = "ready" | "standby" | "empty" | "missing" | "fetching" | "failed";

export function originState({ exists, roots, copy, isStandby }: OriginFacts): OriginState {
  if (copy?.problem !== undefined) return "failed";
  if (copy !== undefined && (copy.commit ?? copy.version) === undefined) return "fetching";
  return !exists ? "missing" : roots.length === 0 ? "empty" : isStandby ? "standby" : "ready";
}

export function originsOf(library: Library): readonly OriginFacts[] {
  return library.whole.sources.map((source, rank) => factsOf(source, hasSteppedBack(library, rank)));
}

function factsOf({ origin, inventory, tree, copy }: LibrarySource, isStandby: boolean) {
  const { roots, items } = inventory;
  const present = items.filter((item) => item.status !== "no-file-found");
  const visible = present.filter((item) => !isHidden(item));
  const changed = present.reduce((newest, { file }) => Math.max(newest, tree.stat(file)?.modified ?? 0), 0);
  return {
    origin,
    exists: origin.kind === "package" || tree.stamp("") !== undefined,
    roots,
    generations: [...new Set(roots.map(({ generation }) => generation))],
    things: present.length,
    agents: visible.filter((item) => hasKind(item, "agent")).length,
    workflows: visible.filter((item) => hasKind(item, "workflow")).length,
    isStandby,
    ...(copy && { copy }),
    ...(changed > 0 && { changed }),
  };
}
