/**
 * Skills without an installation around them: in a folder that the user named, or among other people's skills.
 *
 * folders.ts decides which of them count. A skill must give its folder's name and a description, unless its front matter
 * is broken; any other folder does not count as one.
 */
import { type Diagnostic, NO_MODULE } from "../../base/model.ts";
import { joinPath } from "../tree/mod.ts";
import { SKILL_FILE } from "./file_names.ts";
import { looseSkillIds } from "./folders.ts";
import { noFindings, type Reader, readParsed } from "./layout.ts";
import { asText, parseFrontMatter } from "../parse.ts";
import { addSkill } from "./skill.ts";

export const looseSkills: Reader = (tree, root, use) => {
  const findings = noFindings();
  for (const id of looseSkillIds(tree, root, use)) {
    const folder = joinPath(root, id);
    const problems: Diagnostic[] = [];
    const front = readParsed(tree, joinPath(folder, SKILL_FILE), parseFrontMatter, problems) ?? {};
    const isDescribed = asText(front["name"]) === id && asText(front["description"]) !== undefined;
    // One that cannot be parsed may well be a skill, and is served as it is.
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
