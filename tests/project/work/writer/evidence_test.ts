/** Is a command noted with its results in the file of its story, within the limits? */
import assert from "node:assert/strict";
import { openFiles } from "../../../../src/project/files/mod.ts";
import { type EvidenceRequest, recordEvidence } from "../../../../src/project/work/writer/mod.ts";
import { V4_FOLDERS } from "../../../support/board.ts";
import { honestProject, PLAIN, SHAPES } from "../../../support/honest.ts";
import { withTree } from "../../../support/trees.ts";
import { writerIn } from "../../../support/writer.ts";

const STORY = "out/impl/1-1-login.md";
const DAY = "2026-08-01";

const PROJECT = {
  "out/impl/sprint-status.yaml": "development_status:\n  1-1-login: in-progress\n  1-2-pay: backlog\n",
  [STORY]: "# Story 1.1: Login\n\nStatus: in-progress\n\n## Verification\n\n- `npm test`\n",
};

type Note = Omit<EvidenceRequest, "story"> & { readonly story?: string };

function withProject(
  test: (note: (request: Note) => Promise<Record<string, unknown>>, root: string) => Promise<void>,
  { readOnly = false } = {},
) {
  return withTree(PROJECT, (root) =>
    test(async (request) => {
      const files = readOnly && { files: openFiles({ root, output: "out", writable: [] }, Date.now) };
      const world = { ...await writerIn(root), ...files };
      const { text, data } = await recordEvidence(world, { story: "1-1", ...request });
      return { text, ...data };
    }, root));
}

const rowsIn = (root: string) =>
  Deno.readTextFileSync(`${root}/${STORY}`).split("\n").filter((line) => /before:|after:/.test(line));

Deno.test("results change only what they are about [work:evidence]", () =>
  withProject(async (note, root) => {
    const first = await note({ command: "npm test", before: "failed (exit 1)" });
    assert.equal(
      first["text"],
      `1-1-login: \`npm test\` — before: failed (exit 1)\nChanged: ${STORY}\nMake the change, then note the command again.`,
    );
    const second = await note({ command: "npm test", after: "passed" });
    assert.deepEqual(second, {
      text: `1-1-login: \`npm test\` — before: failed (exit 1); after: passed\nChanged: ${STORY}`,
      story: "1-1-login",
      command: "npm test",
      before: "failed (exit 1)",
      after: "passed",
      date: DAY,
      file: STORY,
      left: undefined,
    });
    await note({ command: "npm run lint", after: "passed, no warnings" });
    assert.deepEqual(rowsIn(root), [
      `- \`npm test\` — before: failed (exit 1); after: passed, ${DAY}`,
      `- \`npm run lint\` — after: passed, no warnings, ${DAY}`,
    ]);
    assert.match(String((await note({ command: "a", after: "failed" }))["left"]), /^Fix what failed/);
  }));

Deno.test("what cannot be a part of a row is refused [work:evidence]", () =>
  withProject(async (note, root) => {
    for (
      const [request, problem] of [
        [{ command: " ", after: "passed" }, /command.*empty/],
        [{ command: "a `b`", after: "passed" }, /backtick/],
        [{ command: "a\nb", after: "passed" }, /one line/],
        [{ command: "a\u202eb", after: "passed" }, /one line/],
        [{ command: "a".repeat(301), after: "passed" }, /300/],
        [{ command: "a", after: "x".repeat(101) }, /100/],
        [{ command: "a", before: "failed; after: y" }, /cannot be added to/],
        [{ command: "a", after: "maybe" }, /after.*Say whether it passed or failed/],
        [{ command: "a" }, /^Missing result\. Run the command, and say how it ended before or/],
        [{ command: "a", after: "passed", story: "1-2" }, /1-2-pay: it has no story file yet/],
        [{ command: "a", after: "passed", story: "9-9" }, /9-9/],
      ] as const
    ) await assert.rejects(note(request), { message: problem });
    assert.deepEqual(rowsIn(root), []);
  }));

Deno.test("a read-only start notes nothing [work:evidence]", () =>
  withProject(async (note) => {
    await assert.rejects(note({ command: "a", after: "passed" }), { message: /this start is read-only/ });
  }, { readOnly: true }));

Deno.test("every form has a place for it [work:evidence]", async () => {
  for (const shape of SHAPES) {
    const project = honestProject(shape, 1, PLAIN);
    const story = project.stories.find(({ state }) => state === "review")!;
    await withTree(project.files, async (root) => {
      const folders = shape === "v4" ? V4_FOLDERS : project.folders;
      for (const after of ["failed", "passed"]) {
        const world = await writerIn(root, { folders });
        await recordEvidence(world, { story: story.ref, command: "npm test", after });
      }
      const text = Deno.readTextFileSync(`${root}/${story.path}`);
      assert.equal(text.split(`- \`npm test\` — after: passed, ${DAY}`).length, 2, `${shape}\n${text}`);
    });
  }
});
