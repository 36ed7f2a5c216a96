/**
 * Sources of the compiled generation: modules whose agents are `*.agent.yaml`, from the 6.0 alphas to 6.2.0.
 *
 * `src/core` and `src/modules/*`, later `src/core` and `src/bmm`, or a repository that is one module. Without a
 * manifest, samples inside the modules are recognised by the folders they lie in, and skipped.
 */
import { asText, parseYaml } from "../parse.ts";
import { baseName, joinPath } from "../tree/mod.ts";
import { MODULE_FILE, OLD_MODULE_FILE } from "./file_names.ts";
import { moduleOf, noFindings, packageVersion, type Reader, readParsed } from "./layout.ts";
import { partMounts } from "./module_files.ts";
import { readModuleFolder } from "./module_folder.ts";

export const sourceModules: Reader = (tree, root) => {
  const version = packageVersion(tree);
  const findings = noFindings(version);
  const { diagnostics } = findings;
  const facts = readParsed(tree, joinPath(root, MODULE_FILE), parseYaml, diagnostics) ??
    readParsed(tree, joinPath(root, OLD_MODULE_FILE), parseYaml, diagnostics) ?? {};
  const module = asText(facts["code"]) ?? (baseName(root) || "custom");
  findings.modules.push(moduleOf(module, version, facts));
  findings.items.push(...readModuleFolder({
    tree,
    folder: root,
    module,
    version,
    notAgents: ["prose", "described"],
    diagnostics,
  }));
  // Of a repository that is one module, only the module's own folders are served.
  findings.mounts.push(
    ...(root === ""
      ? [...partMounts(module, root), { at: `${module}/${OLD_MODULE_FILE}`, path: OLD_MODULE_FILE }]
      : [{ at: module, path: root }]),
  );
  return findings;
};
