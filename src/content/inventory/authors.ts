/**
 * Who wrote a module: the first of the files that its layout names for this, and that says so.
 *
 * Nobody has to say it, and most installations do not: then a module has no author.
 */
import { cachedWith } from "../../base/cache.ts";
import type { Module, Mount, Root } from "../../base/model.ts";
import { asValues, parseToml, parseYaml, type Values } from "../parse.ts";
import { baseName, findText, joinPath, type Tree } from "../tree/mod.ts";
import { CONFIG_FOLDERS, MODULE_FILE, OLD_MODULE_FILE, PLUGIN_FILE, RECORD_FILES } from "./file_names.ts";
import { authorIn } from "./layout.ts";
import { type AuthorFile, layoutOf } from "./roots.ts";

/** Where a file lies, and where in it the module is described. */
interface Place {
  readonly paths: (folders: { readonly root: string; readonly module: string }) => readonly string[];
  readonly parse?: typeof parseToml;
  /** What in it describes the module with this code; all of it by default. */
  readonly about?: (values: Values, code: string) => unknown;
}

const inModule = (...names: readonly string[]): Place["paths"] => ({ module }) =>
  names.map((name) => joinPath(module, name));

/** The rows of a list by their names; the first of a name counts. */
const byName = cachedWith((rows: readonly unknown[]) =>
  new Map(rows.map(asValues).toReversed().map((row) => [row["name"], row]))
);

const rowOf = (list: string) => (values: Values, code: string) => {
  const rows = values[list];
  return Array.isArray(rows) ? byName(rows).get(code) : undefined;
};

const folderAt = cachedWith((mounts: readonly Mount[]) =>
  new Map(mounts.toReversed().map(({ at, path }) => [at, path]))
);

const PLACES: Readonly<Record<AuthorFile, Place>> = {
  "module.yaml": { paths: inModule(MODULE_FILE, OLD_MODULE_FILE) },
  "config.yaml": { paths: inModule("config.yaml") },
  "bmod.toml": {
    paths: inModule(RECORD_FILES[0]!),
    parse: parseToml,
    about: (values) => values["bmod"],
  },
  "manifest.yaml": {
    paths: ({ root }) => CONFIG_FOLDERS.map((folder) => joinPath(root, folder, "manifest.yaml")),
    about: rowOf("modules"),
  },
  // JSON is YAML.
  "marketplace.json": { paths: () => [PLUGIN_FILE], about: rowOf("plugins") },
  // It describes the sources beside it, and not what was installed into a project.
  "package.json": { paths: ({ root }) => baseName(root).startsWith(".") ? [] : ["package.json"] },
};

/** The values of each file of a scan: several modules may be described in one. */
const valuesOf = cachedWith((_: Tree) => new Map<string, Values>());

function valuesIn(tree: Tree, path: string, parse: typeof parseToml): Values {
  const text = findText(tree, path) ?? "";
  // Parsing takes longer than looking for the word.
  return text.includes("author") ? parse(text).value : {};
}

/** A module with its author, if a file of its layout says who that is. */
export function withAuthor(tree: Tree, root: Root, mounts: readonly Mount[], module: Module): Module {
  const { code } = module;
  const own = joinPath(root.path, code);
  const mounted = folderAt(mounts).get(code);
  const folders = { root: root.path, module: mounted ?? (tree.list(own).length > 0 ? own : root.path) };
  const places = layoutOf(root).authorIn.map((file) => PLACES[file]);
  for (const { paths, parse = parseYaml, about = (values: Values) => values } of places) {
    for (const path of paths(folders)) {
      const values = valuesOf(tree).getOrInsertComputed(path, () => valuesIn(tree, path, parse));
      const said = authorIn(about(values, code));
      if (said.author !== undefined) return { ...module, ...said };
    }
  }
  return module;
}
