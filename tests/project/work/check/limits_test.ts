/** Does a check read real commits, say what it could not look at, and end soon whatever the files contain? */
import assert from "node:assert/strict";
import { logCommits } from "../../../../src/content/repositories/mod.ts";
import { diskTree } from "../../../../src/content/tree/mod.ts";
import { findStory, readBoard } from "../../../../src/project/work/board/mod.ts";
import {
  checkAll,
  checkStory,
  type CheckWorld,
  type History,
  LOG,
  placesOfStarts,
  readLog,
} from "../../../../src/project/work/check/mod.ts";
import { boardOf, FOLDERS } from "../../../support/board.ts";
import { cpuClock } from "../../../support/cpu.ts";
import { runGit } from "../../../support/git.ts";
import { honestProject, PLAIN } from "../../../support/honest.ts";
import { type TreeFile, treeTest, withTree, writeTree } from "../../../support/trees.ts";

async function worldOf(root: string, history?: History | string): Promise<CheckWorld> {
  const tree = diskTree(root);
  const board = await readBoard(tree, FOLDERS);
  return {
    tree,
    board,
    folders: FOLDERS,
    clean: (text) => text.replaceAll("hunter2", "[removed]"),
    ...(history !== undefined && { history: () => Promise.resolve(history) }),
  };
}

const check = (files: Readonly<Record<string, TreeFile>>, history?: History | string) =>
  withTree(files, async (root) => checkAll(await worldOf(root, history)));

treeTest("commits come from git, whatever the names of files and subjects are [work:check]", {
  "a.ts": "1\n",
  "tests/a_test.ts": "1\n",
}, async (root) => {
  const commit = (subject: string) => {
    runGit(root, "add", "-A");
    runGit(root, "commit", "-qm", subject);
    return runGit(root, "rev-parse", "HEAD");
  };
  runGit(root, "init", "-q");
  const first = commit("start");
  await Deno.remove(`${root}/tests/a_test.ts`);
  await writeTree(root, { 'tests/ä "b"\t_test.ts': "1\n", "a.ts": "2\n" });
  const second = commit("feat: story 1-1 : :100644 100644 aa bb M");
  const { stdout, stderr } = await logCommits(root, LOG, "HEAD", {
    environment: {},
    timeout: 60_000,
    within: root,
  });
  const { commits, isCut } = readLog(new TextDecoder().decode(stdout));
  assert.deepEqual([stderr, isCut], ["", false]);
  assert.deepEqual(commits.map(({ id, parents }) => [id, parents]), [[second, [first]], [first, []]]);
  assert.equal(commits[0]!.subject, "feat: story 1-1 : :100644 100644 aa bb M");
  assert.deepEqual(commits[0]!.changes.map(({ path, kind }) => `${kind} ${path}`), [
    "changed a.ts",
    "deleted tests/a_test.ts",
    'added tests/ä "b"\t_test.ts',
  ]);
  const [changed, deleted, added] = commits[0]!.changes;
  assert.equal(deleted!.before, added!.after);
  assert.equal(changed!.after, runGit(root, "hash-object", "a.ts"));
});

Deno.test("what was not looked at is named [work:check-unchecked]", async () => {
  const { files, commits } = honestProject("sprint", 1, PLAIN);
  assert.deepEqual((await check(files)).unchecked, [
    "Commits were not read: the user has not allowed it (BMAD_ALLOW_GIT).",
  ]);
  assert.deepEqual((await check(files, "git was not found")).unchecked, [
    "Commits were not read: git was not found.",
  ]);
  const { unchecked } = await check(files, { commits: commits.slice(0, 1), isCut: true, status: new Map() });
  assert.equal(unchecked.length, 3);
  assert.match(
    unchecked[0]!,
    /^Commits of story 1-1 were not compared: its baseline \w{12} is not among the commits/,
  );
});

Deno.test("a mark is measured by its work, not by its status [work:check]", () => {
  const { files } = honestProject("sprint", 1, PLAIN);
  return withTree(files, async (root) => {
    const world = await worldOf(root);
    const { story, epic } = findStory(world.board, "1-4");
    const drifting = { epic, story: { ...story, drift: [{ path: "a", problem: "it drifts" }] } };
    const codes = async (isMarking: boolean) =>
      (await checkStory(world, drifting, { isMarking })).findings.map(({ code }) => code);
    assert.deepEqual(await codes(true), ["box-unticked", "box-unticked"]);
    assert.deepEqual(await codes(false), ["status-contradiction", "box-unticked", "box-unticked"]);
  });
});

Deno.test("a finding quotes no secret and no control character [work:check]", async () => {
  const { files, stories } = honestProject("sprint", 1, PLAIN);
  const { path } = stories[0]!;
  files[path] = files[path]!.replace("[x] Its fields", "[ ] Use hunter2\x1b[2J \u202e here");
  const { findings } = await check(files);
  assert.match(findings[0]!.problem, /first "Use \[removed\]␛\[2J . here"/);
});

Deno.test("of many commits, those of stories under way are looked through first [work:check-limits]", async () => {
  const pathOf = (id: string) => `out/specs/spec-a/stories/${id}-a.md`;
  const board = await boardOf({
    "out/specs/spec-a/stories.yaml": '- id: "1"\n  title: A\n- id: "2"\n  title: A\n',
    [pathOf("1")]: "---\nstatus: done\n---\n",
    [pathOf("2")]: "---\nstatus: in-progress\n---\n",
  });
  const commits = [..."1".repeat(150), "2"].map((story, at) => ({
    ...{ id: `${at}`, parents: [], subject: "Work" },
    changes: [{ path: pathOf(story), kind: "changed" as const, before: "a", after: "b" }],
  }));
  const { ids, files } = placesOfStarts(board, { commits, isCut: false, status: new Map() });
  assert.deepEqual([ids.slice(0, 2), ids.length], [["150", "0"], 100]);
  assert.deepEqual(files, [pathOf("2"), pathOf("1")]);
});

Deno.test("hostile documents are read in bounded time [work:check-limits]", async () => {
  const hostile: Readonly<Record<string, string>> = {
    boxes: "- [ ] a\n".repeat(40_000),
    nested: `${"  ".repeat(20_000)}- [ ] a\n`.repeat(20),
    pipes: `|${" [ ] |".repeat(50_000)}\n`,
    files: `## File List\n${"- src/a.ts\n".repeat(20_000)}`,
    slashes: `## File List\n- ${"a/".repeat(200_000)}\n- \`${"a/".repeat(50_000)}\n`,
    headings: "### Acceptance Criteria\n".repeat(30_000),
    labels: `**${"a".repeat(500_000)}**\n`.repeat(2),
    criteria: `## Acceptance Criteria\n${"1. AC1, 2, 3 - 99 and 4 & 5\n".repeat(20_000)}`,
    names: `## Tasks\n- [x] ${"AC: 1, ".repeat(50_000)}\n`,
    requirements: `FR1-FR99999 ${"FR1 - ".repeat(50_000)}\n`,
    review: `## Review\n${"**Outcome:** ".repeat(50_000)}\n${"- `[high]` ".repeat(50_000)}\n`,
    statuses: "Status: done\n".repeat(50_000),
    matter: `---\n${"status: done\n".repeat(3_000)}---\n`,
  };
  for (const [name, text] of Object.entries(hostile)) {
    const took = cpuClock();
    await check({
      "out/impl/sprint-status.yaml": "development_status:\n  1-1-a: done\n  1-2-b: ready-for-dev\n",
      "out/impl/1-1-a.md": `# A\n\nStatus: done\n\n${text}`,
      "out/impl/1-2-b.md": text,
      "out/plan/prd.md": text,
      "out/plan/epics.md": `## Epic 1: A\n### Story 1.1: B\n${text}`,
    }, { commits: [], isCut: false, status: new Map() });
    assert.ok(took() < 5_000, `${name}: ${took()} ms`);
  }
});

Deno.test({
  name: "commits of another user's project are read, those above not [work:check]",
  // Only root can give files away.
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0,
  fn: () =>
    withTree({ "a.ts": "1\n", "inner/": "" }, async (root) => {
      runGit(root, "init", "-q");
      runGit(root, "add", "-A");
      runGit(root, "commit", "-qm", "start");
      for (const path of ["", "/.git", "/inner"]) await Deno.chown(`${root}${path}`, 12_345, 12_345);
      const read = (folder: string) =>
        logCommits(folder, ["--format=%s"], "HEAD", { environment: {}, timeout: 60_000, within: folder });
      const { status, stdout, stderr } = await read(root);
      assert.deepEqual([status, new TextDecoder().decode(stdout), stderr], [0, "start\n", ""]);
      assert.notEqual((await read(`${root}/inner`)).status, 0);
    }),
});
