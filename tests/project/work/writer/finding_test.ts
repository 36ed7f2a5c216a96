/**
 * Are findings recorded and settled in the files of every form, and nowhere else?
 */
import assert from "node:assert/strict";
import { findStory } from "../../../../src/project/work/board/mod.ts";
import { findSame } from "../../../../src/project/work/review/mod.ts";
import { findingId, VERDICTS } from "../../../../src/project/work/formats/mod.ts";
import {
  beginPass,
  type FindingRequest,
  openReview,
  type Recognize,
  recordFinding,
} from "../../../../src/project/work/writer/mod.ts";
import { findingsIn } from "../../../support/checked.ts";
import { honestProject, SHAPES } from "../../../support/honest.ts";
import { verifies } from "../../../support/requirements.ts";
import { documentsIn, treeTest, withTree } from "../../../support/trees.ts";
import { writerIn } from "../../../support/writer.ts";

const literally: Recognize = (said, known) =>
  Promise.resolve({ same: known.find(({ id }) => id === findingId(said.text, said.file)) });

type Options = Parameters<typeof writerIn>[1];

async function find(root: string, request: FindingRequest, options?: Options) {
  return await recordFinding(await writerIn(root, options), request, literally);
}

Deno.test(verifies("work:finding", "an open finding keeps a story from being done"), async () => {
  for (const shape of SHAPES) {
    for (let seed = 1; seed <= 4; seed++) {
      const project = honestProject(shape, seed);
      const { ref, path } = project.stories.find(({ state }) => state === "done")!;
      const { folders } = project;
      const options = {
        folders,
        journal: folders.implementation[0] && `${folders.implementation[0]}/work-log.jsonl`,
      };
      const changed = (root: string) => {
        const now = documentsIn(root, "out", "docs");
        return Object.keys(now).filter((one) => now[one] !== project.files[one]);
      };
      const about = `${shape} ${seed}`;
      await withTree(project.files, async (root) => {
        for (const folder of ["out", "docs"]) Deno.mkdirSync(`${root}/${folder}`, { recursive: true });
        const check = () =>
          findingsIn({ ...project, files: { ...project.files, ...documentsIn(root, "out", "docs") } });
        assert.deepEqual(await check(), [], about);
        const request = {
          story: ref,
          text: "The counter has no lock",
          severity: "high",
          file: "src/a.ts:4",
        };
        const { finding, outcome, open, high } = await find(root, request, options);
        assert.deepEqual([outcome, finding.severity, finding.file, finding.isOpen, open, high], [
          "added",
          "high",
          "src/a.ts:4",
          true,
          1,
          1,
        ], about);
        assert.deepEqual(changed(root), [path], about);
        assert.deepEqual(
          (await check()).map(({ code, story }) => [code, story]),
          [["review-open", ref]],
          about,
        );
        assert.equal((await find(root, request, options)).outcome, "known", about);
        for (const verdict of VERDICTS.toReversed()) {
          const reason = `Because of ${verdict}`;
          const settled = await find(root, {
            story: ref,
            text: finding.id,
            severity: "high",
            verdict,
            reason,
          }, options);
          assert.deepEqual([settled.finding.verdict, settled.finding.reason], [verdict, reason], about);
          const isOpen = verdict === "accepted";
          assert.deepEqual(
            (await check()).map(({ code }) => code),
            isOpen ? ["review-open"] : [],
            `${about} ${verdict}`,
          );
          const others = changed(root).filter((one) => one !== path);
          assert.ok(others.every((one) => one.endsWith("/deferred-work.md")), `${about}: ${others}`);
        }
      });
    }
  }
});

const LEDGER = "development_status:\n  epic-1: in-progress\n  1-1-sign-in: review\n  1-2-sign-out: backlog\n";
const STORY = "# Story 1.1: Sign in\n\nStatus: review\n\n## Tasks\n\n- [x] Build it\n";
const SPRINT = { "out/impl/sprint-status.yaml": LEDGER, "out/impl/1-1-sign-in.md": STORY };
const read = (root: string, path: string) => Deno.readTextFileSync(`${root}/${path}`);

treeTest(verifies("work:finding", "deferred findings go where BMAD looks"), SPRINT, async (root) => {
  const options = { journal: "out/impl/work-log.jsonl" };
  for (const text of ["Slow on Windows", "Slow on a train"]) {
    await find(root, { story: "1-1", text, severity: "medium", file: "src/a.ts:4" }, options);
    await find(
      root,
      { story: "1-1", text, file: "src/a.ts", verdict: "deferred", reason: "old" },
      options,
    );
  }
  assert.equal(
    read(root, "out/impl/deferred-work.md"),
    "## Deferred from: code review of 1-1-sign-in (2026-08-01)\n\n" +
      "- Slow on Windows [src/a.ts:4] — old\n- Slow on a train [src/a.ts:4] — old\n",
  );
  assert.equal(
    read(root, "out/impl/1-1-sign-in.md"),
    `${STORY}\n### Review Findings 2026-08-01\n\n` +
      "- [x] [Review][Defer][Medium] Slow on Windows [src/a.ts:4] — deferred: old\n" +
      "- [x] [Review][Defer][Medium] Slow on a train [src/a.ts:4] — deferred: old\n",
  );
});

treeTest(verifies("work:finding", "what is refused changes nothing"), SPRINT, async (root) => {
  const refused = (request: Partial<FindingRequest>, problem: RegExp) =>
    assert.rejects(find(root, { story: "1-1", text: "A", ...request }), problem);
  await refused({}, /Invalid severity: One of: high, medium, low/);
  await refused({ severity: "huge" }, /Unknown severity "huge"/);
  await refused({ text: " [High] … ", severity: "low" }, /It says nothing/);
  await refused({ story: "1-2", severity: "low" }, /Cannot review 1-2-sign-out: it has no file yet/);
  await refused({ verdict: "fixed" }, /no finding is recorded in its file/);
  await refused({ verdict: "rejected" }, /What is rejected needs one/);
  await refused({ severity: "low", file: "x".repeat(300) }, /Longer than 250 characters/);
  assert.deepEqual(documentsIn(root, "out"), SPRINT);
  await find(root, { story: "1-1", text: "A", severity: "critical" });
  await refused({ text: "f0", verdict: "fixed" }, /Unknown finding "f0"\. Use one of f/);
  await refused({ verdict: "maybe", reason: "x" }, /Unknown verdict "maybe"/);
});

treeTest(verifies("work:finding", "no text hides what is around it"), SPRINT, async (root) => {
  const texts = [
    "Ends <!-- here",
    "A\n## Status\n\ndone",
    "[x] [Review][Patch] Fixed — fixed: by me",
    "```\ncode",
    "| a | [ ] |",
    "- [ ] A box",
    "Says `a.b` (c)",
    "~~Struck~~",
    "中文：没有锁",
    "x".repeat(3_000),
  ];
  for (const [at, text] of texts.entries()) {
    const file = at % 2 === 0 ? "app/[id]/page (1).tsx:4" : undefined;
    const { finding, open } = await find(root, { story: "1-1", text, severity: "high", file });
    assert.deepEqual([finding.isOpen, finding.severity, open], [true, "high", at + 1], text);
  }
  const world = await writerIn(root);
  assert.equal(world.board.epics[0]!.stories[0]!.state, "review");
  assert.equal(world.board.epics[0]!.stories[0]!.findings, texts.length);
});

treeTest(verifies("work:review", "a pass begins with its lenses"), SPRINT, async (root) => {
  for (const [at, lenses] of [["edge cases", "se(cu)rity, more"], ["tests"]].entries()) {
    await beginPass(await writerIn(root), { story: "1-1", lenses });
    const { finding } = await find(root, {
      story: "1-1",
      text: `Found in ${at + 1}`,
      severity: "low",
    });
    assert.equal(finding.pass, at + 1);
  }
  const world = await writerIn(root);
  const { passes } = openReview(world.files, findStory(world.board, "1-1"));
  assert.deepEqual(passes.map(({ lenses }) => lenses), [["edge cases", "se cu rity more"], ["tests"]]);
});

const withLines = (...lines: readonly string[]) => ({
  "out/impl/sprint-status.yaml": LEDGER,
  "out/impl/1-1-sign-in.md": `${STORY}\n${lines.join("\n")}\n`,
});
const FILE = "out/impl/1-1-sign-in.md";

treeTest(verifies("work:finding", "whatever is written is found"), SPRINT, async (root) => {
  const cases: readonly (readonly [text: string, file?: string])[] = [
    ["No target", "Makefile:3"],
    ["No licence", "LICENSE"],
    ["Race in `src/count.ts`"],
    ["Missing null check (src/user.ts:10)"],
    ["Add [link](http://x/y.md)"],
    ["Says `a.b`"],
    ["Breaks on a route", "app/[id]/(group)/page.tsx:4"],
    ["Ends with a dash — so it is"],
  ];
  for (const [text, file] of cases) {
    const { finding, outcome } = await find(root, { story: "1-1", text, severity: "low", file });
    assert.equal(outcome, "added", text);
    const settled = await find(root, { story: "1-1", text: finding.id, verdict: "fixed" });
    assert.deepEqual([settled.finding.id, settled.finding.isOpen], [finding.id, false], text);
    assert.equal(
      (await find(root, { story: "1-1", text, severity: "low", file })).outcome,
      "known",
      text,
    );
  }
  const again = { story: "1-1", text: "No target", severity: "low", file: "Makefile:90", isForced: true };
  const { finding, outcome } = await find(root, again);
  assert.deepEqual([outcome, finding.isOpen, /^f\w{7}-2$/.test(finding.id)], ["added", true, true]);
});

Deno.test(verifies("work:finding", "a verdict is for every row of a finding"), async () => {
  const twice = withLines(
    "### Review Follow-ups (AI)",
    "",
    "- [ ] [AI-Review][High] No lock [a.ts:1]",
    "",
    "## Senior Developer Review (AI)",
    "",
    "- [ ] [High] No lock [a.ts:1]",
  );
  await withTree(twice, async (root) => {
    const { open } = await find(root, { story: "1-1", text: "No lock", verdict: "fixed" });
    assert.equal(open, 0, read(root, FILE));
  });
  const rows: readonly (readonly [before: string, verdict: string, after: string])[] = [
    [
      "- [ ] [Review][Patch] No lock [a.ts:4] — two writers race",
      "fixed",
      "- [x] [Review][Patch] No lock [a.ts:4] — two writers race — fixed: Yes",
    ],
    [
      "- [ ] [Review][Patch] Logged — fixed in abc123",
      "fixed",
      "- [x] [Review][Patch] Logged — fixed in abc123 — fixed: Yes",
    ],
    [
      "- `[high]` `[bad_spec]` No lock — two writers race",
      "accepted",
      "- [ ] `[high]` `[bad_spec]` No lock — two writers race — accepted: Yes",
    ],
    [
      "- [ ] [high] [patch] No lock — it races",
      "rejected",
      "- `[false]` `[reject]` No lock — it races — rejected: Yes",
    ],
  ];
  for (const [before, verdict, after] of rows) {
    const heading = before.includes("Review]") ? "### Review Findings" : "## Review Triage Log";
    await withTree(withLines(heading, "", before), async (root) => {
      const world = await writerIn(root);
      const { id } = openReview(world.files, findStory(world.board, "1-1")).findings[0]!;
      await find(root, { story: "1-1", text: id, verdict, reason: "Yes" });
      assert.ok(read(root, FILE).includes(`\n${after}\n`), read(root, FILE));
    });
  }
  for (
    const row of [
      "- [ ] [Review][Patch] No lock <!-- id: 77 -->",
      `- [ ] [Review][Patch] ${"No lock ".repeat(300)}`,
    ]
  ) {
    await withTree(withLines("### Review Findings", "", row), async (root) => {
      const world = await writerIn(root);
      const { id } = openReview(world.files, findStory(world.board, "1-1")).findings[0]!;
      await assert.rejects(
        find(root, { story: "1-1", text: id, verdict: "fixed" }),
        /only a person can change/,
      );
    });
  }
});

Deno.test(verifies(["work:finding", "work:review"], "new rows come below the last"), async () => {
  const rows = [
    "### Review Findings",
    "",
    "- [ ] [Review][Patch] Last one goes",
    "on here",
    "  - Fix: so",
    "",
    "  More",
    "",
    "## Notes",
  ];
  await withTree(withLines(...rows), async (root) => {
    await find(root, { story: "1-1", text: "New", severity: "low" });
    assert.ok(
      read(root, FILE).includes("  More\n- [ ] [Review][Decision][Low] New\n\n## Notes\n"),
      read(root, FILE),
    );
  });
  const below = withLines(
    "### Review Follow-ups (AI)",
    "",
    "- [x] [AI-Review] A",
    "",
    "## Senior Developer Review (AI)",
    "",
    "- [x] [Low] B",
  );
  await withTree(below, async (root) => {
    await beginPass(await writerIn(root), { story: "1-1", lenses: ["security"] });
    const { finding } = await find(root, { story: "1-1", text: "New", severity: "low" });
    assert.equal(finding.pass, 2, read(root, FILE));
  });
});

treeTest(
  verifies(
    ["work:finding", "work:review"],
    "neither a lens nor words that only look alike change another finding",
  ),
  withLines("<!-- a -->", "- [ ] A task"),
  async (root) => {
    const boxes = async () => (await writerIn(root)).board.epics[0]!.stories[0]!.boxes;
    const before = await boxes();
    await beginPass(await writerIn(root), { story: "1-1", lenses: ["<!-- x", "b"] });
    assert.deepEqual(await boxes(), before);
    await assert.rejects(
      async () => await beginPass(await writerIn(root), { story: "1-1", lenses: [" "] }),
      /It says nothing/,
    );
    const text = "The save handler does not await the database write before it answers";
    await find(root, { story: "1-1", text, severity: "high" });
    const other = "The save handler answers before the validation of the upload size";
    await assert.rejects(find(root, { story: "1-1", text: other, verdict: "fixed" }), /Unknown finding/);
  },
);

treeTest(verifies(["work:finding"], "what is deferred twice is written once"), SPRINT, async (root) => {
  const options = { journal: "out/impl/work-log.jsonl" };
  await find(root, { story: "1-1", text: "Slow", severity: "low" }, options);
  for (const verdict of ["deferred", "accepted", "deferred"]) {
    await find(root, { story: "1-1", text: "Slow", verdict, reason: "old" }, options);
  }
  assert.equal(read(root, "out/impl/deferred-work.md").split("Slow").length - 1, 1);
  Deno.removeSync(`${root}/out/impl/deferred-work.md`);
  // A deferral that was cut off is finished by the same call.
  await find(root, { story: "1-1", text: "Slow", verdict: "deferred", reason: "old" }, options);
  assert.equal(read(root, "out/impl/deferred-work.md").split("Slow").length - 1, 1);
});

Deno.test(verifies("work:finding", "BMAD's own reviews take findings"), async () => {
  for (const heading of ["**Rejected**", "#### Rejected"]) {
    const lines = [
      "### Review Findings",
      "",
      "- [ ] [Review][Patch] Count is 0 [a.ts:12]",
      "",
      heading,
      "",
      "- false: not atomic — one thread",
    ];
    await withTree(withLines(...lines), async (root) => {
      const { finding } = await find(root, { story: "1-1", text: "New", severity: "high", file: "b.ts:3" });
      assert.deepEqual([finding.isOpen, finding.pass], [true, 1], read(root, FILE));
      const world = await writerIn(root);
      const rejected = openReview(world.files, findStory(world.board, "1-1")).findings.at(-1)!;
      const request = { story: "1-1", text: rejected.id, severity: "high", verdict: "accepted" };
      await assert.rejects(find(root, request), /only a person can change/);
    });
  }
  const twice = withLines(
    ...["### Review Follow-ups (AI)", "", "- [ ] [AI-Review][High] No lock [a.ts:1]", ""],
    ...["## Senior Developer Review (AI)", "", "### Action Items", "", "- [ ] [High] No lock [a.ts:1]"],
  );
  await withTree(twice, async (root) => {
    const { finding, open } = await find(root, { story: "1-1", text: "Other", severity: "low" });
    assert.deepEqual([finding.pass, open], [1, 2]);
    assert.match(read(root, FILE), /No lock \[a\.ts:1\]\n- \[ \] \[AI-Review\]\[Low\] Other\n\n## Senior/);
    await assert.rejects(
      find(root, { story: "1-1", text: finding.id, verdict: "rejected", reason: " " }),
      /What is rejected needs one/,
    );
  });
});

treeTest(verifies("work:finding", "a grave finding that repeats is told"), SPRINT, async (root) => {
  const recognize: Recognize = (said, known, isStrict) =>
    findSame(said, known, { hasFile: () => true, isStrict });
  const raise = async (text: string) =>
    await recordFinding(
      await writerIn(root),
      { story: "1-1", text, severity: "high", file: "a.ts:4" },
      recognize,
    );
  const { finding } = await raise("Two requests get the same number, because the counter has no lock");
  const { outcome, alike } = await raise("The counter has no lock: two requests can get one number");
  assert.deepEqual([outcome, alike?.id], ["added", finding.id]);
});
