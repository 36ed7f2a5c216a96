/** Is a file that cannot be parsed served as it is, with the reason, whatever it should have been? */
import assert from "node:assert/strict";
import { runHere } from "../../support/program.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const FRONT = "---\ndescription: [never\n---\n\nThe words that count.\n";
const WORDS = "The words that count.\n";
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
  "bmm/reader": ["_bmad/bmm/agents/reader.md", `${FRONT}\n<agent id="x" name="Kim"></agent>\n`],
  "bmm/opener": ["_bmad/bmm/agents/opener.md", `<agent id="x" name="Kim">\n${WORDS}`],
  "bmm/halver": ["_bmad/bmm/agents/halver.md", `<agent id="x"\n${WORDS}`],
  "bmm/quoter": ["_bmad/bmm/agents/quoter.md", `<agent id="x name="Kim">\n${WORDS}</agent>\n`],
  "bmm/nester": ["_bmad/bmm/agents/nester.md", `<agent id="x"><persona>${WORDS}</agent>\n`],
  "bmm/closer": ["_bmad/bmm/agents/closer.md", `<agent id="x">${WORDS}</persona></agent>\n`],
  "bmm/hidden": ["_bmad/bmm/agents/hidden.md", `<agent id="x"><!-- ${WORDS}</agent>\n`],
  "bmm/tasker": ["_bmad/bmm/tasks/tasker.xml", `<task id="x"><a>${WORDS}</task>\n`],
  "bmm/tooler": ["_bmad/bmm/tools/tooler.xml", `<tool id=x>${WORDS}</tool>\n`],
};

for (const [name, [file, text]] of Object.entries(BROKEN)) {
  Deno.test(`${file} is served as it is, and doctor names it [errors:broken-served]`, () =>
    withTree({ [file]: text }, async (dir) => {
      const run = (...args: readonly string[]) => runHere([...args, "--mode", "local"], { cwd: dir });
      for (const command of ["show", "execute"]) {
        const { code, stdout, stderr } = await run(command, name);
        if (command === "execute" && name === "bmm/crew") continue;
        assert.equal(code, 0, stderr);
        assert.match(
          stdout,
          /is broken, and served as it is: the (?:front matter|YAML|XML) cannot be parsed/,
        );
        if (command === "execute") assert.match(stdout, /The words that count\./);
      }
      const { code, stdout } = await run("doctor");
      assert.equal(code, 1);
      assert.match(stdout, new RegExp(`! project: ${RegExp.escape(file)}: the .* cannot be parsed`));
    }));
}

/** What an installation lists is not opened until somebody asks for it. */
const LISTED: Readonly<Record<string, readonly [file: string, text: string]>> = {
  "bmm/keeper": ["_bmad/bmm/agents/keeper.md", `<agent id="x"><persona>${WORDS}</agent>\n`],
  "bmm/landing": ["_bmad/bmm/workflows/landing/workflow.md", FRONT],
  "bmm/lifting": ["_bmad/bmm/workflows/lifting/workflow.yaml", YAML],
  "bmm/sweeping": ["_bmad/bmm/tasks/sweeping.xml", `<task id="x"><a>${WORDS}</task>\n`],
};

Deno.test("a listed file that is broken is served as it is, too [errors:broken-served]", () => {
  const rows = (kind: string) =>
    Object.entries(LISTED).filter(([, [file]]) => file.includes(`/${kind}s/`))
      .map(([name, [file]]) => `"${name.slice(4)}","x","bmm","${file}"\n`).join("");
  const manifests = ["agent", "workflow", "task"].map((kind) => [
    `_bmad/_config/${kind}-manifest.csv`,
    `name,description,module,path\n${rows(kind)}`,
  ]);
  return withTree(
    { ...Object.fromEntries(manifests), ...Object.fromEntries(Object.values(LISTED)) },
    async (dir) => {
      const run = (...args: readonly string[]) => runHere([...args, "--mode", "local"], { cwd: dir });
      const { code, stdout: report } = await run("doctor");
      assert.equal(code, 1);
      for (const [name, [file]] of Object.entries(LISTED)) {
        assert.match(report, new RegExp(`! project: ${RegExp.escape(file)}: the .* cannot be parsed`));
        const { stdout } = await run("execute", name);
        assert.match(stdout, /is broken, and served as it is: the .* cannot be parsed/, name);
        assert.match(stdout, /The words that count\./);
      }
    },
  );
});

treeTest("a text that only speaks of an element, and one with unescaped prompts, are not broken", {
  "_bmad/bmm/agents/teller.md": "# Teller\n\nYou explain `<agent>` and <menu> to people.\n",
  "_bmad/bmm/agents/writer.md":
    '<agent id="x" title="a > b">\n<persona><role>R & D, if a < b</role></persona>\n' +
    '<prompts><prompt id="p">Put <name> into <file> & save.</prompt></prompts>\n' +
    "<!-- <menu> --><menu>\n<item cmd=\"x\">X <b></item>\n<item cmd='y'/></menu>\n</agent>\n```\n</role>\n",
}, async (dir) => {
  const { code, stdout } = await runHere(["doctor", "--mode", "local"], { cwd: dir });
  assert.equal(code, 0, stdout);
});

const EMPTY: Readonly<Record<string, readonly [text: string, note: RegExp]>> = {
  "_bmad/bmm/agents/nobody.md": ["", /nobody\.md is empty, so there is nothing to follow/],
  "_bmad/bmm/agents/blank.md": ["\uFEFF \r\n\n", /blank\.md is empty, so there is nothing to follow/],
  "_bmad/bmm/agents/titled.md": [
    "---\r\nname: titled\r\n---\r\n",
    /titled\.md has front matter, but no text to follow/,
  ],
  "_bmad/bmm/workflows/hush/workflow.md": [
    "---\nname: hush\n---",
    /workflow\.md has front matter, but no text to follow/,
  ],
};

for (const [file, [text, note]] of Object.entries(EMPTY)) {
  Deno.test(`${file} is served with a note that it says nothing [errors:empty-served]`, () =>
    withTree({ [file]: text }, async (dir) => {
      const name = `bmm/${/(\w+)(?:\/workflow)?\.md$/.exec(file)![1]}`;
      for (const command of ["show", "execute"]) {
        const { code, stdout, stderr } = await runHere([command, name, "--mode", "local"], { cwd: dir });
        assert.equal(code, 0, stderr);
        assert.match(stdout, note, command);
      }
    }));
}

treeTest("a text after the front matter, or a rule of dashes, is no such case [errors:empty-served]", {
  "_bmad/bmm/agents/short.md": "---\nname: short\n---\nHi.\n",
  "_bmad/bmm/agents/ruled.md": "---\nname: ruled\n---\n\n---\n",
  "_bmad/bmm/agents/plain.md": "---",
  "_bmad/bmm/templates/blank.md": "",
}, async (dir) => {
  const { stdout } = await runHere(["show", "bmm/blank", "--mode", "local"], { cwd: dir });
  assert.match(stdout, /blank\.md/);
  assert.doesNotMatch(stdout, /is empty/, "nobody follows a template");
  for (const name of ["short", "ruled", "plain"]) {
    const { stdout } = await runHere(["execute", `bmm/${name}`, "--mode", "local"], { cwd: dir });
    assert.doesNotMatch(stdout, /nothing to follow|no text to follow/, name);
  }
});
