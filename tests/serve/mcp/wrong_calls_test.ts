/** Does the answer to a wrong call lead to the right one? */
import assert from "node:assert/strict";
import { toolOf } from "../../support/answers.ts";
import { BMM } from "../../support/bmm_project.ts";
import { clientHere } from "../../support/client.ts";
import { withTree } from "../../support/trees.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const QUESTIONS = "out/impl/open-questions.md";
const STORY = "# Story 1.1: List teas\n\nStatus: review\n\n## Acceptance Criteria\n\n1. It works\n\n" +
  "## Tasks / Subtasks\n\n- [x] Do it\n\n## Notes\n\nThe exit code tells what a review found.\n";
const PROJECT = {
  ...BMM,
  "_bmad/bmm/bmad-code-review/SKILL.md":
    '---\nname: bmad-code-review\ndescription: Review. Use when the user says "run code review"\n---\nDo it.\n',
  [LEDGER]: "development_status:\n  1-1-list-teas: review\n  1-2-the-exit-code-of-the-review: backlog\n" +
    "  1-3-review-code-of-a-guest: backlog\n  1-4-run-the-exit-code-review: backlog\n",
  "out/impl/1-1-list-teas.md": STORY,
};

type Tools = Record<"bmad" | "work", ReturnType<typeof toolOf>>;

function projectTest(name: string, test: (tools: Tools, cwd: string) => Promise<void>): void {
  Deno.test(name, () =>
    withTree(PROJECT, async (cwd) => {
      const args = ["--toolsets", "bmad,work", "--pack", "none"];
      await using client = await clientHere({ era: "2026", cwd, args });
      await test({ bmad: toolOf(client, "bmad"), work: toolOf(client, "bmad_work") }, cwd);
    }));
}

projectTest("a missing parameter is named with the call that has it [calls:corrected]", async ({ work }) => {
  await work.refuses(
    { operation: "mark", status: "done" },
    /^`story` is missing\. .*reference, key or title\. Call bmad_work \{.*"status":"done","story":"STORY"\}$/,
  );
  await work.refuses(
    { operation: "mark", story: "1-2" },
    /^`status` is missing\. Use one of backlog, .*\. Call bmad_work \{.*"story":"1-2","status":"STATUS"\}$/,
  );
});

projectTest(
  "an unknown value gets the call with one that is known [calls:corrected]",
  async ({ bmad, work }) => {
    const found = { operation: "finding", story: "1-1", text: "No lock" };
    await work.refuses({ ...found, severity: "huge" }, /^Unknown severity "huge"\. .*"severity":"high"\}$/);
    await work.refuses({ ...found, verdict: "maybe" }, /"verdict":"accepted"\}$/);
    await work.refuses(found, /^`severity` is missing\. Use one of high, .*"severity":"high"\}$/);
    await bmad.refuses({ operation: "search", query: "tea", type: "band" }, /"type":"TYPE"\}$/);
    const marked = { operation: "mark", story: "1-2", status: "reveiw" };
    await work.refuses(marked, /^Unknown status "reveiw"\. Did you mean review\? .*"status":"review"\}$/);
  },
);

projectTest("what reads is corrected to what reads [calls:corrected]", async ({ bmad }) => {
  for (const operation of ["review", "show", "trace"]) {
    const call = `Call bmad ${
      JSON.stringify({ operation, story: operation === "trace" ? "REQUIREMENT" : "STORY" })
    }`;
    const refused = await bmad.refusal({ operation, ...(operation === "trace" && { story: "FR9" }) });
    assert.ok(refused.endsWith(call), refused);
  }
});

projectTest("a refused result prints the call that notes one [calls:corrected]", async ({ work }) => {
  const noted = { operation: "evidence", story: "1-1", command: "npm test" };
  const printed = `bmad_work ${JSON.stringify({ ...noted, after: "passed" })}`;
  const refused = await work.refusal(noted);
  assert.match(refused, /^`after` is missing\./);
  assert.ok(refused.endsWith(`Call ${printed}`), refused);
  await work.refuses({ operation: "evidence", story: "1-1" }, /"command":"npm test"\}$/);
  // Neither what it ignores nor the wrong value under its other name.
  const wrong = { ...noted, text: "12 tests", result: "0" };
  assert.ok(
    (await work.refusal(wrong)).endsWith(`Call bmad_work ${JSON.stringify({ ...noted, result: "passed" })}`),
  );
  await work.says({ ...noted, after: "passed" }, /npm test/);
  await work.says({ ...noted, result: "failed, 1 test" }, /after: failed, 1 test/);
});

projectTest("a story alone is no question [calls:corrected]", async ({ work }) => {
  const asked = { operation: "ask", question: "1-2" };
  await work.refuses(
    asked,
    /^`text` is missing\. .*\? Call bmad_work \{"operation":"ask","question":"QUESTION"\}$/,
  );
});

projectTest("a list may be one text [calls:lists]", async ({ bmad, work }) => {
  const asked = { operation: "ask", story: "1-2", text: "Which calendar?" };
  await work.says({ ...asked, choices: "ISO, Lunar" }, /A: ISO, B: Lunar\n/);
  await work.says(
    { ...asked, text: "When?", choices: "now, or never | later" },
    /A: now, or never, B: later\n/,
  );
  await work.says({ ...asked, text: "How?", choices: '"so, or so", "not"' }, /A: so, or so, B: not\n/);
  await work.says({ ...asked, text: "Who?", choices: ["Ann, Bob", "Eve"] }, /A: Ann, Bob, B: Eve\n/);
  await work.say({ operation: "review", story: "1-1", lens: "edge cases, security" });
  const { lenses } = await bmad.facts({ operation: "review", story: "1-1" });
  assert.deepEqual(lenses, ["edge cases", "security"]);
});

projectTest("a corrected question replaces the first [work:ask]", async ({ work }, cwd) => {
  const asked = { operation: "ask", story: "1-2", text: "Which calendar?", to: "Bob" };
  await work.say({ ...asked, choices: ["ISO calendar"] });
  const list = await Deno.readTextFile(`${cwd}/${QUESTIONS}`);
  await Deno.writeTextFile(
    `${cwd}/${QUESTIONS}`,
    list.replace("  - Asked", "  - I think ISO.\n  - Asked") + "\nOurs.\n",
  );
  const corrected = { ...asked, choices: ["ISO", "Lunar"], to: "Ann" };
  const { outcome, number, choices } = await work.facts(corrected);
  assert.deepEqual([outcome, number, choices], ["corrected", 1, ["ISO", "Lunar"]]);
  const after = await Deno.readTextFile(`${cwd}/${QUESTIONS}`);
  assert.match(
    after,
    /\*\*Q1\*\* Which calendar\?\n {2}- Story: .*\n {2}- To: Ann\n {2}- A: ISO\n {2}- B: Lunar\n {2}- I think ISO\.\n {2}- Asked: .*\n\nOurs\.\n$/,
  );
  // What is not said again stays.
  await work.says({ operation: "ask", story: "1-2", text: "Which calendar?" }, /^Asked before: question 1 /);
  assert.equal(await Deno.readTextFile(`${cwd}/${QUESTIONS}`), after);
  await work.say({ operation: "answer", number: 1, text: "B" });
  await work.says(corrected, /^Question 1 is answered already: Lunar\n/);
});

projectTest("a list of the project's own leads to the board [calls:corrected]", async ({ bmad }) => {
  for (const query of ["stories", "Epics", "tickets"]) {
    await bmad.refuses({ operation: "list", query }, /\. Call bmad \{"operation":"board"\}$/);
  }
  await bmad.refuses({ operation: "list", query: "agentz" }, /"query":"agents"\}$/);
});

projectTest(
  "an item that has all of the words comes before stories that say them [search:item-first]",
  async ({ bmad }) => {
    const first = async (query: string) =>
      /^- (\S+):/m.exec(await bmad.say({ operation: "search", query }))?.[1];
    assert.equal(await first("code of review"), "bmm/bmad-code-review");
    assert.equal(await first("review code"), "1-3", "a title that says just that");
    assert.equal(await first("exit code"), "1-2");
    assert.equal(
      await first("run code review"),
      "bmm/bmad-code-review",
      "what users say, by its description",
    );
    assert.equal(await first("code review"), "bmm/bmad-code-review", "its title, before one that has more");
  },
);
