/** Do the board and a plan find the same epics and stories in a document? */
import assert from "node:assert/strict";
import { planSprint } from "../../../../src/project/scripts/mod.ts";
import { readSprintFile } from "../../../../src/project/work/formats/mod.ts";
import { chanceFrom } from "../../../support/chance.ts";
import { boardOf, told } from "../../../support/board.ts";
import { worldOf } from "../../../support/scripts.ts";
import { withTree } from "../../../support/trees.ts";

const PLAN = "out/plan/epics.md";
const LEDGER = "out/impl/sprint-status.yaml";

async function plannedIn(document: string): Promise<readonly string[]> {
  return await withTree({ [PLAN]: document, "out/impl/": "" }, async (root) => {
    const request = {
      epicFiles: [PLAN],
      statusFile: LEDGER,
      storiesDir: "out/impl",
      project: "P",
      date: "08-01-2026 12:00",
    };
    await planSprint(request, worldOf(root)).catch((error) => assert.match(String(error), /no epics/));
    const text = await Deno.readTextFile(`${root}/${LEDGER}`).catch(() => "");
    return refsOf(
      readSprintFile(text).rows.flatMap(({ known }) => known?.kind === "retro" ? [] : [known!.ref]),
    );
  });
}

function refsOf(refs: readonly string[]): readonly string[] {
  return [...new Set(refs)].toSorted();
}

/** What the board shows of a document, and where it says that a plan reads something else. */
async function shownIn(document: string) {
  const { epics, problems } = await boardOf({ [PLAN]: document });
  const refs = epics.flatMap(({ ref, stories }) => [ref, ...stories.map((story) => story.ref)]);
  return { refs: refsOf(refs), told: told(problems).filter((one) => one.includes("sprint_plan.py")) };
}

const SAME = [
  "## Epic 1: A\n### Story 1.1: B\n#### story 1.2 C ##\n",
  "#Epic 1\n##Story 1.1:B\n",
  "# EPIC 01 - A\n### Story 01.02: B\n### Story 1.3B: C\n### Story 1.4abc\n",
  "## Epic 12345: A\n### Story 12345.67890: B\n",
  "#### Epic 1: too deep\n# Story 1.1: too high\n##### Story 1.2: too deep\n- Story 1.3\nStory 1.4\n",
  "## Epic 1: A\n```\n### Story 1.1: an example\n```\n### Story 1.2: B\n",
  "\uFEFF## Epic 1: A\r\n### Story 1.1: B\r\n",
];

Deno.test("the board and a plan read the same headings [work:plan]", async () => {
  for (const document of SAME) {
    assert.deepEqual(await shownIn(document), { refs: await plannedIn(document), told: [] }, document);
  }
});

Deno.test("a heading that only one of them reads is told [work:plan]", async () => {
  const table = [
    [
      "## Epic 1: A\n### Story 1-1: B\n",
      `${PLAN}:2 sprint_plan.py does not read this heading; begin it with "Story 1.1:"`,
    ],
    ["## **Epic 1: A**\n", `${PLAN}:1 sprint_plan.py does not read this heading; begin it with "Epic 1:"`],
    [
      "## Epic 1: A\n<!--\n### Story 1.1: B\n-->\n",
      `${PLAN}:3 sprint_plan.py reads Story 1.1 here, although it is a comment or code`,
    ],
    [
      "## Epic 1: A\n````\n```\n### Story 1.1: B\n```\n````\n",
      `${PLAN}:4 sprint_plan.py reads Story 1.1 here, although it is a comment or code`,
    ],
  ] as const;
  for (const [document, problem] of table) {
    assert.deepEqual((await shownIn(document)).told, [problem], document);
  }
  // An epic that is listed in bold and then written out is read by both.
  assert.deepEqual((await shownIn("### **Epic 1: A**\n## Epic 1: A\n")).told, []);
});

Deno.test("random documents are read alike, or the difference is told [work:plan]", async () => {
  const lines = [
    ["#", "##", "###", "####", "##### ", "- ", "```\n##", "~~~\n##", "<!--\n###", "-->\n###", "### **"],
    [
      " Epic 1",
      " Epic 2:",
      "Epic 3",
      " Story 1.1",
      " story 1.2:",
      " Story 1-3",
      " Story 02.01a",
      " STORY 2.2B",
      " Text",
    ],
    ["", " A", ": B ##", "**", "abc", ".5"],
  ];
  for (let seed = 1; seed <= 60; seed++) {
    const { pick, below } = chanceFrom(seed);
    const document = Array.from({ length: 1 + below(8) }, () => lines.map(pick).join("")).join("\n");
    const [planned, shown] = [await plannedIn(document), await shownIn(document)];
    const only = planned.filter((ref) => !shown.refs.includes(ref)).length +
      shown.refs.filter((ref) => !planned.includes(ref)).length;
    assert.equal(
      only > 0,
      shown.told.length > 0,
      `seed ${seed}:\n${document}\n${planned}\n${shown.refs}\n${shown.told}`,
    );
  }
});
