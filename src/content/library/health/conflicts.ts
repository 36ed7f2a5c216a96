/** Items and files that several origins have: which one wins and why, and what differs. */
import { overriddenEntries } from "../../catalog/mod.ts";
import { type Entry, type Origin, qualifiedName } from "../../../base/model.ts";
import { type BrokenReference, checkReferences } from "./closure.ts";
import { fileList, filesOf, type ServedFile } from "../files/files.ts";
import { type Library, perLibraryPaced, sourceOf } from "../library.ts";
import { counted } from "../../../base/text.ts";
import { forEachPaced } from "../../../base/work.ts";
import type { Row } from "../rows/row.ts";

export const listConflicts = perLibraryPaced(async (library, work): Promise<readonly Row[]> => {
  const own = new Set<string>();
  const rows: Row[] = [];
  let identical = 0;
  await forEachPaced(
    overriddenEntries(library.manifest),
    { name: "Comparing items", stride: 32 },
    work,
    (group) => {
      const files = filesOfAll(library, group);
      for (const { uri } of files.values().flatMap((same) => same)) own.add(uri);
      const differing = differingIn(group, files);
      if (differing.length === 0) identical++;
      else rows.push(itemRow(library, group, differing));
    },
  );
  if (identical > 0) {
    const name = counted(identical, "item");
    const data = { what: "identical", name, count: identical };
    rows.push({ name, about: "several sources have identical copies", data });
  }
  const repeated = [...fileList(library).overridden];
  await forEachPaced(repeated, { name: "Comparing files", stride: 128 }, work, ([uri, files]) => {
    if (own.has(uri) || !areDifferent(files)) return;
    const facts = verdict(files.map(({ source }) => source.origin), files.map(({ path }) => path));
    rows.push({ name: uri, about: facts.why, data: { what: "file", name: uri, ...facts } });
  });
  return [...rows, ...(await checkReferences(library, work)).broken.map(brokenRow)];
});

export function listOverridden(library: Library): readonly Row[] {
  return overriddenEntries(library.manifest).map((group) => itemRow(library, group));
}

export function countDiffering(library: Library, group: readonly Entry[]): number {
  return differingIn(group, filesOfAll(library, group)).length;
}

function differingIn(group: readonly Entry[], files: ReturnType<typeof filesOfAll>): readonly string[] {
  return files.values().filter((same) => same.length < group.length || areDifferent(same))
    .map(([first]) => first!.uri).toArray();
}

function itemRow(library: Library, group: readonly Entry[], differing?: readonly string[]): Row {
  const [served, other] = group as readonly [Entry, Entry];
  const name = qualifiedName(served);
  const { why, ...facts } = verdict(group.map((entry) => entry.origin), group.map(({ file }) => file));
  const files = [served, other].map((entry) => `${sourceOf(library, entry).tree.location}/${entry.file}`);
  const data = { what: "thing", name, ...facts, why, files };
  if (differing === undefined) return { name, about: why, data };
  const count = counted(differing.length, "file differs", "files differ");
  const pair = `: ${served.origin.id} ${served.file} and ${other.origin.id} ${other.file}`;
  // The record below has its own name: together with its origin, it can be read.
  const overridden = { name: qualifiedName(other), origin: other.origin.id };
  return {
    name,
    about: `${count}${served.rank === other.rank ? "" : pair}; ${why}`,
    data: { ...data, overridden, differing },
  };
}

export function brokenRow({ reference, uri, origin }: BrokenReference): Row {
  const about = `refers to ${reference}, which is missing`;
  return { name: uri, about, data: { what: "reference", name: uri, reference, origin } };
}

function verdict(origins: readonly Origin[], files: readonly string[]) {
  const [{ id: wins, priority }, ...rest] = origins as readonly [Origin, ...Origin[]];
  const shadowed = [...new Set(rest.map(({ id }) => id))];
  const others = rest.filter(({ id }) => id !== wins);
  if (others.length === 0) {
    const [winner, ...losers] = files;
    return { wins, shadowed, why: `${winner} wins over ${losers.join(", ")}: it comes first in ${wins}` };
  }
  const losers = shadowed.filter((id) => id !== wins).join(", ");
  const reason = others.some((other) => other.priority === priority)
    ? "it was named first"
    : `priority ${priority} before ${others.map((other) => other.priority).join(", ")}`;
  return { wins, shadowed, why: `${wins} wins over ${losers}: ${reason}` };
}

function filesOfAll(library: Library, group: readonly Entry[]): ReadonlyMap<string, readonly ServedFile[]> {
  const isOfOne = group.every(({ rank, ownsFolder }) =>
    rank === group[0]!.rank && ownsFolder === group[0]!.ownsFolder
  );
  const files = group.flatMap((entry) =>
    filesOf(library, entry).map((file) => ({
      file,
      place: isOfOne ? (entry.ownsFolder ? file.path.slice(entry.folder.length) : "") : file.uri,
    }))
  );
  const groups = Map.groupBy(files, ({ place }) => place);
  return new Map(groups.entries().map(([place, same]) => [place, same.map(({ file }) => file)]));
}

function areDifferent(files: readonly ServedFile[]): boolean {
  const [first, ...rest] = files;
  const read = ({ source, path }: ServedFile) => source.tree.read(path);
  return rest.some(({ facts }) => facts.size !== first!.facts.size) ||
    rest.some((file) => !hasEqualBytes(read(file), read(first!)));
}

export function hasEqualBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
