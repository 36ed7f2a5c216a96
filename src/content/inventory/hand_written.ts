/**
 * Roots that no installer created: `bmad/bmm/agents/architect.md` to override one agent, or a flat `~/.bmad/agents/x.md`.
 *
 * A folder with `agents`, `workflows`, `tasks` or `skills` in it is a module, named after the folder. A root that has
 * these itself is flat: its items belong to the module `custom`, unless the root is a module's own folder. Every Markdown
 * file in `agents` is an agent: people who write one by hand need not know the compiled form.
 */
import { baseName, joinPath, type Tree } from "../tree/mod.ts";
import { readRenamed } from "./agent_changes.ts";
import { CONFIG_FOLDERS, CUSTOM_FILES, MODULE_FILE } from "./file_names.ts";
import { configFolders, folderName, hasFile, hasRootName, modulesIn, ownSkills } from "./folders.ts";
import { composed, moduleOf, noFindings, type Reader } from "./layout.ts";
import { partMounts } from "./module_files.ts";
import { readModuleFolder } from "./module_folder.ts";
import { addSkill } from "./skill.ts";

export const handWritten: Reader = (tree, root) => {
  const findings = noFindings();
  const { diagnostics } = findings;
  findings.mounts.push(...CUSTOM_FILES.map((name) => ({ at: name, path: joinPath(root, name) })));
  for (const folder of modulesIn(tree, root)) {
    const module = composed(folder === root ? flatModule(tree, root) : baseName(folder));
    findings.modules.push(moduleOf(module));
    findings.items.push(
      ...readModuleFolder({ tree, folder, module, notAgents: [], takesUnnamed: true, diagnostics }),
    );
    for (const path of ownSkills(tree, folder)) {
      addSkill(findings, tree, path, { module, modulePath: baseName(path) });
    }
    // In a root with a BMAD name, the whole module is BMAD's; elsewhere the user's own files may lie beside it.
    findings.mounts.push(
      ...(root !== "" && folder !== root ? [{ at: module, path: folder }] : partMounts(module, folder)),
    );
  }
  findings.mounts.push(
    ...configFolders(tree, root).map((folder) => {
      const path = joinPath(folder, "config.yaml");
      return { at: `${baseName(folder)}/config.yaml`, path };
    }),
  );
  findings.mounts.push(
    ...CONFIG_FOLDERS.map((folder) => {
      const path = joinPath(root, folder, "agents");
      return { at: "_config/agents", path };
    }).filter(({ path }) => tree.list(path).length > 0),
  );
  return { ...findings, renamed: readRenamed(tree, root) };
};

/** A module's own folder has the module's configuration in it; any other flat root is the module `custom`. */
function flatModule(tree: Tree, root: string): string {
  // A BMAD folder may hold the configuration of all modules.
  const isModule = !hasRootName(tree, root) &&
    ["config.yaml", MODULE_FILE].some((name) => hasFile(tree, root, name));
  return isModule ? folderName(tree, root) : "custom";
}
