/**
 * Do the operations of `bmad_work`, and the commands of the same names, work on a project, and only where they may?
 */
import assert from "node:assert/strict";
import { say, says, toolOf } from "../../support/answers.ts";
import { clientHere } from "../../support/client.ts";
import { runHere } from "../../support/program.ts";
import { listTree, treeTest, withTree } from "../../support/trees.ts";

const CONFIG = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  "docs/plan.md": "# Plan\n",
  "m.csv": "category\na\x1b[2J\u202e\n",
};

Deno.test(
  "a client runs a script with the skill's line [work:script, work:script-output, work:board, work:show, work:check, work:context]",
  () =>
    withTree(CONFIG, async (cwd) => {
      await using client = await clientHere({ era: "2025", cwd, args: ["--toolsets", "bmad,work"] });
      const work = toolOf(client, "bmad_work");
      const run = (script: string) => work.say({ script });
      const refused = (script: string) => work.refusal({ operation: "script", script });
      const log = `${cwd}/out/w/.memlog.md`;
      assert.equal(
        await run("uv run {project-root}/_bmad/scripts/memlog.py init --workspace {project-root}/out/w"),
        `{"ok": true, "memlog": "${log}", "entries": 0}\n`,
      );
      await run(`python3 memlog.py append --workspace ${cwd}/out/w --type idea --text "it's; good"`);
      assert.match(await Deno.readTextFile(log), /\n- \(idea\) it's; good\n$/);
      assert.match(
        await refused("memlog.py init --workspace out/w"),
        /^error: .* already exists; .*\nExit status 2$/,
      );
      assert.match(
        await refused("memlog.py init --workspace docs"),
        /^Cannot write docs\/\.memlog\.md: only the output/,
      );
      assert.match(
        await refused("memlog.py init --workspace ../x"),
        /"\.\.\/x\/\.memlog\.md" is outside the project/,
      );
      assert.equal(await run("pick_methods.py --file m.csv categories"), "a␛[2J\ufffd\t1\n");
      assert.match(
        await refused("pick_methods.py --file m.csv show \u202e"),
        /^# not found: \ufffd\nExit status 1$/,
      );
      assert.match(await refused("sprint_plan.py status"), /^\{"ok": false, .*\}\nExit status 2$/);
      const line = "resolve_customization.py --skill {skill-root} --key workflow.on_complete";
      assert.match(await refused(line), /\{skill-root\} is not filled in/);
      await work.says({ script: line, skill: "bmad-prd" }, /^\{\n {2}"workflow\.on_complete": /);
      assert.match(await refused("rm -rf out"), /^No native script named "rm"/);
      await work.refuses({ operation: "board!" }, /^Unknown operation "board!"/);
      await Deno.writeTextFile(`${cwd}/out/sprint-status.yaml`, "development_status:\n  1-1-a: review\n");
      await work.says({ operation: "board" }, /^0 of 1 story is done\.\n/);
      await work.says({ story: "1.1" }, /^# 1-1: A\n- state: review\n/);
      assert.equal(
        JSON.parse(await work.say({ operation: "show", story: "1-1", format: "json" })).key,
        "1-1-a",
      );
      await work.refuses(
        { operation: "mark", story: "1-1" },
        /^`status` is missing\. Use one of backlog, ready-for-dev, in-progress, review, done\. Call /,
      );
      await work.says({ operation: "next" }, /^Review “A” \(1-1\)\nNext: bmm\/bmad-code-review\nWhy: /);
      await work.refuses({ operation: "show", story: "9-9" }, /^No story named "9-9"/);
      await work.refuses({ operation: "show" }, /^`story` is missing/);
      await work.says(
        { operation: "check" },
        /^1 story: 1 in review\.\n(?:- .*\n {2}Fix: .*\n)*- no-file: Story 1-1 is "review", but it has no story file that/,
      );
      assert.deepEqual(
        JSON.parse(await work.say({ operation: "check", story: "1-1", format: "json" })).unchecked,
        ["Commits were not read: the user has not allowed it (BMAD_ALLOW_GIT)."],
      );
      await work.says(
        { operation: "context", story: "1-1" },
        /^# Context for 1-1: A\n\n0 sections, about 0 of 8000/,
      );
      await work.refuses({ operation: "context" }, /^`story` is missing/);
      await work.refuses({ operation: "context", story: "1-1", budget: "many" }, /budget/);
      await work.says({ operation: "take", story: "1-1", by: "Ann" }, /^Ann holds 1-1-a until/);
      await work.refuses({ operation: "claim", story: "1-1" }, /no owner is named.* \("by":"NAME"\)/);
      const held = /: Ann holds it until \d{4}-\d\d-\d\d \d\d:\d\d UTC; (.*)$/;
      for (const operation of ["claim", "release", "start"]) {
        const [, way] = held.exec(
          await work.refusal({ operation, story: "1-1", by: "Bob" }),
        )!;
        assert.equal(
          way,
          operation === "claim"
            ? 'nothing else is free; or force it ("force":true)'
            : 'if that is you, say so; or force it ("by":"NAME", "force":true)',
        );
      }
      await work.says({ operation: "release", story: "1-1", by: "Ann" }, "Ann no longer holds 1-1-a.");
      await Deno.writeTextFile(`${cwd}/out/1-1-a.md`, "Status: review\n- [ ] tests\n");
      await work.refuses(
        { operation: "complete", story: "1-1" },
        /^Cannot mark 1-1-a as done: the check has \d findings?:\n- out\/1-1-a\.md[^]*\n {2}Fix: .*\nOr force it, which is recorded \("force":true\)$/,
      );
      await work.says(
        { story: "1.1", status: "done", force: "true", by: "Ann" },
        "1-1-a: review → done\nChanged: out/sprint-status.yaml\nChanged: out/1-1-a.md\nEpic 1: 1 of 1 story is done.\n\n" +
          "All done\nWhy: 1 of 1 story in out/sprint-status.yaml is done",
      );
      await work.says({ operation: "board" }, /- 1-1 done: A \(0 of 1 box ticked, forced\)/);
      await work.refuses({ operation: "plan" }, /^Cannot plan: no document with/);
      await Deno.writeTextFile(`${cwd}/out/epics.md`, "## Epic 1: Q\n### Story 1.1: A\n### Story 1.2: B\n");
      await work.says(
        { operation: "plan" },
        /^out\/sprint-status\.yaml: 1 epic, 2 stories\.\nAdded: epic-1, 1-2-b, epic-1-retrospective\n\nStart “B” \(1-2\)\n/,
      );
      await Deno.writeTextFile(`${cwd}/out/1-2-b.md`, "Status: in-progress\n");
      await work.says({ operation: "sync" }, /^1-2-b: backlog → in-progress\n/);
      assert.deepEqual((await listTree(cwd)).filter((path) => path.startsWith("docs")), [
        "docs/",
        "docs/plan.md 7",
      ]);
    }),
);

treeTest("a shell marks and claims [work:mark-everywhere, work:claim]", {
  ...CONFIG,
  "out/sprint-status.yaml": "development_status:\n  epic-1: backlog\n  1-1-a: backlog\n",
}, async (cwd) => {
  const claimed = await runHere(["claim", "1.1", "--by", "Ann", "--json"], { cwd });
  assert.deepEqual([claimed.code, JSON.parse(claimed.stdout).by], [0, "Ann"]);
  const { code, stdout } = await runHere(["mark", "1-1", "start", "--by", "Ann"], { cwd });
  assert.deepEqual([code, stdout], [
    0,
    "1-1-a: backlog → in-progress\nepic-1: backlog → in-progress\nChanged: out/sprint-status.yaml\n" +
    "Epic 1: 0 of 1 story is done.\n",
  ]);
  const refused = await runHere(["--read-only", "mark", "1-1", "done", "--by", "Ann"], { cwd });
  assert.equal(refused.stderr, "bmad-mcp: Cannot mark: --read-only allows no change\n");
  assert.match((await runHere(["claim", "1-1"], { cwd })).stderr, /no owner is named.* \(--by NAME\)/);
  const held = await runHere(["claim", "1-1", "--by", "Bob B"], { cwd });
  assert.match(
    held.stderr,
    /Ann holds it until [\d: -]+UTC; nothing else is free; or force it \(--force\)\n$/,
  );
  // The commands that are shown mean the project that was named.
  const away = await runHere(["next", "--project", cwd, "--by", "Ann"], { cwd: "/" });
  assert.ok(
    away.stdout.includes(`\nWhen finished: bmad-mcp --project ${cwd} mark 1-1 review --by Ann\n`),
    away.stdout,
  );
  assert.ok(away.stdout.includes(`\nCall: bmad-mcp --project ${cwd} execute `), away.stdout);
  await Deno.remove(`${cwd}/out/sprint-status.yaml`);
  await Deno.writeTextFile(`${cwd}/out/epics.md`, "## Epic 1: Q\n### Story 1.1: A\n");
  const planned = await runHere(["mark", "1-1", "done", "--project", cwd, "--force"], { cwd: "/" });
  assert.ok(
    planned.stderr.endsWith(`make a sprint of the plan (bmad-mcp --project ${cwd} plan)\n`),
    planned.stderr,
  );
});

Deno.test(
  "a read-only server runs scripts that only read [toolsets:read-only, work:folders, work:script-list]",
  () =>
    withTree({
      ...CONFIG,
      "out/s.yaml": "development_status:\n  1-1-a: review\n",
      "out/sprint-status.yaml": "development_status:\n  1-1-a: review\n",
    }, async (cwd) => {
      await using client = await clientHere({ era: "2026", cwd, args: ["--read-only"] });
      const work = toolOf(client, "bmad_work");
      const before = await listTree(cwd);
      assert.deepEqual((await client.listTools()).map(({ name }) => name), ["bmad"]);
      assert.match(client.instructions()!, /This server is read-only: it runs no script that writes/);
      await work.says({}, /stor/);
      await says(
        client,
        { operation: "read", uri: "bmad://scripts" },
        /^# Native scripts\n[^]*\n# Scripts that skills call\n/,
      );
      const next = await work.say({ operation: "next" });
      assert.match(next, /\nNext: [^]*\nCall: bmad /);
      assert.doesNotMatch(next, /bmad_work/);
      // What would be refused is done by hand.
      const started = await say(client, { operation: "execute", skill: "bmad-advanced-elicitation" });
      assert.match(started, /^scripts:\n {2}run: bmad [^]*\n {4}- '?pick_methods\.py /m);
      const other = await say(client, { operation: "execute", skill: "bmad-brainstorming" });
      const [, byHand = ""] = /^if you cannot run a script:\n([^]*?)^\S/m.exec(other) ?? [];
      for (const name of ["brain.py", "memlog.py"]) assert.ok(byHand.includes(`  ${name}: `), name);
      assert.match(other, /^scripts:\n {2}run: bmad [^]*?\n {4}- '?brain\.py .* list /m);
      assert.doesNotMatch(other.slice(0, other.indexOf("if you cannot")), /brain\.py .* html|memlog\.py/);
      await says(client, { script: "brain.py categories" }, /\t\d+\n/);
      await work.says({ script: "pick_methods.py --file m.csv categories" }, "a␛[2J\ufffd\t1\n");
      for (
        const line of [
          "memlog.py init --workspace out/w",
          "sprint_status.py update --file out/s.yaml --epic 1 --set-retro-done",
          "word_metrics.py docs/plan.md -o out/x.json",
          "brain.py html --out out/p.html",
        ]
      ) {
        await work.refuses(
          { script: line },
          /^Cannot run \w+\.py(?: \S+)?: it writes, and this start is read-only\. Write the file with your own tools/,
        );
      }
      for (const operation of ["mark", "finish", "claim", "release", "evidence"]) {
        await work.refuses(
          { operation, story: "1-1", command: "npm test", status: "done" },
          /^Cannot (?:mark|claim|release|evidence): it writes, and this server is read-only/,
        );
      }
      assert.deepEqual(await listTree(cwd), before);
    }),
);

treeTest("a list of lines runs in order, up to the first that fails [work:script]", CONFIG, async (cwd) => {
  await using client = await clientHere({ era: "2026", cwd, args: ["--toolsets", "bmad,work"] });
  const work = toolOf(client, "bmad_work");
  const init = "memlog.py init --workspace out/w";
  const append = (text: string) => `memlog.py append --workspace out/w --text '${text}'`;
  const log = `${cwd}/out/w/.memlog.md`;
  const noted = (entries: number) => `{"ok": true, "memlog": "out/w/.memlog.md", "entries": ${entries}}`;
  const ask = async (script: unknown) => {
    const { isError, content } = await client.callTool("bmad_work", { script });
    return { isError, text: content[0]!.text };
  };
  const [made, later] = [await ask([init, append("one")]), await ask(JSON.stringify([append("two")]))];
  assert.equal(made.text, `$ ${init}\n${noted(0)}\n$ ${append("one")}\n${noted(1)}`);
  assert.equal(later.text, `${noted(2)}\n`);
  for (const bad of [init, "rm -rf out"]) {
    const { isError, text } = await ask([append("three"), bad, append("never")]);
    assert.equal(isError, true);
    assert.match(
      text,
      /^\$ memlog\.py append .*\n\{"ok": true.*\n\$ .*\n.+\nExit status \d\nNot run: 1 line$/,
    );
  }
  assert.equal((await Deno.readTextFile(log)).match(/never/), null);
  const many = await work.refusal({ script: Array(101).fill(init) });
  assert.match(many, /more than 100 lines/);
  const stdin = `# Two lines\n\n${append("four")}\n${init}\n${append("never")}\n`;
  const { code, stdout, stderr } = await runHere(["script", "-"], { cwd, stdin });
  assert.equal(code, 2);
  assert.match(stdout, /^\{"ok": true, .*"entries": 5\}\n$/);
  assert.match(
    stderr,
    /^error: .* already exists.*\nExit status 2: memlog\.py init --workspace out\/w\nNot run: 1 line\n$/,
  );
  await work.refuses({ script: [] }, /^`script` is missing/);
});

Deno.test("a shell gets the output and the exit status of a script [work:script, cli:exit-codes]", () =>
  withTree(CONFIG, async (cwd) => {
    const run = (...args: string[]) => runHere(["script", ...args], { cwd });
    const before = await listTree(cwd);
    const early = await run("memlog.py", "append", "--workspace", "out/w", "--text", "first");
    assert.equal(early.stderr, "error: out/w/.memlog.md does not exist; run memlog.py init first\n");
    assert.deepEqual([early.code, await listTree(cwd)], [1, before]);
    const made = await run("memlog.py", "init", "--workspace", "out/w", "--field", "json=--json");
    assert.deepEqual([made.code, made.stdout], [
      0,
      '{"ok": true, "memlog": "out/w/.memlog.md", "entries": 0}\n',
    ]);
    const again = await run("memlog.py", "init", "--workspace", "out/w");
    assert.deepEqual([again.code, again.stdout], [2, ""]);
    assert.match(again.stderr, /^error: out\/w\/\.memlog\.md already exists/);
    const failed = await runHere(["call", "bmad_work", '{"script":"memlog.py init --workspace out/w"}'], {
      cwd,
    });
    assert.deepEqual([failed.code, failed.stderr], [1, ""]);
    assert.match(failed.stdout, /^error: .* already exists.*\nExit status 2\n$/);
    const { code, stderr } = await runHere([
      "--read-only",
      "script",
      "memlog.py",
      "init",
      "--workspace",
      "out/x",
    ], { cwd });
    assert.equal(
      stderr,
      "bmad-mcp: Cannot run memlog.py init: it writes, and this start is read-only. Write the file with your own tools\n",
    );
    assert.notEqual(code, 0);
  }));

const TESTED = {
  ...CONFIG,
  "out/sprint-status.yaml": "development_status:\n  1-1-a: review\n",
  "out/1-1-a.md":
    "# Story 1.1: A\n\nStatus: review\n\n## Acceptance Criteria\n\n1. Works\n\n## Tasks\n\n- [x] Run `npm test`\n\n" +
    "### File List\n\n- a.ts\n- a_test.ts\n",
  "a.ts": "1\n",
  "a_test.ts": "1\n",
};

Deno.test("client and user note how a command ended [work:evidence, work:evidence-check]", () =>
  withTree(TESTED, async (cwd) => {
    const noted = { operation: "evidence", story: "1-1", command: "npm test" };
    const done = { operation: "mark", story: "1-1", status: "done" };
    const flags = ["--toolsets", "bmad,work"];
    await using plain = await clientHere({ era: "2026", cwd, args: flags });
    await says(plain, { operation: "check", story: "1-1" }, /Nothing speaks against/, "bmad_work");
    await says(
      plain,
      { story: "1-1", command: "npm test", before: "failed, 2 warnings" },
      /^1-1-a: `npm test` — before: failed, 2 warnings\nChanged: out\/1-1-a\.md\n/,
      "bmad_work",
    );
    await using client = await clientHere({ era: "2026", cwd, args: [...flags, "--allow-exec"] });
    const work = toolOf(client, "bmad_work");
    await work.refuses(
      done,
      /no command is noted that passed after the change\.\n {2}Fix: Run the story's tests, and note/,
    );
    await work.refuses(noted, /^`after` is missing.*before or after/);
    const line = ["evidence", "1-1", "npm test"];
    assert.match((await runHere([...line, "--allow-exec"], { cwd })).stderr, /Missing result/);
    const { stdout } = await runHere([...line, "--after", "passed", "--json"], { cwd });
    const { before, after } = JSON.parse(stdout);
    assert.deepEqual([before, after], ["failed, 2 warnings", "passed"]);
    await work.says(done, /^1-1-a: review → done\n/);
  }));
