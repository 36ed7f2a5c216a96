/** Do all worktrees of a repository see who holds a story, and is a holder a name and a worktree? */
import assert from "node:assert/strict";
import { readRecords, reportBoard } from "../../../../src/project/work/board/mod.ts";
import { claim, mark, release, reportClaim } from "../../../../src/project/work/writer/mod.ts";
import { treeTest, writeTree } from "../../../support/trees.ts";
import { raceInWorktrees } from "../../../support/races.ts";
import { marked, NOON, writerIn } from "../../../support/writer.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const SPRINT = "development_status:\n  1-1-a: backlog\n  1-2-b: backlog\n";
const OWN_CLAIMS = "app/out/.bmad-work/claims.json";
const SHARED_CLAIMS = "common/bmad/claims.json";
const claimsText = (claims: readonly unknown[]) => JSON.stringify({ claims });

function worktreesTest(
  name: string,
  fn: (world: {
    readonly dir: string;
    at(worktree: string): NonNullable<Parameters<typeof writerIn>[1]>;
    in(worktree: string): ReturnType<typeof writerIn>;
  }) => Promise<void>,
): void {
  treeTest(name, {
    "common/HEAD": "",
    [`main/app/${LEDGER}`]: SPRINT,
    [`login/app/${LEDGER}`]: SPRINT,
  }, (dir) => {
    const at = (name: string) => ({
      shared: {
        common: `${dir}/common`,
        folder: "bmad",
        project: "app",
        worktree: name === "main" ? "." : name,
        head: "HEAD",
      },
    });
    return fn({ dir, at, in: (name) => writerIn(`${dir}/${name}/app`, at(name)) });
  });
}

worktreesTest("what was built while one waited is not begun again [place:branches]", async (shop) => {
  const [claiming, marking] = [await shop.in("main"), await shop.in("main")];
  for (const status of ["in-progress", "review"]) {
    await marked(`${shop.dir}/login/app`, ["1-1", status, "Ann"], shop.at("login"));
  }
  const isThere = /it is review on worktree login \(Ann\)/;
  await assert.rejects(claim(claiming, { story: "1-1", by: "Bob" }), isThere);
  const again = { story: "1-1", status: "in-progress", by: "Bob" };
  await assert.rejects(mark(marking, again), isThere);
});

worktreesTest("a claim holds in all [team:worktrees]", async ({ dir, in: worldIn, at }) => {
  const taken = await claim(await worldIn("login"), { story: "1-1", by: "Ann" });
  assert.equal(taken.claim?.by, "Ann");
  assert.match(reportBoard((await worldIn("login")).board).text, /1-1 backlog: .*\(held by Ann\)/);
  assert.match(reportBoard((await worldIn("main")).board).text, /\(held by Ann in worktree login\)/);
  const held = /Ann in worktree login holds it until /;
  await assert.rejects(claim(await worldIn("main"), { story: "1-1", by: "Bob" }), held);
  await assert.rejects(release(await worldIn("main"), { story: "1-1", by: "Bob" }), held);
  await assert.rejects(marked(`${dir}/main/app`, ["1-1", "in-progress", "Bob"], at("main")), held);
  await assert.rejects(
    claim(await worldIn("main"), { story: "1-1", by: "Ann" }),
    /you hold it in worktree login/,
  );
  await claim(await worldIn("login"), { story: "1-1", by: "Ann" });
  const forced = await claim(await worldIn("main"), { story: "1-1", by: "Ann", isForced: true });
  assert.match(reportClaim(forced).text, /, taken from Ann in worktree login\.$/);
  // Giving back is everybody's own right, wherever they hold it.
  const given = await release(await worldIn("login"), { story: "1-1", by: "Ann" });
  assert.match(reportClaim(given).text, /^Ann in the main worktree no longer holds 1-1-a\.$/);
  assert.equal((await worldIn("login")).board.epics[0]!.stories[0]!.claim, undefined);
  assert.deepEqual([...Deno.readDirSync(`${dir}/common`)].map(({ name }) => name).sort(), ["HEAD", "bmad"]);
});

worktreesTest("claims from before move over [team:worktrees]", async ({ dir, in: worldIn }) => {
  const until = new Date(NOON + 3_600_000).toISOString();
  const other = { ledger: `shop/${LEDGER}`, story: "1-1-a", by: "Eve", until, worktree: "x" };
  await writeTree(dir, {
    [`login/${OWN_CLAIMS}`]: claimsText([{ ledger: LEDGER, story: "1-1-a", by: "Ann", until }]),
    [SHARED_CLAIMS]: claimsText([other]),
  });
  assert.equal((await worldIn("main")).board.epics[0]!.stories[0]!.claim, undefined);
  assert.equal((await worldIn("login")).board.epics[0]!.stories[0]!.claim?.holder, "Ann");
  await claim(await worldIn("login"), { story: "1-2", by: "Bob" });
  const [first, second] = (await worldIn("main")).board.epics[0]!.stories;
  assert.equal(first!.claim?.holder, "Ann in worktree login");
  assert.equal(second!.claim?.holder, "Bob in worktree login");
  assert.throws(() => Deno.statSync(`${dir}/login/${OWN_CLAIMS}`), Deno.errors.NotFound);
  const { claims } = JSON.parse(Deno.readTextFileSync(`${dir}/${SHARED_CLAIMS}`));
  assert.deepEqual(claims.find(({ by }: { readonly by: string }) => by === "Eve"), other);
});

worktreesTest("a read-only folder [team:worktrees]", async ({ dir, in: worldIn }) => {
  // Not even root writes below a file.
  Deno.writeTextFileSync(`${dir}/common/bmad`, "");
  const alone = await claim(await worldIn("login"), { story: "1-1", by: "Ann" });
  assert.match(reportClaim(alone).text, /\nNote: other worktrees do not see it, because/);
  assert.equal((await worldIn("login")).board.epics[0]!.stories[0]!.claim?.by, "Ann");
});

Deno.test("workers in four worktrees, one killed [team:worktrees]", async () => {
  await raceInWorktrees({ processes: 4, workers: 3, kills: 1, ms: 1_500 });
});

worktreesTest("a file in the project [team:worktrees]", async ({ dir, in: worldIn }) => {
  await claim(await worldIn("login"), { story: "1-1", by: "Ann" });
  const until = "2099-01-01T00:00:00Z";
  const noise = { ledger: "x".repeat(300), by: "M", until };
  const planted = Array.from({ length: 19_999 }, (_, at) => ({ ...noise, story: `s${at}` }));
  const mallory = { ledger: LEDGER, story: "1-1-a", by: "Mallory", until };
  await writeTree(dir, { [`main/${OWN_CLAIMS}`]: claimsText([mallory, ...planted]) });
  await claim(await worldIn("main"), { story: "1-2", by: "Bob" });
  const [first, second] = (await worldIn("login")).board.epics[0]!.stories;
  assert.equal(first!.claim?.holder, "Ann");
  assert.equal(second!.claim?.holder, "Bob in the main worktree");
  assert.ok(Deno.statSync(`${dir}/${SHARED_CLAIMS}`).size < 5 << 20);
});

worktreesTest("a name like a secret hides none [team:worktrees]", async ({ in: worldIn }) => {
  await claim(await worldIn("login"), { story: "1-2", by: "Ann" });
  await claim(await worldIn("login"), { story: "1-1", by: "-----BEGIN PRIVATE KEY-----" });
  const { files: { tree, records: folder, shared } } = await worldIn("main");
  const clean = (text: string) => text.replace(/-----BEGIN PRIVATE KEY-----[^]*/, "[removed]");
  const { claims } = readRecords({ tree, folder, shared }, { now: NOON, clean });
  assert.deepEqual(claims.map(({ by }) => by), ["Ann", "[removed]"]);
});

worktreesTest("an unreadable file [team:worktrees]", async ({ dir, in: worldIn, at }) => {
  await writeTree(dir, { [SHARED_CLAIMS]: new Uint8Array([0xff, 0xfe, 0x7b]) });
  await assert.rejects(
    claim(await worldIn("main"), { story: "1-1", by: "Ann" }),
    /common\/bmad\/claims\.json cannot be read: it is too large, or no text\. Delete it/,
  );
  const { told, notes } = await marked(`${dir}/main/app`, ["1-1", "in-progress", "Ann"], at("main"));
  assert.deepEqual(told, ["1-1-a: backlog → in-progress"]);
  assert.match(notes.join(), /who holds it was not changed: .*Delete it/);
});

worktreesTest(
  "a beginning that cannot be noted stops nothing [team:worktrees]",
  async ({ dir, in: worldIn, at }) => {
    Deno.mkdirSync(`${dir}/common/bmad/began.json/x`, { recursive: true });
    await writeTree(dir, { "common/HEAD": "1".repeat(40) });
    const { told } = await marked(`${dir}/main/app`, ["1-1", "in-progress", "Ann"], at("main"));
    assert.deepEqual(told, ["1-1-a: backlog → in-progress"]);
    await claim(await worldIn("main"), { story: "1-2", by: "Ann" });
    const { stories } = (await worldIn("main")).board.epics[0]!;
    assert.deepEqual(stories.map((one) => one.claim?.holder), ["Ann", "Ann"]);
  },
);
