/** Does every surface know the same criteria of a story, and say the same of one that no test names? */
import assert from "node:assert/strict";
import { runGit } from "../../../support/git.ts";
import { withRepository } from "../../../support/project_repository.ts";

const FOLDER = "out/implementation-artifacts";
const MATRIX =
  "## I/O & Edge-Case Matrix\n\n| Scenario | Input / State | Expected Output | Error Handling |\n" +
  "|----------|---------------|-----------------|----------------|\n" +
  "| EMPTY_ORDER | no tea | refused | N/A |\n| Two orders | one tea left | the first gets it | the second is told |\n\n";
const spec = (status: string, more = "type: feature\n", matrix = MATRIX) =>
  `---\ntitle: Order\n${more}status: ${status}\n---\n\n## Intent\n\nPeople order.\n\n${matrix}` +
  "## Tasks & Acceptance\n\n**Execution:**\n- [x] `src/order.ts` -- orders\n\n**Acceptance Criteria:**\n" +
  "- Given a tea, when it is ordered, then it is sent\n- Given no stock, then it is said\n\n" +
  "## Implementation Notes\n\nDone.\n";
const project = (text: string, status = "in-progress") => ({
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  [`${FOLDER}/sprint-status.yaml`]: `development_status:\n  epic-1: in-progress\n  1-1-order: ${status}\n`,
  [`${FOLDER}/spec-1-1-order.md`]: text,
});
const ALL = [
  "Given a tea, when it is ordered, then it is sent",
  "Given no stock, then it is said",
  "EMPTY_ORDER: no tea → refused",
  "Two orders: one tea left → the first gets it → the second is told",
];

Deno.test("a spec that moved criteria into its matrix keeps them all [work:criteria]", () =>
  withRepository(project(spec("in-progress")), async ({ run, write }) => {
    const { criteria } = JSON.parse(await run("board", "1-1", "--json"));
    assert.deepEqual(criteria, ALL);
    const { stories: [story] } = JSON.parse(await run("trace", "1-1", "--json"));
    assert.deepEqual(story.criteria.map((one: { number: number; text: string }) => [one.number, one.text]), [
      ...ALL.entries().map(([at, text]) => [at + 1, text]),
    ]);
    for (const words of [["next"], ["review", "1-1"]]) {
      const told = await run(...words);
      for (const one of ALL) assert.ok(told.includes(one), `${words}: ${one}\n${told}`);
    }
    // As the template has it, and another matrix, there is none.
    write(
      `${FOLDER}/spec-1-1-order.md`,
      spec("in-progress", "", MATRIX.replace(/^\| EMPTY[^]*$/m, "| HAPPY_PATH | INPUT | OUTCOME | N/A |\n")),
    );
    assert.deepEqual(JSON.parse(await run("board", "1-1", "--json")).criteria, ALL.slice(0, 2));
    write(`${FOLDER}/spec-1-1-order.md`, spec("in-progress", "", MATRIX.replace("I/O & Edge-Case", "Risk")));
    assert.deepEqual(JSON.parse(await run("board", "1-1", "--json")).criteria, ALL.slice(0, 2));
  }));

Deno.test("a criterion without a test is told alike, in time, and refused only where tests are wanted [work:criteria]", () =>
  withRepository(project(spec("in-progress")), async ({ run, write, save }) => {
    const told = "no test names AC2: Given no stock, then it is said";
    assert.match(await run("next"), /^Tests: name each criterion by its number, as in AC2/m);
    write("src/order.ts", "export {};\n");
    write("tests/order_test.ts", "// AC1, AC3, AC4\n");
    for (const isSaved of [false, true]) {
      if (isSaved) save("feat(1-1): order");
      for (const words of [["trace"], ["trace", "1-1"], ["check", "1-1"]]) {
        const text = await run(...words);
        assert.ok(text.includes(told), `${words}: ${text}`);
        assert.doesNotMatch(text, /no test names AC[134]/);
        assert.match(text, /^A test names a criterion by its number, as in AC2, /m);
      }
    }
    // One of two named criteria does not show that tests name them all.
    const { items, notes } = JSON.parse(await run("check", "1-1", "--json"));
    assert.deepEqual([items, notes], [[], [`Story 1-1: ${told}`]]);
    const criteria = "- Given a tea, when it is ordered, then it is sent\n";
    const three = (more?: string) => spec("in-progress", more).replace(criteria, `${criteria}- It is fast\n`);
    write("tests/order_test.ts", "// AC1, AC3\n");
    for (const [more, isRefused] of [["type: feature\n", true], ["type: refactor\n", false]] as const) {
      write(`${FOLDER}/spec-1-1-order.md`, three(more));
      const { items } = JSON.parse(await run("check", "1-1", "--json"));
      const codes = items.map(({ code, problem }: { code: string; problem: string }) => `${code} ${problem}`);
      const finding = "criterion-untested Story 1-1: no test names AC2: It is fast";
      assert.equal(codes.includes(finding), isRefused, `${more}${codes}`);
      assert.equal((await run("mark", "1-1", "done")).includes("no test names AC2: It is fast"), isRefused);
    }
  }));

const storyFile = (status: string) =>
  `# Story 1.1: Order\n\nStatus: ${status}\n\n## Acceptance Criteria\n\n1. It works\n2. It is fast\n3. It is safe\n\n` +
  "## Tasks / Subtasks\n\n- [x] Build it (AC: 1, 2, 3)\n\n## Senior Developer Review (AI)\n\n**Outcome:** Approve\n\n" +
  "## File List\n\n- src/order.js\n";

for (const form of ["story file", "build spec"]) {
  Deno.test(`a mark alone changes no verdict, a commit without the tests does: ${form} [work:check]`, () => {
    const isFile = form === "story file";
    const path = `${FOLDER}/${isFile ? "" : "spec-"}1-1-order.md`;
    const files = {
      "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
      [`${FOLDER}/sprint-status.yaml`]:
        "development_status:\n  epic-1: in-progress\n  1-1-order: review\n  1-2-pay: in-progress\n",
      [path]: isFile ? storyFile("review") : `${spec("done").replace("src/order.ts", "src/order.js")}\n`,
    };
    return withRepository(files, async ({ run, write, dir, save }) => {
      write("src/order.js", "export const order = 1;\n");
      write("test/order.test.js", "// AC1 AC2 AC3 AC4\n");
      const told = async () => {
        const { items } = JSON.parse(await run("check", "1-1", "--json"));
        const { stories: [{ tests, criteria }] } = JSON.parse(await run("trace", "1-1", "--json"));
        return { items, tests, named: criteria.map((one: { tests: string[] }) => one.tests.length) };
      };
      const before = await told();
      assert.deepEqual([before.items, before.tests], [[], ["test/order.test.js"]]);
      assert.match(await run("mark", "1-1", "done"), /review → done/);
      assert.deepEqual(await told(), before);
      assert.match(await run("check"), /No problems found/);
      runGit(dir, "add", "src", "out");
      runGit(dir, "commit", "--quiet", "--message", "feat(1-1): order");
      const after = await told();
      assert.deepEqual(after.tests, []);
      // Nor does another story that begins.
      await run("mark", "1-2", "review", "--force", "--reason", "Tried");
      assert.deepEqual(await told(), after);
      save("feat(1-1): its tests");
      assert.deepEqual((await told()).named, before.named);
    });
  });
}
