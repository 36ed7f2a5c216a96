/** Is a project's memory whole again after `memory backup` and `memory restore`, and is nothing else ever lost? */
import assert from "node:assert/strict";
import { openSqlite } from "../../../src/project/kit/memory/store/sqlite.ts";
import { memoryOf, TERMS_ONLY } from "../../support/memories.ts";
import { assertFailed, runHere } from "../../support/program.ts";
import { startQdrant } from "../../support/qdrant.ts";
import { listTree, treeTest, withTree } from "../../support/trees.ts";

const NAME = { "project-context.yaml": "project:\n  name: Demo App\n" };
const EMPTY = { ...NAME, "_bmad/_memory/": "" };
const BLOG = { ...EMPTY, "project-context.yaml": "project:\n  name: Blog\n" };
const LOG = "# Decisions\n\n## 2026-02-27 — Tokens\n";
const FILES = {
  "_bmad/_memory/decisions-log.md": LOG,
  "_bmad/_memory/agent-learnings/dev.md": "- [2026-02-27] Zoé\r\n",
  "_bmad/_memory/.hidden.md": "a draft",
};
const FULL = { ...NAME, ...FILES };

type Env = Readonly<Record<string, string>>;

const run = (cwd: string, words: readonly string[], options: { env?: Env; stdin?: string } = {}) =>
  runHere(["memory", ...words, "--no-embedder"], { cwd, ...options });

/** What one command says, which must succeed. */
async function say(cwd: string, words: readonly string[], options?: { env?: Env; stdin?: string }) {
  const { code, stdout, stderr } = await run(cwd, words, options);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

const remember = (cwd: string, text: string, ...more: readonly string[]) =>
  say(cwd, ["remember", "--type", "decisions", "--agent", "dev", ...more, text]);

Deno.test("a project is restored from one file, memories and memory files alike [memory:backup]", () =>
  withTree({ ...under("shop", FULL), ...under("new", EMPTY) }, async (dir) => {
    const [shop, other] = [`${dir}/shop`, `${dir}/new`];
    await remember(shop, "Tokens live for 15 minutes", "--tags", "auth,jwt");
    await say(shop, ["remember", "--agent", "qa", "Zoé's\nsecond line"]);
    const file = `${dir}/memory.json`;
    assert.equal(
      await say(shop, ["backup", file]),
      `Wrote 2 memories and 2 files of _bmad/_memory to ${file}\n`,
    );
    if (Deno.build.os !== "windows") assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    const said = await say(other, ["restore", file]);
    assert.match(said, /^Restored 2 memories to .+: 2 new, 0 changed, 0 already there\n/);
    assert.match(said, /\nRestored 2 files to _bmad\/_memory: 2 new, 0 changed, 0 already there\n$/);
    assert.equal(await say(other, ["export"]), await say(shop, ["export"]));
    assert.deepEqual(memoryFiles(await listTree(other)), [
      "_bmad/_memory/agent-learnings/dev.md",
      "_bmad/_memory/decisions-log.md",
    ]);
    for (const path of memoryFiles(await listTree(other))) {
      assert.deepEqual(await Deno.readFile(`${other}/${path}`), await Deno.readFile(`${shop}/${path}`));
    }
    // The same again changes nothing, and through pipes it is the same backup.
    const piped = await say(shop, ["backup", "-"]);
    const data = JSON.parse(await say(other, ["restore", "-", "--json"], { stdin: piped }));
    assert.deepEqual([data.new, data.changed, data.same], [0, 0, 2]);
    assert.deepEqual(data.files, { new: 0, changed: 0, same: 2 });
  }));

treeTest("only --force replaces what differs [memory:backup]", FULL, async (dir) => {
  await remember(dir, "Tokens live for 15 minutes");
  await say(dir, ["backup", "memory.json"]);
  assertFailed(await run(dir, ["backup", "memory.json"]), 3, /memory\.json: it exists; --force replaces/);
  await remember(dir, "Tokens live for 15 minutes", "--tags", "auth");
  await remember(dir, "Something later");
  await Deno.writeTextFile(`${dir}/_bmad/_memory/decisions-log.md`, `${LOG}More\n`);
  await Deno.remove(`${dir}/_bmad/_memory/agent-learnings/dev.md`);
  const before = await say(dir, ["export"]);
  assertFailed(
    await run(dir, ["restore", "memory.json"]),
    2,
    /Not the same as in the backup: [\da-f]{8}, _bmad\/_memory\/decisions-log\.md\. Nothing was changed/,
  );
  assert.equal(await say(dir, ["export"]), before);
  assert.deepEqual(memoryFiles(await listTree(dir)), ["_bmad/_memory/decisions-log.md"]);
  const said = await say(dir, ["restore", "memory.json", "--force"]);
  assert.match(said, /: 0 new, 1 changed, 0 already there\n.*: 1 new, 1 changed, 0 already there\n$/);
  assert.equal(await Deno.readTextFile(`${dir}/_bmad/_memory/decisions-log.md`), LOG);
  const { items } = JSON.parse(await say(dir, ["list", "--json"]));
  const shown = items.map(({ text, tags }: { text: string; tags: string[] }) => [text, ...tags]);
  assert.deepEqual(shown.toSorted(), [["Something later"], ["Tokens live for 15 minutes"]]);
  assert.match(await say(dir, ["backup", "memory.json", "--force"]), /^Wrote 2 memories/);
  for (const words of [["backup", "b.json"], ["restore", "memory.json"]]) {
    assertFailed(await run(dir, [...words, "--read-only"]), 3, /--read-only is set/);
  }
});

Deno.test("a damaged or hostile backup is refused [memory:backup]", () =>
  withTree({ ...NAME, "_bmad/_memory/kept.md": "kept" }, async (dir) => {
    await remember(dir, "Tokens live for 15 minutes");
    const good = await say(dir, ["backup", "-"]);
    const state = async () => [await say(dir, ["export"]), await listTree(dir)];
    const before = await state();
    const rows: readonly (readonly [text: string, problem: RegExp])[] = [
      ["", /not a backup/],
      ["[]", /not a backup/],
      [await say(dir, ["export"]), /not a backup/],
      [good.slice(0, -20), /not a backup/],
      [good.replace("15 minutes", "51 minutes"), /damaged/],
      [good.replace("backup/1", "backup/2"), /newer version/],
      [await signed(good, (body) => delete body.files), /not complete/],
      [await signed(good, (body) => body.memories[0].type = "secrets"), /Entry 1 .* not a memory/],
      [await signed(good, (body) => body.memories.push(7)), /Entry 2 .* not a memory/],
      ...await Promise.all(
        HOSTILE_PATHS.map(async (path) =>
          [await signed(good, (body) => body.files.push({ path, text: "x" })), /no place/] as const
        ),
      ),
      [
        await signed(good, (body) => body.project = "bmad-other"),
        /of the project bmad-other, and this is/,
      ],
    ];
    for (const [text, problem] of rows) {
      assertFailed(await run(dir, ["restore", "-"], { stdin: text }), 2, problem);
    }
    assert.deepEqual(await state(), before);
    assertFailed(await run(dir, ["restore", "nothing.json"]), 2, /Cannot read nothing\.json/);
    assertFailed(await run(dir, ["restore"]), 2, /Missing FILE\. Usage: bmad-mcp memory restore FILE/);
  }));

treeTest("with --force, another project takes a backup over as its own memories [memory:backup]", {
  ...under("shop", FULL),
  ...under("blog", BLOG),
}, async (dir) => {
  await remember(`${dir}/shop`, "Tokens live for 15 minutes");
  await say(`${dir}/shop`, ["backup", "../memory.json"]);
  await say(`${dir}/blog`, ["restore", "../memory.json", "--force"]);
  // The same text again is known, because it has this project's id.
  assert.match(await remember(`${dir}/blog`, "Tokens live for 15 minutes"), /^Already known/);
});

Deno.test("a backup is made and restored while a server has the memories open [memory:backup]", () =>
  withTree(FULL, async (dir) => {
    const file = `${dir}/_bmad/_memory/memory.db`;
    const server = openSqlite({ file, readOnly: false }, TERMS_ONLY);
    try {
      const before = await memoryOf({ text: "Written before" });
      await server.remember([before]);
      assert.match(await say(dir, ["backup", "memory.json"]), /^Wrote 1 memory and/);
      await server.forget([before.id], {});
      await server.remember([await memoryOf({ text: "Written after" })]);
      assert.match(await say(dir, ["restore", "memory.json"]), /: 1 new, 0 changed, 0 already/);
      const texts = (await server.list({})).map(({ text }) => text);
      assert.deepEqual(texts.toSorted(), ["Written after", "Written before"]);
    } finally {
      server.close();
    }
  }));

Deno.test("memories on a Qdrant server are in the backup, and go back there [memory:backup]", () =>
  withTree(FULL, async (dir) => {
    await using one = startQdrant();
    await using two = startQdrant();
    const on = ({ url }: { readonly url: string }) => ({ env: { BMAD_QDRANT_URL: url } });
    await say(dir, ["remember", "Shared by the team"], on(one));
    assert.match(await say(dir, ["backup", "memory.json"], on(one)), /^Wrote 1 memory and 2 files/);
    assert.match(
      await say(dir, ["restore", "memory.json"], on(two)),
      /^Restored 1 memory to http:.*: 1 new/,
    );
    assert.deepEqual(two.texts(), ["Shared by the team"]);
  }));

Deno.test("a backup that is too large is refused as such, before anything is written [memory:large]", () =>
  withTree(EMPTY, async (dir) => {
    await remember(dir, "Tokens live for 15 minutes");
    const good = await say(dir, ["backup", "-"]);
    const before = await say(dir, ["export"]);
    const one = JSON.parse(good).memories[0];
    const large = await signed(good, (body) => {
      body.memories.push({ ...one, id: "small", text: "Small" }, {
        ...one,
        id: "large",
        text: "x".repeat(5 << 20),
      });
    });
    Deno.writeTextFileSync(`${dir}/large.json`, large);
    using file = Deno.openSync(`${dir}/huge.json`, { create: true, write: true });
    file.truncateSync(300 << 20);
    for (const name of ["large.json", "huge.json"]) {
      assertFailed(await run(dir, ["restore", name]), 2, /The backup is too large: /);
    }
    const many = await signed(good, (body) => {
      body.memories = Array.from({ length: 200_001 }, (_, at) => ({ ...one, id: `m${at}` }));
    });
    assertFailed(await run(dir, ["restore", "-"], { stdin: many }), 2, /The backup is too large: .*200000/);
    assert.equal(await say(dir, ["export"]), before);
  }));

const HOSTILE_PATHS = "../outside.md /etc/passwd a/../../b.md memory.db x/memory.db-wal .lock a//b.md nul.md"
  .split(" ");

function under(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

function memoryFiles(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => /^(.+_memory\/[^.].*\.md) \d+$/.exec(path)?.[1] ?? []);
}

/** A backup that was changed, with the checksum of what it holds now. */
// deno-lint-ignore no-explicit-any
async function signed(text: string, change: (body: any) => void): Promise<string> {
  const { format, created_at, sha256: _, ...body } = JSON.parse(text);
  change(body);
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  return JSON.stringify({ format, created_at, sha256, ...body });
}
