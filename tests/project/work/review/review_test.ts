/** Does a reviewer who knows nothing get what they need, on every surface, and hear when to stop? */
import assert from "node:assert/strict";
import { runGit } from "../../../support/git.ts";
import { startHttp } from "../../../support/http.ts";
import { type Repository, withRepository } from "../../../support/project_repository.ts";

const FOLDER = "out/implementation-artifacts";
const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  [`${FOLDER}/sprint-status.yaml`]:
    "development_status:\n  epic-1: in-progress\n  1-1-sign-in: review\n  1-2-sign-out: backlog\n",
  "src/login.ts": "export const a = 1;\n",
};
const STORY = (baseline: string) => `---\nbaseline_commit: ${baseline}\n---\n${PLAIN}`;
const PLAIN = "# Story 1.1: Sign in\n\nStatus: review\n\n## Acceptance Criteria\n\n" +
  "1. A right password signs in\n2. A wrong password is refused\n\n## Tasks\n\n- [x] Build it (AC: 1, 2)\n\n" +
  "## Dev Agent Record\n\n### File List\n\n- src/login.ts\n- tests/login_test.ts\n";

function storyTest(name: string, fn: (repository: Repository) => Promise<void>): void {
  Deno.test(name, () =>
    withRepository(PROJECT, async (repository) => {
      const { write, save, head } = repository;
      write(`${FOLDER}/1-1-sign-in.md`, STORY(head()));
      write("src/login.ts", "export const a = 2;\nexport const b = 3;\n");
      write("tests/login_test.ts", "// AC1, AC2\n");
      save("feat(1-1): sign in");
      write("src/more.ts", "export {};\n");
      await fn(repository);
    }));
}

storyTest("a packet has all that a reviewer needs [work:review]", async ({ run, write }) => {
  const review = async (...lenses: readonly string[]) => await run("review", "1-1", ...lenses);
  const finding = async (text: string, ...options: readonly string[]) =>
    await run("finding", "1-1", text, ...options);
  const empty = await review();
  const head =
    /^# Review of 1-1: Sign in\nState: review\. File: out\/implementation-artifacts\/1-1-sign-in\.md\n/;
  assert.match(empty, head);
  const diff =
    /\n- git diff [0-9a-f]{40} \(.*; committed: 3 files, \d+ lines added and 1 deleted\)\n- cat src\/more\.ts \(new, not in git\)\n/;
  assert.match(empty, diff);
  assert.match(empty, /## Criteria\n1\. .*right password signs in\n2\. /);
  assert.match(empty, /\nNo pass has begun\.\n/);
  await review("--lens", "edge cases,security");
  const grave = ["The counter has no lock", "--severity", "high", "--file"] as const;
  const added = await finding(...grave, "src/login.ts:2");
  const [, id] = /^(f\w{7}), high: The counter has no lock \[src\/login\.ts:2\]\n/.exec(added) ?? [];
  assert.match(
    added,
    /1-1-sign-in: 1 finding is open \(1 high\)\. Pass 1 .* Another pass is due after that\.\n/,
  );
  assert.ok(
    added.includes(`\nSettle one: bmad-mcp finding 1-1-sign-in ${id} --verdict VERDICT --reason WHY\n`),
    added,
  );
  const refused = await run("mark", "1-1", "done");
  assert.match(refused, /1 review finding is open, first "The counter has no lock"/);
  await finding("Typo in a comment", "--severity", "low");
  const rejected = ["--verdict", "rejected", "--reason", "Nobody reads it", "--by", "Ann"];
  assert.match(
    await finding("Typo in a comment", ...rejected),
    /found in pass 1, rejected \d{4}-\d\d-\d\d by Ann: Nobody reads it/,
  );
  const begun = await review();
  const settledLine =
    /## Settled: .*\n- f\w+ Typo in a comment: found in pass 1, rejected .* by Ann: Nobody reads it\n/;
  assert.match(begun, settledLine);
  assert.ok(begun.includes(`## Open\n- ${id} high: The counter has no lock [src/login.ts:2]\n`), begun);
  assert.match(begun, /\nLenses that have run: edge cases, security\.\n/);
  const brought = "\nPass 1 brought 1 new finding above low severity.";
  assert.ok(begun.includes(`${brought} 1 finding is still to be settled.`), begun);
  assert.match(await finding(id!, "--verdict", "fixed"), /src\/login\.ts has not changed since it was found/);
  write("src/login.ts", "export const a = 3;\nexport const b = 3;\n");
  const fixed = await finding(id!, "--verdict", "fixed", "--reason", "A lock");
  assert.match(
    fixed,
    /no finding is open\. .* Another pass is due\.\nBegin the pass: bmad-mcp review 1-1-sign-in /,
  );
  assert.ok((await review()).includes(`${brought} Another pass is due.\n`));
  const again = await finding(...grave, "src/login.ts:9");
  assert.match(again, /^f\w+ is known as high: found in pass 1, fixed [^:]*: A lock\.\n/);
  const call = `bmad-mcp finding 1-1-sign-in ${id} --verdict accepted`;
  assert.ok(again.includes(`accept it again: ${call}\n`), again);
  await review("--lens", "tests");
  const ended = await review();
  assert.match(ended, /\nThe review has ended: pass 2 brought nothing new above low severity\.\n/);
  assert.match(ended, /\n- Then: bmad-mcp mark 1-1-sign-in done\n/);
  await finding("A longer name", "--severity", "low");
  const { open, settled, isOver, advice, passes } = JSON.parse(await review("--json"));
  const lenses = passes.map((one: { readonly lenses: unknown }) => one.lenses);
  assert.deepEqual([open.length, settled.length, isOver], [1, 2, true]);
  assert.deepEqual(lenses, [["edge cases", "security"], ["tests"]]);
  const stop =
    "The review has ended: pass 2 brought nothing new above low severity. 1 finding is still to be settled.";
  assert.equal(advice, stop);
});

storyTest("the diff begins where the story began [work:review]", async ({ dir, run, save }) => {
  const story = `${dir}/${FOLDER}/1-1-sign-in.md`;
  const git = (...args: readonly string[]) => runGit(dir, ...args);
  const diffIn = (packet: string) => /## Diff\n- (.*)\n/.exec(packet)?.[1];
  const diff = async () => diffIn(await run("review", "1-1"));
  const unknown = "Where the story began is not known: ";
  const begun = git("rev-parse", "HEAD~1");
  Deno.writeTextFileSync(story, STORY("deadbeef"));
  const named =
    `git diff ${begun} (from before the first commit that names it, with what is not committed; ` +
    "committed: 3 files, 25 lines added and 1 deleted)";
  assert.equal(await diff(), named);
  const asked = JSON.stringify({ operation: "review", story: "1-1" });
  assert.equal(diffIn(await run("call", "bmad_work", asked, "--allow-git")), named);
  assert.match(diffIn(await run("call", "bmad_work", asked))!, /^git diff deadbeef \(from where/);
  Deno.writeTextFileSync(story, PLAIN);
  assert.equal(await diff(), named);
  assert.match(diffIn(await run("call", "bmad_work", asked))!, /^The story records no baseline: compare/);
  git("mv", story, `${dir}/${FOLDER}/1-1-again.md`);
  assert.equal(await diff(), named);
  git("mv", `${dir}/${FOLDER}/1-1-again.md`, story);
  git("checkout", "--quiet", "--orphan", "alone");
  save("All");
  assert.equal(await diff(), `${unknown}it records no baseline, and no commit names it.`);
  Deno.writeTextFileSync(story, STORY("deadbeef"));
  const lost = `${unknown}its baseline deadbeef is not among the commits that lead here.`;
  assert.equal(await diff(), lost);
});

storyTest(
  "a client and a browser see the same, and a read-only start writes nothing [work:review, work:finding]",
  async ({ dir, run }) => {
    const call = (args: object, ...flags: readonly string[]) =>
      run("call", "bmad_work", JSON.stringify(args), ...flags);
    const finding = { operation: "finding", story: "1-1" };
    const review = { operation: "review", story: "1-1" };
    const text = "No test for the empty password";
    const added = await call({ ...finding, severity: "medium", text });
    assert.match(added, /^f\w{7}, medium: No test for the empty password\n/);
    const deferred = await call({ ...finding, id: text, verdict: "deferred", reason: "Next week" });
    const changed =
      /found in pass 1, deferred [^:]*: Next week\nChanged: .*1-1-sign-in\.md\nChanged: .*deferred-work\.md\n/;
    assert.match(deferred, changed);
    const packet = await call(review);
    assert.match(packet, /- Record a finding: bmad_work \{"operation":"finding","story":"1-1-sign-in",/);
    const readOnly = await call(review, "--read-only");
    assert.match(readOnly, /## Settled/);
    assert.doesNotMatch(readOnly, /Record a finding|Begin the pass/);
    const before = Deno.readTextFileSync(`${dir}/${FOLDER}/1-1-sign-in.md`);
    for (const args of [{ ...finding, severity: "low", text: "A" }, { ...review, lens: "x" }]) {
      assert.match(await call(args, "--read-only"), /read-only/);
    }
    assert.equal(Deno.readTextFileSync(`${dir}/${FOLDER}/1-1-sign-in.md`), before);
    await using program = await startHttp(["--project", dir, "--allow-git"]);
    const page = async (path: string) => await (await fetch(`${program.url}/${path}?story=1-1`)).text();
    const shown =
      /<h1>Review of Sign in<\/h1>[^]*git diff [0-9a-f]{40}[^]*Settled[^]*No test for the empty password/;
    assert.match(await page("review"), shown);
    assert.match(await page("board"), /href="\/review\?story=1-1"/);
  },
);

storyTest(
  "what may be one finding is offered, and never rejected beforehand [work:finding-alike]",
  async ({ run }) => {
    const raise = (text: string) =>
      run("finding", "1-1", text, "--severity", "high", "--file", "src/login.ts:2");
    const [, first] = /^(f\w{7}),/.exec(await raise("The counter has no lock: two requests get one number"))!;
    const alike = await raise("Two requests can get the same number, because the counter has no lock");
    assert.ok(alike.includes(`It may repeat ${first}, which is open: `), alike);
    const beside = await raise("A new visitor sees a page of errors");
    assert.ok(beside.includes(`On the same line and as grave is f`), beside);
    for (const told of [alike, beside]) assert.doesNotMatch(told, /rejected|repeats/);
  },
);

storyTest("a pass that has begun is not due [work:review]", async ({ run }) => {
  const passOf = async () => {
    const { isOver, isRunning, advice } = JSON.parse(await run("review", "1-1", "--json"));
    return [isOver, isRunning, /\bdue\b/.test(advice), /Begin the pass/.test(await run("review", "1-1"))];
  };
  await run("review", "1-1", "--lens", "tests");
  await run("finding", "1-1", "The counter has no lock", "--severity", "high");
  assert.deepEqual(await passOf(), [false, false, true, true]);
  await run("review", "1-1", "--lens", "security");
  assert.deepEqual(await passOf(), [false, true, false, false]);
});
