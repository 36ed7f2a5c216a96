/** Does the trace say what the documents mean, in both directions, and what has become stale? */
import assert from "node:assert/strict";
import { diskTree } from "../../../../src/content/tree/mod.ts";
import { compareBoards, mapStories, readBoard } from "../../../../src/project/work/board/mod.ts";
import { chanceFrom } from "../../../support/chance.ts";
import { runGit } from "../../../support/git.ts";
import { BMM } from "../../../support/bmm_project.ts";
import { startHttp } from "../../../support/http.ts";
import { runHere } from "../../../support/program.ts";
import { type Repository, withRepository } from "../../../support/project_repository.ts";
import { checkTraced, makeTraced, traceOf } from "../../../support/traced.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

Deno.test("generated projects are traced as they were meant [trace:graph]", async () => {
  for (let seed = 1; seed <= 30; seed++) await checkTraced(makeTraced(chanceFrom(seed)));
});

const PRD = "# PRD\n\n## Functional Requirements\n\n- **FR1**: Users can sign in with a password.\n" +
  "- FR-02: Users can sign out\n  from every page.\n- FR3: Users can reset their password.\n";
const EPICS = "# Epics\n\n## Epic 1: Accounts\n\n**FRs covered:** FR1, FR2\n\n### Story 1.1: Sign in\n\n" +
  "### Story 1.2: Sign out\n\nRequirements: FR2\n\n**Acceptance Criteria:**\n\n1. The link is on every page\n\n" +
  "## Epic 2: Later\n\n### Story 2.1: Tidy up\n";
const PLAIN = "# Story 1.1: Sign in\n\nStatus: in-progress\n\nCovers: FR1\n\n" +
  "## Acceptance Criteria\n\n1. A right password signs in\n2. A wrong password is refused\n\n" +
  "## Dev Agent Record\n\n### File List\n\n- src/login.ts\n- tests/login_test.ts\n";
const STORY = (baseline: string) => `---\nbaseline_commit: ${baseline}\n---\n${PLAIN}`;
const FOLDER = "out/implementation-artifacts";
const PRD_FILE = "out/planning-artifacts/prd.md";
const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  [PRD_FILE]: PRD,
  "out/planning-artifacts/epics.md": EPICS,
  [`${FOLDER}/sprint-status.yaml`]:
    "development_status:\n  epic-1: in-progress\n  1-1-sign-in: in-progress\n  1-2-sign-out: ready-for-dev\n" +
    "  epic-2: backlog\n  2-1-tidy-up: backlog\n",
};

const CHANGED = PRD.replace("a password.", "a password or a passkey.");
const IS_STALE = /## Stale: .*\n- 1-1: FR1 changed since it began/;

/** A repository in which a story was begun and committed; `isPlain` leaves out its baseline. */
function repositoryTest(name: string, fn: (repository: Repository) => Promise<void>, isPlain = false): void {
  Deno.test(name, () =>
    withRepository(PROJECT, async (repository) => {
      const { write, save, head } = repository;
      write(`${FOLDER}/1-1-sign-in.md`, isPlain ? PLAIN : STORY(head()));
      write("src/login.ts", "export const a = 1;\n");
      write("tests/login_test.ts", "// AC1: a right password\n");
      save("feat(1-1): sign in");
      await fn(repository);
    }));
}

repositoryTest(
  "a story beside others that name theirs does not get its epic's [trace:graph]",
  async ({ run, write }) => {
    const plan = "out/planning-artifacts/epics.md";
    const more = EPICS.replace("\n\n## Epic 2", "\n\n### Story 1.3: Help\n\n## Epic 2");
    write(plan, more);
    await run("plan");
    const told = await run("trace");
    assert.match(told, /; 2 of 4 stories name one; /);
    assert.match(told, /## Stories without a requirement\n- 1-3 Help\n- 2-1 /);
    assert.match(await run("trace", "1-3"), /\n- for no requirement\n/);
    assert.doesNotMatch(await run("trace", "FR1"), /1-3/);
    // Where only the epic names any, all of its stories have them, and it is said whose they are.
    write(plan, more.replace("Requirements: FR2\n\n", ""));
    write(`${FOLDER}/1-1-sign-in.md`, PLAIN.replace("Covers: FR1\n\n", ""));
    assert.match(await run("trace"), /; 0 of 4 stories name one, 3 have their epic's; /);
    assert.match(await run("trace", "1-3"), /\n- for FR1, as its epic: /);
  },
);

repositoryTest("a trace, whole and in parts [trace:graph]", async ({ dir, run }) => {
  const all = await run("trace");
  assert.match(
    all,
    /^2 of 3 requirements are covered; 2 of 3 stories name one; 1 of 3 criteria have a test\./,
  );
  assert.match(all, /\n- FR2: Users can sign out from every page → epic 1, 1-2\n/);
  assert.match(
    all,
    /## Not covered\n- FR3: Users can reset their password \(out\/planning-artifacts\/prd\.md:8\)/,
  );
  assert.match(all, /## Stories without a requirement\n- 2-1 Tidy up/);
  assert.match(
    all,
    /## Criteria without a test\n- Story 1-1: no test names AC2: A wrong password is refused\n- Story 1-2: no test names AC1: The link/,
  );
  for (const name of ["FR1", "fr-01", "FR 1"]) {
    const one = await run("trace", name);
    assert.match(one, /^# FR1: Users can sign in with a password\n/);
    assert.match(one, /AC1: A right password signs in – tests\/login_test\.ts\n/);
    assert.match(one, /commit [0-9a-f]{12}: feat\(1-1\): sign in\n/);
    assert.match(one, /if it changes, these become stale: 1-1; their tests: tests\/login_test\.ts/);
  }
  assert.match(
    await run("trace", "Sign out"),
    /^# 1-2: Sign out\n- for FR2: Users can sign out from every page/,
  );
  assert.match(await run("trace", "FR9"), /Unknown requirement "FR9"\. Use one of FR1, FR2, FR3/);
  assert.match(await run("trace", "nothing"), /No story named "nothing"/);
  const { items, stories } = JSON.parse(await run("trace", "--json"));
  assert.deepEqual(items.map(({ id }: { readonly id: string }) => id), ["FR1", "FR2", "FR3"]);
  assert.deepEqual(stories[0].criteria.map((one: { readonly tests: readonly string[] }) => one.tests), [
    ["tests/login_test.ts"],
    [],
  ]);
  const drawn = await run("trace", "FR1", "--mermaid");
  assert.match(drawn, /^graph LR\n {2}r0\["FR1 Users can sign in/);
  assert.match(drawn, /s\d+ --> c\d+\n[^]*c\d+ --> t\d+\n/);
  await using program = await startHttp(["--project", dir, "--allow-git"]);
  const page = await (await fetch(`${program.url}/trace`)).text();
  assert.match(page, /<th scope="row"[^>]*>FR1<\/th>[^]*href="\/board\?story=1-1">1-1<\/a>/);
  assert.match(page, /FR3<\/th>[^]*not covered/);
});

repositoryTest("a changed requirement is stale [trace:stale]", async ({ run, write }) => {
  assert.doesNotMatch(await run("trace", "--stale"), /Stale/);
  // Another line and other emphasis are no change.
  write(PRD_FILE, PRD.replace("# PRD\n", "# PRD\n\nIntroduction.\n").replace("**FR1**", "FR1"));
  assert.doesNotMatch(await run("trace", "--stale"), /Stale/);
  write(PRD_FILE, CHANGED);
  assert.match(await run("trace", "--stale"), IS_STALE);
  assert.match(await run("trace", "1-1", "--stale"), /- 1-1: FR1 changed since it began/);
  assert.match(await run("trace", "FR1", "--stale"), /- changed since these began: 1-1\n/);
  const { stories } = JSON.parse(await run("trace", "--stale", "--json"));
  const stale = stories.map((one: { readonly stale?: readonly string[] }) => one.stale);
  assert.deepEqual(stale, [["FR1"], undefined, undefined]);
  write(PRD_FILE, PRD.replace(/^.*FR1.*\n/m, ""));
  assert.match(await run("trace", "--stale"), /## Stale: .*\n- 1-1: FR1 was removed\n/);
  assert.match(await run("trace", "1-1", "--stale"), /- for FR1, which no document defines\n/);
});

repositoryTest(
  "board, story and next step say so [work:stale-shown]",
  async ({ dir, run, write }) => {
    assert.doesNotMatch(await run("board"), /stale/);
    assert.doesNotMatch(await run("next"), /stale|Read again/i);
    write(PRD_FILE, CHANGED);
    assert.match(await run("board"), /1-1\s+in-progress: Sign in \([^)]*stale: FR1 changed\)/);
    assert.match(await run("board", "1-1"), /stale\s+FR1 changed since it began/);
    const { items } = JSON.parse(await run("board", "--json"));
    const [first, second] = items[0].stories;
    assert.deepEqual([first.stale, first.notes, second.stale], [["FR1"], ["stale: FR1 changed"], undefined]);
    const sprint = `${FOLDER}/sprint-status.yaml`;
    const mark = (word: string) => {
      const text = Deno.readTextFileSync(`${dir}/${sprint}`);
      write(sprint, text.replace(/1-1-sign-in: .*/, `1-1-sign-in: ${word}`));
    };
    mark("done");
    assert.match(await run("board"), /1-1\s+done: Sign in \([^)]*stale: FR1 changed/);
    mark("dropped");
    assert.doesNotMatch(await run("board"), /stale/);
  },
);

treeTest(
  "the next step has calls for what is open [work:stale-shown, work:findings-shown]",
  {
    ...BMM,
    "out/plan/prd.md": PRD,
    "out/impl/sprint-status.yaml": "development_status:\n  1-1-sign-in: in-progress\n  1-2-b: in-progress\n",
    "out/impl/1-1-sign-in.md": `${PLAIN}\n### Review Findings\n\n- [ ] [Review][Patch] It leaks [a.ts:1]\n`,
    "out/impl/1-2-b.md": "Status: in-progress\n\nCovers: FR1, FR2\n",
  },
  async (dir) => {
    runGit(dir, "init", "--quiet", "--initial-branch=main");
    runGit(dir, "add", "--all");
    runGit(dir, "commit", "--quiet", "--message", "Begin");
    Deno.writeTextFileSync(`${dir}/out/plan/prd.md`, CHANGED);
    const run = async (...args: readonly string[]) => (await runHere(args, { cwd: dir })).stdout;
    const next = await run("next");
    const [, line] = /^Read again: bmad-mcp (.*)$/m.exec(next) ?? [];
    assert.equal(line, "trace 1-1 --stale");
    assert.match(next, /^Findings to settle: bmad-mcp review 1-1$/m);
    assert.match(next, /^Findings: 1 open$/m);
    assert.match(await run("review", "1-1-sign-in"), /It leaks/);
    assert.match(next, /^Stale: FR1 changed since it began$/m);
    assert.match(next, /^In progress without a holder:\n- 1-2 in-progress: B \(stale: FR1 changed\)$/m);
    assert.match(await run(...line!.split(" ")), /- 1-1: FR1 changed since it began/);
    const asked = JSON.stringify({ operation: "next" });
    const plain = await run("call", "bmad_work", asked);
    assert.doesNotMatch(plain, /Read again/);
    assert.match(plain, /^Findings to settle: bmad \{"operation":"review","story":"1-1"\}$/m);
    const called = await run("call", "--allow-git", "bmad_work", asked);
    assert.match(called, /^Read again: bmad \{"operation":"trace","story":"1-1"\}$/m);
  },
);

repositoryTest(
  "without a baseline, a story began in the commit that added its document [trace:stale]",
  async ({ run, save, write }) => {
    assert.doesNotMatch(await run("trace", "--stale"), /Stale|not compared/);
    write(PRD_FILE, CHANGED);
    assert.match(await run("trace", "--stale"), IS_STALE);
    // A story and its requirement that were committed together agree.
    const file = `${FOLDER}/1-2-sign-out.md`;
    const second = "# Story 1.2: Sign out\n\nStatus: ready-for-dev\n\nCovers: FR2\n";
    const prd = CHANGED.replace("from every page", "everywhere");
    write(file, second);
    write(PRD_FILE, prd);
    assert.match(
      await run("trace", "--stale"),
      /## Not looked at\n- 1 story was not compared with earlier requirements: no commit shows when it began\./,
    );
    save("feat(1-2): sign out");
    const all = await run("trace", "--stale");
    assert.match(all, /began\n- 1-1: FR1 changed since it began$/m);
    assert.doesNotMatch(all, /1-2: FR2 changed|not compared/);
    // Requirements that a story did not know when it began have not changed.
    write(file, `${second}Covers: FR9\n`);
    write(PRD_FILE, `${prd}- FR9: Users can leave.\n`);
    assert.doesNotMatch(await run("trace", "--stale"), /FR9 changed/);
  },
  true,
);

repositoryTest("a section as a requirement [trace:stale]", async ({ run, save, write, head }) => {
  const sections = "# PRD\n\n## Features\n\n#### FR-1: Sign in\n\nUsers sign in with a password.\n\n" +
    "**Consequences:**\n- A wrong one is refused\n\n#### FR-2: Sign out\n\nUsers sign out.\n\n## Later\n\nMuch.\n";
  write(PRD_FILE, sections);
  save("Sections");
  write(`${FOLDER}/1-1-sign-in.md`, STORY(head()));
  assert.match(await run("trace"), /\n- FR1: Sign in → /);
  const others = { "sign out": "leave", Much: "Little", "password.\n": "password.\n\n\n" };
  const own = { "a password": "a passkey", "is refused": "is counted" };
  for (const [from, to] of Object.entries({ ...others, ...own })) {
    write(PRD_FILE, sections.replace(from, to));
    assert.equal(IS_STALE.test(await run("trace", "--stale")), from in own, from);
  }
});

repositoryTest(
  "a merge of two versions counts [trace:stale]",
  async ({ dir, run, save, write, head }) => {
    runGit(dir, "checkout", "--quiet", "-b", "side");
    write(PRD_FILE, PRD.replace("sign in with", "log in with"));
    save("Word");
    runGit(dir, "checkout", "--quiet", "main");
    write(PRD_FILE, PRD.replace("reset their password", "reset it"));
    save("Another word");
    runGit(dir, "merge", "--quiet", "--no-edit", "side");
    const merged = Deno.readTextFileSync(`${dir}/${PRD_FILE}`);
    assert.match(merged, /log in with[^]*reset it/);
    write(`${FOLDER}/1-1-sign-in.md`, STORY(head()).replace("Covers: FR1", "Covers: FR1, FR3"));
    save("Begin again");
    assert.doesNotMatch(await run("trace", "--stale"), /Stale|not compared/);
    write(PRD_FILE, merged.replace("reset it", "reset them"));
    assert.match(await run("trace", "--stale"), /- 1-1: FR3 changed since it began$/m);
  },
);

Deno.test("too many earlier requirements are counted [trace:stale]", () => {
  const count = 205;
  const refs = Array.from({ length: count }, (_, at) => at + 1);
  const hash = (kind: string, at: number) => `${kind}${String(at).padStart(39, "0")}`;
  const textOf = (at: number) =>
    `---\nbaseline_commit: ${
      hash("c", at)
    }\n---\n# Story 1.${at}: Part\n\nStatus: in-progress\n\nCovers: FR1\n`;
  const stories = refs.map((at) => [`out/impl/1-${at}-part.md`, textOf(at)]);
  return withTree({
    "out/plan/prd.md": PRD,
    "out/impl/sprint-status.yaml": `development_status:\n  epic-1: in-progress\n${
      refs.map((at) => `  1-${at}-part: in-progress\n`).join("")
    }`,
    ...Object.fromEntries(stories),
  }, async (dir) => {
    const commits = refs.map((at) => {
      const change = { kind: "changed" as const, before: hash("a", at - 1), after: hash("a", at) };
      const parents = at === 1 ? [] : [hash("c", at - 1)];
      return {
        id: hash("c", at),
        parents,
        subject: "Words",
        changes: [{ path: "out/plan/prd.md", ...change }],
      };
    });
    // The first story has seen other words, of the second nothing can be read.
    const wordsOf = (name: string) => name === hash("a", 1) ? "Others" : "Users can sign in with a password.";
    const { stories, unread } = await traceOf(dir, {
      history: () =>
        Promise.resolve({
          commits: commits.toReversed(),
          isCut: false,
          status: new Map([["out/plan/prd.md", "changed"]]),
        }),
      wordsIn: (versions) => {
        const readable = versions.filter((name) => name !== hash("a", 2));
        return Promise.resolve(new Map(readable.map((name) => [name, new Map([["FR1", wordsOf(name)]])])));
      },
    });
    const told = Map.groupBy(stories, ({ stale }) => stale?.join() ?? "not compared");
    assert.deepEqual([...told].map(([words, { length }]) => [words, length]), [
      ["FR1", 1],
      ["not compared", 6],
      ["", 198],
    ]);
    assert.deepEqual(unread, [
      "6 stories were not compared with earlier requirements: not all of those could be read.",
    ]);
  });
});

repositoryTest(
  "versions are read up to a limit [trace:stale]",
  async ({ dir, run, save, write, head }) => {
    const main = head();
    runGit(dir, "checkout", "--quiet", "-b", "side");
    write(PRD_FILE, PRD.replace("sign in with", "log in with"));
    save("Word");
    const side = head();
    Deno.removeSync(`${dir}/${PRD_FILE}`);
    save("Without");
    const [whole, without] = [side, "HEAD"].map((name) => runGit(dir, "rev-parse", `${name}^{tree}`));
    // In the first of these merges there is no such document, so that they cannot all be shown at once.
    const merges = [main];
    for (let at = 1; at <= 8; at++) {
      const tree = at === 1 ? without! : whole!;
      const args = ["-p", merges.at(-1)!, "-p", at === 2 ? main : side, "-m", `Merge ${at}`];
      merges.push(runGit(dir, "commit-tree", tree, ...args));
    }
    runGit(dir, "reset", "--quiet", "--hard", merges.at(-1)!);
    const rows = merges.slice(1).map((_, at) => `  1-${at + 1}-part: in-progress\n`).join("");
    write(`${FOLDER}/sprint-status.yaml`, `development_status:\n  epic-1: in-progress\n${rows}`);
    Deno.removeSync(`${dir}/${FOLDER}/1-1-sign-in.md`);
    for (const [at, id] of merges.entries()) if (at > 0) write(`${FOLDER}/1-${at}-part.md`, STORY(id));
    write(PRD_FILE, PRD);
    const told = await run("trace", "--stale");
    assert.equal(told.match(/^- 1-\d: FR1 changed since it began$/gm)?.length, 4);
    assert.match(
      told,
      /- 3 stories were not compared with earlier requirements: not all of those could be read\.$/m,
    );
  },
);

treeTest("board, story and next step count the findings that are open [work:findings-shown]", {
  ...PROJECT,
  [`${FOLDER}/1-1-sign-in.md`]: `${PLAIN}\n### Review Findings\n\n` +
    "- [ ] [Review][Patch] The session never ends [src/login.ts:3]\n" +
    "- [ ] [Review][Decision] How long is a session?\n- [x] [Review][Patch] A typo [src/login.ts:9]\n",
}, async (dir) => {
  const run = async (...args: readonly string[]) => (await runHere(args, { cwd: dir })).stdout;
  assert.match(await run("board"), /1-1\s+in-progress: Sign in \([^)]*2 findings open\)/);
  assert.match(await run("board", "1-1"), /findings\s+2 open/);
  const { items } = JSON.parse(await run("board", "--json"));
  assert.equal(items[0].stories[0].findings, 2);
  // What differs between two states is told in the same words.
  const board = await readBoard(diskTree(dir), {
    output: "out",
    planning: ["out/planning-artifacts"],
    implementation: ["out/implementation-artifacts"],
  });
  const other = mapStories(board, (story) => ({ ...story, findings: undefined, stale: ["FR1"] }));
  const [change, ...others] = compareBoards(board, other);
  const back = compareBoards(other, board)[0]!;
  assert.deepEqual([change!.text, back.text, others.length], [
    "1-1-sign-in Sign in: no finding open, stale: FR1 changed",
    "1-1-sign-in Sign in: 2 findings open, no longer stale",
    2,
  ]);
});
