/**
 * Does the board stay small and quick, whatever a project's files and configuration contain?
 */
import assert from "node:assert/strict";
import { foldersOf } from "../../../src/project/board/mod.ts";
import { boardOf } from "../../support/board.ts";
import { verifies } from "../../support/requirements.ts";

Deno.test(
  verifies("work:hostile", "values that hold each other's names many times are not a folder"),
  () => {
    for (const count of [30, 150, 2_000]) {
      const values = {
        output_folder: "{aa}",
        aa: "{bb}".repeat(count),
        bb: "{cc}".repeat(count),
        cc: "{dd}".repeat(count),
        dd: "x".repeat(count),
      };
      assert.deepEqual(foldersOf([values], []), { planning: [], implementation: [] }, `${count}`);
    }
    const long = foldersOf([{ output_folder: "out/{name}", name: "x".repeat(900) }], []);
    assert.equal(long.output, `out/${"x".repeat(900)}`);
  },
);

Deno.test(
  verifies("work:hostile", "an epic and a story have at most 200 requirements, however often they come"),
  async () => {
    const ids = Array.from({ length: 10_000 }, (_, at) => `FR${at}`);
    const board = await boardOf({
      "out/plan/epics.md": ids.map((id) => `# Epic 1\n${id}\n`).join("") +
        `## Story 1.1: A\n${ids.join(" ")}\n`,
      "out/impl/1-1-a.md": `---\ncovers: [${ids.map((id) => `N${id}`)}]\n---\n`,
    });
    const [epic] = board.epics;
    assert.deepEqual(epic!.covers, ids.slice(0, 200));
    assert.deepEqual(epic!.stories[0]!.covers, ids.slice(0, 200));
  },
);
