/** Is a list of questions read as people write it, and is nothing else taken for one? */
import assert from "node:assert/strict";
import {
  answerRows,
  questionRows,
  readQuestions,
  withNumber,
} from "../../../../src/project/work/formats/mod.ts";
import { asJson } from "../../../support/board.ts";
import { assertEnds } from "../../../support/cpu.ts";

const open = (text: string) =>
  readQuestions(text).questions.filter(({ isOpen }) => isOpen).map(({ number, text }) => `${number} ${text}`);

Deno.test("what is written is read again [work:questions-list]", () => {
  const question = {
    number: 3,
    text: "Which *provider* signs people in?",
    story: "1-2-login",
    to: "Ann",
    choices: ["Google", "**Git**Hub: both"],
    asked: { day: "2026-11-18", by: "dev" },
  };
  const text = ["# Open questions", "", ...questionRows(question), ""].join("\n");
  assert.deepEqual(asJson(readQuestions(text)), {
    questions: [{ ...question, isOpen: true, line: 3, end: 8 }],
    problems: [],
  });
  const answered = [
    "## Answered",
    ...questionRows(question),
    ...answerRows("Google", { day: "2026-11-19" }),
    "",
  ];
  const [read] = readQuestions(answered.join("\r\n")).questions;
  assert.deepEqual(asJson(read), {
    ...question,
    answer: "Google",
    answered: { day: "2026-11-19" },
    isOpen: false,
    line: 2,
    end: 9,
  });
});

Deno.test("people write a question in many ways [work:questions-list]", () => {
  const ways = [
    "- **Q7** Who pays?",
    "* Q7: Who pays?",
    "+ #7 Who pays?",
    "- **7.** Who pays?",
    "- **Q7:** Who pays?",
    "- [ ] 7) Who pays?",
    "- question 7 Who pays?",
    "- __Q7__ Who\n  pays?",
    "- 7. Who\npays?",
    "1. **Q7** Who pays?",
    "\uFEFF## Things\r\n\r\n- Q7. Who pays?\r\n",
  ];
  for (const way of ways) assert.deepEqual(open(way), ["7 Who pays?"], way);
  const fields = "- Q7 Who pays?\n\n  Some notes.\n\n  * **Story**: 1-2\n  * **For:** the PM\n  * a) Ann\n" +
    "  * B: Bob\n    and Eve\n  * a note of mine\n";
  const [question] = readQuestions(fields).questions;
  assert.deepEqual(
    [question!.story, question!.to, question!.choices, question!.end],
    ["1-2", "the PM", ["Ann", "Bob and Eve"], 10],
  );
});

Deno.test("what is ticked, struck out or answered is not open [work:questions-list]", () => {
  const closed = [
    "- [x] **Q7** Who pays?",
    "- ~~Q7 Who pays?~~",
    "- **Q7** Who pays?\n  - Answer: Ann",
    "- **Q7** Who pays?\n  - **Answer:** Ann, who else?\n    Or Bob.",
    "## Answered\n\n- **Q7** Who pays?",
    "## Answers\n\n### In June\n\n- **Q7** Who pays?",
    "- **Q7** Who pays?\n\n## Answered\n\n- **Q7** Who pays?\n  - Answer: Ann",
  ];
  for (const text of closed) {
    assert.deepEqual(open(text), [], text);
    assert.ok(readQuestions(text).questions.every(({ number }) => number === 7), text);
    assert.deepEqual(readQuestions(text).problems, [], text);
  }
  assert.deepEqual(open("## Answered\n\n- Q6 Why?\n\n## Later\n\n- **Q7** Who pays?"), ["7 Who pays?"]);
});

Deno.test("other text is left alone [work:questions-list]", () => {
  const others =
    "# Open questions\n\nAsk **3** people.\n\n- 3 stories are left\n- 2.5 is too small\n- Call Ann\n\n" +
    "```md\n- **Q9** An example?\n```\n\n> - Q8 Quoted?\n\n| Q1 | What? |\n";
  assert.deepEqual(asJson(readQuestions(others)), { questions: [], problems: [] });
  assert.deepEqual(readQuestions("- Do we need this?\n- [x] And this?\n").problems, [
    { line: 1, problem: "a question without a number: begin it with one, such as **Q1**" },
  ]);
});

Deno.test("two questions with one number are both read, and told [work:questions-list]", () => {
  const { questions, problems } = readQuestions("- **Q3** Red?\n- **Q3** Blue?\n- **Q3** Red?\n");
  assert.deepEqual(questions.map(({ number, isOpen }) => [number, isOpen]), [[3, true], [3, true], [
    3,
    true,
  ]]);
  assert.deepEqual(problems, [{ line: 2, problem: "question 3 is also on line 1: reconcile renumbers it" }]);
  assert.equal(withNumber("  * [ ] **Q3** Are 3 red?", 3, 12), "  * [ ] **Q12** Are 3 red?");
  assert.equal(withNumber("- **Q4** Are 3 red?", 3, 12), undefined);
});

Deno.test("a list of any size is read in bounded time [work:questions-list]", () => {
  const lists = [
    "- **Q1** a\n  - A: b\n".repeat(20_000),
    `- **Q1** ${"*_~".repeat(100_000)}?`,
    `- **Q1** a\n${"  b\n".repeat(40_000)}`,
    `${"- ".repeat(100_000)}**Q1** a`,
    "- **Q1** a?\n".repeat(45_000),
  ];
  for (const text of lists) assertEnds(text.slice(0, 20), 2_000, () => readQuestions(text));
  assert.match(readQuestions("a\n".repeat(60_000)).problems[0]!.problem, /^it has more than/);
});
