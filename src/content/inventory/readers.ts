/** The readers of all layouts. */
import type { Diagnostic, Inventory, Item, Module, Mount, Root, TreeUse } from "../../base/model.ts";
import { moduleNamed } from "../../base/official_modules.ts";
import { compareVersions } from "../../base/versions.ts";
import { baseName, findText, joinPath, type Tree } from "../tree/mod.ts";
import { compiled } from "./compiled.ts";
import { CONFIG_FOLDERS, contentsOf, hasRootName, MODULE_FILE, OLD_MODULE_FILE } from "./folders.ts";
import { PLUGIN_FILE, RECORD_FILES } from "./folders.ts";
import { flatSkills } from "./flat_skills.ts";
import { handWritten, sourceModules } from "./module_folder.ts";
import { installedSkills } from "./installed_skills.ts";
import { authorIn, type Findings, type Reader } from "./layout.ts";
import { looseSkills, plugin, sourceTree } from "./skill.ts";
import { type AuthorFile, type FoundRoot, type LayoutName, layoutOf } from "./roots.ts";
import { v3, v4 } from "./v3_v4.ts";
import { cachedWith } from "../../base/cache.ts";
import { asText, asValues, parseToml, parseYaml, type Values } from "../parse.ts";

const READERS: Readonly<Record<LayoutName, Reader>> = {
  "installed skills": installedSkills,
  "flat skills": flatSkills,
  "compiled": compiled,
  "source tree": sourceTree,
  "source modules": sourceModules,
  "v4": v4,
  "v3": v3,
  "hand-written": handWritten,
  "plugin": plugin,
  "loose skills": looseSkills,
};

export function readRoots(tree: Tree, roots: readonly FoundRoot[], use: TreeUse): Inventory {
  const read = withoutReplaced(newestFirst(roots.map(({ path, layout }) => {
    const findings = READERS[layout](tree, path, use);
    const { generation } = layoutOf({ layout });
    return { findings, root: { path, layout, generation, version: findings.version } };
  })));
  const mounts = read.flatMap(({ findings }) => findings.mounts);
  const diagnostics = read.flatMap(({ findings }) => findings.diagnostics);
  const renamed = read.flatMap(({ findings }) => findings.renamed ?? []);
  return {
    roots: read.map(({ root }) => root),
    modules: [
      ...new Map(
        read.flatMap(({ root, findings: { modules, mounts } }) =>
          modules.map((module) => withNames(tree, root, mounts, module))
        ).map((module) => [`${module.code} ${module.version}`, module]),
      ).values(),
    ],
    items: oncePerFile(read.map(({ findings }) => findings.items)),
    mounts: [...mounts, ...otherMounts(tree, roots, mounts)],
    ...(renamed.length > 0 && { renamed }),
    // Two readers of one root report the same broken manifest.
    diagnostics: [...new Map(diagnostics.map((one) => [JSON.stringify(one), one])).values()],
  };
}

function otherMounts(tree: Tree, roots: readonly FoundRoot[], mounts: readonly Mount[]): readonly Mount[] {
  // An installation is mounted as a whole.
  const isMounted = (root: string) => mounts.some(({ at, path }) => at === "" && path === root);
  const others = new Set(
    roots.map(({ path }) => path).filter((path) => hasRootName(tree, path) && !isMounted(path)),
  );
  return [...others].flatMap((root) => contentsOf(tree, root)).map((path) => ({ at: baseName(path), path }));
}

function oncePerFile(readers: readonly (readonly Item[])[]): Item[] {
  const taken = new Set<string>();
  return readers.flatMap((items) => {
    const own = items.filter(({ file }) => !taken.has(file));
    for (const { file } of own) taken.add(file);
    return own;
  });
}

function newestFirst(read: readonly ReadRoot[]): readonly ReadRoot[] {
  const isSorted = ({ root }: ReadRoot) => layoutOf(root).isFreelyNamed;
  const sorted = read.filter(isSorted).sort((a, b) => compareVersions(b.root.version, a.root.version))
    .values();
  return read.map((each) => isSorted(each) ? sorted.next().value! : each);
}

interface ReadRoot {
  readonly findings: Findings;
  readonly root: Root;
}

interface AuthorSource {
  readonly paths: (folders: Readonly<Record<"root" | "module", string>>) => readonly string[];
  readonly about?: (values: Values, code: string) => unknown;
}

const inModule = (...names: readonly string[]): AuthorSource["paths"] => ({ module }) =>
  names.map((name) => joinPath(module, name));

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

const AUTHOR_FILES: Readonly<Record<AuthorFile, AuthorSource>> = {
  "module.yaml": { paths: inModule(MODULE_FILE, OLD_MODULE_FILE) },
  "config.yaml": { paths: inModule("config.yaml") },
  "bmod.toml": { paths: inModule(RECORD_FILES[0]!), about: (values) => values["bmod"] },
  "manifest.yaml": {
    paths: ({ root }) => CONFIG_FOLDERS.map((folder) => joinPath(root, folder, "manifest.yaml")),
    about: rowOf("modules"),
  },
  // JSON is YAML.
  "marketplace.json": { paths: () => [PLUGIN_FILE], about: rowOf("plugins") },
  // Describes the sources beside it, not what was installed into a project.
  "package.json": { paths: ({ root }) => baseName(root).startsWith(".") ? [] : ["package.json"] },
};

const parsedFiles = cachedWith((_: Tree) => new Map<string, Values>());

/** Its author, and a name for people, which installations since v4 leave out. */
function withNames(tree: Tree, root: Root, mounts: readonly Mount[], given: Module): Module {
  const { code } = given;
  const official = given.name === code && layoutOf(root).is === "installation"
    ? moduleNamed(code)?.name
    : undefined;
  const module = official === undefined ? given : { ...given, name: official };
  const own = joinPath(root.path, code);
  const mounted = folderAt(mounts).get(code);
  const folders = { root: root.path, module: mounted ?? (tree.list(own).length > 0 ? own : root.path) };
  const sources = layoutOf(root).authorIn.map((file) => AUTHOR_FILES[file]);
  for (const { paths, about = (values: Values) => values } of sources) {
    for (const path of paths(folders)) {
      const values = parsedFiles(tree).getOrInsertComputed(path, () => {
        const text = findText(tree, path) ?? "";
        // Parsing takes longer than searching for the word.
        if (!text.includes("author")) return {};
        return (path.endsWith(".toml") ? parseToml : parseYaml)(text).value;
      });
      const said = authorIn(about(values, code));
      if (said.author !== undefined) {
        return { ...module, name: asText(values["short-title"]) ?? module.name, ...said };
      }
    }
  }
  return module;
}

/** `npx skills` leaves the manifest and skills of 6.12: what it replaced is one item with the new skill. */
function withoutReplaced(read: readonly ReadRoot[]): readonly ReadRoot[] {
  const replaced = new Map(read.flatMap(({ findings }) => [...findings.replaced ?? []]));
  if (replaced.size === 0) return read;
  return read.map((one) => {
    const { items, mounts, modules, diagnostics, ...rest } = one.findings;
    const gone = items.filter(({ id }) => replaced.has(id));
    if (layoutOf(one.root).inUpgrade !== "is replaced" || gone.length === 0) return one;
    const left = items.filter(({ id }) => !replaced.has(id));
    const folders = new Set(gone.map(({ folder }) => folder));
    const isComplete = left.every(({ status }) => status !== "no-file-found");
    const findings: Findings = {
      ...rest,
      items: left,
      mounts: mounts.filter(({ path }) => path === "" || !folders.has(path)),
      modules: modules.filter(({ code }) => left.some(({ module }) => module === code)),
      diagnostics: [
        ...diagnostics.filter(({ code }) => code !== "no-file-found" || !isComplete),
        ...gone.filter(({ id, status }) => replaced.get(id) !== undefined && status !== "no-file-found")
          .map(({ id, folder: path }): Diagnostic => {
            const message = `is not served: ${replaced.get(id)}`;
            return { level: "info", code: "retired-skill", message, path };
          }),
      ],
    };
    return { ...one, findings };
  });
}
