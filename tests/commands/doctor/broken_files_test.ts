/**
 * Is a file that cannot be parsed served as it is, with the reason, whatever it should have been?
 */
import assert from "node:assert/strict";
import { runHere } from "../../support/program.ts";
import { verifies } from "../../support/requirements.ts";
import { withTree } from "../../support/trees.ts";

const FRONT = "---\ndescription: [never\n---\n\nThe words that count.\n";
const YAML = "name: lost\ndescription: The words that count.\n bad: [\n";

/** What should be there, by its name: its file and text. */
const BROKEN: Readonly<Record<string, readonly [file: string, text: string]>> = {
  "bmm/keeper": ["_bmad/bmm/agents/keeper.md", FRONT],
  "bmm/landing": ["_bmad/bmm/workflows/landing/workflow.md", FRONT],
  "bmm/lifting": ["_bmad/bmm/workflows/lifting.yaml", YAML],
  "bmm/sweeping": ["_bmad/bmm/tasks/sweeping.md", FRONT],
  "bmm/crew": ["_bmad/bmm/teams/crew.yaml", YAML],
  "bmm/mending": ["_bmad/bmm/skills/mending/SKILL.md", FRONT],
  "skills/bmad-tending": [".claude/skills/bmad-tending/SKILL.md", FRONT],
};

for (const [name, [file, text]] of Object.entries(BROKEN)) {
  Deno.test(
    verifies("errors:broken-served", `${file} is served as it is, and doctor names it`),
    () =>
      withTree({ [file]: text }, async (dir) => {
        const run = (...args: readonly string[]) => runHere([...args, "--mode", "local"], { cwd: dir });
        for (const command of ["show", "execute"]) {
          const { code, stdout, stderr } = await run(command, name);
          if (command === "execute" && name === "bmm/crew") continue;
          assert.equal(code, 0, stderr);
          assert.match(stdout, /is broken, and served as it is: the (?:front matter|YAML) cannot be parsed/);
          if (command === "execute") assert.match(stdout, /The words that count\./);
        }
        const { code, stdout } = await run("doctor");
        assert.equal(code, 1);
        assert.match(stdout, new RegExp(`! project: ${RegExp.escape(file)}: the .* cannot be parsed`));
      }),
  );
}
