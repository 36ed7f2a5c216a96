/**
 * Does a check catch what is not true, and keep silent where everything is?
 *
 * Every lie is told in each shape of ledgers in which it can be told. The project is honest before.
 */
import assert from "node:assert/strict";
import type { Finding } from "../../../../src/project/work/check/mod.ts";
import { findingsIn } from "../../../support/checked.ts";
import {
  honestProject,
  type MadeCommit,
  PLAIN,
  type Project,
  type Shape,
  SHAPES,
  type Told,
} from "../../../support/honest.ts";
import { verifies } from "../../../support/requirements.ts";

/** The code of a finding, what it must be about, and how the lie is told: in the file of that story. */
interface Lie {
  readonly code: string;
  readonly says: RegExp;
  readonly story: number;
  readonly shapes?: readonly Shape[];
  tell(text: string, story: Told, project: Project): string;
}

const LIES: Readonly<Record<string, Lie>> = {
  "a task is not ticked": {
    code: "box-unticked",
    says: /1 of 5 boxes under "Tasks \/ Subtasks" is not ticked, first "Its fields"/,
    story: 1,
    tell: (text) => text.replace("[x] Its fields", "[ ] Its fields"),
  },
  "nothing of forty boxes is ticked": {
    code: "box-unticked",
    says: /45 of 45 boxes under "Tasks/,
    story: 3,
    tell: (text) =>
      text.replace("- [x] Test it\n", `- [x] Test it\n${"- [x] One more\n".repeat(40)}`).replaceAll(
        "[x]",
        "[ ]",
      ),
  },
  "the definition of done is not ticked": {
    code: "box-unticked",
    says: /1 of 2 boxes under "Definition of Done" is not ticked, first "Documented"/,
    story: 2,
    tell: (text) => text.replace("[x] Documented", "[ ] Documented"),
  },
  "a criterion is not ticked": {
    code: "criterion-unticked",
    says: /1 of 2 boxes under "Acceptance Criteria" is not ticked, first "Errors are shown"/,
    story: 1,
    tell: (text) =>
      text.replace("1. The list is sorted\n2. Errors", "1. [x] The list is sorted\n2. [ ] Errors"),
  },
  "the criteria are those of the template": {
    code: "criteria-missing",
    says: /has no acceptance criteria/,
    story: 2,
    shapes: ["specs"],
    tell: (text) =>
      text.replace(
        "1. The list is sorted\n2. Errors are shown",
        "1. [Add acceptance criteria from epics/PRD]",
      ),
  },
  "no task is for a criterion": {
    code: "criterion-without-task",
    says: /no task names criterion 3, "3. It is fast"/,
    story: 1,
    tell: (text) => text.replace("2. Errors are shown\n", "2. Errors are shown\n3. It is fast\n"),
  },
  "a review finding is open": {
    code: "review-open",
    says: /1 review finding is open, first "Sort by name/,
    story: 2,
    tell: (text) => text.replace("[x] [Review][Patch]", "[ ] [Review][Patch]"),
  },
  "the last review asked for changes": {
    code: "review-rejected",
    says: /its last review says "Changes Requested"/,
    story: 1,
    tell: (text) => `${text}\n## Senior Developer Review (AI)\n\n**Outcome:** Changes Requested\n`,
  },
  "a grave finding was thrown away": {
    code: "review-open",
    says: /a review finding that counts was rejected/,
    story: 1,
    tell: (text) =>
      `${text}\n## Review Triage Log\n\n- findings:\n  - \`[high]\` \`[reject]\` Loses data — no time\n`,
  },
  "a question is open": {
    code: "question-open",
    says: /a question is open: "- Which currency\?"/,
    story: 2,
    tell: (text) => `${text}\n## Open Questions\n\n- Which currency?\n`,
  },
  "boxes of a story that was never begun are ticked": {
    code: "pre-ticked",
    says: /is "(?:ready-for-dev|Approved)", but 5 boxes are ticked already, first "Build it/,
    story: 5,
    tell: (text) => text.replaceAll(/\[ \](?= (?:Build|The|Its|Test))/g, "[x]"),
  },
  "the file contradicts itself": {
    code: "status-contradiction",
    says: /its file says "done" in line 2 and "in-progress" in line \d+/,
    story: 1,
    shapes: ["sprint", "files"],
    tell: (text) =>
      text.replace("---\n", "---\nstatus: done\n").replace("Status: done", "Status: in-progress"),
  },
};

for (const [name, { code, says, story: number, shapes = SHAPES, tell }] of Object.entries(LIES)) {
  Deno.test(verifies("work:check", `a lie is caught: ${name}`), async () => {
    for (const shape of shapes) {
      const project = honestProject(shape, 1, PLAIN);
      assert.deepEqual(await findingsIn(project), [], shape);
      const story = project.stories[number - 1]!;
      const before = project.files[story.path]!;
      project.files[story.path] = tell(before, story, project);
      assert.notEqual(project.files[story.path], before, `${shape}: the lie is told`);
      const findings = await findingsIn(project);
      const caught = findings.filter((one) =>
        one.code === code && one.story === story.ref && says.test(one.problem)
      );
      assert.equal(caught.length, 1, `${shape}: ${JSON.stringify(findings, undefined, 1)}`);
      const [{ path, line }] = caught as [Finding];
      assert.equal(path, story.path);
      assert.ok(line! > 0, `${shape}: ${line}`);
    }
  });
}

/** The commit of a story, to be changed. */
function commitFor({ commits }: Project, { ref }: Told): MadeCommit {
  return commits.find(({ subject }) => subject.endsWith(` ${ref}`))!;
}

const NOTHING = "0".repeat(40);
const OLD = "1".repeat(40);

/** Lies about the work. Each is told about the first story, in every shape unless it says otherwise. */
const WORK_LIES: Readonly<Record<string, LedgerLie>> = {
  "nothing was changed": {
    code: "empty-diff",
    says:
      /is "done", but nothing in its list was changed since its baseline [0-9a-f]{12}; not committed: "src\/search\.ts", /,
    tell: (project) => {
      const [story] = project.stories as [Told];
      const commit = commitFor(project, story);
      const first = project.commits.at(-1)!;
      first.changes.push(...commit.changes.filter(({ path }) => path !== story.path));
      commit.changes = commit.changes.filter(({ path }) => path === story.path);
    },
  },
  "a listed file was not changed": {
    code: "not-changed",
    says: /lists what was not changed since its baseline: "README.md"\./,
    tell: (project) => editStory(project, "- src/login.ts\n", "- src/login.ts\n- README.md\n"),
  },
  "a listed file does not exist": {
    code: "file-missing",
    says: /lists what does not exist: "src\/ghost.ts"\./,
    tell: (project) => editStory(project, "- src/login.ts\n", "- src/login.ts\n- src/ghost.ts (new)\n"),
  },
  "a change is not listed": {
    code: "not-listed",
    says: /does not list 1 file that its commits changed: "src\/tracking.ts"\./,
    tell: (project) =>
      commitFor(project, project.stories[0]!).changes.push({
        path: "src/tracking.ts",
        kind: "added",
        before: NOTHING,
        after: OLD,
      }),
  },
  "nothing is listed": {
    code: "file-list-empty",
    says: /is "done", but its list of files is empty\./,
    tell: (project) => editStory(project, "- src/login.ts\n- tests/login_test.ts (new)\n", ""),
  },
  "there is no test": {
    code: "no-test",
    says: /changed "src\/login.ts", but no test\./,
    tell: (project) => {
      editStory(project, "- tests/login_test.ts (new)\n", "");
      const commit = commitFor(project, project.stories[0]!);
      commit.changes = commit.changes.filter(({ path }) => !path.startsWith("tests/"));
      delete project.files["tests/login_test.ts"];
    },
  },
  "a test was deleted": {
    code: "test-removed",
    says: /deleted the test "tests\/old_test.ts" without saying so\./,
    tell: (project) =>
      commitFor(project, project.stories[0]!).changes.push({
        path: "tests/old_test.ts",
        kind: "deleted",
        before: OLD,
        after: NOTHING,
      }),
  },
  "a test was renamed, so that it does not run": {
    code: "test-removed",
    says: /renamed to "tests\/old_test.ts.bak" the test "tests\/old_test.ts" without saying so\./,
    tell: (project) =>
      commitFor(project, project.stories[0]!).changes.push(
        { path: "tests/old_test.ts", kind: "deleted", before: OLD, after: NOTHING },
        { path: "tests/old_test.ts.bak", kind: "added", before: NOTHING, after: OLD },
      ),
  },
  "no test is for a criterion": {
    code: "criterion-untested",
    says: /no test names criterion 3, "3. It is fast"/,
    tell: (project) => {
      editStory(project, "2. Errors are shown\n", "2. Errors are shown\n3. It is fast\n");
      editStory(project, "(AC: 1, 2)", "(AC: 1-3)");
      project.files["tests/login_test.ts"] = 'test("AC1: sorted");\ntest("AC2: errors");\n';
    },
  },
  "the quality gate failed": {
    code: "review-rejected",
    says: /its quality gate failed\./,
    tell: (project) => {
      project.files["docs/qa/gates/1.1-login.yml"] = "gate: FAIL\nwaiver: { active: false }\n";
      const [story] = project.stories as [Told];
      project.files[story.path] += "\n## QA Results\n\nSee docs/qa/gates/1.1-login.yml\n";
    },
  },
  "the quality gate names criteria without a test": {
    code: "criterion-untested",
    says: /its quality gate names criteria without a test: "2"\./,
    tell: (project) => {
      project.files["docs/qa/gates/1.1-login.yml"] = "gate: PASS\nevidence:\n  trace:\n    ac_gaps: [2]\n";
      const [story] = project.stories as [Told];
      project.files[story.path] += "\n## QA Results\n\n`docs/qa/gates/1.1-login.yml`\n";
    },
  },
  "a finding of its review was put off": {
    shapes: ["sprint", "files", "specs", "tickets"],
    code: "review-open",
    says:
      /is "done", but 1 review finding of it is deferred and open, first "\[Review\]\[Patch\] Loses data"/,
    tell: ({ files, stories }) => {
      const [, stem] = /([^/]+)\.md$/.exec(stories[0]!.path)!;
      files["out/impl/deferred-work.md"] =
        `# Deferred\n\n## Deferred from: code review of ${stem} (2026-10-01)\n\n- Old code is slow\n` +
        "- [ ] [Review][Defer] An old name\n- [ ] [Review][Patch] Loses data\n\n## Deferred from: another\n\n" +
        "- [ ] [Review][Patch] Elsewhere\n";
    },
  },
  "a requirement was dropped": {
    shapes: ["sprint", "files", "v4", "tickets"],
    code: "requirement-uncovered",
    says: /No story and no epic covers FR7\./,
    tell: ({ files }) => {
      const path = ["docs/prd.md", "out/plan/prd.md", "out/initiative-shop/prd-shop/prd-shop.md"].find((
        one,
      ) => files[one]);
      replaceIn(files, path!, "- **FR6**", "- **FR7**: The shop has a bell.\n- **FR6**");
    },
  },
  "half of the other requirements were dropped": {
    shapes: ["sprint", "files", "v4"],
    code: "requirement-uncovered",
    says: /No story and no epic covers NFR2\./,
    tell: ({ files, shape }) =>
      replaceIn(files, shape === "v4" ? "docs/prd.md" : "out/plan/epics.md", "\nFR2\n", "\nFR2, NFR1\n"),
  },
  "a capability was dropped": {
    shapes: ["specs"],
    code: "requirement-uncovered",
    says: /No story and no epic covers CAP6\./,
    tell: ({ files, stories }) => {
      for (const { path, number } of stories.slice(0, 5)) {
        replaceIn(files, path, "## Intent\n", `## Intent\n\nCAP-${number}\n`);
      }
    },
  },
  "the story that covers a requirement was dropped": {
    shapes: ["sprint"],
    code: "requirement-uncovered",
    says: /No story and no epic covers FR6\./,
    tell: ({ files }) =>
      replaceIn(files, "out/impl/sprint-status.yaml", "1-6-profile: backlog", "1-6-profile: dropped"),
  },
};

function editStory({ files, stories }: Project, from: string, to: string): void {
  replaceIn(files, stories[0]!.path, from, to);
}

/** Lies of ledgers: the shapes in which they can be told, and how. */
const LEDGER_LIES: Readonly<Record<string, LedgerLie>> = {
  "the ledger is ahead of the file": {
    shapes: ["sprint"],
    code: "status-contradiction",
    says: /Story 1-4: it says "in-progress", but the ledger says "done"\./,
    tell: ({ files }) =>
      replaceIn(files, "out/impl/sprint-status.yaml", "1-4-search: in-progress", "1-4-search: done"),
  },
  "an epic is done before its stories": {
    shapes: ["sprint"],
    code: "status-contradiction",
    says: /Epic 1: it is done, but 4 of its stories are not\./,
    tell: ({ files }) =>
      replaceIn(files, "out/impl/sprint-status.yaml", "epic-1: in-progress", "epic-1: done"),
  },
  "an epic of tickets is done before its tickets": {
    shapes: ["tickets"],
    code: "status-contradiction",
    says: /Epic 1: it is done, but 4 of its tickets are not\./,
    tell: ({ files }) =>
      replaceIn(
        files,
        "out/initiative-shop/epic-one/epic-one.md",
        "type: epic\n",
        "type: epic\nstatus: done\n",
      ),
  },
  "what is done has no file": {
    shapes: ["sprint"],
    code: "no-file",
    says: /Story 1-1 is "done", but it has no story file/,
    tell: ({ files }) => delete files["out/impl/1-1-login.md"],
  },
  "the plan says something else": {
    shapes: ["files", "v4"],
    code: "status-contradiction",
    says: /Story 1-4: it says "Done", but the story file says/,
    tell: ({ files, shape }) =>
      replaceIn(
        files,
        shape === "v4" ? "docs/prd.md" : "out/plan/epics.md",
        "\nFR4\n",
        "\nFR4\n\n**Status:** Done\n",
      ),
  },
  "it is done before what it builds on": {
    shapes: ["files", "v4", "sprint"],
    code: "prerequisite-open",
    says: /Story 1-2 is "done", but builds on 1-4, which is not\./,
    tell: ({ files, shape }) =>
      replaceIn(
        files,
        shape === "v4" ? "docs/prd.md" : "out/plan/epics.md",
        "\nFR2\n",
        "\nFR2\n\nDepends on: 1.4\n",
      ),
  },
  "two files are about one story": {
    shapes: ["files", "v4"],
    code: "ledger-problem",
    says: /story 1-1 has another file/,
    tell: ({ files, stories }) => files[stories[0]!.path.replace("login", "sign-in")] = "Status: Done\n",
  },
  "a plan is of no ticket": {
    shapes: ["tickets"],
    code: "ledger-problem",
    says: /it is the plan of no ticket: none here is "77"/,
    tell: ({ files }) =>
      files["out/initiative-shop/epic-one/any-name.md"] = "---\nticket: 077\nstatus: done\n---\n",
  },
  "a ticket is done without a plan": {
    shapes: ["tickets"],
    code: "ledger-problem",
    says: /ticket 70 is "done", but has no plan/,
    tell: ({ files }) =>
      files["out/initiative-shop/epic-one/any-name.md"] = "---\nid: 070\ntype: bug\nstatus: done\n---\n",
  },
  "a ticket's leaf says something else than its plan": {
    shapes: ["tickets"],
    code: "status-contradiction",
    says: /Story 1\.1: it says "in-progress", but the plan says "done"/,
    tell: ({ files }) =>
      files["out/initiative-shop/epic-one/story-login.md"] =
        "---\nid: 1\ntype: story\nstatus: in-progress\n---\n",
  },
};

interface LedgerLie {
  readonly shapes?: readonly Shape[];
  readonly code: string;
  readonly says: RegExp;
  tell(project: Project): unknown;
}

function replaceIn(files: Record<string, string>, path: string, from: string, to: string): void {
  assert.ok(files[path]!.includes(from), `${path}: ${files[path]}`);
  files[path] = files[path]!.replace(from, to);
}

for (
  const [name, { shapes = SHAPES, code, says, tell }] of Object.entries({ ...LEDGER_LIES, ...WORK_LIES })
) {
  Deno.test(verifies("work:check", `a lie is caught: ${name}`), async () => {
    for (const shape of shapes) {
      const project = honestProject(shape, 1, PLAIN);
      tell(project);
      const findings = await findingsIn(project);
      const caught = findings.filter((one) => one.code === code && says.test(one.problem));
      assert.equal(caught.length, 1, `${shape}: ${JSON.stringify(findings, undefined, 1)}`);
    }
  });
}

Deno.test(verifies("work:check-honest", "a ticket that a tracker keeps needs no plan"), async () => {
  const project = honestProject("tickets", 1, PLAIN);
  const [{ path }] = project.stories as [Told];
  delete project.files[path];
  project.files[path.replace("-plan", "")] =
    "---\nid: 1\ntype: story\ntracker_status: done\n---\n\n## Done when\n\n- It works\n";
  assert.deepEqual(await findingsIn(project), []);
});

Deno.test(
  verifies("work:check-honest", "forty honest projects in all shapes and styles have no findings"),
  async () => {
    const seeds = Array.from({ length: 40 }, (_, at) => at + 1);
    for (const seed of seeds) {
      const project = honestProject(SHAPES[seed % SHAPES.length]!, seed);
      assert.deepEqual(await findingsIn(project), [], `seed ${seed}: ${JSON.stringify(project.style)}`);
    }
  },
);
