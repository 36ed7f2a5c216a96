/** Does everyone see that a story has come further on another branch, and does nobody build it again? */
import assert from "node:assert/strict";
import { runGit } from "../../support/git.ts";
import { runCli, runHere } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const LEDGER = "_bmad-output/implementation-artifacts/sprint-status.yaml";
const SPRINT = "development_status:\n  epic-1: in-progress\n  1-1-a: ready-for-dev\n  1-2-b: ready-for-dev\n";

interface Shop {
  readonly main: string;
  readonly w1: string;
  run(cwd: string, ...words: readonly string[]): ReturnType<typeof runHere>;
  commit(cwd: string): void;
}

/** A repository with a second worktree, in which 1-1 has come to review. */
function shopTest(
  name: string,
  fn: (shop: Shop) => Promise<void>,
  branch: readonly string[] = ["-b", "w1"],
): void {
  Deno.test(name, () =>
    withTree({ [`shop/${LEDGER}`]: SPRINT }, async (dir) => {
      const [main, w1] = [`${dir}/shop`, `${dir}/w1`];
      const run: Shop["run"] = (cwd, ...words) => runHere(words, { cwd });
      const commit = (cwd: string) => void runGit(cwd, "commit", "--quiet", "-am", "Work");
      runGit(dir, "init", "--quiet", "--initial-branch=main", "shop");
      runGit(main, "config", "user.name", "Ann");
      runGit(main, "add", ".");
      runGit(main, "commit", "--quiet", "-m", "Start");
      runGit(main, "worktree", "add", "--quiet", ...branch, w1);
      for (const status of ["in-progress", "review"]) {
        const { code, stderr } = await run(w1, "mark", "1-1", status, "--force", "--by", "Ann");
        assert.equal(code, 0, stderr);
      }
      commit(w1);
      await fn({ main, w1, run, commit });
    }));
}

const stateHere = async ({ run }: Shop, cwd: string) => {
  const { elsewhere, isFree } = JSON.parse((await run(cwd, "board", "1-1", "--json")).stdout);
  return elsewhere ?? (isFree ? "free" : "free");
};

shopTest("a story in review on a branch is not handed out again [place:branches]", async (shop) => {
  const { main, w1, run } = shop;
  const elsewhere = { state: "review", on: "branch w1", by: "Ann" };
  assert.deepEqual(await stateHere(shop, main), elsewhere);
  assert.equal(await stateHere(shop, w1), "free");
  assert.match((await run(main, "board")).stdout, /1-1\s.*review on branch w1 \(Ann\)/);
  assert.equal(JSON.parse((await run(main, "next", "--json")).stdout).next[0].story.ref, "1-2");
  const refused = await run(main, "claim", "1-1", "--by", "Bob");
  assert.match(
    refused.stderr,
    /Cannot claim 1-1-a: it is review on branch w1 \(Ann\); go on there; or force it/,
  );
  const again = await run(main, "mark", "1-1", "in-progress", "--by", "Bob");
  assert.match(again.stderr, /Cannot mark 1-1-a as in-progress: it is review on branch w1 \(Ann\)/);
  assert.match((await run(main, "claim", "--by", "Bob")).stdout, /Bob holds 1-2-b/);
  const { stdout } = await run(main, "next", "--by", "Cat");
  assert.match(stdout, /is held: 1-1-a \(review on branch w1 \(Ann\)\), 1-2-b \(Bob until/);
  assert.match((await run(main, "prime")).stdout, /1-2/);
});

shopTest("a merge, a squash and a rebase end that [place:branches-end]", async (shop) => {
  const { main, run } = shop;
  runGit(main, "merge", "--quiet", "--squash", "w1");
  shop.commit(main);
  assert.equal(await stateHere(shop, main), "free");
  runGit(main, "reset", "--quiet", "--hard", "HEAD~1");
  assert.deepEqual((await stateHere(shop, main)).on, "branch w1");
  runGit(main, "rebase", "--quiet", "w1");
  assert.equal(await stateHere(shop, main), "free");
  assert.equal((await run(main, "mark", "1-1", "in-progress", "--by", "Ann")).code, 0);
});

shopTest("it ends with its branch, or by force [place:branches-end]", async (shop) => {
  const { main, w1, run } = shop;
  const forced = await run(main, "claim", "1-1", "--by", "Bob", "--force");
  assert.match(forced.stdout, /Bob holds 1-1-a/);
  await run(main, "release", "1-1", "--by", "Bob");
  assert.equal((await run(main, "release", "1-1", "--by", "Bob")).code, 3);
  runGit(main, "worktree", "remove", "--force", w1);
  assert.deepEqual((await stateHere(shop, main)).on, "branch w1");
  runGit(main, "pack-refs", "--all");
  assert.deepEqual((await stateHere(shop, main)).on, "branch w1");
  runGit(main, "branch", "--quiet", "-D", "w1");
  assert.equal(await stateHere(shop, main), "free");
});

shopTest(
  "a branch that only a remote has still counts, and whoever moved it may give up [place:branches-end]",
  async (shop) => {
    const { main, w1, run } = shop;
    const head = runGit(w1, "rev-parse", "HEAD");
    runGit(main, "worktree", "remove", "--force", w1);
    runGit(main, "branch", "--quiet", "-D", "w1");
    runGit(main, "update-ref", "refs/remotes/origin/w1", head);
    assert.deepEqual((await stateHere(shop, main)).on, "branch w1");
    assert.equal((await run(main, "release", "1-1", "--by", "Ann")).code, 3);
    const given = await run(main, "release", "1-1", "--by", "Ann", "--force");
    assert.match(given.stdout, /no longer counts that it is review on branch w1/);
    assert.equal(await stateHere(shop, main), "free");
  },
);

shopTest("a detached worktree is known by its commit [place:branches]", async (shop) => {
  const { main } = shop;
  assert.match((await stateHere(shop, main)).on, /^commit [0-9a-f]{9}$/);
}, ["--detach"]);

shopTest("another branch of the same worktree counts, too [place:branches]", async (shop) => {
  const { main, run } = shop;
  runGit(main, "switch", "--quiet", "--create", "topic");
  await run(main, "mark", "1-2", "review", "--force", "--by", "Ann");
  shop.commit(main);
  runGit(main, "switch", "--quiet", "main");
  assert.match((await run(main, "board")).stdout, /1-2\s.*review on branch topic \(Ann\)/);
  runGit(main, "switch", "--quiet", "topic");
  assert.doesNotMatch((await run(main, "board")).stdout, /branch topic/);
});

shopTest(
  "what BMAD's own script moves, and what was done without a mark, counts [place:branches]",
  async (shop) => {
    const { main, w1, run } = shop;
    const folder = `${w1}/_bmad-output`;
    Deno.writeTextFileSync(`${folder}/epics.md`, "## Epic 1: Q\n### Story 1.1: A\n### Story 1.2: B\n");
    const line = ["generate", "--epic-file", `${folder}/epics.md`, "--status-file", `${w1}/${LEDGER}`];
    line.push(
      "--stories-dir",
      `${folder}/implementation-artifacts`,
      "--project",
      "shop",
      "--date",
      "11-18-2026 10:00",
    );
    const { code, stderr, stdout } = await run(
      w1,
      "script",
      "sprint_plan.py",
      ...line,
      "--set",
      "1-2-b=review",
    );
    assert.equal(code, 0, stderr + stdout);
    assert.match((await run(main, "board")).stdout, /1-2\s.*review on branch w1/);
    runGit(w1, "checkout", "--quiet", "--", ".");
    // An agent edits the ledger, and gives the story back.
    const text = Deno.readTextFileSync(`${w1}/${LEDGER}`);
    await run(w1, "claim", "1-2", "--by", "Ann");
    Deno.writeTextFileSync(`${w1}/${LEDGER}`, text.replace("1-2-b: ready-for-dev", "1-2-b: in-progress"));
    await run(w1, "release", "1-2", "--by", "Ann");
    assert.match((await run(main, "board")).stdout, /1-2\s.*in-progress on branch w1 \(Ann\)/);
  },
);

shopTest("with the rights of the program, in a linked worktree [place:branches]", async ({ main, w1 }) => {
  const { code, stderr } = await runCli(["mark", "1-2", "review", "--force", "--by", "Ann"], { cwd: w1 });
  assert.equal(code, 0, stderr);
  assert.match((await runCli(["board"], { cwd: main })).stdout, /1-2\s.*review on branch w1 \(Ann\)/);
});

shopTest("a branch that was renamed, and a story that was, still count [place:branches]", async (shop) => {
  const { main, w1 } = shop;
  runGit(w1, "branch", "--quiet", "--move", "feat/y");
  assert.deepEqual((await stateHere(shop, main)).on, "branch feat/y");
  // From another branch, and again.
  runGit(w1, "switch", "--quiet", "--create", "other");
  runGit(main, "branch", "--quiet", "--move", "feat/y", "ann/y");
  assert.deepEqual((await stateHere(shop, main)).on, "branch ann/y");
  runGit(main, "pack-refs", "--all");
  const text = Deno.readTextFileSync(`${main}/${LEDGER}`);
  Deno.writeTextFileSync(`${main}/${LEDGER}`, text.replace("1-1-a", "1-1-login"));
  const refused = await runCli(["claim", "1-1", "--by", "Bob"], { cwd: main });
  assert.match(refused.stderr, /it is review on branch ann\/y/);
  runGit(main, "branch", "--quiet", "-D", "ann/y");
  assert.equal(await stateHere(shop, main), "free");
});

shopTest("a repeated mark tells what a killed one did not [place:branches]", async (shop) => {
  const { main, w1, run } = shop;
  Deno.removeSync(`${main}/.git/bmad/stories.json`);
  assert.equal(await stateHere(shop, main), "free");
  await run(w1, "mark", "1-1", "review", "--by", "Ann");
  assert.deepEqual((await stateHere(shop, main)).on, "branch w1");
});

shopTest("records that cannot be read are a problem of the board [place:branches]", async (shop) => {
  const { main, run } = shop;
  Deno.writeTextFileSync(`${main}/.git/bmad/stories.json`, "{");
  assert.match((await run(main, "board")).stderr, /stories\.json: it cannot be read, so what others hold/);
});
