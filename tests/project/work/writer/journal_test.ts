/** Does the journal tell everybody who did what with a story, and how long it took? */
import assert from "node:assert/strict";
import {
  findTarget,
  journalFor,
  journalLine,
  readJournal,
  readRecords,
  reportTarget,
  timesIn,
} from "../../../../src/project/work/board/mod.ts";
import { claim, mark, release } from "../../../../src/project/work/writer/mod.ts";
import { runHere } from "../../../support/program.ts";
import { treeTest } from "../../../support/trees.ts";
import { NOON, writerIn } from "../../../support/writer.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const JOURNAL = "out/impl/work-log.jsonl";
const SPRINT = "development_status:\n  1-1-a: ready-for-dev\n  1-2-b: backlog\n";
const MINUTE = 60_000;

treeTest(
  "marks, claims, releases and what was forced are in the journal, in order [team:journal]",
  { [LEDGER]: SPRINT, [JOURNAL]: "" },
  async (root) => {
    const at = (minutes: number, findings: readonly string[] = []) =>
      writerIn(root, { now: NOON + minutes * MINUTE, journal: JOURNAL, findings });
    await claim(await at(0), { story: "1-1", by: "Ann" });
    await claim(await at(1), { story: "1-1", by: "Ann" });
    await mark(await at(5), { story: "1-1", status: "in-progress", by: "Ann" });
    await mark(await at(65), { story: "1-1", status: "review", by: "Ann" });
    await mark(await at(85, ["No tests."]), { story: "1-1", status: "done", by: "Bob", isForced: true });
    await claim(await at(90), { story: "1-2", by: "Bob" });
    await release(await at(91), { story: "1-2", by: "Bob" });
    // What changes nothing, or is refused, is nothing to tell.
    await mark(await at(92), { story: "1-1", status: "done", by: "Bob" });
    await assert.rejects(mark(await at(93), { story: "1-1", status: "backlog", by: "Bob" }));
    const entries = readJournal(Deno.readTextFileSync(`${root}/${JOURNAL}`));
    assert.deepEqual(entries.map(({ did, story, by, from, to }) => [did, story, by, from, to]), [
      ["claim", "1-1-a", "Ann", undefined, undefined],
      ["mark", "1-1-a", "Ann", "ready-for-dev", "in-progress"],
      ["mark", "1-1-a", "Ann", "in-progress", "review"],
      ["force", "1-1-a", "Bob", "review", "done"],
      ["claim", "1-2-b", "Bob", undefined, undefined],
      ["release", "1-2-b", "Bob", undefined, undefined],
    ]);
    assert.deepEqual(entries[3]!.reasons, ["No tests."]);
    const { board } = await at(100);
    const target = findTarget(board, "1-1");
    const own = entries.filter(({ story }) => story === "1-1-a");
    assert.equal(timesIn(own, NOON + 100 * MINUTE), "in-progress 1 hour, review 20 minutes");
    const { text } = reportTarget(target, (text) => text, { entries: own, now: NOON + 100 * MINUTE });
    assert.match(text, /\n- time in each state: in-progress 1 hour, review 20 minutes\n- history: 2026-/);
    assert.match(text, /UTC Bob: review → done, forced \(No tests\.\)$/);
  },
);

treeTest(
  "what was forced against others or the rules is called forced [team:journal-forced]",
  { [LEDGER]: SPRINT, [JOURNAL]: "" },
  async (root) => {
    const world = () => writerIn(root, { journal: JOURNAL });
    await claim(await world(), { story: "1-1", by: "Ann", isForced: true });
    await claim(await world(), { story: "1-1", by: "Bob", isForced: true });
    await release(await world(), { story: "1-1", by: "Eve", isForced: true });
    await claim(await world(), { story: "1-1", by: "Ann" });
    await release(await world(), { story: "1-1", by: "Ann", isForced: true });
    const entries = readJournal(Deno.readTextFileSync(`${root}/${JOURNAL}`));
    assert.deepEqual(entries.map(({ did, by, forced }) => [did, by, forced]), [
      ["claim", "Ann", undefined],
      ["claim", "Bob", true],
      ["release", "Eve", true],
      ["claim", "Ann", undefined],
      ["release", "Ann", undefined],
    ]);
    assert.match(journalLine(entries[1]!), /Bob: claimed it, forced \(Ann holds it until /);
    assert.match(journalLine(entries[2]!), /Eve: gave it back, forced \(Bob holds it until /);
  },
);

treeTest(
  "a mark that was killed before its line comes into the journal when it is repeated [team:journal-repair]",
  { [LEDGER]: SPRINT, [JOURNAL]: "" },
  async (root) => {
    const at = (minutes: number) =>
      writerIn(root, { now: NOON + minutes * MINUTE, journal: JOURNAL, findings: ["No tests."] });
    const lines = () => Deno.readTextFileSync(`${root}/${JOURNAL}`);
    const entries = () =>
      readJournal(lines()).map(({ did, by, from, to, reasons }) => [did, by, from, to, reasons]);
    const killed = async (minutes: number, status: string, isForced: boolean) => {
      const before = lines();
      await mark(await at(minutes), { story: "1-2", status, by: "Ann", isForced });
      assert.notEqual(lines(), before);
      Deno.writeTextFileSync(`${root}/${JOURNAL}`, before);
      for (const later of [1, 2]) await mark(await at(minutes + later), { story: "1-2", status, by: "Ann" });
    };
    await killed(0, "in-progress", false);
    const begun = ["mark", "Ann", undefined, "in-progress", undefined];
    assert.deepEqual(entries(), [begun]);
    await killed(10, "done", true);
    assert.deepEqual(entries(), [begun, ["force", "Ann", "in-progress", "done", ["No tests."]]]);
  },
);

treeTest("a cut line stays alone [team:journal]", { [LEDGER]: SPRINT }, async (root) => {
  const world = () => writerIn(root, { journal: JOURNAL });
  await claim(await world(), { story: "1-1", by: "Ann" });
  assert.throws(() => Deno.statSync(`${root}/${JOURNAL}`), Deno.errors.NotFound);
  Deno.writeTextFileSync(`${root}/${JOURNAL}`, '{"at":"2026-01-');
  await claim(await world(), { story: "1-2", by: "Ann" });
  const text = Deno.readTextFileSync(`${root}/${JOURNAL}`);
  assert.equal(text.split("\n")[0], '{"at":"2026-01-');
  assert.deepEqual(readJournal(text).map(({ story }) => story), ["1-2-b"]);
});

treeTest(
  "what others forced is on the board [team:journal]",
  { [LEDGER]: SPRINT.replace("ready-for-dev", "done") },
  async (root) => {
    const line = (at: string, more: Readonly<Record<string, unknown>>) =>
      JSON.stringify({ at, ledger: LEDGER, story: "1-1-a", by: "Eve", ...more });
    Deno.writeTextFileSync(
      `${root}/${JOURNAL}`,
      [
        line("2026-08-01T10:00:00Z", { did: "force", from: "review", to: "done", reasons: ["No review."] }),
        "garbage",
        line("2026-08-01T09:00:00Z", { did: "mark", from: "in-progress", to: "review" }),
        line("never", { did: "mark", to: "x" }),
        line("2026-08-01T09:30:00Z", { did: "dance" }),
        "",
      ].join("\n"),
    );
    const { board, files } = await writerIn(root, { journal: JOURNAL });
    const [story] = board.epics[0]!.stories;
    assert.deepEqual(story!.forced, { at: "2026-08-01T10:00:00Z", by: "Eve", reasons: ["No review."] });
    const place = { tree: files.tree, folder: files.records, journal: JOURNAL };
    const records = readRecords(place, { now: NOON, clean: (text) => text });
    const entries = journalFor(records, { epic: board.epics[0]!, story: story! });
    assert.deepEqual(entries.map(({ did }) => did), ["mark", "force"]);
  },
);

treeTest("a shell shows the journal of all stories, or of one [team:journal]", {
  "_bmad/bmm/config.yaml": "output_folder: out\nimplementation_artifacts: out/impl\n",
  [LEDGER]: SPRINT,
}, async (cwd) => {
  const run = async (...args: readonly string[]) =>
    (await runHere([...args, "--pack", "none"], { cwd })).stdout;
  assert.match(await run("log"), /keeps no journal\. `bmad-mcp team init` begins one/);
  assert.match(await run("log", "1-1"), /keeps no journal/);
  assert.equal(JSON.parse(await run("log", "--json")).journal, undefined);
  Deno.writeTextFileSync(`${cwd}/${JOURNAL}`, "");
  assert.match(await run("log", "1-1"), /nothing about 1-1 yet: .*work-log\.jsonl/);
  assert.equal(JSON.parse(await run("log", "--json")).journal, JOURNAL);
  await run("claim", "1-1", "--by", "Ann");
  await run("mark", "1-2", "ready-for-dev", "--by", "Bob");
  assert.match(
    await run("log"),
    /^1-1-a\t20\S+ \S+ UTC Ann: claimed it\n1-2-b\t.*Bob: backlog → ready-for-dev\n$/,
  );
  assert.match(await run("log", "1-2"), /^1-2-b\t.*\n$/);
  assert.match(await run("log", "--limit", "1"), /^1-2-b\t.*\n$/);
  assert.equal(JSON.parse(await run("log", "--json")).items[0].did, "claim");
  assert.match(await run("board", "1-2"), /\nhistory\t.*Bob: backlog → ready-for-dev/);
});
