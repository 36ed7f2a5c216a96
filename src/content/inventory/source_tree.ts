/**
 * Source trees of the skills generation: module folders with a `module.yaml` and skills below it.
 *
 * BMAD's own repositories and packages look like this (`src/core-skills`, `src/bmm-skills`, an external module's `src`),
 * and so does our embedded content (one folder for each module). Without a manifest, everything on disk counts.
 */
import type { Mount } from "../../base/model.ts";
import { baseName, joinPath, parentPath, type Tree } from "../tree/mod.ts";
import { HELP_FILE, MODULE_FILE } from "./file_names.ts";
import { hasFile, skillFolders } from "./folders.ts";
import { helpBySkill, parseHelp } from "./help_catalog.ts";
import { moduleOf, noFindings, packageVersion, type Reader, readParsed } from "./layout.ts";
import { asText, asValues, parseYaml, type Values } from "../parse.ts";
import { addSkill } from "./skill.ts";

export const sourceTree: Reader = (tree, root) => {
  const version = packageVersion(tree);
  const findings = noFindings(version);
  const { diagnostics } = findings;
  const facts = readParsed(tree, joinPath(root, MODULE_FILE), parseYaml, diagnostics) ?? {};
  const module = asText(facts["code"]) ?? "custom";
  findings.modules.push(moduleOf(module, version, facts));
  findings.mounts.push(...moduleMounts(module, root), ...scriptMounts(tree, root));

  const help = helpBySkill(readParsed(tree, joinPath(root, HELP_FILE), parseHelp, diagnostics) ?? []);
  const roster = rosterOf(facts);
  for (const folder of skillFolders(tree, root)) {
    const modulePath = root === "" ? folder : folder.slice(root.length + 1);
    const description = roster.get(baseName(folder));
    addSkill(findings, tree, folder, { module, version, modulePath, help, description });
  }
  return findings;
};

/** A module's own files. Of a repository that is one module, only those that are certainly the module's. */
function moduleMounts(module: string, root: string): readonly Mount[] {
  if (root !== "") return [{ at: module, path: root }];
  return [MODULE_FILE, HELP_FILE].map((name) => ({ at: `${module}/${name}`, path: name }));
}

/** The scripts that skills call as `{project-root}/_bmad/scripts/…` lie beside the modules. */
function scriptMounts(tree: Tree, root: string): readonly Mount[] {
  const path = joinPath(parentPath(root), "scripts");
  return hasFile(tree, path, "resolve_config.py") ? [{ at: "scripts", path }] : [];
}

function rosterOf(facts: Values): ReadonlyMap<string, string> {
  const agents = Array.isArray(facts["agents"]) ? facts["agents"].map(asValues) : [];
  return new Map(agents.map((agent) => [asText(agent["code"]) ?? "", asText(agent["description"]) ?? ""]));
}
