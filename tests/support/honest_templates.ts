/**
 * Honest projects as the templates of several releases lay them out: stories of 6.0, builds of 6.12, v4 with its quality
 * gates, quick specs, tickets. The words are ours.
 *
 * Unlike the generator's (honest.ts), these were written from the templates alone, before the rules of a check were tried
 * on them.
 */
import type { BoardFolders } from "../../src/project/work/formats/mod.ts";
import { FOLDERS, V4_FOLDERS } from "./board.ts";
import { commitOf, type MadeCommit } from "./honest.ts";

/** A project that was written by hand. */
export interface Written {
  readonly folders: BoardFolders;
  readonly files: Readonly<Record<string, string>>;
  /** The newest first. */
  readonly commits: readonly MadeCommit[];
}

/** Before any story. */
const START = commitOf("Initial import", undefined, { "package.json": "{}\n" });

type Files = Readonly<Record<string, string>>;

/** A project in which the code was committed after the start, and everything else with it. */
function project(
  folders: BoardFolders,
  code: Files,
  documents: Files,
  { subject = "Implement it", gone = [] }: { readonly subject?: string; readonly gone?: readonly string[] } =
    {},
): Written {
  const files = { "package.json": "{}\n", ...code, ...documents };
  const lost = Object.fromEntries(gone.map((path) => [path, null]));
  const commits = [commitOf(subject, START.id, { ...code, ...documents, ...lost }), START];
  return { folders, files, commits };
}

const sprint = (rows: Readonly<Record<string, string>>) => ({
  "out/impl/sprint-status.yaml":
    "# generated: 2026-03-01\n# STATUS DEFINITIONS: see the planning skill\ngenerated: 2026-03-01\nproject: shop\n" +
    `tracking_system: file-system\n\ndevelopment_status:\n${
      Object.entries(rows).map(([key, status]) => `  ${key}: ${status}\n`).join("")
    }`,
});

const TEST = 'import { it } from "vitest";\nit("works", () => {});\n';

/** A story of 6.0 that went through two rounds: its follow-ups are part of its tasks. */
const FOLLOWED_UP = `---
baseline_commit: ${START.id}
---

# Story 1.1: Keep the basket between visits

Status: done

<!-- Validated once, before development. -->

## Story

As a returning customer,
I want my basket to be there when I come back,
so that I need not search for everything again.

## Acceptance Criteria

1. Given a basket with two articles, when the browser is closed and opened again, then both are still in it.
2. Given a basket that is older than 30 days, when the shop opens, then it is empty.
3. Articles that are no longer sold are left out, and the customer is told.

## Tasks / Subtasks

- [x] Task 1: Store the basket (AC: #1)
  - [x] 1.1 Serialize it
  - [x] 1.2 Write it whenever it changes
- [x] Task 2: Read it at the start (AC: #1, #2)
  - [x] 2.1 Drop it after 30 days
- [x] Task 3: Tell about missing articles (AC: #3)

### Review Follow-ups (AI)

- [x] [AI-Review][High] A broken entry must not keep the shop from opening [src/basket/store.ts:18]
- [x] [AI-Review][Low] Name the constant [src/basket/store.ts:4]

## Dev Notes

- The basket lives in \`src/basket\`; prices are always fetched. [Source: out/plan/architecture.md#Basket]
- Do not store prices.

### Project Structure Notes

- No conflicts.

### References

- [Source: out/plan/epics.md#Story 1.1]

## Dev Agent Record

### Agent Model Used

some-model-4

### Debug Log References

None.

### Completion Notes List

- Stored under one key; 30 days are counted from the last change.
- ✅ Resolved review finding [High]: a broken entry is removed.

### File List

**New:**
- src/basket/store.ts
- src/basket/store.test.ts

**Modified:**
- package.json

### Change Log

| Date | Change |
| --- | --- |
| 2026-03-02 | Story written |
| 2026-03-04 | Built; ready for review |
| 2026-03-05 | Review findings fixed |

## Senior Developer Review (AI)

**Reviewer:** Ann on 2026-03-04
**Outcome:** Changes Requested

### Action Items

- [x] [High] A broken entry must not keep the shop from opening
- [x] [Low] Name the constant
`;

/** A story of 6.12, reviewed by the review skill: findings below its tasks, and an appendix of what was rejected. */
const FINDINGS = `---
baseline_commit: ${START.id}
---

# Story 2.3: Export orders

Status: done

## Story

As a shop owner,
I want my orders as a file,
so that my accountant can read them.

## Acceptance Criteria

**AC1 — A file with one line per order**
Given orders of a month
When the owner exports them
Then a CSV file with one line for each comes down

**AC2 — Nothing to export**
Given a month without orders
When the owner exports it
Then a message says so

## Tasks / Subtasks

- [x] Write the rows (AC: 1)
- [x] Say that there is nothing (AC: 2)
- [x] Cover both with tests (AC: 1, 2)

### Review Findings

- [x] [Review][Decision] Which separator? — Semicolon, as the accountant wants it
- [x] [Review][Patch] Quotes are not doubled [src/export.ts:31]
- [x] [Review][Defer] The list of orders is slow [src/orders.ts:7] — deferred: pre-existing

#### Rejected

- false: "dates are local" — they are written in UTC, see the test
- low: a shorter name for \`rowsOf\` — not worth it

## Dev Notes

Nothing beyond the architecture.

## Dev Agent Record

### Completion Notes List

- Done as planned.

### File List

| Path | What |
| --- | --- |
| \`src/export.ts\` | new |
| \`src/export.spec.ts\` | new |
`;

/** A build of 6.12 with everything that its template has. */
const BUILD = `---
title: 'Remember the language'
type: 'feature' # feature | bugfix | refactor | chore
created: '2026-05-01'
status: 'done' # draft | ready-for-dev | in-progress | in-review | done
route: 'dispatch'
review_loop_iteration: 1
baseline_revision: '${START.id}'
context: []
---

<frozen-after-approval reason="the intent belongs to a person">

## Intent

**Problem:** The language is forgotten with every visit.

**Approach:** Keep it in a cookie.

## Boundaries & Constraints

**Always:** The header of the request is the fallback.

**Never:** Store anything else.

## I/O & Edge-Case Matrix

| Scenario | Input / State | Expected Output / Behavior | Error Handling |
|----------|--------------|---------------------------|----------------|
| Known language | cookie \`de\` | German | N/A |
| Unknown language | cookie \`xx\` | that of the header | the cookie is dropped |

</frozen-after-approval>

## Code Map

- \`src/language.ts\` -- chooses the language
- \`src/server.ts\` -- calls it

## Tasks & Acceptance

**Execution:**
- [x] \`src/language.ts\` -- read the cookie first -- that is the point
- [x] \`src/language.test.ts\` -- the rows of the matrix -- so that they stay true

**Acceptance Criteria:**
- Given a visitor who chose German, when they come back, then the shop is in German
- Given no cookie, when a visitor comes, then their browser decides

## Implementation Notes

- Both files were touched, and nothing else.

## Spec Change Log

## Review Triage Log

- 2026-05-02, pass 1: 3 findings
  - \`[medium]\` \`[patch]\` The cookie has no path — given one
  - \`[low]\` \`[reject]\` Two constants could be one — taste
  - \`[false]\` \`[reject]\` Injection through the header — it is matched against a list

## Verification

**Commands:**
- \`npm test\` -- expected: everything passes

**Manual checks (if no CLI):**
- Open the shop twice
`;

/** A build that was small enough for one step. */
const ONESHOT = `---
title: 'Fix a typo in the footer'
type: 'bugfix'
created: '2026-05-03'
status: 'done'
route: 'oneshot'
---

## Intent

**Problem:** The footer says "Impressumm".

**Approach:** Correct it.

## Implementation Notes

- One word in \`src/footer.html\`.
`;

/** A story of v4, reviewed by its test architect, who leaves ideas for later behind. */
const V4_STORY = `# Story 1.1: Show the stock

## Status

Done

## Story

**As a** customer,
**I want** to see how many are left,
**so that** I can decide.

## Acceptance Criteria

1. The page shows the number that is left
2. Below five, it is shown in red
3. None left: the button is disabled

## Tasks / Subtasks

- [x] Read the stock (AC: 1)
  - [x] Cache it for a minute
- [x] Show it (AC: 1, 2, 3)
  - [x] Disable the button
- [x] Unit tests

## Dev Notes

Data models: [Source: architecture/data-models.md#stock]

### Testing

- Tests lie beside the code, as \`*.test.ts\`

## Change Log

| Date | Version | Description | Author |
| ---- | ------- | ----------- | ------ |
| 2025-08-01 | 0.1 | First draft | Bob |
| 2025-08-04 | 1.0 | Done | James |

## Dev Agent Record

### Agent Model Used

some-model-3

### Debug Log References

- none

### Completion Notes List

- The cache is the one of the catalogue

### File List

- src/stock.ts (new)
- src/stock.test.ts (new)
- package.json (modified)

## QA Results

### Review Date: 2025-08-04

### Reviewed By: Quinn (Test Architect)

### Code Quality Assessment

Clear and small.

### Compliance Check

- Coding Standards: ✓
- Project Structure: ✓
- Testing Strategy: ✓
- All ACs Met: ✓

### Improvements Checklist

- [x] Gave the constant a name (src/stock.ts)
- [ ] Consider a shorter cache for rare articles
- [ ] A load test would be good

### Gate Status

Gate: PASS → docs/qa/gates/1.1-show-the-stock.yml

### Recommended Status

[✓ Ready for Done]
`;

const V4_GATE = `schema: 1
story: "1.1"
story_title: "Show the stock"
gate: PASS
status_reason: "All criteria have tests."
reviewer: "Quinn"
updated: "2025-08-04T10:00:00Z"
top_issues: []
waiver: { active: false }
recommendations:
  immediate: []
  future:
    - action: "A load test"
      refs: ["src/stock.ts"]
`;

const V4_PRD = `# Shop Product Requirements Document (PRD)

## Goals and Background Context

### Goals

- Sell more

## Requirements

### Functional

- FR1: Customers see the stock.
- FR2: Customers are told when an article is back.

### Non Functional

- NFR1: A page takes less than a second.

## Epic List

- Epic 1: Stock

## Epic 1 Stock

Customers know what they can buy (FR1, FR2).

### Story 1.1 Show the stock

As a customer, I want to see how many are left, so that I can decide.

#### Acceptance Criteria

1. The page shows the number that is left

### Story 1.2 Tell me

As a customer, I want a message, so that I come back (FR2).

#### Acceptance Criteria

1. A message is sent
`;

const EPICS = `---
stepsCompleted: [1, 2, 3, 4]
inputDocuments:
  - out/plan/prd.md
---

# Shop - Epic Breakdown

## Overview

All of the shop, in epics.

## Requirements Inventory

### Functional Requirements

FR1: A basket outlives a visit
FR2: Orders can be exported
FR3: Owners see what sells

### NonFunctional Requirements

NFR1: Pages open in a second
NFR2: No personal data in logs

### Additional Requirements

- The shop runs on the servers that exist

### FR Coverage Map

FR1: Epic 1 - the basket
FR2: Epic 2 - the office
FR3: Epic 2 - the office

## Epic List

### Epic 1: Basket
Customers keep what they chose.
**FRs covered:** FR1

### Epic 2: Office
Owners do their books.
**FRs covered:** FR2, FR3

## Epic 1: Basket

Customers keep what they chose.

### Story 1.1: Keep the basket between visits

As a returning customer,
I want my basket to be there,
So that I need not search again.

**Acceptance Criteria:**

**Given** a basket
**When** I come back
**Then** it is there
**And** it is not older than 30 days

## Epic 2: Office

Owners do their books.

### Story 2.3: Export orders

As a shop owner,
I want my orders as a file,
So that my accountant can read them.

**Acceptance Criteria:**

**Given** orders
**When** I export them
**Then** I get a file
`;

/** Quick specs of 6.0 hold the plan and the record of one piece of work. */
const QUICK = `---
title: 'Rate limit for the login'
slug: 'rate-limit-login'
created: '2026-02-10'
status: 'Completed'
stepsCompleted: [1, 2, 3, 4]
tech_stack: ['node']
files_to_modify: ['src/login.ts']
code_patterns: []
test_patterns: ['src/*.test.ts']
---

# Tech-Spec: Rate limit for the login

**Created:** 2026-02-10

## Overview

### Problem Statement

Passwords can be guessed.

### Solution

Five attempts a minute.

### Scope

**In Scope:**
The login.

**Out of Scope:**
- [ ] The reset of passwords

## Implementation Plan

### Tasks

- [x] Task 1: Count attempts
  - File: \`src/login.ts\`
  - Action: a counter per address
- [x] Task 2: Tests
  - File: \`src/login.test.ts\`

### Acceptance Criteria

- [x] AC 1: Given five wrong passwords, when a sixth comes, then it is refused
- [x] AC 2: Given a minute without attempts, when another comes, then it is looked at

## Additional Context

### Notes

None.

## Review Notes

- Adversarial review completed
- Findings: 4 total, 3 fixed, 1 skipped
- Resolution approach: auto-fix
`;

/** A story in Portuguese, headings and all, on Windows. */
const PORTUGUESE = `---
baseline_commit: ${START.id}
---

# História 1.2: Pagar com cartão

Status: done

## História

Como cliente, quero pagar com cartão, para não precisar de dinheiro.

## Critérios de Aceitação

1. O cartão é cobrado uma única vez
2. Um erro do banco é mostrado

## Tarefas / Subtarefas

- [x] Chamar o banco (CA: 1)
- [x] Mostrar erros (CA: 2)
  - [x] Traduzir as mensagens

## Notas de Desenvolvimento

- Ver \`docs/pagamentos.md\`

## Registro do Agente

### Lista de Arquivos

- src/pagamento.ts (novo)
- src/pagamento.test.ts (novo)
`;

/** A story without code: documents, a pipeline and a file that is gone. */
const PIPELINE = `---
baseline_commit: ${START.id}
---

# Story 3.1: Build on every push

Status: done

## Story

As a developer,
I want a pipeline,
so that mistakes show.

## Acceptance Criteria

1. Every push is built
2. The old script is gone

## Tasks / Subtasks

- [x] Add the workflow (AC: 1)
- [x] Remove the old script (AC: 2)
- [x] ~~Notify the chat~~ dropped, see the change log

## Dev Agent Record

### File List

- .github/workflows/build.yml (added)
- docs/pipeline.md (added)
- scripts/build.sh (deleted)

## Change Log

- 2026-04-02: no notification, the team does not want one
`;

/** Nothing had to be changed. */
const VERIFIED = `# Story 3.2: Backups

Status: done

## Story

As an operator,
I want backups,
so that nothing is lost.

## Acceptance Criteria

1. A backup is made each night

## Tasks / Subtasks

- [x] Find out whether one is made (AC: 1)

## Dev Agent Record

### Completion Notes List

- The host makes one each night; restored one as a test.

### File List

No files changed: the host does it.
`;

/** A package of a larger repository: paths from the package, and a file that was moved. */
const PACKAGE = `---
baseline_commit: ${START.id}
---

# Story 4.1: Share the money type

Status: review

## Story

As a developer,
I want one type for money,
so that cents are not lost.

## Acceptance Criteria

- [x] AC1: There is one type
- [x] AC2: Both services use it

## Tasks / Subtasks

- [x] Move it (AC1)
- [x] Use it (AC2)

## Dev Agent Record

### File List

- \`src/money.ts\` → \`packages/shared/src/money.ts\` (moved)
- \`packages/shared/src/money.test.ts\` - new
- \`packages/orders/src/total.ts\`
`;

const TICKETS = {
  "out/initiative-shop/initiative-shop.md": "---\ntype: initiative\ntitle: Shop\n---\n\n# Shop\n",
  "out/initiative-shop/tickets.toml": '[[epic]]\nid = 1\nslug = "epic-language"\ntitle = "Language"\n',
  "out/initiative-shop/epic-language/epic-language.md":
    "---\ntype: epic\ntitle: Language\n---\n\n# Language\n",
  "out/initiative-shop/epic-language/tickets.toml":
    '[[entry]]\nid = 1\ntype = "story"\ntitle = "Remember the language"\nverify = "It stays"\n\n' +
    '[[entry]]\nid = 2\ntype = "story"\ntitle = "More languages"\nverify = "There are two more"\nafter = [1]\n',
};

const LANGUAGE = { "src/language.ts": "export const x = 1;\n", "src/language.test.ts": TEST };

/** Each with what is particular about it. */
export const WRITTEN: Readonly<Record<string, Written>> = {
  "a story of 6.0 whose review asked for changes that were made": project(FOLDERS, {
    "src/basket/store.ts": "export const key = 1;\n",
    "src/basket/store.test.ts": TEST,
    "package.json": '{"type":"module"}\n',
  }, {
    ...sprint({ "epic-1": "done", "1-1-keep-the-basket": "done", "epic-1-retrospective": "done" }),
    "out/impl/1-1-keep-the-basket.md": FOLLOWED_UP,
    "out/impl/epic-1-retro-2026-03-06.md":
      "# Retrospective\n\n## Action Items\n\n- [ ] Write shorter stories\n",
  }),
  "a story of 6.12 with findings, a decision and what was rejected": project(FOLDERS, {
    "src/export.ts": "export {};\n",
    "src/export.spec.ts": TEST,
  }, {
    ...sprint({ "epic-2": "in-progress", "2-3-export-orders": "done", "2-4-reports": "backlog" }),
    "out/impl/2-3-export-orders.md": FINDINGS,
    "out/impl/deferred-work.md":
      "# Deferred Work\n\n## Deferred from: code review of story-2.3 (2026-06-01)\n\n- The list of orders is slow [src/orders.ts:7] — pre-existing\n",
  }),
  "builds of 6.12 in a spec folder": project(FOLDERS, {
    ...LANGUAGE,
    "src/footer.html": "<p>Impressum</p>\n",
  }, {
    "out/specs/spec-language/SPEC.md":
      "---\nid: SPEC-language\ncompanions: []\nsources: []\n---\n\n# Language\n\n## Why\n\nVisitors leave.\n\n" +
      "## Capabilities\n\n- **CAP-1**\n  - **intent:** A visitor keeps the language.\n  - **success:** It stays.\n\n" +
      "## Non-goals\n\n- Translations of articles\n\n## Open Questions\n\n- Is Swiss German a language?\n",
    "out/specs/spec-language/stories.yaml":
      '- id: "1"\n  title: Remember the language\n  description: A cookie\n- id: "2"\n  title: Footer\n  description: One word\n',
    "out/specs/spec-language/stories/1-remember-the-language.md": BUILD,
    "out/specs/spec-language/stories/2-footer.md": ONESHOT,
  }),
  "a story of v4 with ideas for later and a gate that passed": project(V4_FOLDERS, {
    "src/stock.ts": "export {};\n",
    "src/stock.test.ts": TEST,
    "package.json": '{"name":"shop"}\n',
  }, {
    "docs/prd.md": V4_PRD,
    "docs/stories/1.1.show-the-stock.md": V4_STORY,
    "docs/qa/gates/1.1-show-the-stock.yml": V4_GATE,
  }),
  "a plan of 6.0 with a coverage map": project(FOLDERS, {
    "src/basket/store.ts": "export const key = 1;\n",
    "src/basket/store.test.ts": TEST,
    "package.json": '{"type":"module"}\n',
  }, {
    ...sprint({
      "epic-1": "in-progress",
      "1-1-keep-the-basket": "done",
      "epic-2": "backlog",
      "2-3-export-orders": "backlog",
    }),
    "out/plan/prd.md":
      "# PRD\n\n## Functional Requirements\n\n- FR1: A basket\n- FR2: An export\n- FR3: Numbers\n",
    "out/plan/epics.md": EPICS,
    "out/impl/1-1-keep-the-basket.md": FOLLOWED_UP,
  }),
  "a quick spec of 6.0": project(FOLDERS, { "src/login.ts": "export {};\n", "src/login.test.ts": TEST }, {
    "out/impl/tech-spec-rate-limit-login.md": QUICK,
  }),
  "a story in Portuguese, with the line ends of Windows": project(FOLDERS, {
    "src/pagamento.ts": "export {};\r\n",
    "src/pagamento.test.ts": TEST,
  }, {
    ...sprint({ "epic-1": "in-progress", "1-2-pagar": "done" }),
    "out/impl/1-2-pagar.md": PORTUGUESE.replaceAll("\n", "\r\n"),
  }),
  "stories without code": project(FOLDERS, {
    ".github/workflows/build.yml": "on: push\n",
    "docs/pipeline.md": "# Pipeline\n",
  }, {
    ...sprint({ "epic-3": "in-progress", "3-1-pipeline": "done", "3-2-backups": "done" }),
    "out/impl/3-1-pipeline.md": PIPELINE,
    "out/impl/3-2-backups.md": VERIFIED,
  }, { gone: ["scripts/build.sh"] }),
  "a package of a larger repository": project(FOLDERS, {
    "packages/shared/src/money.ts": "export {};\n",
    "packages/shared/src/money.test.ts": TEST,
    "packages/orders/src/total.ts": "export {};\n",
  }, {
    ...sprint({ "epic-4": "in-progress", "4-1-money": "review" }),
    "out/impl/4-1-money.md": PACKAGE,
  }, { gone: ["src/money.ts"] }),
  "tickets after 6.12": project(FOLDERS, LANGUAGE, {
    ...TICKETS,
    "out/initiative-shop/epic-language/story-remember-the-language-plan.md": BUILD.replace(
      "created:",
      "ticket: 1\ncreated:",
    ),
  }),
};
