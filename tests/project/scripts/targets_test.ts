/** Does a script leave every file alone that it does not write itself? */
import assert from "node:assert/strict";
import { brain } from "../../../src/project/scripts/brain.ts";
import { commandOf, runScript, SCRIPTS } from "../../../src/project/scripts/mod.ts";
import { runNative, worldOf } from "../../support/scripts.ts";
import { withTree } from "../../support/trees.ts";

const KEPT: Readonly<Record<string, string>> = {
  "out/.bmad-work/claims.json": '{"claims":{}}\n',
  "out/work-log.jsonl": '{"did":"mark"}\n',
  "out/open-questions.md": "- **Q1** Which?\n",
  "out/sprint-status.yaml": "development_status:\n  epic-1: backlog\n  1-1-a: backlog\n",
  "out/1-1-a.md": "# Story 1.1: A\n\nStatus: backlog\n",
  "out/prd.md": "---\nstatus: draft\n---\n\n# PRD\n",
  "out/api.json": '{"file":"x","paths":{}}\n',
  "out/shop.html": "<!doctype html>\n<title>Shop</title>\n",
  "out/openapi.yaml": "openapi: 3.1.0\ninfo:\n  title: Shop\n",
  "out/stories.yaml": "- id: 1\n  title: A\n",
};

const UNUSED = ["1-2-b.md", "new/work-log.jsonl", "new/.bmad-work/x.json", ".BMAD-WORK/x.json"]
  .map((path) => `out/${path}`);

const INPUT = {
  "w/ARCHITECTURE-SPINE.md": "# Spine\n",
  "epics.md": "## Epic 1: Shop\n\n### Story 1.1: A\n",
  "m.csv": "category,technique_name,description\na,b,c\n",
};

const WRITERS: readonly ((path: string) => readonly string[])[] = [
  (path) => ["word_metrics.py", "epics.md", "-o", path],
  (path) => ["lint_spine.py", "--workspace", "w", "--output", path],
  (path) => ["brain.py", "--file", "m.csv", "html", "--out", path],
  (path) => [
    ...["sprint_plan.py", "generate", "--epic-file", "epics.md", "--status-file", path],
    ...["--stories-dir", "s", "--project", "x", "--date", "01-02-2026 10:00"],
  ],
  (path) => ["sprint_status.py", "update", "--file", path, "--epic", "1", "--add-action", '[{"action":"x"}]'],
];

Deno.test("no record or document of another is replaced [work:script-targets]", () =>
  withTree({ ...KEPT, ...INPUT }, async (root) => {
    const isLedger = (path: string) => path === "out/sprint-status.yaml";
    for (const [at, argsFor] of WRITERS.entries()) {
      for (const path of [...Object.keys(KEPT), ...UNUSED]) {
        // What the sprint's own scripts write is theirs.
        if (at > 2 && isLedger(path)) continue;
        const about = argsFor(path).join(" ");
        const ran = await runScript(commandOf(argsFor(path)), worldOf(root)).then(
          ({ status }) => status,
          ({ failure }) => failure.code,
        );
        assert.notEqual(ran, 0, about);
        if (KEPT[path] === undefined) assert.throws(() => Deno.statSync(`${root}/${path}`), about);
        else assert.equal(Deno.readTextFileSync(`${root}/${path}`), KEPT[path], about);
      }
    }
    const records = ["out/work-log.jsonl", "out/open-questions.md", "out/.bmad-work/.memlog.md"];
    for (const path of [...records, ...UNUSED.slice(1)]) {
      for (const command of [["init"], ["append", "--text", "x"]]) {
        const run = runScript(commandOf(["memlog.py", ...command, "--path", path]), worldOf(root));
        await assert.rejects(run, { message: /it is a record that only this program writes/ }, path);
      }
    }
  }));

Deno.test("a script writes again what it has written [work:script-targets]", () =>
  withTree({ ...INPUT, "out/": "", "out/empty.json": "\n" }, async (root) => {
    const names = ["w.json", "l.JSON", "p.html", "s.yaml", "s.yaml"];
    for (const [at, argsFor] of WRITERS.entries()) {
      for (const _ of ["new", "again"]) {
        const { status, stderr } = await runScript(commandOf(argsFor(`out/${names[at]}`)), worldOf(root));
        assert.equal(status, 0, stderr);
      }
    }
    assert.equal((await runScript(commandOf(WRITERS[0]!("out/empty.json")), worldOf(root))).status, 0);
    await Deno.writeTextFile(
      `${root}/out/p.html`,
      "<!DOCTYPE html>\n<title>BMad Method Brainstorming Selection</title>\n",
    );
    const page = ["--file", "m.csv", "html", "--out", "out/p.html"];
    assert.equal((await runNative(brain, root, page)).status, 0);
  }));

Deno.test("every script that writes is in the tables above", () => {
  const writers = SCRIPTS.filter(({ isWriter }) => isWriter !== undefined).map(({ name }) => name);
  // Tickets have their files by the tree they lie in, and no caller names one.
  const known = [...WRITERS.map((argsFor) => argsFor("")[0]!), "memlog.py", "tickets.py"];
  assert.deepEqual(writers.toSorted(), known.toSorted());
});
