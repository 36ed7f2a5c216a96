/**
 * Does the trace say what the documents mean, in both directions, and what has become stale?
 */
import assert from "node:assert/strict";
import { chanceFrom } from "../../../soak/chance.ts";
import { runGit } from "../../../support/git.ts";
import { startHttp } from "../../../support/http.ts";
import { runHere } from "../../../support/program.ts";
import { verifies } from "../../../support/requirements.ts";
import { checkTraced, makeTraced } from "../../../support/traced.ts";
import { withTree } from "../../../support/trees.ts";

Deno.test(
  verifies("trace:graph", "generated projects are traced as they were meant"),
  async () => {
    for (let seed = 1; seed <= 30; seed++) await checkTraced(makeTraced(chanceFrom(seed)));
  },
);

const PRD = "# PRD\n\n## Functional Requirements\n\n- **FR1**: Users can sign in with a password.\n" +
  "- FR-02: Users can sign out\n  from every page.\n- FR3: Users can reset their password.\n";
const EPICS = "# Epics\n\n## Epic 1: Accounts\n\n**FRs covered:** FR1, FR2\n\n### Story 1.1: Sign in\n\n" +
  "### Story 1.2: Sign out\n\nRequirements: FR2\n\n**Acceptance Criteria:**\n\n1. The link is on every page\n\n" +
  "## Epic 2: Later\n\n### Story 2.1: Tidy up\n";
const STORY = (baseline: string) =>
  `---\nbaseline_commit: ${baseline}\n---\n# Story 1.1: Sign in\n\nStatus: in-progress\n\nCovers: FR1\n\n` +
  "## Acceptance Criteria\n\n1. A right password signs in\n2. A wrong password is refused\n\n" +
  "## Dev Agent Record\n\n### File List\n\n- src/login.ts\n- tests/login_test.ts\n";
const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  "out/planning-artifacts/prd.md": PRD,
  "out/planning-artifacts/epics.md": EPICS,
  "out/implementation-artifacts/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-sign-in: in-progress\n  1-2-sign-out: ready-for-dev\n" +
    "  epic-2: backlog\n  2-1-tidy-up: backlog\n",
};

/** A repository in which a story was begun and committed. */
function withRepository(
  fn: (dir: string, run: (...args: readonly string[]) => Promise<string>) => Promise<void>,
) {
  return withTree(PROJECT, async (dir) => {
    runGit(dir, "init", "--quiet", "--initial-branch=main");
    const save = (message: string) => {
      runGit(dir, "add", "--all");
      runGit(dir, "commit", "--quiet", "--message", message);
    };
    save("Begin");
    const story = `${dir}/out/implementation-artifacts/1-1-sign-in.md`;
    Deno.writeTextFileSync(story, STORY(runGit(dir, "rev-parse", "HEAD")));
    Deno.mkdirSync(`${dir}/src`);
    Deno.mkdirSync(`${dir}/tests`);
    Deno.writeTextFileSync(`${dir}/src/login.ts`, "export const a = 1;\n");
    Deno.writeTextFileSync(`${dir}/tests/login_test.ts`, "// AC1: a right password\n");
    save("feat(1-1): sign in");
    await fn(dir, async (...args) => {
      const { stdout, stderr } = await runHere(args, { cwd: dir });
      return `${stdout}${stderr}`;
    });
  });
}

Deno.test(
  verifies("trace:graph", "a trace is told for all, for a requirement in any spelling, and for a story"),
  () =>
    withRepository(async (dir, run) => {
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
        /## Criteria without a test\n- 1-1 AC2: A wrong password is refused\n- 1-2 AC1: The link/,
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
      const called = await run("call", "bmad_work", '{"operation":"trace","story":"FR2"}');
      assert.match(called, /^# FR2: Users can sign out from every page\n/);
      await using program = await startHttp(["--project", dir, "--allow-git"]);
      const page = await (await fetch(`${program.url}/trace`)).text();
      assert.match(page, /<th scope="row"[^>]*>FR1<\/th>[^]*href="\/board\?story=1-1">1-1<\/a>/);
      assert.match(page, /FR3<\/th>[^]*not covered/);
    }),
);

Deno.test(
  verifies(
    "trace:stale",
    "a story is stale when its requirement has changed since it began, and not by its place",
  ),
  () =>
    withRepository(async (dir, run) => {
      assert.doesNotMatch(await run("trace", "--stale"), /Stale/);
      const prd = `${dir}/out/planning-artifacts/prd.md`;
      // Another line and other emphasis are no change.
      Deno.writeTextFileSync(
        prd,
        PRD.replace("# PRD\n", "# PRD\n\nIntroduction.\n").replace("**FR1**", "FR1"),
      );
      assert.doesNotMatch(await run("trace", "--stale"), /Stale/);
      Deno.writeTextFileSync(prd, PRD.replace("a password.", "a password or a passkey."));
      assert.match(await run("trace", "--stale"), /## Stale: .*\n- 1-1: FR1 changed since it began/);
      assert.match(await run("trace", "1-1", "--stale"), /- 1-1: FR1 changed since it began/);
      const { stories } = JSON.parse(await run("trace", "--stale", "--json"));
      assert.deepEqual(stories.map(({ stale }: { readonly stale?: readonly string[] }) => stale), [
        ["FR1"],
        undefined,
        undefined,
      ]);
    }),
);
