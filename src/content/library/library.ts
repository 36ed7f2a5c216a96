/** A snapshot of the manifest and its trees, and the caches of what is computed from it. */
import { buildManifest, effectiveEntries, visibleEntries } from "../catalog/mod.ts";
import { cachedWith, cacheRecent } from "../../base/cache.ts";
import { hasSameRoots, layoutOf, NO_CONTENT, readInventory, surveyTree } from "../inventory/mod.ts";
import type {
  CopyFacts,
  Diagnostic,
  Entry,
  Inventory,
  Manifest,
  PreparedWords,
  TreeUse,
} from "../../base/model.ts";
import { joinPath, noteReads, type Recorded, recordReads, type Tree } from "../tree/mod.ts";
import { giveWay, sharedWork, type Work } from "../../base/work.ts";
import { isNamed, standInOf, stepBack, type Surveyed } from "./standby.ts";
import { LIMITS } from "../limits.ts";

export interface Opening extends Surveyed {
  readonly tree: Tree;
  readonly copy?: CopyFacts;
  readonly preparedWords?: () => PreparedWords | undefined;
  /** In a shared folder only BMAD's own skills count. */
  readonly use: TreeUse;
}

export interface LibrarySource
  extends Pick<Opening, "origin" | "tree" | "copy" | "preparedWords" | "isFallback"> {
  readonly inventory: Inventory;
}

export interface Library {
  /** Every record, overridden ones included: names are resolved over all of it. */
  readonly manifest: Manifest;
  readonly effective: readonly Entry[];
  readonly visible: readonly Entry[];
  /** Highest priority first. One that has stepped back has no content here. */
  readonly sources: readonly LibrarySource[];
  /** With the content of every source, whether it has stepped back or not. */
  readonly whole: Library;
  readonly project: string | undefined;
  /** Whether readers may be on another machine, where no path of this one leads anywhere. */
  readonly isRemote: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly maxFiles: number;
  /** By key, the agents that a customization changes: as they are served, and as their own files say. */
  readonly customized: ReadonlyMap<string, Record<"served" | "own", Entry>>;
}

type LibraryFacts = Pick<Library, "diagnostics" | "project" | "isRemote" | "maxFiles" | "customized">;

export function beginsAsBefore({ tree, use, inventory }: Opening): boolean {
  return inventory !== undefined && hasSameRoots(tree, use, inventory);
}

export async function surveyOrigins(openings: readonly Opening[]): Promise<readonly Opening[]> {
  const surveyed: Opening[] = [];
  for (const opening of openings) {
    const isKnown = (opening.inventory ?? opening.estimate) !== undefined;
    surveyed.push(isKnown ? opening : { ...opening, ...await surveyTree(opening.tree, opening.use) });
  }
  // What one origin overrides of another is known only when both were read.
  const others = surveyed.filter(({ isFallback, estimate, inventory }) =>
    !isFallback && (estimate !== undefined || (inventory?.items.length ?? 0) > 0)
  );
  if (others.length < 2) return surveyed;
  return await Promise.all(
    surveyed.map(async ({ estimate, ...opening }) =>
      estimate?.isSmall
        ? { ...opening, inventory: await readInventory(opening.tree, opening.use) }
        : { ...opening, estimate }
    ),
  );
}

export interface LibraryOptions
  extends Partial<Pick<Library, "project" | "isRemote" | "maxFiles" | "diagnostics">> {
  readonly progress?: Work["progress"];
}

export async function openSources(
  openings: readonly Opening[],
  { project, isRemote = false, maxFiles = Infinity, diagnostics = [], progress }: LibraryOptions,
): Promise<Library> {
  const sources: LibrarySource[] = [];
  const unread = openings.filter(({ inventory }) => inventory === undefined);
  for (const opening of openings) {
    const { origin, tree, inventory, use, copy, preparedWords, isFallback } = opening;
    if (inventory === undefined && progress !== undefined) {
      progress(unread.indexOf(opening), unread.length, "Reading sources");
      await giveWay();
    }
    const found = inventory ?? await readInventory(tree, use);
    sources.push({ origin, tree, copy, preparedWords, isFallback, inventory: found });
  }
  const issues = withStandIn(sources, [
    ...diagnostics,
    ...sources.flatMap(emptySource),
    ...sources.flatMap(({ origin, inventory }) =>
      inventory.diagnostics.map((diagnostic) => ({ ...diagnostic, origin: origin.id }))
    ).filter((diagnostic) => !isLinkBetween(sources, diagnostic)),
  ]);
  const facts = { diagnostics: issues, project, isRemote, maxFiles, customized: new Map() };
  const whole = buildLibrary(sources, facts);
  const active = stepBack(sources);
  return active === sources ? whole : buildLibrary(active, facts, whole);
}

/** Says once that embedded content stands in, instead of naming files that are missing. */
function withStandIn(sources: readonly LibrarySource[], issues: readonly Diagnostic[]) {
  const standIn = standInOf(sources);
  const isSaid = ({ code, origin = "" }: Diagnostic) =>
    code === "no-file-found" && standIn?.origins.has(origin) === true;
  const first = issues.find(isSaid);
  return issues.filter((one) => one === first || !isSaid(one))
    .map((one) => one === first ? { ...one, code: "stand-in" as const, message: standIn!.text } : one);
}

export function withCustomized(library: Library, customized: Library["customized"]): Library {
  const { diagnostics, project, isRemote, maxFiles } = library;
  const facts = { diagnostics, project, isRemote, maxFiles, customized };
  const whole = buildLibrary(library.whole.sources, facts);
  return library === library.whole ? whole : buildLibrary(library.sources, facts, whole);
}

function buildLibrary(
  sources: readonly LibrarySource[],
  { diagnostics, project, isRemote, maxFiles, customized }: LibraryFacts,
  whole?: Library,
): Library {
  let manifest: Manifest | undefined;
  let effective: readonly Entry[] | undefined;
  let visible: readonly Entry[] | undefined;
  const library: Library = {
    diagnostics,
    project,
    isRemote,
    maxFiles,
    customized,
    sources,
    get whole() {
      return whole ?? library;
    },
    // A start does not need them, even with thousands of items.
    get manifest() {
      return manifest ??= buildManifest(sources, (entry) => {
        const { served } = customized.get(entry.key) ?? {};
        // Its position is another one where some modules of the source have stepped back.
        return served === undefined ? entry : { ...served, position: entry.position };
      });
    },
    get effective() {
      return effective ??= effectiveEntries(library.manifest);
    },
    get visible() {
      return visible ??= visibleEntries(library.effective);
    },
  };
  return library;
}

export function reachableProject({ project, isRemote }: Library): string | undefined {
  return isRemote ? undefined : project;
}

export function onlyOrigin({ whole }: Library, id: string): Library {
  return originViews(whole)(id, () => {
    const only = (source: LibrarySource) =>
      source.origin.id === id ? source : { ...source, inventory: NO_CONTENT };
    return buildLibrary(whole.sources.map(only), whole, whole);
  });
}

export function libraryFor(library: Library, { rank, module }: Pick<Entry, "rank" | "module">): Library {
  return hasSteppedBack(library, rank, module) ? library.whole : library;
}

export function hasSteppedBack({ sources, whole }: Library, rank: number, module?: string): boolean {
  const [served, own] = [sources[rank]?.inventory, whole.sources[rank]?.inventory];
  if (served === undefined || own === undefined || served === own) return false;
  const isIn = ({ modules }: Inventory) => modules.some(({ code }) => code === module);
  return served === NO_CONTENT || (isIn(own) && !isIn(served));
}

export function currentEntry(library: Library, entry: Entry): Entry {
  const { kind, module, id, key } = entry;
  return entriesByKey(library).get(key) ?? entriesByKey(library.whole).get(key) ??
    library.effective.find((other) => other.id === id && other.module === module && other.kind === kind) ??
    entry;
}

const entriesByKey = perLibrary(({ manifest }): ReadonlyMap<string, Entry> =>
  new Map(manifest.entries.map((entry) => [entry.key, entry]))
);

const originViews = perLibrary(() => cacheRecent<Library>(Infinity));

/** Installers put a skill into one of the user's folders, from which it is served, and links into the others. */
export function isLinkBetween(sources: readonly LibrarySource[], { code, path, origin: id }: Diagnostic) {
  const isUsers = ({ origin }: LibrarySource) => origin.kind === "user";
  return code === "link-refused" && sources.some((source) => source.origin.id === id && isUsers(source)) &&
    sources.some((source) =>
      source.origin.id !== id && isUsers(source) &&
      source.inventory.mounts.some((mount) => mount.path === path)
    );
}

function emptySource({ origin, inventory, tree, copy }: LibrarySource): readonly Diagnostic[] {
  const isGiven = isNamed(origin) || (copy?.commit !== undefined && copy.problem === undefined);
  // The working folder always exists, so a missing project folder was named too.
  const isProject = origin.kind === "project";
  // A hand-written root may hold only values for the items of other sources.
  const isUsed = inventory.items.length > 0 ||
    inventory.roots.some((root) => layoutOf(root).is === "hand-written");
  if (isUsed || !(isGiven || isProject)) return [];
  if (tree.stamp("") === undefined) {
    const message = `Folder not found: ${origin.location}`;
    return [{ level: "error", code: "no-folder", message, origin: origin.id }];
  }
  if (isProject) return [];
  const message = `No BMAD content found in ${origin.location}`;
  return [{ level: "warning", code: "no-content", message, origin: origin.id }];
}

/** For what comes from the manifest, or from so many files that only a reload renews it. */
export function perLibrary<T>(compute: (library: Library) => T): (library: Library) => T {
  return cachedWith(compute);
}

/** Used again until anything read to compute it changes. Of texts fewer are kept, and no long ones. */
export function openCache<K, T>(
  lengthOf?: (value: Awaited<T>) => number,
): (library: Library, key: K, compute: () => T) => T {
  const { values: maxValues, texts, textLength } = LIMITS.cache;
  const max = lengthOf === undefined ? maxValues : texts;
  const valuesOf = perLibrary(() => new Map<K, Recorded<T>>());
  return (library, key, compute) => {
    const values = valuesOf(library);
    const cached = values.get(key);
    if (cached?.reads.isCurrent()) {
      noteReads(cached.reads);
      return cached.value;
    }
    values.delete(key);
    const computed = recordReads(compute);
    const { value } = computed;
    const isTooLong = (result: Awaited<T>) => lengthOf !== undefined && lengthOf(result) > textLength;
    const drop = () => {
      if (values.get(key) === computed) values.delete(key);
    };
    if (value instanceof Promise) {
      // Requests that come meanwhile share it: what it has read so far is checked for each of them.
      value.then((result: Awaited<T>) => isTooLong(result) && drop(), drop);
    } else if (isTooLong(value as Awaited<T>)) return value;
    values.set(key, computed);
    if (values.size > max) values.delete(values.keys().next().value!);
    return value;
  };
}

export function perKey<T, K = void>(
  compute: (library: Library, key: K) => T,
): (library: Library, key: K) => T {
  const cache = openCache<K, T>();
  return (library, key) => cache(library, key, () => compute(library, key));
}

export function perLibraryPaced<T>(
  compute: (library: Library, work: Work) => Promise<T>,
): (library: Library, work?: Work) => Promise<T> {
  const workOf = perLibrary((library) => sharedWork((work) => compute(library, work)));
  return (library, work = {}) => workOf(library)(work);
}

export function sourceOf(library: Library, entry: Entry): LibrarySource {
  return library.sources[entry.rank]!;
}

export interface SourceFile {
  readonly source: LibrarySource;
  readonly path: string;
}

export function fileOf(library: Library, entry: Entry, name?: string): SourceFile {
  const path = name === undefined ? entry.file : joinPath(entry.folder, name);
  return { source: sourceOf(library, entry), path };
}

export function displayPath({ source, path }: SourceFile): string {
  return `${source.origin.id}:${path}`;
}

const byFile = cachedWith((entries: readonly Entry[]) =>
  Map.groupBy(entries, ({ rank, file }) => `${rank}:${file}`)
);

export function entriesAt({ sources }: Library, { source, path }: SourceFile, entries: readonly Entry[]) {
  return byFile(entries).get(`${sources.indexOf(source)}:${path}`) ?? [];
}

export const isFlat = perLibrary(({ sources }): boolean =>
  sources.some(({ inventory }) => inventory.items.some(({ generation }) => generation === "flat"))
);
