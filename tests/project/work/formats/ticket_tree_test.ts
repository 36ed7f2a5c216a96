/** Does the board show the ticket tree that follows 6.12, with its plans, gates and order? */
import assert from "node:assert/strict";
import { boardOf, driftOf, states, told } from "../../../support/board.ts";

const SHOP = "out/initiative-shop";
const EPIC_1 = `${SHOP}/epic-accounts`;
const EPIC_2 = `${SHOP}/epic-orders`;
const TREE = {
  [`${SHOP}/initiative-shop.md`]: "---\ntype: initiative\ntitle: Shop\n---\n",
  [`${SHOP}/tickets.toml`]:
    '[[epic]]\nid = 1\nslug = "epic-accounts"\ntitle = "Accounts"\ncovers = ["FR1"]\n\n[[epic]]\nid = 2\nslug = "epic-orders"\n',
  [`${EPIC_1}/epic-accounts.md`]: "---\ntype: epic\nstatus: in-progress\nassignee: Ann\n---\n",
  [`${EPIC_1}/tickets.toml`]:
    'next_id = 9\n[[entry]]\nid = 3\ntype = "bug"\ntitle = "Pulled bug"\nverify = "It works"\n' +
    '[[entry]]\nid = 4\ntype = "story"\ntitle = "Sign up"\nafter = [3]\ncovers = ["FR1"]\n' +
    '[[entry]]\nid = "6a"\ntype = "spike"\ntitle = "Look"\nafter = [4, "77", "story-sign-up.md"]\n',
  [`${EPIC_1}/bug-pulled-bug.md`]: "---\nid: 3\ntype: bug\ntitle: Pulled bug\n---\n",
  [`${EPIC_1}/bug-pulled-bug-plan.md`]:
    "---\nticket: '3'\nstatus: 'built'\nassignee: Bob\n---\n- [x] a\n- [ ] b\n",
  [`${EPIC_1}/story-sign-up.md`]:
    "---\nid: 4\nstatus: ready-for-dev\ntype: story\nafter: [3]\n---\n## Acceptance Criteria\n- one\n",
  [`${EPIC_2}/epic-orders.md`]: "---\ntype: epic\ntitle: Orders\nafter: [epic-accounts]\n---\n",
  [`${EPIC_2}/tickets.toml`]: '[[entry]]\nid = 1\ntype = "story"\ntitle = "Basket"\nafter = ["1.3"]\n',
};

Deno.test("tickets are joined with their plans and have upstream's references", async () => {
  const board = await boardOf(TREE);
  assert.deepEqual(states(board), [
    "1 in-progress: 1.3 review,1.4 ready,1.6a backlog",
    "2 backlog: 2.1 backlog",
  ]);
  assert.deepEqual([told(board.problems), driftOf(board)], [[
    `${EPIC_1}/tickets.toml:13 entry 6a waits for "77", which no ticket here has as its tracker_id`,
  ], []]);
  assert.deepEqual(board.epics.map(({ title, after, waitsFor, owner }) => [title, after, waitsFor, owner]), [
    ["Accounts", [], [], "Ann"],
    ["Orders", ["1"], ["1"], undefined],
  ]);
  const [bug, story, spike] = board.epics[0]!.stories;
  assert.deepEqual(bug, {
    ref: "1.3",
    key: "bug-pulled-bug",
    form: "ticket",
    title: "Pulled bug",
    state: "review",
    status: "built",
    ledger: `${EPIC_1}/bug-pulled-bug-plan.md`,
    line: 3,
    file: `${EPIC_1}/bug-pulled-bug.md`,
    plan: `${EPIC_1}/bug-pulled-bug-plan.md`,
    owner: "Bob",
    after: [],
    waitsFor: [],
    covers: [],
    criteria: ["It works"],
    boxes: { ticked: 1, total: 2 },
    drift: [],
  });
  // What is built satisfies an entry; an epic is satisfied only by its own word.
  assert.deepEqual([story!.after, story!.waitsFor, story!.criteria], [["1.3"], [], ["one"]]);
  // As in tickets.py: what only a tracker knows is not known to be finished.
  assert.deepEqual([spike!.after, spike!.waitsFor], [["1.4", "#77"], ["1.4", "#77"]]);
  assert.deepEqual(board.epics[1]!.stories[0]!.waitsFor, ["1"]);
});

Deno.test("a tracker overrides the plan, and ids of a tracker lead to tickets", async () => {
  const board = await boardOf({
    ...TREE,
    [`${EPIC_1}/bug-pulled-bug.md`]:
      "---\nid: 3\ntype: bug\ntracker_id: 77\ntracker_status: in-progress\n---\n",
  });
  assert.equal(board.epics[0]!.stories[0]!.state, "in-progress");
  assert.deepEqual(board.epics[0]!.stories[2]!.waitsFor, ["1.4", "1.3"]);
  assert.deepEqual(driftOf(board), [
    `${EPIC_1}/bug-pulled-bug-plan.md:3 it says "built", but the tracker says "in-progress"`,
  ]);
});

Deno.test("the backlog, builds outside the tree and an initiative without epics are shown", async () => {
  const board = await boardOf({
    "out/initiative-a/initiative-a.md": "---\ntitle: Small\n---\n",
    "out/initiative-a/tickets.toml": '[[entry]]\nid = 1\ntype = "story"\ntitle = "One"\n',
    "out/initiative-a/plan-extra.md": "---\ntitle: Extra\nstatus: done\n---\n",
    "out/initiative-b/initiative-b.md": "",
    "out/backlog/bug-slow.md": "---\ntype: bug\ntitle: Slow\n---\n",
    "out/backlog/bug-slow-plan.md": "---\nticket: bug-slow\nstatus: dropped\n---\n",
  }, { output: "out", planning: [], implementation: [], initiative: "initiative-a" });
  assert.deepEqual(states(board), [
    "initiative-a in-progress: 1 backlog,plan-extra done",
    "backlog done: bug-slow dropped",
  ]);
  assert.deepEqual([board.epics[0]!.title, board.problems], ["Small", []]);
});

Deno.test("broken trees are problems with lines, and the rest is shown", async () => {
  const board = await boardOf({
    ...TREE,
    [`${EPIC_1}/tickets.toml`]: '[[entry]]\nid = 3\ntype = "bug"\n[[entry]]\ntype = "bug"\n' +
      '[[entry]]\nid = 3\ntype = "bug"\n[[entry]]\nid = 4\ntype = "story"\n[[entry]]\nid = 5\n',
    [`${EPIC_1}/bug-pulled-bug.md`]: "---\nid: 3\ntype: bug\nafter: [4]\n---\n",
    [`${EPIC_1}/story-sign-up.md`]: "---\nid: 4\nstatus: ready-for-dev\ntype: story\n---\n",
    [`${EPIC_1}/bug-second-plan.md`]: "---\nticket: 3\nstatus: done\n---\n",
    [`${EPIC_1}/bug-third-plan.md`]: "---\nticket: 99\n---\n",
    [`${EPIC_1}/story-sign-up-plan.md`]: "---\nticket: story-sign-up\nstatus: fermenting\n---\n",
    [`${EPIC_2}/tickets.toml`]: "[[entry]\nid = \n",
    [`${SHOP}/epic-extra/tickets.toml`]: '[[entry]]\nid = 1\ntype = "story"\n',
  });
  assert.deepEqual(states(board), [
    "1 in-progress: 1.3 review,1.4 blocked,1.5 backlog",
    "2 backlog: ",
    "epic-extra backlog: epic-extra.1 backlog",
  ]);
  const problems = told(board.problems);
  assert.deepEqual(problems.filter((line) => !line.startsWith(EPIC_2)), [
    `${EPIC_1}/tickets.toml:4 the entry has no id`,
    `${EPIC_1}/tickets.toml:6 entry 3 is listed twice`,
    `${EPIC_1}/tickets.toml:12 entry 5 has the unknown type ""`,
    `${EPIC_1}/bug-second-plan.md:undefined bug-pulled-bug-plan.md and bug-second-plan.md are plans of one ticket`,
    `${EPIC_1}/bug-third-plan.md:2 it is the plan of no ticket: none here is "99"`,
    `${EPIC_1}/story-sign-up-plan.md:3 unknown status "fermenting"; the ticket counts as blocked`,
    `${SHOP}/epic-extra:undefined epic-extra.md is missing`,
    `${SHOP}/epic-extra:undefined it is not in ${SHOP}/tickets.toml`,
    `${EPIC_1}/tickets.toml:1 1.3 comes before 1.4, which it builds on`,
  ]);
  assert.match(problems.find((line) => line.startsWith(EPIC_2))!, /tickets.toml:1 the TOML cannot be parsed/);
  assert.deepEqual(driftOf(board), [
    `${EPIC_1}/bug-pulled-bug.md:undefined it is after 1.4, but its entry in tickets.toml is after nothing`,
    `${EPIC_1}/story-sign-up.md:3 it says "ready-for-dev", but the plan says "fermenting"`,
  ]);
});

Deno.test("initiatives in a folder of their own are found, as the first releases with tickets kept them", async () => {
  const board = await boardOf({
    "out/preview-ticketing/initiative-a/initiative-a.md": "---\ntitle: Small\n---\n",
    "out/preview-ticketing/initiative-a/tickets.toml": '[[entry]]\nid = 1\ntype = "story"\ntitle = "One"\n',
    "out/notes/story-x.md": "---\ntype: story\n---\n",
  }, { output: "out", planning: [], implementation: [] });
  assert.deepEqual(states(board), ["initiative-a backlog: 1 backlog"]);
});

Deno.test("a title with a colon is no problem [work:tickets]", async () => {
  const board = await boardOf({
    "out/backlog/story-a.md": "---\ntype: story\ntitle: Pay: by card\n---\n",
    "out/backlog/story-b.md":
      "---\ntype: story\ntitle: Refund: a card   # draft\nafter: [story-a]\nassignee: @ann\n---\n",
    "out/backlog/story-b-plan.md": "---\ntitle: Plan: b\nticket: story-b\nstatus: in-progress\n---\n",
  });
  assert.deepEqual(told(board.problems), []);
  const [a, b] = board.epics[0]!.stories;
  assert.equal(a!.title, "Pay: by card");
  assert.deepEqual([b!.title, b!.state, b!.after, b!.owner], [
    "Refund: a card",
    "in-progress",
    ["story-a"],
    "@ann",
  ]);
});
