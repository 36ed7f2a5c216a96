/**
 * Installations of the skills generation (6.2.1–6.12): a root with `_config/skill-manifest.csv`.
 *
 * The manifest names every skill by a path into the root, but from 6.3 on the bodies lie only in the skill
 * folders of the IDEs (`.claude/skills`, `.agents/skills`, …) beside the root. A skill is therefore looked for
 * in the IDE folders first, then below the root. Skills in IDE folders that no manifest lists are leftovers of
 * upgrades, or not BMAD's, and are left alone.
 */
import { CONFIG_LAYERS, type Diagnostic, type HelpRow } from "../../base/model.ts";
import { joinPath, parentPath, type Tree } from "../tree/mod.ts";
import { HELP_FILE, helpBySkill, parseHelp } from "./help_catalog.ts";
import { type Findings, type Reader, readParsed } from "./layout.ts";
import { readInstallation } from "./installation.ts";
import { SKILL_FILE } from "./module_files.ts";
import { ideFolders, SKILL_MANIFEST } from "./roots.ts";
import { asValues, parseTable, parseToml, type Values } from "../parse.ts";
import { missingSkill, readSkill, type SkillContext } from "./skill.ts";

export const installedSkills: Reader = {
  generation: "skills",
  read: (tree, root) => {
    const { version, modules, ides, findings } = readInstallation(tree, root);
    const { diagnostics } = findings;

    const help = readHelp(tree, root, modules, diagnostics);
    let roster: ReadonlyMap<string, Values> | undefined;
    const rosterOf = (id: string) => (roster ??= readRoster(tree, root, diagnostics)).get(id);
    const folders = [...byIde(ideFolders(tree), ides), ""];
    const rows = readParsed(tree, joinPath(root, SKILL_MANIFEST), parseTable, diagnostics) ?? [];
    const seen = new Set<string>();
    for (const row of rows) {
      const id = row["canonicalId"] || row["name"] || "";
      const module = row["module"] ?? "";
      if (id === "" || seen.has(`${module}/${id}`)) continue;
      seen.add(`${module}/${id}`);
      addSkill(tree, root, findings, folders, {
        id,
        manifestPath: row["path"] ?? "",
        context: {
          module,
          version,
          help,
          status: "verified",
          place: placeOf(row["path"]),
          description: row["description"],
          rosterOf,
        },
      });
    }
    for (const code of new Set([...modules, ...findings.items.map((item) => item.module)])) {
      findings.modules.push({ code, name: code, description: "", version });
    }
    const missing = findings.items.filter((item) => item.status === "no-file-found");
    if (missing.length > 0) {
      const message = `${missing.length} of ${findings.items.length} skills in the manifest have no file`;
      diagnostics.push({
        level: "warning",
        code: "no-file-found",
        message,
        path: joinPath(root, SKILL_MANIFEST),
      });
    }
    return findings;
  },
};

interface ListedSkill {
  readonly id: string;
  readonly manifestPath: string;
  readonly context: SkillContext;
}

function addSkill(
  tree: Tree,
  root: string,
  findings: Findings,
  folders: readonly string[],
  skill: ListedSkill,
): void {
  const inRoot = joinPath(root, parentPath(skill.manifestPath.split("/").slice(1).join("/")));
  // A row may name only what lies in the skill folders or the root.
  const isPlain = (path: string) => !path.split(/[\\/]/).includes("..");
  const folder = folders.map((ide) => ide === "" ? inRoot : joinPath(ide, skill.id)).filter(isPlain)
    .find((candidate) => tree.stat(joinPath(candidate, SKILL_FILE)) !== undefined);
  if (folder === undefined) {
    findings.items.push(missingSkill(skill.id, skill.context, skill.manifestPath));
    return;
  }
  findings.items.push(readSkill(tree, folder, skill.context, findings.diagnostics));
  findings.mounts.push({ at: `${skill.context.module}/${skill.id}`, path: folder });
}

/** `_bmad/bmm/plan/bmad-prd/SKILL.md` → `plan/bmad-prd`. */
function placeOf(manifestPath: string | undefined): string {
  return parentPath(manifestPath ?? "").split("/").slice(2).join("/");
}

/** The folders of the configured IDEs first; most IDEs share `.agents/skills`, so it comes next. */
function byIde(folders: readonly string[], ides: readonly string[]): readonly string[] {
  const isConfigured = (folder: string) => ides.some((ide) => ide.startsWith(parentPath(folder).slice(1)));
  const order = (folder: string) => isConfigured(folder) ? 0 : folder === ".agents/skills" ? 1 : 2;
  return folders.toSorted((a, b) => order(a) - order(b));
}

/** Agents by id, as the four layers of the installation's configuration describe them. */
function readRoster(tree: Tree, root: string, diagnostics: Diagnostic[]): ReadonlyMap<string, Values> {
  const layers = CONFIG_LAYERS.map((name) =>
    readParsed(tree, joinPath(root, name), parseToml, diagnostics) ?? {}
  );
  const roster = new Map<string, Values>();
  for (const [id, values] of layers.flatMap((layer) => Object.entries(asValues(layer["agents"])))) {
    roster.set(id, { ...roster.get(id), ...asValues(values) });
  }
  return roster;
}

/** Help rows by skill, from each module's own file and else from the merged one, which has more defects. */
function readHelp(
  tree: Tree,
  root: string,
  modules: readonly string[],
  diagnostics: Diagnostic[],
): ReadonlyMap<string, HelpRow> {
  const own = modules.flatMap((code) =>
    readParsed(tree, joinPath(root, code, HELP_FILE), parseHelp, diagnostics) ?? []
  );
  const rows = own.length > 0
    ? own
    : readParsed(tree, joinPath(root, "_config/bmad-help.csv"), parseHelp, diagnostics) ?? [];
  return helpBySkill(rows);
}
