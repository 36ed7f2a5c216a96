/** Do board, check, next, mark and reconcile agree on where a story is, and on what "done" means in its form? */
import assert from "node:assert/strict";
import {
  isStepBack,
  ledgerFor,
  meaningOf,
  type State,
  stateOf,
  STATES,
  wordFor,
} from "../../../../src/project/work/formats/mod.ts";
import type { ProjectWork } from "../../../../src/project/work/mod.ts";
import { withTree } from "../../../support/trees.ts";
import { workIn } from "../../../support/work.ts";
import { marked, writerIn } from "../../../support/writer.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const SPEC = "out/impl/spec-1-1-login.md";

const ledgerOf = (status: string) => `development_status:\n  epic-1: in-progress\n  1-1-login: ${status}\n`;

const spec = (
  status: string,
  { intent = "Let people sign in.", notes = "- Added src/login.ts.", more = "" } = {},
) =>
  `---\ntitle: 'Login'\ntype: 'feature'\nstatus: '${status}' # draft | done\nroute: 'oneshot'\n---\n\n` +
  `## Intent\n\n<!-- What is broken -->\n\n${intent}\n\n${more}## Implementation Notes\n\n${notes}\n`;

const BASE = {
  "_bmad/bmm/config.yaml":
    "output_folder: out\nplanning_artifacts: out/plan\nimplementation_artifacts: out/impl\n",
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - name: bmm\n",
  "out/plan/epics.md":
    "## Epic 1: Accounts\n\n### Story 1.1: Login\n\nGiven a user, when they sign in, then they are in.\n",
};

function withWork(
  files: Readonly<Record<string, string>>,
  use: (work: ProjectWork, root: string) => Promise<void>,
): Promise<void> {
  return withTree({ ...BASE, ...files }, async (root) => await use(await workIn(root), root));
}

const textOf = (root: string, path: string) => Deno.readTextFileSync(`${root}/${path}`);

Deno.test("what a build leaves is a pending review [work:forms, work:reconcile]", () =>
  withWork({ [LEDGER]: ledgerOf("review"), [SPEC]: spec("done") }, async (work, root) => {
    const note = "review pending, as the build leaves it";
    const [story] = (await work.ledgers()).epics[0]!.stories;
    assert.deepEqual([story!.form, story!.state, story!.note, story!.drift], [
      "build-spec",
      "review",
      note,
      [],
    ]);
    assert.match((await work.show("1-1")).text, new RegExp(`\n- note: ${note}$`));
    const { text, count } = await work.check("1-1");
    assert.deepEqual(
      [text.split("\n")[0], count],
      [`Story 1-1 is in review (${note}). Nothing speaks against "done".`, 0],
    );
    assert.deepEqual((await work.check()).rows, []);
    const before = textOf(root, SPEC);
    await work.reconcile();
    assert.match(textOf(root, LEDGER), / {2}1-1-login: review\n/);
    assert.equal(textOf(root, SPEC), before);
    await work.mark({ story: "1-1", status: "done" });
    assert.match(textOf(root, LEDGER), / {2}1-1-login: done\n/);
    assert.equal(textOf(root, SPEC), before);
  }));

Deno.test("only what contradicts is written [work:forms, work:ledger-bytes]", async () => {
  const WORDS = {
    "build-spec": ["draft", "ready-for-dev", "in-progress", "in-review", "done"],
    "story-file": ["draft", "ready-for-dev", "in-progress", "review", "done"],
  } as const;
  const LEDGER_WORDS = ["backlog", "ready-for-dev", "in-progress", "review", "done"];
  const sprint = (status: string) => `${ledgerOf(status)}  1-2-more: backlog\n`;
  for (const form of ["build-spec", "story-file"] as const) {
    for (const word of WORDS[form]) {
      for (const [at, to] of LEDGER_WORDS.entries()) {
        if (at === 0) continue;
        const path = form === "build-spec" ? SPEC : "out/impl/1-1-login.md";
        const text = form === "build-spec"
          ? spec(word)
          : `# Story 1.1: Login\n\nStatus: ${word} <!-- x -->\n`;
        const files = { [LEDGER]: sprint(LEDGER_WORDS[at - 1]!), [path]: text };
        await withTree(files, async (root) => {
          const about = `${form}: ledger ${to}, document ${word}`;
          const { board } = await writerIn(root);
          assert.equal(board.epics[0]!.stories[0]!.form, form);
          const isRefused = await marked(root, ["1-1", to]).then(() => false, () => true);
          const [wanted, own] = [stateOf(to)!, stateOf(word)!];
          const isNormal = meaningOf(form, wanted, own) !== undefined;
          assert.equal(isRefused, form === "build-spec" && word === "draft" && to === "review", about);
          assert.equal(textOf(root, LEDGER), isRefused ? files[LEDGER] : sprint(to), about);
          assert.equal(
            textOf(root, path),
            isNormal || isRefused ? text : text.replace(word, wordFor(wanted, form)!),
            about,
          );
        });
      }
    }
  }
});

Deno.test("a retrospective needs its document [work:forms, work:forced]", async () => {
  const ledger = "development_status:\n  epic-1: done\n  1-1-login: done\n  epic-1-retrospective: optional\n";
  const refusal =
    /Cannot mark epic-1-retrospective as done: the check has 1 finding:\n- out\/impl\/sprint-status\.yaml: Epic 1 has no document of its retrospective\.\n {2}Fix: /;
  const DOCUMENTS: Readonly<Record<string, boolean>> = {
    "out/impl/epic-1-retro-2026-08-01.md": true,
    "out/retrospectives/epic-1-retro-2025-11-02.md": true,
    "docs/Epic 01 Retrospective.md": true,
    "out/impl/epic-11-retro-2026-08-01.md": false,
    "out/impl/epic-1-notes.md": false,
  };
  for (const [path, isFound] of Object.entries(DOCUMENTS)) {
    await withWork(
      { [LEDGER]: ledger, [SPEC]: spec("done"), [path]: "# Retrospective\n\n- Small steps\n" },
      async (work, root) => {
        const mark = (isForced = false) =>
          work.mark({ story: "epic-1-retrospective", status: "done", isForced });
        if (isFound) await mark();
        else {
          await assert.rejects(mark(), refusal, path);
          assert.equal(textOf(root, LEDGER), ledger, path);
          await mark(true);
        }
        assert.match(textOf(root, LEDGER), /epic-1-retrospective: done/);
        const codes = ((await work.check()).data["findings"] as readonly { readonly code: string }[])
          .map(({ code }) => code);
        assert.equal(codes.includes("retrospective-missing"), !isFound, path);
      },
    );
  }
  // An empty document shows nothing.
  const path = "out/impl/epic-1-retro-2026-08-01.md";
  await withWork({ [LEDGER]: ledger, [SPEC]: spec("done"), [path]: " \n" }, async (work) => {
    await assert.rejects(work.mark({ story: "epic 1 retro", status: "done" }), refusal);
  });
});

Deno.test("a draft goes to review only by force [work:forms, work:mark]", async () => {
  const record = "out/specs/spec-shop/stories/a.md";
  const DRAFTS = { "1-1": SPEC, "spec-shop/a": record };
  const files = {
    [LEDGER]: ledgerOf("in-progress"),
    [SPEC]: spec("draft"),
    "out/specs/spec-shop/SPEC.md": "# Shop\n",
    "out/specs/spec-shop/stories.yaml": "- id: a\n",
    [record]: spec("draft"),
  };
  await withWork(files, async (work, root) => {
    for (const [story, path] of Object.entries(DRAFTS)) {
      const ledger = textOf(root, LEDGER);
      await assert.rejects(
        work.mark({ story, status: "review" }),
        /Cannot mark .+ as (?:in-)?review: its file is still a "draft"; force it if that is meant/,
      );
      assert.deepEqual([textOf(root, LEDGER), textOf(root, path)], [ledger, spec("draft")], story);
      await work.mark({ story, status: "review", isForced: true });
      assert.match(textOf(root, path), /status: 'in-review'/, story);
      assert.ok((await work.show(story)).data["forced"] !== undefined, story);
    }
  });
});

Deno.test("a check says how far a story is [work:forms, work:check]", async () => {
  const story = (status: string, boxes: string) =>
    `# Story 1.1: Login\n\nStatus: ${status}\n\n## Acceptance Criteria\n\n1. They are in\n\n## Tasks / Subtasks\n\n${boxes}`;
  const TOLD: readonly (readonly [status: string, boxes: string, told: RegExp])[] = [
    ["ready-for-dev", "- [ ] One\n", /^Story 1-1 is not started\.$/],
    [
      "in-progress",
      "- [x] One\n- [ ] Two\n- [ ] Three\n",
      /^Story 1-1 is in progress: 1 of 3 boxes ticked\. It would be refused as "done":$/,
    ],
    [
      "in-progress",
      "- [x] One\n",
      /^Story 1-1 is in progress: 1 of 1 box ticked\. Nothing speaks against "done"\.$/,
    ],
    ["review", "- [ ] One\n", /^Story 1-1 is in review\. It would be refused as "done":$/],
    ["done", "- [x] One\n", /^Story 1-1 is done, and nothing speaks against it\.$/],
    ["done", "- [ ] One\n", /^Story 1-1 is done, but:$/],
  ];
  for (const [status, boxes, told] of TOLD) {
    const files = { [LEDGER]: ledgerOf(status), "out/impl/1-1-login.md": story(status, boxes) };
    await withWork(files, async (work) => {
      const { text, count, standing, data } = await work.check("1-1");
      assert.match(text.split("\n")[0]!, told);
      assert.equal(data["standing"], standing);
      if (status === "done" || status === "ready-for-dev") return;
      // The check and a mark ask the same.
      const isMarked = await work.mark({ story: "1-1", status: "done" }).then(() => true, () => false);
      assert.equal(isMarked, count === 0, standing);
    });
  }
  await withWork({ [LEDGER]: ledgerOf("backlog") }, async (work) => {
    assert.match((await work.check("1-1")).text, /^Story 1-1 is not started\./);
    assert.match((await work.check()).text, /^1 story: 1 not started\. No problems found\./);
  });
});

Deno.test("what a mark sets right is not called a refusal [work:forms, work:check]", () =>
  withWork({ [LEDGER]: ledgerOf("in-progress"), [SPEC]: spec("done") }, async (work) => {
    const { standing, count } = await work.check("1-1");
    assert.match(standing, /\. Nothing speaks against "done", but statuses contradict each other:$/);
    assert.equal(count, 1);
    await work.mark({ story: "1-1", status: "done" });
    assert.match((await work.check("1-1")).standing, /is done, and nothing speaks against it\.$/);
  }));

Deno.test("only a review sends a story back [work:forms, work:mark]", async () => {
  for (const status of ["done", "in-review"]) {
    await withWork({ [LEDGER]: ledgerOf("review"), [SPEC]: spec(status) }, async (work, root) => {
      await work.mark({ story: "1-1", status: "in-progress" });
      assert.match(textOf(root, LEDGER), / {2}1-1-login: in-progress\n/);
      assert.match(textOf(root, SPEC), /\nstatus: 'in-progress' # draft \| done\n/);
      await assert.rejects(work.mark({ story: "1-1", status: "backlog" }), /back to backlog/);
    });
  }
  for (const from of STATES) {
    for (const to of STATES) {
      const isBack = STATES.indexOf(to) < STATES.indexOf(from) && from !== "blocked" && to !== "blocked";
      const isSentBack = from === "review" && to === "in-progress";
      if (from === "blocked" || to === "blocked") continue;
      assert.equal(isStepBack(from, to, from), isBack && !isSentBack, `${from} → ${to}`);
      // Whoever saw it elsewhere was overtaken.
      assert.equal(isStepBack(from, to, "ready"), isBack, `${from} → ${to}`);
    }
  }
});

Deno.test("reconciling ends in step [work:forms, work:reconcile]", async () => {
  const words = (state: State, form: "story-file" | "build-spec") => wordFor(state, form) ?? state;
  for (const form of ["story-file", "build-spec"] as const) {
    for (const ledger of STATES.filter((state) => wordFor(state, "story-file") !== undefined)) {
      for (const document of STATES.filter((state) => wordFor(state, form) !== undefined)) {
        const status = words(document, form);
        const text = form === "build-spec"
          ? spec(status)
          : `# Story 1.1: Login\n\nStatus: ${status}\n\n## Acceptance Criteria\n\n1. In\n\n## Tasks\n\n- [x] One\n`;
        const path = form === "build-spec" ? SPEC : "out/impl/1-1-login.md";
        const files = { [LEDGER]: ledgerOf(words(ledger, "story-file")), [path]: text };
        await withWork(files, async (work) => {
          const what = `${form}: ${ledger} / ${document}`;
          const [before] = (await work.ledgers()).epics[0]!.stories;
          const isNormal = meaningOf(form, ledger, document) !== undefined;
          assert.equal(before!.drift.length === 0, isNormal, what);
          await work.reconcile();
          const [after] = (await work.ledgers()).epics[0]!.stories;
          // A draft shows no work, whatever the ledger says.
          const isClaimed = ledger === "review" || ledger === "done";
          const isUnproven = form === "build-spec" && isClaimed && document === "backlog";
          assert.equal(after!.drift.length > 0, isUnproven, what);
          // Nothing goes back.
          assert.ok(STATES.indexOf(after!.state) >= STATES.indexOf(ledger), what);
          // BMAD's own plan lifts a story that has a file out of the backlog.
          const isLifted = form === "story-file" && ledger === "backlog";
          if (isNormal && !isLifted) assert.equal(after!.state, ledger, what);
        });
      }
    }
  }
  assert.equal(ledgerFor("build-spec", "done"), "review");
  assert.equal(stateOf(wordFor("done", "v4-story")!), "done");
});

/** Each form with a story that is nearly done: its files, the one that is changed, and where the rest is. */
const NEARLY: Readonly<
  Record<string, {
    readonly story: string;
    readonly files: Readonly<Record<string, string>>;
    /** What is missing in a lie: the text that says it, another in its place, and the code. */
    readonly lies: Readonly<Record<string, readonly [path: string, from: string, to: string, code: string]>>;
  }>
> = {
  "a story file": {
    story: "1-1",
    files: {
      [LEDGER]: ledgerOf("review"),
      "out/impl/1-1-login.md":
        "# Story 1.1: Login\n\nStatus: review\n\n## Acceptance Criteria\n\n1. They are in\n\n## Tasks / Subtasks\n\n" +
        "- [x] Build it\n\n### Review Findings\n\n- [x] [Review][Patch] A name\n\n## Dev Agent Record\n\n### File List\n\n" +
        "- out/plan/epics.md\n",
    },
    lies: {
      "no criteria": ["out/impl/1-1-login.md", "1. They are in\n", "", "criteria-missing"],
      "an open box": ["out/impl/1-1-login.md", "[x] Build", "[ ] Build", "box-unticked"],
      "no files": ["out/impl/1-1-login.md", "- out/plan/epics.md\n", "", "file-list-empty"],
      "no review": ["out/impl/1-1-login.md", "- [x] [Review][Patch] A name\n", "", "review-missing"],
      "an open finding": ["out/impl/1-1-login.md", "[x] [Review]", "[ ] [Review]", "review-open"],
    },
  },
  "a story of v4": {
    story: "2-1",
    files: {
      ".bmad-core/agents/dev.md": "# Dev\n",
      ".bmad-core/core-config.yaml":
        "prd:\n  prdFile: docs/prd.md\n  prdSharded: false\n  prdShardedLocation: docs/prd\ndevStoryLocation: docs/stories\n",
      "docs/stories/2.1.pay.md":
        "# Story 2.1: Pay\n\n## Status\n\nReady for Review\n\n## Acceptance Criteria\n\n1. It is paid\n\n## Tasks / Subtasks\n\n" +
        "- [x] Pay\n\n## Dev Agent Record\n\n### Agent Model Used\n\nsome-model\n\n## QA Results\n\nGate: PASS\n",
    },
    lies: {
      "no record": ["docs/stories/2.1.pay.md", "some-model", "{{agent_model_name_version}}", "section-empty"],
      "no results": ["docs/stories/2.1.pay.md", "Gate: PASS\n", "", "review-missing"],
      "an open task": ["docs/stories/2.1.pay.md", "[x] Pay", "[ ] Pay", "box-unticked"],
    },
  },
};

for (const [form, { story, files, lies }] of Object.entries(NEARLY)) {
  Deno.test(`${form} needs evidence [work:forms, work:check, work:mark]`, async () => {
    for (const [lie, [path, from, to, code]] of Object.entries(lies)) {
      const told = { ...files, [path]: files[path]!.replace(from, to) };
      assert.notEqual(told[path], files[path], lie);
      await withWork(told, async (work, root) => {
        const { data } = await work.check(story);
        assert.deepEqual(data.findings.map((one) => one.code), [code], lie);
        const refused = await work.mark({ story, status: "done" }).then(() => "", String);
        assert.match(refused, /the check has 1 finding/, lie);
        for (const [path, text] of Object.entries(told)) assert.equal(textOf(root, path), text, lie);
      });
    }
    // Nothing is asked for that a document has no place for.
    const plain = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        path,
        text.replace(/\n#{2,3} (?:Review Findings|QA Results)\n[^#]*/, "\n").replace(
          /\n## Dev Agent Record\n[^]*/,
          "\n",
        ),
      ]),
    );
    for (const honest of [files, plain]) {
      await withWork(honest, async (work) => {
        assert.deepEqual((await work.check(story)).count, 0);
        await work.mark({ story, status: "done" });
        assert.match((await work.check(story)).text, /is done, and nothing speaks against it/);
      });
    }
  });
}
