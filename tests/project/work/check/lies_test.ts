/**
 * Is a build or a ticket that shows no finished work refused as done, however it hides that?
 *
 * Each lie is told of a story in review, in an honest project. The check names it, the mark is refused with the same
 * words, and not a byte changes.
 */
import assert from "node:assert/strict";
import type { Code } from "../../../../src/project/work/check/mod.ts";
import { judgeDone } from "../../../support/checked.ts";
import { commitOf, honestProject, type MadeCommit, PLAIN, type Project } from "../../../support/honest.ts";
import { verifies } from "../../../support/requirements.ts";

/** A project in which one story in review is lied about. */
class Told {
  readonly #project: Project;
  readonly #path: string;

  constructor(project: Project) {
    this.#project = project;
    this.#path = project.stories[2]!.path;
  }

  get files(): Record<string, string> {
    return this.#project.files;
  }

  get commits(): MadeCommit[] {
    return this.#project.commits;
  }

  /** The commit of the story. */
  get commit(): MadeCommit {
    return this.commits.find(({ subject }) => subject.endsWith(` ${this.#project.stories[2]!.ref}`))!;
  }

  get path(): string {
    return this.#path;
  }

  get text(): string {
    return this.files[this.#path]!;
  }

  set text(text: string) {
    this.files[this.#path] = text;
  }

  edit(from: string | RegExp, to: string): void {
    const text = this.text.replace(from, to);
    assert.notEqual(text, this.text, `${from} is not in ${this.text}`);
    this.text = text;
  }

  /** Below a heading that exists, or as a new section at the end. */
  section(heading: string, body: string): void {
    const existing = new RegExp(`(^#{2,3} ${heading}\n)[^#]*`, "m");
    this.text = existing.test(this.text)
      ? this.text.replace(existing, `$1\n${body}\n\n`)
      : `${this.text}\n## ${heading}\n\n${body}\n`;
  }

  /** Both list and commit say that it was changed. */
  changes(kind: "added" | "deleted", path: string, after = "1".repeat(40)): void {
    this.commit.changes.push({ path, kind, before: "1".repeat(40), after });
  }
}

type Lie = readonly [code: Code, tell: (told: Told) => void];

const section = (
  code: Code,
  heading: string,
  body: string,
): Lie => [code, (told) => told.section(heading, body)];
const edit = (code: Code, from: string | RegExp, to: string): Lie => [code, (told) => told.edit(from, to)];
const task = (line: string): Lie => edit("box-unticked", "- [x] Test it\n", `- [x] Test it\n${line}\n`);

/** What can be told of a spec as of the plan of a ticket. */
const OF_BOTH: Readonly<Record<string, Lie>> = {
  // A draft, or sections in which nothing is written.
  "it is a draft": edit("not-begun", /^status: .*$/m, "status: draft"),
  "it is a draft in quotes, with a comment": edit(
    "not-begun",
    /^status: .*$/m,
    "status: 'draft' # draft | done",
  ),
  "it is a Draft": edit("not-begun", /^status: .*$/m, "status: Draft"),
  "it is a draft, and everything is ticked": [
    "not-begun",
    (told) => {
      told.edit(/^status: .*$/m, 'status: "draft"');
      told.section("Definition of Done", "- [x] All of it");
    },
  ],
  "it is front matter alone": edit("section-empty", /\n---\n[^]*/, "\n---\n"),
  "it is headings alone": edit(
    "section-empty",
    /\n---\n[^]*/,
    "\n---\n\n## Intent\n\n## Implementation Notes\n",
  ),
  "the intent is empty": section("section-empty", "Intent", ""),
  "the intent is a comment": section(
    "section-empty",
    "Intent",
    "<!-- The footer is wrong, and it is fixed. -->",
  ),
  "the intent is still to be written": section("section-empty", "Intent", "TBD"),
  "the intent is that of the template": section(
    "section-empty",
    "Intent",
    "**Problem:** ONE_TO_TWO_SENTENCES\n\n**Approach:** ONE_TO_TWO_SENTENCES",
  ),
  "the intent is a variable": section("section-empty", "Intent", "{{intent}}"),
  "the notes are empty": section("section-empty", "Implementation Notes", ""),
  "the notes are a comment": section("section-empty", "Implementation Notes", "<!-- Agent-owned. -->"),
  "the notes are a comment over lines": section(
    "section-empty",
    "Implementation Notes",
    "<!-- All\n\n- done\n-->",
  ),
  "the notes are still to be written": section("section-empty", "Implementation Notes", "- TODO"),
  "the notes are dots": section("section-empty", "Implementation Notes", "..."),
  // Open boxes.
  "a task with a star is open": task("* [ ] One more"),
  "a task with a plus is open": task("+ [ ] One more"),
  "a numbered task is open": task("3. [ ] One more"),
  "a task below a task is open": task("  - [ ] One more"),
  "a task after a tab is open": task("\t- [ ] One more"),
  "a task deep down is open": task("  - [x] a\n    - [x] b\n      - [ ] One more"),
  "a task in a quote is open": task("> - [ ] One more"),
  "a task in a table is open": task("\n| Task | Done |\n|---|---|\n| One more | [ ] |"),
  "a task of a second phase is open": task("\n### Phase 2\n\n- [ ] One more"),
  "a task after an example is open": task("\n```md\n- [ ] an example\n```\n\n- [ ] One more"),
  "a task of the build's own list is open": section(
    "box-unticked",
    "Tasks & Acceptance",
    "**Execution:**\n- [x] `src/invoice.ts` -- build it -- needed\n- [ ] `src/more.ts` -- build that -- needed",
  ),
  "a task is open in a file of Windows": [
    "box-unticked",
    (told) => {
      told.edit("[x] Build it", "[ ] Build it");
      told.text = told.text.replaceAll("\n", "\r\n");
    },
  ],
  "a task is open after a byte order mark": [
    "box-unticked",
    (told) => told.text = `\uFEFF${told.text.replace("[x] The view", "[ ] The view")}`,
  ],
  "what was to be verified was not": section(
    "box-unticked",
    "Verification",
    "- [ ] `npm test` -- expected: passes",
  ),
  "the definition of done is open": section(
    "box-unticked",
    "Definition of Done",
    "1. [x] Built\n2. [ ] Documented",
  ),
  // Criteria.
  "a criterion with a star is open": section(
    "criterion-unticked",
    "Acceptance Criteria",
    "* [x] Sorted\n* [ ] Shown",
  ),
  "a criterion of a table is open": section(
    "criterion-unticked",
    "Acceptance Criteria",
    "| What | Met |\n|---|---|\n| Sorted | [x] |\n| Shown | [ ] |",
  ),
  "a criterion of the build's own list is open": section(
    "criterion-unticked",
    "Tasks & Acceptance",
    "**Execution:**\n- [x] `src/invoice.ts` -- build it -- needed\n\n**Acceptance Criteria:**\n- [ ] Given a list, when it opens, then it is sorted",
  ),
  "no task is for the last of many criteria": [
    "criterion-without-task",
    (told) => {
      told.section("Acceptance Criteria", "1. Sorted\n2. Shown\n3. Fast\n4. Safe");
      told.edit("(AC: 1, 2)", "(AC: 1-3)");
    },
  ],
  "no test is for a criterion": [
    "criterion-untested",
    (told) => {
      told.section("Acceptance Criteria", "1. Sorted\n2. Shown\n3. Fast");
      told.edit("(AC: 1, 2)", "(AC: 1, 2, 3)");
      told.files["tests/invoice_test.ts"] = 'test("AC1 sorted");\ntest("AC 2 shown");\n';
    },
  ],
  // Questions.
  "a numbered question is open": section("question-open", "Open Questions", "1. Which currency?"),
  "a question with a box is open": section("question-open", "Open Questions", "- [ ] Which currency?"),
  "the second of two questions is open": section(
    "question-open",
    "Open Questions",
    "- ~~Which currency?~~ decided: euro\n- Which bank?",
  ),
  "the question of the template is left": section(
    "question-open",
    "Open Questions",
    "- CHOICE — options: OPTION_A (CONSEQUENCE_A) / OPTION_B (CONSEQUENCE_B)",
  ),
  "a German question is open": section("question-open", "Offene Fragen", "- Welche Währung?"),
  // Reviews.
  "a decision of the review is open": section(
    "review-open",
    "Review Findings",
    "- [ ] [Review][Decision] Which one?",
  ),
  "a follow-up of the review is open": section(
    "review-open",
    "Review Follow-ups (AI)",
    "- [ ] [AI-Review][High] Data",
  ),
  "a follow-up among the tasks is open": edit(
    "review-open",
    "- [x] Test it\n",
    "- [x] Test it\n- [ ] [AI-Review][Low] A name\n",
  ),
  "an action item of the review is open": section(
    "review-open",
    "Senior Developer Review (AI)",
    "**Outcome:** Approve\n\n### Action Items\n\n- [x] [High] Data\n- [ ] [Med] A name",
  ),
  "the review blocked it": section("review-rejected", "Senior Developer Review (AI)", "**Outcome:** Blocked"),
  "the review rejected it": section("review-rejected", "Code Review", "Verdict: Rejected"),
  "the review did not approve it": section("review-rejected", "Code Review", "- Decision: Not approved"),
  "a second review asked for changes": section(
    "review-rejected",
    "Senior Developer Review (AI)",
    "**Outcome:** Approve\n\n## Senior Developer Review (AI), second pass\n\n**Outcome:** Changes Requested",
  ),
  "a finding of medium severity was thrown away": section(
    "review-open",
    "Review Triage Log",
    "- findings:\n  - `[medium]` `[reject]` Rounds down — nobody will see it",
  ),
  "a grave finding was thrown away, in plain words": section(
    "review-open",
    "Review Triage Log",
    "* [high] [reject] Loses data — rarely",
  ),
  "a decision was put off": [
    "review-open",
    ({ files }) =>
      files["out/impl/deferred-work.md"] =
        "# Deferred\n\n## Deferred from: story 1.3 (2026-10-01)\n\n- [ ] [Review][Decision] Which currency\n",
  ],
  "the quality gate failed": [
    "review-rejected",
    (told) => {
      told.files["docs/qa/gates/1.3-invoice.yml"] = "gate: FAIL\n";
      told.section("QA Results", "docs/qa/gates/1.3-invoice.yml");
    },
  ],
  // The work.
  "a listed file is a wish": section(
    "file-missing",
    "File List",
    "| File | Change |\n|---|---|\n| `src/wish.ts` | new |",
  ),
  "a listed file is as it was": section(
    "not-changed",
    "File List",
    "- src/invoice.ts\n- tests/invoice_test.ts\n- README.md",
  ),
  "nothing is listed": section("file-list-empty", "File List", ""),
  "two changes are not listed": [
    "not-listed",
    (told) => {
      told.changes("added", "src/spy.ts");
      told.changes("added", "src/spies.ts");
    },
  ],
  "a test was deleted": [
    "test-removed",
    (told) => told.changes("deleted", "tests/old_test.ts", "0".repeat(40)),
  ],
  "the only test is a remark": [
    "no-test",
    (told) => {
      told.section("File List", "- src/invoice.ts\n- docs/tests.md");
      told.files["docs/tests.md"] = "# Tests\n";
      // A test that is not committed yet might be its own.
      for (const name of ["invoice", "search"]) delete told.files[`tests/${name}_test.ts`];
      told.commit.changes = told.commit.changes.filter(({ path }) => !path.startsWith("tests/"));
      told.changes("added", "docs/tests.md");
    },
  ],
  "its baseline is its own last commit": [
    "empty-diff",
    (told) => told.edit(/^baseline_revision: .*$/m, `baseline_revision: ${told.commit.id}`),
  ],
  "its one shot hit nothing": [
    "empty-diff",
    (told) => {
      told.edit(/^baseline_revision: .*$/m, "route: 'oneshot'");
      const { commit, commits, path } = told;
      const own = commit.changes.filter((one) => one.path === path).map((one) => ({
        ...one,
        kind: "added" as const,
      }));
      const code = commitOf("chore: tidy", commits.at(-1)!.id, {});
      commits.splice(0, commits.indexOf(commit) + 1, {
        ...commit,
        subject: "docs: a spec",
        parents: [code.id],
        changes: own,
      }, { ...code, changes: commit.changes.filter((one) => one.path !== path) });
    },
  ],
};

const EPIC = "out/initiative-shop/epic-one";
const LEAF = `${EPIC}/story-invoice.md`;
const leaf = (body: string, fields = ""): string =>
  `---\nid: 3\ntype: story\ntitle: invoice\n${fields}---\n\n# Invoice\n\n${body}`;

/** What only a ticket can hide. */
const OF_TICKETS: Readonly<Record<string, Lie>> = {
  "its entry says that something is unknown": [
    "question-open",
    ({ files }) =>
      files[`${EPIC}/tickets.toml`] = files[`${EPIC}/tickets.toml`]!.replace(
        "id = 3\n",
        'id = 3\nunknown = "Which bank?"\n',
      ),
  ],
  "its file says that something is unknown": [
    "question-open",
    ({ files }) =>
      files[LEAF] = leaf("## Done when\n\n- [x] It is paid\n\n## Notes\n\n- Unknown: which bank\n"),
  ],
  "what its file wants is not met": [
    "criterion-unticked",
    ({ files }) => files[LEAF] = leaf("## Done when\n\n- [x] It is paid\n- [ ] A mail is sent\n"),
  ],
  "a question of its file is open": [
    "question-open",
    ({ files }) => files[LEAF] = leaf("## Done when\n\n- It is paid\n\n## Open Questions\n\n- Which bank?\n"),
  ],
  "a box of its file is open": [
    "box-unticked",
    ({ files }) => files[LEAF] = leaf("## Tasks\n\n- [ ] Pay\n"),
  ],
  "it has neither a file nor a plan": ["no-file", (told) => delete told.files[told.path]],
  "its file is ready, and it has no plan": [
    "no-file",
    (told) => {
      delete told.files[told.path];
      told.files[LEAF] = leaf("## Done when\n\n- [x] It is paid\n", "refined: true\n");
    },
  ],
  "a finding of it was put off in the file of its initiative": [
    "review-open",
    ({ files }) =>
      files["out/initiative-shop/deferred-work.md"] =
        "# Deferred\n\n## From story-invoice\n\n- [ ] [High] Loses data\n",
  ],
};

/** What only a spec of a sprint can hide. */
const OF_BUILDS: Readonly<Record<string, Lie>> = {
  "there is no spec": ["no-file", (told) => delete told.files[told.path]],
  "the spec is empty": ["section-empty", (told) => told.text = "---\nstatus: done\n---\n"],
};

const CATALOGUES = { builds: { ...OF_BOTH, ...OF_BUILDS }, tickets: { ...OF_BOTH, ...OF_TICKETS } } as const;

for (const [shape, lies] of Object.entries(CATALOGUES)) {
  Deno.test(verifies("work:lies", `${Object.keys(lies).length} lies are caught: ${shape}`), async (t) => {
    for (const [name, [code, tell]] of Object.entries(lies as Readonly<Record<string, Lie>>)) {
      await t.step(name, async () => {
        const project = honestProject(shape as keyof typeof CATALOGUES, 1, PLAIN);
        tell(new Told(project));
        const { findings, against, isBegun, refusal, changed } = await judgeDone(
          project,
          project.stories[2]!.ref,
        );
        const caught = against.filter((one) => one.code === code);
        assert.ok(caught.length > 0, `${code}: ${JSON.stringify(against, undefined, 1)}`);
        for (const { problem } of caught) assert.ok(refusal?.includes(problem), `${problem}\n${refusal}`);
        // What was never begun claims nothing.
        if (isBegun) assert.ok(findings.some((one) => one.code === code), JSON.stringify(findings));
        assert.deepEqual(changed, []);
      });
    }
  });
}
