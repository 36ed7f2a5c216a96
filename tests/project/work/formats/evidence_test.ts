/** Runs of commands in the files of stories, read and written in every form. */
import assert from "node:assert/strict";
import {
  type CommandRun,
  type FormName,
  FORMS,
  outcomeOf,
  readDocument,
  readRun,
  readStoryText,
  runRow,
} from "../../../../src/project/work/formats/mod.ts";
import { asJson } from "../../../support/board.ts";
import { withRun } from "../../../../src/project/work/writer/evidence.ts";

const PATH = "1-1-login.md";
const RUN: CommandRun = { command: "npm test -- login", before: "failed (exit 1)", date: "2026-11-18" };
const PASSED: CommandRun = { ...RUN, after: "passed", date: "2026-11-19" };
const ROW = "- `npm test -- login` — before: failed (exit 1), 2026-11-18";
const PASSED_ROW = "- `npm test -- login` — before: failed (exit 1); after: passed, 2026-11-19";

const runsIn = (text: string) => readStoryText(PATH, text).runs;

Deno.test("a row is read as it was written, and no other line is one [work:evidence]", () => {
  for (
    const run of [RUN, PASSED, { command: "a", after: "passed" }, { command: "a", before: "1; 2, 3" }, {
      command: 'x --y="z" — before: no',
      before: "did not end within 5 s",
      after: "12 passed, 0 failed",
      date: "2026-01-02",
    }] satisfies CommandRun[]
  ) {
    assert.deepEqual(asJson(readRun(`- ${runRow(run)}`)), run);
    assert.deepEqual(asJson(readRun(`  * ${runRow(run)}  `)), run);
  }
  assert.equal(`- ${runRow(PASSED)}`, PASSED_ROW);
  for (
    const line of [
      "- `npm test` -- expected: all green",
      "- npm test — after: passed",
      "`npm test` — after: passed",
      "- `npm test` — passed",
      "- [x] `npm test` — after: passed",
      `- \`npm test\` — after: ${"passed ".repeat(400)}`,
    ]
  ) assert.equal(readRun(line), undefined, line);
});

Deno.test("the words of a result say whether it passed [work:evidence]", () => {
  for (
    const [result, outcome] of [
      ["passed", "passed"],
      ["Passed (12 tests)", "passed"],
      ["exit 0", "passed"],
      ["exit code 0", "passed"],
      ["all green", "passed"],
      ["12 passed, 0 failed", "passed"],
      ["OK, no errors", "passed"],
      ["failed (exit 1)", "failed"],
      ["exit 1", "failed"],
      ["11 passed, 1 failed", "failed"],
      ["did not pass", "failed"],
      ["did not end within 600 s", "failed"],
      ["2 errors", "failed"],
      ["later", undefined],
      ["", undefined],
    ] as const
  ) assert.equal(outcomeOf(result), outcome, result);
});

/** For each form, a file; what is added lies between « and ». */
const FILES: readonly (readonly [FormName, text: string])[] = [
  [
    "story-file",
    "# Story 1.1: Login\n\nStatus: review\n\n## Dev Agent Record\n\n### Agent Model Used\n\nX\n\n" +
    `### Debug Log References\n\n«${ROW}\n\n»### Completion Notes List\n\nDone.\n`,
  ],
  [
    "story-file",
    "Status: review\n\n## Dev Agent Record\n\n### Agent Model Used\nX\n" +
    `«\n### Debug Log References\n\n${ROW}\n\n»### Completion Notes List\nDone.\n\n### File List\n\n- a.ts\n`,
  ],
  [
    "story-file",
    "Status: review\n\n## Dev Agent Record\n\n### Debug Log References\n\n" +
    `- a.log\n\`\`\`\n### File List\n\`\`\`\n\n«${ROW}\n\n»## Change Log\n`,
  ],
  ["story-file", `«## Dev Agent Record\n\n### Debug Log References\n\n${ROW}\n»`],
  ["story-file", `Status: done«\n\n## Dev Agent Record\n\n### Debug Log References\n\n${ROW}\n»`],
  [
    "v4-story",
    "# Story 1.1\n\n## Status\n\nReview\n\n## Change Log\n\n| a |\n\n" +
    `«## Dev Agent Record\n\n### Debug Log References\n\n${ROW}\n\n»## QA Results\n\nPASS\n`,
  ],
  [
    "build-spec",
    "---\nstatus: done\n---\n\n## Intent\n\nLog in.\n\n## Verification\n\n**Commands:**\n" +
    `- \`npm test\` -- expected: green\n«${ROW}\n»\n## Design Notes\n\nNone.\n`,
  ],
  [
    "spec-story",
    "---\nstatus: done\n---\n## Intent\nLog in.\n## Implementation Notes\nBuilt.\n" +
    `«\n${ROW}\n\n»## Spec Change Log\n`,
  ],
  ["ticket", `---\nstatus: built\n---\n\n## Intent\n\nLog in.\n«\n## Verification\n\n${ROW}\n»`],
];

Deno.test("a row is added where the template wants it, byte for byte [work:evidence]", () => {
  for (const [form, text] of FILES) {
    const [before, after] = [text.replace(/«[^»]*»/, ""), text.replaceAll(/[«»]/g, "")];
    for (const newline of ["\n", "\r\n"]) {
      for (const mark of ["", "\uFEFF"]) {
        // Without a line, nothing shows how lines end.
        const ends = (text: string) => before.includes("\n") ? text.replaceAll("\n", newline) : text;
        const [old, expected] = [mark + ends(before), mark + ends(after)];
        const added = withRun(PATH, old, FORMS[form].runs, RUN);
        assert.equal(added, expected, form);
        assert.deepEqual(asJson(runsIn(added).map(({ line: _, ...run }) => run)), [RUN]);
        const changed = withRun(PATH, added, FORMS[form].runs, PASSED);
        assert.equal(changed, expected.replace(ROW, PASSED_ROW), form);
        const other = { command: "npm run lint", after: "passed", date: "2026-11-18" };
        const twice = withRun(PATH, changed, FORMS[form].runs, other);
        assert.equal(twice.split("\n").length, changed.split("\n").length + 1, twice);
        assert.deepEqual(runsIn(twice).map(({ command }) => command), [RUN.command, other.command]);
      }
    }
  }
});

Deno.test("a row says nothing else about its story [work:evidence]", () => {
  const text = "---\nstatus: done\n---\n\n## Acceptance Criteria\n\n1. Works\n\n## Verification\n\n";
  const run = {
    command: "pytest -k FR9",
    before: "FR8 failed",
    after: "passed, see FR7",
    date: "2026-11-18",
  };
  const changed = withRun(PATH, text, FORMS["build-spec"].runs, run);
  assert.deepEqual(readDocument(PATH, changed), readDocument(PATH, text));
  const { sections } = readStoryText(PATH, changed);
  assert.equal(sections.get("verification")!.isFilled, false);
});

Deno.test("what cannot be read again is not written [work:evidence]", () => {
  const places = FORMS["story-file"].runs;
  for (
    const [text, run] of [
      ["## Dev Agent Record\n\n### Debug Log References\n\n```\nopen\n", RUN],
      ["# A\n\n<!--\n\n## B\n-->\n```\n", RUN],
      ["# A\n", { command: "a `b`", after: "passed" }],
      ["# A\n", { command: "a", before: "x; after: y" }],
      ["# A\n", { command: "a" }],
      ["# A\n", { command: "a", after: "passed\n- [ ] more" }],
      [`# A\n\n${ROW} <!-- kept -->\n\n\`\`\`\n${ROW}\n`, { ...RUN, command: "b`" }],
    ] satisfies (readonly [string, CommandRun])[]
  ) {
    assert.throws(() => withRun(PATH, text, places, run), /cannot be added to/, JSON.stringify([text, run]));
  }
});
