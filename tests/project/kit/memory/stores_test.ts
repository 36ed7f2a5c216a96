/** Which file holds the memories of a read-only project, and do they all move when that changes? */
import assert from "node:assert/strict";
import type { MemoryPlan } from "../../../../src/settings/plan/mod.ts";
import { examineMemory, openStores } from "../../../../src/project/kit/memory/store/stores.ts";
import { memoryOf, PROJECT, TERMS_ONLY } from "../../../support/memories.ts";
import { CAN_MOUNT } from "../../../support/mounts.ts";
import { PROGRAM, runCli } from "../../../support/program.ts";
import { giveToSomebody, HAS_SOMEBODY, runAsSomebody } from "../../../support/somebody.ts";
import { listTree, treeTest, withTree } from "../../../support/trees.ts";
import { writeProgram } from "../../../support/programs.ts";

const FOLDERS = { "shop/_bmad/_memory/": "", "state/": "" };

/** The stores of those folders; files in the `refusing` ones claim to be read-only. */
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
  // Whatever is written next is newer, however fast this machine is.
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

treeTest("they continue in the user's folder [memory:read-only]", FOLDERS, async (folder) => {
  const IN_PROJECT = "shop/_bmad/_memory/memory.db", IN_STATE = "state/memory.db";
  assert.equal(await rememberIn(folder, "A"), IN_PROJECT);
  const before = await listTree(`${folder}/shop`);

  // Memories in the project are read there, and reading leaves no trace.
  assert.deepEqual(await known(folder, { refusing: ["shop"] }), ["A"]);
  assert.deepEqual(await known(folder, { mayWrite: false }), ["A"]);
  assert.equal(await rememberIn(folder, "B", ["shop"]), IN_STATE);
  assert.deepEqual(await listTree(`${folder}/shop`), before);

  // From then on all are in the user's folder, also for programs that may not write.
  await Deno.utime(`${folder}/${IN_PROJECT}`, 0, 0);
  assert.deepEqual(await known(folder, { refusing: ["shop"] }), ["A", "B"]);
  assert.deepEqual(await known(folder, { mayWrite: false }), ["A", "B"]);

  // Once the project is writable again, they move back.
  assert.equal(await rememberIn(folder, "C"), IN_PROJECT);
  assert.deepEqual(await known(folder, { refusing: ["state"] }), ["A", "B", "C"]);
  assert.deepEqual(await known(folder, { mayWrite: false }), ["A", "B", "C"]);
});

treeTest("a file that the system refuses to create, for whatever reason, is not used", {
  "file": "",
  "good/": "",
}, async (folder) => {
  const refused = [`${folder}/file/memory.db`, `${folder}/${"x".repeat(300)}/memory.db`];
  const good = `${folder}/good/memory.db`;
  for (const bad of refused) {
    const plan = { mayWrite: true, qdrant: undefined, embedder: "none", contentDir: "" } as const;
    const stores = openStores({ ...plan, files: [bad, good] }, PROJECT, TERMS_ONLY);
    assert.equal((await stores.forWriting()).location, good);
    stores.close();
    const none = openStores({ ...plan, files: [bad] }, PROJECT, TERMS_ONLY);
    await assert.rejects(none.forWriting(), { message: /memory\.db cannot be written\. Check/ });
    none.close();
  }
});

treeTest(
  "where nothing is writable, they are still read [memory:read-only]",
  FOLDERS,
  async (folder) => {
    await rememberIn(folder, "A");
    const refusing = ["shop", "state"];
    assert.deepEqual(await known(folder, { refusing }), ["A"]);
    await assert.rejects(rememberIn(folder, "B", refusing), {
      message:
        /shop\/_bmad\/_memory\/memory\.db and \S+\/state\/memory\.db cannot be written\. Check their permissions/,
    });
    assert.deepEqual(await known(folder), ["A"]);
  },
);

treeTest("a reader sees what other programs write", FOLDERS, async (folder) => {
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
});

treeTest("a deleted file is reported, and the next request is served without it", FOLDERS, async (folder) => {
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
  // A file that is deleted during the examination does not stop it.
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
});

treeTest("a reader of one file sees what another program then remembers in a better one", {
  "shop/_bmad/": "",
  "state/": "",
}, async (folder) => {
  await rememberIn(folder, "A", ["shop"]);
  for (const mayWrite of [true, false]) {
    const reader = openFolders(folder, { mayWrite });
    const texts = async () => (await (await reader.forReading()).list({})).map(({ text }) => text).toSorted();
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
});

treeTest(
  "an empty file counts as missing",
  { ...FOLDERS, "shop/_bmad/_memory/memory.db": "" },
  async (folder) => {
    assert.deepEqual(await known(folder, { mayWrite: false }), []);
    await rememberIn(folder, "A");
    assert.deepEqual(await known(folder), ["A"]);
  },
);

async function useMemory(folder: string, run: typeof runAsSomebody): Promise<void> {
  const options = { cwd: `${folder}/shop`, env: { XDG_STATE_HOME: `${folder}/state` } };
  const say = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await run(["memory", ...words, "--no-embedder", "--json"], options);
    assert.deepEqual([code, stderr], [0, ""]);
    return JSON.parse(stdout);
  };
  const before = await listTree(`${folder}/shop`);
  assert.equal((await say("remember", "B")).outcome, "new");
  const { total, items } = await say("list");
  assert.deepEqual([total, items.length], [2, 2]);
  assert.match((await say("status")).place, new RegExp(`^${folder}/state/bmad-mcp/memory/shop-`));
  assert.deepEqual(await listTree(`${folder}/shop`), before);
}

Deno.test("unwritable: memories are the user's [memory:read-only]", { ignore: !HAS_SOMEBODY }, async () => {
  await withTree(FOLDERS, async (folder) => {
    await rememberIn(folder, "A");
    const memory = `${folder}/shop/_bmad/_memory`;
    await giveToSomebody(folder);
    await Deno.chmod(`${memory}/memory.db`, 0o444);
    await Deno.chmod(memory, 0o555);
    await useMemory(folder, runAsSomebody).finally(() => Deno.chmod(memory, 0o755));
  });
});

const READ_ONLY_MOUNT = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec "$@"';

Deno.test("read-only disk: memories are the user's [memory:read-only]", { ignore: !CAN_MOUNT }, async () => {
  await withTree(FOLDERS, async (folder) => {
    await rememberIn(folder, "A");
    const command = `${folder}/state/mounted`;
    const script = `exec unshare -m sh -c '${READ_ONLY_MOUNT}' '${folder}/shop' '${PROGRAM.command}' "$@"`;
    writeProgram(command, `#!/bin/sh\n${script}\n`);
    await useMemory(folder, (args, options) => runCli(args, { ...options, command }));
  });
});
