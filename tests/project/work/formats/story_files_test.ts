/** Does the board show v4's stories and those of its PRD, and story files of 6.x without a ledger? */
import assert from "node:assert/strict";
import { boardOf, driftOf, states, told } from "../../../support/board.ts";

const V4 = {
  planning: [],
  implementation: [],
  v4: { stories: "docs/stories", prd: "docs/prd", prdFile: "docs/prd.md" },
};

Deno.test("v4: the PRD plans stories, and each file decides its own state", async () => {
  const board = await boardOf({
    "docs/prd/epic-2-orders.md":
      "# Epic 2: Orders\n## Story 2.1 Basket\n### Acceptance Criteria\n1: a\n2: b\n",
    "docs/prd/epic-1-accounts.md":
      "# Epic 1 Accounts\n## Story 1.1: Sign up\nFR1\n## Story 1.2 Sign in\nDepends on: Story 1.1\n",
    "docs/prd/index.md": "# PRD\n- [Epic 1](epic-1-accounts.md)\n",
    "docs/stories/1.1.sign-up.md": "# Story 1.1: Sign up\n\n## Status\n\n**Done**\n\n## Tasks\n- [x] a\n",
    "docs/stories/1.2.story.md": "## Status: Approved\n## Story\nx\n",
    "docs/stories/1.10.late.md": "# Story\n## Status\nReady for Review\n## Dev Notes\nStatus: nothing\n",
    "docs/stories/epic-3.story-1.md": "Status: InProgress\n",
    "docs/stories/notes.md": "Status: Done\n",
  }, V4);
  assert.deepEqual(states(board), [
    "1 in-progress: 1-1 done,1-2 ready,1-10 review",
    "2 backlog: 2-1 backlog",
    "3 in-progress: 3-1 in-progress",
  ]);
  assert.deepEqual(board.ledgers, [{ path: "docs/stories", format: "story-files" }]);
  assert.deepEqual(board.epics.map(({ title }) => title), ["Accounts", "Orders", "Epic 3"]);
  const [one, two] = board.epics[0]!.stories;
  assert.deepEqual([one!.title, one!.status, one!.line, one!.covers], ["Sign up", "Done", 5, ["FR1"]]);
  assert.deepEqual([two!.title, two!.after, two!.waitsFor], ["Sign in", ["1-1"], []]);
  assert.deepEqual([board.epics[1]!.stories[0]!.criteria, board.problems], [["a", "b"], []]);
});

Deno.test("v4: an unsharded PRD, drift, unknown words and two files for a story", async () => {
  const board = await boardOf({
    "docs/prd.md":
      "# PRD\n## Epic 1: A\n### Story 1.1: B\n**Status:** Done\n### Story 1.2: C\nDepends on: 1.1\n",
    "docs/stories/1.1.b.md": "Status: Draft\n",
    "docs/stories/1.1.story.md": "Status: Done\n",
    "docs/stories/1.3.d.md": "Status: Fermenting\n",
  }, V4);
  assert.deepEqual(states(board), ["1 backlog: 1-1 backlog,1-2 backlog,1-3 blocked"]);
  assert.deepEqual(board.epics[0]!.stories[1]!.waitsFor, ["1-1"]);
  assert.deepEqual(driftOf(board), ['docs/prd.md:4 it says "Done", but the story file says "Draft"']);
  assert.deepEqual(told(board.problems), [
    "docs/stories/1.1.story.md:undefined story 1-1 has another file, docs/stories/1.1.b.md",
    'docs/stories/1.3.d.md:1 story 1-3 has the unknown status "Fermenting"',
  ]);
});

Deno.test("6.x: epics without a sprint, and builds outside it", async () => {
  const plan = { "out/plan/epics.md": "## Epic 1: A\n### Story 1.1: B\n### Story 1.2: C\n" };
  const build = { "out/impl/spec-faster.md": "---\ntitle: Faster\nstatus: in-review\n---\n" };
  const unplanned = await boardOf({ ...plan, ...build, "out/impl/1-1-b.md": "Status: review\n" });
  assert.deepEqual(states(unplanned), [
    "1 in-progress: 1-1 review,1-2 backlog",
    " in-progress: spec-faster review",
  ]);
  const sprint = { "out/impl/sprint-status.yaml": "development_status:\n  1-1-b: done\n  1-2-c: backlog\n" };
  const planned = await boardOf({ ...plan, ...build, ...sprint });
  assert.deepEqual(states(planned), [
    "1 in-progress: 1-1 done,1-2 backlog",
    " in-progress: spec-faster review",
  ]);
  assert.deepEqual(planned.ledgers.map(({ format }) => format), ["sprint-status", "story-files"]);
});
