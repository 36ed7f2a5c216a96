/**
 * Does `list_customizable_skills.py` list what BMAD's own script lists?
 */
import assert from "node:assert/strict";
import { listCustomizableSkills as script } from "../../../src/project/scripts/list_customizable_skills.ts";
import { type Chance, chanceFrom } from "../../soak/chance.ts";
import { sourceTree } from "../../support/installs.ts";
import { verifies } from "../../support/requirements.ts";
import { bytesOf, textOf } from "../../support/script_texts.ts";
import { compareCases, NO_ORIGINALS, runNative, type ScriptCase, skillAt } from "../../support/scripts.ts";
import { type TreeFile, withTree } from "../../support/trees.ts";

const SKILLS = {
  ".claude/skills/b/customize.toml": "[workflow]\nx = 1\n",
  ".claude/skills/b/SKILL.md": "---\nname: b\ndescription: 'Does b'\n---\n\nText\n",
  ".claude/skills/a/customize.toml": "[agent]\n[workflow]\n",
  ".claude/skills/broken/customize.toml": "[agent\n",
  ".claude/skills/none/SKILL.md": "x",
  ".claude/skills/odd/customize.toml": "x = 1\n",
  "more/b/customize.toml": "[agent]\n",
  "_bmad/custom/b.toml": "",
};

Deno.test("skills are listed by surface, with their overrides; the first root wins", () =>
  withTree(SKILLS, async (root) => {
    const skill = skillAt(`${root}/.claude/skills/b`);
    const args = ["--project-root", root, "--extra-root", "more", "--extra-root", "gone"];
    const { status, stdout } = await runNative(script, root, args, "", { skill, skills: [skill] });
    const { agents, workflows, errors, scanned_roots } = JSON.parse(stdout);
    assert.equal(status, 0);
    assert.deepEqual(agents.map(({ name }: { name: string }) => name), ["a"]);
    assert.deepEqual(
      workflows.map((one: Record<string, unknown>) => [one.name, one.description, one.has_team_override]),
      [["a", "", false], ["b", "Does b", true]],
    );
    assert.deepEqual(scanned_roots, [`${root}/.claude/skills`, `${root}/more`]);
    assert.equal(errors.length, 3);
    assert.equal((await runNative(script, root, ["--project-root", "nowhere"])).status, 2);
  }));

Deno.test("where the skills are embedded, those that are served are listed", () =>
  withTree({}, async (root) => {
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
  }));

const TABLES = [
  "[agent]\n",
  "[workflow]\nname = 'x'\n",
  "agent = 1\n",
  "[[workflow]]\n",
  "x = 1\n",
  "[a",
  "\ufeff[agent]\n",
];
const HEAD = [
  ...[
    "---",
    "---\n",
    "---\n",
    "\n",
    "\n",
    "description: ",
    "description:",
    "'Some text'",
    '"',
    "'",
    "name: x\n",
    "  ",
  ],
  ...["---  \n", "text"],
];

function randomCase(chance: Chance): ScriptCase {
  const files: Record<string, TreeFile> = { "skills/": "", "_bmad/custom/b.user.toml": "" };
  for (const name of ["a", "b", "C", "é", "a-b"]) {
    const root = chance.pick(["skills", "more", "more/deep"]);
    if (chance.below(4) > 0) {
      files[`${root}/${name}/customize.toml`] = chance.pick(TABLES) + chance.pick(TABLES);
    }
    const head = chance.pick(["", "---\n", "---\n\n"]) + textOf(chance, HEAD, 16);
    if (chance.below(4) > 0) files[`${root}/${name}/SKILL.md`] = bytesOf(chance, head);
  }
  const extra = chance.pick([[], ["--extra-root", "more"], [
    "--extra-root",
    "more",
    "--extra-root",
    "./more/deep/",
  ]]);
  return { files, args: ["--project-root", ".", "--skills-root", "skills", ...extra] };
}

Deno.test({
  name: verifies("work:same-answers", "list_customizable_skills.py answers as BMAD's own"),
  ignore: NO_ORIGINALS,
  fn: async () => {
    const skill = `${await sourceTree("bmad-method@6.12.0")}/src/core-skills/bmad-customize`;
    const chance = chanceFrom(5);
    const calls = [[], ["--project-root", "none"], ["--project-root", "f"], [
      "--project-root",
      ".",
      "--skills-root",
      "f",
    ]];
    await compareCases(script, `${skill}/scripts/list_customizable_skills.py`, [
      ...Array.from({ length: 80 }, () => randomCase(chance)),
      ...calls.map((args) => ({ files: { f: "" }, args })),
    ]);
  },
});
