/**
 * A project speaks one generation: embedded content steps back where BMAD is installed. So does a folder that somebody
 * named and that another source serves already, whose items would all be there twice.
 *
 * It stays in the list of sources and can be asked for by name, but lists, prompts, tools, search, the roster and names do
 * not include it.
 */
import { isOwnModule } from "../catalog/mod.ts";
import { layoutOf } from "../inventory/mod.ts";
import type { Inventory, Origin } from "../../base/model.ts";
import { liesIn } from "../../base/paths.ts";
import { isServed } from "./files/mounts.ts";

/** The inventory of a source that has stepped back. */
export const NO_CONTENT: Inventory = { roots: [], modules: [], items: [], mounts: [], diagnostics: [] };

interface Surveyed {
  readonly origin: Origin;
  readonly isFallback?: boolean;
  readonly inventory?: Inventory;
  readonly estimate?: unknown;
}

/** The sources that serve: the same ones, but without the content of those that step back. */
export function stepBack<T extends Surveyed>(sources: readonly T[]): readonly T[] {
  const isInstalled = sources.some(holdsInstallation);
  const stepsBack = (source: T) =>
    source.isFallback ? isInstalled : sources.some((other) => isWithin(source, other));
  if (!sources.some(stepsBack)) return sources;
  return sources.map((source) => stepsBack(source) ? { ...source, inventory: NO_CONTENT } : source);
}

/** Whether a source is a folder that somebody named, and lies in what another one serves. */
function isWithin({ origin }: Surveyed, { origin: other, inventory }: Surveyed): boolean {
  if (!isNamed(origin) || inventory === undefined || other.kind === "package") return false;
  const [folder, outer] = [origin, other].map(({ location }) => location.replaceAll("\\", "/")) as [
    string,
    string,
  ];
  if (folder === outer || !liesIn(folder, outer)) return false;
  const path = folder.slice(outer.replace(/\/$/, "").length + 1);
  return isServed(inventory.mounts, path) || inventory.roots.some((root) => root.path === path);
}

/** Whether the user named the folder of an origin. */
export function isNamed({ kind }: Origin): boolean {
  return kind === "cli" || kind === "env";
}

function holdsInstallation({ isFallback, inventory, estimate }: Surveyed): boolean {
  if (isFallback) return false;
  // Only manifests are estimated.
  if (estimate !== undefined) return true;
  const { roots = [], modules = [], items = [] } = inventory ?? {};
  // Sources of BMAD's own modules replace the embedded content; those of other modules add to it.
  const isOwn = modules.some(({ code }) => isOwnModule(code));
  return items.length > 0 &&
    roots.map(layoutOf).some(({ is }) => is === "installation" || (is === "source" && isOwn));
}
