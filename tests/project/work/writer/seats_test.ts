/** Does a story belong to one seat of a person at a time, and to the person once that seat has ended? */
import assert from "node:assert/strict";
import { isSeatId, type Seat, seatId } from "../../../../src/base/work.ts";
import { leaveLocks } from "../../../../src/process/lock.ts";
import { claim, mark, release, reportClaim } from "../../../../src/project/work/writer/mod.ts";
import { treeTest } from "../../../support/trees.ts";
import { NOON, writerIn } from "../../../support/writer.ts";

const FILES = { "out/impl/sprint-status.yaml": "development_status:\n  1-1-a: backlog\n  1-2-b: backlog\n" };
const MINUTE = 60_000;
/** Of a server that lives as long as its session, and of a shell. */
const server = (id: string, client = "claude-code"): Seat => ({ id, client, isHeld: true });
const shell = (id: string): Seat => ({ id, client: id });

function seatTest(name: string, fn: (at: Writer) => Promise<void>): void {
  treeTest(name, FILES, async (root) => {
    try {
      await fn((seat, minutes = 0) => writerIn(root, { seat, now: NOON + minutes * MINUTE }));
    } finally {
      ["one", "two", "three"].forEach(leaveLocks);
    }
  });
}

type Writer = (seat?: Seat, minutes?: number) => ReturnType<typeof writerIn>;

const ANN = { story: "1-1", by: "Ann" };

async function holder(at: Writer, seat?: Seat, minutes?: number): Promise<string | undefined> {
  return (await at(seat, minutes)).board.epics[0]!.stories[0]!.claim?.holder;
}

seatTest("two clients of one person are two holders [place:seats]", async (at) => {
  await claim(await at(server("one")), ANN);
  assert.deepEqual([await holder(at, server("one")), await holder(at)], ["Ann", "Ann in claude-code"]);
  await assert.rejects(
    claim(await at(server("two")), ANN),
    /Cannot claim 1-1-a: you hold it in claude-code until .*, last active .* ago; .*; or force it/,
  );
  await claim(await at(server("two")), { story: "1-2", by: "Ann" });
  const [one, two] = (await at()).board.epics[0]!.stories.map(({ claim }) => claim?.holder);
  assert.deepEqual([one, two], ["Ann in claude-code", "Ann in claude-code 2"]);
  // Whoever renews keeps the number.
  await claim(await at(server("two"), 1), { story: "1-2", by: "Ann" });
  assert.equal((await at()).board.epics[0]!.stories[1]!.claim?.holder, "Ann in claude-code 2");
});

seatTest("what another own seat holds may be marked, given back and taken [place:seats]", async (at) => {
  await claim(await at(server("one")), ANN);
  const marked = await mark(await at(server("two")), { ...ANN, status: "in-progress" });
  assert.match(marked.notes.join(), /^Ann holds it until/);
  assert.equal(await holder(at, server("one")), "Ann in claude-code 2");
  const taken = await claim(await at(server("one")), { ...ANN, isForced: true });
  assert.match(reportClaim(taken).text, /, taken from Ann in claude-code 2\.$/);
  const given = await release(await at(server("two")), ANN);
  assert.match(reportClaim(given).text, /^Ann in claude-code no longer holds/);
});

seatTest("force against others takes the right to it [place:seats]", async (at) => {
  await claim(await at(server("one")), ANN);
  const forbidden = async (seat: Seat, by: string) => {
    const world = { ...await at(seat), demandForce: () => assert.fail("an owner's right") };
    await claim(world, { story: "1-1", by, isForced: true });
  };
  await assert.rejects(forbidden(server("two"), "Bob"), /an owner's right/);
  await forbidden(server("two"), "Ann");
});

seatTest("a seat that ends gives its stories back to the person [place:seats-end]", async (at) => {
  await claim(await at(server("one")), ANN);
  await assert.rejects(claim(await at(server("two")), ANN), /you hold it/);
  leaveLocks("one");
  assert.equal(await holder(at), "Ann");
  await assert.rejects(claim(await at(server("two")), { story: "1-1", by: "Bob" }), /Ann holds it until/);
  await claim(await at(server("two")), ANN);
  assert.equal(await holder(at), "Ann in claude-code");
});

seatTest("a shell's seat ends after half an hour without a sign [place:seats-end]", async (at) => {
  await claim(await at(shell("one")), ANN);
  await assert.rejects(claim(await at(shell("two"), 29), ANN), /you hold it in one until/);
  (await at(shell("one"), 20)).files.seats.sign(shell("one"));
  await assert.rejects(claim(await at(shell("two"), 49), ANN), /you hold it in one until/);
  await claim(await at(shell("two"), 51), ANN);
});

seatTest("what a terminal holds is not handed to a client beside it [place:seats]", async (at) => {
  await claim(await at(), ANN);
  await assert.rejects(claim(await at(server("one")), ANN), /you hold it in the terminal until/);
  await claim(await at(), ANN);
  assert.deepEqual([await holder(at), await holder(at, shell("two"))], ["Ann", "Ann in the terminal"]);
  await mark(await at(server("one")), { ...ANN, status: "in-progress" });
  assert.equal(await holder(at), "Ann in claude-code");
});

seatTest("a terminal is silent after half an hour, too [place:seats-end]", async (at) => {
  await claim(await at(), ANN);
  await assert.rejects(claim(await at(server("one"), 29), ANN), /you hold it/);
  await claim(await at(server("one"), 31), ANN);
});

/** As it is when the seat begins, by the clock of these tests. */
function begun(root: string, id: string): void {
  Deno.utimeSync(`${root}/out/.bmad-work/seats/${id}.txt`, NOON / 1_000, NOON / 1_000);
}

treeTest("a seat lasts as long as it gives signs [place:seats]", FILES, async (root) => {
  const at: Writer = (seat, minutes = 0) => writerIn(root, { seat, now: NOON + minutes * MINUTE });
  await claim(await at(shell("one")), ANN);
  begun(root, "one");
  // An hour later, its next story is no less its own.
  await claim(await at(shell("one"), 60), { story: "1-2", by: "Ann" });
  await assert.rejects(claim(await at(shell("two"), 61), { story: "1-2", by: "Ann" }), /you hold it in one/);
});

treeTest("the file of a session that lives stays [place:seats]", FILES, async (root) => {
  const at: Writer = (seat, minutes = 0) => writerIn(root, { seat, now: NOON + minutes * MINUTE });
  try {
    await claim(await at(server("one")), ANN);
    begun(root, "one");
    await claim(await at(shell("two"), 26 * 60), { story: "1-2", by: "Bob" });
    await claim(await at(server("one"), 26 * 60), ANN);
    assert.equal(await holder(at, undefined, 26 * 60), "Ann in claude-code");
  } finally {
    leaveLocks("one");
  }
});

treeTest("a pipe in place of a seat holds nothing [place:seats-end]", FILES, async (root) => {
  const at: Writer = (seat, minutes = 0) => writerIn(root, { seat, now: NOON + minutes * MINUTE });
  await claim(await at(shell("one")), ANN);
  const file = `${root}/out/.bmad-work/seats/one.txt`;
  Deno.removeSync(file);
  new Deno.Command("mkfifo", { args: [file] }).outputSync();
  assert.equal(await holder(at, undefined, 1), "Ann");
  await claim(await at(server("one"), 1), ANN);
});

Deno.test("a seat's id keeps apart what its file's name cannot say [place:seats]", () => {
  const texts = ["甲", "乙", "Night", "night", "a b", "a-b", "x".repeat(90), `${"x".repeat(90)}y`];
  const ids = texts.map(seatId);
  assert.equal(new Set(ids).size, texts.length);
  assert.deepEqual(ids.filter((id) => !isSeatId(id)), []);
});
