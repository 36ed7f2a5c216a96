/**
 * Which file are memories in when a project cannot be written, and does everything come along when that changes?
 *
 * Once with a file that says no, once as a user to whom the system says no, and once on a disk that is mounted to be
 * read alone; the last two where the machine lets a test do that.
 */
import assert from "node:assert/strict";
import type { MemoryPlan } from "../../../src/settings/plan/mod.ts";
import { examineMemory } from "../../../src/project/memory/health.ts";
import { openStores } from "../../../src/project/memory/store/stores.ts";
import { memoryOf, PROJECT, TERMS_ONLY } from "../../support/memories.ts";
import { CAN_MOUNT } from "../../support/mounts.ts";
import { runCli } from "../../support/program.ts";
import { verifies } from "../../support/requirements.ts";
import { giveToSomebody, HAS_SOMEBODY, runAsSomebody } from "../../support/somebody.ts";
import { listTree, withTree } from "../../support/trees.ts";

/** A project with a folder for its memory, and a state folder, in which nothing is yet. */
const FOLDERS = { "shop/_bmad/_memory/": "", "state/": "" };

/** Memories of those folders, where some files say that they cannot be written. */
function openFolders(folder: string, { mayWrite = true, refusing = [] as readonly string[] } = {}) {
  const files = [`${folder}/shop/_bmad/_memory/memory.db`, `${folder}/state/memory.db`];
  const plan: MemoryPlan = { files, mayWrite, qdrant: undefined, embedder: "none", contentDir: "" };
  const isWritable = (file: string) => !refusing.some((name) => file.includes(`/${name}/`));
  return openStores(plan, PROJECT, TERMS_ONLY, isWritable);
}

async function rememberIn(folder: string, text: string, refusing?: readonly string[]): Promise<string> {
  const stores = openFolders(folder, { refusing });
  const store = await stores.forWriting();
  await store.remember([await memoryOf({ text })]);
  stores.close();
  // Whatever is written next is written later, however fast this machine is.
  const past = new Date(Date.now() - 5_000);
  await Deno.utime(store.location!, past, past);
  return store.location!.slice(folder.length + 1);
}

async function known(folder: string, options: Parameters<typeof openFolders>[1] = {}) {
  const stores = openFolders(folder, options);
  const texts = (await (await stores.forReading()).list({})).map(({ text }) => text).toSorted();
  stores.close();
  return texts;
}

Deno.test(
  verifies("memory:read-only", "memories of a project that cannot be written go on in the user's folder"),
  () =>
    withTree(FOLDERS, async (folder) => {
      const IN_PROJECT = "shop/_bmad/_memory/memory.db", IN_STATE = "state/memory.db";
      assert.equal(await rememberIn(folder, "A"), IN_PROJECT);
      const before = await listTree(`${folder}/shop`);

      // What is in the project is read there, and leaves nothing beside it.
      assert.deepEqual(await known(folder, { refusing: ["shop"] }), ["A"]);
      assert.deepEqual(await known(folder, { mayWrite: false }), ["A"]);
      assert.equal(await rememberIn(folder, "B", ["shop"]), IN_STATE);
      assert.deepEqual(await listTree(`${folder}/shop`), before);

      // From then on it is all in the user's folder, for those who may not write, too.
      await Deno.utime(`${folder}/${IN_PROJECT}`, 0, 0);
      assert.deepEqual(await known(folder, { refusing: ["shop"] }), ["A", "B"]);
      assert.deepEqual(await known(folder, { mayWrite: false }), ["A", "B"]);

      // Once the project can be written again, it comes back.
      assert.equal(await rememberIn(folder, "C"), IN_PROJECT);
      assert.deepEqual(await known(folder, { refusing: ["state"] }), ["A", "B", "C"]);
      assert.deepEqual(await known(folder, { mayWrite: false }), ["A", "B", "C"]);
    }),
);

Deno.test(
  verifies(
    "memory:read-only",
    "where nothing at all can be written, memories are still read, and that is told",
  ),
  () =>
    withTree(FOLDERS, async (folder) => {
      await rememberIn(folder, "A");
      const refusing = ["shop", "state"];
      assert.deepEqual(await known(folder, { refusing }), ["A"]);
      await assert.rejects(rememberIn(folder, "B", refusing), {
        message: /neither the project's memory folder nor \S+\/state\/memory\.db is writable\. Everything/,
      });
      assert.deepEqual(await known(folder), ["A"]);
    }),
);

Deno.test("who only reads sees what others write meanwhile", () =>
  withTree(FOLDERS, async (folder) => {
    await rememberIn(folder, "A");
    const reader = openFolders(folder, { mayWrite: false });
    const texts = async () => (await (await reader.forReading()).list({})).map(({ text }) => text).toSorted();
    assert.deepEqual(await texts(), ["A"]);
    const writer = openFolders(folder);
    await (await writer.forWriting()).remember([await memoryOf({ text: "B" })]);
    assert.deepEqual(await texts(), ["A", "B"]);
    writer.close();
    await rememberIn(folder, "C");
    assert.deepEqual(await texts(), ["A", "B", "C"]);
    reader.close();
  }));

Deno.test("a file that is gone is told of in words, and the next who reads is served without it", () =>
  withTree(FOLDERS, async (folder) => {
    const file = `${folder}/${await rememberIn(folder, "A")}`;
    const reader = openFolders(folder, { mayWrite: false });
    const texts = async () => (await (await reader.forReading()).list({})).map(({ text }) => text);
    const store = await reader.forReading();
    assert.deepEqual(await texts(), ["A"]);
    await Deno.remove(file);
    await assert.rejects(store.list({}), {
      name: "BmadError",
      message: /memory\.db: It was deleted or moved\. Try again/,
    });
    assert.deepEqual(await texts(), []);
    await rememberIn(folder, "B");
    assert.deepEqual(await texts(), ["B"]);
    // One that goes while it is looked at does not stop the look.
    const going: typeof reader = {
      ...reader,
      forReading: async () => {
        const found = await reader.forReading();
        await Deno.remove(file);
        return found;
      },
    };
    const plan: MemoryPlan = {
      files: [file],
      mayWrite: false,
      qdrant: undefined,
      embedder: "none",
      contentDir: "",
    };
    const rankers = { ...TERMS_ONLY, description: "keywords only", close: () => {} };
    const { faults } = await examineMemory(going, rankers, plan, { isUsed: true });
    assert.deepEqual(faults.map(({ of }) => of), ["store"]);
    assert.deepEqual([faults[0]!.problem, faults[0]!.subject], ["deleted", file]);
    reader.close();
  }));

Deno.test("who has read in one place sees what another program then remembers in a better one", () =>
  withTree({ "shop/_bmad/": "", "state/": "" }, async (folder) => {
    await rememberIn(folder, "A", ["shop"]);
    for (const mayWrite of [true, false]) {
      const reader = openFolders(folder, { mayWrite });
      const texts = async () =>
        (await (await reader.forReading()).list({})).map(({ text }) => text).toSorted();
      assert.deepEqual(await texts(), ["A"]);
      await Deno.mkdir(`${folder}/shop/_bmad/_memory`);
      const writer = openFolders(folder);
      const store = await writer.forWriting();
      assert.match(store.location!, /_memory/);
      await store.remember([await memoryOf({ text: "B" })]);
      assert.deepEqual(await texts(), ["A", "B"]);
      writer.close();
      reader.close();
      await Deno.remove(`${folder}/shop/_bmad/_memory`, { recursive: true });
    }
  }));

Deno.test("a file that somebody only began to make is none", () =>
  withTree({ ...FOLDERS, "shop/_bmad/_memory/memory.db": "" }, async (folder) => {
    assert.deepEqual(await known(folder, { mayWrite: false }), []);
    await rememberIn(folder, "A");
    assert.deepEqual(await known(folder), ["A"]);
  }));

/** Has the program remember one thing and recall it, in a project that it cannot write. */
async function useMemory(folder: string, run: typeof runAsSomebody): Promise<void> {
  const options = { cwd: `${folder}/shop`, env: { XDG_STATE_HOME: `${folder}/state` } };
  const say = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await run(["memory", ...words, "--no-embedder", "--json"], options);
    assert.deepEqual([code, stderr], [0, ""]);
    return JSON.parse(stdout);
  };
  const before = await listTree(`${folder}/shop`);
  assert.equal((await say("remember", "B")).outcome, "new");
  const { total, memories } = await say("list");
  assert.deepEqual([total, memories.length], [2, 2]);
  assert.match((await say("status")).place, new RegExp(`^${folder}/state/bmad-mcp/memory/shop-`));
  assert.deepEqual(await listTree(`${folder}/shop`), before);
}

Deno.test({
  name: verifies(
    "memory:read-only",
    "a user who may not write the project has its memories in the own folder",
  ),
  ignore: !HAS_SOMEBODY,
  fn: () =>
    withTree(FOLDERS, async (folder) => {
      await rememberIn(folder, "A");
      const memory = `${folder}/shop/_bmad/_memory`;
      await giveToSomebody(folder);
      await Deno.chmod(`${memory}/memory.db`, 0o444);
      await Deno.chmod(memory, 0o555);
      await useMemory(folder, runAsSomebody).finally(() => Deno.chmod(memory, 0o755));
    }),
});

/** Runs something where a folder, which is the first word, is mounted to be read alone. */
const READ_ONLY_MOUNT = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec "$@"';

Deno.test({
  name: verifies("memory:read-only", "on a disk that cannot be written, memories are in the user's folder"),
  ignore: !CAN_MOUNT,
  fn: () =>
    withTree(FOLDERS, async (folder) => {
      await rememberIn(folder, "A");
      const command = `${folder}/state/mounted`;
      const script = `exec unshare -m sh -c '${READ_ONLY_MOUNT}' '${folder}/shop' '${Deno.execPath()}' "$@"`;
      await Deno.writeTextFile(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      await useMemory(folder, (args, options) => runCli(args, { ...options, command }));
    }),
});
