/** Are problems of the same kind one line wherever people and models read them, and complete for programs? */
import assert from "node:assert/strict";
import type { Site } from "../../../src/serve/pages/site.ts";
import { markup } from "../../../src/base/markup.ts";
import { boardPage } from "../../../src/serve/pages/board.ts";
import { boardOf } from "../../support/board.ts";
import { runHere } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const NUMBERS = Array.from({ length: 12 }, (_, at) => at + 1);
const ready = NUMBERS.map((n) => `  1-${n}-a: review\n`).join("");
const odd = NUMBERS.map((n) => `  2-${n}-b: odd\n`).join("");
const FILES = {
  "_bmad/bmm/config.yaml":
    "output_folder: out\nplanning_artifacts: out/plan\nimplementation_artifacts: out/impl\n",
  "out/impl/sprint-status.yaml":
    `development_status:\n  epic-1: in-progress\n${ready}  epic-2: in-progress\n${odd}`,
};
const LEDGER = "out/impl/sprint-status.yaml";
const OTHERS = "1-2, 1-3, 1-4, 1-5, 1-6, 1-7, 1-8, 1-9, 1-10, 1-11, 1-12";
const ODD = NUMBERS.slice(1).map((n) => `2-${n}-b`).join(", ");
const NO_FILES = `${LEDGER}:3: story 1-1: it is "review", but has no story file (the same for ${OTHERS})`;
const UNKNOWN = `story 2-1-b has the unknown status "odd" (the same for ${ODD})`;

Deno.test("twelve stories with the same problem are one line with their keys [work:grouped-problems]", () =>
  withTree(FILES, async (cwd) => {
    const run = (...args: readonly string[]) => runHere(args, { cwd });
    const board = await run("board");
    assert.equal(board.stderr, `${NO_FILES}\n${LEDGER}:16: ${UNKNOWN}\n`);
    const { items, problems } = JSON.parse((await run("board", "--json")).stdout);
    assert.equal(problems.length, 12);
    assert.equal(items[0].stories.filter((one: { drift: unknown[] }) => one.drift.length === 1).length, 12);

    const asked = await run("call", "bmad_work", '{"operation":"board"}', "--toolsets", "bmad,work");
    assert.deepEqual(asked.stdout.split("## Problems\n")[1]?.trimEnd().split("\n"), [
      `- ${NO_FILES}`,
      `- ${LEDGER}:16: ${UNKNOWN}`,
    ]);

    const check = await run("check");
    const sentence = UNKNOWN.replace('"odd" (', '"odd". (');
    assert.ok(check.stdout.startsWith(`${LEDGER}:16\t${sentence}\tFix: `), check.stdout);
    const found = JSON.parse((await run("check", "--json")).stdout);
    assert.equal(check.stderr.trimEnd().split("\n").at(-1), `${found.items.length} findings.`);
    assert.ok(found.items.length >= 12);

    const doctor = await run("doctor");
    assert.ok(doctor.stdout.includes(`line 16: ${UNKNOWN}`), doctor.stdout);
    assert.equal(doctor.stdout.split("has the unknown status").length, 2);
    assert.equal(JSON.parse((await run("doctor", "--json")).stdout).project.ledgers.length, 12);
  }));

Deno.test("the page of the board lists them once, too [work:grouped-problems]", async () => {
  const ledgers = await boardOf(FILES);
  const work = () => Promise.resolve({ ledgers: () => Promise.resolve(ledgers), notesOf: () => [] });
  const { body } = await boardPage(
    {
      projects: { names: ["a"] },
      project: { name: "a", app: { project: { work }, config: { settings: {} } } },
    } as unknown as Site,
  );
  const [, list = ""] = /id="problems">.*?<ul class="rows">(.*?)<\/ul>/s.exec(markup`${body}`.text) ?? [];
  const lines = list.split("<li>").slice(1);
  assert.equal(lines.length, 2);
  assert.ok(lines[0]!.includes(`(the same for ${OTHERS})`), lines[0]);
  assert.ok(lines[1]!.includes(`(the same for ${ODD})`), lines[1]);
});
