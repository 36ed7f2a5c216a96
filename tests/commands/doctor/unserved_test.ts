/**
 * Is every file in a BMAD folder either served, or named by the doctor with the reason?
 *
 * tests/soak/folder_fuzz.ts makes folders as people might write them; the soak tries many more of them.
 */
import assert from "node:assert/strict";
import { fuzzFolders } from "../../soak/folder_fuzz.ts";
import { installation } from "../../support/installs.ts";
import { runHere } from "../../support/program.ts";
import { verifies } from "../../support/requirements.ts";
import { copyTree, withTree } from "../../support/trees.ts";

Deno.test(
  verifies("errors:unserved-named", "the doctor names what is not served, with the reason"),
  () =>
    withTree({
      "_bmad/bmm/agents/keeper.md": "# Keeper\n",
      "_bmad/.hidden": "x\n",
      "_bmad/data/credentials.json": "{}\n",
      "_bmad/data/cards.db": "x",
      "_bmad/node_modules/x/index.js": "1\n",
      "bmad/src/main.py": "print(1)\n",
      ".claude/skills/bmad-good/SKILL.md": "---\nname: bmad-good\ndescription: Good.\n---\nDo it.\n",
      ".claude/skills/other/SKILL.md": "---\nname: other\ndescription: Another's.\n---\nDo it.\n",
    }, async (dir) => {
      const { stdout } = await runHere(["doctor", "--mode", "local", "--json"], { cwd: dir });
      const { content: { unserved } } = JSON.parse(stdout);
      const reasons = Object.fromEntries(
        unserved.map(({ path, reason }: Record<string, string>) => [path, reason]),
      );
      assert.deepEqual(Object.keys(reasons).sort(), [
        "_bmad/.hidden",
        "_bmad/data/cards.db",
        "_bmad/data/credentials.json",
        "_bmad/node_modules",
        "bmad/src",
      ]);
      assert.match(reasons["_bmad/.hidden"], /hidden/);
      assert.match(reasons["_bmad/data/cards.db"], /database/);
      assert.match(reasons["_bmad/data/credentials.json"], /secrets/);
      assert.match(reasons["_bmad/node_modules"], /program/);
      assert.match(reasons["bmad/src"], /project's own/);
      const text = await runHere(["doctor", "--mode", "local"], { cwd: dir });
      assert.match(text.stdout, /not served +project: it is hidden: _bmad\/\.hidden\n/);
    }),
);

Deno.test({
  name: verifies("errors:unserved-named", "the doctor names what no path leads to"),
  ignore: Deno.build.os === "windows",
  fn: () =>
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
      const { stdout } = await runHere(["doctor", "--mode", "local", "--json"], { cwd: dir });
      const { content: { unserved, origins } } = JSON.parse(stdout);
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
    }),
});

Deno.test(
  verifies("errors:unserved-named", "the doctor calls nothing unserved that is served"),
  () =>
    withTree(
      { "_bmad/render/agents/painter.md": "# Painter\n", "_bmad/render/.hidden": "x\n" },
      async (dir) => {
        const { stdout } = await runHere(["doctor", "--mode", "local", "--json"], { cwd: dir });
        const { content: { unserved } } = JSON.parse(stdout);
        assert.deepEqual(unserved.map(({ path }: Record<string, string>) => path), ["_bmad/render/.hidden"]);
        assert.equal((await runHere(["show", "render/painter", "--mode", "local"], { cwd: dir })).code, 0);
      },
    ),
);

Deno.test(
  verifies("errors:unserved-named", "a folder with nothing but files of its own has content"),
  () =>
    withTree({ "_bmad/lonely.md": "# Lonely\n" }, async (dir) => {
      const { code, stdout } = await runHere(["doctor", "--mode", "local"], { cwd: dir });
      assert.equal(code, 0, stdout);
      assert.match(stdout, /1 project +\S+: no items, only other files, v6: hand-written/);
      assert.doesNotMatch(stdout, /no content|not served|No BMAD content/);
    }),
);

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
  Deno.test(
    verifies("errors:unserved-named", `the copies of repositories are no part of what is ${name}`),
    () =>
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
      }),
  );
}

Deno.test(verifies("errors:unserved-named", "every file of a random folder is served or named"), async () => {
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
];

Deno.test(verifies("errors:near-items", "the doctor says why a file in the folder of items is none"), () => {
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
        /notice +project: is served as a file: an agent is .*: _bmad\/agents\/x\.txt, /,
      );
    },
  );
});

Deno.test(
  verifies("errors:near-items", "beside an installation, only what its owner wrote is named"),
  () =>
    withTree({
      "_bmad/bmm/agents/prose.md": "# Prose\n",
      "_bmad/bmm/agents/sub/deep.md": "---\ndescription: x\n---\n",
      "_bmad/mine/agents/keeper.txt": "Keeper\n",
    }, async (dir) => {
      for (const version of ["6.0.4", "6.2.0"] as const) {
        const project = `${dir}/${version}`;
        await copyTree(await installation({ version, tools: "claude-code" }), project);
        await copyTree(`${dir}/_bmad`, `${project}/_bmad`);
        const { stdout } = await runHere(["doctor", "--mode", "local", "--json"], { cwd: project });
        const { content: { notices } } = JSON.parse(stdout);
        const named = notices.filter(({ code }: Record<string, string>) => code === "not-an-item");
        assert.deepEqual(named.map(({ path }: Record<string, string>) => path).sort(), [
          "_bmad/bmm/agents/prose.md",
          "_bmad/bmm/agents/sub/deep.md",
          "_bmad/mine/agents/keeper.txt",
        ]);
      }
    }),
);
