/** Does the board show what `sprint-status.yaml`, story files and epics say, and where they contradict each other? */
import assert from "node:assert/strict";
import { boardOf, driftOf, states, told } from "../../../support/board.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const ledger = (rows: string, rest = "") => ({ [LEDGER]: `${rest}development_status:\n${rows}` });
const EPICS = `# Shop - Epics
## Epic List
### Epic 1: Accounts
**FRs covered:** FR1, FR2
## Epic 1: Accounts
People have accounts.
### Story 1.1: Sign up
As a guest I want an account (FR1).
**Acceptance Criteria:**
**Given** a new name
**When** I sign up
**Then** I am in
**Given** a taken name
**Then** I am told
### Story 1.2: Sign in
**Prerequisites:** Story 1.1
**Owner:** Ann
**Acceptance Criteria:**
1. The password is checked (FR2)
2. Three attempts
\`\`\`
### Story 9.9: an example
\`\`\`
## Epic 2: Orders
### Story 2.1: Basket
`;

Deno.test("stories have their state and all their facts [work:board]", async () => {
  const board = await boardOf({
    ...ledger(
      "  epic-1: in-progress\n  1-1-sign-up: done # merged\n  1-2-sign-in: in-progress\n" +
        "  epic-1-retrospective: optional\n\n  epic-2: backlog\n  2-1-basket: backlog\n",
      "generated: 05-06-2-2025 21:30\nstory_location: '{project-root}/out/impl'\n",
    ),
    "out/plan/epics.md": EPICS,
    "out/impl/1-1-sign-up.md":
      "# Story 1.1: Sign up\n\nStatus: done\n\n## Tasks\n- [x] a\n  - [X] b\n```\n- [ ] an example\n```\n",
    "out/impl/spec-1-2-sign-in.md":
      "---\ntitle: 'Sign in'\nstatus: 'in-progress'\nassignee: Bob\n---\n## Tasks\n- [ ] c\n- [x] d\n",
  });
  assert.deepEqual(states(board), ["1 in-progress: 1-1 done,1-2 in-progress", "2 backlog: 2-1 backlog"]);
  assert.deepEqual([board.problems, board.epics[0]!.retrospective], [[], "optional"]);
  const [one, two] = board.epics[0]!.stories;
  assert.deepEqual(board.epics[0]!.covers, ["FR1", "FR2"]);
  assert.deepEqual([one!.title, one!.line, one!.boxes, one!.drift], ["Sign up", 4 + 1, {
    ticked: 2,
    total: 2,
  }, []]);
  assert.deepEqual(one!.criteria, [
    "**Given** a new name **When** I sign up **Then** I am in",
    "**Given** a taken name **Then** I am told",
  ]);
  assert.deepEqual(two, {
    ref: "1-2",
    key: "1-2-sign-in",
    form: "build-spec",
    title: "Sign in",
    state: "in-progress",
    status: "in-progress",
    ledger: LEDGER,
    line: 6,
    file: "out/impl/spec-1-2-sign-in.md",
    owner: "Bob",
    after: ["1-1"],
    waitsFor: [],
    covers: ["FR2"],
    criteria: ["The password is checked (FR2)", "Three attempts"],
    boxes: { ticked: 1, total: 2 },
    drift: [],
  });
});

Deno.test("the words of every release have their state", async () => {
  const board = await boardOf(ledger(
    "  epic-1: contexted\n  1-1-a: backlog\n  1-2-b: drafted\n  1-3-c: ready-for-dev\n  1-4-d: in-progress\n" +
      "  1-5-e: review\n  1-6-f: done\n  1-7-g: Blocked\n  1-8a-h: in_review\n  epic-1-retrospective: completed\n",
  ));
  assert.deepEqual(states(board), [
    "1 in-progress: 1-1 backlog,1-2 ready,1-3 ready,1-4 in-progress,1-5 review,1-6 done,1-7 blocked,1-8a review",
  ]);
});

Deno.test("an unknown status is kept and shown [work:unknown-status]", async () => {
  const board = await boardOf(
    ledger(
      "  1-1-a: awaiting-operator\n  1-2-b: fermenting\n  1-3-c:\n  home-made: done\n  1-4-d: backlog\n",
    ),
  );
  assert.deepEqual(states(board), [
    "1 backlog: 1-1 blocked,1-2 blocked,1-3 blocked,1-4 backlog",
    " done: home-made done",
  ]);
  assert.deepEqual(board.epics[0]!.stories.map(({ status }) => status), [
    "awaiting-operator",
    "fermenting",
    undefined,
    "backlog",
  ]);
  assert.deepEqual(told(board.problems), [
    `${LEDGER}:3 story 1-2-b has the unknown status "fermenting"`,
    `${LEDGER}:4 story 1-3-c has the unknown status ""`,
  ]);
});

Deno.test("what disagrees is shown with its lines [work:drift]", async () => {
  const board = await boardOf({
    ...ledger(
      "  epic-1: backlog\n  1-1-sign-up: done\n  1-2-sign-in: ready-for-dev\n  1-3-lost: backlog\n  epic-2: done\n",
    ),
    "out/plan/epics/epic-1.md": EPICS,
    "out/impl/1-1-sign-up.md": "# Story 1.1\n\n**Status:** In Progress\n",
  });
  assert.deepEqual(driftOf(board), [
    `${LEDGER}:2 it is in the backlog, but work on its stories has begun`,
    'out/impl/1-1-sign-up.md:3 it says "In Progress", but the ledger says "done"',
    `${LEDGER}:5 no plan has a heading for it`,
  ]);
  assert.deepEqual(told(board.problems), [
    `out/plan/epics/epic-1.md:25 story 2-1 is not in ${LEDGER}; plan adds it`,
  ]);
  // The advice for a story without a file is to begin it, which then writes the file.
  const begun = await boardOf(ledger("  epic-1: in-progress\n  1-1-a: in-progress\n  1-2-b: review\n"));
  assert.deepEqual(driftOf(begun), [`${LEDGER}:4 it is "review", but has no story file`]);
});

Deno.test("a malformed file is a problem with its line [work:malformed]", async () => {
  const rescued = await boardOf(ledger("  1-1-a: done\n  1-1-a: backlog\n  1-2-b: review\n"));
  assert.deepEqual(states(rescued), ["1 in-progress: 1-1 done,1-1 backlog,1-2 review"]);
  assert.equal(rescued.problems[0]!.line, 3);
  assert.match(rescued.problems[0]!.problem, /cannot be parsed/);
  const document = await boardOf({
    ...ledger("  1-1-a: review\n"),
    "out/impl/1-1-a.md": "---\ntags: [a\nstatus: in-review\n---\n",
  });
  assert.deepEqual([document.epics[0]!.stories[0]!.drift, document.problems.length], [[], 1]);
  for (
    const text of [
      "",
      "- a\n",
      "development_status: 3\n",
      "development_status:\n",
      "\0\x01",
      "a: &a [*a]\n",
    ]
  ) {
    const board = await boardOf({ [LEDGER]: text, "out/plan/epics.md": "#".repeat(5_000) });
    assert.ok(board.problems.every(({ path }) => path === LEDGER), text);
    assert.deepEqual(board.epics, []);
  }
});

Deno.test("hostile names and texts are harmless [work:hostile]", async () => {
  const evil = "\x1b[2J\u202eevil";
  const board = await boardOf({
    ...ledger(
      `  1-1-a: "${"\\x1b[2J"}gone"\n  "__proto__": done\n  ../../etc/passwd: done\n`,
      "story_location: ../..\n",
    ),
    "out/impl/1-1-a.md":
      `---\ntitle: "x"\nowner: "${"\\e]0;"}me"\n---\n# ${evil}\n## Acceptance Criteria\n- ${evil}\n`,
    "out/impl/link.md": { link: "/etc/passwd" },
    "out/plan/epics.md":
      `${"#".repeat(3)} Story 1.1: ${evil}\n${"**".repeat(100_000)}\n${"- [ ".repeat(50_000)}\n` +
      `${" ".repeat(200_000)}x\n${"1.".repeat(100_000)}\n${"FR".repeat(100_000)}\n`,
  });
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(JSON.stringify(board.epics), /\\u001b|\\x1b|\u202e|\x1b/);
  assert.deepEqual(Object.getPrototypeOf({}), Object.prototype);
  const { title, owner } = board.epics[0]!.stories[0]!;
  assert.deepEqual([title, owner], ["␛[2J�evil", "␛]0;me"]);
});

Deno.test("prerequisites in any spelling [work:board]", async () => {
  const board = await boardOf({
    ...ledger("  1-1-a: backlog\n  1-2-b: backlog\n  1-3-c: backlog\n  1-4-d: backlog\n  2-1-e: backlog\n"),
    "out/plan/epics.md": "## Epic 1: A\n### Story 1.2: B\n**Prerequisites:** Story 1.01\n" +
      "## Epic 2: B\nDepends on: 01.04\n### Story 2.1: E\n",
    "out/impl/1-3-c.md": "---\ndepends_on: [01-02, 1-2, Story 1.1]\n---\n",
    "out/impl/1-4-d.md": "---\nafter: 1-3-c\n---\n",
  });
  assert.deepEqual(
    board.epics.flatMap(({ stories }) => stories.map(({ ref, waitsFor }) => `${ref}: ${waitsFor}`)),
    ["1-1: ", "1-2: 1-1", "1-3: 1-2,1-1", "1-4: 1-3", "2-1: 1-4"],
  );
});
