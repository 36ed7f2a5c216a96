/** Can many processes claim and mark the same stories, and an editor write meanwhile? */
import assert from "node:assert/strict";
import { mark } from "../../../../src/project/work/writer/mod.ts";
import { raceForStories } from "../../../support/races.ts";
import { treeTest } from "../../../support/trees.ts";
import { PROJECT_FORMS } from "../../../support/work_projects.ts";
import { marked, writerIn } from "../../../support/writer.ts";

Deno.test("48 workers, one process killed [work:one-writer, work:claim]", async () => {
  await raceForStories({ processes: 4, workers: 12, kills: 1, marks: 100 });
});

for (const form of PROJECT_FORMS) {
  Deno.test(`nothing is lost, one process killed: ${form} [work:one-writer]`, async () => {
    await raceForStories({ processes: 3, workers: 4, kills: 1, marks: 30, form });
  });
}

const LEDGER = "out/impl/sprint-status.yaml";

treeTest("an editor that writes meanwhile loses nothing, and is told of [work:one-writer]", {
  [LEDGER]: "development_status:\n  1-1-a: backlog\n",
}, async (root) => {
  const world = await writerIn(root);
  let edited = "";
  let times = 0;
  const files = {
    ...world.files,
    // The editor saves each time just after the ledger was read.
    find: (path: string) => {
      const text = world.files.find(path);
      if (path !== LEDGER) return text;
      edited = `# by hand ${++times}\ndevelopment_status:\n  1-1-a: backlog\n  1-2-b: backlog\n`;
      Deno.writeTextFileSync(`${root}/${LEDGER}`, edited);
      return text;
    },
  };
  await assert.rejects(
    mark({ ...world, files }, { story: "1-1", status: "review" }),
    /Cannot write out\/impl\/sprint-status\.yaml: it has just been changed by another program; try again/,
  );
  assert.equal(Deno.readTextFileSync(`${root}/${LEDGER}`), edited);
  await marked(root, ["1-1", "review"]);
  assert.equal(
    Deno.readTextFileSync(`${root}/${LEDGER}`),
    edited.replace("1-1-a: backlog", "1-1-a: review"),
  );
});
