/**
 * Roots that no installer made: `bmad/bmm/agents/architect.md` to override one agent, or a flat `~/.bmad/agents/x.md`.
 *
 * A folder with `agents`, `workflows`, `tasks` or `skills` in it is a module, named after itself; a root that has
 * these itself is flat, and its things belong to the module `custom` unless the root is a module's own folder.
 * Any Markdown file in `agents` is an agent: who writes one by hand need not know the compiled form.
 */
import { baseName, joinPath, type Tree } from "../tree/mod.ts";
import { noFindings, type Reader } from "./layout.ts";
import { partMounts } from "./module_files.ts";
import { readModuleFolder } from "./module_folder.ts";
import { CUSTOM_FILES, MODULE_FILE, modulesIn, skillFolders } from "./roots.ts";
import { readSkill } from "./skill.ts";

export const handWritten: Reader = {
  generation: "v6",
  read: (tree, root) => {
    const findings = noFindings();
    findings.mounts.push(...CUSTOM_FILES.map((name) => ({ at: name, path: joinPath(root, name) })));
    for (const folder of modulesIn(tree, root)) {
      const module = folder === root ? flatModule(tree, root) : baseName(folder);
      findings.modules.push({ code: module, name: module, description: "" });
      findings.items.push(
        ...readModuleFolder({ tree, folder, module, takesProse: true, diagnostics: findings.diagnostics }),
      );
      for (const path of skillFolders(tree, joinPath(folder, "skills"))) {
        const context = { module, status: "verified", place: baseName(path), help: new Map() } as const;
        findings.items.push(readSkill(tree, path, context, findings.diagnostics));
        findings.mounts.push({ at: `${module}/${baseName(path)}`, path });
      }
      // In a root that is BMAD's by name all of a module is; elsewhere the user's own files may lie beside it.
      findings.mounts.push(
        ...(root !== "" && folder !== root ? [{ at: module, path: folder }] : partMounts(module, folder)),
      );
    }
    return findings;
  },
};

/** A module's own folder has the module's configuration in it; otherwise a flat root is nobody's module. */
function flatModule(tree: Tree, root: string): string {
  const isModule = ["config.yaml", MODULE_FILE].some((name) => tree.stat(joinPath(root, name)) !== undefined);
  return isModule ? baseName(root) || baseName(tree.location.replaceAll("\\", "/")) : "custom";
}
