/** Has every story a page with all that is known of it, also one that is only planned, and every value escaped? */
import assert from "node:assert/strict";
import { withServer } from "../../support/http.ts";
import { type Page, readPage } from "../../support/pages.ts";

const CONFIG = "output_folder: out\nplanning_artifacts: out/plan\nimplementation_artifacts: out/impl\n";

const PROJECT = {
  "_bmad/bmm/config.yaml": CONFIG,
  "out/plan/prd.md":
    "# PRD\n\n## Requirements\n\n- FR1: An owner pays by card.\n- FR2: A bill.\n- NFR1: Fast.\n",
  "out/plan/epics.md": `# Epics

## Epic 1: Payments <b>now</b> (FR1)

### Story 1.1: Pay <u>by card</u> (FR1)

### Story 1.2: Print a bill (FR2)

**Acceptance Criteria:**

**Given** a walk that has ended
**When** the owner opens the bill
**Then** a card can be charged
**And** a receipt is sent

## Epic 2: Later

### Story 2.1: Refund
`,
  "out/impl/sprint-status.yaml": `development_status:
  epic-1: in-progress
  1-1-pay-by-card: in-progress
  1-2-print-a-bill: backlog
  epic-1-retrospective: optional
  epic-2: backlog
  2-1-refund: backlog
`,
  "out/impl/1-1-pay-by-card.md": `---
baseline_commit: 1234567
---

# Story 1.1: Pay <u>by card</u>

Status: in-progress

## Acceptance Criteria

1. **Given** a card, when I pay, then it is charged when the bank says so

## Tasks / Subtasks

- [x] Ask the bank (AC: 1)
  - [ ] Keep <img src=x> and sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789

## File List

- src/pay.ts
- tests/pay.test.ts

## Senior Developer Review (AI)

### Review Findings

- [ ] [Review][Patch] [high] Cards are charged twice [src/pay.ts:4]
- [x] [Review][Patch] [low] A long <em>name</em> [src/pay.ts:9]
`,
  "out/impl/work-log.jsonl": `${
    JSON.stringify({
      at: "2026-08-01T10:00:00Z",
      ledger: "out/impl/sprint-status.yaml",
      story: "1-1-pay-by-card",
      did: "mark",
      by: "Ann",
      from: "ready-for-dev",
      to: "in-progress",
    })
  }\n`,
  "src/pay.ts": "",
  "tests/pay.test.ts": "// AC1\n",
};

const withPages = (check: (page: (path: string) => Promise<Page>) => Promise<void>) =>
  withServer(PROJECT, [], async (program) => {
    await check((path) => readPage(program, path));
  });

Deno.test("a story has tasks, criteria and a sentence to say [pages:story, pages:copy]", () =>
  withPages(async (page) => {
    const { html, text } = await page("/board?story=1-1");
    assert.match(
      html,
      /<form class="act" id="move"[^]*value="in-progress" id="to-in-progress" aria-pressed="true"/,
    );
    assert.match(html, /<form class="act" id="hold"[^]*>Claim<\/button>/);
    assert.match(text, /Board \/ Epic 1: Payments <b>now<\/b> Pay <u>by card<\/u> 1-1 In progress/);
    assert.match(
      text,
      /Continue this story Say in your client Continue story 1-1 with Amelia \(bmad-build\) Copy/,
    );
    assert.match(html, /data-copy="Continue story 1-1 with Amelia \(bmad-build\)"/);
    assert.match(text, /Tasks 1 of 2 ☑ Ask the bank \(AC: 1\) ☐ Keep <img src=x> and (?!sk-ant)/);
    assert.match(
      html,
      /<li class="ticked" data-depth="0"><form [^]*?aria-checked="true"><span aria-hidden="true">☑[^]*<li data-depth="1">/,
    );
    assert.match(
      html,
      /<strong>Given<\/strong> a card<\/span><span class="clause"><strong>When<\/strong> I pay<\/span><span class="clause"><strong>Then<\/strong> it is charged when the bank says so</,
    );
    assert.match(
      text,
      /Ready for “done”\? Story 1-1 is in progress: .*refused as "done": .*1 review finding/,
    );
    assert.match(
      text,
      /Review findings open high Cards are charged twice .*fixed low A long <em>name<\/em>/,
    );
    assert.match(html, /href="\/review\?story=1-1">The review of this story/);
    assert.match((await page("/trace")).text, /2 of 3 requirements are covered.*NFR1 Fast no story/);
    assert.match(text, /Trace FR1 An owner pays by card test tests\/pay\.test\.ts/);
    assert.match(text, /History Ann: ready-for-dev → in-progress 2026-08-01 10:00 UTC/);
    assert.match(html, /href="\/\?doc=out%2Fimpl%2F1-1-pay-by-card\.md">/);
    assert.match(text, /1-2 Print a bill →/);
    assert.doesNotMatch(html, /<u>|<i>|<b>now|<img|<em>|sk-ant/);
  }));

Deno.test("what to say leads to the right skill or to its agent, whatever the step is [pages:story]", () =>
  withPages(async (page) => {
    for (
      const [say, skill, agent] of [
        ["Continue story 1-1 with Amelia (bmad-build)", "bmad-build", "bmad-agent-dev"],
        ["Review story 1-1 with Amelia (bmad-code-review)", "bmad-code-review", "bmad-agent-dev"],
        ["Plan the sprint with John (bmad-sprint-planning)", "bmad-sprint-planning", "bmad-agent-pm"],
        ["Create the PRD with John (bmad-prd)", "bmad-prd", "bmad-agent-pm"],
      ] as const
    ) {
      const { html } = await page(`/?q=${encodeURIComponent(say)}`);
      const names = [...html.matchAll(/href="\/\?show=\w+%2F([\w-]+)"/g)].map(([, name]) => name!);
      assert.ok(names.slice(0, 2).includes(skill), `${say}: ${names.slice(0, 4)}`);
      assert.ok([skill, agent].some((one) => one === names[0]), `${say}: ${names.slice(0, 4)}`);
    }
  }));

Deno.test("a planned story without a file and an epic have pages of the same kind [pages:story]", () =>
  withPages(async (page) => {
    const { html, text } = await page("/board?story=1-2");
    assert.match(text, /Start this story Say in your client Start story 1-2 with Amelia/);
    assert.match(
      text,
      /Given a walk that has ended When the owner opens the bill Then a card can be charged And a receipt is sent/,
    );
    assert.match(text, /Ready for “done”\? Story 1-2 is not started\./);
    assert.match(text, /Documents out\/plan\/epics\.md/);
    assert.match(text, /← 1-1 Pay <u>by card<\/u> 2-1 Refund →/);
    assert.doesNotMatch(html, /Review findings|<h2>Tasks/);
    for (const name of ["epic%201", "epic-1"]) {
      const epic = await page(`/board?story=${name}`);
      assert.match(epic.text, /Epic 1: Payments <b>now<\/b> In progress 0 of 2 stories are done\./);
      assert.match(
        epic.text,
        /Stories 2 Pay <u>by card<\/u> 1-1 In progress 2 of 4 boxes ticked · 1 finding open/,
      );
      assert.match(epic.html, /href="\/board\?story=epic-2">Epic 2: Later →/);
    }
    const missing = await page("/board?story=9-9");
    assert.match(missing.text, /Not found/);
  }));

Deno.test("reviews are a list, with the severity of findings [pages:story]", () =>
  withPages(async (page) => {
    const { html, text } = await page("/review");
    assert.match(
      text,
      /Reviews 1 Stories that are in review or have open findings\. Pay <u>by card<\/u> 1-1 1 finding open/,
    );
    assert.match(html, /href="\/review\?story=1-1"/);
    const review = await page("/review?story=1-1");
    assert.match(
      review.text,
      /Open open high Cards are charged twice .*Settled fixed low A long <em>name<\/em>/,
    );
    assert.match(review.html, /<strong>Given<\/strong> a card</);
    assert.equal(review.text.match(/from where the story began/g)?.length, 1);
    const bare = await page("/review?story=2-1");
    assert.match(bare.text, /Not possible yet Cannot review 2-1-refund: it has no story file yet/);
    assert.match(bare.html, /href="\/board\?story=2-1">Open the story</);
  }));

Deno.test("the first page says what to do now, in titles and without paths [pages:home]", () =>
  withPages(async (page) => {
    const { html, text } = await page("/");
    assert.match(
      text,
      /What now\? Continue “Pay <u>by card<\/u>” In progress 1-1 Epic 1: Payments <b>now<\/b> · \d of \d boxes ticked Say in your client Continue story 1-1 with Amelia \(bmad-build\) Copy Open the story Why /,
    );
    assert.match(html, /href="\/board\?story=1-1">Open the story/);
    assert.match(html, /<a href="\/board"><span class="s-in-progress"><i class="dot"><\/i>1 in progress</);
    assert.doesNotMatch(text, /Sources, highest priority|Agents \d/);
  }));
