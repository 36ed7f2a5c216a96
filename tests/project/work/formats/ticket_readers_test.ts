/** Do the board, `mark` and `tickets.py` say the same about one ticket tree? */
import assert from "node:assert/strict";
import { diskTree } from "../../../../src/content/tree/mod.ts";
import { tickets } from "../../../../src/project/scripts/tickets.ts";
import type { Step } from "../../../../src/content/library/mod.ts";
import { readBoard } from "../../../../src/project/work/board/mod.ts";
import type { Story } from "../../../../src/project/work/formats/mod.ts";
import { adviseStories } from "../../../../src/project/work/next/stories.ts";
import { chanceFrom } from "../../../support/chance.ts";
import { boardOf, FOLDERS, states, told } from "../../../support/board.ts";
import { OF_SHOP, runNative } from "../../../support/scripts.ts";
import { treeTest, withTree } from "../../../support/trees.ts";
import { marked } from "../../../support/writer.ts";

// deno-lint-ignore no-explicit-any
type Json = any;
type Files = Readonly<Record<string, string>>;

const SHOP = "out/initiative-shop";
const PAY = `${SHOP}/epic-pay`;
const ROOTS: Files = {
  [`${SHOP}/initiative-shop.md`]: "---\ntype: initiative\ntitle: Shop\n---\n",
  [`${SHOP}/tickets.toml`]: '[[epic]]\nid = 1\nslug = "epic-pay"\ntitle = "Pay"\n',
  [`${PAY}/epic-pay.md`]: "---\ntype: epic\ntitle: Pay\n---\n",
};
const entry = (id: number | string, title: string, more = "") =>
  `[[entry]]\nid = ${JSON.stringify(id)}\ntype = "story"\ntitle = "${title}"\n${more}\n`;
const head = (fields: string) => `---\n${fields}\n---\n`;

async function script(root: string, ...args: readonly string[]): Promise<Json> {
  const { status, stdout, stderr } = await runNative(tickets, root, args, "", OF_SHOP);
  return status === 0 ? JSON.parse(stdout) : JSON.parse(stderr);
}

/** `1.4 done: Pay it` for each ticket, in order, by the board and by the script. */
async function bothOf(root: string): Promise<readonly (readonly string[])[]> {
  const { epics } = await readBoard(diskTree(root), FOLDERS);
  const rows = (await script(root, "status")).tickets;
  return [
    epics.flatMap(({ stories }) => stories).map(({ ref, status, title }) =>
      `${ref} ${status ?? ""}: ${title}`
    ),
    rows.map(({ ref, tracker_status, status, title }: Json) =>
      `${ref} ${tracker_status || status}: ${title}`
    ),
  ];
}

const TREES: Readonly<Record<string, readonly [files: Files, tickets: readonly string[]]>> = {
  "the type and the id in the front matter make a ticket, whatever the file is called": [{
    [`${PAY}/tickets.toml`]: entry(1, "Pay it"),
    [`${PAY}/pay-it.md`]: head("type: story\nid: 1\ntitle: Pay it"),
    [`${PAY}/how.md`]: head("ticket: 1\nstatus: done"),
  }, ["1.1 done: Pay it"]],
  "a number is the same with zeros before it": [{
    [`${PAY}/tickets.toml`]: entry("04", "A") + entry(5, "B", 'after = ["1.04"]') + entry("006", "C"),
    [`${PAY}/story-a.md`]: head("type: story\nid: 4\ntitle: A"),
    [`${PAY}/story-a-plan.md`]: head("ticket: '0004'\nstatus: built"),
    [`${PAY}/story-c-plan.md`]: head("ticket: 6\nstatus: draft"),
  }, ["1.4 built: A", "1.5 : B", "1.6 draft: C"]],
  "a plan decides even if it has no status, and only front matter has one": [{
    [`${PAY}/tickets.toml`]: entry(1, "A") + entry(2, "B"),
    [`${PAY}/story-a.md`]: head("type: story\nid: 1\ntitle: A\nstatus: done"),
    [`${PAY}/story-a-plan.md`]: head("ticket: 1"),
    [`${PAY}/story-b.md`]: `${head("type: story\nid: 2\ntitle: B")}\nStatus: done\n`,
  }, ["1.1 : A", "1.2 : B"]],
  "a file's title counts before its entry's, and files without an entry come last, by id": [{
    [`${PAY}/tickets.toml`]: entry(3, "Old"),
    [`${PAY}/story-x.md`]: head("type: story\nid: 3\ntitle: New: it's shorter   # than before"),
    [`${PAY}/story-a.md`]: head("type: bug\nid: 12\ntitle: L"),
    [`${PAY}/story-b.md`]: head("type: bug\nid: 7\ntitle: M"),
  }, ["1.3 : New: it's shorter", "1.7 : M", "1.12 : L"]],
  "a tracker decides": [{
    [`${PAY}/tickets.toml`]: entry(1, "A"),
    [`${PAY}/story-a.md`]: head("type: story\nid: 1\ntitle: A\ntracker_status: review"),
    [`${PAY}/story-a-plan.md`]: head("ticket: story-a\nstatus: done"),
  }, ["1.1 review: A"]],
};

Deno.test("the board reads what tickets.py reads [work:tickets-agree]", async (t) => {
  for (const [name, [files, wanted]] of Object.entries(TREES)) {
    await t.step(name, () =>
      withTree({ ...ROOTS, ...files }, async (root) => {
        const [board, rows] = await bothOf(root);
        assert.deepEqual(rows, wanted);
        assert.deepEqual(board, wanted);
      }));
  }
});

function groupOf({ state, waitsFor, isUnrefined, unknown }: Story): string {
  if (state === "done" || state === "dropped") return "over";
  if (state === "in-progress" || state === "review") return "in_progress";
  if (state === "blocked" || waitsFor.length > 0) return "blocked";
  return isUnrefined ? "ready_to_refine" : unknown === undefined ? "ready_to_start" : "blocked";
}

const STEPS = ["bmad-build", "bmad-code-review", "bmad-ticket"].map((id, at) =>
  ({ entry: { id }, help: { required: at === 0, code: "" } }) as unknown as Step
);

/** The facts about each ticket by the board and by tickets.py, and the ticket that comes next by both. */
async function factsOf(root: string) {
  const board = await readBoard(diskTree(root), FOLDERS);
  const stories = board.epics.flatMap((epic) => epic.stories);
  const { tickets: rows } = await script(root, "status");
  const groups = await script(root, "next");
  const names = ["in_progress", "ready_to_start", "ready_to_refine", "blocked"];
  const placed = new Map<string, Json>(
    names.flatMap((name) => groups[name].map((row: Json) => [row.ref, { ...row, group: name }])),
  );
  const ofRow = (row: Json) => {
    const { group = "over", waiting_on = [] } = placed.get(row.ref) ?? {};
    return {
      ref: row.ref,
      title: row.title,
      status: row.tracker_status || row.status,
      group,
      unknown: row.unknown,
      waitsFor: waiting_on.map((one: Json) => typeof one === "number" ? `1.${one}` : one).toSorted(),
      differs: Object.keys(row.drift ?? {}),
    };
  };
  const ofStory = (story: Story) => ({
    ref: story.ref,
    title: story.title,
    status: story.status === "odd" ? "blocked" : story.status ?? "",
    group: groupOf(story),
    unknown: story.unknown,
    waitsFor: groupOf(story) === "blocked" ? story.waitsFor.toSorted() : [],
    differs: story.drift.flatMap(({ problem }) =>
      /^it is after /.test(problem) ? ["after"] : /^hitl /.test(problem) ? ["hitl"] : []
    ),
  });
  const { story, step } = adviseStories(STEPS, board) ?? {};
  const first = names.slice(0, 3).find((name) => groups[name].length > 0);
  return {
    board: stories.map(ofStory),
    script: rows.map(ofRow),
    next: story && { group: groupOf(story), step: step!.entry.id },
    wanted: first,
  };
}

Deno.test("all agree on generated trees [work:tickets-agree]", async () => {
  const seed = Date.now() % 1_000_000;
  const words = ["", "draft", "ready-for-dev", "in-progress", "in-review", "built", "done", "dropped"];
  for (let round = 0; round < 40; round++) {
    const chance = chanceFrom(seed + round);
    const sometimes = (text: string) => chance.below(4) === 0 ? [text] : [];
    const files: Record<string, string> = { ...ROOTS };
    let entries = "";
    for (let id = 1; id <= 6; id++) {
      const spelled = chance.pick([`${id}`, `0${id}`]);
      const isListed = chance.below(4) > 0;
      const after = () => id > 1 && chance.below(2) === 0 ? [`["1.${chance.pick(["", "0"])}1"]`] : [];
      if (isListed) {
        entries += entry(
          chance.below(2) === 0 ? id : spelled,
          chance.pick(["A", "B"]),
          [
            ...after().map((list) => `after = ${list}`),
            ...sometimes("refine = true"),
            ...sometimes("hitl = true"),
            ...sometimes('unknown = "Why?"'),
          ].join("\n"),
        );
      }
      const name = chance.pick([`story-${id}`, `${id}-any`, `bug-of-${id}`]);
      const hasFile = !isListed || chance.below(2) === 0;
      const status = chance.pick(words);
      if (hasFile) {
        const fields = [
          `id: ${spelled}\ntype: story\ntitle: F${id}`,
          ...(status === "" ? [] : [`status: ${status}`]),
          ...after().map((list) => `after: ${list}`),
          ...sometimes("hitl: true"),
          ...sometimes("refined: true"),
          ...sometimes(`tracker_status: ${chance.pick(["backlog", "in-progress", "review", "done"])}`),
        ];
        files[`${PAY}/${name}.md`] = head(fields.join("\n")) + sometimes("\n- Unknown: How?\n").join("");
      }
      if (chance.below(2) === 0) continue;
      const ticket = chance.pick([spelled, `'${id}'`, ...(hasFile ? [name] : [])]);
      const fields = [
        `title: P\nticket: ${ticket}\nstatus: ${chance.pick([...words, "blocked", "odd"])}`,
        ...sometimes("blocked_at: 2026-01-02"),
      ];
      files[`${PAY}/${chance.pick([name, `plan-${id}`, `${id}`])}-plan.md`] = head(fields.join("\n"));
    }
    files[`${PAY}/tickets.toml`] = entries;
    await withTree(files, async (root) => {
      const wanted = await script(root, "status");
      // Entry 1 may be missing, and others name it.
      if (wanted.error !== undefined) return assert.match(wanted.error, /after names "1\.0?1"/);
      const facts = await factsOf(root);
      assert.deepEqual(facts.board, facts.script, `seed ${seed + round}`);
      assert.equal(facts.next?.group, facts.wanted, `seed ${seed + round}`);
      assert.equal(facts.next?.step === "bmad-ticket", facts.wanted === "ready_to_refine");
    });
  }
});

treeTest("tickets of one title have a plan each [work:tickets-agree]", {
  ...ROOTS,
  [`${PAY}/tickets.toml`]: entry(1, "Log") + entry(2, "Log") + entry("3a", "Log"),
}, async (root) => {
  for (
    const [id, plan] of [["1", "story-log-plan"], ["2", "story-log-2-plan"], ["3a", "story-log-3a-plan"]]
  ) {
    assert.equal((await script(root, "find", `1.${id}`)).plan, `${root}/${PAY}/${plan}.md`);
    assert.deepEqual((await marked(root, [`1.${id}`, "in-progress"])).files, [`${PAY}/${plan}.md`]);
    assert.equal((await script(root, "find", `1.${id}`)).status, "in-progress");
  }
  await marked(root, ["1.2", "built"]);
  const [board, rows] = await bothOf(root);
  assert.deepEqual(board, ["1.1 in-progress: Log", "1.2 built: Log", "1.3a in-progress: Log"]);
  assert.deepEqual(rows, board);
});

treeTest("a mark and tickets.py change the same file, and neither overwrites what is no plan", {
  ...ROOTS,
  [`${PAY}/tickets.toml`]: entry("01", "A") + entry(2, "B"),
  [`${PAY}/odd name.md`]: head("type: spike\nid: 1\ntitle: A\nstatus: draft"),
  [`${PAY}/story-b-plan.md`]: "# Notes of somebody\n",
}, async (root) => {
  const { plan } = await script(root, "find", "1.1");
  // Its own file has a status, too, and follows.
  assert.deepEqual((await marked(root, ["1.1", "in-progress"])).files.map((path) => `${root}/${path}`), [
    plan,
    `${root}/${PAY}/odd name.md`,
  ]);
  assert.equal(await Deno.readTextFile(plan), head('title: "A"\nticket: 1\nstatus: in-progress'));
  assert.equal(
    await Deno.readTextFile(`${root}/${PAY}/odd name.md`),
    head("type: spike\nid: 1\ntitle: A\nstatus: in-progress"),
  );
  assert.match((await script(root, "mark", "1.2", "done")).error, /story-b-plan\.md exists/);
  await assert.rejects(marked(root, ["1.2", "in-progress"]), /story-b-plan\.md.*is the plan of no ticket/);
  assert.equal(await Deno.readTextFile(`${root}/${PAY}/story-b-plan.md`), "# Notes of somebody\n");
});

Deno.test("the project's folder is no secret, whatever its name", async () => {
  const folder = "bmad-mcp-tree-97a0f7d809c1d4f2";
  const files = {
    ...ROOTS,
    [`${PAY}/tickets.toml`]: entry(1, "A"),
    [`${PAY}/odd name.md`]: head("type: spike\nid: 1\ntitle: A\nstatus: draft"),
  };
  const inside = Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]);
  await withTree(Object.fromEntries(inside), async (root) => {
    const project = `${root}/${folder}`;
    assert.equal((await script(project, "find", "1.1")).plan, `${project}/${PAY}/odd name-plan.md`);
  });
});

treeTest("a mark that was cut off is finished, and goes by what tickets.py reads", {
  ...ROOTS,
  [`${PAY}/epic-pay.md`]: `${head("type: epic\ntitle: Pay: by card")}\nStatus: in-progress\n`,
  [`${PAY}/tickets.toml`]: entry("04", "A") + entry(5, "B"),
  [`${PAY}/story-a.md`]: head("type: story\nid: 4\ntitle: A\nstatus: draft"),
  [`${PAY}/story-a-plan.md`]: head("ticket: 4\nstatus: in-progress"),
  [`${PAY}/story-b-plan.md`]: head("ticket: 5\nstatus: Done # by hand"),
}, async (root) => {
  const textOf = (name: string) => Deno.readTextFile(`${root}/${PAY}/${name}`);
  assert.deepEqual((await marked(root, ["1.04", "in-progress"])).files, [`${PAY}/story-a.md`]);
  assert.match(await textOf("story-a.md"), /^status: in-progress$/m);
  // BMAD knows no "Done # by hand".
  assert.equal((await script(root, "find", "1.5")).status, "blocked");
  await marked(root, ["1.5", "complete"]);
  assert.equal(await textOf("story-b-plan.md"), head("ticket: 5\nstatus: done"));
  await marked(root, ["1.4", "dropped"]);
  await marked(root, ["epic-pay", "done"]);
  assert.equal(
    await textOf("epic-pay.md"),
    `${head("type: epic\ntitle: Pay: by card\nstatus: done")}\nStatus: in-progress\n`,
  );
  assert.equal((await script(root, "status")).epics[0].status, "done");
});

Deno.test("plans and tickets without the other are told [work:tickets-agree]", async () => {
  const files = {
    ...ROOTS,
    [`${PAY}/tickets.toml`]: entry(1, "A") + entry(2, "B") + entry(3, "C"),
    [`${PAY}/lost.md`]: head("ticket: 99\nstatus: done"),
    [`${PAY}/story-b-plan.md`]: head("title: B\nstatus: done"),
    [`${PAY}/story-c.md`]: head("type: story\nid: 3\nstatus: in-progress"),
    [`${PAY}/story-d.md`]: head("id: 4\nstatus: done"),
  };
  const board = await boardOf(files);
  assert.deepEqual(states(board), ["1 in-progress: 1.1 backlog,1.2 backlog,1.3 in-progress"]);
  const problems = [
    ["lost.md", 2, 'it is the plan of no ticket: none here is "99"'],
    ["story-b-plan.md", undefined, "it is the plan of no ticket: its front matter has no ticket"],
    ["story-c.md", 4, 'ticket 3 is "in-progress", but has no plan'],
    [
      "story-d.md",
      undefined,
      "it is not read as a ticket: its front matter has no type (story, spike or bug)",
    ],
  ] as const;
  assert.deepEqual(
    told(board.problems).toSorted(),
    problems.map(([name, line, problem]) => `${PAY}/${name}:${line} ${problem}`),
  );
  await withTree(files, async (root) => {
    assert.deepEqual(
      (await script(root, "status")).problems.toSorted(),
      problems.map(([name, , problem]) => `epic-pay/${name}: ${problem}`),
    );
  });
});

Deno.test("what tickets.py refuses is a problem on the board [work:tickets-agree]", async (t) => {
  const cases: Readonly<Record<string, Files>> = {
    "a cycle": { [`${PAY}/tickets.toml`]: entry(1, "A", "after = [2]") + entry(2, "B", "after = [1]") },
    "an unknown prerequisite": { [`${PAY}/tickets.toml`]: entry(1, "A", "after = [7]") },
    "two entries of one number": { [`${PAY}/tickets.toml`]: entry("01", "A") + entry(1, "B") },
    "two plans": {
      [`${PAY}/tickets.toml`]: entry(1, "A"),
      [`${PAY}/a.md`]: head("ticket: 1"),
      [`${PAY}/b.md`]: head("ticket: 01"),
    },
    "an unknown status": { [`${PAY}/story-a.md`]: head("type: story\nid: 1\nstatus: Finished?") },
    "a front matter without an end": { [`${PAY}/story-a.md`]: "---\ntype: story\nid: 1\n" },
    "a list over several lines": { [`${PAY}/a.md`]: head("type: story\ncovers:\n  - FR1") },
    "no file of the epic": { [`${SHOP}/epic-new/tickets.toml`]: entry(1, "A") },
    "a container of another type": { [`${PAY}/epic-pay.md`]: head("type: prd") },
  };
  for (const [name, files] of Object.entries(cases)) {
    await t.step(name, () =>
      withTree({ ...ROOTS, ...files }, async (root) => {
        const { error } = await script(root, "status");
        const { problems } = await readBoard(diskTree(root), FOLDERS);
        const all = problems.map(({ path, problem }) => `${path.split("/").slice(-2).join("/")}: ${problem}`);
        assert.ok(all.includes(error), `${error} is not among:\n${all.join("\n")}`);
      }));
  }
});
