/** Is the skill where its client reads it, whole, and gone without a trace? */
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { parseYaml } from "../../../src/content/parse.ts";
import { renderSkill } from "../../../src/commands/clients/entries.ts";
import { CLIENTS } from "../../../src/commands/clients/mod.ts";
import { SKILL } from "../../../src/commands/clients/skill.ts";
import { assertFailed, runHere } from "../../support/program.ts";
import { readTree, treeTest, withTree } from "../../support/trees.ts";

const READERS = CLIENTS.filter(({ skills }) => skills !== undefined);
const OTHER = "---\nname: other\ndescription: Mine.\n---\n\nMine.\n";

/** What lies in a home, but for our own state. */
const snapshot = async (home: string) =>
  Object.entries(await readTree(home)).filter(([path]) => !path.startsWith(".local"));

Deno.test("the skill is short, and describes itself in few words [skill:text]", () => {
  const text = renderSkill();
  const [, front] = /^---\n([^]*?)\n---\n/.exec(text)!;
  const { name, description } = parseYaml(front!).value as Record<string, string>;
  assert.equal(name, SKILL);
  assert.ok(countTokens(description!) <= 60);
  assert.ok(text.split("\n").length <= 150);
  assert.doesNotMatch(text, /Here, wherever/);
  const elsewhere = renderSkill({ command: "/opt/a b/bmad-mcp", args: [] });
  assert.match(elsewhere, /run `"?'?\/opt\/a b\/bmad-mcp"?'?` instead/);
});

for (const { id, title, skills } of READERS) {
  Deno.test(`the skill of ${title} is written and goes without a trace [skill:install]`, async () => {
    const [folder] = [skills![1]];
    await withTree({ [`shop/${folder}/other/SKILL.md`]: OTHER, ".local/": "" }, async (home) => {
      const [env, cwd] = [{ HOME: home }, `${home}/shop`];
      for (const where of [["--user"], ["--project", cwd]]) {
        const before = await snapshot(home);
        const installed = await runHere(["install", id, "--skill", "--json", ...where], { cwd, env });
        assert.equal(installed.code, 0, installed.stderr);
        const { items: [{ path, skill, outcome }] } = JSON.parse(installed.stdout);
        assert.deepEqual([skill, outcome], [true, "added"]);
        assert.ok(path.endsWith(`/skills/${SKILL}/SKILL.md`), path);
        assert.equal(path.startsWith(`${cwd}/`), where.length > 1, path);
        assert.match(await Deno.readTextFile(path), /^---\nname: use-bmad-mcp\n/);
        const removed = await runHere(["uninstall", id, ...where], { cwd, env });
        assert.equal(removed.code, 0, removed.stderr);
        assert.deepEqual(await snapshot(home), before);
      }
    });
  });
}

treeTest("a skill of another's is neither changed nor removed [skill:install]", {
  [`.claude/skills/${SKILL}/SKILL.md`]: OTHER,
}, async (home) => {
  const env = { HOME: home };
  const before = await snapshot(home);
  const { code, stderr } = await runHere(["install", "claude-code", "--skill"], { env });
  assert.equal(code, 3);
  assert.match(stderr, /another skill has this name/);
  await runHere(["uninstall", "claude-code"], { env });
  assert.deepEqual(await snapshot(home), before);
});

treeTest("what somebody wrote into the skill is kept in a backup [skill:install]", {
  ".claude/": "",
}, async (home) => {
  const env = { HOME: home };
  const file = `${home}/.claude/skills/${SKILL}/SKILL.md`;
  const run = (command: string, ...args: readonly string[]) =>
    runHere([command, "claude-code", ...args], { env });
  await run("install", "--skill");
  await Deno.writeTextFile(file, "\nMY NOTES\n", { append: true });
  const edited = await Deno.readTextFile(file);
  const { stderr } = await run("uninstall");
  const [, backup] = /(\S+bmad-mcp-backup)/.exec(stderr)!;
  assert.equal(await Deno.readTextFile(backup!), edited);
  // One that only quotes the sign of ours is somebody's own.
  const quoting = OTHER + edited.slice(edited.indexOf("<!--"));
  await Deno.writeTextFile(file, quoting);
  await run("uninstall");
  assert.equal(await Deno.readTextFile(file), quoting);
});

treeTest("a skill that several clients read stays for the others [skill:install]", {}, async (home) => {
  const options = { env: { HOME: home } };
  const file = `${home}/.agents/skills/${SKILL}/SKILL.md`;
  const text = () => Deno.readTextFile(file).catch(() => undefined);
  const installed = await runHere(["install", "codex", "gemini", "--skill"], options);
  assert.match(installed.stderr, /Codex was not found on this machine\. The skill takes effect once/);
  const whole = await text();
  const codex = await runHere(["uninstall", "codex"], options);
  assert.ok(codex.stdout.startsWith(`Codex skill: stays in ${file}\n`), codex.stdout);
  assert.equal(codex.stderr, "  Gemini CLI still uses it. To remove it: bmad-mcp uninstall gemini\n");
  assert.equal(await text(), whole);
  const again = JSON.parse((await runHere(["uninstall", "cursor", "--json"], options)).stdout);
  assert.match(again.items[0].note, /^Gemini CLI still uses it/);
  const gemini = await runHere(["uninstall", "gemini"], options);
  assert.ok(gemini.stdout.startsWith(`Gemini CLI skill: removed from ${file}\n`), gemini.stdout);
  assert.deepEqual(await readTree(home), {});
  await runHere(["install", "codex", "gemini", "--skill"], options);
  const both = await runHere(["uninstall", "codex", "gemini"], options);
  assert.match(both.stdout, /^Codex skill: removed from /);
  assert.deepEqual(await readTree(home), {});
});

treeTest("the skill comes in place of the entry, with its settings [skill:install]", {
  ".claude/": "",
}, async (home) => {
  const env = { HOME: home };
  const hooks = await runHere(["install", "claude-code", "--skill", "--hooks"], { env });
  assert.equal(hooks.code, 2);
  for (const flags of ["--http 8080", "--toolsets all", "--tools bmad", "--read-only", "--no-token"]) {
    const refused = await runHere(["install", "claude-code", "--skill", ...flags.split(" ")], { env });
    const [flag] = flags.split(" ");
    assertFailed(
      refused,
      2,
      new RegExp(`^bmad-mcp: Invalid ${flag}: a skill needs no server\\. Leave it out\n$`),
    );
  }
  const none = await runHere(["install", "lm-studio", "--skill"], { env });
  assert.equal(none.code, 2);
  const printed = await runHere(["install", "--skill", "--print"], { env });
  assert.match(printed.stdout, /^---\nname: use-bmad-mcp\n/);
  const variables = { ...env, BMAD_READ_ONLY: "true", BMAD_PACK: "v4" };
  const { stderr } = await runHere(["install", "claude-code", "--skill", "--offline"], { env: variables });
  assert.match(stderr, /Not in the skill: BMAD_PACK/);
  assert.doesNotMatch(stderr, /READ_ONLY/);
  const text = await Deno.readTextFile(`${home}/.claude/skills/${SKILL}/SKILL.md`);
  assert.match(text, /run `[^`]* --offline` instead/);
  assert.deepEqual((await snapshot(home)).map(([path]) => path).filter((path) => path.endsWith(".json")), []);
  // It is ours alone to serve: no list of what the home has names it.
  const { stdout } = await runHere(["list", "skills", "--json"], { env });
  assert.doesNotMatch(stdout, new RegExp(SKILL));
});
