/**
 * Does a check keep silent over stories as BMAD's own templates lay them out, and catch lies in them?
 */
import assert from "node:assert/strict";
import { findingsIn } from "../../../support/checked.ts";
import type { MadeCommit } from "../../../support/honest.ts";
import { WRITTEN } from "../../../support/honest_templates.ts";
import { verifies } from "../../../support/requirements.ts";

for (const [name, written] of Object.entries(WRITTEN)) {
  Deno.test(verifies("work:check-honest", `nothing is found in ${name}`), async () => {
    assert.deepEqual((await findingsIn(written)).map(({ problem }) => problem), []);
  });
}

/** The project, the file, the change, and what has to be found. */
const LIES: Readonly<Record<string, readonly [RegExp, RegExp, (text: string) => string, string, RegExp]>> = {
  "a follow-up of the review is open": [
    /^a story of 6\.0/,
    /1-1-keep/,
    (text) => text.replace("[x] [AI-Review][High]", "[ ] [AI-Review][High]"),
    "review-open",
    /1 review finding is open, first "A broken entry/,
  ],
  "not all that a review asked for was done": [
    /^a story of 6\.0/,
    /1-1-keep/,
    (text) => text.replace("- [x] [Low] Name the constant", "- [ ] [Low] Name the constant"),
    "review-rejected",
    /its last review says "Changes Requested"/,
  ],
  "a decision is open": [
    /findings, a decision/,
    /2-3-export/,
    (text) => text.replace("[x] [Review][Decision]", "[ ] [Review][Decision]"),
    "review-open",
    /1 review finding is open, first "Which separator/,
  ],
  "a task of a build is open": [
    /^builds of 6\.12/,
    /1-remember/,
    (text) => text.replace("[x] `src/language.test.ts`", "[ ] `src/language.test.ts`"),
    "box-unticked",
    /1 of 2 boxes under "Execution:?" is not ticked/,
  ],
  "a question of a build was never answered": [
    /^builds of 6\.12/,
    /1-remember/,
    (text) =>
      text.replace(
        "## Code Map",
        "## Open Questions\n\n- How long? — options: a day / a year\n\n## Code Map",
      ),
    "question-open",
    /a question is open: "- How long\?/,
  ],
  "the gate of v4 failed": [
    /^a story of v4/,
    /1\.1\.show/,
    (text) => text.replace("Gate: PASS", "Gate: FAIL"),
    "review-rejected",
    /its last review says "FAIL"/,
  ],
  "the gate of v4 has concerns, and they are open": [
    /^a story of v4/,
    /1\.1\.show/,
    (text) => text.replace("Gate: PASS", "Gate: CONCERNS"),
    "review-open",
    /2 review findings are open, first "Consider a shorter cache/,
  ],
  "a requirement is mapped to an epic that does not exist": [
    /coverage map/,
    /epics\.md/,
    (text) => text.replace("FR3: Epic 2 - the office", "FR3: Epic 7 - later").replace("FR2, FR3", "FR2"),
    "requirement-uncovered",
    /No story and no epic covers FR3/,
  ],
  "a task in Portuguese is open": [
    /Portuguese/,
    /1-2-pagar/,
    (text) => text.replace("- [x] Mostrar erros", "- [ ] Mostrar erros"),
    "box-unticked",
    /1 of 3 boxes under "Tarefas \/ Subtarefas" is not ticked, first "Mostrar erros/,
  ],
  "a listed file was never written": [
    /without code/,
    /3-1-pipeline/,
    (text) => text.replace("docs/pipeline.md (added)", "docs/pipelines.md (added)"),
    "file-missing",
    /lists what does not exist: "docs\/pipelines\.md"/,
  ],
  "a criterion of a package is not met": [
    /larger repository/,
    /4-1-money/,
    (text) => text.replace("- [x] AC2", "- [ ] AC2"),
    "criterion-unticked",
    /1 of 2 boxes under "Acceptance Criteria" is not ticked, first "AC2: Both/,
  ],
  "a ticket is done, and its plan says otherwise in words": [
    /^tickets/,
    /-plan\.md/,
    (text) => text.replace("## Intent", "## Status\n\nin-progress\n\n## Intent"),
    "status-contradiction",
    /its file says "done" in line \d+ and "in-progress" in line \d+/,
  ],
};

for (const [lie, [project, file, tell, code, says]] of Object.entries(LIES)) {
  Deno.test(verifies("work:check", `a lie in a template is caught: ${lie}`), async () => {
    const written = Object.entries(WRITTEN).find(([name]) => project.test(name))![1];
    const path = Object.keys(written.files).find((one) => file.test(one))!;
    const text = tell(written.files[path]!);
    assert.notEqual(text, written.files[path], "the lie was not told");
    const findings = await findingsIn({ ...written, files: { ...written.files, [path]: text } });
    const fits = findings.filter((one) => one.code === code && says.test(one.problem));
    assert.equal(fits.length, 1, JSON.stringify(findings.map(({ code, problem }) => `${code}: ${problem}`)));
  });
}

Deno.test(verifies("work:check", "without a baseline, the commit of its spec counts"), async () => {
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
