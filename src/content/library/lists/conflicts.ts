/**
 * Conflicts: items and files that several origins have, which one wins and why, what differs, and broken references.
 *
 * `listConflicts` reads and compares every file involved; `listOverridden` reads none.
 */
import { overriddenEntries } from "../../catalog/mod.ts";
import { type Entry, type Origin, qualifiedName } from "../../../base/model.ts";
import { type BrokenReference, checkReferences } from "./closure.ts";
import { filesOf, overriddenFiles, type ServedFile } from "../files/files.ts";
import { type Library, perLibraryPaced } from "../library.ts";
import { counted } from "../../../base/text.ts";
import { forEachPaced, type Phase } from "../../../base/work.ts";
import type { Row } from "./row.ts";

const ITEMS: Phase = { name: "Comparing items", stride: 32 };
const FILES: Phase = { name: "Comparing files", stride: 128 };

/** Items in several origins, other files in several origins that differ, and broken references. */
export const listConflicts = perLibraryPaced(async (library, work): Promise<readonly Row[]> => {
  const own = new Set<string>();
  const rows: Row[] = [];
  await forEachPaced(overriddenEntries(library.manifest), ITEMS, work, (group) => {
    const files = filesOfAll(library, group);
    for (const uri of files.keys()) own.add(uri);
    rows.push(itemRow(group, files));
  });
  await forEachPaced([...overriddenFiles(library)], FILES, work, ([uri, files]) => {
    if (!own.has(uri) && areDifferent(files)) rows.push(fileRow(uri, files));
  });
  return [...rows, ...(await checkReferences(library, work)).broken.map(brokenRow)];
});

export function listOverridden(library: Library): readonly Row[] {
  return overriddenEntries(library.manifest).map((group) => itemRow(group));
}

export function countDiffering(library: Library, group: readonly Entry[]): number {
  return differingIn(group, filesOfAll(library, group)).length;
}

function differingIn(group: readonly Entry[], files: ReturnType<typeof filesOfAll>): readonly string[] {
  return files.entries().filter(([, same]) => same.length < group.length || areDifferent(same))
    .map(([uri]) => uri).toArray();
}

/** Without files, nothing is said about them. */
function itemRow(group: readonly Entry[], files?: ReturnType<typeof filesOfAll>): Row {
  const name = qualifiedName(group[0]!);
  const facts = verdict(group.map((entry) => entry.origin));
  if (files === undefined) return { name, about: facts.why, data: { what: "thing", name, ...facts } };
  const differing = differingIn(group, files);
  const difference = differing.length === 0
    ? "all files are equal"
    : counted(differing.length, "file differs", "files differ");
  return { name, about: `${facts.why}; ${difference}`, data: { what: "thing", name, ...facts, differing } };
}

function fileRow(uri: string, files: readonly ServedFile[]): Row {
  const facts = verdict(files.map(({ source }) => source.origin));
  return { name: uri, about: facts.why, data: { what: "file", name: uri, ...facts } };
}

export function brokenRow({ reference, uri, origin }: BrokenReference): Row {
  const about = `refers to ${reference}, which is missing`;
  return { name: uri, about, data: { what: "reference", name: uri, reference, origin } };
}

/** Which origin wins: the lowest priority number, and of equal ones the first. */
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

/** The files of all records of one item, by URI; those of the winning record first. */
function filesOfAll(library: Library, group: readonly Entry[]): ReadonlyMap<string, readonly ServedFile[]> {
  return Map.groupBy(group.flatMap((entry) => filesOf(library, entry)), ({ uri }) => uri);
}

function areDifferent(files: readonly ServedFile[]): boolean {
  const [first, ...rest] = files;
  const contentOf = ({ source, path }: ServedFile) => source.tree.read(path);
  return rest.some((file) => file.facts.size !== first!.facts.size) ||
    rest.some((file) => !isEqual(contentOf(file), contentOf(first!)));
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
