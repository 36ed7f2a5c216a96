/**
 * Source trees of the skills generation: module folders with a `module.yaml` and skills below it.
 *
 * This is how BMAD's own repositories and packages look (`src/core-skills`, `src/bmm-skills`, an external
 * module's `src`), and how our embedded content is laid out (one folder a module). There is no manifest: what
 * is on disk is what there is.
 */
import type { Mount } from "../../base/model.ts";
import { baseName, joinPath, parentPath, type Tree } from "../tree/mod.ts";
import { HELP_FILE, helpBySkill, parseHelp } from "./help_catalog.ts";
import { noFindings, packageVersion, type Reader, readParsed } from "./layout.ts";
import { asText, asValues, parseYaml, type Values } from "../parse.ts";
import { MODULE_FILE, skillFolders } from "./roots.ts";
import { readSkill } from "./skill.ts";

export const sourceTree: Reader = {
  generation: "skills",
  read: (tree, root) => {
    const version = packageVersion(tree);
    const findings = noFindings(version);
    const { diagnostics } = findings;
    const facts = readParsed(tree, joinPath(root, MODULE_FILE), parseYaml, diagnostics) ?? {};
    const module = asText(facts["code"]) ?? "custom";
    const name = asText(facts["name"]) ?? module;
    findings.modules.push({
      code: module,
      name,
      description: asText(facts["description"]) ?? "",
      version,
    });
    findings.mounts.push(...moduleMounts(module, root), ...scriptMounts(tree, root));

    const help = helpBySkill(
      readParsed(tree, joinPath(root, HELP_FILE), parseHelp, diagnostics) ?? [],
    );
    const roster = rosterOf(facts);
    for (const folder of skillFolders(tree, root)) {
      const place = root === "" ? folder : folder.slice(root.length + 1);
      const skill = readSkill(
        tree,
        folder,
        { module, version, place, help, status: "verified", description: roster.get(baseName(folder)) },
        diagnostics,
      );
      findings.items.push(skill);
      findings.mounts.push({ at: `${module}/${skill.id}`, path: folder });
    }
    return findings;
  },
};

/** A module's own files. Of a repository whose top is the module, only those that are the module's for sure. */
function moduleMounts(module: string, root: string): readonly Mount[] {
  if (root !== "") return [{ at: module, path: root }];
  return [MODULE_FILE, HELP_FILE].map((name) => ({ at: `${module}/${name}`, path: name }));
}

/** The scripts that skills call as `{project-root}/_bmad/scripts/…` lie beside the modules. */
function scriptMounts(tree: Tree, root: string): readonly Mount[] {
  const path = joinPath(parentPath(root), "scripts");
  return tree.stat(joinPath(path, "resolve_config.py")) === undefined ? [] : [{ at: "scripts", path }];
}

function rosterOf(facts: Values): ReadonlyMap<string, string> {
  const agents = Array.isArray(facts["agents"]) ? facts["agents"].map(asValues) : [];
  return new Map(agents.map((agent) => [asText(agent["code"]) ?? "", asText(agent["description"]) ?? ""]));
}
