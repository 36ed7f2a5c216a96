/** Does a tick change one sign of a story, and a new story one heading of the plan? */
import assert from "node:assert/strict";
import { BMM } from "../../../support/bmm_project.ts";
import { startHttp } from "../../../support/http.ts";
import { runHere } from "../../../support/program.ts";
import { withTree } from "../../../support/trees.ts";

const STORY = "out/impl/1-1-login.md";
const PLAN = "out/plan/epics.md";
const LEDGER = "out/impl/sprint-status.yaml";
const BODY = "\ufeff# Story 1.1: Login\r\n\r\nStatus: in-progress\r\n\r\n## Tasks / Subtasks\r\n\r\n" +
  "- [ ] Ask `the` bank\r\n  - [x] Twice\r\n* [ ] Twice\r\n\r\n```\n- [ ] No task\n```\n";
const PROJECT = {
  ...BMM,
  [PLAN]:
    "# Plan\n\n## Epic 1: In\n\n#### Story 1.1: Login\n\nAs an owner\n\n##### Notes\n\nNone\n\n## Epic 2: Out\n",
  [LEDGER]:
    "development_status:\n  epic-1: in-progress\n  1-1-login: in-progress\n  1-3-gone: backlog\n  epic-2: backlog\n",
  [STORY]: BODY,
};

const withRuns = (
  check: (run: (...args: readonly string[]) => Promise<string>, dir: string) => Promise<void>,
) =>
  withTree(PROJECT, (dir) =>
    check(async (...args) => {
      const { stdout, stderr } = await runHere(args, { cwd: dir });
      return stdout + stderr;
    }, dir));

Deno.test("a task is ticked by its words or its number, and nothing else changes [work:tick]", () =>
  withRuns(async (run, dir) => {
    const text = () => Deno.readTextFileSync(`${dir}/${STORY}`);
    const mark = (...args: readonly string[]) => run("mark", "1-1", ...args, "--by", "Ann");
    assert.match(await mark("done", "--task", "Ask `the` bank"), /"Ask `the` bank" is ticked: 2 of 3 tasks/);
    assert.equal(text(), BODY.replace("- [ ] Ask", "- [x] Ask"));
    await mark("open", "--task", "1");
    assert.equal(text(), BODY);
    // Of two with the same words, the one that can still be ticked.
    await mark("done", "--task", "Twice");
    assert.equal(text(), BODY.replace("* [ ]", "* [x]"));
    assert.match(
      await mark("done", "--task", "No task"),
      /Unknown task "No task"\. Use one of Ask `the` bank/,
    );
    assert.match(
      await run("mark", "1-3", "done", "--task", "1"),
      /1-3-gone: it has no story file yet.*\(bmad-mcp next\)/,
    );
    assert.match(await mark("review", "--task", "1"), /Unknown status of a task "review"/);
    // As pages name it: that one, or none if the file has changed.
    await mark("open", "--task", "3: Twice");
    await mark("open", "--task", "2: Twice");
    assert.equal(text(), BODY.replace("- [x] Twice", "- [ ] Twice"));
    assert.match(await mark("done", "--task", "1: Twice"), /Unknown task "1: Twice"/);
    await mark("done", "--task", "2: Twice");
    await mark("done", "--task", "3: Twice");
    await run("claim", "1-1", "--by", "Bob");
    assert.match(await mark("done", "--task", "1"), /Bob holds it until/);
    assert.equal(text(), BODY.replace("* [ ]", "* [x]"));
  }));

Deno.test("a task without words is ticked by its number, and is not taken for the story [work:tick]", () =>
  withTree({ ...PROJECT, [STORY]: "# Story 1.1: Login\n\n## Tasks\n\n- [x] 1\n- [ ] \n" }, async (dir) => {
    const { stdout } = await runHere(["mark", "1-1", "done", "--task", "2: ", "--by", "Ann"], { cwd: dir });
    assert.match(stdout, /"" is ticked: 2 of 2 tasks/);
    assert.match(Deno.readTextFileSync(`${dir}/${LEDGER}`), /1-1-login: in-progress/);
  }));

Deno.test("a story that the sprint cannot take is not left in the plan [work:new-story]", () =>
  withTree({ ...PROJECT, [LEDGER]: `${PROJECT[LEDGER]}  1-3-gone: done\n` }, async (dir) => {
    const { code } = await runHere(["plan", "--epic", "1", "--title", "Pay"], { cwd: dir });
    assert.equal(code, 3);
    assert.equal(Deno.readTextFileSync(`${dir}/${PLAN}`), PROJECT[PLAN]);
  }));

Deno.test("an epic gains a story in the document and the sprint [work:new-story]", () =>
  withRuns(async (run, dir) => {
    const read = (path: string) => Deno.readTextFileSync(`${dir}/${path}`);
    const add = (epic: string, title: string) => run("plan", "--epic", epic, "--title", title);
    assert.match(
      await add("epic-1", "Pay\nby # card"),
      /Story 1\.4 is in the plan[^]*Added: 1-4-pay-by-card/,
    );
    // A number that a row of the sprint has is not given twice.
    const { [PLAN]: plan } = PROJECT;
    const first = plan.replace("None\n", "None\n\n#### Story 1.4: Pay by # card\n");
    assert.equal(read(PLAN), first);
    await add("2", "## Refund");
    assert.equal(read(PLAN), `${first}\n### Story 2.1: Refund\n`);
    assert.match(read(LEDGER), /1-4-pay-by-card: backlog[^]*2-1-refund: backlog/);
    assert.match(await add("epic-7", "Nowhere"), /No story named "epic-7"/);
    assert.match(await add("epic-1", " "), /Invalid title/);
    assert.match(await run("plan", "--title", "Lost"), /Missing epic/);
  }));

Deno.test("in v4, whose task writes the stories, none is offered to be added [work:new-story]", () =>
  withTree({
    ".bmad-core/agents/sm.md": "# sm\n",
    ".bmad-core/core-config.yaml": "devStoryLocation: docs/stories\nprd:\n  prdFile: docs/prd.md\n",
    "docs/prd.md": "# PRD\n\n## Epic 1: Base\n\n### Story 1.1: Setup\n\nAs a user.\n",
    "docs/stories/1.1.setup.md": "# Story 1.1: Setup\n\n## Status\n\nDraft\n",
  }, async (cwd) => {
    const { stderr } = await runHere(["plan", "--epic", "1", "--title", "X"], { cwd });
    assert.match(stderr, /v4 has no sprint: its task create-next-story writes the next story/);
    await using server = await startHttp(["--project", cwd]);
    const page = await (await fetch(`${server.url}/board?story=epic-1`)).text();
    assert.match(page, /docs\/prd\.md/);
    assert.doesNotMatch(page, /New story/);
  }));
