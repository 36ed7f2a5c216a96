/**
 * Installations of the skills generation (6.2.1–6.12): a root with `_config/skill-manifest.csv`.
 *
 * The manifest names every skill by a path into the root, but from 6.3 on the files lie only in the skill folders of
 * the coding tools (`.claude/skills`, `.agents/skills`, …) beside the root. So a skill is looked for there first, then
 * below the root. Skills in these folders that no manifest lists are left over from upgrades, or not BMAD's, and are
 * left alone, unless the manifest is broken.
 */
import { CONFIG_LAYERS } from "../../base/model.ts";
import { joinPath, parentPath, type Tree } from "../tree/mod.ts";
import { HELP_FILE, SKILL_FILE, SKILL_MANIFEST } from "./file_names.ts";
import { hasFile, ideFolders } from "./folders.ts";
import { helpBySkill, parseHelp } from "./help_catalog.ts";
import { moduleOf, type Reader, reportMissing } from "./layout.ts";
import { type Installation, readInstallation } from "./installation.ts";
import { asValues, parseTable, parseToml, type Values } from "../parse.ts";
import { addSkill, missingSkill } from "./skill.ts";
import { unlistedSkills } from "./unlisted_skills.ts";

export const installedSkills: Reader = (tree, root) => {
  const installation = readInstallation(tree, root);
  const { version, modules, ides, findings, read } = installation;
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
    const context = {
      module,
      version,
      help,
      modulePath,
      description: row["description"],
      rosterOf,
      isListed,
    };
    const folder = findSkill(tree, [...folders.map((ide) => joinPath(ide, id)), folderInRoot(root, path)]);
    if (folder === undefined) findings.items.push(missingSkill(id, context, path));
    else addSkill(findings, tree, folder, context, id);
  }
  for (const code of new Set([...modules, ...findings.items.map((item) => item.module)])) {
    findings.modules.push(moduleOf(code, version));
  }
  reportMissing(findings, "skills in the manifest", joinPath(root, SKILL_MANIFEST));
  return findings;
};

/** The rows of the skill manifest. If it is missing or broken, what is on disk completes them. */
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
    diagnostics.push({ level: "warning", code: "broken-manifest", message, path });
  }
  return [
    ...whole.map((row) => ({ row, isListed: true })),
    ...unlisted.map((row) => ({ row, isListed: false })),
  ];
}

/** `_bmad/bmm/plan/bmad-prd/SKILL.md` → `bmm/plan/bmad-prd` below the root, whatever its present name is. */
function folderInRoot(root: string, manifestPath: string): string {
  return joinPath(root, parentPath(manifestPath.split("/").slice(1).join("/")));
}

/** The first of several folders that holds a skill. A row must not lead out of the skill folders or the root. */
function findSkill(tree: Tree, folders: readonly string[]): string | undefined {
  return folders.filter((folder) => !folder.split(/[\\/]/).includes(".."))
    .find((folder) => hasFile(tree, folder, SKILL_FILE));
}

/** The folders of the configured tools first; most tools share `.agents/skills`, so it comes next. */
function byIde(folders: readonly string[], ides: readonly string[]): readonly string[] {
  const isConfigured = (folder: string) => ides.some((ide) => ide.startsWith(parentPath(folder).slice(1)));
  const order = (folder: string) => isConfigured(folder) ? 0 : folder === ".agents/skills" ? 1 : 2;
  return folders.toSorted((a, b) => order(a) - order(b));
}

/** Agents by id, as the four layers of the installation's configuration describe them. */
function readRoster(read: Installation["read"]): ReadonlyMap<string, Values> {
  const layers = CONFIG_LAYERS.map((name) => asValues(read(name, parseToml)?.["agents"]));
  const roster = new Map<string, Values>();
  for (const [id, values] of layers.flatMap((agents) => Object.entries(agents))) {
    roster.set(id, { ...roster.get(id), ...asValues(values) });
  }
  return roster;
}
