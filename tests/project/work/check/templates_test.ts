/** Does a check keep silent over stories as BMAD's own templates lay them out, and catch lies in them? */
import assert from "node:assert/strict";
import type { Code } from "../../../../src/project/work/check/mod.ts";
import { findingsIn } from "../../../support/checked.ts";
import type { MadeCommit } from "../../../support/honest.ts";
import { WRITTEN } from "../../../support/honest_templates.ts";

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
