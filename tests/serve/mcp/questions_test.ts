/** Are people asked, wherever they are, and does the work wait for them? */
import assert from "node:assert/strict";
import { says, toolOf } from "../../support/answers.ts";
import { BOTH_ERAS, type ClientFeatures, clientHere } from "../../support/client.ts";
import { KIT_NAMES, kitFiles } from "../../support/kit.ts";
import { runHere } from "../../support/program.ts";
import { treeTest, withTree } from "../../support/trees.ts";
import { BMM } from "../../support/bmm_project.ts";

const LIST = "out/impl/open-questions.md";
const STORIES = {
  "out/impl/sprint-status.yaml": "development_status:\n  1-1-login: in-progress\n  1-2-cart: backlog\n",
};
const PROJECT = { ...BMM, ...STORIES };
const ARGS = ["--toolsets", "bmad,work", "--pack", "none"];
const ASK = {
  operation: "ask",
  story: "1-1",
  question: "Which provider?",
  choices: ["Google", "GitHub"],
  to: "Ann",
};

for (const era of BOTH_ERAS) {
  const withClient = (
    features: ClientFeatures,
    test: (
      work: ReturnType<typeof toolOf>,
      client: Awaited<ReturnType<typeof clientHere>>,
      cwd: string,
    ) => Promise<void>,
    args: readonly string[] = ARGS,
  ) =>
    withTree(PROJECT, async (cwd) => {
      await using client = await clientHere({ era, cwd, args, features });
      await test(toolOf(client, "bmad_work"), client, cwd);
    });

  Deno.test(
    `a ${era} client asks and gets the answer [work:ask, work:parked, work:questions-shown, work:answer-remembered]`,
    () =>
      withClient({}, async (work, client, cwd) => {
        await work.says(
          ASK,
          "Question 1 (1-1-login, to Ann): Which provider? A: Google, B: GitHub\n" +
            `Changed: ${LIST}\n1-1-login waits for the answer; \`next\` hands out other stories.\n` +
            'Answer: bmad_work {"operation":"answer","number":1,"text":"TEXT"}',
        );
        await work.says({ operation: "ask", text: "Windows, too?" }, /^Question 2: Windows, too\?\n/);
        const next = await work.say({ operation: "next" });
        assert.match(
          next,
          /^Next: bmm\/bmad-build\nWhy: story 1-2-cart .*; blocked: 1-1-login \(question 1\)\n/m,
        );
        assert.match(
          next,
          /\nOpen questions, which people decide:\n- 1 \(1-1-login, to Ann\): .*\n- 2: Windows, too\?\nAnswer: bmad_work /,
        );
        await work.say({ operation: "ask", story: "1-2", text: "How large?" });
        await work.says(
          { operation: "next" },
          /^Nothing is free\nWhy: everything that can be done waits for an answer; .*; blocked: 1-1-login \(question 1\), 1-2-cart \(question 3\)\n/m,
        );
        await work.says(
          { operation: "check", story: "1-1" },
          /- question-open: Story 1-1 cannot be "done" yet: question 1 is open: "Which provider\?"\. \(out/,
        );
        await work.refuses(
          { operation: "mark", story: "1-1", status: "done" },
          /\n- out\/impl\/open-questions\.md:3: Story 1-1 cannot be "done" yet: question 1 is open/,
        );
        await work.refuses(
          { operation: "claim", story: "1-1", by: "dev" },
          /^Cannot claim 1-1-login: it waits for the answer to question 1/,
        );
        const { contents: [list] } = await client.readResource("bmad://questions");
        assert.match(list.text, /^3 open questions:\n- 1 \(1-1-login, to Ann\): /);
        await work.says(
          { operation: "answer", number: "1", text: "a", by: "Ann" },
          `Question 1 is answered: Google\nChanged: ${LIST}\n1-1-login can go on.\n` +
            "Not remembered as a decision: project memory is off.",
        );
        await work.says(
          { operation: "next" },
          /^Next: .*\nWhy: story 1-1-login is in progress[^]*\nAnswered:\n {2}- Which provider\? Google \(Ann, 20/m,
        );
        await work.says({ number: 2 }, /^1 open question:\n- 2: Windows, too\?\n/);
        await work.says({ question: "How large?", story: "1-2" }, /^Asked before: question 3 /);
        await work.says({ operation: "answer" }, /^2 open questions:\n[^]*\nAnswered:\n- 1 \(1-1-login\): /);
        assert.equal(JSON.parse(await work.say({ operation: "board", format: "json" })).questions.length, 2);
        assert.match(
          await Deno.readTextFile(`${cwd}/${LIST}`),
          /\n## Answered\n\n- \*\*Q1\*\* Which provider\?\n/,
        );
      }),
  );

  Deno.test(`a ${era} client that can show a form gets the answer at once [work:ask-form]`, () => {
    const asked: unknown[] = [];
    const replies = [
      { action: "accept", content: { choice: "GitHub" } },
      { action: "accept", content: { choice: "GitHub", text: "Neither of them" } },
      { action: "accept", content: { text: "Sixty" } },
      { action: "decline" },
      { action: "accept", content: { text: " " } },
    ];
    const elicitation = (params: unknown) => (asked.push(params), replies[asked.length - 1]!);
    return withClient({ elicitation }, async (work) => {
      await work.says(ASK, /^Question 1 is answered: GitHub\n[^]*1-1-login can go on\./);
      assert.deepEqual(
        (asked[0] as { message: string }).message,
        "Question 1 (1-1-login, for Ann): Which provider?",
      );
      assert.deepEqual((asked[0] as { requestedSchema: unknown }).requestedSchema, {
        type: "object",
        properties: {
          choice: { type: "string", title: "Choice", enum: ["Google", "GitHub"] },
          text: { type: "string", title: "Or another answer", maxLength: 1_000 },
        },
      });
      // Nobody is asked twice.
      await work.says(ASK, /^Question 1 is answered already: GitHub\n/);
      assert.equal(asked.length, 1);
      await work.says({ ...ASK, story: "1-2" }, /^Question 2 is answered: Neither of them\n/);
      await work.says({ operation: "ask", question: "How long?" }, /^Question 3 is answered: Sixty\n/);
      await work.says({ operation: "ask", question: "Why?" }, /^(?:Asked before: q|Q)uestion 4: Why\?\n/);
      await work.says({ operation: "ask", question: "Who?" }, /^(?:Asked before: q|Q)uestion 5: Who\?\n/);
      assert.equal(asked.length, 5);
      await work.says({ operation: "questions" }, /^2 open questions:\n- 4: Why\?\n- 5: Who\?\n/);
    });
  });

  Deno.test(`a ${era} client of a read-only server is refused, and sees what is open [work:ask]`, () =>
    withClient({}, async (work, client, cwd) => {
      for (const args of [ASK, { operation: "answer", number: 1, text: "Yes" }]) {
        await work.refuses(args, /this server is read-only/);
      }
      await Deno.writeTextFile(`${cwd}/${LIST}`, "- **Q1** Why?\n");
      const { contents: [list] } = await client.readResource("bmad://questions");
      assert.equal(list.text, "1 open question:\n- 1: Why?");
      await work.says({ operation: "board" }, /\n## Open questions\n- 1: Why\?/);
    }, [...ARGS, "--read-only"]));
}

treeTest("where memory is on, an answer is remembered as a decision [work:answer-remembered]", {
  ...kitFiles(KIT_NAMES[0]),
  ...STORIES,
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
}, async (cwd) => {
  await using client = await clientHere({ era: "2025", cwd });
  const work = toolOf(client, "bmad_work");
  await work.say({ operation: "ask", question: "Which colour has the shed?" });
  await work.says(
    { operation: "answer", number: 1, text: "Green", by: "Ann" },
    /\nRemembered as a decision\.$/,
  );
  await says(
    client,
    { query: "colour of the shed", type: "decisions" },
    /Question 1: Which colour has the shed\? Decided \(Ann\): Green/,
    "recall_structured",
  );
  const run = async (...args: readonly string[]) => (await runHere(args, { cwd })).stdout;
  await run("ask", "Which roof has the shed?");
  assert.match(await run("answer", "2", "Slate"), /\nRemembered as a decision\.\n$/);
  assert.match(await run("memory", "recall", "roof of the shed"), /Decided.*: Slate/);
});

Deno.test("the command line asks, lists and answers [work:ask, work:questions-shown]", () =>
  withTree(PROJECT, async (cwd) => {
    const run = (...args: readonly string[]) => runHere([...args, "--pack", "none"], { cwd });
    const out = async (...args: readonly string[]) => (await run(...args)).stdout;
    assert.equal(await out("answer"), "No open questions.\n");
    await out("ask", "1-1", "Which?", "--choices", "Yes, soon | No", "--by", "dev");
    assert.equal(
      await out("answer"),
      "1 open question:\n- 1 (1-1-login): Which? A: Yes, soon, B: No\nAnswer: bmad-mcp answer 1 TEXT\n",
    );
    assert.match((await run("board")).stderr, /^Open question 1 \(1-1-login\): Which\?/m);
    assert.match(await out("answer", "Q1"), /^1 open question:\n- 1 /);
    assert.match(await out("answer", "1", "a", "--by", "Ann"), /^Question 1 is answered: Yes, soon\n/);
    assert.match(await out("answer", "1"), /^Answered:\n- 1 \(1-1-login\): Which\? Yes, soon \(Ann, 20/);
    assert.match(
      (await run("ask")).stderr,
      /^bmad-mcp: Missing QUESTION\. Usage: bmad-mcp ask \[STORY\] QUESTION/,
    );
    const wrong = await run("answer", "7", "x");
    assert.deepEqual([wrong.code, wrong.stderr], [
      2,
      'bmad-mcp: Unknown question "7": none is open\n',
    ]);
  }));
