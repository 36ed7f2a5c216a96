/** Does `team` set up git so that ledgers merge, and take it back without a trace? */
import assert from "node:assert/strict";
import { assertFailed, cleanEnv, PROGRAM, runCli, runHere } from "../../support/program.ts";
import { runGit } from "../../support/git.ts";
import { testsOver } from "../../support/library.ts";
import { type TreeFile, treeTest, withTree, writeTree } from "../../support/trees.ts";
import { configLines } from "../../../src/commands/team.ts";
import { planSetup } from "../../../src/commands/team.ts";
import { denoHost } from "../../../src/process/host.ts";
import { resolveConfig } from "../../../src/settings/plan/mod.ts";
import { makeProgram } from "../../support/programs.ts";

const LEDGER = "_bmad-output/implementation-artifacts/sprint-status.yaml";
const SPRINT = `last_updated: 07-01-2026 09:00
development_status:
  epic-1: in-progress
  1-1-a: backlog
  1-2-b: backlog
  1-3-c: review
`;

const BLOCK = `sprint-status.yaml merge=bmad-ledger
sprint-status.yml merge=bmad-ledger
deferred-work.md merge=bmad-ledger
open-questions.md merge=bmad-ledger
work-log.jsonl merge=union
# bmad-mcp team: end`;

function withClone(fn: (dir: string, shop: string) => Promise<void>): Promise<void> {
  return withTree({ [`shop/${LEDGER}`]: SPRINT }, async (dir) => {
    runGit(dir, "init", "--quiet", "--initial-branch=main", "shop");
    runGit(`${dir}/shop`, "add", ".");
    runGit(`${dir}/shop`, "commit", "--quiet", "-m", "Start");
    await fn(dir, `${dir}/shop`);
  });
}

const cloneTest = testsOver(withClone);

const read = (path: string) => Deno.readTextFileSync(path);
const team = (cwd: string, ...words: readonly string[]) => runHere(["team", ...words], { cwd });

cloneTest("init, status and remove give back every byte [team:setup]", async (_, shop) => {
  const [attributes, config] = [`${shop}/.gitattributes`, `${shop}/.git/config`];
  const original = read(config);
  const forms: readonly (readonly [string | undefined, string])[] = [
    [undefined, original],
    ["", original],
    ["*.png binary", original.trimEnd()],
    ["*.png binary\r\n", original.replaceAll("\n", "\r\n")],
  ];
  for (const [before, configured] of forms) {
    if (before !== undefined) Deno.writeTextFileSync(attributes, before);
    Deno.writeTextFileSync(config, configured);
    assert.equal((await team(shop, "status")).code, 1);
    const dry = await team(shop, "init", "--dry-run");
    assert.match(dry.stdout, /^\+sprint-status\.yaml merge=bmad-ledger/m);
    assert.equal(read(config), configured);
    const { code, stdout } = await team(shop, "init");
    assert.deepEqual([code, stdout.match(/added to/g)?.length], [0, 2], stdout);
    const [first, second] = [read(attributes), read(config)];
    assert.ok(first.replaceAll("\r\n", "\n").includes(BLOCK), first);
    assert.match(runGit(shop, "config", "--get", "merge.bmad-ledger.driver"), / merge-driver .*%P; case /);
    const again = await team(shop, "init");
    assert.match(again.stderr, /Nothing changed/);
    assert.deepEqual([read(attributes), read(config)], [first, second]);
    assert.deepEqual([(await team(shop, "status")).code, (await team(shop, "status", "--json")).code], [
      0,
      0,
    ]);
    assert.equal((await team(shop, "remove")).code, 0);
    assert.equal(read(config), configured);
    if (before === undefined) assert.throws(() => read(attributes), Deno.errors.NotFound);
    else assert.equal(read(attributes), before);
    assert.match((await team(shop, "remove")).stderr, /Nothing changed/);
    if (before !== undefined) Deno.removeSync(attributes);
  }
});

Deno.test("lines that were edited, and another program, are told and renewed [team:setup]", () =>
  withClone(async (_, shop) => {
    await team(shop, "init");
    runGit(shop, "config", "merge.bmad-ledger.driver", "/gone/bmad-mcp merge-driver %O %A %B %L %P");
    const status = await team(shop, "status", "--json");
    assert.equal(status.code, 1);
    const { isSetUp, items } = JSON.parse(status.stdout);
    assert.deepEqual([isSetUp, items.map(({ outcome }: { outcome: string }) => outcome)], [false, [
      "differs",
      "same",
    ]]);
    assert.match((await team(shop, "init")).stdout, /updated in \S+\/\.git\/config/);
    assert.equal((await team(shop, "status")).code, 0);
    // As versions before this one wrote it.
    const older = read(`${shop}/.git/config`).replace(/; case .* esac"$/m, '"');
    Deno.writeTextFileSync(`${shop}/.git/config`, older);
    assert.equal((await team(shop, "status")).code, 1);
    const codes = async () => {
      const { stdout } = await runHere(["doctor", "--json"], { cwd: shop });
      return JSON.parse(stdout).problems.map(({ code }: { readonly code: string }) => code);
    };
    assert.ok((await codes()).includes("old-merge-driver"));
    assert.match((await team(shop, "init")).stdout, /updated in \S+\/\.git\/config/);
    assert.ok(!(await codes()).includes("old-merge-driver"));
    // Nothing is taken out of one file if the other cannot be changed.
    const [attributes, config] = [read(`${shop}/.gitattributes`), `${shop}/.git/config`];
    Deno.writeTextFileSync(`${config}.lock`, "");
    assertFailed(await team(shop, "remove"), 3, /config\.lock is in the way/);
    assert.equal(read(`${shop}/.gitattributes`), attributes);
    Deno.removeSync(`${config}.lock`);
    // What git adds behind our lines stays.
    runGit(shop, "config", "user.name", "Ann");
    assert.equal((await team(shop, "remove")).code, 0);
    assert.equal(runGit(shop, "config", "user.name"), "Ann");
    assert.doesNotMatch(read(`${shop}/.git/config`), /bmad/);
  }));

Deno.test("worktrees, submodules and separate git folders share one configuration [team:setup]", () =>
  withClone(async (dir, shop) => {
    runGit(shop, "worktree", "add", "--quiet", "../tree", "-b", "side");
    runGit(dir, "init", "--quiet", "--separate-git-dir", `${dir}/kept`, "other");
    runGit(dir, "clone", "--quiet", "--bare", shop, "bare.git");
    runGit(`${dir}/bare.git`, "worktree", "add", "--quiet", "../from-bare", "main");
    const places = [
      [`${dir}/tree`, `${shop}/.git/config`],
      [`${dir}/other`, `${dir}/kept/config`],
      [`${dir}/from-bare`, `${dir}/bare.git/config`],
    ] as const;
    for (const [folder, config] of places) {
      const { stdout, stderr } = await team(folder, "init");
      assert.ok(stdout.includes(config), stdout + stderr);
      assert.match(read(config), /\[merge "bmad-ledger"\]/);
      assert.match(read(`${folder}/.gitattributes`), /sprint-status\.yaml merge=bmad-ledger/);
    }
    // A part of a repository has attributes of its own.
    Deno.mkdirSync(`${shop}/packages/pay`, { recursive: true });
    await runHere(["team", "init", "--project", `${shop}/packages/pay`], { cwd: shop });
    assert.match(read(`${shop}/packages/pay/.gitattributes`), /deferred-work\.md merge=bmad-ledger/);
  }));

Deno.test("what another package of the clone needs stays until the last one is removed [team:setup]", () =>
  withClone(async (_, shop) => {
    const original = read(`${shop}/.git/config`);
    for (const name of ["api", "web"]) {
      await writeTree(shop, { [`packages/${name}/${LEDGER}`]: SPRINT });
      await team(`${shop}/packages/${name}`, "init");
    }
    const set = read(`${shop}/.git/config`);
    const first = await team(shop, "remove", "--project", `${shop}/packages/api`);
    assert.match(
      first.stderr,
      /\.git\/config stays as it is: \S+packages\/web\/\.gitattributes needs it\.$/m,
    );
    assert.match(first.stdout, /removed from \S+packages\/api\/\.gitattributes$/m);
    assert.equal(read(`${shop}/.git/config`), set);
    assert.match(read(`${shop}/packages/web/.gitattributes`), /merge=bmad-ledger/);
    assert.equal((await team(`${shop}/packages/web`, "remove")).code, 0);
    assert.equal(read(`${shop}/.git/config`), original);
  }));

Deno.test("what is not ours to change is told, and nothing changes [team:setup-refused]", () =>
  withClone(async (dir, shop) => {
    const config = `${shop}/.git/config`;
    const before = read(config);
    const refused = async (pattern: RegExp, ...words: readonly string[]) => {
      assertFailed(await team(shop, ...words), 3, pattern);
      assert.equal(read(config), before);
    };
    for (const line of ["*.yaml merge=union", "_bmad-output/**/deferred-work.md -merge", "*.md binary"]) {
      Deno.writeTextFileSync(`${shop}/.gitattributes`, `${line}\n`);
      await refused(/another merge driver/, "init");
      assert.equal(read(`${shop}/.gitattributes`), `${line}\n`);
      assert.match((await team(shop, "status")).stdout, /another merge driver/);
    }
    Deno.removeSync(`${shop}/.gitattributes`);
    await writeTree(shop, { ".git/info/attributes": "sprint-status.yaml merge=binary\n" });
    await refused(/info\/attributes gives them another merge driver/, "init");
    Deno.removeSync(`${shop}/.git/info/attributes`);
    Deno.writeTextFileSync(`${dir}/elsewhere`, "");
    Deno.symlinkSync(`${dir}/elsewhere`, `${shop}/.gitattributes`);
    await refused(/leads out of the project/, "init");
    Deno.removeSync(`${shop}/.gitattributes`);
    Deno.writeTextFileSync(`${config}.lock`, "");
    await refused(/config\.lock is in the way/, "init");
    Deno.removeSync(`${config}.lock`);
    await refused(/read-only/, "init", "--read-only");
    assertFailed(await team(shop, "join"), 2, /Unknown team action/);
    Deno.writeTextFileSync(config, `${before}[merge "bmad-ledger"]\n\tdriver = mine %A\n`);
    assertFailed(await team(shop, "init"), 3, /not ours/);
    // The configuration of a folder that was unpacked from an archive may be a link to anything.
    Deno.renameSync(config, `${dir}/real`);
    Deno.symlinkSync(`${dir}/real`, config);
    assertFailed(await team(shop, "init"), 3, /is a link/);
    await withTree({ "a.md": "" }, async (plain) => {
      assertFailed(
        await runHere(["team", "init", "--project", plain], { cwd: plain }),
        2,
        /No git repository has /,
      );
    });
  }));

cloneTest("the program needs two files for it [team:setup, rights:as-planned]", async (_, shop) => {
  const host = { ...denoHost(shop), args: ["team", "init"], cwd: shop };
  const { read: seen, write } = planSetup(resolveConfig(host, []), host).rights;
  const files = ["config", "config.bmad-mcp-backup", "config.lock"].map((name) => `${shop}/.git/${name}`);
  const named = ["", ".bmad-mcp-backup", ".bmad-mcp-new"].map((end) => `${shop}/.gitattributes${end}`);
  const work = [`${shop}/.git/bmad`, `${shop}/_bmad-output`];
  assert.deepEqual(write.toSorted(), [...files, ...named, ...work].toSorted());
  assert.deepEqual(seen.filter((path) => path.includes("/.git/config")).toSorted(), files);
  await writeTree(shop, {
    "_bmad/bmm/config.yaml":
      "output_folder: _bmad-output\nimplementation_artifacts: _bmad-output/implementation-artifacts\n",
    "_bmad-output/implementation-artifacts/.keep": "",
  });
  save(shop, "Work");
  const journal = "_bmad-output/implementation-artifacts/work-log.jsonl";
  const { code, stdout, stderr } = await runCli(["team", "init"], { cwd: shop });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /\nJournal begun: _bmad-output\/implementation-artifacts\/work-log\.jsonl\n$/);
  assert.equal(read(`${shop}/${journal}`), "");
  assert.equal((await runCli(["team", "status"], { cwd: shop })).code, 0);
  assert.equal((await runCli(["team", "remove"], { cwd: shop })).code, 0);
  assert.equal(runGit(shop, "status", "--porcelain"), "");
});

/** Each: what shows the form of a project, and where its journal is begun. */
const FORMS: Readonly<Record<string, readonly [files: Readonly<Record<string, string>>, journal: string]>> = {
  "spec folder": [{
    "_bmad/bmm/config.yaml":
      "output_folder: out\nplanning_artifacts: out/plans\nimplementation_artifacts: out/impl\n",
    "out/specs/spec-shop/stories.yaml": "- id: 1\n  title: Login\n",
  }, "out/impl/work-log.jsonl"],
  "v4 story": [{
    ".bmad-core/core-config.yaml": "devStoryLocation: docs/stories\nprd:\n  prdFile: docs/prd.md\n",
    ".bmad-core/agents/dev.md": "# Dev\n",
    "docs/stories/1.1.login.md": "# Story 1.1: Login\n\n## Status\n\nApproved\n",
  }, "docs/stories/work-log.jsonl"],
  "ticket": [{
    "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
    "out/initiative-shop/initiative-shop.md": "---\ntype: initiative\ntitle: Shop\n---\n",
    "out/initiative-shop/tickets.toml": '[[epic]]\nid = 1\nslug = "epic-one"\ntitle = "One"\n',
  }, "out/implementation-artifacts/work-log.jsonl"],
  "nothing yet": [
    { "_bmad/bmm/config.yaml": "output_folder: out\n" },
    "out/implementation-artifacts/work-log.jsonl",
  ],
};

Deno.test("a journal is begun for every form of project, or its absence is told [team:journal-begun]", async (t) => {
  for (const [name, [files, journal]] of Object.entries(FORMS)) {
    await t.step(name, () =>
      withTree(files, async (shop) => {
        runGit(shop, "init", "--quiet");
        const { code, stdout, stderr } = await team(shop, "init");
        assert.deepEqual([code, read(`${shop}/${journal}`)], [0, ""], stderr);
        assert.ok(stdout.endsWith(`Journal begun: ${journal}\n`), stdout);
        assert.match((await runHere(["log"], { cwd: shop })).stdout, /nothing about any story yet/);
        await team(shop, "remove");
        assert.throws(() => read(`${shop}/${journal}`), Deno.errors.NotFound);
      }));
  }
  const impossible: Readonly<Record<string, readonly [Readonly<Record<string, TreeFile>>, RegExp]>> = {
    "no folder": [{}, /Cannot begin a journal: /],
    "a file in its place": [
      { "_bmad/bmm/config.yaml": "output_folder: out\n", "out": "" },
      /work-log\.jsonl|out/,
    ],
  };
  for (const [name, [files, problem]] of Object.entries(impossible)) {
    await t.step(name, () =>
      withTree(files, async (shop) => {
        runGit(shop, "init", "--quiet");
        const { code, stderr } = await runHere(["team", "init", "--pack", "none"], { cwd: shop });
        assert.notEqual(code, 0);
        assert.match(stderr, problem);
      }));
  }
});

Deno.test("the commit that a mark proposes has all that it wrote [team:journal-commit]", () =>
  withClone(async (_, shop) => {
    await writeTree(shop, {
      "_bmad/bmm/config.yaml": `output_folder: _bmad-output\nimplementation_artifacts: ${
        LEDGER.replace(/\/[^/]*$/, "")
      }\n`,
    });
    await team(shop, "init");
    save(shop, "Team");
    const { stdout } = await runHere(["mark", "1-1", "review", "--by", "Ann"], { cwd: shop });
    const line = stdout.split("\n").find((one) => one.includes("git add"))!;
    runGit(shop, ...line.slice(line.indexOf("git add")).split(" ").slice(1));
    assert.equal(
      runGit(shop, "status", "--porcelain").match(/^ ?[M?]+ (?!.*\.bmad-work).*$/gm)?.join(),
      [
        `M  ${LEDGER}`,
        `M  ${LEDGER.replace("sprint-status.yaml", "work-log.jsonl")}`,
      ].join(),
    );
    assert.equal(runGit(shop, "diff", "--name-only"), "");
  }));

cloneTest("git starts the program wherever it lies [team:setup]", async (dir, shop) => {
  const folder = `${dir}/it's 100% "here" $HOME \\ ünd`;
  await writeTree(dir, {
    [`${folder.slice(dir.length + 1)}/bmad mcp`]: '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.log"\n',
  });
  makeProgram(`${folder}/bmad mcp`);
  const lines = configLines({ command: `${folder}/bmad mcp`, args: ["a b"] });
  Deno.writeTextFileSync(`${shop}/.git/config`, `${read(`${shop}/.git/config`)}${lines.join("\n")}\n`);
  Deno.writeTextFileSync(`${shop}/.gitattributes`, "sprint-status.yaml merge=bmad-ledger\n");
  save(shop, "Attributes");
  diverge(
    shop,
    SPRINT.replace("1-1-a: backlog", "1-1-a: done"),
    SPRINT.replace("1-2-b: backlog", "1-2-b: done"),
  );
  runGit(shop, "merge", "--quiet", "--no-edit", "side");
  const [first, second, , , , size, path] = read(`${folder}/bmad mcp.log`).split("\n");
  assert.deepEqual([first, second, size, path], ["a b", "merge-driver", "7", LEDGER]);
});

/** Each: what stands in the place of the program, and how it fails. Half of a result may be written by then. */
const FAILURES: Readonly<Record<string, string>> = {
  "it does not start": "exit 127",
  "Deno fails": "echo 'error: Module not found' >&2; exit 1",
  "it is killed": 'printf half > "$3.bmad-mcp-draft"; kill -9 $$',
  "the disk is full": `ulimit -f 0; exec ${[PROGRAM.command, ...PROGRAM.args].map(quoted).join(" ")} "$@"`,
};

Deno.test("a driver that fails leaves what git alone would, never our side [team:merge-fallback]", (t) =>
  withClone(async (dir, shop) => {
    const [config, program] = [`${shop}/.git/config`, `${dir}/bmad mcp`];
    const original = read(config);
    const mergeWith = (body: string | undefined) => {
      if (body !== undefined) Deno.writeTextFileSync(program, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
      Deno.writeTextFileSync(
        config,
        `${original}${configLines({ command: program, args: [] }).join("\n")}\n`,
      );
      const { code } = git(shop, "merge", "--quiet", "--no-edit", "side");
      return { code, text: read(`${shop}/${LEDGER}`), status: runGit(shop, "status", "--porcelain") };
    };
    Deno.writeTextFileSync(`${shop}/.gitattributes`, "sprint-status.yaml merge=bmad-ledger\n");
    save(shop, "Attributes");
    diverge(
      shop,
      SPRINT.replace("1-3-c: review", "1-3-c: in-progress").replace("epic-1: in-progress", "epic-1: done"),
      SPRINT.replace("1-3-c: review", "1-3-c: done"),
    );
    for (const [name, body] of [["it is gone", undefined], ...Object.entries(FAILURES)] as const) {
      await t.step(name, () => {
        const { code, text, status } = mergeWith(body);
        assert.equal(code, 1);
        assert.match(
          text,
          /epic-1: done[^]*<{7} ours\n {2}1-3-c: in-progress\n={7}\n {2}1-3-c: done\n>{7} theirs\n/,
        );
        assert.equal(status, `UU ${LEDGER}`);
        runGit(shop, "merge", "--abort");
      });
    }
    // What does not contradict each other line by line is merged then, too.
    runGit(shop, "checkout", "--quiet", "-b", "other", "HEAD~1");
    Deno.writeTextFileSync(`${shop}/${LEDGER}`, SPRINT.replace("09:00", "10:00"));
    save(shop, "Other");
    const { code, text } = mergeWith("exit 127");
    assert.equal(code, 0);
    assert.match(text, /10:00[^]*1-3-c: done\n/);
  }));

/** Commits one text on `main` and another on `side`. */
function diverge(shop: string, ours: string, theirs: string): void {
  const commit = (text: string) => {
    Deno.writeTextFileSync(`${shop}/${LEDGER}`, text);
    runGit(shop, "add", ".");
    runGit(shop, "commit", "--quiet", "--allow-empty", "-m", "Mark");
  };
  runGit(shop, "checkout", "--quiet", "-b", "side");
  commit(theirs);
  runGit(shop, "checkout", "--quiet", "main");
  commit(ours);
}

treeTest("two clones that mark stories merge with git [team:merge, team:merge-conflict]", {}, async (dir) => {
  runGit(dir, "init", "--quiet", "--bare", "--initial-branch=main", "remote.git");
  const clones = ["ann", "bob"].map((name) => `${dir}/${name}`) as [string, string];
  const [ann, bob] = clones;
  runGit(dir, "clone", "--quiet", "remote.git", "ann");
  await writeTree(ann, { [LEDGER]: SPRINT });
  await team(ann, "init");
  save(ann, "Start");
  runGit(ann, "push", "--quiet", "origin", "HEAD:main");
  runGit(dir, "clone", "--quiet", "remote.git", "bob");
  await team(bob, "init");
  for (const clone of clones) runGit(clone, "config", "merge.bmad-ledger.driver", DRIVER);
  const mark = async (clone: string, story: string, status: string) => {
    const { code, stderr } = await runHere(["mark", story, status, "--force"], { cwd: clone });
    assert.equal(code, 0, stderr);
  };
  await mark(ann, "1-1", "in-progress");
  await mark(ann, "1-2", "ready-for-dev");
  await mark(bob, "1-2", "review");
  save(ann, "Ann");
  save(bob, "Bob");
  runGit(ann, "push", "--quiet", "origin", "HEAD:main");
  assert.equal(pull(bob), 0);
  const merged = read(`${bob}/${LEDGER}`);
  assert.match(merged, /1-1-a: in-progress\n {2}1-2-b: review\n {2}1-3-c: review\n/);
  assert.doesNotMatch(merged, /<<<<<<</);
  runGit(bob, "push", "--quiet", "origin", "HEAD:main");
  assert.equal(pull(ann), 0);
  assert.equal(read(`${ann}/${LEDGER}`), merged);

  await mark(ann, "1-3", "done");
  await mark(bob, "1-3", "in-progress");
  save(ann, "Ann");
  save(bob, "Bob");
  runGit(ann, "push", "--quiet", "origin", "HEAD:main");
  assert.notEqual(pull(bob), 0);
  const conflict = read(`${bob}/${LEDGER}`);
  assert.match(conflict, /<{7} ours\n {2}1-3-c: in-progress\n={7}\n {2}1-3-c: done\n>{7} theirs\n/);
  assert.equal(conflict.match(/^<{7}/gm)?.length, 1);
});

/** The program under test, as `sh` starts it. */
const DRIVER = [PROGRAM.command, ...PROGRAM.args].map((word) => quoted(word.replaceAll("%", "%%")))
  .concat("merge-driver %O %A %B %L %P").join(" ");

function quoted(word: string): string {
  return `'${word}'`;
}

function save(clone: string, message: string): void {
  runGit(clone, "add", ".");
  runGit(clone, "commit", "--quiet", "-m", message);
}

function pull(clone: string): number {
  return git(clone, "pull", "--quiet", "--no-rebase", "--no-edit").code;
}

/** For what may fail; `said` is what the user sees. */
function git(cwd: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = new Deno.Command("git", {
    args: ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args],
    cwd,
    env: cleanEnv(cwd, { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" }),
    clearEnv: true,
  }).outputSync();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, said: text(stdout) + text(stderr) };
}
