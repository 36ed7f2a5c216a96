/**
 * Conflicts: what several origins hold, which of them wins and why, which files differ, and what leads nowhere.
 *
 * Reads and compares files, so it is for those who ask.
 */
import { overriddenEntries } from "../../catalog/mod.ts";
import { type Entry, type Origin, qualifiedName } from "../../../base/model.ts";
import { checkReferences, type DeadReference } from "./closure.ts";
import { filesOf, type ServedFile, shadowedFiles } from "../files/files.ts";
import { type Library, perLibraryPaced } from "../library.ts";
import { forEachPaced } from "../../../base/work.ts";
import type { Row } from "./row.ts";

/** Things in several origins, other files in several origins that differ, and references that lead nowhere. */
export const listConflicts = perLibraryPaced(async (library, work): Promise<readonly Row[]> => {
  const own = new Set<string>();
  const rows: Row[] = [];
  await forEachPaced(
    overriddenEntries(library.manifest),
    { name: "Comparing things", stride: 32 },
    work,
    (group) => {
      const files = filesOfAll(library, group);
      for (const uri of files.keys()) own.add(uri);
      rows.push(thingRow(group, files));
    },
  );
  await forEachPaced(
    [...shadowedFiles(library)],
    { name: "Comparing files", stride: 128 },
    work,
    ([uri, files]) => {
      if (!own.has(uri) && areDifferent(files)) rows.push(fileRow(uri, files));
    },
  );
  return [...rows, ...(await checkReferences(library, work)).dead.map(deadRow)];
});

/** Things that several origins have, without a look at their files. */
export function listShadowed(library: Library): readonly Row[] {
  return overriddenEntries(library.manifest).map((group) => {
    const name = qualifiedName(group[0]!);
    const facts = verdict(group.map((entry) => entry.origin));
    return { name, about: facts.why, data: { what: "thing", name, ...facts } };
  });
}

/** How many files of some records of one thing are not the same in all of them. */
export function countDiffering(library: Library, group: readonly Entry[]): number {
  return differingIn(group, filesOfAll(library, group)).length;
}

/** The URIs of files that are not the same in all records. */
function differingIn(
  group: readonly Entry[],
  files: ReadonlyMap<string, readonly ServedFile[]>,
): readonly string[] {
  return files.entries().filter(([, same]) => same.length < group.length || areDifferent(same))
    .map(([uri]) => uri).toArray();
}

function thingRow(group: readonly Entry[], files: ReadonlyMap<string, readonly ServedFile[]>): Row {
  const name = qualifiedName(group[0]!);
  const { wins, shadowed, why } = verdict(group.map((entry) => entry.origin));
  const differing = differingIn(group, files);
  const difference = differing.length === 0 ? "no file differs" : `${differing.length} files differ`;
  return {
    name,
    about: `${why}; ${difference}`,
    data: { what: "thing", name, wins, shadowed, why, differing },
  };
}

function fileRow(uri: string, files: readonly ServedFile[]): Row {
  const { wins, shadowed, why } = verdict(files.map(({ holding }) => holding.origin));
  return { name: uri, about: why, data: { what: "file", name: uri, wins, shadowed, why } };
}

/** A reference that leads nowhere, as a row. */
export function deadRow({ reference, uri, origin }: DeadReference): Row {
  const about = `refers to ${reference}, which no origin has`;
  return { name: uri, about, data: { what: "reference", name: uri, reference, origin } };
}

/** Which origin wins: the best priority, and of equal ones the first. */
function verdict(origins: readonly Origin[]) {
  const [first, ...rest] = origins;
  const shadowed = rest.map(({ id }) => id);
  const numbers = rest.map(({ priority }) => priority).join(", ");
  const why = `${first!.id} wins over ${shadowed.join(", ")}: ` +
    (rest.some(({ priority }) => priority === first!.priority)
      ? "it was named first"
      : `priority ${first!.priority} before ${numbers}`);
  return { wins: first!.id, shadowed, why };
}

/** The files of the records of one thing, by URI: those of the winning record first. */
function filesOfAll(library: Library, group: readonly Entry[]): ReadonlyMap<string, readonly ServedFile[]> {
  return Map.groupBy(group.flatMap((entry) => filesOf(library, entry)), ({ uri }) => uri);
}

function areDifferent(files: readonly ServedFile[]): boolean {
  const [first, ...rest] = files;
  return rest.some((file) => file.facts.size !== first!.facts.size) ||
    rest.some((file) => !isEqual(contentOf(file), contentOf(first!)));
}

function contentOf({ holding, path }: ServedFile): Uint8Array {
  return holding.tree.read(path);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
