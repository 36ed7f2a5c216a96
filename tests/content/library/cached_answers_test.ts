/**
 * Is an answer given again only while it is still right?
 *
 * Each answer is asked for, asked for again (which must not read), and again after an edit that nothing announced. That
 * an answer is never older than its request is tested in tests/serve/mcp/fresh_answers_test.ts.
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
import { diskTree, expireChecks, type Tree } from "../../../src/content/tree/mod.ts";
import { treeTest } from "../../support/trees.ts";

const FILES = {
  "_bmad/bmm/config.yaml": "user_name: Ann\n",
  "_bmad/bmm/agents/scout.md": "---\nname: scout\ndescription: Finds\n---\nLook around.\n",
};

/** Opens a library of a folder; `beside` is a project with nothing in it, and the folder then has what never changes. */
async function openTracked(dir: string, beside?: string) {
  const now = () => Date.now() + 60_000;
  const disk = diskTree(dir, { now });
  const reads: string[] = [];
  const counted = { ...disk, read: (path: string) => (reads.push(path), disk.read(path)) };
  const open = (kind: "project" | "package", location: string, tree: Tree) => ({
    origin: { id: kind, kind, priority: kind === "project" ? 2 : 1, location },
    tree,
    use: "project" as const,
  });
  const openings = beside === undefined
    ? [open("project", dir, counted)]
    : [open("project", beside, diskTree(beside, { now })), open("package", dir, counted)];
  const library = await openLibrary(openings, { project: beside ?? dir });
  const entry = resolveEntry(library, { name: "scout" });
  return {
    reads,
    ask: {
      config: async () => JSON.stringify((await findResolvers(library)).config()),
      execute: (message?: string, date = "2026-01-01") => executeEntry(library, entry, { message, date }),
      read: async () => (await readEntry(library, entry)).text,
      resource: async () => (await readResource(library, "bmad://bmm/agents/scout.md")).text!,
    },
  };
}

const AGENT = [
  "agents/scout.md",
  "---\nname: scout\n---\nLook twice.\n",
  /Look around/,
  /Look twice/,
] as const;

/** The file that is edited, its new text, and what an answer contains before and afterwards. */
const EDITS = {
  execute: AGENT,
  read: AGENT,
  resource: AGENT,
  config: ["config.yaml", "user_name: Beate\n", /Ann/, /Beate/],
} as const;

for (const [kind, [path, text, before, after]] of Object.entries(EDITS)) {
  treeTest(`${kind}: an answer is kept until the next edit [resources:kept]`, FILES, async (dir) => {
    const { ask, reads } = await openTracked(dir);
    const answer = () => ask[kind as keyof typeof EDITS]();
    const first = await answer();
    assert.match(first, before);
    reads.length = 0;
    expireChecks();
    assert.equal(await answer(), first);
    assert.deepEqual(reads, []);
    await Deno.writeTextFile(`${dir}/_bmad/bmm/${path}`, text);
    expireChecks();
    assert.match(await answer(), after);
  });
}

for (const kind of ["execute", "resource"] as const) {
  const [path, text, before, after] = EDITS[kind];
  treeTest(`${kind}: requests that come together share one reading`, FILES, async (dir) => {
    const alone = await openTracked(dir);
    await alone.ask[kind]();
    const { ask, reads } = await openTracked(dir);
    const together = Array.from({ length: 20 }, () => (expireChecks(), ask[kind]()));
    await Promise.all(together);
    assert.deepEqual(reads, alone.reads);
  });

  treeTest(`${kind}: who asks after an edit does not get what was read before it`, FILES, async (dir) => {
    const { ask, reads } = await openTracked(dir);
    const edited = Promise.withResolvers<string>();
    const push = reads.push.bind(reads);
    reads.push = (name) => {
      // The reading that has begun has the old text: it is edited right behind.
      if (name.endsWith(path)) {
        reads.push = push;
        queueMicrotask(() => {
          Deno.writeTextFileSync(`${dir}/_bmad/bmm/${path}`, text);
          expireChecks();
          edited.resolve(ask[kind]());
        });
      }
      return push(name);
    };
    const [first] = await Promise.all([ask[kind](), edited.promise]);
    assert.match(await edited.promise, after);
    assert.match(first, before);
  });
}

treeTest("an empty project beside content that never changes costs no answer [resources:kept]", {
  ...FILES,
  "empty/notes.txt": "",
}, async (dir) => {
  const { ask, reads } = await openTracked(dir, `${dir}/empty`);
  for (const kind of ["execute", "read", "resource"] as const) {
    const first = await ask[kind]();
    assert.match(first, /Look around/);
    reads.length = 0;
    expireChecks();
    assert.equal(await ask[kind](), first);
    assert.deepEqual(reads, [], kind);
  }
});

treeTest("another message or day gives another answer [resources:kept]", FILES, async (dir) => {
  const { ask: { execute } } = await openTracked(dir);
  assert.match(await execute("one"), /user-prompt: "one"/);
  assert.match(await execute("two"), /user-prompt: "two"/);
  assert.doesNotMatch(await execute(), /user-prompt/);
  assert.match(await execute("one", "2026-01-02"), /date: '2026-01-02'/);
});
