/** Is every write to a file whole, or undone: wherever it stands in the sources, and whatever fails or is killed? */
import assert from "node:assert/strict";
import { openLogFile } from "../src/process/log_file.ts";
import { inPrivateFolder, STATE_WORDS } from "../src/process/private_folder.ts";
import { blankText } from "./support/source.ts";
import { cleanEnv, PROGRAM } from "./support/program.ts";
import { treeTest, withTree } from "./support/trees.ts";

/** Why a write cannot leave half of what somebody had. */
type Way =
  /** A new file, or the step that gives it its name. A killed program's is swept, or replaced by the next. */
  | "draft"
  /** At the end of a file, which gets its old length if the write fails. */
  | "put back"
  /** Whole lines of our own log: what was cut off stays a line of its own. */
  | "line"
  /** A file of ours without content: a lock, a note, a database that SQLite fills in transactions. */
  | "empty"
  /** An existing file or folder gets another name as a whole. */
  | "moved"
  /** In a folder that is a draft as a whole. */
  | "staging";

/** Every place that writes, in the order of each file. */
const PLACES: Readonly<Record<string, readonly (readonly [call: string, way: Way])[]>> = {
  "src/commands/clients/file_change.ts": [
    ["Deno.renameSync", "moved"],
    ["Deno.renameSync", "draft"],
    ["Deno.renameSync", "draft"],
    ["openSync", "draft"],
  ],
  "src/commands/merge_driver.ts": [["Deno.writeFileSync", "draft"], ["Deno.renameSync", "draft"]],
  "src/content/repositories/archive.ts": [["Deno.openSync", "staging"]],
  "src/content/repositories/fetching.ts": [["Deno.writeTextFile", "staging"]],
  "src/content/repositories/packages.ts": [["Deno.writeTextFileSync", "staging"]],
  "src/content/repositories/staging.ts": [
    ["Deno.renameSync", "moved"],
    ["Deno.writeTextFileSync", "draft"],
    ["Deno.renameSync", "draft"],
  ],
  "src/content/repositories/update.ts": [
    ["Deno.makeTempFileSync", "draft"],
    ["Deno.writeTextFileSync", "draft"],
    ["Deno.renameSync", "draft"],
  ],
  "src/process/lock.ts": [["Deno.openSync", "empty"]],
  "src/process/log_file.ts": [["Deno.writeTextFileSync", "line"], ["Deno.renameSync", "moved"]],
  "src/process/named_tokens.ts": [["Deno.renameSync", "draft"]],
  "src/process/private_folder.ts": [["Deno.openSync", "draft"], ["Deno.linkSync", "draft"]],
  "src/process/session_files.ts": [["Deno.writeTextFileSync", "draft"], ["Deno.renameSync", "draft"]],
  "src/process/session_note.ts": [["Deno.openSync", "empty"]],
  "src/project/files/write.ts": [
    ["Deno.renameSync", "draft"],
    ["Deno.openSync", "put back"],
    [".truncateSync", "put back"],
    ["Deno.openSync", "draft"],
    ["Deno.linkSync", "draft"],
    ["Deno.renameSync", "draft"],
    ["Deno.renameSync", "moved"],
    ["Deno.renameSync", "draft"],
    ["Deno.renameSync", "moved"],
  ],
  "src/project/kit/memory/store/stores.ts": [["Deno.renameSync", "moved"], ["Deno.openSync", "empty"]],
  "src/project/usage/mod.ts": [["Deno.rename", "draft"], ["Deno.open", "draft"]],
};

const WRITES =
  /\bDeno\s*\.\s*(?:write(?:Text)?File|open|create|copyFile|rename|link|symlink|truncate|makeTempFile)(?:Sync)?\b|(?<![\w.])(?:openSync|createWriteStream|appendFile(?:Sync)?)(?=\()|\.truncate(?:Sync)?(?=\()/g;
/** Opened for reading alone. */
const READS = /^\((?:[^{}()]|\{ read: true \})*\)/;

function placesIn(text: string): readonly string[] {
  const code = blankText(text);
  return [...code.matchAll(WRITES)].flatMap(({ 0: call, index }) => {
    const isReading = /^Deno.*open(?:Sync)?$/s.test(call) && READS.test(text.slice(index + call.length));
    return isReading ? [] : [call.replaceAll(/\s+/g, "")];
  });
}

Deno.test("every place that writes is known, with the way in which it is safe [disk:whole-writes]", () => {
  const root = new URL("../", import.meta.url);
  const found: Record<string, readonly string[]> = {};
  const gather = (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, root))) {
      const path = `${folder}${name}`;
      if (isDirectory) gather(`${path}/`);
      else if (name.endsWith(".ts")) {
        const calls = placesIn(Deno.readTextFileSync(new URL(path, root)));
        if (calls.length > 0) found[path] = calls;
      }
    }
  };
  gather("src/");
  const known = Object.entries(PLACES).map(([file, places]) => [file, places.map(([call]) => call)]);
  assert.deepEqual(found, Object.fromEntries(known), "a new one needs a row that says why it is safe");
});

Deno.test("a place that writes is found, and one that reads is not [disk:whole-writes]", () => {
  assert.deepEqual(placesIn('Deno.writeTextFileSync(path, "x");\nDeno\n  .copyFile(a, b);'), [
    "Deno.writeTextFileSync",
    "Deno.copyFile",
  ]);
  assert.deepEqual(
    placesIn("Deno.openSync(path, { append: true }); openSync(path, 'r+'); f.truncateSync(1)"),
    [
      "Deno.openSync",
      "openSync",
      ".truncateSync",
    ],
  );
  const reading = "Deno.openSync(path); Deno.openSync(path, { read: true }); // Deno.createSync(path)";
  assert.deepEqual(
    placesIn(`${reading}\nconst write = Deno.rename;`),
    ["Deno.rename"],
    "also without a call",
  );
});

const POSIX = { ignore: Deno.build.os === "windows" };
const LEDGER = "development_status:\n  epic-1: in-progress\n  1-1-a: ready-for-dev\n";

/** Runs the program where no file may be longer than some KiB, which is a full disk to it. */
async function runBounded(home: string, dir: string, kib: number, words: readonly string[]) {
  const script = `trap '' XFSZ; ulimit -f ${kib}; exec "$0" "$@"`;
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", script, PROGRAM.command, ...PROGRAM.args, ...words],
    cwd: dir,
    env: cleanEnv(`${home}/home`),
    clearEnv: true,
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, said: `${out}${err}` };
}

Deno.test("a journal that has no room for a line stays as it was [disk:whole-writes]", POSIX, async () => {
  const line = `${JSON.stringify({ at: "2026-01-01T00:00:00Z", text: "x".repeat(4_000) })}\n`;
  const journal = line + " ".repeat(4_096 - line.length - 20) + "\n";
  const tree = {
    "home/": "",
    "shop/_bmad/config.toml": '[core]\noutput_folder = "out"\n',
    "shop/out/implementation-artifacts/sprint-status.yaml": LEDGER,
    "shop/out/implementation-artifacts/work-log.jsonl": journal,
  };
  await withTree(tree, async (dir) => {
    const { code, said } = await runBounded(dir, `${dir}/shop`, 4, [
      "mark",
      "1-1",
      "in-progress",
      "--by",
      "ann",
    ]);
    const read = (path: string) => Deno.readTextFileSync(`${dir}/shop/out/implementation-artifacts/${path}`);
    assert.equal(read("work-log.jsonl"), journal, said);
    assert.equal(code, 0, said);
    assert.match(said, /Cannot write .*work-log\.jsonl: the file would be too large/);
    assert.match(read("sprint-status.yaml"), /1-1-a: in-progress/, "the mark stands");
  });
});

Deno.test("a ledger that has no room for its merge stays as it was [disk:whole-writes]", POSIX, async () => {
  const pad = `# ${"x".repeat(1_000)}\n`;
  const ours = LEDGER + pad;
  const tree = {
    "home/": "",
    "O": LEDGER,
    "A": ours,
    "B": LEDGER.replace("1-1-a", `${pad}  1-2-b: done\n  1-1-a`),
  };
  await withTree(tree, async (dir) => {
    const { code } = await runBounded(dir, dir, 1, [
      "merge-driver",
      "O",
      "A",
      "B",
      "7",
      "sprint-status.yaml",
    ]);
    assert.ok(code > 1, "git then merges it by itself");
    assert.equal(Deno.readTextFileSync(`${dir}/A`), ours);
    assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name).sort(), ["A", "B", "O", "home"]);
  });
});

treeTest("drafts of killed programs are swept by the next writer [disk:whole-writes]", {
  "home/.config/bmad-mcp/config.toml": "pack = []\n",
  "state/": "",
}, async (dir) => {
  const old = new Date(Date.now() - 3_600_000);
  const id = "01234567-89ab-4cde-8f01-23456789abcd";
  const config = `${dir}/home/.config/bmad-mcp`;
  const words = { ...STATE_WORDS, what: "tokens", renew: "" };
  inPrivateFolder(`${dir}/state/own`, words, "", () => {});
  const left = [`${config}/config.toml.0123abcd`, `${dir}/state/own/.${id}`];
  const others = [`${config}/config.toml.mine`, `${dir}/state/own/.hidden`];
  for (const path of [...left, ...others]) {
    Deno.writeTextFileSync(path, "half");
    Deno.utimeSync(path, old, old);
  }
  // Another program may be writing it now.
  others.push(`${dir}/state/own/.${id.replace("0", "1")}`);
  Deno.writeTextFileSync(others.at(-1)!, "half");
  inPrivateFolder(`${dir}/state/own`, words, "", () => {});
  const { code, stderr } = await new Deno.Command(PROGRAM.command, {
    args: [...PROGRAM.args, "config", "set", "pack", "none"],
    cwd: dir,
    env: { ...cleanEnv(`${dir}/home`), XDG_CONFIG_HOME: `${dir}/home/.config` },
    clearEnv: true,
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const isThere = (path: string) => Deno.statSync(path) !== undefined;
  for (const path of left) assert.throws(() => isThere(path), Deno.errors.NotFound, path);
  for (const path of others) assert.ok(isThere(path), path);
});

treeTest("what a full disk cut off is a line of its own in a log [disk:whole-writes]", {}, (dir) => {
  const log = openLogFile([`${dir}/logs/log`]);
  assert.throws(() => log("one"));
  Deno.mkdirSync(`${dir}/logs`);
  Deno.writeTextFileSync(`${dir}/logs/log`, "on");
  log("two");
  log("three");
  assert.equal(Deno.readTextFileSync(`${dir}/logs/log`), "on\ntwo\nthree\n");
  return Promise.resolve();
});
