/**
 * Does a mark change the right line of the right file in every format, and nothing else?
 */
import assert from "node:assert/strict";
import { fail } from "../../../../src/base/errors.ts";
import type { BoardFolders } from "../../../../src/project/work/formats/mod.ts";
import { mark } from "../../../../src/project/work/writer/mod.ts";
import { verifies } from "../../../support/requirements.ts";
import { treeTest, withTree } from "../../../support/trees.ts";
import { marked, NOON, writerIn } from "../../../support/writer.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const SPRINT = {
  [LEDGER]: "# ours\nlast_updated: '2026-01-02'\ndevelopment_status:\n  epic-1: backlog # soon\n" +
    "  1-1-sign-in: ready-for-dev\n  1-2-sign-out: backlog\n  epic-1-retrospective: optional\n",
  "out/impl/1-1-sign-in.md":
    "# Story 1.1: Sign in\r\n\r\n**Status:** ready-for-dev <!-- by hand -->\r\n\r\nText\r\n",
};

const read = (root: string, path: string) => Deno.readTextFileSync(`${root}/${path}`);

treeTest(verifies("work:mark-everywhere", "the file and the epic follow"), SPRINT, async (root) => {
  const begun = await marked(root, ["Story 1.1", "started"]);
  assert.deepEqual(begun.told, [
    "1-1-sign-in: ready-for-dev → in-progress",
    "epic-1: backlog → in-progress",
  ]);
  assert.deepEqual(begun.files, [LEDGER, "out/impl/1-1-sign-in.md"]);
  const ledger = SPRINT[LEDGER].replace("2026-01-02", "2026-08-01").replace(
    "epic-1: backlog",
    "epic-1: in-progress",
  )
    .replace("in: ready-for-dev", "in: in-progress");
  assert.equal(read(root, LEDGER), ledger);
  assert.equal(
    read(root, "out/impl/1-1-sign-in.md"),
    SPRINT["out/impl/1-1-sign-in.md"].replace("ready-for-dev", "in-progress"),
  );
  await assert.rejects(
    marked(root, ["1-1", "backlog"]),
    /Cannot move 1-1-sign-in from in-progress back to backlog/,
  );
  assert.deepEqual((await marked(root, ["1.1", "wip"])).told, []);
  // A mark that was cut off after the ledger is finished by the same mark.
  await Deno.writeTextFile(`${root}/out/impl/1-1-sign-in.md`, "Status: ready-for-dev\n");
  const again = await marked(root, ["1.1", "in progress"]);
  assert.deepEqual([again.told, again.files], [[], ["out/impl/1-1-sign-in.md"]]);
  assert.equal(read(root, "out/impl/1-1-sign-in.md"), "Status: in-progress\n");
  assert.deepEqual((await marked(root, ["sign in", "complete"])).told, [
    "1-1-sign-in: in-progress → done",
  ]);
  assert.deepEqual((await marked(root, ["1-2-sign-out", "done"])).told, [
    "1-2-sign-out: backlog → done",
    "epic-1: in-progress → done",
  ]);
  assert.deepEqual((await marked(root, ["epic 1 retrospective", "completed"])).told, [
    "epic-1-retrospective: optional → done",
  ]);
  await assert.rejects(marked(root, ["epic-1", "in-progress"]), /from done back to in-progress/);
  await assert.rejects(marked(root, ["1-3", "done"]), /No story named "1-3"/);
  await assert.rejects(
    marked(root, ["1-2", "odd"]),
    /Unknown status "odd". Use one of backlog, ready-for-dev/,
  );
});

treeTest(verifies("work:mark-everywhere", "a mark without a status is told those that its story can have"), {
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
    await assert.rejects(marked(root, [story, " "]), {
      message: `Missing status. Use one of ${words}`,
    });
  }
});

treeTest(verifies("work:mark-everywhere", "an epic without stories does not end unless it is forced"), {
  [LEDGER]: "development_status:\n  epic-1: backlog\n  epic-2: backlog\n  2-1-a: done\n",
}, async (root) => {
  const before = read(root, LEDGER);
  await assert.rejects(
    marked(root, ["epic-1", "done"]),
    /Cannot end epic-1: it has no stories yet/,
  );
  assert.equal(read(root, LEDGER), before);
  await marked(root, ["epic-2", "done"]);
  await marked(root, ["epic-1", "done"], { isForced: true });
  assert.match(read(root, LEDGER), /epic-1: done\n {2}epic-2: done\n/);
});

const SPEC = "out/specs/spec-shop";

treeTest(verifies("work:mark-everywhere", "a story of a spec has its status in its record"), {
  [`${SPEC}/SPEC.md`]: "# Shop\n",
  [`${SPEC}/stories.yaml`]: "- id: '1'\n  title: Pay\n- id: '2'\n  title: Ship it\n",
  [`${SPEC}/stories/1-pay.md`]: "---\ntitle: 'Pay'\nstatus: 'ready-for-dev' # x\n---\nStatus: old\n",
}, async (root) => {
  assert.deepEqual((await marked(root, ["spec-shop/1", "review"])).told, [
    "spec-shop/1: ready-for-dev → in-review",
  ]);
  assert.equal(
    read(root, `${SPEC}/stories/1-pay.md`),
    "---\ntitle: 'Pay'\nstatus: 'in-review' # x\n---\nStatus: old\n",
  );
  await marked(root, ["Ship it", "in-progress"]);
  assert.equal(
    read(root, `${SPEC}/stories/2-ship-it.md`),
    "---\ntitle: Ship it\ncreated: '2026-08-01'\nstatus: in-progress\n---\n\n# Ship it\n",
  );
  assert.equal((await writerIn(root)).board.epics[0]!.stories[1]!.state, "in-progress");
  await assert.rejects(marked(root, ["spec-shop", "done"]), /its state follows from its stories/);
});

const V4: BoardFolders = {
  planning: [],
  implementation: [],
  v4: { stories: "docs/stories", prd: "docs/prd", prdFile: "docs/prd.md" },
};

treeTest(verifies("work:mark-everywhere", "v4's stories have v4's words"), {
  "docs/prd.md": "## Epic 1: Shop\n### Story 1.1: Pay\n### Story 1.2: Ship\n### Story 1.3: Bill\n",
  "docs/stories/1.1.pay.md": "# Story 1.1: Pay\n\n## Status\n\n**Approved**\n\n## Story\n",
  "docs/stories/1.2.ship.md": "# Story 1.2: Ship\n\n## Story\n",
}, async (root) => {
  const options = { folders: V4 };
  assert.deepEqual((await marked(root, ["1.1", "in-progress"], options)).told, [
    "1.1.pay: Approved → InProgress",
  ]);
  assert.equal(
    read(root, "docs/stories/1.1.pay.md"),
    "# Story 1.1: Pay\n\n## Status\n\n**InProgress**\n\n## Story\n",
  );
  await marked(root, ["1-2", "ready"], options);
  assert.equal(
    read(root, "docs/stories/1.2.ship.md"),
    "# Story 1.2: Ship\n\nStatus: Approved\n\n## Story\n",
  );
  await assert.rejects(
    marked(root, ["1.1", "draft"], options),
    /Cannot move 1\.1\.pay from InProgress back to Draft/,
  );
  await assert.rejects(marked(root, ["1.3", "done"], options), /it is only planned, in docs\/prd\.md/);
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

Deno.test("the plan of a ticket is made beside the ledger that lists it, even if its epic has no file", () => {
  const { [`${EPIC}/epic-pay.md`]: _, ...files } = TICKETS;
  return withTree(files, async (root) => {
    await marked(root, ["1.3", "in-progress"]);
    assert.match(read(root, `${EPIC}/bug-lost-cent-plan.md`), /^ticket: 3$/m);
    assert.equal((await writerIn(root)).board.epics[0]!.stories[0]!.status, "in-progress");
  });
});

treeTest(verifies("work:mark-everywhere", "a ticket has its status in its plan"), TICKETS, async (root) => {
  assert.deepEqual((await marked(root, ["1.4", "built", "Ann"])).told, ["1.4: in-review → built"]);
  assert.equal(
    read(root, `${EPIC}/story-pay-plan.md`),
    "---\nticket: 4\nstatus: 'built'\nassignee: \"Ann\"\n---\n",
  );
  assert.deepEqual((await marked(root, ["1.4", "review"])).told, []);
  await marked(root, ["1.3", "blocked"]);
  assert.equal(
    read(root, `${EPIC}/bug-lost-cent-plan.md`),
    '---\ntitle: "Lost cent"\nticket: 3\nstatus: blocked\n---\n',
  );
  assert.deepEqual((await writerIn(root)).board.epics[0]!.stories.map(({ status }) => status), [
    "blocked",
    "built",
  ]);
  await assert.rejects(
    marked(root, ["epic-pay", "done"]),
    /Cannot end epic-pay: 1\.3, 1\.4 are not done/,
  );
  // As tickets.py: the reason of a block goes with it.
  const plan = `${EPIC}/bug-lost-cent-plan.md`;
  const blocked = read(root, plan);
  Deno.writeTextFileSync(
    `${root}/${plan}`,
    blocked.replace("status:", "blocked_at: '2026-01-01'\nblocked_reason: Rain\nstatus:"),
  );
  await marked(root, ["1.3", "in-progress"]);
  assert.equal(read(root, plan), blocked.replace("status: blocked", "status: in-progress"));
  await marked(root, ["1.3", "dropped"]);
  await marked(root, ["story-pay", "done"]);
  // Its own word is a person's to say.
  assert.equal(read(root, `${EPIC}/epic-pay.md`), TICKETS[`${EPIC}/epic-pay.md`]);
  await marked(root, ["epic-pay", "done"]);
  assert.match(read(root, `${EPIC}/epic-pay.md`), /\nstatus: done\n---\n$/);
  await Deno.mkdir(`${root}/_bmad/custom`, { recursive: true });
  await Deno.writeTextFile(
    `${root}/_bmad/custom/ticketing-store-config.toml`,
    '[tickets]\nstore = "jira"\n',
  );
  await assert.rejects(marked(root, ["1.3", "done"]), /jira keeps the statuses/);
});

treeTest(verifies("work:forced", "a forced mark is recorded"), SPRINT, async (root) => {
  const findings = ["out/impl/1-1-sign-in.md:3: Story 1-1 has open boxes."];
  await assert.rejects(
    marked(root, ["1-1", "done"], { findings }),
    /^BmadError: Cannot mark 1-1-sign-in as done: the check has 1 finding:\n- out\/impl\/1-1-sign-in\.md:3: Story/,
  );
  assert.equal(read(root, LEDGER), SPRINT[LEDGER]);
  // Only what needs it is recorded.
  await marked(root, ["1-2", "review"], { isForced: true });
  assert.equal((await writerIn(root)).board.epics[0]!.stories[1]!.forced, undefined);
  await marked(root, ["1-1", "done", "Ann"], { findings, isForced: true });
  const { forced } = (await writerIn(root)).board.epics[0]!.stories[0]!;
  assert.deepEqual(forced, { at: new Date(NOON).toISOString(), by: "Ann", reasons: findings });
  await marked(root, ["1-1", "backlog"], { isForced: true });
  assert.match(
    (await writerIn(root)).board.epics[0]!.stories[0]!.forced!.reasons[0]!,
    /^Cannot move 1-1-sign-in from done back/,
  );
  assert.equal(read(root, "out/.bmad-work/forced.jsonl").split("\n").length, 3);
  // Once it has moved on, that is history.
  await marked(root, ["1-1", "review"]);
  assert.equal((await writerIn(root)).board.epics[0]!.stories[0]!.forced, undefined);
});

Deno.test(verifies("work:forced", "a forced mark is recorded before it counts"), async () => {
  const request = { story: "1-1", status: "done", by: "Ann", isForced: true };
  for (let writes = 0; writes <= 3; writes++) {
    await withTree(SPRINT, async (root) => {
      const world = await writerIn(root, { findings: ["open boxes"] });
      let left = writes;
      const files: typeof world.files = {
        ...world.files,
        replace: (...given) => {
          if (left-- <= 0) throw new Error("killed");
          return world.files.replace(...given);
        },
      };
      await mark({ ...world, files }, request).catch(() => {});
      const [story] = (await writerIn(root)).board.epics[0]!.stories;
      assert.equal(story!.forced !== undefined, story!.state === "done", `after ${writes} writes`);
      assert.equal(story!.state === "done", writes > 1, `after ${writes} writes`);
    });
  }
});

treeTest("a status that cannot be changed by its line is refused, and nothing is written", {
  "out/impl/spec-odd.md": "---\nstatus: &x draft\n---\n",
  "out/impl/spec-long.md": `Status: draft ${"<!--".repeat(30_000)}-->\n`,
}, async (root) => {
  await assert.rejects(
    marked(root, ["spec-odd", "done"]),
    /Cannot read out\/impl\/spec-odd\.md:2: its status is/,
  );
  await assert.rejects(
    marked(root, ["spec-long", "done"]),
    /Cannot read out\/impl\/spec-long\.md:1: its status is/,
  );
});

treeTest(verifies("work:mark-everywhere", "a planned story is refused with the way out"), {
  "out/plan/epics.md": "## Epic 1: Q\n### Story 1.1: A\n",
  "docs/prd.md": "# PRD\n## Epic 2: R\n### Story 2.1: B\n",
}, async (root) => {
  const findings = ["something else"];
  const failureOf = async (story: string, folders?: BoardFolders) => {
    const error = await marked(root, [story, "done"], { findings, ...(folders && { folders }) }).catch((
      error,
    ) => error);
    return { text: `${error}`, fixes: error.failure.fixes };
  };
  const planned = await failureOf("1-1");
  assert.match(
    planned.text,
    /Cannot mark 1-1: it is only planned, in out\/plan\/epics\.md; .*, or make a sprint/,
  );
  assert.deepEqual(planned.fixes, ["plan"]);
  const old = await failureOf("2-1", {
    planning: [],
    implementation: [],
    v4: { stories: "docs/stories", prd: "docs/prd", prdFile: "docs/prd.md" },
  });
  assert.match(old.text, /it is only planned, in docs\/prd\.md; write its story file first$/);
  assert.deepEqual(old.fixes, []);
});

treeTest(verifies("work:mark-everywhere", "a mark changes both files or none"), SPRINT, async (root) => {
  const DOCUMENT = "out/impl/1-1-sign-in.md";
  const texts = () => [read(root, LEDGER), read(root, DOCUMENT)];
  const before = texts();
  const marking = async (meanwhile: () => void) => {
    const world = await writerIn(root);
    const replace: typeof world.files.replace = (path, text, before) => {
      if (path !== DOCUMENT) return world.files.replace(path, text, before);
      meanwhile();
      return fail({ code: "not-writable", path, reason: "the disk is full", fix: "Make room" });
    };
    const files = { ...world.files, replace };
    return await mark({ ...world, files }, { story: "1-1", status: "in-progress" }).then(String, String);
  };
  assert.match(
    await marking(() => {}),
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

treeTest(verifies("work:mark-everywhere", "a plan that was made for a mark that failed is deleted again"), {
  ...TICKETS,
  [`${EPIC}/bug-lost-cent.md`]: "---\nid: 3\ntype: bug\nstatus: ready-for-dev\n---\n",
}, async (root) => {
  const world = await writerIn(root);
  const replace: typeof world.files.replace = (path, text, before) =>
    path.endsWith("-cent.md")
      ? fail({ code: "not-allowed", what: `write ${path}`, hint: "no" })
      : world.files.replace(path, text, before);
  await assert.rejects(
    mark({ ...world, files: { ...world.files, replace } }, { story: "1.3", status: "in-progress" }),
    /no; nothing was changed$/,
  );
  assert.throws(() => read(root, `${EPIC}/bug-lost-cent-plan.md`), Deno.errors.NotFound);
});

treeTest(verifies("work:one-writer", "a record made meanwhile is changed, not made again"), {
  "out/specs/spec-shop/SPEC.md": "# Shop\n",
  "out/specs/spec-shop/stories.yaml": '- id: "1"\n  title: Login\n  description: x\n',
}, async (root) => {
  const world = await writerIn(root);
  await mark(world, { story: "spec-shop/1", status: "in-progress" });
  const { changes, files } = await mark(world, { story: "spec-shop/1", status: "review" });
  assert.deepEqual(changes, [{ key: "spec-shop/1", from: "in-progress", to: "in-review" }]);
  assert.match(Deno.readTextFileSync(`${root}/${files[0]}`), /^status: in-review$/m);
});

treeTest(verifies("work:forced", "no spelling of done gets past the check"), SPRINT, async (root) => {
  for (const word of ["done", "dOne", "DonE", " DONE", `${" ".repeat(200)}done`, "comPleted", "_done_"]) {
    await assert.rejects(
      marked(root, ["1-1", word], { findings: ["a box is open"] }),
      /the check has 1 finding/,
      word,
    );
  }
  assert.equal(read(root, LEDGER), SPRINT[LEDGER]);
});

Deno.test(verifies("work:mark-everywhere", "a step back is finished by force"), () => {
  const ledger = SPRINT[LEDGER].replace("in: ready-for-dev", "in: in-progress");
  const files = { [LEDGER]: ledger, "out/impl/1-1-sign-in.md": "# A\n\nStatus: review\n" };
  return withTree(files, async (root) => {
    assert.match((await marked(root, ["1-1", "in-progress"])).notes[0]!, /says "review" already/);
    const forced = await marked(root, ["1-1", "in-progress"], { isForced: true });
    assert.deepEqual([forced.files, forced.notes], [["out/impl/1-1-sign-in.md"], []]);
    assert.equal(read(root, "out/impl/1-1-sign-in.md"), "# A\n\nStatus: in-progress\n");
  });
});
