/**
 * What an answer says about the choice of its entry: where it comes from, if that is not obvious, and why the name led to
 * it, if it has another one.
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
import { type Entry, isSupporting, KINDS, qualifiedName, startedAs } from "../../base/model.ts";
import { hasSteppedBack, type Library, perLibrary } from "./library.ts";

/** The id of an entry's origin; undefined if a reader expects it: most of what is served comes from there. */
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

/** The notes for a caller that asked for an entry by a name. */
export function nameNotes(library: Library, name: string | undefined, entry: Entry): readonly string[] {
  return [renameNote(library, name, entry), kindsNote(library, name, entry), rivalsNote(library, name, entry)]
    .filter((note) => note !== undefined);
}

/** A name that says of which kind it is: `*prd`, `bmm/workflows/prd`. */
const OF_KIND = new RegExp(String.raw`^\s*\*|(?:^|[/:])(?:${KINDS.join("|")})s[/:]`, "i");

/** The note for a caller whose name items of other kinds have too, and how to call each of them. */
function kindsNote(library: Library, name: string | undefined, entry: Entry): string | undefined {
  if (name === undefined || OF_KIND.test(name)) return undefined;
  const others = sameNames(library).get(keyOf(entry))?.filter((other) =>
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
  const named = rivals.slice(0, MAX_RIVALS).map((other) => `${qualifiedName(other)} (${other.origin.id})`);
  return `"${word}" is also a name of ${named.join(" and ")}`;
}

/** More than anybody has on purpose. */
const MAX_RIVALS = 3;

const sameNames = perLibrary(({ effective }): ReadonlyMap<string, readonly Entry[]> =>
  Map.groupBy(visibleEntries(effective).filter(({ kind }) => !isSupporting(kind)), keyOf)
);

function keyOf(entry: Entry): string {
  return qualifiedName(entry).toLowerCase();
}

/** The note for a caller that asked for an entry by another name than it has; undefined if none is needed. */
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
