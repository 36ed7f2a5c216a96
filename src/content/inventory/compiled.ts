/**
 * Installations of the compiled generation: 6.0 alphas to 6.2.0, a root with `_cfg` or `_config` manifests.
 *
 * What a manifest says is taken from it: opening thousands of files to learn the same would take a start's whole time.
 * Whether the files exist is seen from the listings of their folders. Items that no manifest lists are looked for on
 * disk and read. Paths in manifests begin with the name of some root folder, which may not be the present one. 6.1 and
 * 6.2.0 keep part of their workflows as skills, which another reader takes.
 */
import {
  type Diagnostic,
  type HelpRow,
  type Item,
  type Kind,
  type Persona,
  shortName,
} from "../../base/model.ts";
import { cachedWith } from "../../base/cache.ts";
import { slug } from "../../base/values.ts";
import { parseCsv, parseTable } from "../parse.ts";
import { baseName, joinPath, normalizePath, parentPath, type Tree } from "../tree/mod.ts";
import { readRenamed } from "./agent_changes.ts";
import { decodeEntities, splitPrinciples } from "./agent_file.ts";
import { HELP_FILE, SKILL_FILE, SKILL_MANIFEST } from "./file_names.ts";
import { hasFile, holdsItems, ideFolders, keepsSkills, ownSkills } from "./folders.ts";
import { parseHelpByFile } from "./help_catalog.ts";
import { readInstallation } from "./installation.ts";
import { composed, moduleOf, type Reader, readParsed, reportMissing, stemOf } from "./layout.ts";
import { ownsFolderOf, workflowIn } from "./module_files.ts";
import { phaseOf, readModuleFolder } from "./module_folder.ts";
import { addSkill } from "./skill.ts";

/** The manifests of an installation, and the kind of their rows. */
export const MANIFESTS: readonly (readonly [file: string, kind: Kind])[] = [
  ["agent-manifest.csv", "agent"],
  ["workflow-manifest.csv", "workflow"],
  ["task-manifest.csv", "task"],
  ["tool-manifest.csv", "tool"],
];

/** Folders of a root that are not modules. */
const NOT_MODULES = new Set(["_cfg", "_config", "_memory", "docs", "custom", "scripts", "render"]);

export const compiled: Reader = (tree, root) => {
  const { version, modules, config, findings, read } = readInstallation(tree, root);
  const { diagnostics } = findings;

  const exists = existenceIn(tree);
  const rows = modules.flatMap((code) => [...read(joinPath(code, HELP_FILE), parseHelpByFile) ?? []]);
  // By file, because a row's command may not exist.
  const help = new Map(rows.map(([file, row]) => [joinPath(root, file.slice(file.indexOf("/") + 1)), row]));
  const listed = new Set<string>();
  for (const named of readRows(tree, joinPath(root, config), root, diagnostics)) {
    const file = fileOf(tree, named);
    if (file === undefined) continue;
    const row = { ...named, file };
    const { size } = listed;
    // Some installers wrote a row several times.
    if (listed.add(row.file).size === size) continue;
    const isThere = exists(row.file);
    if (row.kind === "workflow" && isThere && ownsFolderOf(file)) listed.add(parentPath(file));
    findings.items.push(rowItem(row, version, isThere, help.get(row.file)));
  }
  reportMissing(findings, "rows in the manifests", joinPath(root, config));

  const skills = skillNames(tree, root);
  const tools = keepsSkills(tree, root) ? ideFolders(tree) : [];
  const takeModule = (folder: string, module: string) => {
    findings.modules.push(moduleOf(module, version));
    const found = readModuleFolder({
      tree,
      folder,
      module,
      version,
      notAgents: ["prose"],
      listed,
      diagnostics,
    });
    // A workflow with the name of a skill was replaced by it, and left behind by an upgrade.
    const isUnlisted = (id: string) => !skills.has(shortName(id, module));
    const own = { ...findings, items: found.filter(({ id }) => isUnlisted(id)) };
    for (const path of ownSkills(tree, folder)) {
      // One that an installer keeps here has copies in the folders of the coding tools.
      const isCopied = tools.some((tool) => hasFile(tree, joinPath(tool, baseName(path)), SKILL_FILE));
      if (isCopied || !isUnlisted(baseName(path))) continue;
      addSkill(own, tree, path, { module, version, modulePath: baseName(path) });
    }
    // No manifest lists teams.
    findings.items.push(
      ...own.items.map((item): Item => item.kind === "team" ? item : { ...item, status: "not-in-manifest" }),
    );
  };
  for (const code of moduleCodes(tree, root, modules)) takeModule(joinPath(root, code), composed(code));
  // Agents that were installed without a module lie directly in the root.
  if (holdsItems(tree, root)) takeModule(root, "standalone");
  return { ...findings, renamed: readRenamed(tree, root) };
};

interface ManifestRow {
  readonly kind: Kind;
  /** Or the folder that it lies in. */
  readonly file: string;
  /** A field's text; undefined when it is empty or the manifest has no such column. */
  text(column: string): string | undefined;
}

/** The manifests of a scan by their paths: those of a large installation are counted first, and read later. */
const manifestsOf = cachedWith((_: Tree) =>
  new Map<
    string,
    { readonly rows: readonly (readonly string[])[]; readonly problems: readonly Diagnostic[] }
  >()
);

/** The rows of every manifest. Rows about a skill are left to the skills' own manifest. */
export function* readRows(
  tree: Tree,
  config: string,
  root: string,
  diagnostics: Diagnostic[],
): Generator<ManifestRow> {
  for (const [name, kind] of MANIFESTS) {
    const { rows, problems } = manifestsOf(tree).getOrInsertComputed(joinPath(config, name), (path) => {
      const problems: Diagnostic[] = [];
      return { rows: readParsed(tree, path, parseCsv, problems) ?? [], problems };
    });
    diagnostics.push(...problems);
    const columns = new Map(rows[0]?.map((column, at) => [column, at]));
    for (let at = 1; at < rows.length; at++) {
      const row = rows[at]!;
      const path = row[columns.get("path") ?? -1] ?? "";
      if (path.endsWith(`/${SKILL_FILE}`)) continue;
      // Whatever the path begins with, it means this root: 6.0.0-alpha.10 wrote `bmad/` for the root `.bmad`.
      const file = normalizePath(path.slice(path.indexOf("/") + 1));
      if (!file) continue;
      const text = (column: string) => decodeEntities(row[columns.get(column) ?? -1] ?? "") || undefined;
      yield { kind, file: joinPath(root, file), text };
    }
  }
}

/** The file that a row means; undefined for a skill, which its own manifest lists. */
function fileOf(tree: Tree, { kind, file: named }: ManifestRow): string | undefined {
  if (/\.\w+$/.test(named)) return named;
  if (tree.hasFile(joinPath(named, SKILL_FILE))) return undefined;
  const inside = joinPath(named, baseName(named));
  return (kind === "workflow" ? workflowIn(tree, named) : undefined) ??
    [named, inside].flatMap((stem) => [`${stem}.md`, `${stem}.xml`, `${stem}.yaml`]).find(tree.hasFile) ??
    named;
}

const NO_ROLES: Item["roles"] = [];

function rowItem(
  { kind, file, text }: ManifestRow,
  version: string | undefined,
  isThere: boolean,
  help: HelpRow | undefined,
): Item {
  const stem = stemOf(file);
  const name = text("name") ?? stem;
  const isAgent = kind === "agent";
  const isWorkflow = kind === "workflow";
  const id = composed(isWorkflow ? slug(name) || name : stem);
  const folder = parentPath(file);
  // All in one go: there may be thousands, and objects that grow take twice the memory.
  return {
    kind,
    id,
    name: id.toLowerCase(),
    module: text("module") ?? "",
    generation: "v6",
    version,
    file,
    folder,
    roles: NO_ROLES,
    author: text("author"),
    isListed: true,
    status: isThere ? "verified" : "no-file-found",
    ownsFolder: isWorkflow ? ownsFolderOf(file) : baseName(folder) === id,
    displayName: isAgent ? text("displayName") : undefined,
    title: isAgent ? text("title") : text("displayName") ?? (id === name ? undefined : name),
    icon: text("icon"),
    description: text("description") ?? text("title") ?? "",
    phase: isWorkflow ? phaseOf(file) : undefined,
    persona: isAgent ? rowPersona(text) : undefined,
    isBrief: true,
    help,
  };
}

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

/** How many files with a folder of their own are looked up one by one; beyond that, an existing folder is enough. */
const MAX_ASKED = 2_000;

const OWN_FOLDER = /\/workflow\b[^/]*$/;

/**
 * Whether files exist. Many in one folder are seen in its listing; one in a folder of its own is asked for, unless a
 * manifest lists thousands: then a full scan finds out which of them are missing.
 */
function existenceIn(tree: Tree): (file: string) => boolean {
  const folders = new Map<string, ReadonlySet<string>>();
  const foldersOf = (parent: string) =>
    new Set(tree.list(parent).filter(({ isDirectory }) => isDirectory).map(({ name }) => name));
  const seen = new Set<string>();
  return (file) => {
    const folder = parentPath(file);
    const { size } = seen;
    const isFirst = seen.add(folder).size > size;
    if (!OWN_FOLDER.test(file) || !isFirst) tree.list(folder);
    else if (size >= MAX_ASKED) {
      return folders.getOrInsertComputed(parentPath(folder), foldersOf).has(baseName(folder));
    }
    return tree.hasFile(file);
  };
}

function moduleCodes(tree: Tree, root: string, listed: readonly string[]): readonly string[] {
  const folders = tree.list(root).filter(({ name, isDirectory }) =>
    isDirectory && !NOT_MODULES.has(name) && !name.startsWith(".") && holdsItems(tree, joinPath(root, name))
  );
  return [...new Set([...listed, ...folders.map(({ name }) => name)])];
}

/** The short names of the skills that the same root lists. */
function skillNames(tree: Tree, root: string): ReadonlySet<string> {
  const rows = readParsed(tree, joinPath(root, SKILL_MANIFEST), parseTable, []) ?? [];
  return new Set(rows.map((row) => shortName(row["canonicalId"] ?? "", row["module"] ?? "")));
}
