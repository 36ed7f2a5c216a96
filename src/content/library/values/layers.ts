/**
 * Layers of values: documents that override each other by BMAD's structural rules.
 *
 * A layer that cannot be parsed, or does not fit the ones below it, is skipped and reported. BMAD's own scripts stop
 * there and let the model read the other files; we continue with them.
 */
import type { Diagnostic } from "../../../base/model.ts";
import { isValues, type Parsed, type Values } from "../../parse.ts";
import { findText } from "../../tree/mod.ts";
import type { Library, SourceFile } from "../library.ts";
import { fileIn } from "../files/references.ts";

export interface Layer {
  readonly values: Values;
  readonly file: SourceFile;
}

const NO_TEXT: Parsed<Values> = { value: {}, problem: "it is not UTF-8, or too large" };

/** Reads a layer; undefined when the file is missing. An invalid one is reported and has no values. */
export function readLayer(
  file: SourceFile,
  parse: (text: string) => Parsed<Values>,
  problems: Diagnostic[],
): Layer | undefined {
  const text = findText(file.source.tree, file.path);
  if (text === undefined && file.source.tree.stat(file.path) === undefined) return undefined;
  const { value, problem } = text === undefined ? NO_TEXT : parse(text);
  if (problem !== undefined) problems.push(ignoredFile(file, problem));
  return { values: plain(value) as Values, file };
}

/** The file at a served path, from the origin of the highest priority. */
export function findBestFile(library: Library, path: string): SourceFile | undefined {
  return library.sources.values().map((source) => fileIn(source, path)).find((file) => file !== undefined);
}

export function findLayer(
  library: Library,
  path: string,
  parse: (text: string) => Parsed<Values>,
  problems: Diagnostic[],
): Layer | undefined {
  const file = findBestFile(library, path);
  return file === undefined ? undefined : readLayer(file, parse, problems);
}

/** Merges layers; later ones override. */
export function mergeLayers(layers: readonly (Layer | undefined)[], problems: Diagnostic[]): Values {
  let merged: Values = {};
  for (const layer of layers) {
    if (layer === undefined) continue;
    const reasons: string[] = [];
    const next = mergeStructural(merged, layer.values, (reason) => reasons.push(reason));
    if (reasons[0] === undefined) merged = next;
    else problems.push(ignoredFile(layer.file, reasons[0]));
  }
  return merged;
}

export function ignoredFile({ source, path }: SourceFile, reason: string): Diagnostic {
  const message = `is ignored: ${reason}`;
  return { level: "warning", code: "bad-file", message, path, origin: source.origin.id };
}

/**
 * Merges one document into another: scalars replace, tables merge, lists of tables that all have a `code` (else an `id`)
 * replace by that key and append new ones, all other lists append. Nothing is ever removed. An invalid key is refused.
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
  const invalid = all.map(keyOf).find((value) => typeof value !== "string" || value === "");
  if (invalid !== undefined) {
    refuse(`expected text as \`${key}\` of a list item, got ${JSON.stringify(invalid)}`);
  }
  // Duplicates in the base stay; an override replaces the last one.
  const merged = [...base];
  const at = new Map(base.map((item, index) => [keyOf(item), index]));
  for (const item of over) {
    const index = at.get(keyOf(item)) ?? merged.length;
    at.set(keyOf(item), index);
    merged[index] = item;
  }
  return merged;
}

/** Values with dates as text: TOML has four types of them, and each keeps its form. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  return isValues(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
    : value;
}
