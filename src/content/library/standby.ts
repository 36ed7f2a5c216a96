/** Which sources are on standby, and where embedded content stands in for installed skills that are nowhere. */
import { cachedWith } from "../../base/cache.ts";
import type { Inventory, Origin } from "../../base/model.ts";
import { liesIn } from "../../base/paths.ts";
import { isOwnModule, moduleNames } from "../catalog/mod.ts";
import { type Estimate, layoutOf, lostItems, NO_CONTENT } from "../inventory/mod.ts";
import { isServed } from "./files/mounts.ts";

export interface Surveyed {
  readonly origin: Origin;
  readonly isFallback?: boolean;
  /** Missing unless the build or a survey took it already. */
  readonly inventory?: Inventory;
  readonly estimate?: Estimate;
}

/** Embedded content gives way to an installation, a named folder to a source that serves it: names still lead there. */
export function stepBack<T extends Surveyed>(sources: readonly T[]): readonly T[] {
  const isInstalled = sources.some(holdsInstallation);
  const stepsBack = (source: T) =>
    source.isFallback ? isInstalled : sources.some((other) => isWithin(source, other));
  if (!sources.some(stepsBack)) return sources;
  const left = ({ isFallback, inventory }: T) => {
    const standIn = isFallback ? standInOf(sources) : undefined;
    return standIn === undefined ? NO_CONTENT : withModules(inventory!, standIn.versions);
  };
  return sources.map((source) => stepsBack(source) ? { ...source, inventory: left(source) } : source);
}

function withModules(inventory: Inventory, served: ReadonlyMap<string, unknown>): Inventory {
  const { items, modules, mounts } = inventory;
  const left = new Set(modules.map(({ code }) => code).filter((code) => !served.has(code)));
  return {
    ...inventory,
    items: items.filter(({ module }) => !left.has(module)),
    modules: modules.filter(({ code }) => !left.has(code)),
    mounts: mounts.filter(({ at }) => !left.has(at.split("/")[0]!)),
  };
}

function isWithin({ origin }: Surveyed, { origin: other, inventory }: Surveyed): boolean {
  if (!isNamed(origin) || inventory === undefined || other.kind === "package") return false;
  const slashed = ({ location }: Origin) => location.replaceAll("\\", "/");
  const [folder, outer] = [slashed(origin), slashed(other)];
  if (folder === outer || !liesIn(folder, outer)) return false;
  const path = folder.slice(outer.replace(/\/$/, "").length + 1);
  return isServed(inventory.mounts, path) || inventory.roots.some((root) => root.path === path);
}

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

/** Embedded content in place of installed skills that are nowhere. Undefined if some are here, or others have them all. */
export const standInOf = cachedWith((sources: readonly Surveyed[]) => {
  const pack = sources.find(({ origin }) => origin.kind === "package");
  const others = sources.filter((source) => source !== pack);
  const installed = others.filter(holdsInstallation);
  const lost = installed.map(({ inventory }) => inventory === undefined ? [] : lostItems(inventory));
  if (pack?.inventory === undefined || lost.some((items) => items.length === 0)) return undefined;
  const here = new Set(
    others.flatMap(({ inventory }) => inventory?.items ?? [])
      .filter(({ status }) => status !== "no-file-found").map(({ id }) => id),
  );
  const items = lost.flat();
  const found = pack.inventory.modules.flatMap(({ code, version }) => {
    const item = items.find(({ module }) => moduleNames(code).includes(module));
    return item === undefined ? [] : [{ code, own: item.module, version, installed: item.version }];
  });
  const main = found.find(({ code }) => isOwnModule(code)) ?? found[0];
  if (main === undefined || items.every(({ id }) => here.has(id))) return undefined;
  const modules = found.map(({ code }) => code).sort().join(", ");
  const after = (version?: string) => version === undefined ? "" : ` ${version}`;
  const missing = new Set(items.map(({ module }) => module)).difference(new Set(found.map(({ own }) => own)));
  return {
    origins: new Set(installed.map(({ origin }) => origin.id)),
    versions: new Map(found.map(({ code, version, installed }) => [code, { version, installed }])),
    text: `No client folder has the skills of the installed BMAD${after(main.installed)}, so those of the ` +
      `embedded BMAD${after(main.version)} are served in their place (${modules})` +
      (missing.size === 0 ? "" : `. Not embedded: ${[...missing].sort().join(", ")}`),
  };
});
