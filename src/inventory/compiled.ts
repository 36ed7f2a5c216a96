/**
 * Installations of the compiled generation: 6.0 alphas to 6.2.0, a root with `_cfg` or `_config` manifests.
 *
 * Manifests and disk are both read and joined by file: a row without a file, a file without a row and a row that
 * stands twice are all known cases. Paths in manifests begin with the name of some root folder, which need not
 * be the present one. 6.1 and 6.2.0 keep part of their workflows as skills, which another reader takes.
 */
import type { Diagnostic, Item, Kind } from "../model.ts";
import { joinPath, type Tree } from "../tree.ts";
import { decodeEntities } from "./agent_file.ts";
import { readInstallation } from "./installation.ts";
import { noFindings, type Reader, readParsed, shortName } from "./layout.ts";
import { holdsModule } from "./module_files.ts";
import { readModuleFolder } from "./module_folder.ts";
import { parseTable } from "../parse.ts";
import { SKILL_MANIFEST } from "./roots.ts";

const MANIFESTS: readonly (readonly [file: string, kind: Kind])[] = [
  ["agent-manifest.csv", "agent"],
  ["workflow-manifest.csv", "workflow"],
  ["task-manifest.csv", "task"],
  ["tool-manifest.csv", "tool"],
];

/** Folders of a root that are no modules. */
const NO_MODULE = new Set(["_cfg", "_config", "_memory", "docs", "custom", "scripts", "render"]);

export const compiled: Reader = {
  generation: "v6",
  read: (tree, root) => {
    const opening: Diagnostic[] = [];
    const { version, modules, config } = readInstallation(tree, root, opening);
    const findings = noFindings(version);
    const { diagnostics } = findings;
    diagnostics.push(...opening);
    findings.mounts.push({ at: "", path: root });

    const rows = readRows(tree, joinPath(root, config), root, diagnostics);
    const skills = skillNames(tree, root);
    const listed = new Set<string>();
    const take = (folder: string, module: string) => {
      findings.modules.push({ code: module, name: module, description: "", version });
      for (
        const item of readModuleFolder({ tree, folder, module, version, takesProse: false, diagnostics })
      ) {
        const row = rows.get(item.file);
        listed.add(item.file);
        if (row !== undefined) findings.items.push(withRow(item, row));
        // Teams are in no manifest at all.
        else if (item.kind === "team") findings.items.push(item);
        // A workflow that a skill of the same name has replaced was left behind by an upgrade.
        else if (!skills.has(shortName(item.id, module))) {
          findings.items.push({
            ...item,
            status: "not-in-manifest",
          });
        }
      }
    };
    for (const code of moduleCodes(tree, root, modules)) take(joinPath(root, code), code);
    // Agents that were installed without any module lie directly in the root.
    if (holdsModule(tree, root)) take(root, "standalone");
    findings.items.push(...missingItems(tree, rows, listed, version));
    return findings;
  },
};

interface ManifestRow {
  readonly kind: Kind;
  readonly values: Readonly<Record<string, string>>;
}

/** Manifest rows by the file they mean. Rows that mean a skill are left to the skills' own manifest. */
function readRows(
  tree: Tree,
  config: string,
  root: string,
  diagnostics: Diagnostic[],
): ReadonlyMap<string, ManifestRow> {
  const rows = new Map<string, ManifestRow>();
  for (const [file, kind] of MANIFESTS) {
    for (const values of readParsed(tree, joinPath(config, file), parseTable, diagnostics) ?? []) {
      const path = values["path"] ?? "";
      if (!/\.\w+$/.test(path) || path.endsWith("/SKILL.md")) continue;
      // Whatever the path begins with, this root is meant: 6.0.0-alpha.10 wrote `bmad/` while the root was `.bmad`.
      rows.set(joinPath(root, path.split("/").slice(1).join("/")), { kind, values });
    }
  }
  return rows;
}

function withRow(item: Item, { values }: ManifestRow): Item {
  const text = (key: string) => values[key] ? decodeEntities(values[key]) : undefined;
  return {
    ...item,
    title: item.title ?? text("title") ?? (item.kind === "agent" ? undefined : text("displayName")),
    displayName: item.displayName ?? (item.kind === "agent" ? text("displayName") : undefined),
    icon: item.icon ?? text("icon"),
    description: item.description || text("description") || "",
  };
}

/** Rows whose file is not among the found ones: most have none at all. */
function missingItems(
  tree: Tree,
  rows: ReadonlyMap<string, ManifestRow>,
  listed: ReadonlySet<string>,
  version: string | undefined,
): readonly Item[] {
  return [...rows].filter(([file]) => !listed.has(file)).map(([file, { kind, values }]) => {
    const id = values["name"] ?? file;
    const found = tree.stat(file) !== undefined;
    const item: Item = {
      kind,
      roles: [],
      id,
      name: id.toLowerCase(),
      module: values["module"] ?? "",
      generation: "v6",
      version,
      status: found ? "verified" : "no-file-found",
      folder: file.slice(0, Math.max(0, file.lastIndexOf("/"))),
      ownsFolder: kind === "workflow",
      file,
      description: "",
    };
    return withRow(item, { kind, values });
  });
}

function moduleCodes(tree: Tree, root: string, listed: readonly string[]): readonly string[] {
  const folders = tree.list(root).filter(({ name, isDirectory }) =>
    isDirectory && !NO_MODULE.has(name) && !name.startsWith(".") && holdsModule(tree, joinPath(root, name))
  );
  return [...new Set([...listed, ...folders.map(({ name }) => name)])];
}

/** The short names of the skills that the same root lists. */
function skillNames(tree: Tree, root: string): ReadonlySet<string> {
  const rows = readParsed(tree, joinPath(root, SKILL_MANIFEST), parseTable, []) ?? [];
  return new Set(rows.map((row) => shortName(row["canonicalId"] ?? "", row["module"] ?? "")));
}
