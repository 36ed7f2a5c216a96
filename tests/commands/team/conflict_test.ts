/** Is a ledger in the middle of a merge called that, with the way out, whatever is asked? */
import assert from "node:assert/strict";
import { findConflict } from "../../../src/base/conflicts.ts";
import { runGit } from "../../support/git.ts";
import { runHere } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const OUT = "_bmad-output/implementation-artifacts";
const LEDGER = `${OUT}/sprint-status.yaml`;
const SPRINT = "development_status:\n  epic-1: in-progress\n  1-1-a: backlog\n  1-2-b: review\n";

/** A repository in the middle of a merge of `main` and `side`, which say different things in each file. */
function withMerge(
  files: Readonly<Record<string, readonly [base: string, ours: string, theirs: string]>>,
  fn: (shop: string) => Promise<void>,
): Promise<void> {
  return withTree({ "_bmad/bmm/config.yaml": CONFIG }, async (shop) => {
    runGit(shop, "init", "--quiet", "--initial-branch=main");
    const commit = (side: 0 | 1 | 2) => {
      for (const [path, texts] of Object.entries(files)) {
        Deno.mkdirSync(`${shop}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
        Deno.writeTextFileSync(`${shop}/${path}`, texts[side]);
      }
      runGit(shop, "add", ".");
      runGit(shop, "commit", "--quiet", "-m", "Work");
    };
    commit(0);
    runGit(shop, "checkout", "--quiet", "-b", "side");
    commit(2);
    runGit(shop, "checkout", "--quiet", "main");
    commit(1);
    assert.throws(() => runGit(shop, "merge", "--quiet", "side"), /CONFLICT/);
    await fn(shop);
  });
}

const CONFIG = `output_folder: _bmad-output
planning_artifacts: _bmad-output/planning-artifacts
implementation_artifacts: ${OUT}
`;

const CALLS: readonly (readonly string[])[] = [
  ["board"],
  ["board", "1-2"],
  ["next"],
  ["check"],
  ["check", "1-2"],
  ["claim", "1-1"],
  ["claim"],
  ["release", "1-1"],
  ["mark", "1-1", "in-progress", "--force"],
  ["evidence", "1-2", "make test", "--before", "1", "--after", "0"],
  ["plan"],
  ["reconcile"],
  ["prime"],
  ["trace"],
  ["review", "1-2"],
  ["context", "1-2"],
  ["script", "sprint_status.py", "detect-epic", "--file", LEDGER],
  ["script", "sprint_status.py", "update", "--file", LEDGER, "--epic", "1", "--set-retro-done"],
];

Deno.test("every operation calls a ledger with conflict marks that [team:conflicted]", (t) =>
  withMerge({
    [LEDGER]: [
      SPRINT,
      SPRINT.replace("1-2-b: review", "1-2-b: in-progress"),
      SPRINT.replace("1-2-b: review", "1-2-b: done"),
    ],
    "_bmad-output/planning-artifacts/epics.md": ["## Epic 1: Shop\n\n### Story 1.1: A\n", "", ""],
  }, async (cwd) => {
    const before = Deno.readTextFileSync(`${cwd}/${LEDGER}`);
    for (const words of CALLS) {
      await t.step(words.join(" "), async () => {
        const { stdout, stderr } = await runHere([...words], { cwd });
        assert.match(
          stdout + stderr,
          /sprint-status\.yaml:4\b.*conflict marks.*git merge --abort.*git rebase --abort/,
        );
        assert.doesNotMatch(stdout + stderr, /cannot be parsed|\d stor|reconcile|1-1-a|1-1\t/);
        assert.equal(Deno.readTextFileSync(`${cwd}/${LEDGER}`), before);
      });
    }
    // What would have prevented it can still be set up.
    assert.equal((await runHere(["team", "init"], { cwd })).code, 0);
    runGit(cwd, "merge", "--abort");
    assert.equal((await runHere(["claim", "1-1", "--by", "Ann"], { cwd })).stderr, "");
  }));

Deno.test("lists of questions and deferred work with conflict marks are called that [team:conflicted]", () => {
  const list = (text: string) => `# List\n\n- ${text}\n`;
  const texts = [list("a"), list("b"), list("c")] as const;
  return withMerge({
    [LEDGER]: [SPRINT, SPRINT, SPRINT],
    [`${OUT}/open-questions.md`]: texts,
    [`${OUT}/deferred-work.md`]: texts,
  }, async (cwd) => {
    for (const [file, words] of [["open-questions", ["board"]], ["deferred-work", ["check"]]] as const) {
      const { stdout, stderr } = await runHere([...words], { cwd });
      assert.match(
        stdout + stderr,
        new RegExp(`conflict marks.*${file}\\.md:3\\b|${file}\\.md:3\\b.*conflict marks`),
      );
    }
    const { stderr } = await runHere(["ask", "Which?"], { cwd });
    assert.match(stderr, /open-questions\.md:3\b.*conflict marks/);
    // The states of stories are known.
    assert.equal((await runHere(["claim", "1-1", "--by", "Ann"], { cwd })).code, 0);
  });
});

Deno.test("marks are a conflict if all three stand there, not as an example [team:conflicted]", () => {
  const marks = "<<<<<<< ours\na\n||||||| base\n=======\nb\n>>>>>>> theirs\n";
  assert.equal(findConflict(`x\n${marks}`)?.line, 2);
  assert.equal(findConflict(marks.replaceAll("\n", "\r\n"))?.line, 1);
  assert.equal(findConflict(marks.replaceAll(/([<=>])\1{6}/g, "$1".repeat(12)))?.line, 1);
  for (
    const text of [
      `\`\`\`\n${marks}\`\`\`\n`,
      marks.replaceAll(/^/gm, "    "),
      "<<<<<<< ours\na\n",
      "Title\n=======\n",
    ]
  ) {
    assert.equal(findConflict(text), undefined, text);
  }
});
