/** Does a check catch what is not true, and keep silent where everything is? */
import assert from "node:assert/strict";
import type { Code } from "../../../../src/project/work/check/mod.ts";
import { findingsIn } from "../../../support/checked.ts";
import { blobOf, honestProject, PLAIN, type Shape, SHAPES, StoryFile } from "../../../support/honest.ts";

type Edit = readonly [from: string | RegExp, to: string];

const FILE_LIES: Readonly<
  Record<string, readonly [readonly [Code, story: number], Edit, says: RegExp, shapes?: readonly Shape[]]>
> = {
  "a task is not ticked": [
    ["box-unticked", 1],
    ["[x] Its fields", "[ ] Its fields"],
    /1 of 5 boxes under "Tasks \/ Subtasks" is not ticked, first "Its fields"/,
  ],
  "the definition of done is not ticked": [
    ["box-unticked", 2],
    ["[x] Documented", "[ ] Documented"],
    /1 of 2 boxes under "Definition of Done" is not ticked, first "Documented"/,
  ],
  "a criterion is not ticked": [
    ["criterion-unticked", 1],
    ["1. The list is sorted\n2. Errors", "1. [x] The list is sorted\n2. [ ] Errors"],
    /1 of 2 boxes under "Acceptance Criteria" is not ticked, first "Errors are shown"/,
  ],
  "the criteria are those of the template": [
    ["criteria-missing", 2],
    ["1. The list is sorted\n2. Errors are shown", "1. [Add acceptance criteria from epics/PRD]"],
    /has no acceptance criteria/,
    ["specs"],
  ],
  "no task is for a criterion": [
    ["criterion-without-task", 1],
    ["2. Errors are shown\n", "2. Errors are shown\n3. It is fast\n"],
    /no task names AC3: It is fast$/,
  ],
  "a review finding is open": [
    ["review-open", 2],
    ["[x] [Review][Patch]", "[ ] [Review][Patch]"],
    /1 review finding is open, first "Sort by name/,
  ],
  "the last review asked for changes": [
    ["review-rejected", 1],
    [/$/, "\n## Senior Developer Review (AI)\n\n**Outcome:** Changes Requested\n"],
    /its last review says "Changes Requested"/,
  ],
  "a grave finding was thrown away": [
    ["review-open", 1],
    [/$/, "\n## Review Triage Log\n\n- findings:\n  - `[high]` `[reject]` Loses data — no time\n"],
    /a review finding that counts was rejected/,
  ],
  "a question is open": [
    ["question-open", 2],
    [/$/, "\n## Open Questions\n\n- Which currency?\n"],
    /a question is open: "- Which currency\?"/,
  ],
  "boxes of a story that was never begun are ticked": [
    ["pre-ticked", 5],
    [/\[ \](?= (?:Build|The|Its|Test))/g, "[x]"],
    /is "(?:ready-for-dev|Approved)", but 5 boxes are ticked already, first "Build it/,
  ],
  "the file contradicts itself": [
    ["status-contradiction", 1],
    [/^---\n([^]*)Status: done/, "---\nstatus: done\n$1Status: in-progress"],
    /its file says "done" in line 2 and "in-progress" in line \d+/,
    ["sprint", "files"],
  ],
};

for (const [name, [[code, number], edit, says, shapes = SHAPES]] of Object.entries(FILE_LIES)) {
  Deno.test(`a lie is caught: ${name} [work:check]`, async () => {
    for (const shape of shapes) {
      const project = honestProject(shape, 1, PLAIN);
      assert.deepEqual(await findingsIn(project), [], shape);
      const file = new StoryFile(project, number);
      file.edit(...edit);
      const findings = await findingsIn(project);
      const caught = findings.filter((one) =>
        one.code === code && one.story === file.story.ref && says.test(one.problem)
      );
      assert.equal(caught.length, 1, `${shape}: ${JSON.stringify(findings, undefined, 1)}`);
      assert.equal(caught[0]!.path, file.path);
      assert.ok(caught[0]!.line! > 0, shape);
    }
  });
}

const NOTHING = "0".repeat(40);
const OLD = "1".repeat(40);
const SPRINT = "out/impl/sprint-status.yaml";
const GATE = "docs/qa/gates/1.1-login.yml";
const EPIC = "out/initiative-shop/epic-one";
const planOf = ({ project: { shape } }: StoryFile) => shape === "v4" ? "docs/prd.md" : "out/plan/epics.md";
const putOff = ({ path }: StoryFile) =>
  `# Deferred\n\n## Deferred from: code review of ${/([^/]+)\.md$/.exec(path)![1]} (2026-10-01)\n\n` +
  "- Old code is slow\n- [ ] [Review][Defer] An old name\n- [ ] [Review][Patch] Loses data\n\n" +
  "## Deferred from: another\n\n- [ ] [Review][Patch] Elsewhere\n";

type WorldLie = readonly [
  code: Code,
  says: RegExp,
  tell: (told: StoryFile) => unknown,
  shapes?: readonly Shape[],
];

const WORK_LIES: Readonly<Record<string, WorldLie>> = {
  "nothing was changed": [
    "empty-diff",
    /is "done", but nothing in its list was changed since its baseline [0-9a-f]{12}; not committed: "src\/search\.ts", /,
    ({ project, commit, path }) => {
      project.commits.at(-1)!.changes.push(...commit.changes.filter((one) => one.path !== path));
      commit.changes = commit.changes.filter((one) => one.path === path);
    },
  ],
  "a listed file was not changed": [
    "not-changed",
    /lists what was not changed since its baseline: "README.md"\./,
    (told) => told.edit("- src/login.ts\n", "- src/login.ts\n- README.md\n"),
  ],
  "a listed file does not exist": [
    "file-missing",
    /lists what does not exist: "src\/ghost.ts"\./,
    (told) => told.edit("- src/login.ts\n", "- src/login.ts\n- src/ghost.ts (new)\n"),
  ],
  "a change is not listed": [
    "not-listed",
    /does not list 1 file that its commits changed: "src\/tracking.ts"\./,
    (told) => told.changes("added", "src/tracking.ts"),
  ],
  "nothing is listed": [
    "file-list-empty",
    /is "done", but its list of files is empty\./,
    (told) => told.edit("- src/login.ts\n- tests/login_test.ts (new)\n", ""),
  ],
  "there is no test": ["no-test", /changed "src\/login.ts", but no test\./, (told) => {
    told.edit("- tests/login_test.ts (new)\n", "");
    const after = blobOf(told.files[told.path]!);
    told.commit.changes = told.commit.changes.filter(({ path }) => !path.startsWith("tests/"))
      .map((one) => one.path === told.path ? { ...one, after } : one);
    delete told.files["tests/login_test.ts"];
  }],
  "a test was deleted": [
    "test-removed",
    /deleted the test "tests\/old_test.ts" without saying so\./,
    (told) => told.changes("deleted", "tests/old_test.ts", NOTHING),
  ],
  "a test was renamed, so that it does not run": [
    "test-removed",
    /renamed to "tests\/old_test.ts.bak" the test "tests\/old_test.ts" without saying so\./,
    ({ commit }) =>
      commit.changes.push(
        { path: "tests/old_test.ts", kind: "deleted", before: OLD, after: NOTHING },
        { path: "tests/old_test.ts.bak", kind: "added", before: NOTHING, after: OLD },
      ),
  ],
  "no test is for a criterion": [
    "criterion-untested",
    /no test names AC3: It is fast$/,
    (told) => {
      told.edit("2. Errors are shown\n", "2. Errors are shown\n3. It is fast\n");
      told.edit("(AC: 1, 2)", "(AC: 1-3)");
      told.files["tests/login_test.ts"] = 'test("AC1: sorted");\ntest("AC2: errors");\n';
    },
  ],
  "the quality gate failed": ["review-rejected", /its quality gate failed\./, (told) => {
    told.files[GATE] = "gate: FAIL\nwaiver: { active: false }\n";
    told.section("QA Results", `See ${GATE}`);
  }],
  "the quality gate names criteria without a test": [
    "criterion-untested",
    /its quality gate names criteria without a test: "2"\./,
    (told) => {
      told.files[GATE] = "gate: PASS\nevidence:\n  trace:\n    ac_gaps: [2]\n";
      told.section("QA Results", `\`${GATE}\``);
    },
  ],
  "a finding of its review was put off": [
    "review-open",
    /is "done", but 1 review finding of it is deferred and open, first "\[Review\]\[Patch\] Loses data"/,
    (told) => told.files["out/impl/deferred-work.md"] = putOff(told),
    ["sprint", "files", "specs", "tickets"],
  ],
  "a requirement was dropped": ["requirement-uncovered", /No story and no epic covers FR7\./, (told) => {
    const paths = ["docs/prd.md", "out/plan/prd.md", "out/initiative-shop/prd-shop/prd-shop.md"];
    const path = paths.find((one) => told.files[one]);
    told.edit("- **FR6**", "- **FR7**: The shop has a bell.\n- **FR6**", path);
  }, ["sprint", "files", "v4", "tickets"]],
  "half of the other requirements were dropped": [
    "requirement-uncovered",
    /No story and no epic covers NFR2\./,
    (told) => told.edit("\nFR2\n", "\nFR2, NFR1\n", planOf(told)),
    ["sprint", "files", "v4"],
  ],
  "a capability was dropped": ["requirement-uncovered", /No story and no epic covers CAP6\./, (told) => {
    for (const { path, number } of told.project.stories.slice(0, 5)) {
      told.edit("## Intent\n", `## Intent\n\nCAP-${number}\n`, path);
    }
  }, ["specs"]],
  "the story that covers a requirement was dropped": [
    "requirement-uncovered",
    /No story and no epic covers FR6\./,
    (told) => told.edit("1-6-profile: backlog", "1-6-profile: dropped", SPRINT),
    ["sprint"],
  ],
};

const LEDGER_LIES: Readonly<Record<string, WorldLie>> = {
  "the ledger is ahead of the file": [
    "status-contradiction",
    /Story 1-4: it says "in-progress", but the ledger says "done"\./,
    (told) => told.edit("1-4-search: in-progress", "1-4-search: done", SPRINT),
    ["sprint"],
  ],
  "an epic is done before its stories": [
    "status-contradiction",
    /Epic 1: it is done, but 4 of its stories are not\./,
    (told) => told.edit("epic-1: in-progress", "epic-1: done", SPRINT),
    ["sprint"],
  ],
  "an epic of tickets is done before its tickets": [
    "status-contradiction",
    /Epic 1: it is done, but 4 of its tickets are not\./,
    (told) => told.edit("type: epic\n", "type: epic\nstatus: done\n", `${EPIC}/epic-one.md`),
    ["tickets"],
  ],
  "what is done has no file": [
    "no-file",
    /Story 1-1 is "done", but it has no story file/,
    ({ files }) => delete files["out/impl/1-1-login.md"],
    ["sprint"],
  ],
  "the plan says something else": [
    "status-contradiction",
    /Story 1-4: it says "Done", but the story file says/,
    (told) => told.edit("\nFR4\n", "\nFR4\n\n**Status:** Done\n", planOf(told)),
    ["files", "v4"],
  ],
  "it is done before what it builds on": [
    "prerequisite-open",
    /Story 1-2 is "done", but builds on 1-4, which is not\./,
    (told) => told.edit("\nFR2\n", "\nFR2\n\nDepends on: 1.4\n", planOf(told)),
    ["files", "v4", "sprint"],
  ],
  "two files are about one story": [
    "ledger-problem",
    /story 1-1 has another file/,
    ({ files, path }) => files[path.replace("login", "sign-in")] = "Status: Done\n",
    ["files", "v4"],
  ],
  "a plan is of no ticket": [
    "ledger-problem",
    /it is the plan of no ticket: none here is "77"/,
    ({ files }) => files[`${EPIC}/any-name.md`] = "---\nticket: 077\nstatus: done\n---\n",
    ["tickets"],
  ],
  "a ticket is done without a plan": [
    "ledger-problem",
    /ticket 70 is "done", but has no plan/,
    ({ files }) => files[`${EPIC}/any-name.md`] = "---\nid: 070\ntype: bug\nstatus: done\n---\n",
    ["tickets"],
  ],
  "a ticket's leaf says something else than its plan": [
    "status-contradiction",
    /Story 1\.1: it says "in-progress", but the plan says "done"/,
    ({ files }) => files[`${EPIC}/story-login.md`] = "---\nid: 1\ntype: story\nstatus: in-progress\n---\n",
    ["tickets"],
  ],
};

for (const [name, [code, says, tell, shapes = SHAPES]] of Object.entries({ ...LEDGER_LIES, ...WORK_LIES })) {
  Deno.test(`a lie is caught: ${name} [work:check]`, async () => {
    for (const shape of shapes) {
      const project = honestProject(shape, 1, PLAIN);
      tell(new StoryFile(project, 1));
      const findings = await findingsIn(project);
      const caught = findings.filter((one) => one.code === code && says.test(one.problem));
      assert.equal(caught.length, 1, `${shape}: ${JSON.stringify(findings, undefined, 1)}`);
    }
  });
}

Deno.test("a ticket that a tracker keeps needs no plan [work:check-honest]", async () => {
  const project = honestProject("tickets", 1, PLAIN);
  const { files, path } = new StoryFile(project, 1);
  delete files[path];
  files[path.replace("-plan", "")] =
    "---\nid: 1\ntype: story\ntracker_status: done\n---\n\n## Done when\n\n- It works\n";
  assert.deepEqual(await findingsIn(project), []);
});

Deno.test("a list of files may name files with spaces, in any language, and what was renamed [work:check-honest]", async () => {
  for (const shape of SHAPES) {
    const project = honestProject(shape, 1, PLAIN);
    const told = new StoryFile(project, 1);
    const listed = {
      "src/new.js": "src/new.js (renamed from src/old.js)",
      "src/my new.js": "`src/my new.js` – moved from `src/my old.js`",
      "src/my file.js": "src/my file.js",
      "näme ü.js": "Added: näme ü.js – names",
      "src/app/(shop)/[id]/page 1.tsx": "src/app/(shop)/[id]/page 1.tsx: the page",
      "lib/kept.js": "lib/kept.js (new)",
    };
    told.edit(
      "- src/login.ts\n",
      ["- src/login.ts", ...Object.values(listed), ""].join("\n- ").replace(/- $/, ""),
    );
    for (const path of Object.keys(listed)) {
      told.changes("added", path, blobOf(path));
      told.files[path] = path;
    }
    told.changes("deleted", "src/old.js", NOTHING);
    told.changes("deleted", "src/my old.js", NOTHING);
    // Its content shows that it is now called "lib/kept.js".
    told.commit.changes.push({
      path: "lib/old.js",
      kind: "deleted",
      before: blobOf("lib/kept.js"),
      after: NOTHING,
    });
    assert.deepEqual(await findingsIn(project), [], shape);
    told.edit("- src/my file.js\n", "- src/my lost.js\n- src/login.ts and src/unchanged.js\n");
    told.changes("added", "src/unchanged.js");
    const problems = (await findingsIn(project)).map(({ problem }) => problem);
    assert.match(problems.join("\n"), /lists what does not exist: "src\/my"/, shape);
    assert.match(problems.join("\n"), /not list 2 files .*"src\/my file.js", "src\/unchanged.js"/, shape);
  }
});
