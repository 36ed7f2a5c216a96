/** Is every file in a BMAD folder either served, or named by the doctor with the reason? */
import assert from "node:assert/strict";
import { fuzzFolders } from "../../soak/folder_fuzz.ts";
import { installation } from "../../support/installs.ts";
import { runHere } from "../../support/program.ts";
import { POSIX } from "../../support/run.ts";
import { copyTree, treeTest, withTree } from "../../support/trees.ts";

// deno-lint-ignore no-explicit-any
const doctor = async (cwd: string): Promise<any> =>
  JSON.parse((await runHere(["doctor", "--mode", "local", "--json"], { cwd })).stdout);

/** What lies in a project, and what of it is not served, with the reason. */
const UNSERVED: Readonly<
  Record<
    string,
    readonly [files: Readonly<Record<string, string>>, unserved: Readonly<Record<string, RegExp>>]
  >
> = {
  "what is not served": [{
    "_bmad/bmm/agents/keeper.md": "# Keeper\n",
    "_bmad/.hidden": "x\n",
    "_bmad/data/credentials.json": "{}\n",
    "_bmad/data/cards.db": "x",
    "_bmad/node_modules/x/index.js": "1\n",
    "bmad/src/main.py": "print(1)\n",
    ".claude/skills/bmad-good/SKILL.md": "---\nname: bmad-good\ndescription: Good.\n---\nDo it.\n",
    ".claude/skills/other/SKILL.md": "---\nname: other\ndescription: Another's.\n---\nDo it.\n",
  }, {
    "_bmad/.hidden": /hidden/,
    "_bmad/data/cards.db": /database/,
    "_bmad/data/credentials.json": /secrets/,
    "_bmad/node_modules": /program/,
    "bmad/src": /project's own/,
  }],
  "nothing that is served": [
    { "_bmad/render/agents/painter.md": "# Painter\n", "_bmad/render/.hidden": "x\n" },
    { "_bmad/render/.hidden": /hidden/ },
  ],
  "a file in place of the BMAD folder": [
    { "_bmad": "x\n" },
    { "_bmad": /^it is a file, and must be a folder$/ },
  ],
  "folders whose names are nearly BMAD's": [{
    "_BMAD/m/agents/keeper.md": "# Keeper\n",
    "Bmad/src/main.py": "print(1)\n",
    ".claude/skills/bmad-none/README.md": "x\n",
    ".claude/skills/bmad-parts/one/SKILL.md": "---\nname: one\ndescription: One.\n---\nDo it.\n",
    ".claude/skills/others/README.md": "x\n",
  }, { "_BMAD": /^it must be called _bmad$/, ".claude/skills/bmad-none": /^it has no SKILL\.md$/ }],
};

for (const [what, [files, expected]] of Object.entries(UNSERVED)) {
  treeTest(`the doctor names ${what} [errors:unserved-named]`, files, async (dir) => {
    const { content: { unserved }, problems } = await doctor(dir);
    const paths = unserved.map(({ path }: Record<string, string>) => path).sort();
    assert.deepEqual(paths, Object.keys(expected).sort());
    for (const { path, reason } of unserved) assert.match(reason, expected[path]!, path);
    const fixes = problems.map(({ fix }: Record<string, string>) => fix);
    if (files["_bmad"]) {
      assert.ok(fixes.includes("Replace _bmad with a folder, or delete it"), fixes.join());
    }
  });
}

Deno.test("the doctor names what no path leads to [errors:unserved-named]", POSIX, () =>
  withTree({
    "_bmad/bmm/agents/keeper.md": "# Keeper\n",
    "_bmad/bmm/agents/gone.md": { link: "none.md" },
    "_bmad/bmm/agents/back\\slash.md": "# Back\n",
    "_bmad/bmm/tasks/back\\slash.md": "# Back\n",
    "_bmad/loop": { link: "." },
    "_bmad/out.md": { link: "../../none.md" },
    "bmad": { link: "nowhere" },
  }, async (dir) => {
    await new Deno.Command("mkfifo", { args: [`${dir}/_bmad/pipe`] }).output();
    const { content: { unserved, origins } } = await doctor(dir);
    assert.deepEqual(
      Object.fromEntries(unserved.map(({ path, reason }: Record<string, string>) => [path, reason])),
      {
        "bmad": "the link is broken",
        "_bmad/bmm/agents/back\\slash.md": "its name cannot be part of a path",
        "_bmad/bmm/agents/gone.md": "the link is broken",
        "_bmad/bmm/tasks/back\\slash.md": "its name cannot be part of a path",
        "_bmad/loop": "the folder that the link leads to is shown in another place",
        "_bmad/out.md": "the link is broken",
        "_bmad/pipe": "it is neither a file nor a folder",
      },
    );
    assert.equal(origins[0].things, 1);
  }));

Deno.test("a folder with nothing but files of its own has content [errors:unserved-named]", () =>
  withTree({ "_bmad/lonely.md": "# Lonely\n" }, async (dir) => {
    const { code, stdout } = await runHere(["doctor", "--mode", "local"], { cwd: dir });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /1 project +\S+: no items, only other files, v6: hand-written/);
    assert.doesNotMatch(stdout, /no content|not served|No BMAD content/);
  }));

/** Copies that we keep, and those that BMAD's installer keeps. */
const COPIES = {
  "home/.bmad/cache/git/copy/agents/x.md": "# X\n",
  "home/.bmad/cache/external-modules/cis/README.md": "# CIS\n",
};

for (
  const { name, version } of [
    { name: "written by hand", version: undefined },
    { name: "installed", version: "6.0.4" },
  ] as const
) {
  Deno.test(`the copies of repositories are no part of what is ${name} [errors:unserved-named]`, () =>
    withTree({ ...COPIES, "home/.bmad/cards/cache/note.md": "# Note\n" }, async (dir) => {
      if (version !== undefined) {
        await copyTree(
          `${await installation({ version, tools: "claude-code" })}/_bmad`,
          `${dir}/home/.bmad`,
        );
      }
      const run = (...args: readonly string[]) =>
        runHere([...args, "--json"], { cwd: dir, env: { HOME: `${dir}/home` } });
      const { content: { unserved } } = JSON.parse((await run("doctor")).stdout);
      const listed = JSON.parse((await run("list", "resources", "--limit", "5000")).stdout);
      const named = JSON.stringify([unserved, listed]);
      assert.doesNotMatch(named, /cache\/(?:git|external-modules)|"cache"/);
      // A folder of the user's own with that name is one like any other.
      assert.match(named, /cards\/cache\/note\.md/);
      const { code, stderr } = await run("show", "bmad://cache/git/copy/agents/x.md");
      assert.notEqual(code, 0, stderr);
    }));
}

Deno.test("every file of a random folder is served or named [errors:unserved-named]", async () => {
  const { served, named } = await fuzzFolders(40, 7);
  assert.ok(served > 100 && named > 50, `${served} served, ${named} named`);
});

/** Where people put what should be an item, and the reason why it is none; undefined if it is one after all. */
const NEAR_ITEMS: Readonly<Record<string, RegExp | undefined>> = {
  "_bmad/m/agents/UPPER.MD": undefined,
  "_bmad/m/agents/own/own.MD": undefined,
  "_bmad/m/agents/sub/deep/x.md": /an agent is agents\/NAME\.md/,
  "_bmad/m/agents/other/different.md": /an agent is/,
  "_bmad/m/agents/x.yaml": /an agent is/,
  "_bmad/m/agents/x.txt": /an agent is/,
  "_bmad/m/agents/noext": /an agent is/,
  "_bmad/m/tasks/SHOUT.XML": undefined,
  "_bmad/m/tasks/t.yaml": /a task is tasks\/NAME\.md or tasks\/NAME\.xml/,
  "_bmad/m/tasks/sub/t.md": /a task is/,
  "_bmad/m/teams/crew.md": /a team is teams\/NAME\.yaml/,
  "_bmad/m/workflows/LOUD.YAML": undefined,
  "_bmad/m/workflows/w.json": /a workflow is/,
  "_bmad/m/workflows/1-plan/land.yaml": /a workflow is/,
  "_bmad/m/workflows/template.yaml": /it has no name of its own/,
  "_bmad/m/skills/flat.md": /a skill is skills\/NAME\/SKILL\.md/,
  "_bmad/m/skills/lower/skill.md": /a skill is/,
  "_bmad/agents/x.txt": /an agent is/,
  "_bmad/lone/agents/x.txt": /an agent is/,
  "_bmad/m/agents/old.md~": /a backup copy/,
  "_bmad/m/tasks/old.md.bak": /a backup copy/,
  "_bmad/m/skills/none/readme.md": /a skill is/,
  "_bmad/m/skills/none/face.png": /a skill is/,
  "_bmad/loud/Agents/keeper.md": /its folder must be called agents/,
  "_bmad/loud/WORKFLOWS/land.yaml": /its folder must be called workflows/,
  "_bmad/Tasks/t.md": /its folder must be called tasks/,
  "_bmad/a/b/agents/deep.md": /the folder of its module must lie directly in the BMAD folder/,
  "_bmad/a/b/c/Tasks/deep.md": /the folder of its module must lie directly/,
  "_bmad/workflow.yaml": /a workflow is/,
  "_bmad/m/mend2/SKILL.md": /a skill is/,
  "_bmad/prompts/face.agent.yaml": /an agent is/,
};

/** Parts of items, and what nobody takes for one. */
const NO_ITEMS = [
  "_bmad/m/agents/README.md",
  "_bmad/m/agents/own/notes.md",
  "_bmad/m/agents/UPPER/notes.md",
  "_bmad/m/agents/UPPER-sidecar/memories.md",
  "_bmad/m/agents/face.png",
  "_bmad/m/workflows/lift/workflow.yaml",
  "_bmad/m/workflows/lift/steps/one.md",
  "_bmad/m/workflows/data/sample.yaml",
  "_bmad/m/skills/mend/SKILL.md",
  "_bmad/m/skills/mend/steps/one.md",
  "_bmad/m/prompts/ask.md",
  "_bmad/m/skills/README.md",
  "_bmad/a/b/agents/README.md",
  "_bmad/a/data/agents/sample.md",
  "_bmad/_memory/agents/notes.md",
];

Deno.test("the doctor says why a file in the folder of items is none [errors:near-items]", () => {
  const texts: Readonly<Record<string, string>> = {
    "_bmad/m/workflows/template.yaml": "name: '{NAME}'\n",
    "_bmad/m/tasks/SHOUT.XML": '<task id="x" name="Upper">Do it.</task>\n',
  };
  const files = [...Object.keys(NEAR_ITEMS), ...NO_ITEMS];
  return withTree(
    Object.fromEntries(files.map((path) => [path, texts[path] ?? "description: x\n"])),
    async (dir) => {
      const run = (...args: readonly string[]) => runHere([...args, "--mode", "local"], { cwd: dir });
      const { code, stdout } = await run("doctor", "--json");
      assert.equal(code, 0, stdout);
      const { content: { notices } } = JSON.parse(stdout);
      const found: Readonly<Record<string, string>> = Object.fromEntries(
        notices.map(({ path, message }: Record<string, string>) => [path, message]),
      );
      const near = Object.entries(NEAR_ITEMS).filter(([, reason]) => reason !== undefined);
      assert.deepEqual(Object.keys(found).sort(), near.map(([path]) => path).sort());
      for (const [path, reason] of near) assert.match(found[path]!, reason!, path);
      for (const name of ["m/UPPER", "m/own", "m/SHOUT", "m/LOUD"]) {
        assert.equal((await run("show", name)).code, 0, name);
      }
      const text = await run("doctor");
      assert.match(
        text.stdout,
        /notice +_bmad\/agents\/x\.txt, .* \(project\): served as a file: an agent is /,
      );
    },
  );
});

treeTest("beside an installation, only what its owner wrote is named [errors:near-items]", {
  "_bmad/bmm/agents/prose.md": "# Prose\n",
  "_bmad/bmm/agents/sub/deep.md": "---\ndescription: x\n---\n",
  "_bmad/mine/agents/keeper.txt": "Keeper\n",
}, async (dir) => {
  for (const version of ["6.0.4", "6.2.0"] as const) {
    const project = `${dir}/${version}`;
    await copyTree(await installation({ version, tools: "claude-code" }), project);
    await copyTree(`${dir}/_bmad`, `${project}/_bmad`);
    const { content: { notices } } = await doctor(project);
    const named = notices.filter(({ code }: Record<string, string>) => code === "not-an-item");
    assert.deepEqual(named.map(({ path }: Record<string, string>) => path).sort(), [
      "_bmad/bmm/agents/prose.md",
      "_bmad/bmm/agents/sub/deep.md",
      "_bmad/mine/agents/keeper.txt",
    ]);
  }
});

/** A compiled installation without the list of its files, and an own skill beside one of skills. */
const COMPILED = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.4\nmodules: [core, bmm]\n",
  "_bmad/_config/agent-manifest.csv":
    'name,displayName,title,icon,role,identity,communicationStyle,principles,module,path\n"pm","Jo","PM","","","","","","bmm","_bmad/bmm/agents/pm.md"\n',
  "_bmad/bmm/agents/pm.md": "---\nname: pm\ndescription: Plans.\n---\nYou plan.\n",
  "_bmad/bmm/config.yaml": "user_name: Ada\n",
};

treeTest("a stray file among compiled items is named [errors:near-items]", {
  ...COMPILED,
  "_bmad/bmm/agents/prose.md": "# Prose\n",
  "_bmad/bmm/workflows/plain.md": "# Plain\n",
  "_bmad/bmm/workflows/nameless.yaml": "description: x\n",
  "_bmad/bmm/Tasks/t.md": "# T\n",
  "_bmad/bmm/agents/pm.md.bak": "x\n",
  "_bmad/_config/agents/bmm-pm.customize.yaml": "agent:\n  metadata:\n    name: Joan\n",
  "_bmad/_config/agents/bmm-pn.customize.yaml": "agent:\n  metadata:\n    name: Joan\n",
  "_bmad/_config/agents/bmm-gone.customize.yaml": "agent:\n  metadata:\n    name: ''\n",
}, async (dir) => {
  const { content: { notices }, problems } = await doctor(dir);
  assert.deepEqual(notices.map(({ path }: Record<string, string>) => path).sort(), [
    "_bmad/bmm/Tasks/t.md",
    "_bmad/bmm/agents/pm.md.bak",
    "_bmad/bmm/agents/prose.md",
    "_bmad/bmm/workflows/nameless.yaml",
    "_bmad/bmm/workflows/plain.md",
  ]);
  const [stray, ...others] = problems.filter(({ section }: Record<string, string>) => section === "content");
  assert.deepEqual(others, []);
  assert.equal(stray.path, "_bmad/_config/agents/bmm-pn.customize.yaml");
  assert.equal(stray.code, "stray-customization");
  assert.equal(stray.fix, "Rename it to bmm-pm.customize.yaml, or delete it");
});

treeTest("odd files in a root of v4 are named, and its other files found [errors:near-items]", {
  ".bmad-core/core-config.yaml": "version: 4.44.3\n",
  ".bmad-core/agents/pm.md": "# PM\n\n```yaml\nagent:\n  name: Jo\n```\n",
  ".bmad-core/agents/team/deep.md": "# Deep\n",
  ".bmad-core/agents/note.txt": "x\n",
  ".bmad-core/workflows/w.json": "{}\n",
  ".bmad-core/prompts/ask.md": "# Ask\n",
  ".bmad-core/Checklists/loud.md": "# Loud\n",
}, async (dir) => {
  const { content: { notices } } = await doctor(dir);
  assert.deepEqual(notices.map(({ path }: Record<string, string>) => path).sort(), [
    ".bmad-core/Checklists/loud.md",
    ".bmad-core/agents/note.txt",
    ".bmad-core/agents/team/deep.md",
    ".bmad-core/workflows/w.json",
  ]);
  for (const path of ["prompts/ask.md", "Checklists/loud.md"]) {
    const words = path.replaceAll(/.*\/|\.md$/g, "");
    const { stdout } = await runHere(["search", words, "--mode", "local"], { cwd: dir });
    assert.ok(stdout.includes(path), stdout);
  }
  const told = await runHere(["doctor", "--mode", "local"], { cwd: dir });
  assert.match(told.stdout, /1 project +\S+: 1 item \(1 agent, 0 workflows\), v4(?: [\d.]+)?, changed/);
});

treeTest("a BMAD skill that is not served is named [errors:unserved-named]", {
  ".claude/skills/bmad-own/SKILL.md": "---\nname: bmad-own\ndescription: Own.\n---\nDo it.\n",
  ".claude/skills/other/SKILL.md": "---\nname: other\ndescription: Another's.\n---\nDo it.\n",
}, async (dir) => {
  for (const version of ["6.0.4", "6.12.0"] as const) {
    const project = `${dir}/${version}`;
    await copyTree(await installation({ version, tools: "claude-code" }), project);
    await copyTree(`${dir}/.claude`, `${project}/.claude`);
    const { content: { unserved } } = await doctor(project);
    const named = unserved.filter(({ path }: Record<string, string>) => path!.startsWith(".claude/"));
    assert.deepEqual(named.map(({ path }: Record<string, string>) => path), [".claude/skills/bmad-own"]);
    assert.match(named[0].reason, /the installation does not list it: to serve it, move it/);
  }
});
