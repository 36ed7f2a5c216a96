/** Does a mark change the right line of the right file in every format, and nothing else? */
import assert from "node:assert/strict";
import { fail } from "../../../../src/base/errors.ts";
import type { ProjectFiles } from "../../../../src/project/files/mod.ts";
import { mark } from "../../../../src/project/work/writer/mod.ts";
import { V4_FOLDERS } from "../../../support/board.ts";
import { treeTest, withTree, writeTree } from "../../../support/trees.ts";
import { marked, NOON, writerIn } from "../../../support/writer.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const DOCUMENT = "out/impl/1-1-sign-in.md";
const SPRINT = {
  [LEDGER]: "# ours\nlast_updated: '2026-01-02'\ndevelopment_status:\n  epic-1: backlog # soon\n" +
    "  1-1-sign-in: ready-for-dev\n  1-2-sign-out: backlog\n  epic-1-retrospective: optional\n",
  [DOCUMENT]: "# Story 1.1: Sign in\r\n\r\n**Status:** ready-for-dev <!-- by hand -->\r\n\r\nText\r\n",
};

const read = (root: string, path: string) => Deno.readTextFileSync(`${root}/${path}`);

type Mark = Parameters<typeof marked>[1];
type Options = Parameters<typeof marked>[2];

/** Marks one after the other, and says what each has changed. */
async function told(root: string, marks: readonly Mark[], options?: Options) {
  const all: (readonly string[])[] = [];
  for (const one of marks) all.push((await marked(root, one, options)).told);
  return all;
}

type Refusal = readonly [story: string, status: string, problem: RegExp];

async function refused(root: string, marks: readonly Refusal[], options?: Options) {
  for (const [story, status, problem] of marks) {
    await assert.rejects(marked(root, [story, status], options), problem, `${story} ${status}`);
  }
}

const storiesIn = async (root: string) => (await writerIn(root)).board.epics[0]!.stories;

treeTest(
  "an allowed move says at once what it leaves to be done, and creates no drift [work:allowed-moves]",
  {
    [LEDGER]:
      "development_status:\n  epic-1: in-progress\n  1-1-a: backlog\n  1-2-b: in-progress\n  1-3-c: backlog\n",
    "out/impl/1-2-b.md": "Status: in-progress\n\n## Tasks\n\n- [x] One\n- [ ] Two\n- [ ] Three\n",
    "out/impl/1-3-c.md": "Status: backlog\n\n## Tasks\n\n- [ ] One\n",
  },
  async (root) => {
    const notesOf = async (story: string, status: string) => (await marked(root, [story, status])).notes;
    assert.deepEqual(await notesOf("1-1", "ready"), [
      "it has no story file yet; whoever begins it writes one",
    ]);
    assert.deepEqual(await notesOf("1-2", "review"), ["2 of 3 boxes are not ticked"]);
    assert.deepEqual(await notesOf("1-3", "ready"), []);
    assert.deepEqual((await storiesIn(root)).flatMap(({ drift }) => drift), []);
  },
);

treeTest("the file and the epic follow [work:mark-everywhere]", SPRINT, async (root) => {
  const begun = await marked(root, ["Story 1.1", "started"]);
  assert.deepEqual(begun.told, ["1-1-sign-in: ready-for-dev → in-progress", "epic-1: backlog → in-progress"]);
  assert.deepEqual(begun.files, [LEDGER, DOCUMENT]);
  const ledger = SPRINT[LEDGER].replace("2026-01-02", "2026-08-01")
    .replace("epic-1: backlog", "epic-1: in-progress").replace("in: ready-for-dev", "in: in-progress");
  assert.equal(read(root, LEDGER), ledger);
  assert.equal(read(root, DOCUMENT), SPRINT[DOCUMENT].replace("ready-for-dev", "in-progress"));
  await refused(root, [["1-1", "backlog", /Cannot move 1-1-sign-in from in-progress back to backlog/]]);
  assert.deepEqual(await told(root, [["1.1", "wip"]]), [[]]);
  // A mark that was cut off after the ledger is finished by the same mark.
  await Deno.writeTextFile(`${root}/${DOCUMENT}`, "Status: ready-for-dev\n");
  const again = await marked(root, ["1.1", "in progress"]);
  assert.deepEqual([again.told, again.files], [[], [DOCUMENT]]);
  assert.equal(read(root, DOCUMENT), "Status: in-progress\n");
  const rest: readonly Mark[] = [
    ["sign in", "complete"],
    ["1-2-sign-out", "done"],
    ["epic 1 retrospective", "completed"],
  ];
  assert.deepEqual(await told(root, rest), [
    ["1-1-sign-in: in-progress → done"],
    ["1-2-sign-out: backlog → done", "epic-1: in-progress → done"],
    ["epic-1-retrospective: optional → done"],
  ]);
  await refused(root, [
    ["epic-1", "in-progress", /from done back to in-progress/],
    ["1-3", "done", /No story named "1-3"/],
    ["1-2", "odd", /Unknown status "odd". Use one of backlog, ready-for-dev/],
  ]);
});

treeTest("a mark without a status is told those that its story can have [work:mark-everywhere]", {
  ...SPRINT,
  "out/specs/spec-shop/SPEC.md": "# Shop\n",
  "out/specs/spec-shop/stories.yaml": "- id: a\n",
}, async (root) => {
  const choices = {
    "1-1": "backlog, ready-for-dev, in-progress, review, done",
    "epic-1": "backlog, in-progress, done",
    "epic-1-retrospective": "optional, done",
    "spec-shop/a": "draft, ready-for-dev, in-progress, blocked, in-review, done",
  };
  for (const [story, words] of Object.entries(choices)) {
    await assert.rejects(marked(root, [story, " "]), { message: `Missing status. Use one of ${words}` });
  }
});

treeTest("an epic without stories does not end unless it is forced [work:mark-everywhere]", {
  [LEDGER]: "development_status:\n  epic-1: backlog\n  epic-2: backlog\n  2-1-a: done\n",
}, async (root) => {
  const before = read(root, LEDGER);
  await refused(root, [["epic-1", "done", /Cannot end epic-1: it has no stories yet/]]);
  assert.equal(read(root, LEDGER), before);
  await marked(root, ["epic-2", "done"]);
  await marked(root, ["epic-1", "done"], { isForced: true });
  assert.match(read(root, LEDGER), /epic-1: done\n {2}epic-2: done\n/);
});

const SPEC = "out/specs/spec-shop";

treeTest("a story of a spec has its status in its record [work:mark-everywhere]", {
  [`${SPEC}/SPEC.md`]: "# Shop\n",
  [`${SPEC}/stories.yaml`]: "- id: '1'\n  title: Pay\n- id: '2'\n  title: Ship it\n",
  [`${SPEC}/stories/1-pay.md`]: "---\ntitle: 'Pay'\nstatus: 'ready-for-dev' # x\n---\nStatus: old\n",
}, async (root) => {
  assert.deepEqual(await told(root, [["spec-shop/1", "review"]]), [[
    "spec-shop/1: ready-for-dev → in-review",
  ]]);
  assert.equal(
    read(root, `${SPEC}/stories/1-pay.md`),
    "---\ntitle: 'Pay'\nstatus: 'in-review' # x\n---\nStatus: old\n",
  );
  await marked(root, ["Ship it", "in-progress"]);
  assert.equal(
    read(root, `${SPEC}/stories/2-ship-it.md`),
    "---\ntitle: Ship it\ncreated: '2026-08-01'\nstatus: in-progress\n---\n\n# Ship it\n",
  );
  assert.equal((await storiesIn(root))[1]!.state, "in-progress");
  await refused(root, [["spec-shop", "done", /its state follows from its stories/]]);
});

treeTest("v4's stories have v4's words [work:mark-everywhere]", {
  "docs/prd.md": "## Epic 1: Shop\n### Story 1.1: Pay\n### Story 1.2: Ship\n### Story 1.3: Bill\n",
  "docs/stories/1.1.pay.md": "# Story 1.1: Pay\n\n## Status\n\n**Approved**\n\n## Story\n",
  "docs/stories/1.2.ship.md": "# Story 1.2: Ship\n\n## Story\n",
}, async (root) => {
  const options = { folders: V4_FOLDERS };
  const marks: readonly Mark[] = [["1.1", "in-progress"], ["1-2", "ready"]];
  assert.deepEqual((await told(root, marks, options))[0], ["1.1.pay: Approved → InProgress"]);
  assert.equal(
    read(root, "docs/stories/1.1.pay.md"),
    "# Story 1.1: Pay\n\n## Status\n\n**InProgress**\n\n## Story\n",
  );
  assert.equal(
    read(root, "docs/stories/1.2.ship.md"),
    "# Story 1.2: Ship\n\nStatus: Approved\n\n## Story\n",
  );
  await refused(root, [
    ["1.1", "draft", /Cannot move 1\.1\.pay from InProgress back to Draft/],
    ["1.3", "done", /it is only planned, in docs\/prd\.md/],
  ], options);
});

const EPIC = "out/initiative-shop/epic-pay";
const TICKETS = {
  "out/initiative-shop/initiative-shop.md": "---\ntype: initiative\n---\n",
  "out/initiative-shop/tickets.toml": '[[epic]]\nid = 1\nslug = "epic-pay"\n',
  [`${EPIC}/epic-pay.md`]: "---\ntype: epic\ntitle: Pay\n---\n",
  [`${EPIC}/tickets.toml`]:
    '[[entry]]\nid = 3\ntype = "bug"\ntitle = "Lost cent"\n[[entry]]\nid = 4\ntype = "story"\ntitle = "Pay"\n',
  [`${EPIC}/story-pay.md`]: "---\nid: 4\ntype: story\ntitle: Pay\n---\n",
  [`${EPIC}/story-pay-plan.md`]: "---\nticket: 4\nstatus: 'in-review'\n---\n",
};
const PLAN = `${EPIC}/bug-lost-cent-plan.md`;

Deno.test("the plan of a ticket is made beside the ledger that lists it, even if its epic has no file", () => {
  const { [`${EPIC}/epic-pay.md`]: _, ...files } = TICKETS;
  return withTree(files, async (root) => {
    await marked(root, ["1.3", "in-progress"]);
    assert.match(read(root, PLAN), /^ticket: 3$/m);
    assert.equal((await storiesIn(root))[0]!.status, "in-progress");
  });
});

treeTest("a ticket has its status in its plan [work:mark-everywhere]", TICKETS, async (root) => {
  const marks: readonly Mark[] = [["1.4", "built", "Ann"], ["1.4", "review"], ["1.3", "blocked"]];
  assert.deepEqual((await told(root, marks)).slice(0, 2), [["1.4: in-review → built"], []]);
  assert.equal(
    read(root, `${EPIC}/story-pay-plan.md`),
    "---\nticket: 4\nstatus: 'built'\nassignee: \"Ann\"\n---\n",
  );
  const blocked = '---\ntitle: "Lost cent"\nticket: 3\nstatus: blocked\n---\n';
  assert.equal(read(root, PLAN), blocked);
  assert.deepEqual((await storiesIn(root)).map(({ status }) => status), ["blocked", "built"]);
  await refused(root, [["epic-pay", "done", /Cannot end epic-pay: 1\.3, 1\.4 are not done/]]);
  // As tickets.py: the reason of a block goes with it.
  const reason = "blocked_at: '2026-01-01'\nblocked_reason: Rain\nstatus:";
  Deno.writeTextFileSync(`${root}/${PLAN}`, blocked.replace("status:", reason));
  await marked(root, ["1.3", "in-progress"]);
  assert.equal(read(root, PLAN), blocked.replace("status: blocked", "status: in-progress"));
  await told(root, [["1.3", "dropped"], ["story-pay", "done"]]);
  // Its own word is a person's to say.
  assert.equal(read(root, `${EPIC}/epic-pay.md`), TICKETS[`${EPIC}/epic-pay.md`]);
  await marked(root, ["epic-pay", "done"]);
  assert.match(read(root, `${EPIC}/epic-pay.md`), /\nstatus: done\n---\n$/);
  await writeTree(root, { "_bmad/custom/ticketing-store-config.toml": '[tickets]\nstore = "jira"\n' });
  await refused(root, [[
    "1.3",
    "done",
    /jira keeps its status\. First: let bmad-ticket publish it in jira$/,
  ]]);
});

treeTest("a forced mark is recorded [work:forced]", SPRINT, async (root) => {
  const forcedOn = async (at: number) => (await storiesIn(root))[at]!.forced;
  const findings = ["out/impl/1-1-sign-in.md:3: Story 1-1 has open boxes."];
  const problem =
    /^BmadError: Cannot mark 1-1-sign-in as done: the check has 1 finding:\n- out\/impl\/1-1-sign-in\.md:3: Story/;
  await refused(root, [["1-1", "done", problem]], { findings });
  assert.equal(read(root, LEDGER), SPRINT[LEDGER]);
  // Only what needs it is recorded.
  await marked(root, ["1-2", "review"], { isForced: true });
  assert.equal(await forcedOn(1), undefined);
  await marked(root, ["1-1", "done", "Ann"], { findings, isForced: true });
  assert.deepEqual(await forcedOn(0), { at: new Date(NOON).toISOString(), by: "Ann", reasons: findings });
  await marked(root, ["1-1", "backlog"], { isForced: true });
  assert.match((await forcedOn(0))!.reasons[0]!, /^Cannot move 1-1-sign-in from done back/);
  assert.equal(read(root, "out/.bmad-work/forced.jsonl").split("\n").length, 3);
  // Once it has moved on, that is history.
  await marked(root, ["1-1", "review"]);
  assert.equal(await forcedOn(0), undefined);
});

/** A writer of which `replace` is another. */
async function writerWith(root: string, replace: ProjectFiles["replace"], options?: Options) {
  const world = await writerIn(root, options);
  return { ...world, files: { ...world.files, replace } };
}

Deno.test("a forced mark is recorded before it counts [work:forced]", async () => {
  const request = { story: "1-1", status: "done", by: "Ann", isForced: true };
  for (let writes = 0; writes <= 3; writes++) {
    await withTree(SPRINT, async (root) => {
      const { files } = await writerIn(root);
      let left = writes;
      const world = await writerWith(root, (...given) => {
        if (left-- <= 0) throw new Error("killed");
        return files.replace(...given);
      }, { findings: ["open boxes"] });
      await mark(world, request).catch(() => {});
      const [story] = await storiesIn(root);
      assert.equal(story!.forced !== undefined, story!.state === "done", `after ${writes} writes`);
      assert.equal(story!.state === "done", writes > 1, `after ${writes} writes`);
    });
  }
});

treeTest("a status that cannot be changed by its line is refused, and nothing is written", {
  "out/impl/spec-odd.md": "---\nstatus: &x draft\n---\n",
  "out/impl/spec-long.md": `Status: draft ${"<!--".repeat(30_000)}-->\n`,
}, (root) =>
  refused(root, [
    ["spec-odd", "done", /Cannot read out\/impl\/spec-odd\.md:2: its status is/],
    ["spec-long", "done", /Cannot read out\/impl\/spec-long\.md:1: its status is/],
  ]));

treeTest("a planned story is refused with the way out [work:mark-everywhere]", {
  "out/plan/epics.md": "## Epic 1: Q\n### Story 1.1: A\n",
  "docs/prd.md": "# PRD\n## Epic 2: R\n### Story 2.1: B\n",
}, async (root) => {
  const failing = async (story: string, options: Options = {}) => {
    const findings = ["something else"];
    const error = await marked(root, [story, "done"], { findings, ...options }).catch((error) => error);
    return { text: `${error}`, fixes: error.failure.fixes };
  };
  const planned = await failing("1-1");
  assert.match(
    planned.text,
    /Cannot mark 1-1: it is only planned, in out\/plan\/epics\.md; .*, or make a sprint/,
  );
  assert.deepEqual(planned.fixes, ["plan"]);
  const old = await failing("2-1", { folders: V4_FOLDERS });
  assert.match(old.text, /it is only planned, in docs\/prd\.md; write its story file first$/);
  assert.deepEqual(old.fixes, []);
});

treeTest("a mark changes both files or none [work:mark-everywhere]", SPRINT, async (root) => {
  const texts = () => [read(root, LEDGER), read(root, DOCUMENT)];
  const before = texts();
  const marking = async (meanwhile = () => {}) => {
    const { files } = await writerIn(root);
    const world = await writerWith(root, (path, text, before) => {
      if (path !== DOCUMENT) return files.replace(path, text, before);
      meanwhile();
      return fail({ code: "not-writable", path, reason: "the disk is full", fix: "Make room" });
    });
    return await mark(world, { story: "1-1", status: "in-progress" }).then(String, String);
  };
  assert.match(
    await marking(),
    /Cannot write out\/impl\/1-1-sign-in\.md: the disk is full; nothing was changed/,
  );
  assert.deepEqual(texts(), before);
  // What others wrote meanwhile stays, and the same mark does the rest.
  const meanwhile = () => Deno.writeTextFileSync(`${root}/${LEDGER}`, `${read(root, LEDGER)}# theirs\n`);
  assert.match(
    await marking(meanwhile),
    /full; out\/impl\/sprint-status\.yaml was changed already, and the same call again does the rest/,
  );
  assert.match(read(root, LEDGER), / {2}1-1-sign-in: in-progress\n[^]*# theirs\n$/);
  assert.deepEqual((await marked(root, ["1-1", "in-progress"])).files, [DOCUMENT]);
});

treeTest("a plan that was made for a mark that failed is deleted again [work:mark-everywhere]", {
  ...TICKETS,
  [`${EPIC}/bug-lost-cent.md`]: "---\nid: 3\ntype: bug\nstatus: ready-for-dev\n---\n",
}, async (root) => {
  const { files } = await writerIn(root);
  const world = await writerWith(
    root,
    (path, text, before) =>
      path.endsWith("-cent.md")
        ? fail({ code: "not-allowed", what: `write ${path}`, hint: "no" })
        : files.replace(path, text, before),
  );
  await assert.rejects(mark(world, { story: "1.3", status: "in-progress" }), /no; nothing was changed$/);
  assert.throws(() => read(root, PLAN), Deno.errors.NotFound);
});

treeTest("a record made meanwhile is changed, not made again [work:one-writer]", {
  "out/specs/spec-shop/SPEC.md": "# Shop\n",
  "out/specs/spec-shop/stories.yaml": '- id: "1"\n  title: Login\n  description: x\n',
}, async (root) => {
  const world = await writerIn(root);
  await mark(world, { story: "spec-shop/1", status: "in-progress" });
  const { changes, files } = await mark(world, { story: "spec-shop/1", status: "review" });
  assert.deepEqual(changes, [{ key: "spec-shop/1", from: "in-progress", to: "in-review" }]);
  assert.match(read(root, files[0]!), /^status: in-review$/m);
});

treeTest("no spelling of done gets past the check [work:forced]", SPRINT, async (root) => {
  const words = ["done", "dOne", "DonE", " DONE", `${" ".repeat(200)}done`, "comPleted", "_done_"];
  const findings = ["a box is open"];
  await refused(root, words.map((word) => ["1-1", word, /the check has 1 finding/] as const), { findings });
  assert.equal(read(root, LEDGER), SPRINT[LEDGER]);
});

treeTest("a step back is finished by force [work:mark-everywhere]", {
  [LEDGER]: SPRINT[LEDGER].replace("in: ready-for-dev", "in: in-progress"),
  [DOCUMENT]: "# A\n\nStatus: review\n",
}, async (root) => {
  assert.match((await marked(root, ["1-1", "in-progress"])).notes[0]!, /says "review" already/);
  const forced = await marked(root, ["1-1", "in-progress"], { isForced: true });
  assert.deepEqual([forced.files, forced.notes], [[DOCUMENT], []]);
  assert.equal(read(root, DOCUMENT), "# A\n\nStatus: in-progress\n");
});
