/** Do help and the list of scripts say everything about each script, and nothing that is not so? */
import assert from "node:assert/strict";
import {
  commandOf,
  isNativeCall,
  listScripts,
  parseCommandLine,
  runScript,
  SCRIPTS,
} from "../../../src/project/scripts/mod.ts";
import { allArguments } from "../../../src/project/scripts/options.ts";
import { worldOf } from "../../support/scripts.ts";
import { listTree, treeTest } from "../../support/trees.ts";

treeTest("--help names every command and option [work:help]", {}, async (root) => {
  const help = async (...words: readonly string[]) =>
    await runScript(commandOf([...words, "--help"]), worldOf(root));
  for (const { name, usage } of SCRIPTS) {
    const { commands = {} } = usage;
    const answers = [
      await help(name),
      ...await Promise.all(Object.keys(commands).map((one) => help(name, one))),
    ];
    for (const { status, stdout } of answers) {
      assert.deepEqual([status, stdout.startsWith(`usage: ${name} `)], [0, true]);
      assert.doesNotMatch(stdout, /undefined|^ +\S.* $/m);
    }
    const all = answers.map(({ stdout }) => stdout).join("");
    for (const { about } of Object.values(commands)) assert.ok(all.includes(`  ${about}\n`), about);
    for (const { names: [arg], help, takes } of allArguments(usage)) {
      const said = RegExp.escape(takes === "list" ? `${help}; repeatable` : help);
      assert.match(all, new RegExp(`^  \\[?${arg}\\b.* ${said}$`, "m"), `${name} ${arg}`);
    }
  }
  assert.match(
    (await help("memlog.py", "append")).stdout,
    /^usage: memlog\.py append \(--workspace WORKSPACE \| --path PATH\) --text TEXT \[--type TYPE\] \[--by BY\]\n/,
  );
  assert.deepEqual(await listTree(root), []);
});

Deno.test("a read-only start can run what only reads [work:activation]", () => {
  const lines: Readonly<Record<string, boolean>> = {
    "brain.py": true,
    "brain.py --file {workflow.brain_methods} list --category <cat>": true,
    "brain.py --file {workflow.brain_methods} html --out {doc_workspace}/page.html": false,
    // Brackets of usage cannot be parsed.
    "brain.py [--extra {doc_workspace}/extra.json] html --out {doc_workspace}/page.html": false,
    "sprint_plan.py status --status-file F": true,
    "sprint_plan.py generate …": false,
    "sprint_status.py detect-epic --file F": true,
    "tickets.py next": true,
    "tickets.py mark 1.1 done": false,
    "tickets.py find mirrors": true,
    "lint_spine.py --workspace W": true,
    "lint_spine.py --workspace W -o F": false,
    "memlog.py": false,
    "git_evidence.py --range A..B": false,
  };
  for (const [line, isReader] of Object.entries(lines)) {
    assert.equal(isNativeCall(line, { isReadOnly: true, mayRunGit: false }), isReader, line);
    assert.ok(isNativeCall(line, { isReadOnly: false, mayRunGit: true }), line);
    const isGit = line.startsWith("git_evidence.py");
    assert.equal(isNativeCall(line, { isReadOnly: false, mayRunGit: false }), !isGit, line);
  }
  const others =
    "tickets.py mirror|render_skill.py --skill S --set workflow.a=b|setup.py --status|brain.pyc|other.py|";
  for (const line of [...others.split("|"), "brain.py2 list"]) {
    assert.equal(isNativeCall(line, { isReadOnly: false, mayRunGit: true }), false, line);
  }
});

const OF_SKILLS = "pick_methods.py brain.py tickets.py render_skill.py knowledge.py roster.py".split(" ");

treeTest("the list has every call of every script [work:script-list]", {}, async (root) => {
  const instead =
    "# Scripts that skills call\n\n- memlog.py: By hand.\n- own.py: Read it. Source: bmad://x\n" +
    OF_SKILLS.map((name) => `- ${name}: By hand.\n`).join("");
  const text = listScripts(instead, { isReadOnly: false, mayRunGit: true });
  assert.ok(text.endsWith(instead));
  assert.match(
    text,
    /^Not native: own\.py, tickets\.py mirror, render_skill\.py with --set or --overrides\. /m,
  );
  const rows = Array.from(text.matchAll(/^\| `(.*?)` \| (\w+) \| (.+) \|$/gm), ([, ...row]) => row);
  const writers = rows.filter(([, effect]) => effect === "writes").map(([line]) =>
    line!.split(" ").slice(0, 2).join(" ")
  );
  assert.deepEqual(writers, [
    ...[
      "memlog.py init",
      "memlog.py append",
      "memlog.py set",
      "brain.py html",
      "sprint_plan.py generate",
    ],
    ...["sprint_status.py update", "tickets.py pull", "tickets.py mark"],
  ]);
  for (const { name, usage: { commands = { "": "" } } } of SCRIPTS) {
    assert.equal(
      rows.filter(([line]) => line!.startsWith(`${name} `)).length,
      Object.keys(commands).length,
    );
  }
  // Where no skill calls these, they have nothing to work on.
  const elsewhere = listScripts("# Scripts that skills call\n", { isReadOnly: false, mayRunGit: true });
  const names = Array.from(elsewhere.matchAll(/^\| `(\S+)/gm), ([, name]) => name!);
  assert.deepEqual(
    new Set(names),
    new Set(SCRIPTS.map(({ name }) => name).filter((name) => !OF_SKILLS.includes(name))),
  );
  assert.doesNotMatch(text, /Not allowed here/);
  const withoutGit = listScripts(instead, { isReadOnly: false, mayRunGit: false });
  assert.doesNotMatch(withoutGit, /^\| `git_evidence/m);
  assert.match(withoutGit, /^Not allowed here: git_evidence\.py\.$/m);
  const readers = listScripts(instead, { isReadOnly: true, mayRunGit: false });
  assert.doesNotMatch(readers, /\| writes \|/);
  assert.match(
    readers,
    /^Not allowed here: memlog\.py init, .*, sprint_plan\.py generate, .*git_evidence\.py/m,
  );
  // No example is refused because of its arguments.
  const world = worldOf(root);
  for (const [line] of rows.filter(([line]) => !line!.startsWith("git_evidence.py"))) {
    // A file without an extension may not be written.
    const call = line!.replaceAll(/\bFILE\b/g, "FILE.yaml");
    const { stdout, stderr } = await runScript(parseCommandLine(call), world);
    assert.doesNotMatch(stdout + stderr, /usage:|argument error/, line);
  }
});
