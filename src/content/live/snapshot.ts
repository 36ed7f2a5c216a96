/** Reading the origins into a snapshot. A later one never keeps the old one alive, or edits would fill the memory. */
import type { Config, OriginPlan } from "../../settings/plan/mod.ts";
import { type Clock, once, pause, type Work } from "../../base/work.ts";
import {
  beginsAsBefore,
  type Library,
  type LibraryOptions,
  type Opening,
  openLibrary,
  surveyOrigins,
} from "../library/mod.ts";
import type { Inventory, Origin } from "../../base/model.ts";
import { liesIn } from "../../base/paths.ts";
import { isWithin } from "../../base/time.ts";
import { type Documents, type OpenOrigin, openOrigins } from "../origins/mod.ts";
import { joinPath, parentPath, realPath } from "../tree/mod.ts";
import { LIMITS } from "../limits.ts";

export interface Snapshot {
  readonly since: number;
  readonly origins: readonly OpenOrigin[];
  openings: readonly Opening[];
  survey(): Promise<readonly Opening[]>;
  library(): Promise<Library>;
  opened?: Library;
}

export interface Reading extends Pick<Work, "progress"> {
  readonly config: Config;
  readonly clock: Clock;
}

export async function readSnapshot(
  { config, clock, progress }: Reading,
  plans: readonly OriginPlan[],
  old?: Snapshot,
  stale: ReadonlySet<string> = new Set(),
): Promise<Snapshot> {
  const since = clock.now();
  const { project, settings: { maxFile, maxFiles, http } } = config;
  const isCurrent = ({ id }: Origin) => !stale.has(id);
  const { origins, diagnostics } = await openOrigins(plans, {
    maxFile,
    git: config.git,
    now: clock.now,
    reuse: ({ id }) => stale.has(id) ? undefined : old?.origins.find(({ origin }) => origin.id === id),
  });
  const openings = origins.map((open) => old?.openings.find(({ tree }) => tree === open.tree) ?? open);
  const reused = old?.opened?.sources.filter(({ origin }) => isCurrent(origin)) ?? [];
  const inventories = new Map(reused.map(({ tree, inventory }) => [tree, inventory]));
  const ready = openings.map((opening) => withInventory(opening, inventories.get(opening.tree)));
  const isRemote = http?.isLoopback === false;
  const options = { project, isRemote, maxFiles, diagnostics, progress };
  return createSnapshot({ since, origins, openings: ready }, options);
}

function withInventory({ estimate, ...opening }: Opening, read: Inventory | undefined): Opening {
  const inventory = opening.inventory ?? read;
  return inventory === undefined ? { ...opening, estimate } : { ...opening, inventory };
}

/** Separate from the reading, whose scope knows the old snapshot: a closure keeps everything in its scope alive. */
function createSnapshot(facts: Pick<Snapshot, "since" | "origins" | "openings">, options: LibraryOptions) {
  const snapshot: Snapshot = {
    ...facts,
    // A caller that needs the library skips this: every folder would be listed twice.
    survey: once(async () => snapshot.openings = await surveyOrigins(snapshot.openings)),
    library: once(async () => {
      const opened = await openLibrary(snapshot.openings, options);
      snapshot.openings = snapshot.openings.map((opening, at) =>
        withInventory(opening, opened.whole.sources[at]!.inventory)
      );
      return snapshot.opened = opened;
    }),
  };
  return snapshot;
}

export async function readSettled(
  reading: Reading,
  plans: readonly OriginPlan[],
  old: Snapshot,
  stale: ReadonlySet<string>,
): Promise<Snapshot> {
  const { clock } = reading;
  const { quietMs, recentMs, retries } = LIMITS.live;
  for (let retry = 0;; retry++) {
    const snapshot = await readSnapshot(reading, plans, old, stale);
    const { sources } = await snapshot.library();
    const isUnsettled = sources.filter(({ origin }) => stale.has(origin.id)).some(({ tree, inventory }) =>
      isWithin(quietMs, tree.newestRead(), clock.now()) ||
      inventory.diagnostics.some(({ path }) =>
        path !== undefined && isWithin(recentMs, tree.stamp(path)?.time ?? 0, clock.now())
      )
    );
    if (!isUnsettled || retry === retries) return snapshot;
    await pause(quietMs, undefined, clock);
  }
}

export function readsUnfinished({ sources }: Library, clock: Clock): boolean {
  return sources.some(({ tree }) => isWithin(LIMITS.live.quietMs, tree.newestRead(), clock.now()));
}

export function readsDiffer({ origins }: Snapshot): boolean {
  return origins.some(({ footprint }) => footprint?.readsDiffer());
}

export function documentsIn(opening: Opening, { work, kit }: Config): Documents {
  const { tree, inventory } = opening;
  const withSlashes = (path: string) => path.replaceAll("\\", "/");
  const kept = kit === undefined ? [] : [joinPath(kit.root, kit.output)];
  const folders = [...work?.folders ?? [], ...kept].map(withSlashes);
  return {
    has: (dir) => {
      const root = dir === "" || inventory === undefined ? undefined : realPath(tree.location);
      if (root === undefined || coveredBy(inventory!)(dir)) return false;
      return folders.some((folder) => liesIn(withSlashes(joinPath(root, dir)), folder));
    },
    isSame: () => beginsAsBefore(opening),
  };
}

export function watchedFolders({ sources }: Library, origins: readonly OpenOrigin[]): readonly string[] {
  return sources.flatMap(({ tree, inventory }) => {
    const isCovered = coveredBy(inventory);
    const listed = origins.find((origin) => origin.tree === tree)?.footprint?.folders() ?? [];
    return listed.filter((folder) => folder === "" || isCovered(folder))
      .map((folder) => joinPath(tree.location, folder));
  });
}

function coveredBy({ mounts, roots }: Pick<Inventory, "mounts" | "roots">): (folder: string) => boolean {
  const tops = new Set([...mounts, ...roots].map(({ path }) => path));
  const isCovered = (folder: string): boolean =>
    tops.has(folder) || (folder !== "" && isCovered(parentPath(folder)));
  return isCovered;
}
