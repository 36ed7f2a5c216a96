/** Does `memlog.py` keep a log as BMAD's own script does? */
import assert from "node:assert/strict";
import { memlog } from "../../../src/project/scripts/memlog.ts";
import { runNative } from "../../support/scripts.ts";
import { treeTest, withTree } from "../../support/trees.ts";

treeTest("a value with spaces may stand behind `=` [work:script]", {}, async (root) => {
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
});

Deno.test("an appending script changes no other byte [work:flat-scripts]", async () => {
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
});

treeTest("no argument forges an entry or the fence of a log [work:hostile]", {}, async (root) => {
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
});
