/** Does the native `tickets.py` read a tree of tickets as the original does, and change only what it is told to? */
import assert from "node:assert/strict";
import type { Resolvers } from "../../../src/content/library/mod.ts";
import { tickets } from "../../../src/project/scripts/tickets.ts";
import { type Ran, runNative } from "../../support/scripts.ts";
import { type TreeFile, treeTest, withTree } from "../../support/trees.ts";

// deno-lint-ignore no-explicit-any
type Json = any;
type Files = Readonly<Record<string, TreeFile>>;

const INITIATIVE = "out/initiative-shop";
const entry = (id: number | string, title: string, more = "", type = "story") =>
  `[[entry]]\nid = ${JSON.stringify(id)}\ntype = "${type}"\ntitle = "${title}"\n${more}\n`;
const head = (fields: string) => `---\n${fields}\n---\n`;

const TREE: Files = {
  [`${INITIATIVE}/initiative-shop.md`]: head("type: initiative\ntitle: Shop"),
  [`${INITIATIVE}/tickets.toml`]: '[[epic]]\nid = 1\nslug = "epic-pay"\ntitle = "Pay"\n' +
    '[[epic]]\nid = 2\nslug = "epic-ship"\nafter = [{ epic = 1, needs = "a paid order" }]\n',
  [`${INITIATIVE}/epic-pay/epic-pay.md`]: head("type: epic\ntitle: Pay"),
  [`${INITIATIVE}/epic-pay/tickets.toml`]: entry(1, "Sign in") +
    entry(
      2,
      "Pay by card",
      'after = [1]\ndescription = "With a card."\nverify = "A card is charged."\ncovers = ["FR1"]\nhitl = true',
    ) +
    entry(3, "Wrong total", "", "bug") + entry("4a", "Pay later", 'after = [2]\nrisk = "high"'),
  [`${INITIATIVE}/epic-pay/story-sign-in.md`]: head(
    "id: 1\ntype: story\ntitle: Sign in\nafter: []\nhitl: false",
  ),
  [`${INITIATIVE}/epic-pay/story-sign-in-plan.md`]: head(
    "title: Sign in\ntype: feature\nticket: '1'\nstatus: built",
  ),
  [`${INITIATIVE}/epic-ship/epic-ship.md`]: head("type: epic\ntitle: Ship\nafter: [epic-pay]"),
  [`${INITIATIVE}/epic-ship/tickets.toml`]: entry(1, "Print label", 'after = ["1.2"]') + entry(2, "Pack"),
};

const config = (core: Json) => ({
  resolvers: () =>
    Promise.resolve(
      { config: () => ({ core: { output_folder: "{project-root}/out", ...core } }) } as unknown as Resolvers,
    ),
});
const ACTIVE = config({ active_initiative: "initiative-shop" });

const run = (dir: string, ...args: readonly string[]): Promise<Ran> =>
  runNative(tickets, dir, args, "", ACTIVE);

async function ask(dir: string, ...args: readonly string[]): Promise<Json> {
  const { status, stdout, stderr } = await run(dir, ...args);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

async function refused(
  dir: string,
  wanted: number,
  message: RegExp,
  ...args: readonly string[]
): Promise<void> {
  const { status, stdout, stderr } = await run(dir, ...args);
  assert.deepEqual([status, stdout], [wanted, ""], args.join(" "));
  assert.match(JSON.parse(stderr).error, message);
}

treeTest("next groups open tickets by what can be done [work:tickets]", TREE, async (dir) => {
  const { folder, store, ready_to_refine, ready_to_start, in_progress, blocked, ...checks } = await ask(
    dir,
    "next",
  );
  assert.deepEqual([folder, store], ["initiative-shop", "repo"]);
  const refs = (rows: Json) => rows.map(({ ref, state }: Json) => `${ref} ${state}`);
  assert.deepEqual(refs(ready_to_refine), ["1.3 planned"]);
  // What waits for review lets others begin.
  assert.deepEqual(refs(ready_to_start), ["1.2 planned"]);
  assert.deepEqual(refs(in_progress), ["1.1 review"]);
  assert.deepEqual(refs(blocked), ["1.4a planned", "2.1 planned", "2.2 planned"]);
  assert.deepEqual(blocked.map(({ waiting_on }: Json) => waiting_on), [[2], ["1.2", "epic-pay"], [
    "epic-pay",
  ]]);
  assert.deepEqual(checks, { unpinned_after: [], undeclared_after: [], order_conflict: [] });
  const [card] = ready_to_start;
  assert.deepEqual(card, {
    epic: "epic-pay",
    id: 2,
    file: null,
    type: "story",
    tracker_id: "",
    title: "Pay by card",
    status: "",
    tracker_status: "",
    state: "planned",
    assignee: "",
    hitl: true,
    risk: "",
    covers: ["FR1"],
    estimate: "",
    refine: false,
    refined: false,
    blocked_at: "",
    blocked_reason: "",
    ref: "1.2",
    after: [1],
  });
  const one = await ask(dir, "next", "epic-pay");
  assert.deepEqual([one.folder, refs(one.blocked)], ["epic-pay", ["1.4a planned"]]);
});

treeTest("status counts, and shows what blocks what [work:tickets]", TREE, async (dir) => {
  const { tickets, counts, longest_remaining_chain, epics } = await ask(dir, "status", INITIATIVE);
  assert.deepEqual(counts, { total: 6, review: 1, planned: 5 });
  assert.deepEqual(tickets.find(({ ref }: Json) => ref === "1.2").blocks, ["4a", "2.1"]);
  assert.deepEqual(longest_remaining_chain, ["1.1", "1.2", "1.4a"]);
  assert.deepEqual(epics[1], {
    slug: "epic-ship",
    id: 2,
    status: "",
    after: [{ epic: "epic-pay", needs: "a paid order" }],
    gated_by: ["epic-pay"],
    blocks: [],
    next_id: 3,
  });
});

treeTest("find takes numbers, files and words of a title [work:tickets]", TREE, async (dir) => {
  for (const words of [["1.2"], ["pay by"], [`${INITIATIVE}/epic-pay`, "2"], ["epic-pay", "1.2"]]) {
    const found = await ask(dir, "find", ...words);
    assert.deepEqual([found.title, found.description, found.verify], [
      "Pay by card",
      "With a card.",
      "A card is charged.",
    ]);
    assert.equal(found.plan, `${dir}/${INITIATIVE}/epic-pay/story-pay-by-card-plan.md`);
    assert.deepEqual([found.story_file, found.epic_file], [
      null,
      `${dir}/${INITIATIVE}/epic-pay/epic-pay.md`,
    ]);
  }
  assert.equal(
    (await ask(dir, "find", "story-sign-in")).story_file,
    `${dir}/${INITIATIVE}/epic-pay/story-sign-in.md`,
  );
  await refused(
    dir,
    1,
    /"pay" can be several tickets: 1\.2 in epic-pay, 1\.4a in epic-pay/,
    "find",
    "pay",
  );
  await refused(dir, 1, /no ticket is called "9\.9"/, "find", "9.9");
});

treeTest("mark changes the plan's own lines, or makes a plan [work:tickets]", {
  ...TREE,
  [`${INITIATIVE}/epic-pay/story-sign-in-plan.md`]:
    "---\r\ntitle: Sign in # kept\r\nticket: 1\r\nstatus: built\r\ncontext:\r\n  - a\r\n---\r\n\r\n# Plan\r\nstatus: text\r\n",
}, async (dir) => {
  const path = `${dir}/${INITIATIVE}/epic-pay/story-sign-in-plan.md`;
  const marked = await ask(dir, "mark", "1.1", "blocked", "--blocked", 'No "key"', "--assignee", "Ann");
  assert.deepEqual([marked.plan, marked.created, marked.status], [path, false, "blocked"]);
  assert.match(marked.blocked_at, /^\d{4}-\d\d-\d\d$/);
  assert.equal(
    (await Deno.readTextFile(path)).replace(marked.blocked_at, "DAY"),
    "---\r\ntitle: Sign in # kept\r\nticket: 1\r\nstatus: blocked\r\ncontext:\r\n  - a\r\n" +
      'blocked_at: "DAY"\r\nblocked_reason: "No \\"key\\""\r\nassignee: "Ann"\r\n---\r\n\r\n# Plan\r\nstatus: text\r\n',
  );
  assert.deepEqual((await ask(dir, "next")).blocked[0].ref, "1.1");
  const done = await ask(dir, "mark", "1.1", "done");
  assert.deepEqual([done.status, done.assignee, done.blocked_at], ["done", "Ann", ""]);
  const made = await ask(dir, "mark", "1.2", "in-progress");
  assert.equal(made.created, true);
  assert.equal(
    await Deno.readTextFile(made.plan),
    '---\ntitle: "Pay by card"\nticket: 2\nstatus: in-progress\n---\n',
  );
  assert.deepEqual((await ask(dir, "status")).counts, { total: 6, done: 1, "in-progress": 1, planned: 4 });
  await refused(dir, 1, /unknown status "paused"/, "mark", "1.2", "paused");
});

treeTest("pull writes what the entry says, and no status [work:tickets]", TREE, async (dir) => {
  assert.deepEqual(await ask(dir, "pull", `${INITIATIVE}/epic-pay`, "2"), {
    file: "story-pay-by-card.md",
    refine: false,
  });
  assert.equal(
    await Deno.readTextFile(`${dir}/${INITIATIVE}/epic-pay/story-pay-by-card.md`),
    '---\nid: 2\ntype: story\ntitle: "Pay by card"\nparent: epic-pay\ncovers: [FR1]\nafter: [1]\nhitl: true\n---\n\n' +
      "# Pay by card\n\n## Description\n\nWith a card.\n\n## Acceptance Criteria\n\nVerify: A card is charged.\n\n" +
      `## References\n\n- parent — ${INITIATIVE}/epic-pay/epic-pay.md\n`,
  );
  const row = (await ask(dir, "status")).tickets.find(({ ref }: Json) => ref === "1.2");
  assert.deepEqual([row.file, row.state, row.drift], ["story-pay-by-card.md", "backlog", undefined]);
  await refused(dir, 1, /entry 2 has a file already/, "pull", "epic-pay", "2");
});

Deno.test("what contradicts itself is an error, and a plan that fits nothing a problem", async (t) => {
  const pay = `${INITIATIVE}/epic-pay`;
  const ledgers: Readonly<Record<string, readonly [ledger: string, RegExp]>> = {
    "an unknown epic": [entry(1, "A", 'after = ["epic-none"]'), /after names "epic-none"/],
    "an unknown file": [entry(1, "A", 'after = ["story-b"]'), /after names "story-b"/],
    "an entry that an epic lacks": [entry(1, "A", 'after = ["1.9"]'), /after names "1\.9"/],
    "nothing": [entry(1, "A", 'after = [""]'), /after names ""/],
    "a list that is none": [entry(1, "A", 'notes = "x"'), /notes must be a list/],
    "a next id that is none": ['next_id = "x"\n', /next_id must be a whole number/],
    "an unknown type": [entry(1, "A", "", "chore"), /unknown type "chore"/],
    "broken TOML": ["[[entry", /epic-pay\/tickets\.toml: the TOML cannot be parsed/],
  };
  const small = { [`${INITIATIVE}/epic-ship/tickets.toml`]: entry(1, "Print label") };
  for (const [what, [ledger, message]] of Object.entries(ledgers)) {
    const files = { ...TREE, ...small, [`${pay}/tickets.toml`]: ledger };
    await t.step(what, () => withTree(files, (dir) => refused(dir, 1, message, "status")));
  }
  await t.step("two tickets with one id of a tracker", () =>
    withTree({
      ...TREE,
      ...small,
      [`${pay}/story-sign-in.md`]: head("id: 1\ntype: story\ntracker_id: LIN-1"),
      [`${pay}/epic-pay.md`]: head("type: epic\ntracker_id: lin-1"),
    }, (dir) => refused(dir, 1, /several tickets have the tracker_id "lin-1"/, "status")));
  await t.step("a lost plan", () =>
    withTree({
      ...TREE,
      [`${pay}/lost-plan.md`]: head("ticket: 99\nstatus: done"),
      [`${pay}/story-x-plan.md`]: head("ticket: 2\nstatus: odd"),
    }, async (dir) => {
      const { problems, blocked } = await ask(dir, "next");
      assert.equal(problems.length, 2);
      assert.ok(
        blocked.some(({ ref, blocked_reason }: Json) => ref === "1.2" && /odd/.test(blocked_reason)),
      );
    }));
});

treeTest("an unknown id of a tracker makes its ticket wait [work:tickets]", {
  ...TREE,
  [`${INITIATIVE}/epic-pay/tickets.toml`]: entry(1, "Sign in") +
    entry(2, "Pay", 'after = ["LIN-77", 1]') +
    entry(3, "Refund", 'after = ["77"]') + entry(4, "Invoice", 'after = ["owner/shop#12", "jira-9"]'),
  [`${INITIATIVE}/epic-ship/epic-ship.md`]: head("type: epic\ntitle: Ship\nafter: [LIN-78]"),
  [`${INITIATIVE}/epic-ship/tickets.toml`]: entry(1, "Print label", 'after = ["1.1"]'),
}, async (dir) => {
  const { blocked, problems, ready_to_start } = await ask(dir, "next");
  assert.deepEqual(ready_to_start, []);
  assert.deepEqual(blocked.map(({ ref, waiting_on }: Json) => [ref, ...waiting_on]), [
    ["1.2", "LIN-77"],
    ["1.3", "77"],
    ["1.4", "owner/shop#12", "jira-9"],
    ["2.1", "LIN-78"],
  ]);
  assert.equal(problems.length, 5);
  assert.match(problems.join("\n"), /epic-pay\/tickets\.toml: entry 2 waits for "LIN-77"/);
  assert.deepEqual((await ask(dir, "status")).longest_remaining_chain, ["1.1", "1.2"]);
  assert.deepEqual((await ask(dir, "find", "1.3")).after, ["77"]);
  assert.equal((await ask(dir, "mark", "1.2", "done")).status, "done");
  const { file } = await ask(dir, "pull", "epic-pay", "3");
  assert.match(await Deno.readTextFile(`${dir}/${INITIATIVE}/epic-pay/${file}`), /^after: \["77"\]$/m);
  const row = (await ask(dir, "status")).tickets.find(({ ref }: Json) => ref === "1.3");
  assert.deepEqual([row.after, row.drift], [["77"], undefined]);
});

treeTest("tickets outside the initiative are found [work:tickets]", {
  ...TREE,
  "out/backlog/bug-slow.md": head("type: bug\ntitle: Slow: the search page\nrefined: true"),
  "out/backlog/story-6.md": head("id: 6\ntype: story\ntitle: Dark mode"),
}, async (dir) => {
  const { backlog } = await ask(dir, "next");
  assert.deepEqual(backlog.ready_to_start.map(({ ref, title }: Json) => [ref, title]), [
    ["bug-slow.md", "Slow: the search page"],
  ]);
  assert.deepEqual(backlog.ready_to_refine.map(({ ref }: Json) => ref), ["story-6.md"]);
  const status = await ask(dir, "status");
  assert.deepEqual([status.backlog.counts, status.backlog.next_id], [{ total: 2, backlog: 2 }, 7]);
  assert.equal((await ask(dir, "status", INITIATIVE)).backlog, undefined);
  const found = await ask(dir, "find", "dark mode");
  assert.deepEqual([found.folder, found.ref, found.epic_file], ["backlog", "story-6.md", null]);
  const marked = await ask(dir, "mark", "bug-slow", "in-progress");
  assert.equal(marked.plan, `${dir}/out/backlog/bug-slow-plan.md`);
  assert.match(await Deno.readTextFile(marked.plan), /^ticket: "bug-slow"$/m);
  await refused(dir, 1, /no ticket is called "nothing like it"/, "find", "nothing like it");
  await Deno.writeTextFile(`${dir}/out/backlog/tickets.toml`, "[[entry");
  assert.match((await ask(dir, "next")).backlog.error, /cannot be parsed/);
  assert.match((await ask(dir, "find", "1.2")).title, /Pay by card/);
});

treeTest("odd front matter is read as BMAD's script does [work:tickets]", {
  ...TREE,
  [`${INITIATIVE}/epic-pay/story-sign-in.md`]:
    "\uFEFF---\r\nid: 01\r\ntype: story\r\ntitle: Sign in: with a key   # draft\r\nafter: []\r\nhitl: True\r\nrisk: low\r\n" +
    "assignee: @ann\r\n---\r\n\r\n## Notes\r\n\r\n- Unknown: which key?\r\n<!-- Unknown: an example -->\r\n",
  [`${INITIATIVE}/epic-pay/story-sign-in-plan.md`]:
    "---\ntitle: 'It''s a plan'\nticket: 1\nstatus: \"built\" # by hand\r\ncontext:\n  - a: b: c\n- d\n---\n",
  [`${INITIATIVE}/epic-pay/story-pay-by-card-plan.md`]: "---\nticket: 02\nstatus: draft\n---",
}, async (dir) => {
  const { tickets } = await ask(dir, "status");
  const [first, second] = tickets;
  assert.deepEqual(
    [first.title, first.state, first.risk, first.assignee, first.hitl, first.unknown],
    ["Sign in: with a key", "review", "low", "@ann", true, "which key?"],
  );
  assert.deepEqual(first.drift, { hitl: { file: true, entry: false } });
  assert.equal(second.status, "draft");
  const path = `${dir}/${INITIATIVE}/epic-pay/story-sign-in-plan.md`;
  await ask(dir, "mark", "1.1", "done", "--assignee", "Bo");
  assert.equal(
    await Deno.readTextFile(path),
    "---\ntitle: 'It''s a plan'\nticket: 1\nstatus: done\r\ncontext:\n  - a: b: c\n- d\nassignee: \"Bo\"\n---\n",
  );
  await Deno.writeTextFile(
    `${dir}/${INITIATIVE}/epic-pay/story-x.md`,
    "---\ntype: story\ncovers:\n  - a\n---\n",
  );
  await refused(dir, 1, /epic-pay\/story-x\.md: a list must be on one line/, "status");
  await Deno.writeTextFile(`${dir}/${INITIATIVE}/epic-pay/story-x.md`, "---\ntype: story\n");
  await refused(dir, 1, /epic-pay\/story-x\.md: its front matter has no end/, "status");
});

treeTest("what a file says is read again once the file has changed, however old it is", TREE, async (dir) => {
  const plan = `${dir}/${INITIATIVE}/epic-pay/story-sign-in-plan.md`;
  const [old, older] = [new Date(Date.now() - 600_000), new Date(Date.now() - 700_000)];
  const later = { ...ACTIVE, clock: { now: () => Date.now() + 3_600_000 } };
  const stateOf = async () => {
    const { stdout } = await runNative(tickets, dir, ["find", "1.1"], "", later);
    return JSON.parse(stdout).status;
  };
  await Deno.utime(plan, old, old);
  assert.deepEqual([await stateOf(), await stateOf()], ["built", "built"]);
  for (const [status, time] of [["draft", older], ["dropped", old]] as const) {
    await Deno.writeTextFile(plan, head(`title: Sign in\ntype: feature\nticket: '1'\nstatus: ${status}`));
    await Deno.utime(plan, time, time);
    assert.equal(await stateOf(), status);
  }
  await Deno.remove(plan);
  assert.equal(await stateOf(), "");
});

treeTest("an open question holds its ticket back, and two entries of one title get two files", {
  "out/backlog/tickets.toml": "next_id = 9\n" + entry(1, "Log", 'unknown = "which format?"') +
    entry(2, "Log") +
    entry("3a", "Log", "done_checkpoint = true\nplan_checkpoint = false"),
}, async (dir) => {
  const { blocked, ready_to_start } = await ask(dir, "next", "out/backlog");
  assert.deepEqual(blocked.map(({ ref, unknown, waiting_on }: Json) => [ref, unknown, waiting_on]), [
    ["1", "which format?", undefined],
  ]);
  assert.deepEqual(
    ready_to_start.map(({ plan_checkpoint, done_checkpoint }: Json) => [plan_checkpoint, done_checkpoint]),
    [
      [undefined, undefined],
      [undefined, true],
    ],
  );
  assert.equal((await ask(dir, "status", "out/backlog")).next_id, 9);
  assert.equal(
    (await ask(dir, "find", "out/backlog", "3a")).plan,
    `${dir}/out/backlog/story-log-3a-plan.md`,
  );
  assert.equal((await ask(dir, "pull", "out/backlog", "2")).file, "story-log-2.md");
  assert.equal((await ask(dir, "pull", "out/backlog", "1")).file, "story-log.md");
  assert.equal((await ask(dir, "next", "out/backlog")).blocked[0].unknown, "which format?");
});

Deno.test("a tracker's statuses are changed in the tracker, and no initiative is guessed", () =>
  withTree(
    { ...TREE, "_bmad/custom/ticketing-store-config.toml": '[tickets]\nstore = "jira"\n' },
    async (dir) => {
      await refused(dir, 2, /the store is jira/, "next");
      await refused(dir, 2, /the store is jira/, "mark", "1.1", "done");
      assert.equal((await ask(dir, "next", "--synced")).store, "jira");
      const { status, stderr } = await runNative(tickets, dir, ["status"], "", config({}));
      assert.equal(status, 1);
      assert.match(
        JSON.parse(stderr).error,
        /^no initiative is active\. Pass a folder: out\/initiative-shop$/,
      );
      await assert.rejects(() => run(dir, "status", "../elsewhere"));
    },
  ));

Deno.test("the store may say where the tickets are, as in the first releases with tickets", async () => {
  const moved = Object.fromEntries(
    Object.entries(TREE).map(([path, text]) => [path.replace("out/", "out/preview-ticketing/"), text]),
  );
  const config = "_bmad/custom/ticketing-store-config.toml";
  for (const root of ["{output_folder}/preview-ticketing", "{project-root}/out/preview-ticketing"]) {
    await withTree({ ...moved, [config]: `[tickets]\nstore = "repo"\nroot = "${root}"\n` }, async (dir) => {
      assert.equal((await ask(dir, "next")).ready_to_start[0].ref, "1.2");
      assert.equal((await ask(dir, "find", "epic-pay", "2")).title, "Pay by card");
    });
  }
  await withTree({ ...TREE, [config]: '[tickets]\nroot = "../elsewhere"\n' }, async (dir) => {
    assert.equal((await ask(dir, "next")).folder, "initiative-shop");
  });
});

Deno.test("long chains and large trees end", () => {
  const chain = Array.from(
    { length: 3_000 },
    (_, at) => entry(at + 1, `T${at}`, at === 0 ? "" : `after = [${at}]`),
  ).join("");
  const many = Array.from({ length: 6_000 }, (_, at) => entry(at + 1, "T")).join("");
  return withTree({ "out/backlog/tickets.toml": chain, "out/more/tickets.toml": many }, async (dir) => {
    assert.equal((await ask(dir, "status", "out/backlog")).longest_remaining_chain.length, 3_000);
    await refused(dir, 1, /more than 5000 tickets/, "status", "out/more");
  });
});
