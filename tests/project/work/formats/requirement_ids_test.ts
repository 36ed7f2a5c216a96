/** Does everybody mean the same requirement, however people spell its id, and nothing else? */
import assert from "node:assert/strict";
import { diskTree } from "../../../../src/content/tree/mod.ts";
import { readBoard } from "../../../../src/project/work/board/mod.ts";
import { checkAll } from "../../../../src/project/work/check/mod.ts";
import { findDefinition, findIds } from "../../../../src/project/work/formats/mod.ts";
import { withoutIds } from "../../../../src/project/work/formats/requirement_ids.ts";
import { FOLDERS } from "../../../support/board.ts";
import { packOf } from "../../../support/context_pack.ts";
import { isSlow } from "../../../support/hostile_texts.ts";
import { withTree } from "../../../support/trees.ts";

/** Spellings of an id, the canonical one first. Each may define it in a document and name it in a story. */
const SPELLINGS: readonly (readonly string[])[] = [
  [
    ..."FR2 FR-2 FR_2 FR.2 FR#2 FR‑2 FR-02 fr-02 FR002 fr2 Fr-2 fr_2 **FR2** **FR-2:** __FR2__ _FR-2_".split(
      " ",
    ),
    ..."`FR2` `FR-02` [FR2] (FR-2) **[FR2]** [FR-2](prd.md#fr-9) [FR2](#fr9)".split(" "),
    ..."FR 2|FR 02|FR #2|FR\u00a02|FR\\_2|***FR 2***|Functional Requirement 2|functional requirement 02"
      .split("|"),
  ],
  ["FR2a", "FR-02a", "FR-2A", "fr_2a"],
  ["FR2.1", "FR-2.1", "FR 2.1", "FR-02.01"],
  ["FR-PAY-2", "FR-PAY-002", "FR_PAY_2"],
  ["NFR2", "NFR-2", "NFR 2", "nfr-02", "Non-Functional Requirement 2", "non functional requirement 2"],
  ["UXDR2", "UX-DR2", "UX-DR-2", "UX DR 2", "ux-dr-02"],
  ["CAP2", "CAP-2", "CAP 2", "cap-02"],
  ["REQ2", "REQ-002", "req_2"],
  ["AR2", "AR-2", "AR 2"],
  ["CON2", "CON-2", "CON 2", "con-02", "Constraint 2", "constraint #2"],
];

/** How a document can define an id; `ID` is a spelling. */
const DEFINITIONS = [
  "ID: Users log in",
  "- ID: Users log in",
  "* ID - 2 users log in",
  "1. ID – Users log in",
  "#### ID: Users log in",
  "#### 3.1.2 ID: Users log in",
  "- [ ] ID Users log in",
  "| ID | Users log in | Must |",
  "| 7 | ID | Users log in |",
  "> ID: Users log in",
  "    - ID: Users log in",
  "- ✅ ID: Users log in",
  "**Requirement ID**: Users log in",
];

function readAll(files: Readonly<Record<string, string>>) {
  return withTree(files, async (root) => {
    const tree = diskTree(root);
    const board = await readBoard(tree, FOLDERS);
    const story = board.epics.flatMap(({ stories }) => stories).find(({ ref }) => /\b2$/.test(ref))!;
    const { trace, findings } = await checkAll({ tree, board, folders: FOLDERS, clean: (text) => text });
    const { pack } = await packOf(root, story.ref);
    return {
      covers: story.covers,
      trace: Object.fromEntries(trace.map(({ id, by }) => [id, by])),
      missing: findings.filter(({ code }) => code === "requirement-uncovered").map(({ problem }) => problem),
      isPacked: pack.taken.some(({ piece, why }) =>
        why === "requirement" && /users log in/i.test(piece.text)
      ),
    };
  });
}

const FILLER = "The shop sends a mail.\n";

/** Where the id of a story may stand: the files that name it, and what the story is called. */
const FORMS: Readonly<Record<string, readonly [ref: string, (named: string) => Record<string, string>]>> = {
  "a story file": ["1-2", (named) => ({
    "out/impl/sprint-status.yaml": "development_status:\n  1-1-a: backlog\n  1-2-b: backlog\n",
    "out/impl/1-2-b.md": `# Story 1.2: B\n\nStatus: backlog\n\n${FILLER}\nCovers: ${named}\n`,
  })],
  "an epics document": ["1-2", (named) => ({
    "out/plan/epics.md":
      `## Epic 1: A\n\n### Story 1.1: A\n\n${FILLER}\n### Story 1.2: B\n\n**Covers:** ${named}\n`,
  })],
  "the heading of a planned story": ["1-2", (named) => ({
    "out/plan/epics.md":
      `## Epic 1: A\n\n### Story 1.1: A\n\n${FILLER}\n### Story 1.2: B (${named})\n\n${FILLER}`,
  })],
  "front matter": ["1-2", (named) => ({
    "out/impl/sprint-status.yaml": "development_status:\n  1-1-a: backlog\n  1-2-b: backlog\n",
    "out/impl/1-2-b.md": `---\ncovers: ${JSON.stringify([named])}\n---\n# Story 1.2: B\n\n${FILLER}`,
  })],
  "a spec folder": ["spec-order/2", (named) => ({
    "out/specs/spec-order/stories.yaml": '- id: "1"\n  title: A\n- id: "2"\n  title: B\n',
    "out/specs/spec-order/stories/2-b.md": `---\nstatus: draft\n---\n## Intent\n\nFor ${named}.\n`,
  })],
  "a ticket tree": ["1.2", (named) => ({
    "out/initiative-shop/initiative-shop.md": "---\ntype: initiative\n---\n",
    "out/initiative-shop/tickets.toml": '[[epic]]\nid = 1\nslug = "epic-one"\ntitle = "One"\n',
    "out/initiative-shop/epic-one/epic-one.md": "---\ntype: epic\ntitle: One\n---\n",
    "out/initiative-shop/epic-one/tickets.toml":
      '[[entry]]\nid = 1\ntype = "story"\ntitle = "A"\n\n[[entry]]\nid = 2\ntype = "story"\ntitle = "B"\n' +
      `covers = [${JSON.stringify(named)}]\n`,
  })],
};

Deno.test("every reader means the same id by every spelling [work:ids]", async () => {
  const names = Object.keys(FORMS);
  for (
    const [at, [id, spelling]] of SPELLINGS.flatMap((all) => all.map((one) => [all[0]!, one])).entries()
  ) {
    // Each spelling in the next way to define it and in the next form: together they are all tried.
    const defined = DEFINITIONS[at % DEFINITIONS.length]!.replace("ID", spelling!);
    const form = names[at % names.length]!;
    const [ref, filesOf] = FORMS[form]!;
    const said = await readAll({
      ...filesOf(spelling!),
      "out/plan/prd.md": `# PRD\n\n## Needs\n\n${defined}\n\nAlways.\n`,
    });
    assert.deepEqual(
      said,
      { covers: [id], trace: { [id!]: [ref] }, missing: [], isPacked: true },
      `${spelling} in ${form}, defined by ${JSON.stringify(defined)}`,
    );
  }
});

Deno.test("every way to define an id works in every spelling [work:ids]", () => {
  for (const [id, ...others] of SPELLINGS) {
    for (const spelling of [id!, ...others]) {
      for (const line of DEFINITIONS.map((one) => one.replace("ID", spelling))) {
        assert.equal(findDefinition(line), id, line);
      }
    }
  }
});

const NAMED: Readonly<Record<string, string>> = {
  "FR1-FR5": "FR1 FR2 FR3 FR4 FR5",
  "FR1–5": "FR1 FR2 FR3 FR4 FR5",
  "fr1-fr3, nfr-1-nfr-2": "FR1 FR2 FR3 NFR1 NFR2",
  "du FR1 au FR3": "FR1 FR2 FR3",
  "FR1から FR3": "FR1 FR2 FR3",
  "FR-1 - FR-3 and FR-7": "FR1 FR2 FR3 FR7",
  "FR1 to FR4": "FR1 FR2 FR3 FR4",
  "FR1 to 4 are met": "FR1 FR2 FR3 FR4",
  "FR-01 through FR-03": "FR1 FR2 FR3",
  "FR1..FR3": "FR1 FR2 FR3",
  "FR1 bis FR3, FR5 und 6": "FR1 FR2 FR3 FR5 FR6",
  "**FR1**–**FR3**": "FR1 FR2 FR3",
  "[FR1](prd.md#fr-1)–[FR3](prd.md#fr-3)": "FR1 FR2 FR3",
  "FR1, 2 and 3": "FR1 FR2 FR3",
  "FR1, 2, and 3 with tests": "FR1 FR2 FR3",
  "(FR3, 1)": "FR3 FR1",
  "FRs 1, 3-5": "FR1 FR3 FR4 FR5",
  "FRs: 1 & 2": "FR1 FR2",
  "FRs covered: FR1, NFR2; C3": "FR1 NFR2 CON3",
  "FR1/FR2/NFR3": "FR1 FR2 NFR3",
  "FR1/2": "FR1 FR2",
  "NFR1–NFR3": "NFR1 NFR2 NFR3",
  "CON-1–CON-3": "CON1 CON2 CON3",
  "Constraints: C1–C3": "CON1 CON2 CON3",
  "Constraints 1 and 2": "CON1 CON2",
  "covers C1": "CON1",
  "FR1.1–FR1.3": "FR1.1 FR1.2 FR1.3",
  "FR1.1-3": "FR1.1 FR1.2 FR1.3",
  "FR-PAY-1–3": "FR-PAY-1 FR-PAY-2 FR-PAY-3",
  "FR5-FR1": "FR5 FR1",
  "FR1–NFR3": "FR1 NFR3",
  "REQ-2024-001, REQ-2024-002": "REQ2024-1 REQ2024-2",
  "| FR1, FR2 | Epic 1 |": "FR1 FR2",
  "FR1を満たす、FR2も": "FR1 FR2",
  "FR1-related work": "FR1",
  "FR1 - 3 retries": "FR1",
  "FR1, 2 users and 3 shops": "FR1",
  "FR1 and 2-factor login": "FR1",
  "FR1-2FA": "FR1",
  "FR1 (story 1-2)": "FR1",
  "FR1, 1-2": "FR1",
  "FR1 – 2-3": "FR1",
  "FR1 - 1.2, 1.3": "FR1",
  "FR1,2,3": "FR1 FR2 FR3",
  "As asked for (C1), [C2]": "CON1 CON2",
  "Respects C1 and CR2": "CON1 CR2",
  "FR2, 2-1": "FR2",
  "FR1, 2026-11-17": "FR1",
  "FR1, 12.05.2026": "FR1",
  "FR1, 2.5 s": "FR1",
  "FR1 and a C4 diagram": "FR1",
};

Deno.test("ranges and lists name each of their ids [work:ids]", () => {
  for (const [text, ids] of Object.entries(NAMED)) {
    assert.equal(findIds(text).join(" "), ids, text);
  }
  assert.deepEqual(findIds("see FR-2, FR4"), ["FR2", "FR4"]);
});

const NO_IDS = [
  ..."v1-2 1-2 AC1 AC-1 2026-11-17 FR 1-2-login frame1 FRAME-1 afr-1 FR123456 FR1st C4 C-1 C#12 CR2032"
    .split(" "),
  ..."docs/FR-1.md FR-1-login.md FR1.md fr-1-login story-fr-1 prd.md#fr-1 feature/FR-1-login a@FR1 $FR1 fr1@example.org FR_1_URL"
    .split(" "),
  ..."https://example.org/FR-1 https://example.org/?q=FR1 <https://example.org/fr-1> SHOP_FR1 REQ-2026-11-17"
    .split(" "),
  ..."cap 3 retries|Cap 5 items|con 2|ar 15|fr 1|req 2|req.2|an FR|FRs|FR: 3 users|FR 2026-11-17|CAP 50%|C 12"
    .split("|"),
  ..."a C4 diagram|C++ 20|AC 220 V|[x](docs/FR1)|Dec-12|AD-1|`call(FR9)`|`fr1`|`const FR9 = 1`|Constraints: 3 GB"
    .split("|"),
  "functional requirements",
];

Deno.test("words, versions, dates, keys, code and addresses are not ids [work:ids]", () => {
  for (const text of NO_IDS) {
    for (const line of [text, `- ${text}`, `The shop uses ${text}, as always`]) {
      assert.deepEqual(findIds(line), [], line);
      assert.equal(findDefinition(line), undefined, line);
    }
  }
});

Deno.test("letters that mean much else are ids where the text says so [work:ids]", async () => {
  for (const line of ["- C1: No cloud", "| C1 | No cloud |", "**C1** No cloud", "C1. No cloud"]) {
    assert.equal(findDefinition(line, { heading: "Technical Constraints" }), "CON1", line);
    assert.equal(findDefinition(line, { heading: "Certificates" }), undefined, line);
  }
  assert.equal(findDefinition("- CR1: The old API stays", { heading: "Compatibility Requirements" }), "CR1");
  assert.equal(findDefinition("- C4 diagrams are kept", { heading: "Constraints" }), undefined);
  const prd = "# PRD\n\n## Constraints\n\n- **C1**: No cloud\n- **C2**: Users log in\n";
  for (const spelling of ["C2", "CON-2", "Constraint 2"]) {
    const said = await readAll({ ...FORMS["a story file"]![1](spelling), "out/plan/prd.md": prd });
    assert.deepEqual([said.covers, said.trace, said.isPacked], [["CON2"], { CON1: [], CON2: ["1-2"] }, true]);
    assert.deepEqual(said.missing, ["No story and no epic covers CON1."]);
  }
});

Deno.test("a line that begins with several ids defines none of them [work:ids]", () => {
  for (const line of ["FR1-FR5 are about login", "- FR1, FR2: see below", "| FR1–3 | Epic 1 |"]) {
    assert.equal(findDefinition(line), undefined, line);
  }
});

Deno.test("a range has at most 200 ids, and long lines end [work:ids]", async () => {
  const [first, ...rest] = findIds("FR1-FR99999");
  assert.deepEqual([first, rest.length, rest.at(-2)], ["FR1", 199, "FR199"]);
  assert.equal(findIds("FR1–9999").length, 200);
  const hostile = [
    ...["FR1-FR150 ", "FR1-FR150\n\n", `FR1-FR150${" ".repeat(12)}\n`, `FR1-FR150${" ".repeat(12)}\n# A\n`],
    ...["FR1, 2", "FR1, 2\n", "FR", "UX-", "FR-A", "C1, ", "`", "](", "://", "FR1 (", "non-functional "],
    ...["FR1" + " ".repeat(190), "FR1.1.1."],
  ];
  for (const part of hostile) {
    const text = part.repeat(60_000 / part.length);
    const files = FORMS["a story file"]![1](text);
    await readAll({ ...files, "out/plan/prd.md": `## Epic 1: A\n${text}\n` });
    // As many as a line may name, and one range.
    assert.ok(findIds(text).length <= 1_200, JSON.stringify(part));
    assert.ok(!isSlow((size) => findIds(part.repeat(size / part.length))), JSON.stringify(part));
  }
});

Deno.test("a title is shown without the ids behind it [work:ids]", () => {
  for (const ids of ["FR2", "FR2, FR3", "FR1-FR4", "NFR 3 and FR-7", "FR1, 2"]) {
    assert.equal(withoutIds(`Book a walk (${ids})`), "Book a walk", ids);
  }
  const kept = "Book a walk (see FR2)|Book a walk (2 dogs)|(FR2)|FR2: Book a walk|Pay (by card)".split("|");
  assert.deepEqual(kept.map(withoutIds), kept);
});
