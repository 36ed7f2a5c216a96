/**
 * Installations of the compiled generation: 6.0 alphas to 6.2.0, a root with `_cfg` or `_config` manifests.
 *
 * What a manifest tells is taken from it: opening thousands of files to learn the same would be a start's whole
 * time. Whether the files are there is seen from the listings of their folders. What no manifest tells of is looked
 * for on disk and read. Paths in manifests begin with the name of some root folder, which need not be the present
 * one. 6.1 and 6.2.0 keep part of their workflows as skills, which another reader takes.
 */
import {
  type Diagnostic,
  type HelpRow,
  type Item,
  type Kind,
  type Persona,
  type Role,
  shortName,
} from "../../base/model.ts";
import { parseCsv, parseTable } from "../parse.ts";
import { baseName, joinPath, normalizePath, parentPath, type Tree } from "../tree/mod.ts";
import { decodeEntities, splitPrinciples } from "./agent_file.ts";
import { HELP_FILE, parseHelpByFile } from "./help_catalog.ts";
import { readInstallation } from "./installation.ts";
import { type Reader, readParsed } from "./layout.ts";
import { holdsModule } from "./module_files.ts";
import { phaseOf, readModuleFolder } from "./module_folder.ts";
import { slug } from "../../base/values.ts";
import { SKILL_MANIFEST } from "./roots.ts";

/** The manifests of an installation, and what their rows are. */
export const MANIFESTS: readonly (readonly [file: string, kind: Kind])[] = [
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
    const { version, modules, config, findings } = readInstallation(tree, root);
    const { diagnostics } = findings;

    const isThere = presenceIn(tree);
    const help = readHelp(tree, root, modules, diagnostics);
    const told = new Set<string>();
    for (const row of readRows(tree, joinPath(root, config), root, diagnostics)) {
      // Some installers wrote a row several times.
      if (told.has(row.file)) continue;
      told.add(row.file);
      const found = isThere(row.file);
      if (row.kind === "workflow" && found) told.add(parentPath(row.file));
      findings.items.push({ ...rowItem(row, version, found), help: help.get(row.file) });
    }
    reportMissing(findings.items, joinPath(root, config), diagnostics);

    const skills = skillNames(tree, root);
    const take = (folder: string, module: string) => {
      findings.modules.push({ code: module, name: module, description: "", version });
      const found = readModuleFolder({ tree, folder, module, version, takesProse: false, told, diagnostics });
      // A workflow that a skill of the same name has replaced was left behind by an upgrade.
      for (const item of found.filter((item) => !skills.has(shortName(item.id, module)))) {
        // Teams are in no manifest at all.
        findings.items.push(item.kind === "team" ? item : { ...item, status: "not-in-manifest" });
      }
    };
    for (const code of moduleCodes(tree, root, modules)) take(joinPath(root, code), code);
    // Agents that were installed without any module lie directly in the root.
    if (holdsModule(tree, root)) take(root, "standalone");
    return findings;
  },
};

/** What the modules' catalogues say of a file, by its path. A row's command need not be the one that there is. */
function readHelp(
  tree: Tree,
  root: string,
  modules: readonly string[],
  diagnostics: Diagnostic[],
): ReadonlyMap<string, HelpRow> {
  const rows = modules.flatMap((code) => [
    ...readParsed(tree, joinPath(root, code, HELP_FILE), parseHelpByFile, diagnostics) ?? [],
  ]);
  return new Map(rows.map(([file, row]) => [joinPath(root, file.slice(file.indexOf("/") + 1)), row]));
}

/** One row of a manifest. */
export interface ManifestRow {
  readonly kind: Kind;
  readonly file: string;
  /** A field's text; undefined when it is empty or the manifest has no such column. */
  text(column: string): string | undefined;
}

/** Every manifest's rows. Those that mean a skill are left to the skills' own manifest. */
export function* readRows(
  tree: Tree,
  config: string,
  root: string,
  diagnostics: Diagnostic[],
): Generator<ManifestRow> {
  for (const [name, kind] of MANIFESTS) {
    const [header = [], ...rows] = readParsed(tree, joinPath(config, name), parseCsv, diagnostics) ?? [];
    const columns = new Map(header.map((column, at) => [column, at]));
    for (const row of rows) {
      const path = row[columns.get("path") ?? -1] ?? "";
      if (!/\.\w+$/.test(path) || path.endsWith("/SKILL.md")) continue;
      // Whatever the path begins with, this root is meant: 6.0.0-alpha.10 wrote `bmad/` while the root was `.bmad`.
      const file = normalizePath(path.slice(path.indexOf("/") + 1));
      if (file === undefined) continue;
      const text = (column: string) => decodeEntities(row[columns.get(column) ?? -1] ?? "") || undefined;
      yield { kind, file: joinPath(root, file), text };
    }
  }
}

function rowItem({ kind, file, text }: ManifestRow, version: string | undefined, isThere: boolean): Item {
  const stem = baseName(file).replace(/\.\w+$/, "");
  const name = text("name") ?? stem;
  const isAgent = kind === "agent";
  const isWorkflow = kind === "workflow";
  const id = isWorkflow ? slug(name) || name : stem;
  const folder = parentPath(file);
  return {
    kind,
    roles: NO_ROLES,
    id,
    name: id.toLowerCase(),
    module: text("module") ?? "",
    generation: "v6",
    version,
    status: isThere ? "verified" : "no-file-found",
    folder,
    ownsFolder: isWorkflow || baseName(folder) === id,
    file,
    displayName: isAgent ? text("displayName") : undefined,
    title: isAgent ? text("title") : text("displayName") ?? (id === name ? undefined : name),
    icon: text("icon"),
    description: text("description") ?? text("title") ?? "",
    phase: isWorkflow ? phaseOf(file) : undefined,
    persona: isAgent ? rowPersona(text) : undefined,
    isBrief: isAgent,
  };
}

const NO_ROLES: readonly Role[] = [];

function rowPersona(text: ManifestRow["text"]): Persona {
  return {
    role: text("role"),
    identity: text("identity"),
    communicationStyle: text("communicationStyle"),
    principles: splitPrinciples(text("principles")),
    capabilities: text("capabilities")?.split(/,\s*/) ?? [],
    menu: [],
  };
}

/** Whether files are there: many in one folder are seen in its listing, one in a folder of its own is asked for. */
function presenceIn(tree: Tree): (file: string) => boolean {
  const names = new Map<string, ReadonlySet<string>>();
  const namesIn = (folder: string) => {
    const known = names.get(folder) ??
      new Set(tree.list(folder).filter((item) => !item.isDirectory).map(({ name }) => name));
    names.set(folder, known);
    return known;
  };
  return (file) =>
    /^workflow\b/.test(baseName(file)) ? tree.hasFile(file) : namesIn(parentPath(file)).has(baseName(file));
}

function reportMissing(items: readonly Item[], path: string, diagnostics: Diagnostic[]): void {
  const missing = items.filter((item) => item.status === "no-file-found");
  if (missing.length === 0) return;
  const named = missing.slice(0, 3).map((item) => `${item.module}/${item.id}`).join(", ");
  const message = `${missing.length} rows in the manifests have no file (${named}${
    missing.length > 3 ? ", …" : ""
  })`;
  diagnostics.push({ level: "warning", code: "no-file-found", message, path });
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
