/**
 * Is an answer given again only while it is still right?
 *
 * Each answer is asked for, asked for again (which must not read), and again after an edit that nothing announced.
 */
import assert from "node:assert/strict";
import {
  executeEntry,
  findResolvers,
  openLibrary,
  readEntry,
  readResource,
  resolveEntry,
} from "../../../src/content/library/mod.ts";
import { trackReads } from "../../../src/content/origins/mod.ts";
import { diskTree, noteWrite, type Tree } from "../../../src/content/tree/mod.ts";
import { verifies } from "../../support/requirements.ts";
import { until } from "../../support/waiting.ts";
import { withTree } from "../../support/trees.ts";

const FILES = {
  "_bmad/bmm/config.yaml": "user_name: Ann\n",
  "_bmad/bmm/agents/scout.md": "---\nname: scout\ndescription: Finds\n---\nLook around.\n",
};

/** Opens a library of a folder; `beside` is a project with nothing in it, and the folder then has what never changes. */
async function openTracked(dir: string, beside?: string) {
  const disk = diskTree(dir);
  const reads: string[] = [];
  const counted = { ...disk, read: (path: string) => (reads.push(path), disk.read(path)) };
  const open = (kind: "project" | "package", location: string, tree: Tree) => ({
    origin: { id: kind, kind, priority: kind === "project" ? 2 : 1, location },
    tree,
    use: "project" as const,
  });
  const tracked = (tree: Tree) => trackReads(tree, () => Date.now() + 60_000).tree;
  const openings = beside === undefined ? [open("project", dir, tracked(counted))] : [
    open("project", beside, tracked(diskTree(beside))),
    open("package", dir, { ...counted, stamp: () => undefined }),
  ];
  const library = await openLibrary(openings, { project: beside ?? dir });
  const entry = resolveEntry(library, { name: "scout" });
  return {
    reads,
    config: async () => JSON.stringify((await findResolvers(library)).config()),
    ask: {
      execute: (message?: string, date = "2026-01-01") => executeEntry(library, entry, { message, date }),
      read: async () => (await readEntry(library, entry)).text,
      resource: async () => (await readResource(library, "bmad://bmm/agents/scout.md")).text!,
    },
  };
}

for (const kind of ["execute", "read", "resource"] as const) {
  Deno.test(
    verifies(
      "resources:kept",
      `${kind}: an edit is in the answer a moment later, and what we write ourselves at once`,
    ),
    () =>
      withTree(FILES, async (dir) => {
        const { ask, reads } = await openTracked(dir);
        const first = await ask[kind]();
        assert.match(first, /Look around/);
        reads.length = 0;
        assert.equal(await ask[kind](), first);
        assert.deepEqual(reads, []);
        const edit = (text: string) =>
          Deno.writeTextFile(`${dir}/_bmad/bmm/agents/scout.md`, `---\nname: scout\n---\n${text}\n`);
        await edit("Look twice.");
        await until("the edit is served", async () => /Look twice/.test(await ask[kind]()));
        await edit("Look a third time.");
        noteWrite();
        assert.match(await ask[kind](), /Look a third time/);
      }),
  );
}

Deno.test(
  verifies(
    "resources:kept",
    "scripts get the configuration without reading it again, and an edit a moment later",
  ),
  () =>
    withTree(FILES, async (dir) => {
      const { config, reads } = await openTracked(dir);
      const first = await config();
      assert.match(first, /Ann/);
      reads.length = 0;
      assert.equal(await config(), first);
      assert.deepEqual(reads, []);
      const edit = (name: string) =>
        Deno.writeTextFile(`${dir}/_bmad/bmm/config.yaml`, `user_name: ${name}\n`);
      await edit("Beate");
      await until("the edit is served", async () => (await config()).includes("Beate"));
      await edit("Cem Cole");
      noteWrite();
      assert.match(await config(), /Cem Cole/);
    }),
);

Deno.test(
  verifies("resources:kept", "an empty project beside content that never changes costs no answer"),
  () =>
    withTree({ ...FILES, "empty/notes.txt": "" }, async (dir) => {
      const { ask, reads } = await openTracked(dir, `${dir}/empty`);
      for (const kind of ["execute", "read", "resource"] as const) {
        const first = await ask[kind]();
        assert.match(first, /Look around/);
        reads.length = 0;
        assert.equal(await ask[kind](), first);
        assert.deepEqual(reads, [], kind);
      }
    }),
);

Deno.test(
  verifies("resources:kept", "another message or day gives another answer"),
  () =>
    withTree(FILES, async (dir) => {
      const { ask: { execute } } = await openTracked(dir);
      assert.match(await execute("one"), /user-prompt: "one"/);
      assert.match(await execute("two"), /user-prompt: "two"/);
      assert.doesNotMatch(await execute(), /user-prompt/);
      assert.match(await execute("one", "2026-01-02"), /date: '2026-01-02'/);
    }),
);
