/** Layers of values, which override each other by BMAD's rules. One that cannot be used is skipped and reported. */
import { cachedWith, cacheRecent } from "../../../base/cache.ts";
import type { Diagnostic } from "../../../base/model.ts";
import { firstOf, mapLeaves, type Values } from "../../../base/values.ts";
import { MAX_VALUES, type Parsed } from "../../parse.ts";
import { findText, textFault } from "../../tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { Library, SourceFile } from "../library.ts";
import { fileIn } from "../files/references.ts";
import { checkKeys, checkTables, mergeStructural } from "./merge.ts";

export interface Layer {
  readonly values: Values;
  readonly file: SourceFile;
}

type Parse = (text: string) => Parsed<Values>;

const TOO_LONG: Parsed<Values> = {
  value: {},
  problem: `it is longer than ${MAX_VALUES} characters`,
  isLimit: true,
};

/** Every request reads its layers, which hardly ever change: what a text says is kept. */
const parsedBy = cachedWith((_: Parse) => cacheRecent<Parsed<Values>>(200));

function parseLayer(text: string, parse: Parse): Parsed<Values> {
  if (text.length > MAX_VALUES) return TOO_LONG;
  const read = () => {
    const { value, ...rest } = parse(text);
    // TOML has four types of dates: as text, each keeps its form.
    const values = mapLeaves(value, (leaf) => leaf instanceof Date ? leaf.toISOString() : leaf) as Values;
    return { ...rest, value: values };
  };
  return text.length > LIMITS.values.keptText ? read() : parsedBy(parse)(text, read);
}

export function readLayer(file: SourceFile, parse: Parse, problems: Diagnostic[] = []): Layer | undefined {
  const { source: { tree }, path } = file;
  const text = findText(tree, path);
  if (text === undefined) {
    if (tree.stat(path) === undefined) return undefined;
    const { message, ...fix } = textFault(tree, path);
    problems.push({ ...ignoredFile(file, message), ...fix });
    return { values: {}, file };
  }
  const { value, problem, isLimit } = parseLayer(text, parse);
  if (problem !== undefined) {
    problems.push({ ...ignoredFile(file, problem), ...(isLimit && { code: "limit-reached" }) });
  }
  return { values: value, file };
}

export function findBestFile(library: Library, path: string): SourceFile | undefined {
  return firstOf(library.sources, (source) => fileIn(source, path));
}

export function mergeLayers(layers: readonly Layer[], problems: Diagnostic[] = []): Values {
  return applyLayers(layers, problems).merged;
}

/**
 * BMAD's rules let a wrong key pass until something is laid over it: files below the highest source are checked before,
 * so that they make none above them fail. Tables of the base stay tables, unless its own source or the project, which
 * BMAD's own script reads, say otherwise.
 */
export function applyLayers<T extends Layer>(layers: readonly T[], problems: Diagnostic[], base?: Layer) {
  const highest = layers.at(-1)?.file.source;
  let merged: Values = base?.values ?? {};
  const applied: T[] = [];
  for (const layer of layers) {
    const { values, file } = layer;
    const reasons: string[] = [];
    const refuse = (reason: string) => reasons.push(reason);
    if (file.source !== highest) checkKeys(values, refuse);
    if (base !== undefined && file.source !== base.file.source && file.source.origin.kind !== "project") {
      checkTables(base.values, values, refuse);
    }
    const next = mergeStructural(merged, values, refuse);
    if (reasons[0] === undefined) {
      merged = next;
      applied.push(layer);
    } else problems.push(ignoredFile(file, reasons[0]));
  }
  return { merged, applied };
}

export function ignoredFile({ source, path }: SourceFile, reason: string): Diagnostic {
  const message = `is ignored: ${reason}`;
  return { level: "warning", code: "bad-file", message, path, origin: source.origin.id };
}
