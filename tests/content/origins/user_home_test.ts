/** What is served from a user's home? */
import assert from "node:assert/strict";
import { runHere } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const skill = (id: string) => `---\nname: ${id}\ndescription: About ${id}\n---\nDo it.\n`;

const HOME = {
  "home/.bmad/own/skills/bmad-mine/SKILL.md": skill("bmad-mine"),
  "home/.bmad/own/agents/keeper.md": skill("keeper"),
  "home/.claude/skills/bmad-named/SKILL.md": skill("bmad-named"),
  "home/.claude/skills/holiday/SKILL.md": skill("holiday"),
  "home/.agents/skills/bmad-other/SKILL.md": skill("bmad-other"),
  "home/.agents/skills/recipes/SKILL.md": skill("recipes"),
  "home/.ssh/skills/bmad-secret/SKILL.md": skill("bmad-secret"),
  "work/": "",
};

Deno.test("~/.bmad is served, and BMAD's own among the user's skills [origins:user-home]", () =>
  withTree(HOME, async (dir) => {
    const list = async (kind: string) => {
      const args = ["list", kind, "--pack", "none", "--json"];
      const { code, stdout } = await runHere(args, { cwd: `${dir}/work`, env: { HOME: `${dir}/home` } });
      assert.equal(code, 0);
      return JSON.parse(stdout).items.map(({ id, origin }: { id: string; origin: string }) =>
        `${id} ${origin}`
      )
        .sort();
    };
    assert.deepEqual(await list("skills"), ["bmad-mine user", "bmad-named user-2", "bmad-other user-3"]);
    assert.deepEqual(await list("agents"), ["keeper user"]);
  }));
