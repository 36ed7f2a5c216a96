/**
 * Does the output of a script reach a terminal without what steers it, and a pipe unchanged? Does an executed skill name
 * the command that runs its scripts?
 */
import assert from "node:assert/strict";
import type { App } from "../../../src/app.ts";
import type { Host } from "../../../src/process/host.ts";
import { script } from "../../../src/commands/cli/script.ts";
import { commandOf, runScript } from "../../../src/project/scripts/mod.ts";
import { runHere } from "../../support/program.ts";
import { worldOf } from "../../support/scripts.ts";
import { treeTest } from "../../support/trees.ts";

const sessionOf = (host: object, app: App, operands: readonly string[]) => ({
  host: host as Host,
  open: () => Promise.resolve(app),
  invocation: { name: "script", operands, options: {} } as const,
});

Deno.test("control characters of a script never reach a terminal [work:script-output]", async () => {
  const raw = { status: 3, stdout: "a\x1b]0;x\x07\tb\r\n\x9b\u202e", stderr: "# \x1b[2J\n" };
  const work = { script: () => Promise.resolve(raw) };
  const app = { project: { work: () => Promise.resolve(work) } } as unknown as App;
  const run = async (terminal: Host["terminal"]) => {
    const texts = { out: "", err: "" };
    const host = {
      terminal,
      writeOut: (text: string) => texts.out += text,
      writeErr: (text: string) => texts.err += text,
    };
    const status = await script(sessionOf(host, app, ["brain.py"]));
    return [status, texts.out, texts.err];
  };
  const piped = { stdin: false, stdout: false, stderr: false };
  assert.deepEqual(await run(piped), [3, raw.stdout, raw.stderr]);
  const shown = ["a␛]0;x␇\tb\n\ufffd\ufffd", "# ␛[2J\n"];
  assert.deepEqual(await run({ ...piped, stdout: true, stderr: true }), [3, ...shown]);
  assert.deepEqual(await run({ ...piped, stdout: true }), [3, shown[0], raw.stderr]);
});

treeTest("a flag of ours that follows the script is named, with the line that works", {}, async (root) => {
  const run = async (...words: readonly string[]) => {
    const ran = await runScript(commandOf(words), worldOf(root));
    let err = "";
    const host = {
      terminal: { stdin: false, stdout: false, stderr: false },
      writeOut: () => {},
      writeErr: (text: string) => err += text,
    };
    const work = { script: () => Promise.resolve(ran) };
    const app = { project: { work: () => Promise.resolve(work) } } as unknown as App;
    assert.equal(await script(sessionOf(host, app, words)), 2);
    return err.slice(ran.stderr.length);
  };
  const hint = (line: string) => `Flags of bmad-mcp come before the script: bmad-mcp script ${line}\n`;
  assert.equal(
    await run("memlog.py", "init", "--project", "/my shop", "--workspace", "w"),
    hint('--project "/my shop" memlog.py init --workspace w'),
  );
  assert.equal(await run("memlog.py", "--project=s", "init"), hint("--project=s memlog.py init"));
  assert.equal(await run("memlog.py", "--read-only", "init"), hint("--read-only memlog.py init"));
  assert.equal(await run("memlog.py", "--nonsense", "init"), "");
  assert.equal(await run("sprint_plan.py", "generate", "--project", "x"), "");
});

const SKILL = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - name: bmm\n",
  "_bmad/_config/skill-manifest.csv":
    "canonicalId,name,description,module,path\nbmad-log,bmad-log,Logs,bmm,_bmad/bmm/bmad-log/SKILL.md\n",
  ".claude/skills/bmad-log/SKILL.md":
    "---\nname: bmad-log\ndescription: Logs\n---\nRun `python3 {project-root}/_bmad/scripts/memlog.py append --text X`.\n",
};

treeTest("an executed skill names the command that runs its script [work:activation]", SKILL, async (dir) => {
  const run = async (...flags: readonly string[]) => {
    const args = ["execute", "bmad-log", "--project", dir, ...flags];
    const { code, stdout } = await runHere(args);
    assert.equal(code, 0);
    return stdout;
  };
  const line =
    `scripts:\n  run: bmad-mcp --project ${dir} script LINE\n  lines:\n    - memlog.py append --text X\n`;
  const text = await run();
  assert.ok(text.includes(line), text);
  assert.match(await run("--read-only"), /if you cannot run a script:\n {2}memlog\.py: /);
});
