/**
 * Skills without any installation around them: in a folder that somebody named, or among other people's skills.
 *
 * Which of them count is decided in roots.ts. A skill must say its folder's name and a description, or it is
 * somebody's notes.
 */
import type { Diagnostic } from "../../base/model.ts";
import { joinPath } from "../tree/mod.ts";
import { noFindings, type Reader, readParsed } from "./layout.ts";
import { asText, parseFrontMatter } from "../parse.ts";
import { SKILL_FILE } from "./module_files.ts";
import { looseSkills as skillsIn } from "./roots.ts";
import { readSkill } from "./skill.ts";

/** The module that skills without one are put under. */
const MODULE = "skills";

export const looseSkills: Reader = {
  generation: "skills",
  read: (tree, root, use) => {
    const findings = noFindings();
    for (const id of skillsIn(tree, root, use)) {
      const folder = joinPath(root, id);
      const trouble: Diagnostic[] = [];
      const front = readParsed(tree, joinPath(folder, SKILL_FILE), parseFrontMatter, trouble) ?? {};
      if (asText(front["name"]) !== id || asText(front["description"]) === undefined) {
        const message = "left out: a skill's front matter must have its folder's name and a description";
        findings.diagnostics.push(...trouble, { level: "info", code: "not-a-skill", message, path: folder });
        continue;
      }
      // What is wrong with the file is told by whoever reads the skill.
      const context = { module: MODULE, status: "verified", place: id, help: new Map() } as const;
      findings.items.push(readSkill(tree, folder, context, findings.diagnostics));
      findings.mounts.push({ at: `${MODULE}/${id}`, path: folder });
    }
    if (findings.items.length > 0) findings.modules.push({ code: MODULE, name: "Skills", description: "" });
    return findings;
  },
};
