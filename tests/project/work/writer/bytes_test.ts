/** Does a mark change the words that it must, and no other byte? */
import assert from "node:assert/strict";
import { readBoard } from "../../../../src/project/work/board/mod.ts";
import type { FormName } from "../../../../src/project/work/formats/mod.ts";
import { diskTree } from "../../../../src/content/tree/mod.ts";
import { chanceFrom } from "../../../support/chance.ts";
import { foldersOf } from "../../../support/board.ts";
import { documentsIn, withTree } from "../../../support/trees.ts";
import { PROJECT_FORMS, readTemplates, workProject } from "../../../support/work_projects.ts";
import { marked } from "../../../support/writer.ts";

const STATUSES = ["backlog", "ready-for-dev", "in-progress", "review", "done"];
const LEDGER = "out/impl/sprint-status.yaml";

function differences(
  before: string,
  after: string,
): readonly (readonly [line: string, from: string, to: string])[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  assert.equal(now.length, old.length, "lines came or went");
  return old.flatMap((line, at) => {
    const other = now[at]!;
    if (line === other) return [];
    let start = 0;
    while (line[start] === other[start]) start++;
    let end = 0;
    const most = Math.min(line.length, other.length) - start;
    while (end < most && line.at(-1 - end) === other.at(-1 - end)) end++;
    return [[line, line.slice(start, line.length - end), other.slice(start, other.length - end)] as const];
  });
}

function isMeant([line, from, to]: readonly [string, string, string]): boolean {
  const isWord = [from, to].every((part) => /^[A-Za-z -]*$/.test(part));
  const isTime = /^last_updated: /.test(line) && [from, to].every((part) => /^[\d: -]*$/.test(part));
  return isWord || isTime;
}

const statesIn = async (root: string, form: FormName) =>
  (await readBoard(diskTree(root), foldersOf(form))).epics.flatMap(({ stories }) =>
    stories.map(({ ref, state }) => `${ref} ${state}`)
  );

Deno.test("no other byte changes [work:ledger-bytes, work:mark-everywhere]", async () => {
  const templates = await readTemplates();
  let changes = 0;
  for (let seed = 1; seed <= 75; seed++) {
    const form = PROJECT_FORMS[seed % PROJECT_FORMS.length]!;
    const { files: all, stories } = workProject(form, seed, templates);
    const files = Object.fromEntries(Object.entries(all).filter(([path]) => /^(?:out|docs)\//.test(path)));
    const chance = chanceFrom(seed);
    const { ref, path, state } = chance.pick(stories);
    const status = chance.pick(STATUSES);
    await withTree(files, async (root) => {
      const about = `${form}, seed ${seed}: ${ref} as ${status}`;
      const before = documentsIn(root, "out", "docs");
      const old = await statesIn(root, form);
      await marked(root, [ref, status], { folders: foldersOf(form), isForced: true });
      const after = documentsIn(root, "out", "docs");
      const added = Object.keys(after).filter((one) => before[one] === undefined);
      assert.equal(added.length, path === undefined && old.length > 0 && !(LEDGER in files) ? 1 : 0, about);
      for (const [one, text] of Object.entries(before)) {
        if (after[one] === text) continue;
        assert.ok(one === path || one === LEDGER, `${about}: ${one}`);
        const found = differences(text, after[one]!);
        assert.deepEqual(found.filter((line) => !isMeant(line)), [], about);
        // A story, its epic and the time in a ledger; the status in a document.
        assert.ok(found.length <= (one === LEDGER ? 3 : 1), `${about}: ${JSON.stringify(found)}`);
        changes++;
      }
      const now = await statesIn(root, form);
      const others = (rows: readonly string[]) => rows.filter((row) => !row.startsWith(`${ref} `));
      assert.deepEqual(others(now), others(old), about);
      const wanted = status === "ready-for-dev" ? "ready" : status;
      assert.ok(now.includes(`${ref} ${wanted}`), `${about}, from ${state}: ${now}`);
    });
  }
  assert.ok(changes > 50, `${changes}`);
});
