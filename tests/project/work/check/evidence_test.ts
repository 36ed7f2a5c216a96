/** Does a check ask for the result of the tests where they can be run, in every form, and nowhere else? */
import assert from "node:assert/strict";
import { type FormName, FORMS } from "../../../../src/project/work/formats/mod.ts";
import { withRun } from "../../../../src/project/work/writer/evidence.ts";
import { findingsIn, judgeDone } from "../../../support/checked.ts";
import { honestProject, PLAIN, type Project, type Shape, SHAPES } from "../../../support/honest.ts";

const FORM_OF: Readonly<Record<Shape, FormName>> = {
  sprint: "story-file",
  builds: "build-spec",
  files: "story-file",
  specs: "spec-story",
  v4: "v4-story",
  tickets: "ticket",
};

const inReview = ({ stories }: Project) => stories.find(({ state }) => state === "review")!;

function noting(project: Project, after: string): Project {
  const { path } = inReview(project);
  const { runs } = FORMS[FORM_OF[project.shape]];
  const run = { command: "npm test", before: "failed (exit 1)", after, date: "2026-11-18" };
  return { ...project, files: { ...project.files, [path]: withRun(path, project.files[path]!, runs, run) } };
}

const codes = (findings: readonly { readonly code: string }[]) => findings.map(({ code }) => code);

for (const shape of SHAPES) {
  Deno.test(`a result is asked for: ${shape} [work:evidence-check]`, async () => {
    const project = honestProject(shape, 1, PLAIN);
    const { ref } = inReview(project);
    const asking = { ...project, mayRun: true };
    const missing = await findingsIn(asking);
    // Those that are done were finished before.
    assert.deepEqual(missing.map(({ code, story }) => [code, story]), [["evidence-missing", ref]]);
    assert.match(missing[0]!.problem, /is "review", but no command is noted that passed after the change\.$/);
    assert.equal(missing[0]!.fix, "Run the story's tests, and note the result.");
    const { against, refusal } = await judgeDone(asking, ref);
    assert.deepEqual(codes(against), ["evidence-missing"]);
    assert.match(
      refusal ?? "",
      /cannot be "done" yet: no command is noted.*\n {2}Fix: Run the story's tests/,
    );
    const later = await findingsIn({ ...noting(project, "later"), mayRun: true });
    assert.deepEqual(codes(later), ["evidence-missing"]);
    const passed = { ...noting(project, "passed"), mayRun: true };
    assert.deepEqual(await findingsIn(passed), []);
    const marked = await judgeDone(passed, ref);
    assert.deepEqual([marked.refusal, marked.after], [undefined, []]);
    for (const mayRun of [true, false]) {
      const failed = await findingsIn({ ...noting(project, "failed (exit 1)"), mayRun });
      assert.deepEqual(codes(failed), ["evidence-failed"]);
      assert.match(failed[0]!.problem, /"npm test" failed after the change\.$/);
      assert.ok(failed[0]!.line! > 0);
    }
  });

  Deno.test(`honest results: ${shape} [work:evidence-check]`, async () => {
    for (let seed = 1; seed <= 15; seed++) {
      const project = honestProject(shape, seed);
      const about = `seed ${seed}: ${JSON.stringify(project.style)}`;
      const { ref } = inReview(project);
      for (const mayRun of [true, false]) {
        const noted = { ...noting(project, "passed"), mayRun };
        assert.deepEqual(await findingsIn(noted), [], about);
        const { findings, refusal, after } = await judgeDone(noted, ref);
        assert.deepEqual([findings, refusal, after], [[], undefined, []], about);
      }
    }
  });
}

Deno.test("work without tests is not asked [work:evidence-check]", async () => {
  for (const type of ["spike", "chore", "refactor", "docs"]) {
    const project = honestProject("builds", 1, PLAIN);
    const { path } = inReview(project);
    const text = project.files[path]!.replace("---\n", `---\ntype: ${type}\n`);
    const files = { ...project.files, [path]: text };
    assert.deepEqual(await findingsIn({ ...project, files, mayRun: true }), []);
  }
});
