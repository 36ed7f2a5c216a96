/** Do all clones of a repository see who holds a story, can only one of them take it, and does every claim end? */
import assert from "node:assert/strict";
import { claim, mark, release, reportClaim, reportMark } from "../../../src/project/work/writer/mod.ts";
import { CLONE_TIMEOUT, type Clones, withClones } from "../../support/clones.ts";
import { runGit } from "../../support/git.ts";
import { runCli } from "../../support/program.ts";
import { NOON } from "../../support/writer.ts";
import { writeProgram } from "../../support/programs.ts";

function clonesTest(
  name: string,
  fn: (clones: Clones) => void | Promise<void>,
  { names = ["ann", "bob"], folder }: { readonly names?: readonly string[]; readonly folder?: string } = {},
): void {
  Deno.test(name, () => withClones(names, fn, folder));
}

type CloneOptions = Parameters<Clones["in"]>[1];

/** Claims a story as its owner in a clone: `Ann` in `ann`, unless another clone is named. */
const take = async (
  clones: Clones,
  by: string,
  story = "1-1",
  options: CloneOptions & { readonly clone?: string } = {},
) => await claim(await clones.in(options.clone ?? by.toLowerCase(), options), { story, by });
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const holders = async (clones: Clones, clone: string, options = {}) => {
  const { board } = await clones.in(clone, options);
  return board.epics.flatMap(({ stories }) => stories.map((one) => one.claim?.holder ?? "-")).join(", ");
};
const elsewhere = async (clones: Clones, clone: string) =>
  (await clones.in(clone)).board.epics[0]!.stories[0]!.elsewhere;
const plant = ({ hub }: Clones, ref: string, message: string) => {
  const tree = runGit(hub, "hash-object", "-t", "tree", "-w", "/dev/null");
  runGit(hub, "update-ref", ref, runGit(hub, "commit-tree", tree, "-m", message));
};
const machine = new TextDecoder().decode(new Deno.Command("uname", { args: ["-n"] }).outputSync().stdout)
  .trim();

clonesTest("what one clone claims, another cannot take [team:machines]", async (clones) => {
  const taken = await take(clones, "Ann");
  assert.deepEqual(taken.notes, []);
  assert.match(clones.refs().join(), /^[0-9a-f]{40} refs\/bmad\/claims\/1-1-a-[0-9a-f]{12}$/);
  const place = `Ann in the main worktree of a clone on ${machine}`;
  assert.equal(await holders(clones, "bob"), `${place}, -`);
  assert.equal(await holders(clones, "ann"), "Ann, -");
  const held = new RegExp(`: ${place} holds it until `);
  await assert.rejects(claim(await clones.in("bob"), { story: "1-1", by: "Bob" }), held);
  const marking = { story: "1-1", status: "in-progress", by: "Bob" };
  await assert.rejects(mark(await clones.in("bob"), marking), held);
  // What the same person holds there is not taken by accident.
  await assert.rejects(claim(await clones.in("bob"), { story: "1-1", by: "Ann" }), /you hold it in the main/);
  // Going on is nothing new, but the time starts over.
  const before = clones.refs();
  await take(clones, "Ann", "1-1", { now: NOON + HOUR });
  assert.notDeepEqual(clones.refs(), before);
  await release(await clones.in("ann"), { story: "1-1", by: "Ann" });
  assert.deepEqual(clones.refs(), []);
  assert.equal(await holders(clones, "bob"), "-, -");
  // No ref, branch or file of a clone is any different.
  for (const name of ["ann", "bob"]) {
    const folder = `${clones.dir}/${name}`;
    assert.equal(
      runGit(folder, "for-each-ref", "--format=%(refname)"),
      "refs/heads/main\nrefs/remotes/origin/HEAD\nrefs/remotes/origin/main",
    );
    assert.equal(runGit(folder, "status", "--porcelain"), "");
    assert.throws(() => Deno.statSync(`${folder}/.git/FETCH_HEAD`), Deno.errors.NotFound);
  }
});

clonesTest("marks take, renew and give back [team:machines]", async (clones) => {
  await mark(await clones.in("ann"), { story: "1-1", status: "in-progress", by: "Ann" });
  assert.match(await holders(clones, "bob"), /^Ann in /);
  const forced = await claim(await clones.in("bob"), { story: "1-1", by: "Bob", isForced: true });
  assert.match(reportClaim(forced).text, /, taken from Ann in the main worktree of a clone on /);
  assert.match(await holders(clones, "ann"), /^Bob in /);
  await assert.rejects(
    mark(await clones.in("ann"), { story: "1-1", status: "review", by: "Ann" }),
    /Bob in .* holds it/,
  );
  await mark(await clones.in("bob"), { story: "1-1", status: "review", by: "Bob", isForced: true });
  assert.match(clones.refs().join(), /^[0-9a-f]{40} refs\/bmad\/stories\/1-1-a-[0-9a-f]{12}$/);
});

clonesTest("of two clones that want a story, one gets it [team:machines]", async (clones) => {
  const [ann, bob] = await Promise.all([clones.in("ann"), clones.in("bob")]);
  const both = await Promise.allSettled([
    claim(ann, { story: "1-1", by: "Ann" }),
    claim(bob, { story: "1-1", by: "Bob" }),
  ]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const lost = both.find((one) => one.status === "rejected")!;
  assert.match(String(lost.reason), /(?:Ann|Bob) in the main worktree of a clone on .* holds it until /);
  assert.equal(clones.refs().length, 1);
  const seen = await Promise.all(["ann", "bob"].map((name) => holders(clones, name)));
  assert.equal(seen.filter((one) => one.startsWith("-")).length, 0);
  assert.equal(new Set(seen.map((one) => one.split(/[ ,]/)[0])).size, 1);
});

clonesTest("a claim ends after its time [team:machines]", async (clones) => {
  await take(clones, "Ann");
  const bob = (now: number) => holders(clones, "bob", { now });
  assert.match(await bob(NOON), /^Ann/);
  assert.match(await bob(NOON + HOUR), /^Ann/);
  // Nine minutes over its time, on a clock that may be wrong: but Bob has seen it unchanged for two hours.
  assert.match(await holders(clones, "cy", { now: NOON + 2 * HOUR + 9 * MINUTE }), /^Ann/);
  assert.equal(await bob(NOON + 2 * HOUR + 9 * MINUTE), "-, -");
  assert.equal(await holders(clones, "cy", { now: NOON + 2 * HOUR + 11 * MINUTE }), "-, -");
  // A clock that is a day late does not hold it either.
  assert.match(await holders(clones, "cy", { now: NOON - 24 * HOUR }), /^Ann/);
  const taken = await take(clones, "Bob", "1-1", { now: NOON + 3 * HOUR });
  assert.equal(taken.before, undefined);
  assert.match(await holders(clones, "ann", { now: NOON + 3 * HOUR }), /^Bob/);
}, { names: ["ann", "bob", "cy"] });

clonesTest("an owner in the same clone follows its record [team:machines]", async (clones) => {
  await take(clones, "Ann", "1-1", { claimMs: 10_000 });
  // In the clone there is one clock: after ten seconds it is over.
  await claim(await clones.in("ann", { now: NOON + 11_000 }), { story: "1-1", by: "Dan" });
  assert.match(await holders(clones, "bob", { now: NOON + 11_000 }), /^Dan/);
});

clonesTest("while the remote is away, a claim stands here [team:machines]", async (clones) => {
  const { dir, hub } = clones;
  Deno.renameSync(hub, `${dir}/away.git`);
  const alone = await take(clones, "Ann");
  assert.match(
    reportClaim(alone).text,
    /\nNote: other clones do not see it, because git cannot use origin: .*does not appear to be a git repository/,
  );
  const { remote } = await clones.in("ann");
  assert.match(remote!.problem!, /^git cannot use origin: /);
  assert.equal(await holders(clones, "ann"), "Ann, -");
  const done = await mark(await clones.in("ann"), { story: "1-1", status: "in-progress", by: "Ann" });
  assert.match(
    reportMark(done, { git: { line: "git" }, isCommitted: false }).text,
    /Note: other clones do not see it/,
  );
  // Back again: the next time it is claimed, everybody sees it.
  Deno.renameSync(`${dir}/away.git`, hub);
  assert.equal(await holders(clones, "bob"), "-, -");
  assert.deepEqual((await take(clones, "Ann")).notes, []);
  assert.match(await holders(clones, "bob"), /^Ann/);
});

clonesTest("no remote keeps anybody from work [team:machines]", async (clones) => {
  const { dir, hub } = clones;
  const note = async (options: Parameters<Clones["in"]>[1] = {}) => {
    return (await take(clones, "Ann", "1-1", options)).notes!.join("\n");
  };
  writeProgram(`${hub}/hooks/pre-receive`, "#!/bin/sh\necho not here >&2\nexit 1\n");
  assert.match(
    await note(),
    /because origin refuses it: \[remote rejected\] \(pre-receive hook declined\)/,
  );
  // A folder of the project is no remote.
  runGit(dir, "init", "--quiet", "--bare", `${dir}/ann/team`);
  assert.match(
    await note({ plan: { name: "team" } }),
    /because git cannot use team: .*No such remote/,
  );
  assert.match(
    await note({ plan: { git: undefined, problem: "git may not be run without --allow-git" } }),
    /^other clones do not see it, because git may not be run without --allow-git$/,
  );
  // Its time is over when the remote was asked, and it has not answered.
  const { timeout } = AbortSignal;
  let [now, waiting] = [NOON, new AbortController()];
  AbortSignal.timeout = (ms) => {
    if (ms !== CLONE_TIMEOUT) return timeout.call(AbortSignal, ms);
    waiting = new AbortController();
    return waiting.signal;
  };
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const asked = (async () => {
    const calls: Deno.Conn[] = [];
    for await (const one of listener) {
      calls.push(one);
      now += CLONE_TIMEOUT;
      waiting.abort();
    }
    return calls;
  })();
  runGit(`${dir}/ann`, "remote", "add", "slow", `git://127.0.0.1:${listener.addr.port}/x`);
  const own = {};
  const otherProcess = {};
  try {
    for (const memory of [own, own, otherProcess]) {
      assert.match(
        await note({ plan: { name: "slow" }, memory, clock: () => now }),
        /because git cannot use slow: it has not answered within 60 seconds/,
      );
    }
  } finally {
    AbortSignal.timeout = timeout;
    listener.close();
  }
  const calls = await asked;
  calls.forEach((one) => one.close());
  assert.equal(calls.length, 1, "nobody waits for it a second time");
}, { names: ["ann"] });

clonesTest("no hook runs, and no ref is believed blindly [team:machines]", async (clones) => {
  const { dir, hub } = clones;
  for (const hook of ["pre-push", "reference-transaction", "post-checkout"]) {
    const file = `${dir}/ann/.git/hooks/${hook}`;
    Deno.mkdirSync(`${dir}/ann/.git/hooks`, { recursive: true });
    writeProgram(file, `#!/bin/sh\ntouch ${dir}/ran\nexit 1\n`);
  }
  await take(clones, "Ann");
  assert.throws(() => Deno.statSync(`${dir}/ran`), Deno.errors.NotFound);
  const [ref] = clones.refs().map((line) => line.split(" ")[1]!);
  const note = { ledger: "out/impl/sprint-status.yaml", story: "1-1-a", worktree: ".", clone: "x" };
  const by = `Eve\u001b[2J\n${"x".repeat(900)}`;
  const far = { ...note, until: "2999-01-01T00:00:00Z", seconds: 1e12, by };
  plant(clones, ref!, `Eve\n\n${JSON.stringify(far)}`);
  const told = await holders(clones, "bob");
  assert.match(told, /^Eve␛\[2J x+/);
  assert.ok(told.length < 300);
  assert.equal(await holders(clones, "bob", { now: NOON + 25 * HOUR }), "-, -");
  // A claim on another story, a branch, and noise hold nothing.
  plant(clones, ref!, `Eve\n\n${JSON.stringify({ ...far, story: "1-9-z" })}`);
  assert.equal(await holders(clones, "bob"), "-, -");
  await take(clones, "Bob");
  runGit(hub, "update-ref", ref!, "refs/heads/main");
  assert.equal(await holders(clones, "ann"), "Ann, -");
  plant(clones, ref!, "{".repeat(10_000));
  assert.deepEqual((await take(clones, "Ann")).notes, []);
  assert.match(await holders(clones, "bob"), /^Ann/);
  // Small when it is sent, and more than we read: it hides no other.
  const bomb = `${dir}/bomb`;
  Deno.writeTextFileSync(bomb, "{".repeat(17 << 20));
  const tree = runGit(hub, "hash-object", "-t", "tree", "-w", "/dev/null");
  runGit(hub, "update-ref", "refs/bmad/claims/1-2-b", runGit(hub, "commit-tree", tree, "-F", bomb));
  await release(await clones.in("ann"), { story: "1-1", by: "Ann" });
  const { remote } = await clones.in("bob");
  assert.deepEqual([remote!.problem, clones.refs().length], [undefined, 1]);
});

clonesTest("refs that nobody needs go with the next claim [team:machines]", async (clones) => {
  await take(clones, "Ann");
  await take(clones, "Bob", "1-2", { now: NOON + 5 * HOUR });
  assert.equal(clones.refs().length, 2);
  await take(clones, "Bob", "1-2", { now: NOON + 30 * HOUR });
  assert.equal(clones.refs().length, 1);
});

clonesTest("a claim stays the clone's own [team:machines]", async (clones) => {
  const { dir } = clones;
  await take(clones, "Ann");
  Deno.writeTextFileSync(`${dir}/ann/.git/bmad/remote-claims.json`, "{");
  await take(clones, "Ann");
  Deno.removeSync(`${dir}/ann/.git/bmad/remote-claims.json`);
  Deno.renameSync(`${dir}/ann`, `${dir}/anna`);
  await mark(await clones.in("anna"), { story: "1-1", status: "in-progress", by: "Ann" });
  assert.match(await holders(clones, "bob"), /^Ann/);
  // In a worktree of a clone that has no records yet.
  runGit(`${dir}/bob`, "worktree", "add", "--quiet", "-b", "w", "../w");
  const linked = { linked: { common: `${dir}/bob/.git`, worktree: "w" } };
  await claim(await clones.in("w", linked), { story: "1-2", by: "Bob" });
  await mark(await clones.in("w", linked), { story: "1-2", status: "ready-for-dev", by: "Bob" });
  assert.match(await holders(clones, "anna"), /Bob in worktree w of a clone on/);
});

clonesTest("a ref without a claim hides none [team:machines]", async (clones) => {
  const { dir, hub } = clones;
  await take(clones, "Bob", "1-2");
  const blob = runGit(hub, "hash-object", "-w", `${hub}/config`);
  runGit(hub, "update-ref", "refs/bmad/claims/blob", blob);
  runGit(hub, "-c", "user.name=x", "-c", "user.email=x@x", "tag", "-a", "-m", "x", "t", "main");
  runGit(hub, "update-ref", "refs/bmad/claims/tag", "refs/tags/t");
  runGit(hub, "update-ref", "refs/bmad/claims/tree", runGit(hub, "rev-parse", "main^{tree}"));
  const big = runGit(hub, "rev-parse", "main");
  Deno.writeTextFileSync(`${dir}/big`, crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(9));
  const noise = runGit(hub, "hash-object", "-w", `${dir}/big`);
  runGit(hub, "update-ref", "refs/bmad/claims/noise", noise);
  runGit(hub, "update-ref", "refs/bmad/claims/branch", big);
  assert.match(await holders(clones, "ann"), /^-, Bob in /);
  await assert.rejects(take(clones, "Ann", "1-2"), /Bob in .* holds it/);
  // A claim under the name of another story.
  const ref = clones.refs().find((line) => line.includes("1-2-b"))!.split(" ");
  runGit(hub, "update-ref", "refs/bmad/claims/evil", ref[0]!);
  Deno.renameSync(hub, `${dir}/away.git`);
  const gone = await release(await clones.in("bob"), { story: "1-2", by: "Bob" });
  assert.match(gone.notes!.join(), /other clones do not see it/);
  Deno.renameSync(`${dir}/away.git`, hub);
  // Given back is given back: the next call tells the others.
  assert.match(await holders(clones, "ann"), /^-, Bob in /);
  assert.equal(await holders(clones, "bob"), "-, -");
  await release(await clones.in("bob"), { story: "1-2", by: "Bob" });
  assert.equal(await holders(clones, "ann"), "-, -");
  // A name that the server cannot make: said at once.
  runGit(hub, "update-ref", `${ref[1]}/x`, big);
  const refused = await take(clones, "Ann", "1-2");
  assert.match(refused.notes!.join(), /because origin refuses it: /);
});

clonesTest("a holder stays the holder while the remote is away [place:claims-survive]", async (clones) => {
  const { dir, hub } = clones;
  const away = async (call: () => Promise<unknown>) => {
    Deno.renameSync(hub, `${dir}/away.git`);
    await call();
    Deno.renameSync(`${dir}/away.git`, hub);
  };
  await take(clones, "Ann");
  // Renewed in vain, and marked in vain: the remote still has the commit of before.
  await away(() => take(clones, "Ann", "1-1", { now: NOON + MINUTE }));
  assert.equal(await holders(clones, "ann"), "Ann, -");
  await take(clones, "Ann", "1-1", { now: NOON + 2 * MINUTE });
  await away(async () =>
    mark(await clones.in("ann", { now: NOON + 3 * MINUTE }), {
      story: "1-1",
      status: "in-progress",
      by: "Ann",
    })
  );
  assert.equal(await holders(clones, "ann"), "Ann, -");
  await mark(await clones.in("ann"), { story: "1-1", status: "review", by: "Ann" });
  assert.equal(await holders(clones, "bob"), "-, -");
  assert.deepEqual(await elsewhere(clones, "bob"), { state: "review", on: "branch main", by: "Ann" });
});

clonesTest(
  "what was marked offline is told by the next call of any kind [place:branches]",
  async (clones) => {
    const { dir, hub } = clones;
    Deno.renameSync(hub, `${dir}/away.git`);
    await mark(await clones.in("ann"), { story: "1-1", status: "review", by: "Ann", isForced: true });
    Deno.renameSync(`${dir}/away.git`, hub);
    await take(clones, "Ann", "1-2");
    assert.deepEqual((await elsewhere(clones, "bob"))?.state, "review");
  },
);

clonesTest("what was claimed offline is told by the next call [place:claims-survive]", async (clones) => {
  const { dir, hub } = clones;
  const away = async (call: () => Promise<unknown>) => {
    Deno.renameSync(hub, `${dir}/away.git`);
    await call();
    Deno.renameSync(`${dir}/away.git`, hub);
  };
  await away(() => take(clones, "Bob", "1-2"));
  assert.deepEqual((await take(clones, "Bob", "1-1")).notes, []);
  assert.equal((await holders(clones, "ann")).replaceAll(/ in [^,]*/g, ""), "Bob, Bob");
  await assert.rejects(take(clones, "Ann", "1-2"), /Bob in .* holds it/);
  // What is given back first is nobody's, whoever asks next; and any call tells the rest.
  await release(await clones.in("bob"), { story: "1-1", by: "Bob" });
  await release(await clones.in("bob"), { story: "1-2", by: "Bob" });
  await away(async () => {
    await take(clones, "Bob", "1-1");
    await take(clones, "Bob", "1-2");
    await release(await clones.in("bob"), { story: "1-1", by: "Bob" });
  });
  await release(await clones.in("bob"), { story: "1-1", by: "Bob" });
  assert.equal((await holders(clones, "ann")).replaceAll(/ in [^,]*/g, ""), "-, Bob");
  await release(await clones.in("bob"), { story: "1-2", by: "Bob" });
  assert.deepEqual(clones.refs(), []);
});

clonesTest("who was quicker keeps what was claimed offline [place:claims-survive]", async (clones) => {
  const { dir, hub } = clones;
  Deno.renameSync(hub, `${dir}/away.git`);
  await take(clones, "Bob", "1-2");
  Deno.renameSync(`${dir}/away.git`, hub);
  await take(clones, "Ann", "1-2");
  const refs = clones.refs();
  const { notes } = await take(clones, "Bob", "1-1");
  assert.match(
    notes.join("\n"),
    /^Ann in the main worktree of a clone on .* holds 1-2-b: other clones did not see that it was held here$/,
  );
  assert.equal((await holders(clones, "bob")).replaceAll(/ in [^,]*/g, ""), "Bob, Ann");
  assert.deepEqual(clones.refs().filter((ref) => refs.includes(ref)), refs);
  assert.deepEqual((await take(clones, "Bob", "1-1")).notes, []);
  await release(await clones.in("ann"), { story: "1-2", by: "Ann" });
  assert.equal((await holders(clones, "bob")).replaceAll(/ in [^,]*/g, ""), "Bob, -");
});

clonesTest("refs of others hide no claim [place:claims-survive]", async (clones) => {
  const { hub } = clones;
  await take(clones, "Ann", "1-2");
  const commit = runGit(hub, "rev-parse", "main");
  const many = Array.from({ length: 6_000 }, (_, at) => `create refs/bmad/aaa/${at} ${commit}\n`).join("");
  const add = new Deno.Command("git", { args: ["update-ref", "--stdin"], cwd: hub, stdin: "piped" }).spawn();
  const writer = add.stdin.getWriter();
  await writer.write(new TextEncoder().encode(many));
  await writer.close();
  assert.ok((await add.status).success);
  await assert.rejects(take(clones, "Bob", "1-2"), /Ann in .* holds it/);
});

clonesTest("a push that arrives without an answer is one's own [place:claims-survive]", async (clones) => {
  const { hub } = clones;
  // The remote takes the claim, and ends before it answers.
  const hook = `${hub}/hooks/post-receive`;
  Deno.writeTextFileSync(hook, "#!/bin/sh\nkill -KILL $PPID\n", { mode: 0o755 });
  await take(clones, "Ann", "1-1");
  Deno.removeSync(hook);
  assert.match(clones.refs().join(), /refs\/bmad\/claims\//);
  assert.equal(await holders(clones, "ann"), "Ann, -");
  assert.match(await holders(clones, "bob"), /^Ann in /);
});

clonesTest("all clones see how far a story has come [place:branches, place:branches-end]", async (clones) => {
  const [ann, bob] = ["ann", "bob"].map((name) => `${clones.dir}/${name}`);
  runGit(ann!, "switch", "--quiet", "--create", "w1");
  await mark(await clones.in("ann"), { story: "1-1", status: "review", by: "Ann", isForced: true });
  const there = { state: "review", on: "branch w1", by: "Ann" };
  assert.deepEqual(await elsewhere(clones, "bob"), there);
  await assert.rejects(take(clones, "Bob"), /Cannot claim 1-1-a: it is review on branch w1 \(Ann\)/);
  runGit(ann!, "commit", "--quiet", "--all", "--message=Work");
  runGit(ann!, "push", "--quiet", "origin", "w1");
  assert.deepEqual(await elsewhere(clones, "bob"), there);
  // Without a merge, whoever finds it may decide.
  runGit(clones.hub, "branch", "--quiet", "-D", "w1");
  assert.match((await elsewhere(clones, "bob"))?.problem ?? "", /deleted without a merge/);
  runGit(bob!, "fetch", "--quiet", ann!, "w1");
  runGit(bob!, "merge", "--quiet", "--squash", "FETCH_HEAD");
  assert.equal(await elsewhere(clones, "bob"), undefined);
  runGit(bob!, "reset", "--quiet", "--hard");
  await release(await clones.in("bob"), { story: "1-1", by: "Bob" });
  assert.deepEqual(clones.refs(), []);
  assert.equal(await elsewhere(clones, "bob"), undefined);
});

clonesTest("a branch that is given up keeps nobody away [place:branches-end]", async (clones) => {
  const { dir, hub } = clones;
  const bob = `${dir}/bob`;
  const giveUp = async (branch: string) => {
    runGit(bob, "switch", "--quiet", "--create", branch);
    await mark(await clones.in("bob"), { story: "1-1", status: "review", by: "Bob", isForced: true });
    runGit(bob, "checkout", "--quiet", "--force", "main");
    assert.equal((await elsewhere(clones, "ann"))?.state, "review");
    runGit(bob, "branch", "--quiet", "-D", branch);
  };
  for (const change of [release, claim]) {
    await giveUp("try");
    await change(await clones.in("bob"), { story: change === claim ? "1-2" : "1-1", by: "Bob" });
    assert.equal(await elsewhere(clones, "ann"), undefined);
  }
  // Also by the call after one that did not arrive.
  await giveUp("again");
  Deno.renameSync(hub, `${dir}/away.git`);
  await mark(await clones.in("bob"), { story: "1-2", status: "in-progress", by: "Bob" });
  Deno.renameSync(`${dir}/away.git`, hub);
  await release(await clones.in("bob"), { story: "1-2", by: "Bob" });
  assert.equal(await elsewhere(clones, "ann"), undefined);
  assert.deepEqual(clones.refs().filter((ref) => ref.includes("1-1-a")), []);
});

clonesTest("each mark of a story is told to the others [place:branches]", async (clones) => {
  runGit(`${clones.dir}/ann`, "switch", "--quiet", "--create", "w1");
  for (const status of ["in-progress", "review", "in-progress", "review"]) {
    const { notes } = await mark(await clones.in("ann"), { story: "1-1", status, by: "Ann", isForced: true });
    assert.doesNotMatch(notes.join("\n"), /do not see/);
    assert.equal((await elsewhere(clones, "bob"))?.state, status);
  }
  assert.equal(await holders(clones, "bob"), "-, -");
});

clonesTest("what was built since the last look is not begun again [place:branches]", async (clones) => {
  await clones.in("bob");
  const [claiming, marking] = [await clones.in("bob", { maxAge: MINUTE }), await clones.in("bob")];
  for (const status of ["in-progress", "review"]) {
    const { notes } = await mark(await clones.in("ann"), { story: "1-1", status, by: "Ann" });
    assert.doesNotMatch(notes.join(), /other clones do not see it/);
  }
  const isThere = /it is review on branch main \(Ann\)/;
  await assert.rejects(claim(claiming, { story: "1-1", by: "Bob" }), isThere);
  await assert.rejects(mark(marking, { story: "1-1", status: "in-progress", by: "Bob" }), isThere);
  assert.equal(clones.refs().filter((ref) => ref.includes("/claims/")).length, 0);
});

clonesTest("the program shares claims where it may [team:machines]", async ({ dir, refs }) => {
  const run = async (clone: string, ...args: readonly string[]) => {
    const place = { cwd: `${dir}/${clone}`, env: { BMAD_CLAIMS: "remote" } };
    const { stdout, stderr } = await runCli(args, place);
    return `${stdout}${stderr}`;
  };
  assert.match(
    await run("ann", "claim", "1-1", "--by=Ann"),
    /Note: other clones do not see it, because git may not be run without --allow-git/,
  );
  assert.deepEqual(refs(), []);
  assert.doesNotMatch(await run("ann", "claim", "1-1", "--by=Ann", "--allow-git"), /Note/);
  assert.match(refs().join(), / refs\/bmad\/claims\/1-1-a$/);
  assert.match(
    await run("bob", "board", "--allow-git"),
    /held by Ann in the main worktree of a clone on/,
  );
  assert.match(await run("bob", "claim", "--by=Bob", "--allow-git"), /^Bob holds 1-2-b until/);
  assert.match(await run("bob", "claim", "1-1", "--by=Bob", "--allow-git"), /Ann in the main worktree/);
  await Deno.remove(`${dir}/bob/.git/bmad`, { recursive: true });
  assert.doesNotMatch(await run("bob", "doctor", "--allow-git"), /may be missing/, "git was not asked");
  runGit(`${dir}/bob`, "remote", "remove", "origin");
  assert.match(await run("bob", "doctor", "--allow-git"), /this clone has no remote origin/);
}, { folder: "_bmad-output/implementation-artifacts" });

clonesTest("a place asks for all of its projects [team:machines, place:all]", async ({ dir }) => {
  const run = async (cwd: string, ...args: readonly string[]) => {
    const place = { cwd: `${dir}/${cwd}`, env: { BMAD_CLAIMS: "remote", BMAD_ALLOW_GIT: "1" } };
    const { stdout, stderr } = await runCli(args, place);
    return `${stdout}${stderr}`;
  };
  Deno.mkdirSync(`${dir}/bob/packages/web/_bmad-output`, { recursive: true });
  assert.match(
    await run("ann/packages/api", "claim", "1-1", "--by=Ann"),
    /^Ann holds 1-1-a until [^\n]+\n[^]*$/,
  );
  // The top of a repository, and a folder of repositories.
  for (const cwd of ["bob", "."]) {
    const board = await run(cwd, "board");
    assert.match(board, /api:1-1\s.*held by Ann in the main worktree of a clone on/);
    assert.doesNotMatch(board, /runs no git/);
  }
  assert.match(await run("bob", "next", "--by=Bob"), /1-2/);
}, { folder: "packages/api/_bmad-output/implementation-artifacts" });
