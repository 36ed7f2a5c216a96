/** Does the doctor find the problems of a project's memory, and do its fixes work? */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Config } from "../../../src/app.ts";
import { memoryFix } from "../../../src/commands/doctor/memory.ts";
import { diagnose, type Plant, testPlant } from "../../support/plants.ts";
import { runCli } from "../../support/program.ts";
import { giveToSomebody, HAS_SOMEBODY, runAsSomebody } from "../../support/somebody.ts";
import { listTree, treeTest } from "../../support/trees.ts";

const FILE = "shop/_bmad/_memory/memory.db";
const FILES = {
  "shop/.claude/skills/bmad-good/SKILL.md": "---\nname: bmad-good\ndescription: A thing\n---\nDo it.\n",
  "shop/project-context.yaml": "project:\n  name: Demo App\n",
  "shop/_bmad/_memory/": "",
};

async function remember(dir: string, text: string, ...flags: readonly string[]): Promise<void> {
  const { code, stderr } = await runCli(["memory", "remember", text, ...flags], { cwd: `${dir}/shop` });
  assert.equal(code, 0, stderr);
}

function deadAddress(): string {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return `http://127.0.0.1:${listener.addr.port}`;
}

async function damage(path: string): Promise<void> {
  using file = await Deno.open(path, { read: true, write: true });
  const { size } = await file.stat();
  await file.seek(4_096, Deno.SeekMode.Start);
  await file.write(new Uint8Array(size - 8_192).fill(0xa5));
}

const PLANTS: readonly Plant[] = [
  {
    name: "a file of memories that is damaged",
    files: FILES,
    prepare: async (dir) => {
      await remember(dir, "JWT expiry must be 15 min", "--no-embedder");
      await damage(`${dir}/${FILE}`);
    },
    code: "memory-unavailable",
    level: "broken",
    message: /^\S+memory\.db: It is damaged\. Move it away, then import your last export or restore/,
    fix: /^Move it away, then import your last export: (?<command>mkdir \S+ && mv \S+\* \S+)$/,
  },
  {
    name: "a file in the place of memories that is none of ours",
    files: { ...FILES, [FILE]: "Dear diary, today nothing happened at all. ".repeat(50) },
    code: "memory-unavailable",
    level: "broken",
    message: /^\S+memory\.db: Not a memory database\. Move it away, and a new one is created$/,
    fix: /: (?<command>mkdir .*)$/,
  },
  {
    name: "a file of memories from a later version",
    files: FILES,
    prepare: async (dir) => {
      await remember(dir, "JWT expiry must be 15 min", "--no-embedder");
      const database = new DatabaseSync(`${dir}/${FILE}`);
      database.exec("PRAGMA user_version = 99");
      database.close();
    },
    code: "memory-unavailable",
    level: "broken",
    message: /^\S+memory\.db: It was written by a newer version of this program\. Update the program$/,
    fix: /^Update this program$/,
    // A newer program would know it.
    follow: (_, dir) => {
      const database = new DatabaseSync(`${dir}/${FILE}`);
      database.exec("PRAGMA user_version = 1");
      database.close();
      return Promise.resolve();
    },
    call: () => ({ args: ["--no-embedder"] }),
  },
  {
    name: "a file of memories that may not be read",
    files: FILES,
    prepare: async (dir) => {
      await remember(dir, "JWT expiry must be 15 min", "--no-embedder");
      await giveToSomebody(dir);
      await Deno.chmod(`${dir}/${FILE}`, 0o000);
    },
    ignore: !HAS_SOMEBODY,
    run: runAsSomebody,
    call: () => ({ args: ["--no-embedder"] }),
    code: "memory-unavailable",
    level: "broken",
    message: /^\S+memory\.db: It cannot be opened or written\. Check its permissions/,
    fix: /^Give this user read and write access: (?<command>chmod u\+rw \S+memory\.db)$/,
  },
  {
    name: "memories that were stored without an embedder",
    files: FILES,
    prepare: (dir) => remember(dir, "JWT expiry must be 15 min", "--no-embedder"),
    code: "no-vector",
    level: "look",
    message: /^Found by keywords only, without an embedding: 1 memory$/,
    fix: /^Embed them: bmad-mcp memory export \| bmad-mcp memory import$/,
    follow: async (_, dir) => {
      const cwd = `${dir}/shop`;
      const { stdout } = await runCli(["memory", "export"], { cwd });
      const { code, stderr } = await runCli(["memory", "import"], { cwd, stdin: stdout });
      assert.equal(code, 0, stderr);
    },
  },
  {
    name: "a Qdrant server that cannot be reached",
    files: FILES,
    call: () => ({ args: ["--qdrant-url", deadAddress()] }),
    code: "memory-unavailable",
    level: "broken",
    message: /^Qdrant at http:\/\/127\.0\.0\.1:\d+ cannot be reached: .* Check that it runs at this address$/,
    fix: /^Start the server or correct --qdrant-url; without a server, memories are stored in a file$/,
  },
  {
    name: "a server for embeddings that cannot be reached",
    files: FILES,
    call: () => ({ args: ["--embeddings-url", deadAddress(), "--embeddings-model", "small"] }),
    code: "embedder-unavailable",
    level: "look",
    message: /^Memories are found by keywords only: the embedding server http:\S+\/embeddings failed: /,
    fix: /^Start the server or correct --embeddings-url; (?<flag>--no-embedder) searches by keywords only$/,
    follow: ({ flag }, _, call) => Promise.resolve({ ...call, args: [flag!] }),
  },
];

PLANTS.forEach(testPlant);

treeTest("the doctor counts memories, and creates no file [cli:doctor]", FILES, async (dir) => {
  const memory = async () => JSON.parse((await diagnose(dir, { args: [], env: {} })).stdout).memory;
  const files = async () => (await listTree(`${dir}/shop/_bmad`)).map((line) => line.split(" ")[0]);
  const empty = await memory();
  assert.deepEqual([empty.isOn, empty.backend, empty.place, empty.total], [true, "sqlite", null, 0]);
  assert.deepEqual([empty.files[0], empty.model], [`${dir}/${FILE}`, "all-MiniLM-L6-v2"]);
  assert.deepEqual(await files(), ["_memory/"]);
  await remember(dir, "JWT expiry must be 15 min", "--type", "decisions");
  const filled = await memory();
  assert.deepEqual([filled.place, filled.total, filled.withoutVector], [`${dir}/${FILE}`, 1, 0]);
  assert.equal(filled.counts.decisions, 1);
  assert.deepEqual(await files(), ["_memory/", "_memory/memory.db"]);
});

treeTest("the doctor says that a server for memories refuses the key", FILES, async (dir) => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("Forbidden", { status: 403 }),
  );
  const call = { args: [], env: { BMAD_QDRANT_URL: `http://127.0.0.1:${server.addr.port}` } };
  const { problems, code } = await diagnose(dir, call);
  assert.deepEqual([code, problems.map(({ fix }) => fix)], [2, [
    "Set BMAD_QDRANT_API_KEY to a key that the server accepts",
  ]]);
});

Deno.test("shell commands are suggested only where that shell exists", () => {
  const config = { memory: undefined, provenance: {} as Config["provenance"] };
  for (const problem of ["damaged", "no-access"] as const) {
    const fault = { of: "store", problem, subject: "C:/Users/ann/memory.db", reason: "" } as const;
    for (const os of ["linux", "darwin"] as const) {
      assert.match(memoryFix(fault, config, () => "", os), /: (mkdir \S+ && mv \S+\* \S+|chmod u\+rw \S+)$/);
    }
    const words = memoryFix(fault, config, () => "", "windows");
    assert.match(words, /: (move|in the properties of) C:\/Users\/ann\/memory\.db, /);
    assert.doesNotMatch(words, /chmod|mkdir|mv |'/);
  }
});
