/** Findings of reviews, in the words of every release, read and written. */
import assert from "node:assert/strict";
import {
  readDocument,
  readFacts,
  readReview,
  readStoryText,
  type ReviewFinding,
  type RowStyle,
  SEVERITIES,
  uniqueFindings,
  VERDICTS,
} from "../../../../src/project/work/formats/mod.ts";
import {
  withFinding,
  withPass,
  withVerdict,
  writtenAs,
} from "../../../../src/project/work/writer/review_edit.ts";

const PATH = "1-1-login.md";

function reviewOf(text: string) {
  return readReview(readStoryText(PATH, text));
}

function factsOf({ severity, text, file, verdict, reason, isOpen, pass }: ReviewFinding): string {
  return [pass, severity, text, file, verdict, reason, isOpen ? "open" : "over"].join(" | ");
}

Deno.test("findings are read in the words of every release [work:findings]", () => {
  const { findings, passes } = reviewOf(`# Story 1.1: Login

## Tasks / Subtasks

- [x] Build it

### Review Follow-ups (AI)

- [ ] [AI-Review][High] No lock on the counter [src/count.ts:12]
- [x] [AI-Review][Med] Wrong words (AC #2) [file: src/words.ts:3-9]

### Review Findings

- [ ] [Review][Decision] Which separator? — Semicolon, as the accountant wants it
- [ ] [Review][Patch] The route leaks its id [app/[id]/page.tsx:4]
- [x] [Review][Defer] Old imports [src/old.ts:1] — deferred, pre-existing

#### Rejected

- false: the lock is taken by the caller [src/count.ts:12] — \`open()\` holds it
- low: a longer name — nobody reads it

## Review Triage Log

<!-- Append-only. -->

### 2026-03-18 — Review pass
- verdicts: 3 findings — high 1, medium 1, false 1
- findings:
  - \`[high]\` \`[patch]\` The token is logged \`src/token.ts:7\` — removed the line
  - \`[false]\` \`[reject]\` Reads twice — the cache answers
  - \`[medium]\` \`[defer]\` Slow on Windows — only with ten thousand files
  - \`[high]\` \`[patch]\` The token is logged \`src/token.ts:7\` — carried: removed the line

## QA Results

### Review Date: 2025-01-12

- [x] Refactored the service (services/user.service.ts)
- [ ] Consider a validator of its own
`);
  assert.deepEqual(findings.map(factsOf), [
    "1 | high | No lock on the counter | src/count.ts:12 |  |  | open",
    "1 | medium | Wrong words (AC #2) | src/words.ts:3-9 | fixed |  | over",
    "2 |  | Which separator? — Semicolon, as the accountant wants it |  |  |  | open",
    "2 |  | The route leaks its id | app/[id]/page.tsx:4 | accepted |  | open",
    "2 |  | Old imports | src/old.ts:1 | deferred | pre-existing | over",
    "2 |  | the lock is taken by the caller | src/count.ts:12 | rejected | `open()` holds it | over",
    "2 | low | a longer name |  | rejected | nobody reads it | over",
    "3 | high | The token is logged | src/token.ts:7 | fixed | removed the line | over",
    "3 |  | Reads twice |  | rejected | the cache answers | over",
    "3 | medium | Slow on Windows |  | deferred | only with ten thousand files | over",
    "4 |  | Refactored the service | services/user.service.ts | fixed |  | over",
    "4 |  | Consider a validator of its own |  |  |  | open",
  ]);
  assert.deepEqual(passes.map(({ heading }) => heading), [
    "Review Follow-ups (AI)",
    "Review Findings",
    "2026-03-18 — Review pass",
    "Review Date: 2025-01-12",
  ]);
});

const FILES: readonly (readonly [RowStyle, string])[] = [
  ["findings", "# Story 1.1: Login\n\n## Tasks / Subtasks\n\n- [x] Build it\n\n## Dev Notes\n\nNone.\n"],
  [
    "findings",
    "\uFEFF# Story\r\n\r\n## Tasks\r\n- [x] A\r\n### Review Findings\r\n- [x] [Review][Patch] B [b.ts:1]\r\n",
  ],
  ["findings", "# Story without tasks"],
  ["findings", ""],
  [
    "follow-ups",
    "# S\n\n## Tasks\n\n### Review Follow-ups (AI)\n\n- [ ] [AI-Review][Low] A\n  goes on\n\n## Notes\n",
  ],
  [
    "triage",
    "---\nstatus: in-review\n---\n\n## Intent\n\nX\n\n## Review Triage Log\n\n<!-- Append-only.\n  ## Not a heading -->\n\n## Verification\n\n- `x`\n",
  ],
  [
    "triage",
    "## Senior Developer Review (AI)\n\n**Outcome:** Approved\n\n## Intent\n\nX\n\n## Review Triage Log\n",
  ],
  ["triage", "## Intent\n\nX\n\n```md\n## Review Triage Log\n```\n"],
  [
    "triage",
    "## Review Triage Log\n\n### 2026-01-01 — Review pass\n- findings:\n  - `[low]` `[reject]` A — no\n",
  ],
  [
    "checklist",
    "# Story 1.1\n\n## QA Results\n\n### Review Date: 2025-01-12\n\n- [x] Done (a.ts)\n\n## Change Log\n",
  ],
  ["checklist", "# Story 1.1\n\n## Status\n\nReview\n"],
];

Deno.test("a finding in two sections is one [work:findings, work:findings-shown]", () => {
  const text = "# Story 1.1: A\n\n## Tasks / Subtasks\n\n### Review Follow-ups (AI)\n\n" +
    "- [ ] [AI-Review][High] No lock on the counter [src/count.ts:12]\n\n## Senior Developer Review (AI)\n\n" +
    "### Action Items\n\n- [ ] [High] No lock on the counter [src/count.ts:12]\n" +
    "- [ ] [Low] No lock on the counter [src/other.ts:1]\n";
  const { findings } = readReview(readStoryText("a.md", text));
  assert.deepEqual(uniqueFindings(findings).map(({ file }) => file), ["src/count.ts:12", "src/other.ts:1"]);
  assert.equal(readFacts({ file: readDocument("a.md", text) }).findings, 2);
});

Deno.test("nothing else changes, in any style [work:findings]", () => {
  for (const [style, text] of FILES) {
    for (const severity of SEVERITIES) {
      for (
        const [words, file] of [["A new one", "src/n.ts:4"], ["Says “x” — and more", "my file.ts"], [
          "Ends (so)",
          undefined,
        ]] as const
      ) {
        const known = reviewOf(text).findings.map(factsOf);
        const begun = withPass(PATH, text, style, {
          date: "2026-11-18",
          lenses: ["edge cases", "security"],
        });
        const passes = reviewOf(begun).passes;
        assert.deepEqual(passes.at(-1)!.lenses, ["edge cases", "security"], begun);
        const written = writtenAs(style, words.replaceAll(" — ", " - "), file);
        const { text: added } = withFinding(PATH, begun, style, { severity, written });
        const own = reviewOf(added).findings.find((one) => one.pass === passes.length)!;
        const told = [passes.length, severity, words.replaceAll(" — ", " - "), file];
        assert.equal(factsOf(own), [...told, "", "", "open"].join(" | "));
        assert.deepEqual(
          reviewOf(added).findings.filter((one) => one !== own && one.id !== own.id).map(factsOf),
          known,
        );
        // Only whole lines were added.
        const left = new Set(added.split("\n"));
        assert.ok(text.split("\n").every((line) => left.has(line) || left.has(`${line}\r`)), added);
        let now = added;
        for (const verdict of [...VERDICTS, ...VERDICTS.toReversed()]) {
          const before = reviewOf(now).findings.find(({ id }) => id === own.id)!;
          now = withVerdict(PATH, now, before, { verdict, reason: "because — so" });
          const after = reviewOf(now).findings.find(({ id }) => id === own.id)!;
          assert.equal(after.verdict, verdict, now);
          assert.equal(after.reason, "because — so", now);
          assert.equal(after.isOpen, verdict === "accepted", now);
          assert.equal(now.split("\n").length, added.split("\n").length);
        }
      }
    }
  }
});
