/** Which documents can be opened: those of the list, and every story of the board, but no other file? */
import assert from "node:assert/strict";
import { diskTree } from "../../../../src/content/tree/mod.ts";
import { readBoard } from "../../../../src/project/work/board/mod.ts";
import { BmadError } from "../../../../src/base/errors.ts";
import { listDocuments, openDocument } from "../../../../src/project/work/context/mod.ts";
import { FOLDERS } from "../../../support/board.ts";
import { withTree } from "../../../support/trees.ts";

const FOLDER = "out/impl";
const STORIES = 400;

Deno.test("every story of the board can be opened, however many there are [pages:board]", () => {
  const refs = Array.from({ length: STORIES }, (_, at) => `1-${at + 1}-story`);
  const files = {
    [`${FOLDER}/sprint-status.yaml`]: `development_status:\n  epic-1: in-progress\n${
      refs.map((ref) => `  ${ref}: done\n`).join("")
    }`,
    ...Object.fromEntries(
      refs.map((ref) => [`${FOLDER}/${ref}.md`, `---\nstatus: done\n---\n# ${ref}\n`]),
    ),
    ".env": "SECRET=1\n",
    "readme.md": "# Readme\n",
  };
  return withTree(files, async (dir) => {
    const tree = diskTree(dir);
    const place = {
      tree,
      folders: FOLDERS,
      board: await readBoard(tree, FOLDERS),
      clean: (text: string) => text,
    };
    assert.ok((await listDocuments(place)).length < STORIES);
    for (const ref of [...refs.filter((_, at) => at % 50 === 0), refs.at(-1)!]) {
      const { role, text } = await openDocument(place, `${FOLDER}/${ref}.md`);
      assert.deepEqual([role, text.includes(`# ${ref}\n`)], ["story", true], ref);
    }
    for (const path of [".env", "readme.md", `${FOLDER}/sprint-status.yaml`, `${FOLDER}/../../.env`]) {
      await assert.rejects(
        openDocument(place, path),
        (error) => error instanceof BmadError && error.failure.code === "not-found",
        path,
      );
    }
  });
});
