/**
 * Does a memory file survive killed programs and full disks?
 *
 * Short by default; with `BMAD_MCP_SOAK=1` as long as promised: 20 times 1,000 writes.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { watchFolders } from "../../../../src/content/origins/mod.ts";
import { diskTree, findBytes } from "../../../../src/content/tree/mod.ts";
import { openSqlite } from "../../../../src/project/kit/memory/store/sqlite.ts";
import { openStores } from "../../../../src/project/kit/memory/store/stores.ts";
import { memoryOf, TERMS_ONLY } from "../../../support/memories.ts";
import { CAN_MOUNT } from "../../../support/mounts.ts";
import { checkKept, race, startChanging } from "../../../support/property.ts";
import { POSIX } from "../../../support/run.ts";
import { treeTest, withTree } from "../../../support/trees.ts";
import { until } from "../../../support/waiting.ts";

const IS_LONG = Deno.env.get("BMAD_MCP_SOAK") === "1";
const ROUNDS = IS_LONG ? 20 : 4;
const WRITES = 1_000;
const WRITER = fileURLToPath(new URL("../../../support/memory_writer.ts", import.meta.url));

const writerArgs = (
  file: string,
  name: string,
  count = WRITES,
) => ["run", "--no-prompt", "-A", WRITER, file, name, String(count)];

async function writeAll(file: string, name: string, count = WRITES): Promise<readonly string[]> {
  const args = writerArgs(file, name, count);
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
  return linesOf(stdout);
}

const linesOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim().split("\n");

function checkFile(file: string): readonly string[] {
  const database = new DatabaseSync(file);
  try {
    assert.deepEqual({ ...database.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
    return database.prepare("SELECT text FROM memory ORDER BY number").all().map(({ text }) => String(text));
  } finally {
    database.close();
  }
}

treeTest(
  "programs that create it at the same time all get it [memory:shared-file]",
  {},
  async (folder) => {
    const file = `${folder}/memory.db`;
    // SQLite refuses at once to start its log while another program is about to write.
    const source = `
        import { DatabaseSync } from "node:sqlite";
        const database = new DatabaseSync(${JSON.stringify(file)});
        database.exec("BEGIN IMMEDIATE");
        self.postMessage("writing");
        setTimeout(() => database.close(), 300);`;
    const worker = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, { type: "module" });
    try {
      await new Promise((resolve) => worker.onmessage = resolve);
      const store = openSqlite({ file, readOnly: false }, TERMS_ONLY);
      await store.remember([await memoryOf({ text: "both have it" })]);
      store.close();
    } finally {
      worker.terminate();
    }
    assert.deepEqual(checkFile(file), ["both have it"]);
  },
);

// Windows has no such signal.
Deno.test("a killed program loses no acknowledged memory [memory:durable]", POSIX, async () => {
  await withTree({}, async (folder) => {
    const file = `${folder}/memory.db`;
    await race({
      processes: 1,
      kills: ROUNDS - 1,
      // More than it can write until it is killed.
      start: (at) => startChanging(writerArgs(file, `round ${at}`, 10 * WRITES)),
      wanted: (round) => 1 + Math.floor((round * 0.37 % 1) * 0.9 * WRITES),
      compare: (said) => checkKept(said, checkFile(file)),
    });
    const store = openSqlite({ file, readOnly: false }, TERMS_ONLY);
    const { hits } = await store.recall({ query: "round 3", limit: 5 });
    assert.equal(hits.length, 5);
    store.close();
  });
});

treeTest(
  "two programs that write at the same time lose nothing [memory:shared-file]",
  {},
  async (folder) => {
    const file = `${folder}/memory.db`;
    const kept = (await Promise.all(["left", "right"].map((name) => writeAll(file, name)))).flat();
    assert.equal(kept.length, 2 * WRITES);
    checkKept(kept, checkFile(file));
  },
);

const MEMORY = "_bmad/_memory/memory.db";

/**
 * What a program does beside its memory. On POSIX systems, closing any descriptor of a file drops all locks of the
 * process on it: the next program that ends would believe to be the last, and delete the log under this one.
 */
const DEEDS: Readonly<Record<string, (folder: string, file: string) => Promise<unknown>>> = {
  "watches its folder": async (folder, file) => {
    let hints = 0;
    const stop = watchFolders([`${folder}/_bmad/_memory`, `${folder}/link`, folder], () => hints++);
    await writeAll(file, "first", 1);
    await Deno.writeTextFile(`${folder}/notes.md`, "Changed");
    await until("the system reports a change", () => hints > 0);
    stop();
  },
  "reads the project's files": (folder) => {
    const tree = diskTree(folder), paths = ["", "-wal", "-shm"].map((ending) => `${MEMORY}${ending}`);
    const found = [...paths, "notes.txt"].filter((path) => findBytes(tree, path) !== undefined);
    return Promise.resolve(assert.deepEqual(found, []));
  },
  "opens it again": async (_, file) => {
    for (const readOnly of [false, true]) {
      const again = openSqlite({ file, readOnly }, TERMS_ONLY);
      assert.equal((await again.list({})).length, 1);
      again.close();
    }
  },
  "asks whether it is writable": async (folder, file) => {
    const plan = {
      files: [file],
      mayWrite: true,
      qdrant: undefined,
      embedder: "none",
      contentDir: folder,
    } as const;
    const stores = openStores(plan, "demo", TERMS_ONLY);
    assert.equal((await (await stores.forWriting()).list({})).length, 1);
    stores.close();
  },
};

/** Whether this process has a lock on a file; SQLite has one for as long as it has the file open. */
async function isLocked(file: string): Promise<boolean> {
  const { ino } = await Deno.stat(file);
  const locks = (await Deno.readTextFile("/proc/locks")).split("\n").map((line) => line.split(/\s+/));
  return locks.some((words) => words[4] === String(Deno.pid) && words[5]?.split(":")[2] === String(ino));
}

for (const [name, act] of Object.entries(DEEDS)) {
  Deno.test(`a program that ${name} keeps its hold on the memory [memory:shared-file]`, POSIX, async () => {
    await withTree({ "_bmad/_memory/": "", "notes.md": "" }, async (folder) => {
      const file = `${folder}/${MEMORY}`;
      const store = openSqlite({ file, readOnly: false }, TERMS_ONLY);
      await store.remember([await memoryOf({ text: "before" })]);
      await Deno.symlink(MEMORY, `${folder}/notes.txt`);
      await Deno.symlink("_bmad/_memory", `${folder}/link`);
      await act(folder, file);
      if (Deno.build.os === "linux") {
        for (const each of [file, `${file}-shm`]) assert.ok(await isLocked(each), `no lock on ${each}`);
      }
      await writeAll(file, "other", 1);
      assert.ok((await Deno.stat(`${file}-wal`)).size > 0);
      await store.remember([await memoryOf({ text: "after" })]);
      const texts = ["before", "other remembers number 0", "after"];
      assert.deepEqual(texts.filter((text) => !checkFile(file).includes(text)), []);
      store.close();
    });
  });
}

Deno.test("a full disk is reported, and saved memories stay intact [memory:durable]", POSIX, async () => {
  await withTree({}, async (folder) => {
    const file = `${folder}/memory.db`;
    // No file may exceed 200 blocks: to a program, that is a full disk.
    const script = `trap '' XFSZ; ulimit -f 200; exec "$0" "$@"`;
    const args = ["-c", script, Deno.execPath(), ...writerArgs(file, "full", 5_000)];
    const { stdout, stderr, success } = await new Deno.Command("bash", {
      args,
      env: { DENO_NO_UPDATE_CHECK: "1" },
    }).output();
    const lines = linesOf(stdout);
    assert.ok(success, new TextDecoder().decode(stderr));
    assert.match(
      lines.at(-1)!,
      /^! Project memory is unavailable: .*memory\.db: The disk is full.* Saved memories are safe\. Everything else still works$/,
    );
    const found = checkFile(file);
    assert.equal(found.length, lines.length - 1);
    assert.ok(found.length > 1);
    const store = openSqlite({ file, readOnly: false }, TERMS_ONLY);
    assert.deepEqual((await store.remember([await memoryOf({ text: "There is room again" })])).outcomes, [
      "new",
    ]);
    store.close();
  });
});

/** Mounts a disk of half a megabyte at the first argument, runs the rest, and copies the files to the second. */
const ON_SMALL_DISK =
  'mount -t tmpfs -o size=512k none "$0" || exit 9; out=$1; shift; "$@"; code=$?; cp "$0"/* "$out"; exit $code';

Deno.test("a full disk is reported, memories stay [memory:durable]", { ignore: !CAN_MOUNT }, async () => {
  await withTree({ "disk/": "", "copy/": "" }, async (folder) => {
    const writer = [Deno.execPath(), ...writerArgs(`${folder}/disk/memory.db`, "full", 5_000)];
    const { stdout, success } = await new Deno.Command("unshare", {
      args: ["-m", "sh", "-c", ON_SMALL_DISK, `${folder}/disk`, `${folder}/copy`, ...writer],
      stderr: "inherit",
    }).output();
    assert.ok(success);
    const lines = linesOf(stdout);
    assert.match(
      lines.at(-1)!,
      /^! Project memory is unavailable: .*memory\.db: The disk is full.* Saved memories are safe\./,
    );
    const found = checkFile(`${folder}/copy/memory.db`);
    assert.deepEqual(found, lines.slice(0, -1));
    assert.ok(found.length > 10, `${found.length} were kept`);
  });
});

treeTest(
  "a file that has room for no more memories says so, and can still be read and emptied",
  {},
  async (folder) => {
    const file = `${folder}/memory.db`;
    openSqlite({ file, readOnly: false }, TERMS_ONLY).close();
    const database = new DatabaseSync(file);
    database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
      INSERT INTO memory SELECT i, i, 'decisions', 'a', 'b', '[]', 'p', '2026' FROM n`);
    database.close();
    const store = openSqlite({ file, readOnly: false }, TERMS_ONLY);
    const memory = await memoryOf({ text: "One too many" });
    await assert.rejects(store.remember([memory]), /room for 200000 memories\. Delete some/);
    assert.equal(await store.forget(["77"], {}), 1);
    assert.deepEqual((await store.remember([memory])).outcomes, ["new"]);
    store.close();
  },
);

treeTest("a foreign file, or one from a later version, is left alone and reported", {
  "other.db": "This is a diary, and no database at all. ".repeat(20),
}, (folder) => {
  assert.throws(
    () => openSqlite({ file: `${folder}/other.db`, readOnly: false }, TERMS_ONLY),
    /Not a memory database\. Move it away/,
  );
  const later = new DatabaseSync(`${folder}/later.db`);
  later.exec("PRAGMA user_version = 99");
  later.close();
  assert.throws(
    () => openSqlite({ file: `${folder}/later.db`, readOnly: false }, TERMS_ONLY),
    /newer version of this program/,
  );
  assert.throws(
    () => openSqlite({ file: `${folder}/missing/x.db`, readOnly: false }, TERMS_ONLY),
    /cannot be opened/,
  );
});
