/** Does a check keep silent over stories as BMAD's own templates lay them out, and catch lies in them? */
import assert from "node:assert/strict";
import type { Code } from "../../../../src/project/work/check/mod.ts";
import { findingsIn } from "../../../support/checked.ts";
import { commitOf, type MadeCommit } from "../../../support/honest.ts";
import type { BoardFolders } from "../../../../src/project/work/formats/mod.ts";
import { FOLDERS, V4_FOLDERS } from "../../../support/board.ts";

interface Written {
  readonly folders: BoardFolders;
  readonly files: Readonly<Record<string, string>>;
  /** The newest first. */
  readonly commits: readonly MadeCommit[];
}

const START = commitOf("Initial import", undefined, { "package.json": "{}\n" });

type Files = Readonly<Record<string, string>>;

function project(
  folders: BoardFolders,
  code: Files,
  documents: Files,
  gone: readonly string[] = [],
): Written {
  const files = { "package.json": "{}\n", ...code, ...documents };
  const lost = Object.fromEntries(gone.map((path) => [path, null]));
  const commits = [commitOf("Implement it", START.id, { ...code, ...documents, ...lost }), START];
  return { folders, files, commits };
}

/** A document as the template of its release lays it out; `{start}` stands for the first commit. */
function documentAt(name: string): string {
  const text = Deno.readTextFileSync(new URL(`../../../fixtures/templates/${name}`, import.meta.url));
  return text.replaceAll("{start}", START.id);
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
const FOLLOWED_UP = documentAt("followed_up.md");
/** A story of 6.12, reviewed by the review skill: findings below its tasks, and an appendix of what was rejected. */
const FINDINGS = documentAt("findings.md");
const BUILD = documentAt("build.md");
const ONESHOT = documentAt("oneshot.md");
const V4_STORY = documentAt("v4_story.md");

const V4_GATE = `schema: 1
story: "1.1"
gate: PASS
status_reason: "All criteria have tests."
top_issues: []
waiver: { active: false }
`;

const V4_PRD = documentAt("v4_prd.md");
const EPICS = documentAt("epics.md");
const QUICK = documentAt("quick.md");
/** A story in Portuguese, headings and all, on Windows. */
const PORTUGUESE = documentAt("portuguese.md");
/** A story without code: documents, a pipeline and a file that is gone. */
const PIPELINE = documentAt("pipeline.md");
const VERIFIED = documentAt("verified.md");
/** A package of a larger repository: paths from the package, and a file that was moved. */
const PACKAGE = documentAt("package.md");

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

const WRITTEN: Readonly<Record<string, Written>> = {
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
  }, ["scripts/build.sh"]),
  "a package of a larger repository": project(FOLDERS, {
    "packages/shared/src/money.ts": "export {};\n",
    "packages/shared/src/money.test.ts": TEST,
    "packages/orders/src/total.ts": "export {};\n",
  }, {
    ...sprint({ "epic-4": "in-progress", "4-1-money": "review" }),
    "out/impl/4-1-money.md": PACKAGE,
  }, ["src/money.ts"]),
  "tickets after 6.12": project(FOLDERS, LANGUAGE, {
    ...TICKETS,
    "out/initiative-shop/epic-language/story-remember-the-language-plan.md": BUILD.replace(
      "created:",
      "ticket: 1\ncreated:",
    ),
  }),
};

for (const [name, written] of Object.entries(WRITTEN)) {
  Deno.test(`nothing is found in ${name} [work:check-honest]`, async () => {
    assert.deepEqual((await findingsIn(written)).map(({ problem }) => problem), []);
  });
}

/** The project and the file; what is replaced; what has to be found. */
type Lie = readonly [
  where: readonly [RegExp, RegExp],
  edits: Readonly<Record<string, string>>,
  found: readonly [Code, RegExp],
];

const LIES: Readonly<Record<string, Lie>> = {
  "a follow-up of the review is open": [
    [/^a story of 6\.0/, /1-1-keep/],
    { "[x] [AI-Review][High]": "[ ] [AI-Review][High]" },
    ["review-open", /1 review finding is open, first "A broken entry/],
  ],
  "not all that a review asked for was done": [
    [/^a story of 6\.0/, /1-1-keep/],
    { "- [x] [Low] Name the constant": "- [ ] [Low] Name the constant" },
    ["review-rejected", /its last review says "Changes Requested"/],
  ],
  "a decision is open": [
    [/findings, a decision/, /2-3-export/],
    { "[x] [Review][Decision]": "[ ] [Review][Decision]" },
    ["review-open", /1 review finding is open, first "Which separator/],
  ],
  "a task of a build is open": [
    [/^builds of 6\.12/, /1-remember/],
    { "[x] `src/language.test.ts`": "[ ] `src/language.test.ts`" },
    ["box-unticked", /1 of 2 boxes under "Execution:?" is not ticked/],
  ],
  "a question of a build was never answered": [
    [/^builds of 6\.12/, /1-remember/],
    { "## Code Map": "## Open Questions\n\n- How long? — options: a day / a year\n\n## Code Map" },
    ["question-open", /a question is open: "- How long\?/],
  ],
  "the gate of v4 failed": [
    [/^a story of v4/, /1\.1\.show/],
    { "Gate: PASS": "Gate: FAIL" },
    ["review-rejected", /its last review says "FAIL"/],
  ],
  "the gate of v4 has concerns, and they are open": [
    [/^a story of v4/, /1\.1\.show/],
    { "Gate: PASS": "Gate: CONCERNS" },
    ["review-open", /2 review findings are open, first "Consider a shorter cache/],
  ],
  "a requirement is mapped to an epic that does not exist": [
    [/coverage map/, /epics\.md/],
    { "FR3: Epic 2 - the office": "FR3: Epic 7 - later", "FR2, FR3": "FR2" },
    ["requirement-uncovered", /No story and no epic covers FR3/],
  ],
  "a task in Portuguese is open": [
    [/Portuguese/, /1-2-pagar/],
    { "- [x] Mostrar erros": "- [ ] Mostrar erros" },
    ["box-unticked", /1 of 3 boxes under "Tarefas \/ Subtarefas" is not ticked, first "Mostrar erros/],
  ],
  "a listed file was never written": [
    [/without code/, /3-1-pipeline/],
    { "docs/pipeline.md (added)": "docs/pipelines.md (added)" },
    ["file-missing", /lists what does not exist: "docs\/pipelines\.md"/],
  ],
  "a criterion of a package is not met": [
    [/larger repository/, /4-1-money/],
    { "- [x] AC2": "- [ ] AC2" },
    ["criterion-unticked", /1 of 2 boxes under "Acceptance Criteria" is not ticked, first "AC2: Both/],
  ],
  "a ticket is done, and its plan says otherwise in words": [
    [/^tickets/, /-plan\.md/],
    { "## Intent": "## Status\n\nin-progress\n\n## Intent" },
    ["status-contradiction", /its file says "done" in line \d+ and "in-progress" in line \d+/],
  ],
};

for (const [lie, [[project, file], edits, [code, says]]] of Object.entries(LIES)) {
  Deno.test(`a lie in a template is caught: ${lie} [work:check]`, async () => {
    const written = Object.entries(WRITTEN).find(([name]) => project.test(name))![1];
    const path = Object.keys(written.files).find((one) => file.test(one))!;
    const text = Object.entries(edits).reduce((text, edit) => text.replace(...edit), written.files[path]!);
    assert.notEqual(text, written.files[path], "the lie was not told");
    const findings = await findingsIn({ ...written, files: { ...written.files, [path]: text } });
    const fits = findings.filter((one) => one.code === code && says.test(one.problem));
    assert.equal(fits.length, 1, JSON.stringify(findings.map(({ code, problem }) => `${code}: ${problem}`)));
  });
}

Deno.test("without a baseline, the commit of its spec counts [work:check]", async () => {
  const [, written] = Object.entries(WRITTEN).find(([name]) => /^builds of 6\.12/.test(name))!;
  const [last, start] = written.commits as readonly [MadeCommit, MadeCommit];
  const isCode = ({ path }: { readonly path: string }) => path.startsWith("src/");
  const spec = last.changes.filter((one) => one.path.endsWith("2-footer.md"));
  const only = (changes: typeof spec): MadeCommit => ({ ...last, changes });
  const code = only(last.changes.filter(isCode));
  const empties = async (...commits: readonly MadeCommit[]) =>
    (await findingsIn({ ...written, commits })).filter(({ story, code }) =>
      story === "spec-language/2" && code === "empty-diff"
    ).map(({ problem }) => problem);
  const parent = { ...code, id: "c".repeat(40), parents: [start.id] };
  const child = { ...only(spec), parents: [parent.id] };
  // Everything was committed before the spec was.
  assert.deepEqual(await empties(child, parent, start), [
    'Story spec-language/2 is "done", but nothing was changed in or after the commit that added its file.',
  ]);
  assert.deepEqual(await empties(last, start), []);
  const after = { ...code, id: "d".repeat(40), parents: [child.id] };
  assert.deepEqual(await empties(after, { ...child, parents: [start.id] }, start), []);
});
