/** Does `list_customizable_skills.py` list what BMAD's own script lists? */
import assert from "node:assert/strict";
import { listCustomizableSkills as script } from "../../../src/project/scripts/list_customizable_skills.ts";
import { runNative } from "../../support/scripts.ts";
import { treeTest } from "../../support/trees.ts";

treeTest("where the skills are embedded, those that are served are listed", {}, async (root) => {
  const served = (location: string, files: Record<string, string>) => ({
    name: location,
    location,
    read: (path: string) => files[path],
  });
  const skills = [
    served("bmad://bmm/two", { "customize.toml": "[agent]\n", "SKILL.md": "---\ndescription: x\n---\n" }),
    served("bmad://core/one", {}),
  ];
  const { stdout } = await runNative(script, root, ["--project-root", "."], "", {
    skill: skills[1],
    skills,
  });
  const { agents, scanned_roots } = JSON.parse(stdout);
  assert.deepEqual(scanned_roots, ["bmad://bmm", "bmad://core"]);
  assert.equal(agents[0].install_path, "bmad://bmm/two");
  assert.equal(agents[0].team_override_path, `${root}/_bmad/custom/two.toml`);
});
