/**
 * The contract of a layout's reader: one root in, plain data out.
 *
 * A reader may assume nothing about the files but that they can be read: what is missing or broken becomes a
 * diagnostic, and the rest is still read.
 */
import type { Diagnostic, Generation, Item, Module, Mount, TreeUse } from "../../base/model.ts";
import { findText, type Tree } from "../tree/mod.ts";
import { asText, type Parsed, parseYaml } from "../parse.ts";

/** What a reader finds in one root. */
export interface Findings {
  readonly version?: string;
  readonly modules: Module[];
  readonly items: Item[];
  readonly mounts: Mount[];
  readonly diagnostics: Diagnostic[];
}

/** How the roots of one layout are read. */
export interface Reader {
  readonly generation: Generation;
  /** All that one root holds. */
  read(tree: Tree, root: string, use: TreeUse): Findings;
}

/** Findings to be filled. */
export function noFindings(version?: string): Findings {
  return { version, modules: [], items: [], mounts: [], diagnostics: [] };
}

/** Reads and parses a file that may be missing; what is wrong with it becomes a diagnostic. */
export function readParsed<T>(
  tree: Tree,
  path: string,
  parse: (text: string) => Parsed<T>,
  diagnostics: Diagnostic[],
): T | undefined {
  const text = findText(tree, path);
  if (text === undefined) return undefined;
  const { value, problem } = parse(text);
  if (problem !== undefined) diagnostics.push({ level: "warning", code: "bad-file", message: problem, path });
  return value;
}

/** The version of the npm package that a source tree is. */
export function packageVersion(tree: Tree): string | undefined {
  return asText(readParsed(tree, "package.json", parseYaml, [])?.["version"]);
}
