/** What is said of an entry besides the item itself: its origin, author, path and names. */
import { isAuthored, nameNote, recordsOf, resolveName, servedFor, visibleEntries } from "../catalog/mod.ts";
import { completeItem } from "../inventory/mod.ts";
import { type Entry, isSupporting, KINDS, type Module, qualifiedName, startedAs } from "../../base/model.ts";
import { hasSteppedBack, type Library, perLibrary, sourceOf } from "./library.ts";
import { standInOf } from "./standby.ts";
import { cachedWith } from "../../base/cache.ts";
import { countEach } from "../../base/values.ts";
import { uriOf } from "./files/files.ts";
import { SCHEME } from "./files/mounts.ts";
import { LIMITS } from "../limits.ts";

export function unexpectedOrigin(library: Library, entry: Entry): string | undefined {
  const isServed = servedFor(library.manifest, entry).key === entry.key;
  const isExpected = isServed && !hasSteppedBack(library, entry.rank, entry.module) &&
    entry.rank === mainRank(library);
  return isExpected ? undefined : entry.origin.id;
}

const mainRank = perLibrary(({ effective }): number => {
  const counts = countEach(effective.map(({ rank }) => rank));
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
});

export function standInFacts({ whole }: Library, { origin, module }: Entry) {
  const standIn = origin.kind === "package" ? standInOf(whole.sources) : undefined;
  const versions = standIn?.versions.get(module);
  return versions && { versions, note: standIn!.text };
}

export function nameNotes(library: Library, name: string | undefined, entry: Entry): readonly string[] {
  if (name === undefined) return [];
  return [renameNote, kindsNote, rivalsNote].flatMap((note) => note(library, name, entry) ?? []);
}

/** A name that says of which kind it is: `*prd`, `bmm/workflows/prd`. */
const OF_KIND = new RegExp(String.raw`^\s*\*|(?:^|[/:])(?:${KINDS.join("|")})s[/:]`, "i");

function kindsNote(library: Library, name: string, entry: Entry): string | undefined {
  if (OF_KIND.test(name)) return undefined;
  const named = (sameNames(library).get(nameKey(entry)) ?? []).flatMap((other) => {
    const kind = startedAs(other);
    return kind === startedAs(entry) ? [] : `${kind} (${other.module}/${kind}s/${other.id})`;
  });
  if (named.length === 0) return undefined;
  return `${qualifiedName(entry)} is also the name of a ${named.join(" and of a ")}`;
}

/** If a name means items of several modules, one of them written by hand, the other one may have been meant. */
function rivalsNote(library: Library, name: string, entry: Entry): string | undefined {
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

const sameNames = perLibrary(({ visible }): ReadonlyMap<string, readonly Entry[]> =>
  Map.groupBy(visible.filter(({ kind }) => !isSupporting(kind)), nameKey)
);

function nameKey(entry: Entry): string {
  return qualifiedName(entry).toLowerCase();
}

export function renameNote({ manifest }: Library, name: string, entry: Entry): string | undefined {
  const { served } = recordsOf(manifest, entry);
  const overridden = served.slice(served.findIndex(({ key }) => key === entry.key) + 1);
  return nameNote(name, entry, { overridden, isAuthored: isAuthored(manifest, entry) });
}

/** Those that only the files of items say which a manifest lists. */
const authorsInFiles = perLibrary(() => new Map<string, string>());

export const readAuthors = perLibrary(async (library): Promise<void> => {
  const isRead = ({ isBrief, kind, status }: Entry) =>
    isBrief && kind !== "agent" && status !== "no-file-found";
  for (const entry of library.manifest.entries.filter(isRead)) {
    const { author } = await completeItem(sourceOf(library, entry).tree, entry);
    if (author !== undefined) authorsInFiles(library).set(entry.key, author);
  }
});

export function recordFacts(library: Library, entry: Entry) {
  const { modules } = sourceOf(library, entry).inventory;
  const author = authorsInFiles(library).get(entry.key) ?? entry.author ??
    authorsIn(modules).get(entry.module) ?? "";
  const listed = entry.status === "no-file-found" ? "manifest" : "both";
  return { author, source: entry.isListed ? listed : "file-system" };
}

const authorsIn = cachedWith((modules: readonly Module[]) =>
  new Map(modules.toReversed().flatMap(({ code, author }) => author ? [[code, author] as const] : []))
);

/** What has no file that this reader can open goes by its served path, below the usual folder. */
export function pathFromProject(library: Library, entry: Entry): string {
  const { origin, tree } = sourceOf(library, entry);
  if (origin.kind === "project") return entry.file;
  return origin.kind === "package" || library.isRemote
    ? uriOf(library, entry).replace(SCHEME, "_bmad/")
    : `${tree.location}/${entry.file}`;
}
