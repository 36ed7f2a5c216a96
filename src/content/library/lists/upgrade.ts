/**
 * What another version of a source changes: its instructions, and the customizations that then have no effect.
 *
 * Both versions are origins of one library, beside everything else that is served, because customizations lie in other
 * origins.
 */
import { type Entry, isOf, qualifiedName } from "../../../base/model.ts";
import { isValues, parseToml, type Values } from "../../parse.ts";
import { joinPath } from "../../tree/mod.ts";
import { type Library, type SourceFile, sourceOf } from "../library.ts";
import { agentChanges } from "../values/customize.ts";
import { findBestFile, readLayer } from "../values/layers.ts";
import { compareFiles, type Difference, MAIN } from "./differences.ts";

/** One item that differs. */
export interface ItemChange {
  readonly name: string;
  readonly kind: string;
  readonly change: "added" | "removed" | "changed";
  /** The files that differ; empty for an item that was added or removed. */
  readonly files: readonly Difference[];
}

/** A customization that has no effect on the new version. */
export interface LostCustomization {
  /** The file that holds it, absolute if it is on disk. */
  readonly file: string;
  readonly name: string;
  readonly reason: string;
}

/** What a version changes. */
export interface VersionChanges {
  readonly items: readonly ItemChange[];
  readonly customizations: readonly LostCustomization[];
}

/** Compares two versions of a source, by the ids of their origins. */
export function compareVersions({ whole: library }: Library, before: string, after: string): VersionChanges {
  const entriesOf = (id: string) =>
    new Map(
      library.manifest.entries.filter(({ origin, status }) => origin.id === id && status !== "no-file-found")
        .map((entry) => [`${entry.kind} ${qualifiedName(entry)}`, entry]),
    );
  const [old, now] = [entriesOf(before), entriesOf(after)];
  const items: ItemChange[] = [];
  const customizations: LostCustomization[] = [];
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [a, b] = [old.get(key), now.get(key)];
    const entry = (b ?? a)!;
    const own = entry.file.split("/").at(-1)!;
    const files = a === undefined || b === undefined
      ? []
      : compareFiles(library, a, b).map((one) => one.file === MAIN ? { ...one, file: own } : one).toArray();
    const change = a === undefined ? "added" : b === undefined ? "removed" : "changed";
    if (change !== "changed" || files.length > 0) {
      items.push({ name: qualifiedName(entry), kind: entry.kind, change, files });
    }
    if (a !== undefined) customizations.push(...lostCustomizations(library, a, b));
  }
  return { items, customizations };
}

function* lostCustomizations(
  library: Library,
  before: Entry,
  after: Entry | undefined,
): Generator<LostCustomization> {
  const name = qualifiedName(before);
  const renamed = after ?? library.manifest.entries.find(({ formerIds }) => formerIds?.includes(before.id));
  const gone = renamed === undefined || renamed === after ? "it is gone" : `it is now called ${renamed.id}`;
  if (isOf(before, "agent") && after === undefined && agentChanges(library, before).length > 0) {
    yield { file: `${before.module}-${before.id}.customize.yaml`, name, reason: gone };
  }
  if (before.kind !== "skill") return;
  const [was, is] = [before, after].map((entry) => entry && ownValues(library, entry));
  for (const end of [".toml", ".user.toml"]) {
    const file = findBestFile(library, `custom/${before.id}${end}`);
    // One that had no effect before is not lost.
    if (file === undefined || was === undefined) continue;
    const lost = (reason: string) => ({ file: shownFile(file), name, reason });
    if (after === undefined) yield lost(gone);
    else if (is === undefined) yield lost("it has no customize.toml any more");
    else {
      const asked = readLayer(file, parseToml, [])?.values ?? {};
      for (const key of keysOf(asked)) {
        if (has(was, key) && !has(is, key)) yield lost(`it has no ${key.join(".")} any more`);
      }
    }
  }
}

/** The values that a skill offers to be customized; undefined if it offers none. */
function ownValues(library: Library, entry: Entry): Values | undefined {
  const file = { source: sourceOf(library, entry), path: joinPath(entry.folder, "customize.toml") };
  return readLayer(file, parseToml, [])?.values;
}

/** Deeper tables are data of one key. */
const MAX_DEPTH = 4;

/** The names of all values in tables, each as its path. */
function keysOf(values: Values, path: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(values).flatMap(([key, value]) =>
    isValues(value) && path.length < MAX_DEPTH ? keysOf(value, [...path, key]) : [[...path, key]]
  );
}

function has(values: Values, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (!Object.hasOwn(values, key)) return false;
  const inner = values[key];
  // A table may be filled with any key, unless it has some of its own.
  return rest.length === 0 || !isValues(inner) || Object.keys(inner).length === 0 || has(inner, rest);
}

function shownFile({ source, path }: SourceFile): string {
  return source.origin.kind === "package" ? path : `${source.origin.location}/${path}`;
}
