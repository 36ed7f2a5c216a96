/** Installations of 6.0 alphas to 6.2.0, whose manifests are believed: opening thousands of files takes too long. */
import { type Diagnostic, type HelpRow, type Item, type Kind, shortName } from "../../base/model.ts";
import { cachedWith } from "../../base/cache.ts";
import { slug } from "../../base/values.ts";
import { LIMITS } from "../limits.ts";
import { parseCsv, parseTable } from "../parse.ts";
import { baseName, joinPath, normalizePath, parentPath, type Tree } from "../tree/mod.ts";
import { phaseOf, readModuleFolder, readRenamed } from "./module_folder.ts";
import { decodeEntities } from "./agent_file.ts";
import { hasFile, HELP_FILE, holdsItems, ideFolders, keepsSkills, ownsFolderOf } from "./folders.ts";
import { ownSkills, SKILL_FILE, SKILL_MANIFEST, workflowIn } from "./folders.ts";
import { parseHelpByFile } from "./help_catalog.ts";
import { composed, moduleOf, personaOf, type Reader, stemOf } from "./layout.ts";
import { readInstallation, readParsed, reportMissing, warn } from "./layout.ts";
import { addSkill } from "./skill.ts";

export const MANIFESTS: readonly (readonly [file: string, kind: Kind])[] = [
  ["agent-manifest.csv", "agent"],
  ["workflow-manifest.csv", "workflow"],
  ["task-manifest.csv", "task"],
  ["tool-manifest.csv", "tool"],
];

const NOT_MODULES = new Set(["_cfg", "_config", "_memory", "docs", "custom", "scripts", "render"]);

export const compiled: Reader = (tree, root) => {
  const { version, modules, config, findings, read } = readInstallation(tree, root);
  const { diagnostics } = findings;
  const exists = existenceIn(tree);
  const rows = modules.flatMap((code) => [...read(joinPath(code, HELP_FILE), parseHelpByFile) ?? []]);
  // By file: the command of a row may not exist.
  const help = new Map(rows.map(([file, row]) => [joinPath(root, file.slice(file.indexOf("/") + 1)), row]));
  const listed = new Set<string>();
  const skills = skillNames(tree, root);
  for (const named of readRows(tree, joinPath(root, config), root, diagnostics)) {
    const file = fileOf(tree, named, skills);
    // Some installers wrote a row several times.
    if (file === undefined || listed.has(file)) continue;
    listed.add(file);
    const isThere = exists(file);
    if (named.kind === "workflow" && isThere && ownsFolderOf(file)) listed.add(parentPath(file));
    findings.items.push(rowItem({ ...named, file }, version, isThere, help.get(file)));
  }
  reportMissing(findings, "rows in the manifests", joinPath(root, config));

  const tools = keepsSkills(tree, root) ? ideFolders(tree) : [];
  const takeModule = (folder: string, module: string) => {
    findings.modules.push(moduleOf(module, version));
    const notAgents = ["prose"] as const;
    const found = readModuleFolder({ tree, folder, module, version, notAgents, listed, diagnostics });
    // An upgrade replaced a workflow with the name of a skill and left its files behind.
    const isUnlisted = (id: string) => !skills.has(shortName(id, module));
    const own = { ...findings, items: found.filter(({ id }) => isUnlisted(id)) };
    for (const path of ownSkills(tree, folder)) {
      // An installer's skill has copies in the folders of the coding tools.
      const isCopied = tools.some((tool) => hasFile(tree, joinPath(tool, baseName(path)), SKILL_FILE));
      if (isCopied || !isUnlisted(baseName(path))) continue;
      addSkill(own, tree, path, { module, version, modulePath: baseName(path) });
    }
    findings.items.push(
      ...own.items.map((item): Item => item.kind === "team" ? item : { ...item, status: "not-in-manifest" }),
    );
  };
  for (const code of moduleCodes(tree, root, modules)) takeModule(joinPath(root, code), composed(code));
  if (holdsItems(tree, root)) takeModule(root, "standalone");
  const lists = tree.list(joinPath(root, config)).map(({ name }) => name);
  for (
    const [name, kind] of lists.some((one) => one.endsWith("-manifest.csv")) ? MANIFESTS.slice(0, 2) : []
  ) {
    const isUnlisted = (item: Item) => item.kind === kind && item.status === "not-in-manifest";
    // From 6.1 on, other items are in the manifest of skills.
    if (
      lists.includes(name) || lists.includes("skill-manifest.csv") || !findings.items.some(isUnlisted)
    ) continue;
    warn(diagnostics, "broken-manifest", joinPath(root, config, name), "the file is missing");
  }
  return { ...findings, renamed: readRenamed(tree, root) };
};

interface ManifestRow {
  readonly kind: Kind;
  readonly file: string;
  text(column: string): string | undefined;
}

/** Kept for the scan: a large installation is counted first and read later. */
const manifestsOf = cachedWith((_: Tree) => new Map<string, ManifestFile>());

interface ManifestFile {
  readonly rows: readonly (readonly string[])[];
  readonly problems: readonly Diagnostic[];
}

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

/** Undefined for a skill: the skill manifest lists it. In 6.3 its folder is a coding tool's alone. */
function fileOf(tree: Tree, { kind, file: named, text }: ManifestRow, skills: ReadonlySet<string>) {
  if (/\.\w+$/.test(named)) return named;
  if (tree.hasFile(joinPath(named, SKILL_FILE))) return undefined;
  const inside = joinPath(named, baseName(named));
  const isSkill = skills.has(shortName(baseName(named), text("module") ?? ""));
  return (kind === "workflow" ? workflowIn(tree, named) : undefined) ??
    [named, inside].flatMap((stem) => [`${stem}.md`, `${stem}.xml`, `${stem}.yaml`]).find(tree.hasFile) ??
    (isSkill ? undefined : named);
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
  // One literal: there may be thousands, and objects that grow take twice the memory.
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
    persona: isAgent ? personaOf(Object.fromEntries(PERSONA.map((key) => [key, text(key)]))) : undefined,
    isBrief: true,
    help,
  };
}

const PERSONA = ["role", "identity", "communicationStyle", "principles", "capabilities"];

/** Looked up, unless there are thousands with a folder: then only a full scan finds one missing. */
function existenceIn(tree: Tree): (file: string) => boolean {
  const folders = new Map<string, ReadonlySet<string>>();
  const foldersOf = (parent: string) =>
    new Set(tree.list(parent).filter(({ isDirectory }) => isDirectory).map(({ name }) => name));
  const seen = new Set<string>();
  return (file) => {
    const folder = parentPath(file);
    if (!/\/workflow\b[^/]*$/.test(file) || seen.has(folder)) tree.list(folder);
    else if (seen.size >= LIMITS.roots.lookups) {
      return folders.getOrInsertComputed(parentPath(folder), foldersOf).has(baseName(folder));
    }
    seen.add(folder);
    return tree.hasFile(file);
  };
}

function moduleCodes(tree: Tree, root: string, listed: readonly string[]): readonly string[] {
  const folders = tree.list(root).filter(({ name, isDirectory }) =>
    isDirectory && !NOT_MODULES.has(name) && !name.startsWith(".") && holdsItems(tree, joinPath(root, name))
  );
  return [...new Set([...listed, ...folders.map(({ name }) => name)])];
}

function skillNames(tree: Tree, root: string): ReadonlySet<string> {
  const rows = readParsed(tree, joinPath(root, SKILL_MANIFEST), parseTable, []) ?? [];
  return new Set(rows.map((row) => shortName(row["canonicalId"] ?? "", row["module"] ?? "")));
}
