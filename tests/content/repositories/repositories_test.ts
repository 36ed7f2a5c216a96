/** Does a cached copy have everything that a repository has, and nothing that a repository smuggles in? */
import assert from "node:assert/strict";
import { cachePaths, findState } from "../../../src/content/repositories/cache.ts";
import { HOUR, located, problemOf, textOf, withCache } from "../../support/copies.ts";
import { runGit } from "../../support/git.ts";
import { listTree } from "../../support/trees.ts";
import { writeProgram } from "../../support/programs.ts";

Deno.test("a branch, a tag and a commit are each fetched at their own state [git:any-ref]", () =>
  withCache(async ({ team, fetch }) => {
    const first = team.git("rev-parse", "main");
    team.git("tag", "--annotate", "--message=One", "v1", "main");
    team.git("tag", "light", "main");
    team.git("tag", "both", "main");
    const both = team.commit({ "one.md": "both" }, { branch: "both" });
    const side = team.commit({ "one.md": "side" }, { branch: "feature/side" });
    const second = team.commit({ "one.md": "second" });
    const wanted: Readonly<Record<string, readonly [string, string]>> = {
      "": [second, "second"],
      "#main": [second, "second"],
      "#refs/heads/main": [second, "second"],
      "#feature/side": [side, "side"],
      // Where a branch and a tag share a name, the branch wins.
      "#both": [both, "both"],
      "#v1": [first, "first"],
      "#light": [first, "first"],
      [`#${first}`]: [first, "first"],
      [`#${first.toUpperCase()}`]: [first, "first"],
      [`#${first.slice(0, 9)}`]: [first, "first"],
    };
    for (const [ref, [commit, text]] of Object.entries(wanted)) {
      const update = await fetch(team.address + ref);
      assert.deepEqual(
        [update.outcome, update.copy?.commit, textOf(update)],
        ["fetched", commit, text],
        ref,
      );
    }
    const nowhere = "0123456789".repeat(4);
    const problem = problemOf(await fetch(`${team.address}#${nowhere}`));
    assert.equal(problem, `no commit, branch or tag named "${nowhere}"`);
  }));

Deno.test("a branch is followed when it advances and when it is rewritten [git:any-ref]", () =>
  withCache(async ({ team, fetch }) => {
    const address = `${team.address}#main`;
    assert.equal(textOf(await fetch(address)), "first");
    team.commit({ "one.md": "second", "two.md": "more" });
    assert.equal(textOf(await fetch(address, { force: true })), "second");
    // Nothing of the past is left in the history.
    team.commit({ "one.md": "rewritten", "two.md": null }, { orphan: true });
    const update = await fetch(address, { force: true });
    assert.equal(textOf(update), "rewritten");
    assert.deepEqual(
      await listTree(update.copy!.folder).then((names) => names.map((one) => one.split(" ")[0])),
      [
        ".bmad-cache.json",
        "one.md",
      ],
    );
  }));

Deno.test("a deleted branch leaves its last copy and the reason [git:failure-reported]", () =>
  withCache(async ({ team, fetch, rules }) => {
    team.commit({ "one.md": "side" }, { branch: "side" });
    const address = `${team.address}#side`;
    await fetch(address);
    team.git("branch", "--delete", "--force", "side");
    const update = await fetch(address, { force: true });
    assert.deepEqual([update.outcome, problemOf(update)], ["failed", 'no branch or tag named "side"']);
    const state = findState(await cachePaths(rules.cache, located(address)), located(address));
    assert.deepEqual([state.copy?.folder, state.failure?.problem], [
      update.copy?.folder,
      problemOf(update),
    ]);
    assert.equal(textOf(update), "side");
  }));

Deno.test("a copy is a plain folder with a record [git:cache-record, git:atomic-clone]", () =>
  withCache(async ({ team, fetch, rules, repositories }) => {
    const before = Date.now();
    const { copy } = await fetch(`${team.address}#main:/docs`);
    const record = JSON.parse(await Deno.readTextFile(`${copy!.folder}/.bmad-cache.json`));
    const { hash, lastPull, ...rest } = record;
    assert.deepEqual(rest, {
      sourceUrl: `${team.address}#main`,
      ref: "main",
      subpath: "docs",
      currentCommit: team.git("rev-parse", "main"),
    });
    assert.match(hash, /^[0-9a-f]{64}$/);
    assert.ok(Date.parse(lastPull) >= before && Date.parse(lastPull) <= Date.now());
    const left = await listTree(rules.cache);
    const [folder] = left.filter((name) => name.endsWith("/") && !name.startsWith("."));
    assert.match(folder!, /^[\w.-]*repositories-team-main~[0-9a-f]{10}~[0-9a-f]{12}\/$/);
    assert.deepEqual(left.filter((name) => !name.startsWith(folder!)).map((name) => name.split(" ")[0]), [
      ".work/",
      `.work/${folder!.split("~", 2).join("~")}.lock`,
    ]);
    assert.equal((await Deno.stat(rules.cache)).mode! & 0o777, 0o700);
    // The repository itself was only read.
    assert.deepEqual(runGit(repositories.dir, "--git-dir", team.folder, "fsck"), "");
  }));

Deno.test("the previous copy stays for its readers until the next update [git:atomic-clone]", () =>
  withCache(async ({ team, fetch, rules }) => {
    const copies = async () =>
      (await listTree(rules.cache)).filter((name) => name.endsWith("one.md 5") || name.endsWith("one.md 6"))
        .length;
    const first = await fetch(team.address);
    team.commit({ "one.md": "second" });
    const second = await fetch(team.address, { force: true });
    assert.deepEqual([textOf(first), textOf(second), await copies()], ["first", "second", 2]);
    team.commit({ "one.md": "third" });
    const third = await fetch(team.address, { force: true });
    assert.deepEqual([textOf(second), textOf(third), await copies()], ["second", "third", 2]);
    // Also when there is nothing new, what nobody needs any more goes.
    const same = await fetch(team.address, { force: true });
    assert.deepEqual([same.outcome, await copies()], ["unchanged", 1]);
  }));

Deno.test("a copy is fetched again when it is due, and not before [git:cache-ttl]", () =>
  withCache(async ({ team, fetch, pass }) => {
    const first = await fetch(team.address);
    team.commit({ "one.md": "second" });
    pass(23 * HOUR);
    assert.deepEqual(await fetch(team.address), { outcome: "not-due", copy: first.copy });
    pass(1 * HOUR);
    assert.equal(textOf(await fetch(team.address)), "second");
    pass(24 * HOUR);
    assert.equal((await fetch(team.address)).outcome, "unchanged");
    pass(23 * HOUR);
    assert.equal((await fetch(team.address)).outcome, "not-due");
  }));

Deno.test("a commit that is cached is never fetched again: it cannot change [git:cache-ttl]", () =>
  withCache(async ({ team, fetch, pass }) => {
    const address = `${team.address}#${team.git("rev-parse", "main")}`;
    await fetch(address);
    pass(1_000 * HOUR);
    assert.equal((await fetch(address)).outcome, "not-due");
  }));

Deno.test("a failed repository is retried when it is due, or by hand [git:failure-reported]", () =>
  withCache(async ({ team, fetch, pass, repositories }) => {
    const address = `git+file://${repositories.root}/later.git`;
    const failed = await fetch(address);
    assert.match(String(problemOf(failed)), /later\.git' does not appear to be a git repository/);
    assert.equal((await fetch(address)).outcome, "not-due");
    for (const minutes of [1, 5, 25, 24 * 60, 24 * 60]) {
      pass(minutes * HOUR / 60 - 10_000);
      assert.equal((await fetch(address)).outcome, "not-due", `${minutes} minutes`);
      pass(10_000);
      assert.equal((await fetch(address)).outcome, "failed", `${minutes} minutes`);
    }
    repositories.make("later", { "one.md": "there" });
    assert.equal(textOf(await fetch(address, { force: true })), "there");

    const other = `${team.address}#nope`;
    await fetch(other);
    team.commit({ "one.md": "late" }, { branch: "nope" });
    pass(HOUR / 60);
    assert.equal(textOf(await fetch(other)), "late");
  }));

Deno.test("a copy by bmad-mcp-server is served and left unchanged [git:cache-record]", () =>
  withCache(async ({ team, fetch, pass, rules }) => {
    const commit = team.git("rev-parse", "main");
    const legacy = `${rules.cache}/example.org-team-bmad-main`;
    await Deno.mkdir(`${rules.cache}`);
    runGit(rules.cache, "clone", "--quiet", team.folder, legacy);
    const record = {
      sourceUrl: "git+https://ann:secret@example.org/team/bmad.git#main:/sub",
      hash: "0".repeat(64),
      ref: "main",
      subpath: "sub",
      lastPull: new Date().toISOString(),
      currentCommit: commit,
    };
    await Deno.writeTextFile(`${legacy}/.bmad-cache.json`, JSON.stringify(record, null, 2));
    const before = await listTree(legacy);
    const address = "git+https://example.org/team/bmad.git#main:/sub";
    const update = await fetch(address);
    assert.deepEqual([update.outcome, update.copy?.folder, update.copy?.commit], [
      "not-due",
      legacy,
      commit,
    ]);
    // Another repository whose name is the same in that place.
    assert.equal(
      (await fetch("git+ssh://git@example.org/team/bmad.git#main", {
        rules: { ...rules, environment: { PATH: "/nowhere" } },
      })).outcome,
      "failed",
    );
    pass(24 * HOUR);
    assert.equal(
      (await fetch(address, { rules: { ...rules, environment: { PATH: "/nowhere" } } })).outcome,
      "failed",
    );
    assert.deepEqual(await listTree(legacy), before);
  }));

Deno.test("nothing in a repository runs, no link misdirects a record [git:no-surprises]", () =>
  withCache(async ({ team, fetch, repositories: { dir, make } }) => {
    const canary = `${dir}/canary`;
    await Deno.writeTextFile(canary, "alive");
    const touch = `touch ${dir}/ran`;
    const hook = `#!/bin/sh\n${touch}\n`;
    const inner = make("inner", { "two.md": "inner" }).git("rev-parse", "main");
    runGit(`${dir}/checkouts/team`, "update-index", "--add", "--cacheinfo", `160000,${inner},inner`);
    await Deno.mkdir(`${dir}/checkouts/team/inner`);
    team.commit({
      ".bmad-cache.json": { link: canary },
      ".gitattributes": "*.md filter=evil diff=evil\n*.bin filter=lfs\n",
      ".gitmodules":
        `[submodule "inner"]\n\tpath = inner\n\turl = ${dir}/repositories/inner.git\n\tupdate = !${touch}\n`,
      ".githooks/post-checkout": hook,
      "big.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    });
    // A server's own hooks and settings are its business; ours must not run theirs either.
    for (
      const name of ["post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman"]
    ) {
      writeProgram(`${team.folder}/hooks/${name}`, hook);
    }
    // What the user's own git would do.
    await Deno.writeTextFile(
      `${dir}/.gitconfig`,
      `[filter "evil"]\n\tsmudge = ${touch}\n[core]\n\thooksPath = ${dir}/hooks\n\tfsmonitor = ${touch}\n` +
        `[credential]\n\thelper = !${touch}\n[init]\n\ttemplateDir = ${dir}/template\n`,
    );
    for (const place of ["hooks", "template/hooks"]) {
      await Deno.mkdir(`${dir}/${place}`, { recursive: true });
      for (const name of ["post-checkout", "post-index-change", "reference-transaction"]) {
        writeProgram(`${dir}/${place}/${name}`, hook);
      }
    }
    const update = await fetch(team.address);
    assert.equal(update.outcome, "fetched", String(problemOf(update)));
    await assert.rejects(Deno.stat(`${dir}/ran`), Deno.errors.NotFound);
    assert.equal(await Deno.readTextFile(canary), "alive");
    const record = await Deno.lstat(`${update.copy!.folder}/.bmad-cache.json`);
    assert.deepEqual([record.isFile, record.isSymlink], [true, false]);
    assert.equal(textOf(update), "first");
    assert.match(textOf(update, "big.bin"), /^version https:\/\/git-lfs/);
    assert.match(team.git("ls-tree", "main", "inner"), /^160000 commit/);
    assert.deepEqual((await listTree(update.copy!.folder)).filter((name) => name.startsWith("inner")), [
      "inner/",
    ]);

    // A folder of that name makes room as well.
    team.commit({ ".bmad-cache.json": null, ".bmad-cache.json/file": "x" });
    const next = await fetch(team.address, { force: true });
    assert.equal((await Deno.lstat(`${next.copy!.folder}/.bmad-cache.json`)).isFile, true);
  }));

Deno.test("a repository above the size limit is not cached [git:limits]", () =>
  withCache(async ({ team, fetch, rules }) => {
    // Small as it is sent, large as it lies on disk.
    team.commit({ "large.md": "large ".repeat(2_000_000) });
    const update = await fetch(team.address);
    assert.deepEqual([update.outcome, problemOf(update)], [
      "failed",
      "the repository is larger than the maximum git size of 1000000 bytes",
    ]);
    const left = (await listTree(rules.cache)).filter((name) => !name.startsWith(".work/"));
    assert.deepEqual(left, []);
    assert.deepEqual((await listTree(`${rules.cache}/.work`)).filter((name) => name.includes(".tmp-")), []);
  }, { maxSize: 1_000_000 }));
