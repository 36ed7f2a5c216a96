/**
 * Layers of values: documents that are read one by one and laid over each other by BMAD's structural rules.
 *
 * A layer that cannot be understood, or that does not fit on those below it, is left out and said to be. BMAD's
 * own scripts stop there and leave it to the model to read the files that are left; we have read them.
 */
import type { Diagnostic } from "../../../base/model.ts";
import { isValues, type Parsed, type Values } from "../../parse.ts";
import { findText } from "../../tree/mod.ts";
import type { Library, SourceFile } from "../library.ts";
import { fileIn } from "../files/references.ts";

/** One document of several. */
export interface Layer {
  readonly values: Values;
  /** The file that it was read from. */
  readonly place: SourceFile;
}

const NO_TEXT: Parsed<Values> = { value: {}, problem: "it is not UTF-8, or too large" };

/** What a file that may be missing says; nothing when it cannot be understood. */
export function readLayer(
  place: SourceFile,
  parse: (text: string) => Parsed<Values>,
  problems: Diagnostic[],
): Layer | undefined {
  const text = findText(place.source.tree, place.path);
  if (text === undefined && place.source.tree.stat(place.path) === undefined) return undefined;
  const { value, problem } = text === undefined ? NO_TEXT : parse(text);
  if (problem !== undefined) problems.push(notCounted(place, problem));
  return { values: plain(value) as Values, place };
}

/** The file that the best origin serves at a path. */
export function findBestFile(library: Library, path: string): SourceFile | undefined {
  return library.sources.values().map((source) => fileIn(source, path)).find((file) => file !== undefined);
}

/** What the best origin that serves a file at a path says in it. */
export function findLayer(
  library: Library,
  path: string,
  parse: (text: string) => Parsed<Values>,
  problems: Diagnostic[],
): Layer | undefined {
  const place = findBestFile(library, path);
  return place === undefined ? undefined : readLayer(place, parse, problems);
}

/** Lays layers over each other, the last one on top. */
export function mergeLayers(layers: readonly (Layer | undefined)[], problems: Diagnostic[]): Values {
  let merged: Values = {};
  for (const layer of layers) {
    if (layer === undefined) continue;
    const reasons: string[] = [];
    const next = mergeStructural(merged, layer.values, (reason) => reasons.push(reason));
    if (reasons[0] === undefined) merged = next;
    else problems.push(notCounted(layer.place, reasons[0]));
  }
  return merged;
}

/** A file that says something has no effect. */
export function notCounted({ source, path }: SourceFile, reason: string): Diagnostic {
  const message = `does not count: ${reason}`;
  return { level: "warning", code: "bad-file", message, path, origin: source.origin.id };
}

/**
 * Lays one document over another: scalars replace, tables merge, lists of tables that all have a `code` (else an
 * `id`) replace by that key and append what is new, all other lists append. Nothing is ever removed. A key by
 * which nothing can be found is refused.
 */
export function mergeStructural(
  base: Values,
  over: Values,
  refuse: (reason: string) => void = () => {},
): Values {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const old = merged.get(key);
    if (isValues(old) && isValues(value)) merged.set(key, mergeStructural(old, value, refuse));
    else if (Array.isArray(old) && Array.isArray(value)) merged.set(key, mergeLists(old, value, refuse));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

function mergeLists(
  base: readonly unknown[],
  over: readonly unknown[],
  refuse: (reason: string) => void,
): readonly unknown[] {
  const all = [...base, ...over];
  const key = ["code", "id"].find((key) => all.every((item) => isValues(item) && Object.hasOwn(item, key)));
  if (key === undefined || all.length === 0) return all;
  const keyOf = (item: unknown) => (item as Values)[key];
  const odd = all.map(keyOf).find((value) => typeof value !== "string" || value === "");
  if (odd !== undefined) refuse(`in a list by \`${key}\` that must be a text, and is ${JSON.stringify(odd)}`);
  // Twins in the base stay; of several with one key, the last one is what an override replaces.
  const merged = [...base];
  const at = new Map(base.map((item, index) => [keyOf(item), index]));
  for (const item of over) {
    const index = at.get(keyOf(item)) ?? merged.length;
    at.set(keyOf(item), index);
    merged[index] = item;
  }
  return merged;
}

/** Values without dates: TOML has four kinds of them, and as text each keeps its own form. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  return isValues(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
    : value;
}
