/** Does the board say where its ledger and the commits disagree, and only there? */
import assert from "node:assert/strict";
import { readBoard } from "../../../../src/project/work/board/mod.ts";
import { listChanges } from "../../../../src/content/repositories/mod.ts";
import { diskTree } from "../../../../src/content/tree/mod.ts";
import { withGitDrift } from "../../../../src/project/work/check/mod.ts";
import { LOG, readLog } from "../../../../src/project/work/check/history.ts";
import { driftOf, FOLDERS } from "../../../support/board.ts";
import { runGit } from "../../../support/git.ts";
import { treeTest, writeTree } from "../../../support/trees.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const ledger = (rows: Readonly<Record<string, string>>) =>
  `development_status:\n${Object.entries(rows).map(([key, status]) => `  ${key}: ${status}\n`).join("")}`;

const story = (number: string, status: string, baseline: string, files: readonly string[]) =>
  `---\nbaseline_commit: ${baseline}\n---\n# Story ${number}: A\n\nStatus: ${status}\n\n## File List\n\n${
    files.map((path) => `- ${path}\n`).join("")
  }`;

async function driftIn(root: string, isAllowed = true): Promise<readonly string[]> {
  const tree = diskTree(root);
  const board = await withGitDrift({
    tree,
    board: await readBoard(tree, FOLDERS),
    folders: FOLDERS,
    clean: (text) => text.replaceAll("hunter2", "[removed]"),
    ...(isAllowed && {
      history: async () => {
        const changes = await listChanges(root, { environment: {}, timeout: 60_000, within: root });
        assert.ok(typeof changes !== "string", String(changes));
        const status = new Map(changes.map(({ path, kind }) => [path, kind]));
        return { ...readLog(runGit(root, "log", ...LOG, "HEAD", "--")), status };
      },
    }),
  });
  return driftOf(board).map((line) => line.replace(/\b[0-9a-f]{7}\b/, "ID"));
}

function commit(root: string, subject: string): string {
  runGit(root, "add", "-A");
  runGit(root, "commit", "-qm", subject, "--allow-empty");
  return runGit(root, "rev-parse", "HEAD").trim();
}

treeTest("work that was committed and a done that was not are drift [work:git-drift]", {
  [LEDGER]: ledger({ "1-1-a": "backlog" }),
  "src/a.ts": "1",
  "src/d.ts": "4",
}, async (root) => {
  runGit(root, "init", "-q");
  const first = commit(root, "start");
  assert.deepEqual(await driftIn(root), []);
  const rows = { "1-1-a": "done", "1-2-b": "backlog", "1-3-c": "ready-for-dev", "1-4-d": "done" };
  await writeTree(root, {
    [LEDGER]: ledger(rows),
    "out/impl/1-1-a.md": story("1.1", "done", first, ["src/a.ts"]),
    "out/impl/1-2-b.md": "# Story 1.2: B\n",
    "out/impl/1-3-c.md": "# Story 1.3: C\n",
  });
  commit(root, "docs: Story 1.2 and 1-3-c are planned");
  await writeTree(root, { "src/b.ts": "2" });
  commit(root, "feat: Story 1.2, with hunter2");
  await writeTree(root, {
    "out/impl/1-4-d.md": story("1.4", "done", first, ["src/d.ts"]),
    "src/d.ts": "5",
  });
  const said = await driftIn(root);
  assert.deepEqual(said, [
    `${LEDGER}:2 nothing was committed since its baseline, but the ledger says "done"`,
    `${LEDGER}:3 commit ID “feat: Story 1.2, with [removed]” works on it, but the ledger says "backlog"`,
    `${LEDGER}:5 src/d.ts is not committed, but the ledger says "done"`,
  ]);
  assert.deepEqual(await driftIn(root, false), []);
  await writeTree(root, { "src/a.ts": "2", [LEDGER]: ledger({ ...rows, "1-2-b": "in-progress" }) });
  commit(root, "feat(1-1): a");
  assert.deepEqual(await driftIn(root), []);
});

treeTest(
  "other files are no work on a story [work:git-drift]",
  { [LEDGER]: ledger({ "1-2-sign-in": "backlog", "1-20-x": "backlog", "11-2-y": "backlog" }) },
  async (root) => {
    runGit(root, "init", "-q");
    let count = 0;
    const work = async (subject: string, path = "src/a.ts") => {
      await writeTree(root, { [path]: `${++count}` });
      commit(root, subject);
    };
    const versions = [
      "release 1.2",
      "bump to 1.2.0",
      "v1-2",
      "node 20 (1.2.1)",
      "story 1.21",
      "story 21.2 done",
    ];
    for (const subject of versions) await work(subject);
    await work("docs: story 1.2 (1-2-sign-in)", "docs/a.md");
    await work("chore: story 1.2", "out/impl/notes.ts");
    assert.deepEqual(await driftIn(root), []);
    const numbers = ["feat(1-2): it", "[1.2] it", "Story 1.2: it", "story-1-2", "Story 1.2."];
    for (const subject of [...numbers, "Merge branch 'feature/1-2-sign-in'", "add 1-2-sign-in"]) {
      await work(subject);
      const said = await driftIn(root);
      assert.equal(said.length, 1, subject);
      assert.ok(said[0]!.includes(`“${subject}” works on it`), said[0]);
    }
  },
);
