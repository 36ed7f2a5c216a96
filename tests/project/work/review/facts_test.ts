/** Is what the program says of a story's changes what git says of them? */
import assert from "node:assert/strict";
import { listChanges } from "../../../../src/content/repositories/mod.ts";
import { clientHere } from "../../../support/client.ts";
import { runGit } from "../../../support/git.ts";
import { startHttp } from "../../../support/http.ts";
import { runHere } from "../../../support/program.ts";
import { type Repository, withRepository } from "../../../support/project_repository.ts";
import { runShell } from "../../../support/shell.ts";
import { treeTest, withTree, writeTree } from "../../../support/trees.ts";

const FOLDER = "out/implementation-artifacts";
const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  [`${FOLDER}/sprint-status.yaml`]:
    "development_status:\n  epic-1: in-progress\n  1-1-sign-in: ready-for-dev\n  1-2-sign-out: ready-for-dev\n",
  [`${FOLDER}/1-1-sign-in.md`]: storyOf("1.1", "Sign in", "ready-for-dev"),
  [`${FOLDER}/1-2-sign-out.md`]: storyOf("1.2", "Sign out", "ready-for-dev"),
  "src/a.js": "1\n",
};

function storyOf(number: string, title: string, status: string): string {
  return `# Story ${number}: ${title}\n\nStatus: ${status}\n\n## Acceptance Criteria\n\n1. It works\n`;
}

interface Diff {
  readonly commands: readonly { readonly command: string }[];
  readonly uncommitted: readonly string[];
  readonly added: readonly string[];
  readonly from: string;
}

/** What a review says, and what its commands print. */
async function reviewed({ run, dir }: Pick<Repository, "run" | "dir">, story: string) {
  const { diff } = JSON.parse(await run("review", story, "--json")) as { readonly diff: Diff };
  const shown = await Promise.all(
    diff.commands.map(async ({ command }) => (await runShell(command, { cwd: dir })).stdout),
  );
  return { ...diff, shown: shown.join("\n") };
}

const repositoryTest = (name: string, fn: (repository: Repository) => Promise<void>) =>
  Deno.test(name, () => withRepository(PROJECT, fn));

repositoryTest("a review shows new, staged and changed files [work:review]", async (repository) => {
  const { write, run, dir } = repository;
  await run("mark", "1-1", "in-progress", "--by", "Ann");
  write("src/new.js", "new words\n");
  write("src/staged.js", "staged words\n");
  runGit(dir, "add", "src/staged.js");
  write("src/a.js", "changed words\n");
  write(".gitignore", "ignored.js\n");
  write("ignored.js", "ignored words\n");
  const { shown, added, uncommitted } = await reviewed(repository, "1-1");
  for (const words of ["new words", "staged words", "changed words"]) assert.ok(shown.includes(words), words);
  assert.doesNotMatch(shown, /ignored words/);
  assert.deepEqual(added, [".gitignore", "src/new.js"]);
  assert.deepEqual(uncommitted, ["src/a.js", "src/staged.js"]);
});

repositoryTest("a story began at its first claim or start [work:review]", async (repository) => {
  const { write, save, run, head } = repository;
  const first = head();
  write("src/early.js", "1\n");
  save("chore: something else");
  const begun = head();
  await run("claim", "1-1", "--by", "Ann");
  write("src/login.js", "1\n");
  save("Work");
  await run("mark", "1-1", "in-progress", "--by", "Ann");
  const { from, shown, commands } = await reviewed(repository, "1-1");
  assert.match(from, /^from where the story began/);
  assert.equal(commands[0]!.command, `git diff ${begun}`);
  assert.match(shown, /src\/login\.js/);
  assert.doesNotMatch(shown, /early/);
  // One that was given back before any work begins again.
  await run("claim", "1-2", "--by", "Ann");
  await run("release", "1-2", "--by", "Ann");
  write("src/other.js", "1\n");
  save("Other");
  await run("mark", "1-2", "in-progress", "--by", "Bob");
  assert.equal((await reviewed(repository, "1-2")).commands[0]!.command, `git diff ${head()}`);
  assert.notEqual(first, begun);
});

repositoryTest("other clones read the beginning in the journal [work:review]", async (repository) => {
  const { dir, run, save, write, head } = repository;
  write(`${FOLDER}/work-log.jsonl`, "");
  save("Keep a journal");
  const begun = head();
  await run("mark", "1-1", "in-progress", "--by", "Ann");
  write("src/login.js", "1\n");
  save("Work");
  await withTree({}, async (other) => {
    runGit(other, "clone", "--quiet", dir, "clone");
    const clone = `${other}/clone`;
    const { stdout } = await runHere(["review", "1-1", "--json"], { cwd: clone });
    assert.equal(JSON.parse(stdout).diff.commands[0].command, `git diff ${begun}`);
  });
});

repositoryTest("commits of other stories are left out [work:review]", async (repository) => {
  const { dir, write, save, run } = repository;
  const commit = (path: string, message: string) => {
    write(path, `words of ${path}\n`);
    save(message);
  };
  await run("mark", "1-1", "in-progress", "--by", "Ann");
  save("Begin");
  commit("src/one.js", "feat(1-1): one");
  commit("src/two.js", "feat(1-2): two");
  commit("src/release.js", "chore: bump to 1.2.0");
  runGit(dir, "checkout", "--quiet", "-b", "1-2-sign-out");
  commit("src/three.js", "Words");
  runGit(dir, "checkout", "--quiet", "main");
  commit("src/four.js", "More words");
  runGit(dir, "merge", "--quiet", "--no-ff", "--no-edit", "1-2-sign-out");
  write("src/five.js", "words of src/five.js\n");
  const { shown, from } = await reviewed(repository, "1-1");
  assert.match(from, /without 2 commits of other work/);
  for (const name of ["one", "release", "four", "five"]) {
    assert.ok(shown.includes(`words of src/${name}.js`), name);
  }
  assert.doesNotMatch(await run("trace", "1-2"), /1\.2\.0/);
  for (const name of ["two", "three"]) assert.ok(!shown.includes(`words of src/${name}.js`), name);
});

repositoryTest("the work of two stories in a row is told apart [work:review]", async (repository) => {
  const { write, save, run } = repository;
  for (const [story, path] of [["1-1", "src/one.js"], ["1-2", "src/two.js"]] as const) {
    await run("mark", story, "in-progress", "--by", "Ann");
    write(path, `words of ${path}\n`);
    save("Work");
    await run("mark", story, "review", "--by", "Ann");
    save("Over");
  }
  const [one, two] = [await reviewed(repository, "1-1"), await reviewed(repository, "1-2")];
  assert.match(one.shown, /words of src\/one/);
  assert.doesNotMatch(one.shown, /words of src\/two/);
  assert.match(two.shown, /words of src\/two/);
  assert.doesNotMatch(two.shown, /words of src\/one/);
});

repositoryTest("a story began where its build was handed out [work:review]", async (repository) => {
  const { dir, write, save, head } = repository;
  await using client = await clientHere({ era: "2026", cwd: dir });
  const hand = (name: string, message: string) =>
    client.callTool("bmad", { operation: "execute", name, message });
  await hand("bmad-build", "Story 1-1");
  write("src/early.js", "early words\n");
  save("Something else");
  const begun = head();
  await hand("bmad-build", "Story 1-1");
  await hand("bmad-correct-course", "Story 1-2");
  write("src/first.js", "first words\n");
  save("Work");
  const ledger = PROJECT[`${FOLDER}/sprint-status.yaml`];
  write(`${FOLDER}/sprint-status.yaml`, ledger.replaceAll("ready-for-dev", "in-progress"));
  await hand("bmad-build", "go on with 1-1");
  const { commands, shown } = await reviewed(repository, "1-1");
  assert.equal(commands[0]?.command, `git diff ${begun}`);
  assert.match(shown, /first words/);
  assert.match((await reviewed(repository, "1-2")).from, /not known/);
});

repositoryTest(
  "git tells where a build began that only edited the ledger [work:review]",
  async (repository) => {
    const { dir, write, save, head } = repository;
    const ledger = PROJECT[`${FOLDER}/sprint-status.yaml`];
    const say = (word: string) => write(`${FOLDER}/sprint-status.yaml`, `${ledger}  1-3-pay: ${word}\n`);
    say("ready-for-dev");
    write(`${FOLDER}/1-3-pay.md`, storyOf("1.3", "Pay", "ready-for-dev"));
    save("Plan");
    write("src/early.js", "early words\n");
    save("Something else");
    const begun = head();
    say("in-progress");
    write("src/a.js", "first words\n");
    write("src/new_test.js", "new words of AC1\n");
    runGit(dir, "commit", "--quiet", "--all", "--message", "Work");
    save("More");
    say("review");
    save("Over");
    const { commands, from, shown } = await reviewed(repository, "1-3");
    assert.equal(commands[0]?.command, `git diff ${begun}`, from);
    assert.doesNotMatch(await repository.run("trace", "1-3"), /no test/);
    assert.match(shown, /first words[^]*new words/);
    assert.doesNotMatch(shown, /early/);
  },
);

/** Edits the ledger as a person does: nothing records a beginning. */
function sayIn({ write }: Pick<Repository, "write">, one: string, two = "ready-for-dev") {
  const ledger = PROJECT[`${FOLDER}/sprint-status.yaml`];
  const said = ledger.replace("sign-in: ready-for-dev", `sign-in: ${one}`)
    .replace("sign-out: ready-for-dev", `sign-out: ${two}`);
  write(`${FOLDER}/sprint-status.yaml`, said);
}

repositoryTest("a story keeps its beginning when it is over [work:review]", async (repository) => {
  const { write, save, run, head } = repository;
  const begun = head();
  write("src/one.js", "first words\n");
  write(`${FOLDER}/1-1-sign-in.md`, storyOf("1.1", "Sign in", "in-progress"));
  sayIn(repository, "in-progress");
  save("Work");
  write("src/two.js", "other words\n");
  sayIn(repository, "in-progress", "in-progress");
  save("More");
  write("src/one.js", "first words\nlast words\n");
  save("feat(1-1): go on");
  for (const state of ["in-progress", "blocked", "review", "done"]) {
    sayIn(repository, state, state);
    const { shown, from } = await reviewed(repository, "1-1");
    assert.match(shown, /first words[^]*last words/, `${state}: ${from}`);
    assert.doesNotMatch(shown, /other words/, `${state}: ${from}`);
    assert.equal(JSON.parse(await run("trace", "1-1", "--json")).stories[0].baseline, begun, state);
  }
});

repositoryTest(
  "a ledger that is only edited at the end tells no beginning [work:review]",
  async (repository) => {
    const { write, save } = repository;
    write(
      `${FOLDER}/sprint-status.yaml`,
      `${PROJECT[`${FOLDER}/sprint-status.yaml`]}  1-3-pay: ready-for-dev\n`,
    );
    write(`${FOLDER}/1-3-pay.md`, storyOf("1.3", "Pay", "ready-for-dev"));
    save("Plan");
    for (const name of ["one", "two"]) {
      write(`src/${name}.js`, `words of ${name}\n`);
      save("Work");
    }
    for (const state of ["review", "done"]) {
      sayIn(repository, state);
      write(
        `${FOLDER}/sprint-status.yaml`,
        Deno.readTextFileSync(`${repository.dir}/${FOLDER}/sprint-status.yaml`) + `  1-3-pay: ${state}\n`,
      );
      save("Over");
      assert.match((await reviewed(repository, "1-3")).shown, /words of one[^]*words of two/, state);
      assert.match((await reviewed(repository, "1-1")).from, /not known/, state);
    }
  },
);

repositoryTest("a story made in one commit ends no other story's work [work:review]", async (repository) => {
  const { write, save, run } = repository;
  await run("mark", "1-1", "in-progress", "--by", "Ann");
  write("src/one.js", "first words\n");
  save("Work");
  write("src/two.js", "all words\n");
  sayIn(repository, "in-progress", "review");
  save("More");
  write("src/three.js", "later words\n");
  save("And more");
  for (const state of ["review", "done"]) {
    sayIn(repository, "in-progress", state);
    assert.match((await reviewed(repository, "1-1")).shown, /first words[^]*later words/, state);
    assert.match((await reviewed(repository, "1-2")).shown, /all words/, state);
  }
});

repositoryTest("a rebase loses no story's beginning [work:review]", async (repository) => {
  const { dir, write, save, run } = repository;
  const commit = (path: string, text: string) => {
    write(path, text);
    save("Work");
  };
  runGit(dir, "checkout", "--quiet", "-b", "side");
  commit("src/early.js", "early words\n");
  await run("mark", "1-1", "in-progress", "--by", "Ann");
  commit("src/one.js", "first words\n");
  runGit(dir, "checkout", "--quiet", "main");
  commit("src/two.js", "other words\n");
  runGit(dir, "rebase", "--quiet", "main", "side");
  const { shown, from } = await reviewed(repository, "1-1");
  assert.match(shown, /first words/, from);
  assert.doesNotMatch(shown, /early words|other words/);
  const begun = runGit(dir, "rev-parse", "HEAD~1");
  const { stories } = JSON.parse(await run("trace", "1-1", "--json"));
  assert.equal(stories[0].baseline, begun);
});

repositoryTest(
  "what goes on in a story's files is shown, whatever begins [work:review]",
  async (repository) => {
    const { write, save, run } = repository;
    await run("mark", "1-1", "in-progress", "--by", "Ann");
    write("src/one.js", "words of one\n");
    save("feat(1-1): one");
    await run("mark", "1-2", "in-progress", "--by", "Ann");
    save("Begin");
    write("src/one.js", "words of one\nmore words\n");
    save("Squashed");
    write("src/two.js", "words of two\n");
    save("Work");
    const { shown } = await reviewed(repository, "1-1");
    assert.match(shown, /more words/);
    assert.doesNotMatch(shown, /words of two/);
  },
);

Deno.test("a project in a folder of a repository has its commits [work:review, work:git-drift]", () => {
  const below = Object.entries(PROJECT).map(([path, text]) => [`packages/api/${path}`, text]);
  return withRepository(
    { ...Object.fromEntries(below), "packages/web/a.js": "1\n" },
    async ({ dir, save, write }) => {
      const cwd = `${dir}/packages/api`;
      const run = async (...args: readonly string[]) => (await runHere(args, { cwd })).stdout;
      await run("mark", "1-1", "in-progress", "--by", "Ann");
      save("Begin");
      write("packages/web/b.js", "words of the web\n");
      save("Web");
      write("packages/api/src/login.js", "words of the login\n");
      save("feat(1-1): sign in");
      write("packages/api/src/new.js", "new words\n");
      write("packages/web/c.js", "words of the web\n");
      const { shown, added } = await reviewed({ dir: cwd, run }, "1-1");
      assert.match(shown, /words of the login[^]*new words/);
      assert.doesNotMatch(shown, /words of the web/);
      assert.deepEqual(added, ["src/new.js"]);
      const { unchecked } = JSON.parse(await run("check", "--json"));
      assert.deepEqual(unchecked, []);
      assert.match(await run("trace", "1-1"), /commit [0-9a-f]{12}: feat\(1-1\): sign in/);
    },
  );
});

repositoryTest(
  "what git takes for committed is not called open [work:git-drift]",
  async ({ dir, run, write, save, head }) => {
    const begun = head();
    const done = (path: string) =>
      `---\nbaseline_commit: ${begun}\n---\n${
        storyOf("1.1", "Sign in", "done")
      }\n## File List\n\n- ${path}\n- src/big.bin\n`;
    const ledger = PROJECT[`${FOLDER}/sprint-status.yaml`].replace(
      "1-1-sign-in: ready-for-dev",
      "1-1-sign-in: done",
    );
    write(`${FOLDER}/1-1-sign-in.md`, done("src/a.js"));
    write(`${FOLDER}/sprint-status.yaml`, ledger);
    write("src/big.bin", "x".repeat(2_000_000));
    write("src/a.js", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    save("feat(1-1): sign in");
    runGit(dir, "checkout", "--quiet", "-b", "side");
    write("src/a.js", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
    save("Side");
    runGit(dir, "checkout", "--quiet", "main");
    write("src/a.js", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    save("Main");
    runGit(dir, "merge", "--quiet", "--no-edit", "side");
    assert.doesNotMatch(await run("board"), /not committed/);
    runGit(dir, "config", "core.autocrlf", "true");
    Deno.removeSync(`${dir}/src/a.js`);
    runGit(dir, "checkout", "--quiet", "src/a.js");
    assert.match(Deno.readTextFileSync(`${dir}/src/a.js`), /\r\n/);
    Deno.utimeSync(`${dir}/src/a.js`, 1, 1);
    assert.doesNotMatch(await run("board"), /not committed/);
    write("src/big.bin", "y".repeat(2_000_000));
    for (const words of [["board"], ["check"], ["check", "1-1"]]) {
      assert.match(await run(...words), /src\/big\.bin is not committed/);
    }
  },
);

treeTest("filters of a repository do not run, and nothing is claimed of their files [git:no-surprises]", {
  "a.txt": "1\n",
  "b.txt": "1\n",
  ".gitattributes": "a.txt filter=spy\n",
}, async (root) => {
  runGit(root, "init", "--quiet");
  runGit(root, "add", "--all");
  runGit(root, "commit", "--quiet", "--message", "Begin");
  for (const key of ["clean", "process"]) {
    runGit(root, "config", `filter.spy.${key}`, `touch ${root}/ran; cat`);
  }
  runGit(root, "config", "filter.spy.required", "true");
  await writeTree(root, { "a.txt": "2\n", "b.txt": "2\n", "c.txt": "1\n" });
  const limits = { environment: { PATH: Deno.env.get("PATH")! }, timeout: 60_000, within: root };
  assert.deepEqual(await listChanges(root, limits), [
    { path: "a.txt", kind: "unclear" },
    { path: "b.txt", kind: "changed" },
    { path: "c.txt", kind: "new" },
  ]);
  assert.throws(() => Deno.statSync(`${root}/ran`), Deno.errors.NotFound);
});

Deno.test("a story in review without a file says so, and its review is no link [work:review]", () =>
  withRepository({
    "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
    "out/implementation-artifacts/sprint-status.yaml":
      "development_status:\n  epic-1: in-progress\n  1-1-one: review\n  1-2-two: backlog\n",
  }, async ({ dir, run }) => {
    assert.match(await run("review", "1-1"), /it is review and has no story file: write it first/);
    assert.match(await run("review", "1-2"), /whoever begins it writes one/);
    await using server = await startHttp(["--project", dir]);
    const page = await (await fetch(`${server.url}/review`)).text();
    assert.match(page, /href="\/board\?[^"]*story=1-1"/);
    assert.doesNotMatch(page, /href="\/review\?[^"]*story=1-1"/);
  }));
