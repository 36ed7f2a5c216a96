/** Is every file in a BMAD folder served, whatever it is? */
import assert from "node:assert/strict";
import { allUris, refuses, says } from "../../support/answers.ts";
import { clientHere, type ProgramClient } from "../../support/client.ts";
import { installation } from "../../support/installs.ts";
import { runHere } from "../../support/program.ts";
import { copyTree, treeTest, withTree } from "../../support/trees.ts";

/** By the path in the BMAD folder; `name` is what a search for the file's words finds. */
const FILES: Readonly<
  Record<string, { readonly text: string; readonly words: string; readonly name: string }>
> = {
  "templates/tollgate.md": { text: "# Toll\n", words: "tollgate", name: "templates/tollgate" },
  "prompts/cross-examine.md": { text: "Ask.\n", words: "cross examine", name: "prompts/cross-examine.md" },
  "data/tariffs/2026.csv": { text: "a,b\n1,2\n", words: "2026", name: "data/tariffs/2026.csv" },
  "house/data/regulations.md": { text: "Rules.\n", words: "regulations", name: "house/data/regulations.md" },
  "HOUSEKEEPING.md": { text: "Notes.\n", words: "housekeeping", name: "_bmad/HOUSEKEEPING.md" },
};

const inRoot = (root: string) =>
  Object.fromEntries(Object.entries(FILES).map(([path, { text }]) => [`${root}/${path}`, text]));

async function check(client: ProgramClient): Promise<void> {
  const listed = await allUris(client);
  for (const [path, { text, words, name }] of Object.entries(FILES)) {
    assert.ok(listed.includes(`bmad://${path}`), path);
    for (const spelling of [`bmad://${path}`, `bmad://_bmad/${path}`, `{project-root}/_bmad/${path}`]) {
      await says(client, { operation: "read", uri: spelling }, text);
    }
    for (const spelling of [path, `_bmad/${path}`, `{project-root}/_bmad/${path}`, name]) {
      await says(client, { operation: "read", name: spelling }, new RegExp(`\\n${text}$`));
    }
    await says(client, { operation: "search", query: words }, new RegExp(`${name}\\b`));
  }
}

for (const root of ["_bmad", ".bmad"]) {
  Deno.test(`what lies in ${root} alone is served under its path [resources:other-files]`, () =>
    withTree(inRoot(root), async (dir) => {
      await using client = await clientHere({ era: "2025", cwd: dir });
      await check(client);
    }));
}

treeTest("the same holds beside an installation [resources:other-files]", inRoot("_bmad"), async (dir) => {
  await copyTree(await installation({ version: "6.12.0", tools: "claude-code" }), dir);
  await using client = await clientHere({ era: "2025", cwd: dir });
  await check(client);
});

Deno.test("no tool and no command executes such a file [resources:other-files]", () =>
  withTree(inRoot("_bmad"), async (dir) => {
    await using client = await clientHere({ era: "2025", cwd: dir, args: ["--toolsets", "+workflows"] });
    for (const [name, kind] of [["HOUSEKEEPING", "file"], ["tollgate", "template"]] as const) {
      const calls: readonly (readonly [string, Record<string, unknown>])[] = [
        ["bmad", { operation: "execute", workflow: name }],
        ["execute_workflow", { workflow_name: name }],
        ["execute_task", { task_name: name }],
        ["get_workflow_details", { workflow_name: name }],
      ];
      for (const [tool, args] of calls) {
        await refuses(client, args, new RegExp(`"${name}"\\. \\S+ is a ${kind}`), tool);
      }
      const { code, stderr } = await runHere(["execute", name], { cwd: dir });
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`"${name}"\\. \\S+ is a ${kind}`));
    }
  }));

treeTest("what is secret or not content stays unserved [resources:other-files]", {
  ...inRoot("_bmad"),
  "_bmad/.env": "TOKEN=1\n",
  "_bmad/credentials.json": "{}\n",
  "_bmad/data/credentials.json": "{}\n",
  "_bmad/secrets/a.md": "A.\n",
  "_bmad/memory.db": "x",
  "_bmad/node_modules/x/index.js": "1\n",
  "bmad/main.py": "print(1)\n",
}, async (dir) => {
  await using client = await clientHere({ era: "2025", cwd: dir });
  const listed = await allUris(client);
  const refused = listed.filter((uri) =>
    /env|credentials|secrets|memory\.db|node_modules|main\.py/.test(uri)
  );
  assert.deepEqual(refused.filter((uri) => !uri.includes("/bmad-")), []);
});
