/** Skills without an installation: source trees, plugin repositories, and loose skills among other people's. */
import { type Diagnostic, type Mount, NO_MODULE } from "../../base/model.ts";
import { baseName, joinPath, normalizePath, parentPath, type Tree } from "../tree/mod.ts";
import { HELP_FILE, MODULE_FILE, PLUGIN_FILE, SKILL_FILE } from "./file_names.ts";
import { hasFile, looseSkillIds, skillFolders } from "./folders.ts";
import { helpBySkill, parseHelp } from "./help_catalog.ts";
import { moduleOf, noFindings, packageVersion, type Reader, readParsed } from "./layout.ts";
import { asText, asTexts, asValues, parseFrontMatter, parseYaml } from "../parse.ts";
import { addSkill } from "./skill.ts";

/** BMAD's own repositories and packages, and our embedded content. Without a manifest, everything on disk counts. */
export const sourceTree: Reader = (tree, root) => {
  const version = packageVersion(tree);
  const findings = noFindings(version);
  const { diagnostics } = findings;
  const facts = readParsed(tree, joinPath(root, MODULE_FILE), parseYaml, diagnostics) ?? {};
  const module = asText(facts["code"]) ?? "custom";
  findings.modules.push(moduleOf(module, version, facts));
  findings.mounts.push(...moduleMounts(module, root), ...scriptMounts(tree, root));

  const help = helpBySkill(readParsed(tree, joinPath(root, HELP_FILE), parseHelp, diagnostics) ?? []);
  const agents = Array.isArray(facts["agents"]) ? facts["agents"].map(asValues) : [];
  const roster = new Map(agents.map(({ code, description }) => [asText(code), asText(description) ?? ""]));
  for (const folder of skillFolders(tree, root)) {
    const modulePath = root === "" ? folder : folder.slice(root.length + 1);
    const description = roster.get(baseName(folder));
    addSkill(findings, tree, folder, { module, version, modulePath, help, description });
  }
  return findings;
};

/** Of a repository that is one module, only files that are certainly the module's. */
function moduleMounts(module: string, root: string): readonly Mount[] {
  if (root !== "") return [{ at: module, path: root }];
  return [MODULE_FILE, HELP_FILE].map((name) => ({ at: `${module}/${name}`, path: name }));
}

function scriptMounts(tree: Tree, root: string): readonly Mount[] {
  const path = joinPath(parentPath(root), "scripts");
  return hasFile(tree, path, "resolve_config.py") ? [{ at: "scripts", path }] : [];
}

/** Used only where nothing else was recognised: a repository with a `module.yaml` says more about itself. */
export const plugin: Reader = (tree, root) => {
  const findings = noFindings();
  const { diagnostics } = findings;
  // JSON is YAML.
  const plugins = readParsed(tree, joinPath(root, PLUGIN_FILE), parseYaml, diagnostics)?.["plugins"];
  for (const entry of (Array.isArray(plugins) ? plugins : []).map(asValues)) {
    const module = asText(entry["name"]) ?? "plugin";
    const version = asText(entry["version"]);
    findings.modules.push(moduleOf(module, version, entry));
    for (const path of asTexts(entry["skills"])) {
      const folder = normalizePath(joinPath(root, path));
      if (folder !== undefined && hasFile(tree, folder, SKILL_FILE)) {
        addSkill(findings, tree, folder, { module, version, modulePath: folder, isListed: true });
        continue;
      }
      const message = `the plugin lists ${path}, which is not a skill`;
      diagnostics.push({ level: "warning", code: "no-file-found", message, path: PLUGIN_FILE });
    }
  }
  return findings;
};

/** A skill must give its folder's name and a description, unless its front matter is broken. */
export const looseSkills: Reader = (tree, root, use) => {
  const findings = noFindings();
  for (const id of looseSkillIds(tree, root, use)) {
    const folder = joinPath(root, id);
    const problems: Diagnostic[] = [];
    const front = readParsed(tree, joinPath(folder, SKILL_FILE), parseFrontMatter, problems) ?? {};
    const isDescribed = asText(front["name"]) === id && asText(front["description"]) !== undefined;
    if (!isDescribed && problems.length === 0) {
      const message = "skipped: the front matter must contain the folder's name and a description";
      findings.diagnostics.push({ level: "info", code: "not-a-skill", message, path: folder });
      continue;
    }
    addSkill(findings, tree, folder, { module: NO_MODULE, modulePath: id });
  }
  if (findings.items.length > 0) {
    findings.modules.push({ code: NO_MODULE, name: "Skills", description: "" });
  }
  return findings;
};
