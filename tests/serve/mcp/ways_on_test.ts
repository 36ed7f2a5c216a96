/** Does an answer that cannot give what was asked for name the way on, for a model and for a person at a shell? */
import assert from "node:assert/strict";
import { LISTABLE } from "../../../src/app.ts";
import { qualifiedName } from "../../../src/base/model.ts";
import { runGit } from "../../support/git.ts";
import { listedLines, toolCallsIn } from "../../support/printed_calls.ts";
import { openIn, Reader } from "../../support/printed_reader.ts";
import { runHere } from "../../support/program.ts";
import { treeTest, withTree, writeTree } from "../../support/trees.ts";

const STATUS_FILE = "_bmad-output/implementation-artifacts/sprint-status.yaml";
const SPRINT =
  "development_status:\n  epic-1: in-progress\n  1-1-sign-in: in-progress\n  1-2-sign-out: backlog\n";

Deno.test("a name with the wrong module is answered with the module that has it [names:near-names]", () =>
  withTree({}, async (dir) => {
    const reader = new Reader(openIn(dir));
    for (
      const args of [
        { skill: "bmm/bmad-review" },
        { skill: "bmad-review", module: "bmm" },
        { workflow: "bmm.bmad-review" },
        { agent: "bmm/bmad-review" },
      ]
    ) {
      const { text } = await reader.call("bmad", args);
      assert.match(text, /Did you mean core\/bmad-review\? Call bmad \{/, JSON.stringify(args));
    }
    const { stderr } = await runHere(["execute", "bmm/bmad-review"], { cwd: dir });
    assert.match(stderr, /Did you mean core\/bmad-review\?$/m);
  }));

Deno.test("what ends a piece of work says what is next, done before or not [calls:printed]", () =>
  withTree({
    [STATUS_FILE]: `${SPRINT}  epic-1-retrospective: optional\n`,
    "_bmad-output/implementation-artifacts/epic-1-retro-2026-11-18.md": "# Retrospective\n",
    "_bmad-output/planning-artifacts/epics.md":
      "## Epic 1: A\n### Story 1.1: Sign in\n### Story 1.2: Sign out\n",
  }, async (dir) => {
    const reader = new Reader(openIn(dir));
    const asked = async (args: object) => (await reader.call("bmad_work", { by: "Ann", ...args })).text;
    const next = /\n\n[^\n]*(?:\(1-[12]\)|“Epic 1”|“A”)?\n?(?:Next: bmm\/|All done)/;
    const mark = { operation: "mark", status: "review", force: true, reason: "x" };
    for (const story of ["1-1", "1-2"]) {
      assert.match(await asked({ ...mark, story }), next);
      const again = await asked({ ...mark, story, force: false });
      assert.match(again, /has that status already/);
      assert.match(again, next);
    }
    assert.doesNotMatch(await asked({ ...mark, story: "1-1", status: "in-progress" }), next);
    assert.match(await asked({ operation: "plan" }), next);
    for (const line of ["mark 1-2 review --by Ann", "plan"]) {
      const { stdout } = await runHere(line.split(" "), { cwd: dir });
      assert.match(stdout, next);
      assert.match(stdout, /^Call: bmad-mcp execute /m);
      const shown = await runHere(line.split(" "), { cwd: dir, columns: 80 });
      assert.ok(shown.stdout.includes("\n\n\x1b[1m"), shown.stdout);
    }
    for (const story of ["1-1", "1-2"]) await asked({ ...mark, story, status: "done" });
    const looked = { operation: "mark", story: "epic-1-retrospective", status: "done" };
    for (const _ of [1, 2]) {
      const told = await asked(looked);
      assert.match(told, /\n\nAll done\n/);
      assert.doesNotMatch(told, /"epic-1-retrospective"/);
    }
  }));

Deno.test("a review that needs sub-agents names the way without them [work:review]", () =>
  withTree({ [STATUS_FILE]: SPRINT }, async (dir) => {
    const reader = new Reader(openIn(dir));
    const { text } = await reader.call("bmad", { operation: "execute", skill: "bmad-code-review" });
    assert.match(text, /^without sub-agents: bmad \{"operation":"review","story":NAME\} /m);
    const { text: other } = await reader.call("bmad", { operation: "execute", skill: "bmad-build" });
    assert.doesNotMatch(other, /^without sub-agents/m);
  }));

Deno.test("an unknown story comes with the call for all [calls:printed, names:near-names]", () =>
  withTree({ [STATUS_FILE]: SPRINT }, async (dir) => {
    const reader = new Reader(openIn(dir));
    for (const operation of ["show", "check", "context", "mark", "release", "claim"]) {
      const args = { operation, by: "ann", status: "review" };
      const { text } = await reader.call("bmad_work", { ...args, story: "1-9" });
      assert.match(text, /^No story named "1-9"\. Did you mean 1-1 or 1-2\? /, operation);
      const far = await reader.call("bmad_work", { ...args, story: "wishes" });
      const [call, ...others] = toolCallsIn(far.text);
      assert.deepEqual(others, []);
      const { text: board } = await reader.call(call!.tool, JSON.parse(call!.json));
      assert.match(board, /1-2/);
      const words = { mark: ["wishes", "review"], claim: ["wishes", "--by", "ann"] }[operation] ??
        ["wishes"];
      if (operation === "show") continue;
      const { stderr } = await runHere([operation, ...words], { cwd: dir });
      assert.match(stderr, /No story named "wishes"\. List all stories with `bmad-mcp board`$/m, operation);
    }
  }));

treeTest("a path of a skill is opened as an activation spells it [tool:execute-followed]", {
  "other/_bmad/core/skills/my-review/SKILL.md":
    "---\nname: my-review\ndescription: Reviews\n---\n\nLoad `{skill-root}/references/one.md`.\n",
  "other/_bmad/core/skills/my-review/references/one.md": "One.\n",
  "other/secret.md": "secret",
  "project/README.md": "",
}, async (dir) => {
  const reader = new Reader(openIn(`${dir}/project`, "--path", `${dir}/other`));
  const { text } = await reader.call("bmad", { skill: "my-review" });
  const [, folder] = /^skill-root: (.*)$/m.exec(text) ?? assert.fail(text);
  for (const uri of [`${folder}/references/one.md`, `file:${folder}/references/one.md`]) {
    assert.equal((await reader.call("bmad", { uri })).text.trim(), "One.", uri);
  }
  for (const uri of [`${dir}/other/secret.md`, `${folder}/../../../../secret.md`]) {
    assert.equal((await reader.call("bmad", { uri })).isError, true, uri);
  }
  for (const uri of ["{skill-root}/references/", "references", "{skill-root}"]) {
    const { text } = await reader.call("bmad", { skill: "my-review", uri });
    assert.match(text, / is a folder\. Open one of its \d files?, such as .*references\/one\.md/, uri);
  }
  const alone = await reader.call("bmad", { uri: "{skill-root}/references/one.md" });
  assert.match(
    alone.text,
    /Name the skill whose text has it, or open bmad:\/\/MODULE\/SKILL\/references\/one\.md$/,
  );
});

Deno.test("a shell that is asked to remember names the command for it [toolsets:remember]", () =>
  withTree({ "README.md": "" }, async (dir) => {
    const wishes = [
      ["search", "remember", "that we use tabs"],
      ["search", "remember"],
      ["execute", "remember"],
      ["show", "remember"],
      ["list", "memories"],
      ["script", "remember that we use tabs"],
      ["execute", "retiens"],
    ];
    const remember =
      /Project memory: remember with `bmad-mcp memory remember TEXT`, recall with `bmad-mcp memory recall WORDS`/;
    for (const words of wishes) {
      for (const flags of [[], ["--toolsets", "+memory"]]) {
        const { stderr } = await runHere([...flags, ...words], { cwd: dir });
        assert.match(stderr, remember, words.join(" "));
      }
    }
    const { stderr } = await runHere(["--read-only", "search", "remember"], { cwd: dir });
    assert.match(stderr, /Project memory: recall with `bmad-mcp memory recall WORDS`/);
    for (const words of [["search", "review"], ["execute", "nobody"], ["memory", "remember"]]) {
      assert.doesNotMatch((await runHere(words, { cwd: dir })).stderr, /Project memory: /, words.join(" "));
    }
  }));

Deno.test("a refused call names arguments, a refused command flags [calls:printed]", () =>
  withTree({ [STATUS_FILE]: SPRINT }, async (dir) => {
    const claim = JSON.stringify({ operation: "claim", story: "1-1", by: "ann" });
    assert.equal((await runHere(["call", "bmad_work", claim], { cwd: dir })).code, 0);
    const mark = { operation: "mark", story: "1-1", status: "review" };
    const asTool = await runHere(["call", "bmad_work", JSON.stringify(mark)], { cwd: dir });
    assert.match(
      asTool.stderr,
      /if that is you, say so; or force it \("by":"NAME", "force":true\)$/m,
    );
    const { stderr } = await runHere(["mark", "1-1", "review"], { cwd: dir });
    assert.match(stderr, /if that is you, say so; or force it \(--by NAME, --force\)$/m);
    assert.equal((await runHere(["mark", "1-1", "review", "--by", "ann"], { cwd: dir })).code, 0);
  }));

Deno.test("a shell shows a file by any path that a text has, with commands in it [calls:printed]", () =>
  withTree({}, async (dir) => {
    const show = async (path: string) => (await runHere(["show", path], { cwd: dir })).stdout;
    const own = await show("bmad://core/bmad-review/customize.toml");
    assert.match(own, /\[workflow\]/);
    for (
      const path of [
        "core/bmad-review/customize.toml",
        "{project-root}/_bmad/core/bmad-review/customize.toml",
      ]
    ) {
      assert.equal(await show(path), own, path);
    }
    // A prompt for a sub-agent has whole commands, as the activation has.
    const step = await show("bmad://rendered/bmm/bmad-build/step-01-clarify-and-route.md");
    const [line] = /bmad-mcp show "[^"]+"/.exec(step) ?? assert.fail(step);
    assert.notEqual(await show(line.split('"')[1]!), "");
    const { stderr } = await runHere(["show", "{skill-root}/customize.toml"], { cwd: dir });
    assert.match(stderr, /or open bmad:\/\/MODULE\/SKILL\/customize\.toml$/m);
  }));

Deno.test("a skill works to its end without an installation [work:activation]", () =>
  withTree({ "README.md": "" }, async (dir) => {
    const reader = new Reader(openIn(dir));
    const { text } = await reader.call("bmad", { skill: "bmad-customize" });
    assert.match(
      text,
      /^Already resolved \(skip the steps that check for an installation or load configuration\):$/m,
    );
    assert.match(
      text,
      /^_bmad: not needed, its content is served; overrides still go to its folder custom$/m,
    );
    const [list, verify] = listedLines(text).lines;
    const { text: found } = await reader.call("bmad_work", { script: list });
    const [, folder] = /"install_path": "(bmad:\/\/\w+)\//.exec(found) ?? assert.fail(found);
    const path = `${folder!.replace(/\w+$/, "core")}/bmad-review`;
    await writeTree(dir, { "_bmad/custom/bmad-review.toml": '[workflow]\nreader_type = "llm"\n' });
    const script = verify!.replace("<install-path>", path).replace("<agent-or-workflow>", "workflow");
    assert.match((await reader.call("bmad_work", { script })).text, /"reader_type": "llm"/);
    const other = await new Reader(openIn(dir)).call("bmad", { skill: "bmad-review" });
    assert.match(other.text, /^ {2}reader_type: llm$/m);
    assert.doesNotMatch(other.text, /check for an installation/);
  }));

Deno.test("an installed folder needs no note [work:activation]", () => {
  const skill = (name: string, text: string) => ({
    [`_bmad/core/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: Does it.\n---\n\n${text}\n`,
  });
  const files = {
    ...skill("stops", "No `{project-root}/_bmad/` → stop."),
    ...skill("reads", "If `{project-root}/_bmad/custom/x.toml` is missing, go on."),
  };
  const isLifted = async (reader: Reader, skill: string) =>
    /check for an installation/.test((await reader.call("bmad", { skill })).text);
  return withTree(prefixed("other", files), (other) =>
    withTree(files, async (dir) => {
      assert.equal(await isLifted(new Reader(openIn(dir)), "stops"), false);
      const elsewhere = new Reader(openIn(`${other}/project`, "--path", `${other}/other`));
      assert.equal(await isLifted(elsewhere, "stops"), true);
      assert.equal(await isLifted(elsewhere, "reads"), false);
    }));
});

treeTest("a shell is never told to call a tool [calls:printed]", { [STATUS_FILE]: SPRINT }, async (dir) => {
  const items = (await openIn(dir).entries()).map(qualifiedName);
  const commands = [
    ...items.flatMap((item) => [["execute", item], ["show", item]]),
    ...LISTABLE.map((what) => ["list", what]),
    ...["bmad://scripts", "bmad://roster", "bmad://nothing"].map((uri) => ["show", uri]),
    ...["next", "board", "check", "plan", "reconcile", "doctor"].map((name) => [name]),
    ...[["context", "1-1"], ["mark", "1-1", "done"], ["mark", "1-1", "no"], ["mark", "none", "done"]],
    ...[["claim", "1-1", "--by", "ann"], ["claim", "1-1", "--by", "bob"], ["release", "1-1"]],
    ...[["search", "review"], ["search", "remember"], ["execute", "nobody"], ["script", "none.py"]],
    ["execute", "bmad-review", "-m", "lenses=prose,none"],
  ];
  for (const words of commands) {
    const { stdout, stderr } = await runHere(words, { cwd: dir });
    assert.deepEqual(toolCallsIn(stdout + stderr), [], words.join(" "));
    assert.doesNotMatch(
      stdout + stderr,
      /\bbmad_work\b|\b(?:remember|recall)_structured\b/,
      words.join(" "),
    );
  }
});

Deno.test("a mark that ends a story names what to commit [calls:printed]", () =>
  withTree({ [STATUS_FILE]: SPRINT }, async (dir) => {
    const mark = async (story: string, status: string) =>
      (await runHere(["mark", story, status], { cwd: dir })).stdout;
    assert.doesNotMatch(await mark("1-1", "review"), /git/);
    runGit(dir, "init", "-q");
    assert.doesNotMatch(await mark("1-2", "in-progress"), /git/);
    const ended = await mark("1-2", "review");
    assert.match(ended, new RegExp(`^Commit with the story: git add ${RegExp.escape(STATUS_FILE)}$`, "m"));
    runGit(dir, "add", STATUS_FILE);
    runGit(dir, "commit", "-q", "-m", "1-2");
    // What changes nothing leaves nothing to commit.
    assert.doesNotMatch(await mark("1-2", "review"), /git/);
    const file = STATUS_FILE.replace("sprint-status.yaml", "1-2-b.md");
    const finish = async () =>
      (await runHere(["mark", "1-2", "done", "--allow-git", "--force"], { cwd: dir })).stdout;
    await Deno.writeTextFile(`${dir}/${file}`, "# Story 1.2: B\n\nStatus: review\n");
    await Deno.writeTextFile(`${dir}/b.ts`, "export const b = 1;\n");
    assert.match(await finish(), /^Commit with the story: git add /m);
    runGit(dir, "add", "--all");
    runGit(dir, "commit", "-q", "-m", "1-2: b");
    await runHere(["mark", "1-2", "review", "--force"], { cwd: dir });
    assert.match(await finish(), /^Commit: git add /m, "the story is committed");
  }));

function prefixed(folder: string, files: Readonly<Record<string, string>>) {
  const moved = Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text] as const);
  return { "project/README.md": "", ...Object.fromEntries(moved) };
}
