/** What do people and programs see of a list? */
import assert from "node:assert/strict";
import { escapeControls, oneLine, safeText } from "../../../src/base/text.ts";
import { printDiff } from "../../../src/commands/cli/diff.ts";
import { cutTo, padTo, widthOf } from "../../../src/commands/cli/screen.ts";
import { runHere } from "../../support/program.ts";
import { POSIX } from "../../support/run.ts";
import { runShell } from "../../support/shell.ts";
import { HAS_TERMINAL, runOnTerminal } from "../../support/terminal.ts";
import { withTree } from "../../support/trees.ts";

const ESCAPE = "\x1b";

Deno.test("a character takes as many columns as on a terminal", () => {
  const table: readonly (readonly [text: string, columns: number])[] = [
    ["", 0],
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["日本語", 6],
    ["한국", 4],
    ["📊", 2],
    ["🏗️", 2],
    ["👩‍💻", 2],
    ["🇫🇷", 2],
    ["a\u200bb", 2],
  ];
  for (const [text, columns] of table) assert.equal(widthOf(text), columns, JSON.stringify(text));
});

Deno.test("a text is cut and padded by columns, never within a character", () => {
  assert.equal(cutTo("日本語です", 10), "日本語です");
  assert.equal(cutTo("日本語です", 6), "日本…");
  assert.equal(cutTo("👩‍💻 codes", 4), "👩‍💻…");
  assert.equal(cutTo("a long way", 7), "a long…");
  assert.equal(padTo("日本", 6, "left"), "日本  ");
  assert.equal(padTo("12", 4, "right"), "  12");
});

Deno.test("control characters are shown as symbols", () => {
  assert.equal(safeText("a\x1b[2Jb\x07\r\nc\td\x9b"), "a␛[2Jb␇\nc\td\ufffd");
  assert.equal(safeText("a\rb \u202egnp.exe"), "a␍b \ufffdgnp.exe");
  assert.equal(oneLine("  a\n\tb\x1b]0;title\x07 "), "a b␛]0;title␇");
  const value = { "a\x9b": "\u202eb\n\x7f" };
  const json = escapeControls(JSON.stringify(value, null, 2));
  assert.equal(json, '{\n  "a\\u009b": "\\u202eb\\n\\u007f"\n}');
  assert.deepEqual(JSON.parse(json), value);
});

Deno.test("a diff on a terminal has our colours and no control characters of others", () => {
  let shown = "";
  const host = {
    terminal: { stdin: true, stdout: true, stderr: true },
    colours: { stdout: true, stderr: true },
    writeOut: (text: string) => void (shown += text),
  };
  printDiff(host, `+++ b\n+new ${ESCAPE}[2J\n-old\n same\n`);
  assert.equal(
    shown,
    `${ESCAPE}[2m+++ b${ESCAPE}[22m\n${ESCAPE}[32m+new ␛[2J${ESCAPE}[39m\n${ESCAPE}[31m-old${ESCAPE}[39m\n same\n`,
  );
});

const skill = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\nDo it.${ESCAPE}[31m\n`;
const WICKED = `Red ${ESCAPE}[31m and ${ESCAPE}]0;owned\x07 \u202etxt`;
const SKILLS = {
  ".claude/skills/bmad-café/SKILL.md": skill("bmad-café", "Kaffee 📊 mit Milch ".repeat(12)),
  ".claude/skills/bmad-日本語/SKILL.md": skill("bmad-日本語", "日本語の説明です。".repeat(20)),
  ".claude/skills/bmad-plain/SKILL.md": skill("bmad-plain", WICKED),
};
// Deno itself draws on stderr while it loads a program.
const LIST = "bmad-mcp list skills --pack none 2>/dev/null";

Deno.test("a list on a terminal fits it [cli:plain-when-piped]", { ignore: !HAS_TERMINAL }, async () => {
  await withTree(SKILLS, async (cwd) => {
    for (const columns of [60, 100, 200]) {
      const { code, text } = await runOnTerminal(LIST, { cwd, columns, env: { NO_COLOR: "1" } });
      assert.equal(code, 0);
      const lines = text.trimEnd().split("\n");
      assert.equal(lines.length, 4, text);
      assert.match(lines[0]!, /^NAME +CATEGORY +(SOURCE +)?ABOUT$/);
      const starts = lines.map((line) => {
        const at = /ABOUT|Kaffee|日本語の|Red/.exec(line)!.index;
        return widthOf(line.slice(0, at));
      });
      assert.deepEqual(new Set(starts), new Set([starts[0]]), text);
      for (const line of lines) assert.ok(widthOf(line) <= columns, `${widthOf(line)}: ${line}`);
      assert.equal(/SOURCE/.test(lines[0]!), columns > 60, "if space is short, the text needs it");
      assert.ok(!text.includes(ESCAPE) && !text.includes("\x07") && !text.includes("\u202e"), text);
    }
  });
});

Deno.test("facts are wrapped on a terminal and cannot control it", { ignore: !HAS_TERMINAL }, async () => {
  await withTree(SKILLS, async (cwd) => {
    const options = { cwd, columns: 60, env: { NO_COLOR: "1" } };
    const sheet = await runOnTerminal("bmad-mcp show bmad-日本語 --pack none 2>/dev/null", options);
    for (const line of sheet.text.split("\n").filter((line) => /^(name|kind|version) /.test(line))) {
      assert.match(line, /^\w+ +\S/);
    }
    const raw = await runOnTerminal("bmad-mcp show bmad-plain --raw --pack none 2>/dev/null", options);
    assert.match(raw.text, /\nDo it\.␛\[31m\n$/);
    assert.ok(!raw.text.includes(ESCAPE));
    const executed = await runOnTerminal("bmad-mcp execute bmad-plain --pack none", options);
    assert.match(executed.text, /This text is for the model of a client\.[^]*\n {2}bmad-mcp install\n$/);
    // A program gets the bytes of the file.
    const piped = await runHere(["show", "bmad-plain", "--raw", "--pack", "none"], { cwd });
    assert.ok(piped.stdout.endsWith(`Do it.${ESCAPE}[31m\n`));
  });
});

Deno.test("a list in a pipe has one line per item, whatever its texts contain [cli:plain-when-piped]", () =>
  withTree(SKILLS, async (cwd) => {
    const { stdout } = await runHere(["list", "skills", "--pack", "none"], { cwd });
    const lines = stdout.trimEnd().split("\n");
    assert.deepEqual(lines.map((line) => line.split("\t").length), [2, 2, 2]);
    assert.ok(!stdout.includes(ESCAPE), stdout);
  }));

Deno.test({
  name: "colours are for terminals, and NO_COLOR, FORCE_COLOR and CI count [cli:plain-when-piped]",
  ignore: !HAS_TERMINAL,
  fn: async (t) => {
    const onTerminal: readonly (readonly [Readonly<Record<string, string>>, boolean])[] = [
      [{}, true],
      [{ NO_COLOR: "1" }, false],
      [{ NO_COLOR: "1", FORCE_COLOR: "1" }, false],
      [{ FORCE_COLOR: "0" }, false],
      [{ CI: "true" }, false],
      [{ CI: "true", FORCE_COLOR: "1" }, true],
      [{ TERM: "dumb" }, false],
    ];
    for (const [env, isColoured] of onTerminal) {
      await t.step(JSON.stringify(env), async () => {
        const { text } = await runOnTerminal("bmad-mcp list modules", { env });
        assert.equal(text.includes(`${ESCAPE}[1m`), isColoured, text);
      });
    }
  },
});

Deno.test("a full disk behind stdout is one sentence", { ignore: Deno.build.os !== "linux" }, async () => {
  const { code, stderr } = await runShell("bmad-mcp list agents > /dev/full");
  assert.deepEqual([code, stderr], [
    3,
    "bmad-mcp: Cannot write the output: the disk is full. Free some space and try again\n",
  ]);
});

Deno.test("a reader that stops early is not a failure", POSIX, async () => {
  const { code, stdout, stderr } = await runShell(
    "set -o pipefail; bmad-mcp list resources --limit 100000 | head -1",
  );
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^bmad:\/\/[^\n]*\n$/);
});

const SHOP = {
  "shop/bmad/bmm/agents/architect.md": "---\nname: architect\ndescription: Ours\n---\nDraw.\n",
  "team/bmm/agents/architect.md": "---\nname: architect\ndescription: Theirs\n---\nDraw twice.\n",
  "team/bmm/agents/scribe.md": "---\nname: scribe\ndescription: Writes\n---\nWrite.\n",
};

Deno.test("one source can be listed alone, including what another one overrides [cli:browse]", () =>
  withTree(SHOP, async (dir) => {
    const run = async (...args: readonly string[]) => {
      const settings = ["--path", `${dir}/team`, "--pack", "none"];
      const { code, stdout, stderr } = await runHere([...args, ...settings], { cwd: `${dir}/shop` });
      assert.deepEqual([code, stderr], [0, ""]);
      return stdout;
    };
    const rows: readonly (readonly [line: string, printed: RegExp])[] = [
      ["list agents", /^bmm\/architect\tOurs\nbmm\/scribe\tWrites\n$/],
      ["list agents --origin cli", /^bmm\/architect\tTheirs\nbmm\/scribe\tWrites\n$/],
      ["list agents --origin project", /^bmm\/architect\tOurs\n$/],
      ["list modules --origin cli", /^bmm\tbmm: 2 agents, 0 other items \(cli\)\n$/],
      ["list sources --origin cli", /^cli\tpriority 2, 2 items [^\n]*\n$/],
      ["sources", /^project\t[^\n]*\ncli\t/],
      ["conflicts", /^bmm\/architect\t1 file differs: .*; project wins over cli: priority 1 before 2\n/],
      ["show architect", /^overrides\tcli$/m],
      ["show architect --origin cli", /^description\tTheirs\n[^]*^overridden by\tproject$/m],
      ["execute architect --origin cli", /Draw twice\./],
    ];
    for (const [line, printed] of rows) assert.match(await run(...line.split(" ")), printed, line);
    assert.equal(await run("conflicts", "--origin", "cli"), await run("conflicts"));
    assert.equal(JSON.parse(await run("list", "resources", "--origin", "project", "--json")).total, 1);
    const wrong = await runHere(["list", "agents", "--origin", "packge"], { cwd: `${dir}/shop` });
    assert.equal(wrong.code, 1);
    assert.match(
      wrong.stderr,
      /^bmad-mcp: Unknown source "packge"\. Use one of project, .*package\n/,
    );
  }));
