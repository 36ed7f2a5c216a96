/** Does `board --watch` show every change, on a terminal and in a pipe, until a signal ends it? */
import assert from "node:assert/strict";
import { runGit } from "../../support/git.ts";
import { assertFailed, runCli, startRaw } from "../../support/program.ts";
import { HAS_TERMINAL, runOnTerminal } from "../../support/terminal.ts";
import { treeTest, withTree } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";

const LEDGER = "out/sprint-status.yaml";
const ledger = (status: string) => `development_status:\n  epic-1: in-progress\n  1-1-a: ${status}\n`;
const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  [LEDGER]: ledger("backlog"),
  "out/1-1-a.md": "# Story 1.1: A\n",
};

for (const form of [[], ["--json"]]) {
  Deno.test(
    `\`board --watch ${form}\` in a pipe has one line for each change [work:board-notices]`,
    () =>
      withTree(PROJECT, async (cwd) => {
        await using program = await startRaw(["board", "--watch", ...form], { cwd });
        const line = async (at: number) => {
          await until(`line ${at} is printed`, () => program.lines.length > at, program.stderr);
          return program.lines[at]!;
        };
        const first = await line(0);
        await Deno.writeTextFile(`${cwd}/${LEDGER}`, ledger("in-progress"));
        const second = await line(1);
        program.signal("SIGINT");
        assert.equal((await program.exit).code, 0);
        if (form.length === 0) {
          assert.match(first, /^20\S+Z 0 of 1 story is done\.$/);
          assert.match(second, /^20\S+Z 1-1-a A: backlog → in-progress$/);
        } else {
          assert.equal(JSON.parse(first).board.total, 1);
          const { at, ...change } = JSON.parse(second);
          assert.match(at, /^20\S+Z$/);
          assert.deepEqual(change, {
            name: "1-1-a",
            title: "A",
            from: "backlog",
            to: "in-progress",
            changes: ["backlog → in-progress"],
            file: "out/1-1-a.md",
          });
        }
      }),
  );
}

Deno.test("`board --watch` redraws on change [work:board-notices]", { ignore: !HAS_TERMINAL }, async () => {
  await withTree(PROJECT, async (cwd) => {
    let round = 0;
    const timer = setInterval(() => {
      Deno.writeTextFileSync(`${cwd}/out/1-1-a.md`, `# Story 1.1: Round ${++round}\n`);
    }, 150);
    const typed = { after: "Round [2-9][0-9]", keys: "\\003" };
    const { code, text } = await runOnTerminal("bmad-mcp board --watch", { cwd, typed })
      .finally(() => clearInterval(timer));
    assert.equal(code, 130, text);
    const screens = text.split("\x1b[H\x1b[2J\x1b[3J").slice(1);
    const rounds = new Set(screens.flatMap((one) => /Round (\d+)/.exec(one)?.[1] ?? []));
    assert.ok(rounds.size > 1, text);
    for (const one of screens.slice(0, -1)) assert.match(one, /1-1 [^]*Ctrl-C stops\./);
  });
});

treeTest("`board --watch` sees what other worktrees tell [work:board-notices, place:branches]", {
  ...Object.fromEntries(Object.entries(PROJECT).map(([path, text]) => [`main/packages/api/${path}`, text])),
}, async (dir) => {
  const [main, beside] = [`${dir}/main`, `${dir}/beside`];
  runGit(main, "init", "--quiet", "--initial-branch=main");
  runGit(main, "add", "--all");
  runGit(main, "commit", "--quiet", "--message=Begin");
  runGit(main, "worktree", "add", "--quiet", "-b", "feature", beside);
  await using program = await startRaw(["board", "--watch"], { cwd: `${beside}/packages/api` });
  const told = async (words: RegExp) => {
    await until(`it tells ${words}`, () => program.lines.some((line) => words.test(line)), program.stderr);
  };
  await told(/0 of 1 story is done/);
  for (const status of ["review", "done"]) {
    const args = ["mark", "1-1", status, "--force", "--reason=built", "--by=Ann"];
    const { code, stderr } = await runCli(args, { cwd: `${main}/packages/api` });
    assert.equal(code, 0, stderr);
    await told(new RegExp(`1-1-a A: .*${status} on branch main`));
  }
  program.signal("SIGINT");
  assert.equal((await program.exit).code, 0);
});

treeTest("one story is not watched", PROJECT, async (cwd) => {
  assertFailed(
    await runCli(["board", "1-1", "--watch"], { cwd }),
    2,
    /--watch, which shows the whole board/,
  );
});
