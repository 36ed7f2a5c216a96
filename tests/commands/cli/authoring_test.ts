/** Do the commands for authors tell people, programs and CI what they did? */
import assert from "node:assert/strict";
import { runHere } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const skill = (name: string, text = "Dig.\n") => `---\nname: ${name}\ndescription: Digs\n---\n${text}`;

const MODULE = {
  "module/module.yaml": "code: garden\nname: Garden\n",
  "module/garden-dig/SKILL.md": skill("garden-dig"),
  "module/garden-sow/SKILL.md": skill("garden-sow", "Read ./gone.md.\n"),
  "beside/SKILL.md": "Not a skill.\n",
};

Deno.test("validate has an exit status for CI [authors:validate-exit, authors:validate-path]", () =>
  withTree(MODULE, async (dir) => {
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await runHere(["validate", ...args], { cwd: dir });
      return { code, stdout, stderr };
    };
    const whole = await run("module");
    assert.equal(whole.code, 1);
    assert.match(
      whole.stdout,
      /^garden-sow\/SKILL\.md:5\t\.\/gone\.md does not exist \[reference\]\. Correct/,
    );
    assert.equal(whole.stderr, "2 items in 3 files: 1 fault.\n");

    const one = await run("module/garden-dig");
    assert.deepEqual(one, { code: 0, stdout: "1 item in 1 file: no faults.\n", stderr: "" });

    const file = await run("module/garden-sow/SKILL.md", "--json");
    assert.equal(file.code, 1);
    const { items, faults, known } = JSON.parse(file.stdout);
    assert.deepEqual([items[0].path, items[0].line, faults, known], ["garden-sow/SKILL.md", 5, 1, 0]);

    const nowhere = await run("nowhere");
    assert.deepEqual([nowhere.code, nowhere.stderr], [1, 'bmad-mcp: No folder named "nowhere"\n']);
  }));

Deno.test("export writes what the command line says, and nothing over it [authors:export-writes]", () =>
  withTree(MODULE, async (dir) => {
    const run = async (...args: readonly string[]) => {
      const options = { cwd: dir };
      const { code, stdout, stderr } = await runHere(
        ["export", "garden-dig", "--path", "module", ...args],
        options,
      );
      return { code, said: stdout + stderr };
    };
    const said = `Exported garden/garden-dig to ${dir}/garden-dig (1 file, 1 KB)\n`;
    assert.deepEqual(await run("--to", "skill"), { code: 0, said });
    assert.match(
      await Deno.readTextFile(`${dir}/garden-dig/SKILL.md`),
      /^---\nname: garden-dig\ndescription: Digs\n/,
    );
    const refusal = `bmad-mcp: Cannot write ${dir}/garden-dig: it exists; --force replaces it\n`;
    assert.deepEqual(await run("--to", "skill"), { code: 3, said: refusal });
    const unknown = 'bmad-mcp: Unknown form "pdf". Use --to zip|web-bundle|skill\n';
    assert.deepEqual(await run("--to", "pdf"), { code: 2, said: unknown });
  }));
