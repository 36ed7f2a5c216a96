/**
 * A project speaks one generation: embedded content steps back where BMAD is installed.
 *
 * It stays in the list of sources and can be asked for by name, but lists, prompts, tools, search, the roster and names do
 * not include it.
 */
import { isOwnModule } from "../catalog/mod.ts";
import { layoutOf } from "../inventory/mod.ts";
import type { Inventory } from "../../base/model.ts";

/** The inventory of a source that has stepped back. */
export const NO_CONTENT: Inventory = { roots: [], modules: [], items: [], mounts: [], diagnostics: [] };

interface Surveyed {
  readonly isFallback?: boolean;
  readonly inventory?: Inventory;
  readonly estimate?: unknown;
}

/** The sources that serve: the same ones, but without the content of those that step back. */
export function stepBack<T extends Surveyed>(sources: readonly T[]): readonly T[] {
  if (!sources.some(({ isFallback }) => isFallback) || !sources.some(holdsInstallation)) return sources;
  return sources.map((source) => source.isFallback ? { ...source, inventory: NO_CONTENT } : source);
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
