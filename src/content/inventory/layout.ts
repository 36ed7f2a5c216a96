/**
 * The contract of a layout's reader: one root in, plain data out.
 *
 * A reader assumes nothing about the files except that they can be read: whatever is missing or broken becomes a
 * diagnostic, and the rest is still read.
 */
import { shorten } from "../../base/text.ts";
import {
  type Diagnostic,
  type Item,
  type Module,
  type Mount,
  qualifiedName,
  type RenamedAgent,
  type TreeUse,
} from "../../base/model.ts";
import { baseName, findText, parentPath, textFault, type Tree } from "../tree/mod.ts";
import { asText, asValues, type Parsed, parseYaml, type Values } from "../parse.ts";

/** What a reader found in one root. */
export interface Findings {
  readonly version?: string;
  readonly modules: Module[];
  readonly items: Item[];
  readonly mounts: Mount[];
  readonly diagnostics: Diagnostic[];
  readonly renamed?: readonly RenamedAgent[];
  /** Skills that other layouts of the same tree must not show, each with the reason; undefined where it is a copy. */
  readonly replaced?: ReadonlyMap<string, string | undefined>;
}

/** Reads one root of a layout. */
export type Reader = (tree: Tree, root: string, use: TreeUse) => Findings;

/** Findings for a reader to fill. */
export function noFindings(version?: string): Findings {
  return { version, modules: [], items: [], mounts: [], diagnostics: [] };
}

/** Reads and parses a file that may be missing; a problem with it becomes a diagnostic. */
export function readParsed<T>(
  tree: Tree,
  path: string,
  parse: (text: string) => Parsed<T>,
  diagnostics: Diagnostic[],
): T | undefined {
  const text = findText(tree, path);
  if (text !== undefined) return parseText(path, text, parse, diagnostics);
  // What the system does not let us read is reported by itself.
  if (tree.stat(path) !== undefined && !tree.unreadable().includes(path)) {
    diagnostics.push({ level: "warning", code: "bad-file", ...textFault(tree, path), path });
  }
  return undefined;
}

/** Parses a file's text; a problem with it becomes a diagnostic. */
export function parseText<T>(
  path: string,
  text: string,
  parse: (text: string) => Parsed<T>,
  diagnostics: Diagnostic[],
): T | undefined {
  const { value, problem, isLimit } = parse(text);
  if (problem !== undefined) {
    const code = isLimit ? "limit-reached" : "bad-file";
    diagnostics.push({ level: "warning", code, message: problem, path });
  }
  return value;
}

/** The version of the npm package that a source tree is. */
export function packageVersion(tree: Tree): string | undefined {
  return asText(readParsed(tree, "package.json", parseYaml, [])?.["version"]);
}

/** A module, with the name and description that its `module.yaml` gives, if any. */
export function moduleOf(code: string, version?: string, facts: Values = {}): Module {
  const description = asText(facts["description"]) ?? "";
  return { code, name: asText(facts["name"]) ?? code, description, version };
}

/** The author that values name, also in a part of them: as a text or, as npm and plugins do, as a table with a name. */
export function authorIn(values: unknown): { readonly author?: string } {
  const { author, metadata, workflow } = asValues(values);
  const said = [author, asValues(metadata)["author"], asValues(workflow)["author"]];
  const name = said.map((one) => asText(one) ?? asText(asValues(one)["name"])).find((one) =>
    one !== undefined
  );
  return name === undefined ? {} : { author: shorten(name) };
}

/** An item that is one file, before anybody has read what the file says. */
export function itemOf(
  facts: Pick<Item, "kind" | "id" | "module" | "generation" | "version" | "file">,
): Item {
  const id = composed(facts.id);
  return {
    ...facts,
    id,
    roles: [],
    name: id.toLowerCase(),
    status: "verified",
    folder: parentPath(facts.file),
    ownsFolder: false,
    description: "",
  };
}

/** A name from the disk, in one spelling: some systems write an accented letter as two characters. */
export function composed(name: string): string {
  return name.normalize();
}

/** `agents/pm.md` → `pm`. */
export function stemOf(file: string): string {
  return baseName(file).replace(/\.\w+$/, "");
}

/** `agents/pm.MD` → `md`. */
export function endingOf(file: string): string {
  return /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? "";
}

/** Reports the items that a manifest lists and the disk lacks. `what` says what they are, in the plural. */
export function reportMissing({ items, diagnostics }: Findings, what: string, path: string): void {
  const missing = items.filter((item) => item.status === "no-file-found");
  if (missing.length === 0) return;
  const named = missing.slice(0, 3).map(qualifiedName).join(", ");
  const message =
    `${missing.length} of ${items.length} ${what} ${missing.length === 1 ? "has" : "have"} no file ` +
    `(${named}${missing.length > 3 ? ", …" : ""})`;
  diagnostics.push({ level: "warning", code: "no-file-found", message, path });
}
