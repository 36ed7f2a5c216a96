/** Is it said that git did not answer, instead of waiting for it and guessing? */
import assert from "node:assert/strict";
import { logCommits } from "../../../../src/content/repositories/mod.ts";
import { runGit } from "../../../support/git.ts";
import { withRepository } from "../../../support/project_repository.ts";
import { withTree } from "../../../support/trees.ts";

const ignore = Deno.build.os === "windows";
const FOLDER = "out/implementation-artifacts";
const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  [`${FOLDER}/sprint-status.yaml`]: "development_status:\n  epic-1: in-progress\n  1-1-sign-in: done\n",
  [`${FOLDER}/1-1-sign-in.md`]:
    "# Story 1.1: Sign in\n\nStatus: done\n\n## Acceptance Criteria\n\n1. It works\n\n## File List\n\n- src/a.js\n",
  "src/a.js": "1\n",
};

const PIPES = [
  "HEAD",
  "config",
  "index",
  "info/exclude",
  "objects/info/alternates",
  "packed-refs",
  "refs/heads/main",
  "shallow",
  "an included file",
];

function makePipe(git: string, name: string): void {
  const isIncluded = name.includes(" ");
  const path = `${git}/${isIncluded ? "included" : name}`;
  if (isIncluded) Deno.writeTextFileSync(`${git}/config`, "[include]\n\tpath = included\n", { append: true });
  try {
    Deno.removeSync(path);
  } catch {
    // Git makes it only when it needs it.
  }
  new Deno.Command("mkfifo", { args: [path] }).outputSync();
}

for (const name of PIPES) {
  Deno.test(`git is not asked where ${name} is a pipe [git:answers]`, { ignore }, async () => {
    await withRepository(PROJECT, async ({ dir, run, write }) => {
      write("src/a.js", "2\n");
      makePipe(`${dir}/.git`, name);
      for (const command of [["board"], ["check"], ["next"], ["review", "1-1"], ["trace"]]) {
        const answer = await run(...command);
        assert.match(answer, /git did not answer: it would wait for \.git\/\S+, which is not a regular file/);
        assert.doesNotMatch(answer, /src\/a\.js is not committed|Not committed:/);
      }
    });
  });
}

const HANGING = { "bin/git": `#!/bin/sh\necho asked >>"$0.log"\nexec sleep 100\n` };

Deno.test("a git that did not answer is asked again after a minute [git:answers]", { ignore }, async () => {
  await withTree(HANGING, async (root) => {
    Deno.chmodSync(`${root}/bin/git`, 0o755);
    const asked = () => Deno.readTextFileSync(`${root}/bin/git.log`).match(/asked/g)?.length;
    let now = 1_000_000_000_000;
    const environment = { PATH: `${root}/bin:${Deno.env.get("PATH")}` };
    const ask = async () =>
      (await logCommits(root, [], "HEAD", { environment, timeout: 100, within: root, now: () => now }))
        .stderr;
    for (const [later, times] of [[0, 1], [59_999, 1], [1, 2], [-3_600_000, 3]] as const) {
      now += later;
      assert.equal(await ask(), "git did not answer within 0.1 seconds");
      assert.equal(asked(), times);
    }
  });
});

Deno.test("a git that answers nothing is told apart from changes [git:answers]", { ignore }, async () => {
  await withRepository(PROJECT, async ({ dir, run, write }) => {
    write("src/a.js", "2\n");
    // Only `git status` reads it.
    new Deno.Command("mkfifo", { args: [`${dir}/src/.gitignore`] }).outputSync();
    assert.match(await run("board"), /git did not answer within 2 seconds/);
    assert.equal(runGit(dir, "log", "--format=%s"), "Begin");
  });
});
