/**
 * What answers, lists and manifests say of an entry besides the item itself: where it comes from, if that is not obvious;
 * why a name led to it; who wrote it, and who knows of it.
 */
import {
  isAuthored,
  missingOf,
  nameNote,
  recordsOf,
  resolveName,
  servedFor,
  visibleEntries,
} from "../catalog/mod.ts";
import { type Entry, isSupporting, KINDS, type Module, qualifiedName, startedAs } from "../../base/model.ts";
import { hasSteppedBack, type Library, perLibrary, sourceOf } from "./library.ts";
import { cachedWith } from "../../base/cache.ts";
import { uriOf } from "./files/files.ts";
import { SCHEME } from "./files/mounts.ts";
import { LIMITS } from "../limits.ts";

export function unexpectedOrigin(library: Library, entry: Entry): string | undefined {
  const isServed = servedFor(library.manifest, entry).key === entry.key;
  const isExpected = isServed && !hasSteppedBack(library, entry.rank) && entry.rank === mainRank(library);
  return isExpected ? undefined : entry.origin.id;
}

const mainRank = perLibrary(({ effective }): number => {
  const counts = new Map<number, number>();
  for (const { rank } of effective) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
});

export function nameNotes(library: Library, name: string | undefined, entry: Entry): readonly string[] {
  return [renameNote(library, name, entry), kindsNote(library, name, entry), rivalsNote(library, name, entry)]
    .filter((note) => note !== undefined);
}

/** A name that says of which kind it is: `*prd`, `bmm/workflows/prd`. */
const OF_KIND = new RegExp(String.raw`^\s*\*|(?:^|[/:])(?:${KINDS.join("|")})s[/:]`, "i");

function kindsNote(library: Library, name: string | undefined, entry: Entry): string | undefined {
  if (name === undefined || OF_KIND.test(name)) return undefined;
  const others = sameNames(library).get(nameKey(entry))?.filter((other) =>
    startedAs(other) !== startedAs(entry)
  );
  if (others === undefined || others.length === 0) return undefined;
  const named = others.map((other) =>
    `${startedAs(other)} (${other.module}/${startedAs(other)}s/${other.id})`
  );
  return `${qualifiedName(entry)} is also the name of a ${named.join(" and of a ")}`;
}

/**
 * The note for a caller whose name means items of several modules, of which somebody wrote one by hand: who wrote it, or
 * who knows BMAD's own item, may have meant the other one.
 */
function rivalsNote(library: Library, name: string | undefined, entry: Entry): string | undefined {
  if (name === undefined) return undefined;
  const { manifest, effective } = library;
  const found = resolveName(effective, { name, isSame: true });
  if (found.outcome === "missing" || found.lookup.reading.module !== undefined) return undefined;
  const { matches, reading: { word } } = found.lookup;
  if (!matches.some(({ key }) => key === entry.key)) return undefined;
  const isOwn = isAuthored(manifest, entry);
  const rivals = visibleEntries(matches).filter((other) =>
    other.key !== entry.key && startedAs(other) === startedAs(entry) && (isOwn || isAuthored(manifest, other))
  );
  if (rivals.length === 0) return undefined;
  const named = rivals.slice(0, LIMITS.lists.rivals).map((other) =>
    `${qualifiedName(other)} (${other.origin.id})`
  );
  return `"${word}" is also a name of ${named.join(" and ")}`;
}

const sameNames = perLibrary(({ effective }): ReadonlyMap<string, readonly Entry[]> =>
  Map.groupBy(visibleEntries(effective).filter(({ kind }) => !isSupporting(kind)), nameKey)
);

function nameKey(entry: Entry): string {
  return qualifiedName(entry).toLowerCase();
}

export function renameNote(library: Library, name: string | undefined, entry: Entry): string | undefined {
  if (name === undefined) return undefined;
  const { manifest } = library;
  const { served } = recordsOf(manifest, entry);
  const overridden = served.slice(served.findIndex(({ key }) => key === entry.key) + 1);
  return nameNote(name, entry, {
    overridden,
    missing: missingOf(manifest),
    isAuthored: isAuthored(manifest, entry),
  });
}

/** The author of an entry, and whether a manifest, the disk or both know of it. */
export function recordFacts(library: Library, entry: Entry) {
  const { modules } = sourceOf(library, entry).inventory;
  const author = entry.author ?? authorsIn(modules).get(entry.module) ?? "";
  const listed = entry.status === "no-file-found" ? "manifest" : "both";
  return { author, source: entry.isListed ? listed : "file-system" };
}

const authorsIn = cachedWith((modules: readonly Module[]) =>
  new Map(modules.toReversed().flatMap(({ code, author }) => author ? [[code, author] as const] : []))
);

/**
 * Where the file of an entry lies, for a reader in the project: by its path there, elsewhere by its full path. What has
 * no file that this reader can open goes by its served path, below the usual folder.
 */
export function pathFromProject(library: Library, entry: Entry): string {
  const { origin, tree } = sourceOf(library, entry);
  if (origin.kind === "project") return entry.file;
  return origin.kind === "package" || library.isRemote
    ? uriOf(library, entry).replace(SCHEME, "_bmad/")
    : `${tree.location}/${entry.file}`;
}
