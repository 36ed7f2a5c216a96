/** How does a test check a project that exists as data, with its commits, and mark its stories? */
import assert from "node:assert/strict";
import type { BoardFolders } from "../../src/project/work/formats/mod.ts";
import { findStory, readBoard } from "../../src/project/work/board/mod.ts";
import { problemLine } from "../../src/project/work/formats/mod.ts";
import {
  checkAll,
  checkStory,
  type CheckWorld,
  type Finding,
  type Status,
} from "../../src/project/work/check/mod.ts";
import { mark } from "../../src/project/work/writer/mod.ts";
import { BmadError, describe } from "../../src/base/errors.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import { blobOf, type MadeCommit } from "./honest.ts";
import { documentsIn, withTree } from "./trees.ts";
import { writerIn } from "./writer.ts";

/** What git would say of these files after these commits. */
function statusOf(files: AsData["files"], commits: AsData["commits"]): Status {
  const latest = new Map<string, string>();
  for (const { changes } of commits) for (const { path, after } of changes) latest.getOrInsert(path, after);
  const told = Object.entries(files).flatMap(([path, text]) =>
    latest.get(path) === blobOf(text) ? [] : [[path, latest.has(path) ? "changed" : "new"] as const]
  );
  const gone = [...latest].filter(([path, hash]) => !(path in files) && !/^0+$/.test(hash));
  return new Map([...told, ...gone.map(([path]) => [path, "changed"] as const)]);
}

interface AsData {
  readonly folders: BoardFolders;
  readonly files: Readonly<Record<string, string>>;
  readonly commits: readonly MadeCommit[];
  readonly style?: { readonly hasGit: boolean };
  readonly mayRun?: boolean;
}

async function worldOf(
  root: string,
  { files, folders, commits, style, mayRun }: AsData,
): Promise<CheckWorld> {
  const tree = diskTree(root);
  const board = await readBoard(tree, folders);
  assert.ok(board.epics.some(({ stories }) => stories.length > 0), "no stories");
  return {
    tree,
    board,
    folders,
    clean: (text) => text,
    ...(mayRun && { mayRun }),
    ...(style?.hasGit !== false &&
      { history: () => Promise.resolve({ commits, isCut: false, status: statusOf(files, commits) }) }),
  };
}

export function findingsIn(project: AsData): Promise<readonly Finding[]> {
  return withTree(project.files, async (root) => (await checkAll(await worldOf(root, project))).findings);
}

export function judgeDone(project: AsData, story: string) {
  return withTree(project.files, async (root) => {
    const world = await worldOf(root, project);
    const found = findStory(world.board, story);
    const { findings } = await checkStory(world, found);
    const { findings: against } = await checkStory(world, found, { isMarking: true });
    const before = documentsIn(root, "out", "docs");
    const writer = {
      ...await writerIn(root, { folders: project.folders }),
      check: () => Promise.resolve(against.map((one) => ({ ...one, reason: problemLine(one) }))),
    };
    const refusal = await mark(writer, { story, status: "done" }).then(() => undefined, (error) => {
      if (!(error instanceof BmadError)) throw error;
      return describe(error.failure);
    });
    const after = documentsIn(root, "out", "docs");
    const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((path) => before[path] !== after[path]);
    return {
      findings,
      against,
      isBegun: found.story.state !== "backlog" && found.story.state !== "ready",
      ...(refusal !== undefined && { refusal }),
      changed,
      after: (await checkAll(await worldOf(root, project))).findings,
    };
  });
}
