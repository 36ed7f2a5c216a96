/** Is a story's document read by one rule, whoever asks: the board, the check, or the writer? */
import assert from "node:assert/strict";
import {
  readDocument,
  readFacts,
  readReview,
  readStoryText,
  type StoryDocument,
  uniqueFindings,
} from "../../../../src/project/work/formats/mod.ts";
import { withStatus } from "../../../../src/project/work/writer/edits.ts";
import { type Chance, chanceFrom } from "../../../support/chance.ts";
import { boardOf } from "../../../support/board.ts";
import { honestProject, SHAPES } from "../../../support/honest.ts";

/** Lines of all forms, languages and habits, and some that only look alike. */
const LINES: readonly string[] = [
  ..."# Story 1.1: A|#Tasks|## Status|## Status: review|## Estado|Status: done|**Status:** In Review|- **Status**: x"
    .split("|"),
  ..."Approved|**Done**|- `ready`|Status: <!-- soon --> done|Status : late|**Status:**|__Status__: Done <!-- x -->"
    .split("|"),
  ..."## Acceptance Criteria|### Criterios de aceptación|**Acceptance Criteria:**|Acceptance Criteria:".split(
    "|",
  ),
  ..."Acceptance criteria: one|**Technical Notes:**|**Notes:** two|**AC1 — Sorted**|### AC2: Errors|- **Sorting:**"
    .split("|"),
  ..."1. One (FR3)|**Given** x **When** y **Then** z|**Given:** a|- [ ] open|  - [x] ticked|1234. [X] far"
    .split("|"),
  ..."-   [ ] wide|[x] no box|> - [ ] quoted|>- [x] also quoted|  > 1) [ ] third|- [y] no box|-\u00a0[ ] no box"
    .split("|"),
  "| Task | [x] |",
  "  | [ ] | ☑ | ☐ |",
  "|---|---|",
  "| no box | x |",
  ..."## Dev Notes|### Testing|### Tasks|## Tasks / Subtasks|## Tasks & Acceptance|**Execution:**|## Aufgaben"
    .split("|"),
  ..."## Dev Agent Record|#### Acceptance Criteria|### File List|- src/a.ts|## Review Findings|## Intent|Owner: Ann"
    .split("|"),
  ..."Depends on: 1.2|- a [link](x.md)|\u00a0- [ ] blank|\ttext [ ]|plain NFR2|ends with a colon:|*emphasis*||  "
    .split("|"),
];
const SPECIAL: readonly string[] = ["```", "~~~", "<!-- a", "-->", "<!-- - [ ] b -->", "---"];
const FRONTS: readonly string[] = [
  "",
  "",
  "---\n# Tasks\n- [x]\n---\n",
  "---\ntitle: A\nstatus: 'draft' # x\n---\n",
  "---\nstatus: a: b\n---\n",
  "---\nstatus: done\n--- \nStatus: x\n",
  '---\n"status": "in-review"\nowner: Bo\n---\n\n',
  "---\n---\n",
  "---\ntitle: x\n---",
];

function anyText(chance: Chance): string {
  const all = chance.below(3) === 0 ? [...LINES, ...SPECIAL] : LINES;
  const body = Array.from({ length: 1 + chance.below(40) }, () => chance.pick(all)).join("\n");
  const text = `${chance.below(9) === 0 ? "\uFEFF" : ""}${chance.pick(FRONTS)}${body}`;
  return chance.below(4) === 0 ? text.replaceAll("\n", "\r\n") : text;
}

/** Calls with many texts, and names the one for which it fails. */
function forAny(rounds: number, use: (text: string, chance: Chance) => void): void {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const chance = chanceFrom(seed);
  for (let round = 0; round < rounds; round++) {
    const text = anyText(chance);
    try {
      use(text, chance);
    } catch (error) {
      throw new Error(`seed ${seed}, round ${round}: ${JSON.stringify(text)}`, { cause: error });
    }
  }
}

Deno.test("board and check read the same [work:forms, work:board]", () =>
  forAny(2_000, (text) => {
    const { allBoxes, lines, headings, outline, sections, runs: _, statuses, ...document } = readStoryText(
      "a.md",
      text,
    );
    assert.deepEqual(readDocument("a.md", text), document);
    assert.deepEqual(document.boxes, {
      ticked: allBoxes.filter(({ isTicked }) => isTicked).length,
      total: allBoxes.length,
    });
    const open = uniqueFindings(readReview(readStoryText("a.md", text)).findings).filter(({ isOpen }) =>
      isOpen
    );
    assert.equal(readFacts({ file: document }).findings ?? 0, open.length);
    assert.ok(outline.every(({ line }) => line > document.end));
    assert.deepEqual(document.status, statuses[0]);
    assert.equal(document.criteria.length > 0, (lines.get("criteria") ?? []).length > 0);
    assert.ok(
      [...headings.values(), ...sections.values().map(({ line }) => line)].every((at) => at > document.end),
    );
  }));

/** What does not change with the status, whose line may itself name a requirement. */
function besideStatus({ status: _, covers: __, fields, ...rest }: StoryDocument): unknown {
  return { ...rest, fields: { ...fields, status: "" } };
}

Deno.test("a mark changes only its line [work:forms, work:mark-everywhere]", () => {
  let changes = 0;
  forAny(2_000, (text, chance) => {
    const before = readDocument("a.md", text);
    const word = chance.pick(["done", "in-review", "InProgress"]);
    const place = chance.pick(["front matter", "body", undefined] as const);
    let changed: string;
    try {
      changed = withStatus("a.md", text, word, place);
    } catch (error) {
      // Front matter that is no mapping, and comments around the word, are left to people.
      assert.match(`${error}`, /its status is written in a way that cannot be changed by itself/);
      return;
    }
    const after = readDocument("a.md", changed);
    if (before.status === undefined && place === undefined) return assert.equal(changed, text);
    changes++;
    assert.equal(after.status?.word, word);
    const [old, now] = [text, changed].map((one) => one.split("\n"));
    if (before.status === undefined) return;
    assert.equal(old!.length, now!.length);
    const different = old!.flatMap((line, at) => line === now![at] ? [] : [at + 1]);
    assert.deepEqual(different, before.status.word === word ? different : [before.status.line]);
    assert.deepEqual(besideStatus(after), besideStatus(before));
  });
  assert.ok(changes > 500, `only ${changes} were changed`);
});

Deno.test("the board shows what the check judges [work:forms, work:board]", async () => {
  for (let seed = 1; seed <= 25; seed++) {
    const project = honestProject(SHAPES[seed % SHAPES.length]!, seed);
    const board = await boardOf(project.files, project.folders);
    for (const { ref, path, state } of project.stories) {
      if (state === "backlog") continue;
      const story = board.epics.flatMap(({ stories }) => stories).find((one) => one.ref === ref)!;
      const { allBoxes, criteria, status } = readStoryText(path, project.files[path]!);
      const ticked = allBoxes.filter(({ isTicked }) => isTicked).length;
      const what = `seed ${seed}, ${ref}: ${JSON.stringify(project.style)}`;
      assert.deepEqual(story.boxes, { ticked, total: allBoxes.length }, what);
      assert.deepEqual(story.criteria, criteria.length > 0 ? criteria : story.criteria, what);
      if (project.shape !== "sprint" && project.shape !== "builds") {
        assert.equal(story.status, status?.word, what);
      }
    }
  }
});

Deno.test("criteria are found in all forms and languages [work:board]", () => {
  const CRITERIA: Readonly<Record<string, readonly [text: string, ...criteria: string[]]>> = {
    "a list": ["## Acceptance Criteria\n\n1. One\n   goes on\n2. [ ] Two\n", "One goes on", "Two"],
    "a build spec": [
      "## Tasks & Acceptance\n\n**Execution:**\n- [ ] `a.ts` -- do\n\n**Acceptance Criteria:**\n- Given a, when b, then c\n\n" +
      "## Verification\n\n- no\n",
      "Given a, when b, then c",
    ],
    "steps": [
      "**Acceptance Criteria:**\n\n**Given** a\n**When** b\n**Then** c\n\n**Given** d\n\n**Notes:** no\n",
      "**Given** a **When** b **Then** c",
      "**Given** d",
    ],
    "headings": [
      "## Acceptance Criteria\n### AC1: Sorted\nBy name\n### AC2: Errors\n",
      "AC1: Sorted By name",
      "AC2: Errors",
    ],
    "Spanish": ["## Criterios de aceptación\n\n1. Uno\n", "Uno"],
  };
  for (const [what, [text, ...criteria]] of Object.entries(CRITERIA)) {
    assert.deepEqual(readDocument("a.md", `# A\n\n${text}`).criteria, criteria, what);
  }
});

Deno.test("what looks like a comment hides no box [work:forms, work:board]", () => {
  const total = (text: string) => readDocument("a.md", text).boxes.total;
  const shown = [
    "- [x] Strip `<!--` from the input\n- [ ] b\n",
    "- [x] Strip `` `<!--` `` and `-->`\n- [ ] b\n",
    "- [x] Strip <!-- from the input\n- [ ] b\n",
    "- [x] a\n\n```npm test``` passes.\n\n- [ ] b\n",
    "---\ntitle: Strip <!-- from the input\n---\n- [x] a\n- [ ] b\n",
    "---\nnotes: |\n  ```\n---\n- [x] a\n- [ ] b <!-- c -->\n",
  ];
  for (const text of shown) assert.equal(total(text), 2, text);
  const hidden = [
    "- [x] a <!--\n- [ ] b\n-->\n",
    "<!-- `-->\n- [x] a\n<!-- - [ ] ` -->\n",
    "<!-- open\n- [ ] b\n-->\n- [x] a\n",
    "- [x] a ` <!-- - [ ] b\n- [ ] c -->\n",
    "- [x] a\n```sh\n- [ ] b\n```\n",
  ];
  for (const text of hidden) assert.equal(total(text), 1, text);
});

Deno.test("a story is searched for ids only as long as one names them [work:board]", () => {
  for (const name of ["FR1-", "C1 ", "FR1, "]) {
    const { covers } = readDocument("a.md", `${`${name.repeat(200)}\n`.repeat(1_000)}FR77\n`);
    assert.ok(!covers.includes("FR77") && !covers.includes("FR-77"), `${name}: ${covers}`);
  }
  assert.equal(readDocument("a.md", "FR1\nFR77\n").covers.length, 2);
});
