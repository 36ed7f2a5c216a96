/** Is the board found where configuration says, told in words, and searched by the names that people use? */
import assert from "node:assert/strict";
import { describe } from "../../../../src/base/errors.ts";
import { findStory, reportBoard, reportTarget } from "../../../../src/project/work/board/mod.ts";
import { foldersOf } from "../../../../src/project/work/formats/mod.ts";
import { asJson, boardOf, FOLDERS } from "../../../support/board.ts";
import { failureOf } from "../../../support/failures.ts";

const FILES = {
  "out/impl/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-sign-up: done\n  1-2-sign-in: odd\n" +
    "  2-1-basket: backlog\naction_items:\n  - action: Rest\n    epic: 1\n    status: open\n  - action: Old\n    status: done\n",
  "out/plan/epics.md": "## Epic 1: Accounts\n### Story 1.1: Sign up\n### Story 1.2: Sign in\n" +
    "## Epic 2: Orders\n### Story 2.1: Basket\nDepends on: 1.2\n**Acceptance Criteria:**\n1. sk-secret\n",
};

Deno.test("the board is told in words, by epic", async () => {
  const { text, rows, problems, data } = reportBoard(await boardOf(FILES));
  assert.deepEqual(text.split("\n"), [
    "1 of 3 stories are done.",
    "",
    "## Epic 1: Accounts (in-progress, 1 of 2 done)",
    "- 1-1 done: Sign up",
    "- 1-2 blocked: Sign in (odd)",
    "",
    "## Epic 2: Orders (backlog, 0 of 1 done)",
    "- 2-1 backlog: Basket (waits for 1-2)",
    "",
    "## Action items",
    "- Rest (epic 1)",
    "",
    "## Problems",
    '- out/impl/sprint-status.yaml:4: story 1-2-sign-in has the unknown status "odd"',
  ]);
  assert.deepEqual([problems.length, data["total"]], [1, 3]);
  assert.deepEqual(rows.map(({ name }) => name), ["epic-1", "1-1", "1-2", "epic-2", "2-1"]);
  assert.equal(rows[0]!.data["title"], "Accounts (1 of 2 done)");
  assert.equal(reportBoard(await boardOf({})).text, "No stories yet.");
});

Deno.test("a story is found by all its names, or suggested [work:show]", async () => {
  const board = await boardOf(FILES);
  for (const name of ["1-2", "1.2", "Story 1.2", "1_2", "1-2-sign-in", "sign in", " SIGN-IN "]) {
    assert.equal(findStory(board, name).story.key, "1-2-sign-in", name);
  }
  assert.deepEqual(failureOf(() => findStory(board, "1-9")), {
    code: "not-found",
    what: "story",
    name: "1-9",
    suggestions: ["1-1", "1-2"],
    hint: undefined,
  });
  const grown = await boardOf({ ...FILES, "out/plan/epics.md": "## Epic 1: A\n### Story 1.9: Later\n" });
  assert.deepEqual(failureOf(() => findStory(grown, "1.9")), {
    code: "not-allowed",
    what: "use story 1.9",
    hint: "the plan has it, but the sprint does not; add it",
    fixes: ["plan"],
  });
  const several = failureOf(() => findStory(board, "1"));
  assert.match(describe(several), /^"1" matches several stories\. Use one of:\n- 1-1-sign-up: Sign up\n/);
  assert.equal(failureOf(() => findStory(board, "../..")).code, "not-found");
  const { text } = reportTarget(findStory(board, "2.1"), (text) => text.replace("sk-secret", "***"));
  assert.match(text, /^# 2-1: Basket\n- state: backlog\n- epic: 2: Orders\n/);
  assert.match(text, /- waits for: 1-2\n[^]*- done when: \*\*\*$/);
});

Deno.test("folders come from the configuration of all modules, and never from outside", () => {
  const core = { output_folder: "{project-root}/out" };
  const folders = foldersOf([
    core,
    { ...core, planning_artifacts: "{output_folder}/plan", implementation_artifacts: "/home/p/out/impl" },
    { ...core, implementation_artifacts: "/etc", sprint_artifacts: "../up" },
  ], ["/home/p"]);
  assert.deepEqual(asJson(folders), {
    ...FOLDERS,
    planning: ["out/plan", "out"],
    implementation: ["out/impl", "out"],
  });
  const v4 = foldersOf([{
    devStoryLocation: "docs/s",
    prd: { prdFile: "docs/p.md", prdShardedLocation: "/etc" },
  }], ["/p"]);
  assert.deepEqual(v4.v4, { stories: "docs/s", prd: "docs/prd", prdFile: "docs/p.md" });
});

Deno.test("drift says what it is about, and half a secret is not shown", async () => {
  const secret = `sk-${"a".repeat(40)}`;
  const board = await boardOf({
    "out/impl/sprint-status.yaml": "development_status:\n  epic-1: done\n  1-1-a: review\n",
    "out/impl/1-1-a.md": `# Story 1.1: ${"word ".repeat(38)}${secret} and more\n\nStatus: done\n`,
  });
  const { problems, text } = reportBoard(board);
  assert.deepEqual(problems, [
    "out/impl/sprint-status.yaml:2: epic 1: it is done, but 1 of its stories is not",
    'out/impl/1-1-a.md:3: story 1-1: it says "done", but the ledger says "review"',
  ]);
  assert.ok(text.includes("word …") && !text.includes("sk-"), text);
});
