/** Is a build or a ticket that shows no finished work refused as done, however it hides that? */
import assert from "node:assert/strict";
import type { Code } from "../../../../src/project/work/check/mod.ts";
import { judgeDone } from "../../../support/checked.ts";
import { commitOf, honestProject, PLAIN, StoryFile } from "../../../support/honest.ts";

type Tell = (told: StoryFile) => void;
type Lie = readonly [name: string, code: Code, tell: Tell];

const STATUS = /^status: .*$/m;

const SECTIONS: Partial<
  Readonly<Record<Code, readonly (readonly [heading: string, ...bodies: string[]])[]>>
> = {
  "section-empty": [
    [
      "Intent",
      "",
      "<!-- The footer is wrong, and it is fixed. -->",
      "TBD",
      "**Problem:** ONE_TO_TWO_SENTENCES\n\n**Approach:** ONE_TO_TWO_SENTENCES",
      "{{intent}}",
    ],
    ["Implementation Notes", "", "<!-- Agent-owned. -->", "<!-- All\n\n- done\n-->", "- TODO", "..."],
  ],
  "box-unticked": [
    ["Tasks & Acceptance", "**Execution:**\n- [x] `src/invoice.ts` -- needed\n- [ ] `src/more.ts` -- needed"],
    ["Verification", "- [ ] `npm test` -- expected: passes"],
    ["Definition of Done", "1. [x] Built\n2. [ ] Documented"],
  ],
  "criterion-unticked": [
    [
      "Acceptance Criteria",
      "* [x] Sorted\n* [ ] Shown",
      "| What | Met |\n|---|---|\n| Sorted | [x] |\n| Shown | [ ] |",
    ],
    [
      "Tasks & Acceptance",
      "**Execution:**\n- [x] `src/invoice.ts` -- needed\n\n**Acceptance Criteria:**\n- [ ] Given a list, then it is sorted",
    ],
  ],
  "question-open": [
    [
      "Open Questions",
      "1. Which currency?",
      "- [ ] Which currency?",
      "- ~~Which currency?~~ decided: euro\n- Which bank?",
      "- CHOICE — options: OPTION_A (CONSEQUENCE_A) / OPTION_B (CONSEQUENCE_B)",
    ],
    ["Offene Fragen", "- Welche Währung?"],
  ],
  "review-open": [
    ["Review Findings", "- [ ] [Review][Decision] Which one?"],
    ["Review Follow-ups (AI)", "- [ ] [AI-Review][High] Data"],
    [
      "Senior Developer Review (AI)",
      "**Outcome:** Approve\n\n### Action Items\n\n- [x] [High] Data\n- [ ] [Med] A name",
    ],
    [
      "Review Triage Log",
      "- findings:\n  - `[medium]` `[reject]` Rounds down — nobody will see it",
      "* [high] [reject] Loses data — rarely",
    ],
  ],
  "review-rejected": [
    [
      "Senior Developer Review (AI)",
      "**Outcome:** Blocked",
      "**Outcome:** Approve\n\n## Senior Developer Review (AI), second pass\n\n**Outcome:** Changes Requested",
    ],
    ["Code Review", "Verdict: Rejected", "- Decision: Not approved"],
  ],
  "file-missing": [["File List", "| File | Change |\n|---|---|\n| `src/wish.ts` | new |"]],
  "not-changed": [["File List", "- src/invoice.ts\n- tests/invoice_test.ts\n- README.md"]],
  "file-list-empty": [["File List", ""]],
};

const OPEN_TASKS = [
  "* [ ] One more",
  "+ [ ] One more",
  "3. [ ] One more",
  "  - [ ] One more",
  "\t- [ ] One more",
  "  - [x] a\n    - [x] b\n      - [ ] One more",
  "> - [ ] One more",
  "\n| Task | Done |\n|---|---|\n| One more | [ ] |",
  "\n### Phase 2\n\n- [ ] One more",
  "\n```md\n- [ ] an example\n```\n\n- [ ] One more",
];

const OF_BOTH: readonly Lie[] = [
  ...["status: draft", "status: 'draft' # draft | done", "status: Draft"].map((status): Lie => [
    status,
    "not-begun",
    (told) => told.edit(STATUS, status),
  ]),
  ...["\n---\n", "\n---\n\n## Intent\n\n## Implementation Notes\n"].map((rest): Lie => [
    `all that is left is ${rest}`,
    "section-empty",
    (told) => told.edit(/\n---\n[^]*/, rest),
  ]),
  ...Object.entries(SECTIONS).flatMap(([code, rows]) =>
    rows.flatMap(([heading, ...bodies]) =>
      bodies.map((body): Lie => [
        `${heading}: ${body}`,
        code as Code,
        (told) => told.section(heading, body),
      ])
    )
  ),
  ...OPEN_TASKS.map((line): Lie => [
    line,
    "box-unticked",
    (told) => told.edit("- [x] Test it\n", `- [x] Test it\n${line}\n`),
  ]),
  ["it is a draft, and everything is ticked", "not-begun", (told) => {
    told.edit(STATUS, 'status: "draft"');
    told.section("Definition of Done", "- [x] All of it");
  }],
  ["a task is open in a file of Windows", "box-unticked", (told) => {
    told.edit("[x] Build it", "[ ] Build it");
    told.text = told.text.replaceAll("\n", "\r\n");
  }],
  ["a task is open after a byte order mark", "box-unticked", (told) => {
    told.edit("[x] The view", "[ ] The view");
    told.text = `\uFEFF${told.text}`;
  }],
  [
    "a follow-up among the tasks is open",
    "review-open",
    (told) => told.edit("- [x] Test it\n", "- [x] Test it\n- [ ] [AI-Review][Low] A name\n"),
  ],
  ["no task is for the last of many criteria", "criterion-without-task", (told) => {
    told.section("Acceptance Criteria", "1. Sorted\n2. Shown\n3. Fast\n4. Safe");
    told.edit("(AC: 1, 2)", "(AC: 1-3)");
  }],
  ["no test is for a criterion", "criterion-untested", (told) => {
    told.section("Acceptance Criteria", "1. Sorted\n2. Shown\n3. Fast");
    told.edit("(AC: 1, 2)", "(AC: 1, 2, 3)");
    told.files["tests/invoice_test.ts"] = 'test("AC1 sorted");\ntest("AC 2 shown");\n';
  }],
  [
    "a decision was put off",
    "review-open",
    ({ files }) =>
      files["out/impl/deferred-work.md"] =
        "# Deferred\n\n## Deferred from: story 1.3 (2026-10-01)\n\n- [ ] [Review][Decision] Which currency\n",
  ],
  ["the quality gate failed", "review-rejected", (told) => {
    told.files["docs/qa/gates/1.3-invoice.yml"] = "gate: FAIL\n";
    told.section("QA Results", "docs/qa/gates/1.3-invoice.yml");
  }],
  ["two changes are not listed", "not-listed", (told) => {
    told.changes("added", "src/spy.ts");
    told.changes("added", "src/spies.ts");
  }],
  [
    "a test was deleted",
    "test-removed",
    (told) => told.changes("deleted", "tests/old_test.ts", "0".repeat(40)),
  ],
  ["the only test is a remark", "no-test", (told) => {
    told.section("File List", "- src/invoice.ts\n- docs/tests.md");
    told.files["docs/tests.md"] = "# Tests\n";
    // A test that is not committed yet might be its own.
    for (const name of ["invoice", "search"]) delete told.files[`tests/${name}_test.ts`];
    told.commit.changes = told.commit.changes.filter(({ path }) => !path.startsWith("tests/"));
    told.changes("added", "docs/tests.md");
  }],
  [
    "its baseline is its own last commit",
    "empty-diff",
    (told) => told.edit(/^baseline_revision: .*$/m, `baseline_revision: ${told.commit.id}`),
  ],
  ["its one shot hit nothing", "empty-diff", (told) => {
    told.edit(/^baseline_revision: .*$/m, "route: 'oneshot'");
    const { commit, path, project: { commits } } = told;
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
  }],
];

const EPIC = "out/initiative-shop/epic-one";
const LEAF = `${EPIC}/story-invoice.md`;

/** Lies in the file of the ticket itself, which stands beside its plan. */
const OF_LEAVES: readonly (readonly [code: Code, body: string])[] = [
  ["question-open", "## Done when\n\n- [x] It is paid\n\n## Notes\n\n- Unknown: which bank\n"],
  ["criterion-unticked", "## Done when\n\n- [x] It is paid\n- [ ] A mail is sent\n"],
  ["question-open", "## Done when\n\n- It is paid\n\n## Open Questions\n\n- Which bank?\n"],
  ["box-unticked", "## Tasks\n\n- [ ] Pay\n"],
];
const leaf = (body: string, fields = ""): string =>
  `---\nid: 3\ntype: story\ntitle: invoice\n${fields}---\n\n# Invoice\n\n${body}`;

const OF_TICKETS: readonly Lie[] = [
  ...OF_LEAVES.map(([code, body]): Lie => [body, code, ({ files }) => files[LEAF] = leaf(body)]),
  ["its entry says that something is unknown", "question-open", ({ files }) => {
    const ledger = `${EPIC}/tickets.toml`;
    files[ledger] = files[ledger]!.replace("id = 3\n", 'id = 3\nunknown = "Which bank?"\n');
  }],
  ["it has neither a file nor a plan", "no-file", (told) => delete told.files[told.path]],
  ["its file is ready, and it has no plan", "no-file", (told) => {
    delete told.files[told.path];
    told.files[LEAF] = leaf("## Done when\n\n- [x] It is paid\n", "refined: true\n");
  }],
  [
    "a finding of it was put off in the file of its initiative",
    "review-open",
    ({ files }) =>
      files["out/initiative-shop/deferred-work.md"] =
        "# Deferred\n\n## From story-invoice\n\n- [ ] [High] Loses data\n",
  ],
];

const OF_BUILDS: readonly Lie[] = [
  ["there is no spec", "no-file", (told) => delete told.files[told.path]],
  ["the spec is empty", "section-empty", (told) => told.text = "---\nstatus: done\n---\n"],
];

const CATALOGUES = { builds: [...OF_BOTH, ...OF_BUILDS], tickets: [...OF_BOTH, ...OF_TICKETS] } as const;

for (const shape of ["builds", "tickets"] as const) {
  const lies = CATALOGUES[shape];
  Deno.test(`${lies.length} lies are caught: ${shape} [work:lies]`, async (t) => {
    for (const [name, code, tell] of lies) {
      await t.step(name, async () => {
        const project = honestProject(shape, 1, PLAIN);
        tell(new StoryFile(project, 3));
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
