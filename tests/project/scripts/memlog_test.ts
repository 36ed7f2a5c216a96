/**
 * Does `memlog.py` keep a log as BMAD's own script does?
 */
import assert from "node:assert/strict";
import { memlog } from "../../../src/project/scripts/memlog.ts";
import { sourceTree } from "../../support/installs.ts";
import { verifies } from "../../support/requirements.ts";
import { compareCases, NO_ORIGINALS, runNative } from "../../support/scripts.ts";
import { withTree } from "../../support/trees.ts";

Deno.test("a log grows at its end, and its fields change", () =>
  withTree({}, async (root) => {
    const run = async (...args: string[]) => await runNative(memlog, root, [...args, "--workspace", "out/w"]);
    const init = await run("init", "--field", "topic=Onboarding");
    assert.deepEqual(JSON.parse(init.stdout), { ok: true, memlog: "out/w/.memlog.md", entries: 0 });
    assert.equal((await run("init")).status, 2);
    await run("append", "--text", "two\n lines", "--type", "idea", "--by", "user");
    assert.equal(
      (await run("append", "--text", "plain")).stdout,
      '{"ok": true, "memlog": "out/w/.memlog.md", "entries": 2}\n',
    );
    await run("set", "--key", "goal", "--value", "more");
    const text = await Deno.readTextFile(`${root}/out/w/.memlog.md`);
    assert.match(
      text,
      /^---\ntopic: Onboarding\ngoal: more\nupdated: .{16}\n---\n\n- \(idea by user\) two lines\n- plain\n$/,
    );
  }));

Deno.test(
  verifies("work:script", "a value with spaces may stand behind `=`, as shells pass it on"),
  () =>
    withTree({}, async (root) => {
      const run = async (...args: string[]) =>
        await runNative(memlog, root, [...args, "--workspace=out/my work"]);
      await run("init", "--field=topic=Two words");
      for (const text of ["--text=two words", "--text=--by who", "--text= = "]) {
        const { status, stderr } = await run("append", text, "--by=Ann Lee");
        assert.equal(status, 0, stderr);
      }
      assert.match(
        await Deno.readTextFile(`${root}/out/my work/.memlog.md`),
        /^---\ntopic: Two words\n[^]*\n- \(by Ann Lee\) two words\n- \(by Ann Lee\) --by who\n- \(by Ann Lee\) =\n$/,
      );
      const unknown = await run("append", "--text", "- a dash", "--txt=words");
      assert.match(unknown.stderr, /^memlog\.py: error: unknown option "--txt"\. Did you mean --text\?$/m);
    }),
);

Deno.test("a log that is missing or malformed is reported, and nothing is written", () =>
  withTree({ "out/bad/.memlog.md": "no fence\n", "out/open/.memlog.md": "---\na: b\n" }, async (root) => {
    for (const folder of ["out/bad", "out/open", "out/none"]) {
      const { status, stdout } = await runNative(memlog, root, [
        "append",
        "--workspace",
        folder,
        "--text",
        "x",
      ]);
      assert.deepEqual([status, stdout], [1, ""]);
    }
    assert.equal(await Deno.readTextFile(`${root}/out/bad/.memlog.md`), "no fence\n");
  }));

Deno.test(
  verifies("work:flat-scripts", "where the project's own script only appends, no other byte changes"),
  async () => {
    const script = "import os\nflags = os.O_WRONLY | os.O_APPEND\n";
    const log = "---\r\nupdated: 2026-01-01T10:00\r\nodd line\r\n---\r\n\r\n- (idea) one\r\n\r\n\r\n- two";
    const skill = { name: "bmad", location: "bmad://core-tools/bmad", read: () => script };
    for (const skills of [[], [skill]]) {
      const own: Record<string, string> = skills.length === 0 ? { "_bmad/scripts/memlog.py": script } : {};
      await withTree({ ...own, "w/.memlog.md": log, "bad/.memlog.md": "- (idea) x\n" }, async (root) => {
        const run = async (folder: string, ...args: string[]) =>
          await runNative(memlog, root, [...args, "--workspace", folder], "", { skills });
        const { stdout } = await run("w", "append", "--text", "three\n more", "--by", "Ann");
        assert.equal(stdout, '{"ok": true, "memlog": "w/.memlog.md", "entries": 3}\n');
        await run("w", "append", "--text", "four");
        assert.equal(
          await Deno.readTextFile(`${root}/w/.memlog.md`),
          `${log}\n- (by Ann) three more\n- four\n`,
        );
        assert.equal((await run("bad", "append", "--text", "y")).status, 1);
        assert.equal((await run("none", "append", "--text", "y")).status, 1);
        assert.equal(await Deno.readTextFile(`${root}/bad/.memlog.md`), "- (idea) x\n");
        // Setting a field still stamps the log.
        await run("w", "set", "--key", "goal", "--value", "more");
        assert.doesNotMatch(await Deno.readTextFile(`${root}/w/.memlog.md`), /2026-01-01T10:00|odd line/);
      });
    }
  },
);

Deno.test(
  verifies("work:hostile", "no argument forges an entry or the fence of a log"),
  () =>
    withTree({}, async (root) => {
      const run = async (...args: string[]) => await runNative(memlog, root, [...args, "--path", "log.md"]);
      await run("init", "--field", "topic=a");
      const before = await Deno.readTextFile(`${root}/log.md`);
      for (const end of ["\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]) {
        const forged = `x${end}---${end}- forged`;
        for (const text of [forged, `x${end}`]) {
          const refused = [
            await run("append", "--text", "y", "--type", text),
            await run("append", "--text", "y", "--by", text),
            await run("set", "--key", text, "--value", "y"),
          ];
          for (const { status, stdout, stderr } of refused) {
            assert.deepEqual([status, stdout], [2, ""], JSON.stringify(text));
            assert.match(stderr, /^error: --(?:type|by|key) has several lines/);
          }
        }
        const field = ["init", "--path", "new.md", "--field", `${forged}=y`];
        assert.equal((await runNative(memlog, root, field)).status, 2);
        assert.equal(await Deno.readTextFile(`${root}/log.md`), before);
        // Values and texts are put on one line, as BMAD's own script does.
        await run("set", "--key", "topic", "--value", forged);
        assert.match(await Deno.readTextFile(`${root}/log.md`), /^---\ntopic: x --- - forged\nupdated: /);
        await run("append", "--text", forged);
        assert.match((await run("append", "--text", "y")).stdout, /"entries": 2}/);
        assert.match(await Deno.readTextFile(`${root}/log.md`), /\n- x --- - forged\n- y\n$/);
        await Deno.writeTextFile(`${root}/log.md`, before);
      }
      await assert.rejects(Deno.stat(`${root}/new.md`), Deno.errors.NotFound);
    }),
);

const LOG = "out/.memlog.md";
/** Line ends in types, names and keys are left out: BMAD's own script writes them, and reads several lines back. */
const CALLS: readonly (readonly string[])[] = [
  ["init", "--path", LOG, "--field", "topic=a: b", "--field", " goal = x=y "],
  ["init", "--path", LOG],
  ["init", "--workspace", "./out//two/../new", "--field", "a=b"],
  ["append", "--path", "out/./.memlog.md", "--text", "x"],
  ["init", "--workspace", "out/two", "--field", "none"],
  ["init", "--workspace", "out/three", "--path", LOG],
  ["append", "--path", LOG, "--text", "---"],
  ["append", "--path", LOG, "--text", "\u2028 spaced\u00a0out \u3000 ", "--by", "coach"],
  ["append", "--path", LOG, "--text", "\ufeff next\u0085line\u200b \u1680\u205f"],
  ["append", "--path", LOG, "--text", ""],
  ["append", "--path", LOG, "--text", "one word", "--type=note"],
  ["append", "--path", LOG],
  ["append", "--text", "x"],
  ["append", "--path", LOG, "--text", "-5"],
  ["append", "--path", LOG, "--text", "--x"],
  ["append", "--path", LOG, "--text", "- a dash and words"],
  ["append", "--path", LOG, "--text", "é 😀", "--type", "idée"],
  ["set", "--path", LOG, "--key", "updated", "--value", "never"],
  ["set", "--path", LOG, "--key", "topic", "--value", "two\nlines"],
  ["set", "--path", LOG, "--key", "with: colon", "--value", ""],
  ["append", "--path", "out/none.md", "--text", "x"],
  ["append", "--path", LOG, "--text", "x", "--type", " spaced "],
  ["append", "--path", LOG, "--text", "x", "--type", " ", "--by", " coach "],
  ["append", "--path", LOG, "--text", "x", "extra", "words"],
  ["append", "--path", LOG, "--text", "x", "--unknown", "y"],
  ["list"],
  [],
];

Deno.test({
  name: verifies("work:same-answers", "memlog.py answers as BMAD's own"),
  ignore: NO_ORIGINALS,
  fn: async () => {
    const original = `${await sourceTree("bmad-method@6.12.0")}/src/scripts/memlog.py`;
    const logs = [
      "---\ntopic: a: b\nupdated: then\n---\n\n- one\n",
      "---\r\na: b\r\n---\r\n- x\r\n",
      "---\n---\n",
      "---\na: b\n--- \n---\nbody\n\n\n- y\n",
      "\n---\n",
    ];
    await compareCases(
      memlog,
      original,
      [{}, ...logs.map((log) => ({ [LOG]: log }))].flatMap((files) => CALLS.map((args) => ({ files, args }))),
    );
  },
});
