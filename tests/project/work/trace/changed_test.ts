/** Is a requirement that is gone, or has another number, called that, and does a person's word settle it? */
import assert from "node:assert/strict";
import { openCommits } from "../../../../src/project/work/check/history.ts";
import type { Board } from "../../../../src/project/work/formats/mod.ts";
import { runGit } from "../../../support/git.ts";
import { runHere } from "../../../support/program.ts";
import { type Repository, withRepository } from "../../../support/project_repository.ts";
import { withTree } from "../../../support/trees.ts";

const FOLDER = "out/implementation-artifacts";
const PRD_FILE = "out/planning-artifacts/prd.md";
const prd = (...lines: readonly string[]) =>
  `# PRD\n\n## Functional Requirements\n\n${lines.map((line) => `- ${line}\n`).join("")}`;
const [IN, OUT, RESET] = ["Users can sign in.", "Users can sign out.", "Users can reset passwords."];
const storyOf = (number: string, id: string) =>
  `# Story ${number}: Part\n\nStatus: review\n\nCovers: ${id}\n\n## Acceptance Criteria\n\n1. It works\n\n` +
  `## Dev Agent Record\n\nBuilt.\n\n### File List\n\n- src/${number}.ts\n- tests/${number}_test.ts\n\n` +
  "## Senior Developer Review (AI)\n\n**Outcome:** Approved\n";
const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  [`${FOLDER}/work-log.jsonl`]: "",
  [`${FOLDER}/sprint-status.yaml`]:
    "development_status:\n  epic-1: in-progress\n  1-1-one: review\n  1-2-two: review\n  1-3-three: done\n",
  [PRD_FILE]: prd(`FR1: ${IN}`, `FR2: ${OUT}`, `FR3: ${RESET}`),
};

/** Three stories, each built in a commit that names it, for a requirement of its own. */
const built = (name: string, fn: (repository: Repository) => Promise<void>) =>
  Deno.test(name, () =>
    withRepository(PROJECT, async (repository) => {
      const { write, save } = repository;
      for (const at of [1, 2, 3]) {
        const key = ["one", "two", "three"][at - 1];
        write(
          `${FOLDER}/1-${at}-${key}.md`,
          storyOf(`1.${at}`, `FR${at}`).replace(
            "Status: review",
            at === 3 ? "Status: done" : "Status: review",
          ),
        );
        write(`src/1.${at}.ts`, "export {};\n");
        write(`tests/1.${at}_test.ts`, "// AC1\n");
        save(`feat(1-${at}): part`);
      }
      await fn(repository);
    }));

built(
  "a requirement that is gone or renumbered is called that [trace:stale, work:stale-shown]",
  async (repository) => {
    const { run, write } = repository;
    const told = async () => (await run("trace", "--stale")).split("## Stale")[1] ?? "";
    assert.equal(await told(), "");
    // One comes before the others, and the last is dropped.
    write(PRD_FILE, prd("FR1: Users register.", `FR2: ${IN}`, `FR3: ${OUT}`));
    const stale = await told();
    assert.match(stale, /\n- 1-1: FR1 is now FR2\n/);
    assert.match(stale, /\n- 1-2: FR2 is now FR3\n/);
    assert.match(stale, /\n- 1-3: FR3 was removed\n/);
    assert.match(await run("board"), /1-1\s+review: Part \([^)]*stale: FR1 is now FR2/);
    write(PRD_FILE, prd(`FR1: ${IN}`, "FR2: Users can sign out everywhere."));
    assert.match(await told(), /\n- 1-2: FR2 changed since it began\n- 1-3: FR3 was removed\n/);
    assert.match(await run("board"), /1-2\s+review: Part \([^)]*stale: FR2 changed[),]/);
    assert.match(
      await run("trace", "FR3", "--stale"),
      /^# FR3: no document defines it\n- still named by 1-3\n- story 1-3 [^]*\n- 1-3: FR3 was removed\n/,
    );
    assert.match(await run("trace", "FR8"), /Unknown requirement "FR8"/);
  },
);

built(
  "check and mark tell what is stale, and a reason settles it [work:stale-settled]",
  async (repository) => {
    const { dir, run, write, save } = repository;
    const changed = prd(
      "FR1: Users can sign in with a key.",
      `FR2: ${OUT}`,
      "FR3: Users can reset what they own.",
    );
    assert.match(await run("check", "1-1"), /Nothing speaks against "done"\.$/m);
    write(PRD_FILE, changed);
    for (const words of [["check", "1-1"], ["check"]]) {
      const told = await run(...words);
      assert.match(told, /Story 1-1: FR1 changed since it began\.(?:\t|$)/m);
      assert.match(told, /^Settle it: bmad-mcp mark 1-1 done --reason WHY$/m);
    }
    assert.match(await run("check"), /Story 1-3: FR3 changed since it began\.(?:\t|$)/m);
    const refused = await run("mark", "1-1", "done");
    assert.match(
      refused,
      /the check has 1 finding:\n- .*FR1 changed since it began\.\n.*\n.*\(--reason WHY\)/s,
    );
    assert.doesNotMatch(refused, /force/);
    assert.match(
      await run("mark", "1-1", "done", "--reason", "Keys are in"),
      /review → done[^]*are accepted/,
    );
    // One that is done already stays so.
    const three = await run("mark", "1-3", "done", "--reason", "Read again");
    assert.match(three, /has that status already[^]*are accepted/);
    const isSettled = async (text: Promise<string>) =>
      assert.doesNotMatch(await text, /stale|FR[13] changed/);
    await isSettled(run("check"));
    await isSettled(run("board"));
    save("Settled");
    // What changes later is told again, and in a clone the journal says what was settled.
    await withTree({}, async (other) => {
      runGit(other, "clone", "--quiet", dir, "clone");
      await isSettled(runHere(["board"], { cwd: `${other}/clone` }).then(({ stdout }) => stdout));
    });
    write(PRD_FILE, changed.replace("a key", "two keys").replace(OUT, "Users can sign out twice."));
    assert.match(await run("board"), /stale: FR1 changed/);
    // Whoever is building it should know, too.
    await run("mark", "1-2", "in-progress");
    assert.match(await run("check"), /Story 1-2: FR2 changed since it began\.(?:\t|$)/m);
  },
);

Deno.test("documents are compared by their versions only where that takes less time than to read them", () => {
  const hash = (at: number) => `${at}`.padStart(40, "0");
  const paths = Array.from({ length: 200 }, (_, at) => `docs/prd/${at}.md`);
  let looks = 0;
  const openWith = (count: number, last: string) =>
    openCommits({
      commits: Array.from({ length: count }, (_, at) => {
        const [kind, after] = at === count - 1 ? ["added", "first"] : ["changed", last];
        const isPart = at === 0 || at === count - 1;
        const changes = isPart ? paths.map((path) => ({ path, kind, before: "", after })) : [];
        return {
          id: hash(count - at),
          parents: at === count - 1 ? [] : [hash(count - at - 1)],
          subject: "Write",
          get changes() {
            looks++;
            return changes as { path: string; kind: "added"; before: string; after: string }[];
          },
        };
      }),
      isCut: false,
      status: new Map([["docs/prd/1.md", "changed"]]),
    }, { epics: [] } as unknown as Board);
  assert.equal(openWith(50, "first").areUnchanged([paths[0]!]), true);
  assert.equal(openWith(50, "second").areUnchanged([paths[0]!]), false, "another version");
  assert.equal(openWith(50, "first").areUnchanged([paths[1]!]), false, "not committed");
  assert.equal(openWith(50, "first").areUnchanged(["docs/none.md"]), true);
  const long = openWith(5_000, "first");
  looks = 0;
  assert.equal(long.areUnchanged(paths.slice(2)), false);
  assert.ok(looks <= 5_000, `${looks} looks at the changes of 5,000 commits`);
});
