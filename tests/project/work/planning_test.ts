/** Does a plan agree with BMAD's own script, and does reconciling take nothing back? */
import assert from "node:assert/strict";
import { planSprint, type SprintRequest } from "../../../src/project/scripts/mod.ts";
import { sprintPlan } from "../../../src/project/scripts/sprint_plan.ts";
import { SPRINT_STATUSES } from "../../../src/project/work/formats/mod.ts";
import { reconcile } from "../../../src/project/work/writer/mod.ts";
import { type Chance, chanceFrom } from "../../support/chance.ts";
import { BMM } from "../../support/bmm_project.ts";
import { runHere } from "../../support/program.ts";
import { runNative, worldOf } from "../../support/scripts.ts";
import { treeTest, withTree } from "../../support/trees.ts";
import { writerIn } from "../../support/writer.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const REQUEST: SprintRequest = {
  epicFiles: ["out/plan/epics.md"],
  statusFile: LEDGER,
  storiesDir: "out/impl",
  project: "Shop",
  date: "08-01-2026 12:00",
};
const ARGS = [
  ...["generate", "--epic-file", REQUEST.epicFiles[0]!, "--status-file", LEDGER, "--stories-dir", "out/impl"],
  ...["--project", "Shop", "--date", REQUEST.date],
];

function projectOf(chance: Chance, isOdd: boolean): Readonly<Record<string, string>> {
  const plan: string[] = [];
  const rows: string[] = [];
  const files: Record<string, string> = {};
  for (let epic = 1; epic <= 1 + chance.below(4); epic++) {
    plan.push(`## Epic ${epic}: Part ${epic}`);
    if (chance.below(4) > 0) rows.push(`  epic-${epic}: ${chance.pick(SPRINT_STATUSES.epic)}`);
    for (let story = 1; story <= chance.below(5); story++) {
      const key = `${epic}-${story}-step-${story}`;
      plan.push(`### Story ${epic}.${story}: Step ${story}`);
      const status = isOdd && chance.below(6) === 0
        ? "awaiting-operator"
        : chance.pick(SPRINT_STATUSES.story);
      if (chance.below(3) > 0) rows.push(`  ${key}: ${status}${chance.below(3) === 0 ? " # Amy" : ""}`);
      if (isOdd && chance.below(8) === 0) rows.push(`  ${epic}-${story + 50}-gone: review`);
      if (chance.below(2) === 0) files[`out/impl/${key}.md`] = "Status: draft\n";
    }
    if (chance.below(3) > 0) rows.push(`  epic-${epic}-retrospective: ${chance.pick(SPRINT_STATUSES.retro)}`);
  }
  const hasLedger = rows.length > 0 && chance.below(5) > 0;
  return {
    "out/plan/epics.md": `${plan.join("\n\n")}\n`,
    ...files,
    ...(hasLedger && { [LEDGER]: `# ours\nproject: Shop\ndevelopment_status:\n${rows.join("\n")}\n` }),
  };
}

Deno.test("a plan leaves the ledger that BMAD's own script leaves [work:plan]", async () => {
  const seed = Date.now() % 1_000_000;
  const chance = chanceFrom(seed);
  for (let round = 0; round < 40; round++) {
    const isOdd = round % 2 === 1;
    const files = projectOf(chance, isOdd);
    const planned = await withTree(files, async (root) => {
      await planSprint({ ...REQUEST, isStrict: isOdd }, worldOf(root));
      return Deno.readTextFileSync(`${root}/${LEDGER}`);
    });
    const generated = await withTree(files, async (root) => {
      await runNative(sprintPlan, root, ARGS);
      return Deno.readTextFileSync(`${root}/${LEDGER}`);
    });
    assert.equal(planned, generated, `seed ${seed}, round ${round}: ${JSON.stringify(files)}`);
  }
});

treeTest("rows without a plan and unknown statuses stay where they are [work:plan]", {
  "out/plan/epics.md": "## Epic 1: A\n### Story 1.1: B\n### Story 1.2: C\n",
  [LEDGER]:
    "development_status:\n  epic-1: in-progress\n  1-1-b: awaiting-operator # Amy\n  # theirs\n  1-9-gone: review\n" +
    "  epic-1-retrospective: optional\nlast_updated: x\n",
}, async (root) => {
  const facts = await planSprint(REQUEST, worldOf(root));
  assert.deepEqual(facts.added, ["1-2-c"]);
  assert.match(
    Deno.readTextFileSync(`${root}/${LEDGER}`),
    /^development_status:\n {2}epic-1: in-progress\n {2}1-1-b: awaiting-operator # Amy\n {2}# theirs\n {2}1-9-gone: review\n {2}1-2-c: backlog\n {2}epic-1-retrospective: optional\n/,
  );
});

treeTest("what is behind follows what is ahead, and nothing goes back [work:reconcile]", {
  [LEDGER]: "development_status:\n  epic-1: backlog\n  1-1-a: review\n  1-2-b: in-progress\n  1-3-c: done\n" +
    "  1-4-d: ready-for-dev\n  1-5-e: fermenting\n  epic-2: in-progress\n  2-1-f: done\n",
  "out/impl/1-1-a.md": "Status: in-progress\n",
  "out/impl/1-2-b.md": "Status: review\n",
  "out/impl/1-3-c.md": "Status: review\n",
  "out/impl/1-4-d.md": "---\nstatus: draft\n---\n",
  "out/impl/1-5-e.md": "Status: done\n",
}, async (root) => {
  const { marked, left } = await reconcile(await writerIn(root));
  assert.deepEqual(
    marked.flatMap(({ changes }) => changes.map(({ key, from, to }) => `${key}: ${from} → ${to}`)),
    ["1-2-b: in-progress → review", "epic-1: backlog → in-progress", "epic-2: in-progress → done"],
  );
  const unsettled = ['out/impl/1-5-e.md:1: story 1-5: it says "done", but the ledger says "fermenting"'];
  assert.deepEqual(left, unsettled);
  assert.equal(Deno.readTextFileSync(`${root}/out/impl/1-1-a.md`), "Status: review\n");
  assert.equal(Deno.readTextFileSync(`${root}/out/impl/1-3-c.md`), "Status: done\n");
  assert.equal(Deno.readTextFileSync(`${root}/out/impl/1-4-d.md`), "---\nstatus: draft\n---\n");
  assert.match(Deno.readTextFileSync(`${root}/${LEDGER}`), /\n {2}1-5-e: fermenting\n/);
  const again = await reconcile(await writerIn(root));
  assert.deepEqual([again.marked, again.left], [[], unsettled]);
});

treeTest("a file that says done is believed only after the check [work:reconcile]", {
  [LEDGER]: "development_status:\n  1-1-a: review\n",
  "out/impl/1-1-a.md": "Status: done\n",
}, async (root) => {
  const { marked, left } = await reconcile(await writerIn(root, { findings: ["a box is open"] }));
  assert.deepEqual(marked, []);
  assert.match(left[0]!, /^Cannot mark 1-1-a as done: the check has 1 finding/);
});

Deno.test("without epics, a plan says where they belong [work:plan]", async () => {
  const told = (files: Readonly<Record<string, string>>) =>
    withTree({ ...BMM, ...files }, async (cwd) => (await runHere(["plan"], { cwd })).stderr);
  const none = "bmad-mcp: Cannot plan: no document with epics lies in out/plan, out; ";
  assert.equal(await told({}), `${none}write it to out/plan/epics.md\n`);
  const elsewhere = {
    "docs/epics.md": "## Epic 1: A\n### Story 1.1: B\n",
    "epics/epic-2.md": "## Epic 2: B\n",
  };
  assert.equal(await told(elsewhere), `${none}move docs/epics.md, epics/epic-2.md to out/plan\n`);
});

Deno.test("what cannot be planned is told with its file [work:plan]", async () => {
  const EPICS = "## Epic 1: A\n### Story 1.1: B\n";
  const told = (epics: string, ledger: string) =>
    withTree({ ...BMM, "out/plan/epics.md": epics, [LEDGER]: ledger }, async (cwd) => {
      return (await runHere(["plan"], { cwd })).stderr;
    });
  const none = 'no heading such as "## Epic 1: Accounts" or "### Story 1.2: Sign in" is in out/plan/epics.md';
  assert.equal(await told("# Epics\n\nTo be written.\n", ""), `bmad-mcp: Cannot plan: ${none}\n`);
  const rows = ["[a]\n", "\n  epic-1: [a]\n", "{epic-1: backlog}\n"].map((one) =>
    `development_status: ${one}`
  );
  for (const ledger of ["a: [\n", "- a\n", ...rows]) {
    const words = await told(EPICS, ledger);
    assert.match(words, /^bmad-mcp: Cannot plan: out\/impl\/sprint-status\.yaml: ./, ledger);
  }
  // One that names its file already does not name another.
  await withTree({ ...BMM, [LEDGER]: "" }, async (cwd) => {
    Deno.mkdirSync(`${cwd}/out/plan`, { recursive: true });
    Deno.writeFileSync(`${cwd}/out/plan/epics.md`, new Uint8Array([0x23, 0xff, 0xfe]));
    const { stderr } = await runHere(["plan"], { cwd });
    assert.match(stderr, /^bmad-mcp: Cannot plan: cannot read epic file out\/plan\/epics\.md: /);
    assert.ok(!stderr.includes(LEDGER), stderr);
  });
});

Deno.test("an epic ended too early [work:reconcile, work:check]", async () => {
  const rows = "development_status:\n  epic-1: done\n  1-1-a: done\n  1-2-b: backlog\n";
  await withTree({ ...BMM, [LEDGER]: rows, "out/impl/1-1-a.md": "Status: done\n" }, async (cwd) => {
    const run = async (...args: string[]) => (await runHere(args, { cwd })).stdout;
    const problem = "it is done, but 1 of its stories is not";
    assert.match(await run("check", "--all"), new RegExp(`Epic 1: ${problem}`));
    assert.equal(await run("reconcile"), "epic-1: done → in-progress\n");
    const ended = rows.replace("epic-1: done", "epic-1: in-progress");
    assert.equal(Deno.readTextFileSync(`${cwd}/${LEDGER}`), ended);
    assert.doesNotMatch(await run("check", "--all"), new RegExp(problem));
    assert.equal(await run("reconcile"), "Ledger, story files and plan agree.\n");
  });
});

treeTest("what nobody can bring in step is not said to agree [work:reconcile]", {
  ...BMM,
  [LEDGER]: "development_status:\n  1-1-a: fermenting\n  1-2-b: review\n",
  "out/impl/1-1-a.md": "Status: done\n",
}, async (cwd) => {
  assert.equal(
    (await runHere(["reconcile"], { cwd })).stdout,
    'Left: out/impl/1-1-a.md:1: story 1-1: it says "done", but the ledger says "fermenting"\n' +
      `Left: ${LEDGER}:3: story 1-2: it is "review", but has no story file\n`,
  );
});

treeTest("what is left comes with its reason, without advice [work:reconcile]", {
  ...BMM,
  [LEDGER]: "development_status:\n  1-1-a: review\n  1-2-b: in-progress\n",
  "out/impl/1-1-a.md": "Status: done\n## Tasks\n- [ ] b\n",
  "out/impl/1-2-b.md": "Status: review\n",
}, async (cwd) => {
  const run = async (...args: string[]) => await runHere(args, { cwd });
  assert.equal((await run("claim", "1-2", "--by", "Ann")).code, 0);
  const { stdout } = await run("reconcile");
  assert.match(
    stdout,
    /^Left: Cannot mark 1-1-a as done: the check has \d findings?:\n- out\/impl\/1-1-a\.md:3: [^]*\n {2}Fix: /,
  );
  assert.match(stdout, /\nLeft: Cannot mark 1-2-b: Ann holds it until [\d: -]+ UTC\n$/);
  assert.doesNotMatch(stdout, /force|say so|--/);
  // Whoever marks is told the fixes, and can force it.
  assert.match(
    (await run("mark", "1-1", "done")).stderr,
    /first "b"\.\n {2}Fix: Finish the work and tick the boxes, [^]*\nOr force it, which is recorded \(--force\)\n$/,
  );
});

treeTest("a story that the plan calls otherwise keeps its row [work:plan]", {
  "out/plan/epics.md":
    "## Epic 1: Part\n### Story 1.1: Sign up (FR1)\n### Story 1.2: See\n### Story 1.3: New\n",
  [LEDGER]: "development_status:\n  epic-1: in-progress\n  1-1-sign-up: done\n  1-2-see: review\n" +
    "  1-3-one: backlog\n  1-3-other: backlog\n",
}, async (root) => {
  const { added, unplanned } = await planSprint(REQUEST, worldOf(root));
  // Which of two rows is meant, nobody knows.
  assert.deepEqual(added, ["1-3-new", "epic-1-retrospective"]);
  assert.deepEqual(unplanned.map(({ key }) => key), ["1-3-one", "1-3-other"]);
  assert.match(Deno.readTextFileSync(`${root}/${LEDGER}`), /1-1-sign-up: done\n\s+1-2-see: review/);
});
