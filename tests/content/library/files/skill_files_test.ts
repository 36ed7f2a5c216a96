/**
 * Does a skill give its own files by their paths, no others, and without looking through all of them?
 */
import assert from "node:assert/strict";
import { listSkills, openLibrary } from "../../../../src/content/library/mod.ts";
import { opening } from "../../../support/library.ts";
import { withTree } from "../../../support/trees.ts";

const SKILL = (name: string) => `---\nname: ${name}\ndescription: Use it.\n---\nText.\n`;
const FILES = {
  "_bmad/own/skills/bmad-a/SKILL.md": SKILL("bmad-a"),
  "_bmad/own/skills/bmad-a/scripts/run.py": "print()\n",
  "_bmad/own/skills/bmad-a/scripts/.hidden.py": "print()\n",
  "_bmad/own/skills/bmad-a/.env": "KEY=1\n",
  "_bmad/own/skills/bmad-b/SKILL.md": SKILL("bmad-b"),
  ...Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`_bmad/own/skills/bmad-b/parts/${at}.md`, "x"]),
  ),
  "_bmad/own/secret.md": "x",
};

Deno.test("a skill gives each of its files by its path, and nothing else", () =>
  withTree(FILES, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir)]);
    const [skill] = await listSkills(library);
    const listed = skill!.files().map(({ path }) => path);
    assert.deepEqual(listed, ["SKILL.md", "scripts/run.py"]);
    for (const path of listed) assert.ok(skill!.read(path), path);
    const others = ["scripts", "scripts/", "", ".", "../bmad-b/SKILL.md", "scripts/../SKILL.md", "./SKILL.md"]
      .concat("/SKILL.md", "SKILL.md/x", "scripts//run.py", "scripts/.hidden.py", ".env", "../../secret.md");
    for (const path of others) assert.equal(skill!.read(path), undefined, path);
  }));

Deno.test("to learn that no skill has a file, no file of theirs is looked at", () =>
  withTree(FILES, async (dir) => {
    const origin = opening("project", 1, dir);
    const asked: string[] = [];
    const stat = (path: string) => (asked.push(path), origin.tree.stat(path));
    const library = await openLibrary([{ ...origin, tree: { ...origin.tree, stat } }]);
    const skills = await listSkills(library);
    asked.length = 0;
    assert.deepEqual(skills.map((skill) => skill.read("scripts/other.py")), [undefined, undefined]);
    assert.deepEqual(asked, []);
  }));
