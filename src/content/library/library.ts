/**
 * The library as a value: the manifest of all origins and the trees their files are read from.
 *
 * Immutable once opened; a change on disk leads to a new one. The functions over it live in the files beside
 * this one; mod.ts is what others see.
 */
import { buildManifest, effectiveEntries } from "../catalog/mod.ts";
import { cachedWith } from "../../base/cache.ts";
import { type Estimate, readInventory, surveyTree } from "../inventory/mod.ts";
import type {
  CopyFacts,
  Diagnostic,
  Entry,
  Inventory,
  Manifest,
  Origin,
  PreparedWords,
  TreeUse,
} from "../../base/model.ts";
import type { Tree } from "../tree/mod.ts";
import { sharedWork, type Work, yieldTurn } from "../../base/work.ts";

/** An origin to be read. */
export interface Opening {
  /** What entries found in it will carry as their origin. */
  readonly origin: Origin;
  /** The files to look through: a folder on disk or an embedded pack. */
  readonly tree: Tree;
  /** The inventory, when it was taken beforehand. */
  readonly inventory?: Inventory;
  /** The words of its things as a search compares them, when they were made beforehand. */
  readonly preparedWords?: () => PreparedWords | undefined;
  /** In place of an inventory: how much a large origin tells of, for those who want to know no more. */
  readonly estimate?: Estimate;
  /** Whether others keep their skills in the same folder: then only those that are BMAD's count. */
  readonly use: TreeUse;
  /** What is known of the copy that is read, where the origin itself is elsewhere. */
  readonly copy?: CopyFacts;
}

/** One origin, read. */
export interface Holding {
  /** Its place among the holdings is the `rank` of its entries. */
  readonly origin: Origin;
  /** What files are read from, when somebody asks for them. */
  readonly tree: Tree;
  /** Taken when the library was opened, that of a pack when it was built. */
  readonly inventory: Inventory;
  /** What is known of the copy that it is, where the origin itself is elsewhere. */
  readonly copy?: CopyFacts;
  /** The words of its things as a search compares them, when they were made beforehand. */
  readonly preparedWords?: () => PreparedWords | undefined;
}

/** Everything that is served. */
export interface Library {
  /** Also holds what is shadowed: names are resolved over all of it. */
  readonly manifest: Manifest;
  /** Of each thing the record that counts. */
  readonly effective: readonly Entry[];
  /** Best origin first. */
  readonly holdings: readonly Holding[];
  /** The project folder, which content calls `{project-root}`. */
  readonly project: string | undefined;
  /** What was found wrong while the origins were opened and read. */
  readonly diagnostics: readonly Diagnostic[];
  /** How many files of one origin are listed. */
  readonly maxFiles: number;
}

/** Looks into every origin just so far that its contents can be counted; `openLibrary` goes on from there. */
export async function surveyOrigins(openings: readonly Opening[]): Promise<readonly Opening[]> {
  const surveyed: Opening[] = [];
  for (const opening of openings) {
    const { tree, use, inventory, estimate } = opening;
    const isKnown = inventory !== undefined || estimate !== undefined;
    surveyed.push({ ...opening, ...(isKnown ? {} : await surveyTree(tree, { use })) });
  }
  return surveyed;
}

/** Reads every origin into a library. */
export async function openLibrary(
  openings: readonly Opening[],
  options: {
    readonly project?: string;
    readonly maxFiles?: number;
    readonly diagnostics?: readonly Diagnostic[];
    /** Told of each origin before it is read. */
    readonly progress?: Work["progress"];
  } = {},
): Promise<Library> {
  const holdings: Holding[] = [];
  const unread = openings.filter(({ inventory }) => inventory === undefined);
  for (const opening of openings) {
    const { origin, tree, inventory, use, copy, preparedWords } = opening;
    if (inventory === undefined && options.progress !== undefined) {
      options.progress?.(unread.indexOf(opening), unread.length, "Reading origins");
      await yieldTurn();
    }
    holdings.push({
      origin,
      tree,
      copy,
      inventory: inventory ?? await readInventory(tree, { use }),
      preparedWords,
    });
  }
  const diagnostics = [
    ...options.diagnostics ?? [],
    ...holdings.flatMap(nothingFound),
    ...holdings.flatMap(({ origin, inventory }) =>
      inventory.diagnostics.map((diagnostic) => ({ ...diagnostic, origin: origin.id }))
    ),
  ];
  return libraryOf(holdings, {
    diagnostics,
    project: options.project,
    maxFiles: options.maxFiles ?? Infinity,
  });
}

function libraryOf(
  holdings: readonly Holding[],
  facts: Pick<Library, "diagnostics" | "project" | "maxFiles">,
): Library {
  let manifest: Manifest | undefined;
  let effective: readonly Entry[] | undefined;
  const library: Library = {
    ...facts,
    holdings,
    // Made when they are first asked for: a start, even with thousands of things, gets by without.
    get manifest() {
      return manifest ??= buildManifest(holdings);
    },
    get effective() {
      return effective ??= effectiveEntries(library.manifest);
    },
  };
  return library;
}

const NOTHING: Inventory = { roots: [], modules: [], items: [], mounts: [], diagnostics: [] };

/** A library as it would be if one of its origins were the only one that holds anything. */
export function onlyOrigin(library: Library, id: string): Library {
  const { diagnostics, project, maxFiles } = library;
  const views = viewsOf(library);
  const holdings = library.holdings.map((holding) =>
    holding.origin.id === id ? holding : { ...holding, inventory: NOTHING }
  );
  const view = views.get(id) ?? libraryOf(holdings, { diagnostics, project, maxFiles });
  views.set(id, view);
  return view;
}

/** Kept with the library, so that what is worked out for a view is worked out once. */
const viewsOf = perLibrary(() => new Map<string, Library>());

/** A folder that somebody named on purpose and that is not there, or holds nothing, deserves a word. */
function nothingFound({ origin, inventory, tree, copy }: Holding): readonly Diagnostic[] {
  const isNamed = origin.kind === "cli" || origin.kind === "env" ||
    (copy?.commit !== undefined && copy.problem === undefined);
  // The folder that the program was started in is there: a project that is not was named.
  const isProject = origin.kind === "project";
  if (inventory.items.length > 0 || !(isNamed || isProject)) return [];
  if (tree.stamp("") === undefined) {
    const message = `There is no folder ${origin.location}`;
    return [{ level: "error", code: "no-folder", message, origin: origin.id }];
  }
  if (isProject) return [];
  const message = `No BMAD content was found in ${origin.location}`;
  return [{ level: "warning", code: "no-content", message, origin: origin.id }];
}

/** What is worked out for a library when somebody first asks, and kept: a library does not change. */
export function perLibrary<T>(make: (library: Library) => T): (library: Library) => T {
  return cachedWith(make);
}

/**
 * What is worked out for an entry and kept, once working it out has read nothing newer than was read before: a file that
 * is being written at the time is read again.
 */
export function perEntry<T>(
  make: (library: Library, entry: Entry) => T,
): (library: Library, entry: Entry) => T {
  const keep = perEntryAnd((library, entry, _: undefined) => make(library, entry), () => new WeakMap());
  return (library, entry) => keep(library, entry, undefined);
}

/** How many entries are kept with a text: as many as people work with at a time. */
const MOST_TEXTS = 50;

/** The same for an entry and a text that was made of it, of which the last counts; of the latest entries only. */
export function perText<T>(
  make: (library: Library, entry: Entry, text: string | undefined) => T,
): (library: Library, entry: Entry, text?: string) => T {
  return perEntryAnd(make, () => {
    const latest = new Map<Entry, Kept<T, string | undefined>>();
    return {
      get: (entry) => latest.get(entry),
      set: (entry, kept) => {
        latest.delete(entry);
        latest.set(entry, kept);
        if (latest.size > MOST_TEXTS) latest.delete(latest.keys().next().value!);
      },
    };
  });
}

/** What was worked out, and what it depended on beside the entry. */
interface Kept<T, Also> {
  readonly value: T;
  readonly also: Also;
}

/** Where it is kept. */
interface Keeping<T, Also> {
  get(entry: Entry): Kept<T, Also> | undefined;
  set(entry: Entry, kept: Kept<T, Also>): unknown;
}

function perEntryAnd<T, Also>(
  make: (library: Library, entry: Entry, also: Also) => T,
  open: () => Keeping<T, Also>,
): (library: Library, entry: Entry, also: Also) => T {
  const keptOf = perLibrary(open);
  const newest = ({ holdings }: Library) => Math.max(...holdings.map(({ tree }) => tree.newestRead()));
  return (library, entry, also) => {
    const kept = keptOf(library).get(entry);
    if (kept !== undefined && kept.also === also) return kept.value;
    const before = newest(library);
    const value = make(library, entry, also);
    if (newest(library) === before) keptOf(library).set(entry, { value, also });
    return value;
  };
}

/** What takes long to work out for a library: done once, however many ask at a time, and kept once it is done. */
export function perLibraryPaced<T>(
  make: (library: Library, work: Work) => Promise<T>,
): (library: Library, work?: Work) => Promise<T> {
  const workOf = perLibrary((library) => sharedWork((work) => make(library, work)));
  return (library, work = {}) => workOf(library)(work);
}

/** The holding that an entry's files are in. */
export function holdingOf(library: Library, entry: Entry): Holding {
  return library.holdings[entry.rank]!;
}

/** A file of an origin, such as the one that a reference stands in. */
export interface Place {
  /** The origin that it is read from. */
  readonly holding: Holding;
  /** The file's path in the holding's tree. */
  readonly path: string;
}

/** The place of an entry's own text. */
export function placeOf(library: Library, entry: Entry): Place {
  return { holding: holdingOf(library, entry), path: entry.file };
}
