/** Installations of 6.2.1–6.12. From 6.3 on, skills lie only in the folders of the coding tools, not where rows say. */
import { CONFIG_LAYERS, NO_MODULE } from "../../base/model.ts";
import { baseName, joinPath, parentPath, type Tree } from "../tree/mod.ts";
import { FILES_MANIFEST, hasFile, HELP_FILE, ideFolders, keepsSkills, looseSkillIds } from "./folders.ts";
import { SKILL_FILE, SKILL_MANIFEST, skillFolders } from "./folders.ts";
import { helpBySkill, parseHelp } from "./help_catalog.ts";
import { type Installation, moduleOf, type Reader, readInstallation, reportMissing, warn } from "./layout.ts";
import { asText, asValues, parseTable, parseToml, type Values } from "../parse.ts";
import { addSkill, missingSkill } from "./skill.ts";

export const installedSkills: Reader = (tree, root) => {
  const installation = readInstallation(tree, root);
  const { versionOf, modules, ides, findings, read } = installation;
  const own = modules.flatMap((code) => read(joinPath(code, HELP_FILE), parseHelp) ?? []);
  // The merged file has more defects than the modules' own.
  const help = helpBySkill(own.length > 0 ? own : read("_config/bmad-help.csv", parseHelp) ?? []);
  let roster: ReadonlyMap<string, Values> | undefined;
  const rosterOf = (id: string) => (roster ??= readRoster(read)).get(id);
  const folders = byIde(ideFolders(tree), ides);
  const seen = new Set<string>();
  for (const { row, isListed } of readRows(tree, root, installation, (id) => rosterOf(id)?.["module"])) {
    const id = row["canonicalId"] || row["name"] || "";
    const module = row["module"] ?? "";
    if (id === "" || seen.has(`${module}/${id}`)) continue;
    seen.add(`${module}/${id}`);
    const path = row["path"] ?? "";
    const modulePath = parentPath(path).split("/").slice(2).join("/");
    const { description } = row;
    const context = { module, version: versionOf(module), help, modulePath, description, rosterOf, isListed };
    const folder = findSkill(tree, [...folders.map((ide) => joinPath(ide, id)), folderInRoot(root, path)]);
    if (folder === undefined) findings.items.push(missingSkill(id, context, path));
    else addSkill(findings, tree, folder, context, id);
  }
  for (const code of new Set([...modules, ...findings.items.map((item) => item.module)])) {
    findings.modules.push(moduleOf(code, versionOf(code)));
  }
  reportMissing(findings, "skills in the manifest", joinPath(root, SKILL_MANIFEST));
  return findings;
};

function readRows(
  tree: Tree,
  root: string,
  installation: Installation,
  moduleInRoster: (id: string) => unknown,
): readonly { readonly row: Readonly<Record<string, string>>; readonly isListed: boolean }[] {
  const { findings: { diagnostics }, config, readManifest } = installation;
  const before = diagnostics.length;
  const rows = readManifest(SKILL_MANIFEST, parseTable) ?? [];
  const isBroken = diagnostics.slice(before).some(({ code }) => code === "broken-manifest");
  if (!isBroken && rows.length > 0) return rows.map((row) => ({ row, isListed: true }));
  const whole = rows.filter((row) => row["module"] && row["path"]?.endsWith(SKILL_FILE));
  const known = new Set(whole.map((row) => row["canonicalId"]));
  const unlisted = unlistedSkills(tree, root, installation, moduleInRoster)
    .filter(({ canonicalId }) => !known.has(canonicalId));
  const path = joinPath(root, SKILL_MANIFEST);
  const isReported = isBroken || unlisted.length === 0 || tree.unreadable().includes(path) ||
    tree.list(joinPath(root, config)).length === 0;
  if (!isReported) {
    const isMissing = tree.stat(path) === undefined;
    const message = isMissing ? "the file is missing" : "the file lists no skills";
    warn(diagnostics, "broken-manifest", path, message);
  }
  return [
    ...whole.map((row) => ({ row, isListed: true })),
    ...unlisted.map((row) => ({ row, isListed: false })),
  ];
}

/** `_bmad/bmm/plan/bmad-prd/SKILL.md` → `bmm/plan/bmad-prd` below the root, whatever that is called now. */
function folderInRoot(root: string, manifestPath: string): string {
  return joinPath(root, parentPath(manifestPath.split("/").slice(1).join("/")));
}

/** A row must not lead out of the skill folders or the root. */
function findSkill(tree: Tree, folders: readonly string[]): string | undefined {
  return folders.filter((folder) => !folder.split(/[\\/]/).includes(".."))
    .find((folder) => hasFile(tree, folder, SKILL_FILE));
}

function byIde(folders: readonly string[], ides: readonly string[]): readonly string[] {
  const isConfigured = (folder: string) => ides.some((ide) => ide.startsWith(parentPath(folder).slice(1)));
  const order = (folder: string) => isConfigured(folder) ? 0 : folder === ".agents/skills" ? 1 : 2;
  return folders.toSorted((a, b) => order(a) - order(b));
}

function readRoster(read: Installation["read"]): ReadonlyMap<string, Values> {
  const layers = CONFIG_LAYERS.map((name) => asValues(read(name, parseToml)?.["agents"]));
  // Before 6.4 there is only the manifest of agents.
  const rows = read("_config/agent-manifest.csv", parseTable) ?? [];
  const roster = new Map<string, Values>(
    rows.map((row) => [row["name"] ?? "", { ...row, name: row["displayName"] }]),
  );
  for (const [id, values] of layers.flatMap((agents) => Object.entries(agents))) {
    roster.set(id, { ...roster.get(id), ...asValues(values) });
  }
  return roster;
}

type Row = Readonly<Record<"canonicalId" | "module" | "path", string>>;

/** Files beat a broken list. A module comes from the list of files, the root, the help, or the roster. */
function unlistedSkills(
  tree: Tree,
  root: string,
  { modules, read }: Pick<Installation, "modules" | "read">,
  moduleInRoster: (id: string) => unknown,
): readonly Row[] {
  const rowOf = (folder: string): Row => ({
    canonicalId: baseName(folder),
    module: folder.split("/")[0]!,
    path: `${root}/${folder}/${SKILL_FILE}`,
  });
  const inRoot = modules.flatMap((code) => [...skillFolders(tree, joinPath(root, code))])
    .map((folder) => rowOf(root === "" ? folder : folder.slice(root.length + 1)));
  if (keepsSkills(tree, root)) return inRoot;
  const files = (read(FILES_MANIFEST, parseTable) ?? []).map((row) => row["path"] ?? "")
    .filter((path) => path.endsWith(`/${SKILL_FILE}`)).map((path) => rowOf(parentPath(path)));
  const listed = new Map(files.map((row) => [row.canonicalId, row]));
  const inHelp = new Map(
    modules.flatMap((code) =>
      (read(joinPath(code, HELP_FILE), parseHelp) ?? []).map(({ skill }) => [skill, code])
    ),
  );
  const ids = ideFolders(tree).flatMap((folder) =>
    [
      ...looseSkillIds(tree, folder, "project"),
      ...[...listed.keys(), ...inHelp.keys()].filter((id) => hasFile(tree, joinPath(folder, id), SKILL_FILE)),
    ].filter((id) => tree.stat(joinPath(folder, id, SKILL_FILE))?.size !== 0)
  );
  const known = new Set(inRoot.map(({ canonicalId }) => canonicalId));
  const elsewhere = [...new Set(ids)].filter((id) => !known.has(id)).sort().map((id) => {
    const module = inHelp.get(id) ?? asText(moduleInRoster(id)) ?? NO_MODULE;
    return listed.get(id) ?? rowOf(`${module}/${id}`);
  });
  return [...inRoot, ...elsewhere];
}
