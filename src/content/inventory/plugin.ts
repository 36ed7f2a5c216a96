/**
 * Repositories of plugins: `.claude-plugin/marketplace.json` lists the folders of skills.
 *
 * Read only where no module is described; a repository that has a `module.yaml` says more about itself.
 */
import { asText, asTexts, asValues, parseYaml } from "../parse.ts";
import { joinPath, normalizePath } from "../tree/mod.ts";
import { noFindings, type Reader, readParsed } from "./layout.ts";
import { SKILL_FILE } from "./module_files.ts";
import { PLUGIN_FILE } from "./roots.ts";
import { readSkill } from "./skill.ts";

export const plugin: Reader = {
  generation: "skills",
  read: (tree, root) => {
    const findings = noFindings();
    // JSON is YAML.
    const listed = readParsed(tree, joinPath(root, PLUGIN_FILE), parseYaml, findings.diagnostics)
      ?.["plugins"];
    for (const entry of (Array.isArray(listed) ? listed : []).map(asValues)) {
      const module = asText(entry["name"]) ?? "plugin";
      const version = asText(entry["version"]);
      findings.modules.push({
        code: module,
        name: module,
        description: asText(entry["description"]) ?? "",
        version,
      });
      for (const path of asTexts(entry["skills"])) {
        const folder = normalizePath(joinPath(root, path));
        if (folder === undefined || tree.stat(joinPath(folder, SKILL_FILE)) === undefined) {
          const message = `the plugin lists ${path}, which is no skill`;
          findings.diagnostics.push({ level: "warning", code: "no-file-found", message, path: PLUGIN_FILE });
          continue;
        }
        const context = { module, version, status: "verified", place: folder, help: new Map() } as const;
        const skill = readSkill(tree, folder, context, findings.diagnostics);
        findings.items.push(skill);
        findings.mounts.push({ at: `${module}/${skill.id}`, path: folder });
      }
    }
    return findings;
  },
};
