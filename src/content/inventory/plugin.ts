/**
 * Plugin repositories: `.claude-plugin/marketplace.json` lists the folders of skills.
 *
 * Read only where nothing else was recognised: a repository with a `module.yaml` says more about itself.
 */
import { asText, asTexts, asValues, parseYaml } from "../parse.ts";
import { joinPath, normalizePath } from "../tree/mod.ts";
import { PLUGIN_FILE, SKILL_FILE } from "./file_names.ts";
import { hasFile } from "./folders.ts";
import { moduleOf, noFindings, type Reader, readParsed } from "./layout.ts";
import { addSkill } from "./skill.ts";

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
