/** Are findings recorded and settled in the files of every form, and nowhere else? */
import assert from "node:assert/strict";
import { findStory, readJournal } from "../../../../src/project/work/board/mod.ts";
import { findSame } from "../../../../src/project/work/review/mod.ts";
import { findingId, type ReviewFinding, VERDICTS } from "../../../../src/project/work/formats/mod.ts";
import {
  beginPass,
  type FindingRequest,
  openReview,
  type Recognize,
  recordFinding,
} from "../../../../src/project/work/writer/mod.ts";
import { findingsIn } from "../../../support/checked.ts";
import { honestProject, SHAPES } from "../../../support/honest.ts";
import { documentsIn, treeTest, withTree } from "../../../support/trees.ts";
import { writerIn } from "../../../support/writer.ts";

const openIn = (findings: readonly ReviewFinding[]) => findings.filter(({ isOpen }) => isOpen);

const literally: Recognize = (said, known) =>
  Promise.resolve({ same: known.find(({ id }) => id === findingId(said.text, said.file)) });

type Request = Partial<FindingRequest>;

async function find(root: string, request: Request, options?: Parameters<typeof writerIn>[1]) {
  const whole = { story: "1-1", text: "A", ...request };
  return await recordFinding(await writerIn(root, options), whole, literally);
}

async function reviewIn(root: string) {
  const { files, board } = await writerIn(root);
  return openReview(files, findStory(board, "1-1"));
}

Deno.test("an open finding keeps a story from being done [work:finding]", async () => {
  for (const shape of SHAPES) {
    for (let seed = 1; seed <= 4; seed++) {
      const project = honestProject(shape, seed);
      const { ref, path } = project.stories.find(({ state }) => state === "done")!;
      const { folders } = project;
      const [home] = folders.implementation;
      const options = { folders, journal: home && `${home}/work-log.jsonl` };
      const changed = (root: string) => {
        const now = documentsIn(root, "out", "docs");
        return Object.keys(now).filter((one) => now[one] !== project.files[one]);
      };
      const about = `${shape} ${seed}`;
      await withTree({ "out/": "", "docs/": "", ...project.files }, async (root) => {
        const check = async () => {
          const files = { ...project.files, ...documentsIn(root, "out", "docs") };
          return (await findingsIn({ ...project, files })).map(({ code, story }) => `${code} ${story}`);
        };
        assert.deepEqual(await check(), [], about);
        const request = { story: ref, text: "No lock", severity: "high", file: "src/a.ts:4" };
        const { finding, outcome, findings } = await find(root, request, options);
        const { severity, file, isOpen } = finding;
        const open = openIn(findings).length;
        const high = openIn(findings).filter(({ severity }) => severity === "high").length;
        assert.deepEqual({ outcome, severity, file, isOpen, open, high }, {
          ...{ outcome: "added", severity: "high", file: "src/a.ts:4" },
          ...{ isOpen: true, open: 1, high: 1 },
        }, about);
        assert.deepEqual(changed(root), [path], about);
        assert.deepEqual(await check(), [`review-open ${ref}`], about);
        assert.equal((await find(root, request, options)).outcome, "known", about);
        for (const verdict of VERDICTS.toReversed()) {
          const decided = { verdict, reason: `Because of ${verdict}` };
          const wanted = { story: ref, text: finding.id, severity: "high", ...decided };
          const settled = (await find(root, wanted, options)).finding;
          assert.deepEqual({ verdict: settled.verdict, reason: settled.reason }, decided, about);
          const left = verdict === "accepted" ? [`review-open ${ref}`] : [];
          assert.deepEqual(await check(), left, `${about} ${verdict}`);
          const others = changed(root).filter((one) => one !== path);
          assert.ok(others.every((one) => one.endsWith("/deferred-work.md")), `${about}: ${others}`);
        }
      });
    }
  }
});

const FILE = "out/impl/1-1-sign-in.md";
const DEFERRED = "out/impl/deferred-work.md";
const JOURNAL = { journal: "out/impl/work-log.jsonl" };
const STORY = "# Story 1.1: Sign in\n\nStatus: review\n\n## Tasks\n\n- [x] Build it\n";
const SPRINT = {
  "out/impl/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-sign-in: review\n  1-2-sign-out: backlog\n",
  [FILE]: STORY,
};
const SPEC_FILE = "out/impl/spec-1-1-sign-in.md";
const SPEC = "---\nstatus: in-review\n---\n\n# Sign in\n\n## Intent\n\nSign in.\n";
const read = (root: string, path = FILE) => Deno.readTextFileSync(`${root}/${path}`);
const withLines = (...lines: readonly string[]) => ({ ...SPRINT, [FILE]: `${STORY}\n${lines.join("\n")}\n` });

treeTest("deferred findings go where BMAD looks [work:finding]", SPRINT, async (root) => {
  for (const text of ["Slow on Windows", "Slow on a train"]) {
    await find(root, { text, severity: "medium", file: "src/a.ts:4" }, JOURNAL);
    await find(root, { text, file: "src/a.ts", verdict: "deferred", reason: "old" }, JOURNAL);
  }
  assert.equal(
    read(root, DEFERRED),
    "## Deferred from: code review of 1-1-sign-in (2026-08-01)\n\n" +
      "- Slow on Windows [src/a.ts:4] — deferred 2026-08-01: old\n" +
      "- Slow on a train [src/a.ts:4] — deferred 2026-08-01: old\n",
  );
  assert.equal(
    read(root),
    `${STORY}\n### Review Findings 2026-08-01\n\n` +
      "- [x] [Review][Defer][Medium] Slow on Windows [src/a.ts:4] — deferred 2026-08-01: old\n" +
      "- [x] [Review][Defer][Medium] Slow on a train [src/a.ts:4] — deferred 2026-08-01: old\n",
  );
});

for (const [form, path, text] of [["a story file", FILE, STORY], ["a spec", SPEC_FILE, SPEC]] as const) {
  treeTest(`what becomes of a deferred finding stands there, too: ${form} [work:finding]`, {
    ...Object.fromEntries(Object.entries(SPRINT).slice(0, 1)),
    [path]: text,
  }, async (root) => {
    const decide = (verdict: string, by?: string) =>
      find(root, { text: "Slow", verdict, reason: `as ${verdict}`, by }, JOURNAL);
    await find(root, { text: "Slow", severity: "low" }, JOURNAL);
    await find(root, { text: "Other", severity: "low" }, JOURNAL);
    await find(root, { text: "Other", verdict: "rejected", reason: "no" }, JOURNAL);
    assert.throws(() => read(root, DEFERRED), Deno.errors.NotFound);
    // The same words of another story are not this one's.
    const others = "## Deferred from: code review of 1-2-b (2026-07-01)\n\n- Slow — old\n\n" +
      "- source_spec: `out/impl/spec-1-2-b.md`\n  summary: Slow\n";
    Deno.writeTextFileSync(`${root}/${DEFERRED}`, others);
    for (const verdict of ["deferred", "fixed", "accepted", "rejected", "deferred"]) {
      await decide(verdict, "Ann");
      const all = read(root, DEFERRED);
      assert.ok(all.startsWith(others), all);
      assert.equal(all.split("Slow").length - 1, 3, verdict);
      assert.ok(all.includes(`${verdict} 2026-08-01 by Ann: as ${verdict}\n`), all);
      assert.equal(/as (?:deferred|fixed|accepted|rejected)\n(?!.*as )/s.test(all), true);
      assert.equal(all.includes("~~Slow~~"), verdict !== "deferred" && form === "a story file", all);
      // A repeated call changes nothing.
      await decide(verdict, "Bob");
      assert.equal(read(root, DEFERRED), all);
    }
  });
}

treeTest("what is deferred twice is written once [work:finding]", SPRINT, async (root) => {
  const decide = (verdict: string) => find(root, { text: "Slow", verdict, reason: "old" }, JOURNAL);
  await find(root, { text: "Slow", severity: "low" }, JOURNAL);
  for (const verdict of ["deferred", "accepted", "deferred"]) await decide(verdict);
  assert.equal(read(root, DEFERRED).split("Slow").length - 1, 1);
  Deno.removeSync(`${root}/${DEFERRED}`);
  // A deferral that was cut off is finished by the same call.
  await decide("deferred");
  assert.equal(read(root, DEFERRED).split("Slow").length - 1, 1);
});

treeTest("what is refused changes nothing [work:finding]", SPRINT, async (root) => {
  const refused: readonly (readonly [Request, RegExp])[] = [
    [{}, /^BmadError: Missing severity\. Use one of high/],
    [{ severity: "huge" }, /Unknown severity "huge"/],
    [{ text: " [High] … ", severity: "low" }, /It says nothing/],
    [{ story: "1-2", severity: "low" }, /Cannot review 1-2-sign-out: it has no story file yet/],
    [{ verdict: "fixed" }, /no finding is recorded in its file/],
    [{ verdict: "rejected" }, /Give a reason to reject this finding/],
    [{ verdict: "rejected", reason: " " }, /Give a reason to reject/],
    [{ severity: "low", file: "x".repeat(300) }, /Longer than 250 characters/],
  ];
  for (const [request, problem] of refused) await assert.rejects(find(root, request), problem);
  assert.deepEqual(documentsIn(root, "out"), SPRINT);
  await find(root, { severity: "critical" });
  await assert.rejects(find(root, { text: "f0", verdict: "fixed" }), /Unknown finding "f0"\. Use one of f/);
  await assert.rejects(find(root, { verdict: "maybe", reason: "x" }), /Unknown verdict "maybe"/);
});

treeTest("no text hides what is around it [work:finding]", SPRINT, async (root) => {
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
    const { finding, findings } = await find(root, { text, severity: "high", file });
    assert.deepEqual(
      [finding.isOpen, finding.severity, openIn(findings).length],
      [true, "high", at + 1],
      text,
    );
  }
  const [story] = (await writerIn(root)).board.epics[0]!.stories;
  assert.deepEqual([story!.state, story!.findings], ["review", texts.length]);
});

treeTest("a pass begins with its lenses [work:review]", SPRINT, async (root) => {
  for (const [at, lenses] of [["edge cases", "se(cu)rity, more"], ["tests"]].entries()) {
    await beginPass(await writerIn(root), { story: "1-1", lenses });
    assert.equal((await find(root, { text: `Found in ${at + 1}`, severity: "low" })).finding.pass, at + 1);
  }
  const { passes } = await reviewIn(root);
  assert.deepEqual(passes.map(({ lenses }) => lenses), [["edge cases", "se cu rity more"], ["tests"]]);
});

treeTest("whatever is written is found [work:finding]", SPRINT, async (root) => {
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
    const said = { text, severity: "low", file };
    const { finding: { id }, outcome } = await find(root, said);
    const { finding } = await find(root, { text: id, verdict: "fixed" });
    const again = await find(root, said);
    assert.deepEqual(
      [outcome, again.outcome, finding.id, finding.isOpen],
      ["added", "known", id, false],
      text,
    );
  }
  const again = { text: "No target", severity: "low", file: "Makefile:90", isForced: true };
  const { finding, outcome } = await find(root, again);
  assert.deepEqual([outcome, finding.isOpen, /^f\w{7}-2$/.test(finding.id)], ["added", true, true]);
});

Deno.test("a verdict is for every row of a finding [work:finding]", async () => {
  const follow = ["### Review Follow-ups (AI)", "", "- [ ] [AI-Review][High] No lock [a.ts:1]", ""];
  const twice = withLines(...follow, "## Senior Developer Review (AI)", "", "- [ ] [High] No lock [a.ts:1]");
  await withTree(twice, async (root) => {
    const { findings } = await find(root, { text: "No lock", verdict: "fixed" });
    assert.deepEqual(openIn(findings), [], read(root));
  });
  const settle = (heading: string, row: string, verdict: string) =>
    withTree(withLines(heading, "", row), async (root) => {
      const { id } = (await reviewIn(root)).findings[0]!;
      await find(root, { text: id, verdict, reason: "Yes" });
      return read(root);
    });
  const [routed, triaged] = ["### Review Findings", "## Review Triage Log"];
  const rows = [
    [
      routed,
      "- [ ] [Review][Patch] No lock [a.ts:4] — two writers race",
      "- [x] [Review][Patch] No lock [a.ts:4] — two writers race — fixed 2026-08-01: Yes",
    ],
    [
      routed,
      "- [ ] [Review][Patch] Logged — fixed in abc123",
      "- [x] [Review][Patch] Logged — fixed in abc123 — fixed 2026-08-01: Yes",
    ],
    [
      triaged,
      "- `[high]` `[bad_spec]` No lock — two writers race",
      "- [ ] `[high]` `[bad_spec]` No lock — two writers race — accepted 2026-08-01: Yes",
    ],
    [
      triaged,
      "- [ ] [high] [patch] No lock — it races",
      "- `[false]` `[reject]` No lock — it races — rejected 2026-08-01: Yes",
    ],
  ] as const;
  for (const [heading, before, after] of rows) {
    const text = await settle(heading, before, /(\w+) 2026-08-01: Yes$/.exec(after)![1]!);
    assert.ok(text.includes(`\n${after}\n`), text);
  }
  const odd = [
    "- [ ] [Review][Patch] No lock <!-- id: 77 -->",
    `- [ ] [Review][Patch] ${"Long ".repeat(500)}`,
  ];
  for (const row of odd) await assert.rejects(settle(routed, row, "fixed"), /only a person can change/);
});

treeTest(
  "new rows come below the last [work:finding, work:review]",
  withLines(
    ...["### Review Findings", "", "- [ ] [Review][Patch] Last one goes", "on here", "  - Fix: so", ""],
    ...["  More", "", "## Notes"],
  ),
  async (root) => {
    await find(root, { text: "New", severity: "low" });
    assert.ok(read(root).includes("  More\n- [ ] [Review][Decision][Low] New\n\n## Notes\n"), read(root));
    const below = ["### Review Follow-ups (AI)", "", "- [x] [AI-Review] A", ""];
    await withTree(
      withLines(...below, "## Senior Developer Review (AI)", "", "- [x] [Low] B"),
      async (root) => {
        await beginPass(await writerIn(root), { story: "1-1", lenses: ["security"] });
        assert.equal((await find(root, { text: "New", severity: "low" })).finding.pass, 2, read(root));
      },
    );
  },
);

treeTest(
  "a lens, or similar words, change no other finding [work:finding, work:review]",
  withLines("<!-- a -->", "- [ ] A task"),
  async (root) => {
    const boxes = async () => (await writerIn(root)).board.epics[0]!.stories[0]!.boxes;
    const before = await boxes();
    await beginPass(await writerIn(root), { story: "1-1", lenses: ["<!-- x", "b"] });
    assert.deepEqual(await boxes(), before);
    await assert.rejects(beginPass(await writerIn(root), { story: "1-1", lenses: [" "] }), /It says nothing/);
    const text = "The save handler does not await the database write before it answers";
    await find(root, { text, severity: "high" });
    const other = "The save handler answers before the validation of the upload size";
    await assert.rejects(find(root, { text: other, verdict: "fixed" }), /Unknown finding/);
  },
);

Deno.test("BMAD's own reviews take findings [work:finding]", async () => {
  for (const heading of ["**Rejected**", "#### Rejected"]) {
    const lines = ["### Review Findings", "", "- [ ] [Review][Patch] Count is 0 [a.ts:12]", "", heading, ""];
    await withTree(withLines(...lines, "- false: not atomic — one thread"), async (root) => {
      const { finding } = await find(root, { text: "New", severity: "high", file: "b.ts:3" });
      assert.deepEqual([finding.isOpen, finding.pass], [true, 1], read(root));
      const { id } = (await reviewIn(root)).findings.at(-1)!;
      const request = { text: id, severity: "high", verdict: "accepted" };
      await assert.rejects(find(root, request), /only a person can change/);
    });
  }
  const twice = withLines(
    ...["### Review Follow-ups (AI)", "", "- [ ] [AI-Review][High] No lock [a.ts:1]", ""],
    ...["## Senior Developer Review (AI)", "", "### Action Items", "", "- [ ] [High] No lock [a.ts:1]"],
  );
  await withTree(twice, async (root) => {
    const { finding, findings } = await find(root, { text: "Other", severity: "low" });
    assert.deepEqual([finding.pass, openIn(findings).length], [1, 2]);
    assert.match(read(root), /No lock \[a\.ts:1\]\n- \[ \] \[AI-Review\]\[Low\] Other\n\n## Senior/);
  });
});

treeTest("a grave finding that repeats is told [work:finding]", SPRINT, async (root) => {
  const recognize: Recognize = (said, known, isStrict) =>
    findSame(said, known, { hasFile: () => true, isStrict });
  const raise = async (text: string) => {
    const request = { story: "1-1", text, severity: "high", file: "a.ts:4" };
    return await recordFinding(await writerIn(root), request, recognize);
  };
  const { finding } = await raise("Two requests get the same number, because the counter has no lock");
  const { outcome, alike } = await raise("The counter has no lock: two requests can get one number");
  assert.deepEqual([outcome, alike?.id], ["added", finding.id]);
});

treeTest(
  "a finding and its verdicts have people and days, in every form and in the journal [work:finding-people]",
  { ...SPRINT, "out/impl/work-log.jsonl": "" },
  async (root) => {
    const [{ finding: { id } }] = [
      await find(root, { text: "No lock", severity: "high", file: "src/a.ts:4", by: "Ann" }, JOURNAL),
    ];
    await find(root, { text: id, verdict: "rejected", reason: "One writer", by: "Bob: b" }, JOURNAL);
    const { finding, was } = await find(root, { text: id, verdict: "accepted", by: "Ann" }, JOURNAL);
    const day = "2026-08-01";
    assert.deepEqual([finding.found, finding.settled], [{ day, by: "Ann" }, { day, by: "Ann" }]);
    assert.deepEqual([was?.verdict, was?.settled?.by, was?.reason], ["rejected", "Bob b", "One writer"]);
    assert.match(read(root), /- \[ \] .* No lock \[src\/a\.ts:4\] — found .* by Ann — accepted .* by Ann\n/);
    const entries = readJournal(read(root, JOURNAL.journal));
    assert.deepEqual(
      entries.map((one) => [one.did, one.by, one.finding === id, one.severity ?? one.verdict, one.reasons]),
      [
        ["find", "Ann", true, "high", undefined],
        ["settle", "Bob: b", true, "rejected", ["One writer"]],
        ["settle", "Ann", true, "accepted", undefined],
      ],
    );
    assert.ok(entries.every(({ text }) => text === "No lock [src/a.ts:4]"));
    // What changes nothing is nothing to tell.
    assert.equal((await find(root, { text: id, verdict: "accepted", by: "Cem" }, JOURNAL)).outcome, "same");
    assert.equal(readJournal(read(root, JOURNAL.journal)).length, 3);
  },
);

Deno.test("rows of every form keep who found and settled it [work:finding-people]", async () => {
  for (const shape of SHAPES) {
    const project = honestProject(shape, 1);
    const { ref } = project.stories.find(({ state }) => state === "done")!;
    await withTree({ "out/": "", "docs/": "", ...project.files }, async (root) => {
      const request = { story: ref, severity: "low", file: "src/a.ts:4", by: "Ann" };
      const { finding } = await find(root, request, { folders: project.folders });
      for (const verdict of VERDICTS.toReversed()) {
        const wanted = { story: ref, text: finding.id, severity: "low", verdict, reason: "Yes", by: "Bob" };
        const { finding: one } = await find(root, wanted, { folders: project.folders });
        const told = [one.text, one.file, one.found?.by, one.settled?.by, one.reason];
        assert.deepEqual(told, ["A", "src/a.ts:4", "Ann", "Bob", "Yes"], `${shape} ${verdict}`);
      }
    });
  }
});

treeTest(
  "fixed wants a change in the named file since the finding, or a reason [work:finding-fixed]",
  { ...SPRINT, "src/a.ts": "let count = 0;\n" },
  async (root) => {
    const raise = async (text: string, file?: string) =>
      (await find(root, { text, file, severity: "high" })).finding.id;
    const fix = (text: string, reason?: string) => find(root, { text, verdict: "fixed", reason });
    const lock = await raise("No lock", "src/a.ts:1");
    await assert.rejects(fix(lock), /Cannot settle f\w+ as fixed: src\/a\.ts has not changed .* reason/);
    assert.equal((await reviewIn(root)).findings[0]!.isOpen, true);
    Deno.writeTextFileSync(`${root}/src/a.ts`, "let count = 1;\n");
    assert.equal((await fix(lock)).outcome, "settled");
    // Found again: the fix has to come after that.
    await find(root, { text: lock, verdict: "accepted" });
    await assert.rejects(fix(lock), /has not changed/);
    assert.equal((await fix(lock, "It was only a name")).outcome, "settled");
    // What was found in no file, or in one that is unknown or gone, can be fixed anywhere.
    for (const file of [undefined, "src/gone.ts:3", "../outside.ts"]) {
      assert.equal((await fix(await raise(`In ${file}`, file))).outcome, "settled");
    }
    const gone = await raise("Is not needed", "src/a.ts");
    Deno.removeSync(`${root}/src/a.ts`);
    assert.equal((await fix(gone)).outcome, "settled");
    // A row of BMAD's own says nothing of what the file held.
    Deno.writeTextFileSync(`${root}/src/a.ts`, "");
    Deno.writeTextFileSync(`${root}/${FILE}`, `${read(root)}- [ ] [Review][Patch] Its own [src/a.ts:1]\n`);
    assert.equal((await fix("Its own")).outcome, "settled");
  },
);
