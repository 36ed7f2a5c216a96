/** Is a question asked and answered in the list of the project, with all else in it left alone? */
import assert from "node:assert/strict";
import { readJournal, reportBoard } from "../../../../src/project/work/board/mod.ts";
import {
  answer,
  ask,
  type AskRequest,
  claim,
  renumber,
  reportQuestion,
} from "../../../../src/project/work/writer/mod.ts";
import { treeTest, withTree } from "../../../support/trees.ts";
import { writerIn } from "../../../support/writer.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const JOURNAL = "out/impl/work-log.jsonl";
const LIST = "out/impl/open-questions.md";
const SPRINT = "development_status:\n  1-1-login: in-progress\n  1-2-cart: backlog\n  1-3-old: done\n";

type Options = Parameters<typeof writerIn>[1];
const clean = (text: string) => text.replace("s3cr3t", "[removed]");
const world = async (root: string, options: Options = {}) => ({
  ...await writerIn(root, { journal: JOURNAL, ...options }),
  clean,
});
const asking = async (root: string, request: AskRequest, options?: Options) =>
  await ask(await world(root, options), request);
const answering = async (root: string, number: number, text: string, by?: string) =>
  await answer(await world(root), { number, text, by });
const openIn = async (root: string) => (await world(root)).board.questions;
const read = (root: string, path = LIST) => Deno.readTextFileSync(`${root}/${path}`);

const withProject = (files: Readonly<Record<string, string>>, fn: (root: string) => Promise<void>) =>
  withTree({ [LEDGER]: SPRINT, ...files }, fn);

function projectTest(name: string, ...project: Parameters<typeof withProject>): void {
  Deno.test(name, () => withProject(...project));
}

projectTest("questions get numbers, and answers move them [work:ask, work:questions-list]", {
  [JOURNAL]: "",
}, async (root) => {
  const question = " Which provider\nsigns people in? ";
  const choices = ["Google", "GitHub", "Google"];
  const first = await asking(root, { story: "1.1", question, choices, to: "Ann", by: "dev" });
  assert.deepEqual([first.outcome, first.question.number, first.files], ["asked", 1, [LIST]]);
  const second = await asking(root, { question: "Is s3cr3t <!-- the --> key?" });
  assert.equal(second.question.number, 2);
  const asked =
    "- **Q1** Which provider signs people in?\n  - Story: 1-1-login\n  - To: Ann\n  - A: Google\n" +
    "  - B: GitHub\n  - Asked: 2026-08-01 by dev\n";
  const open = "- **Q2** Is [removed] &lt;!-- the --&gt; key?\n  - Asked: 2026-08-01\n";
  assert.equal(read(root), `# Open questions\n\n${asked}${open}`);
  const same = { story: "1-1", question: "Which provider signs people in?" };
  const again = await asking(root, same);
  assert.deepEqual([again.outcome, again.question.number, again.files], ["known", 1, []]);
  const answered = await answering(root, 1, " b ", "Ann");
  assert.deepEqual([answered.outcome, answered.question.answer], ["answered", "GitHub"]);
  const moved = `${asked}  - Answer: GitHub\n  - Answered: 2026-08-01 by Ann\n`;
  assert.equal(read(root), `# Open questions\n\n${open}\n## Answered\n\n${moved}`);
  const twice = await answering(root, 1, "2");
  assert.deepEqual([twice.outcome, twice.files], ["known", []]);
  const { text } = reportQuestion(await asking(root, same), {});
  assert.match(text, /^Question 1 is answered already: GitHub\n1-1-login can go on\.$/);
  await assert.rejects(
    answering(root, 1, "Google"),
    /Cannot answer question 1: Ann answered it on 2026-08-01: GitHub; to change that, edit out\/impl\/open-q/,
  );
  await assert.rejects(answering(root, 9, "No"), /Unknown question "9".*2/);
  const entries = readJournal(read(root, JOURNAL));
  assert.deepEqual(entries.map(({ did, story, by, question, text }) => [did, story, by, question, text]), [
    ["ask", "1-1-login", "dev", 1, "Which provider signs people in?"],
    ["ask", "Q2", undefined, 2, "Is [removed] &lt;!-- the --&gt; key?"],
    ["answer", "1-1-login", "Ann", 1, "GitHub"],
  ]);
});

Deno.test("an answer is a choice, or something else [work:ask]", async () => {
  const choices = { a: "Red", "B)": "Blue", "2": "Blue", "A: red": "Red", BLUE: "Blue" };
  const cases = { ...choices, "Green, C": "Green, C", C: "C" };
  for (const [given, meant] of Object.entries(cases)) {
    await withProject({}, async (root) => {
      const { question: { number } } = await asking(root, { question: "Which?", choices: ["Red", "Blue"] });
      assert.equal((await answering(root, number, given)).question.answer, meant, given);
    });
  }
});

projectTest("what says nothing is refused [work:ask]", {}, async (root) => {
  const refused: readonly (readonly [AskRequest, RegExp])[] = [
    [{ question: " ?! " }, /Invalid question: It says nothing/],
    [{ question: "a".repeat(1_001) }, /Longer than 1000 characters/],
    [{ question: "Which?", choices: ["a", "-"] }, /Invalid choices: It says nothing/],
    [{ question: "Which?", choices: ["a".repeat(201)] }, /Longer than 200/],
    [{ question: "Which?", choices: Array.from({ length: 21 }, (_, at) => `c${at}`) }, /More than 20/],
    [{ question: "Which?", to: "a".repeat(61) }, /Longer than 60/],
    [{ question: "Which?", story: "9-9" }, /No story named "9-9"/],
  ];
  for (const [request, message] of refused) await assert.rejects(asking(root, request), message);
  assert.throws(() => read(root), Deno.errors.NotFound);
});

const BY_HAND = [
  "<!-- ours -->\n# Open questions\n\nPlease answer *soon*.\n\n",
  "* [ ] **Q4** Who   pays?\n  * story: Cart\n  * I think Bob.\n\n    Or Ann?\n\n* Q12: When?\n\n",
  "## Notes\n\nNothing here.\n\n## Answered\n\n- **Q2** Why?\n  - Answer: Because.\n\n",
  "## Archive\n\nOld things.",
].join("").replaceAll("\n", "\r\n");

projectTest(
  "what people wrote stays, byte for byte, and moves as it is [work:questions-list, work:ask]",
  { [LIST]: BY_HAND },
  async (root) => {
    const { question: { number } } = await asking(root, { question: "Where?" });
    assert.equal(number, 13);
    const rows = "- **Q13** Where?\r\n  - Asked: 2026-08-01\r\n";
    const asked = BY_HAND.replace("* Q12: When?\r\n", (line) => line + rows);
    assert.equal(read(root), asked);
    await answering(root, 4, "Ann", "Eve");
    const item = BY_HAND.slice(BY_HAND.indexOf("* [ ] **Q4**"), BY_HAND.indexOf("* Q12"));
    const moved = item.trimEnd() + "\r\n  - Answer: Ann\r\n  - Answered: 2026-08-01 by Eve\r\n";
    assert.equal(
      read(root),
      asked.replace(item, "").replace("  - Answer: Because.\r\n", (line) => line + moved),
    );
    await answering(root, 12, "Now");
    await answering(root, 13, "Here");
    assert.ok(read(root).startsWith(BY_HAND.slice(0, BY_HAND.indexOf("* [ ]"))));
    assert.ok(read(root).endsWith("\r\n\r\n## Archive\r\n\r\nOld things."));
    assert.deepEqual(await openIn(root), []);
  },
);

Deno.test("any list takes a question [work:questions-list]", async () => {
  const cases = {
    "": "# Open questions\n\n- **Q1** Why?\n  - Asked: 2026-08-01\n",
    "# Ours": "# Ours\n\n- **Q1** Why?\n  - Asked: 2026-08-01\n",
    "- **Q1** Who?": "- **Q1** Who?\n- **Q2** Why?\n  - Asked: 2026-08-01\n",
    "# A\n## Answered\n- Q3 Who?": "# A\n\n- **Q4** Why?\n  - Asked: 2026-08-01\n\n## Answered\n- Q3 Who?",
  };
  for (const [before, after] of Object.entries(cases)) {
    await withProject({ [LIST]: before }, async (root) => {
      const { question: { number } } = await asking(root, { question: "Why?" });
      assert.equal(read(root), after);
      await answering(root, number, "So");
      assert.equal((await openIn(root)).length, before.startsWith("- **Q1**") ? 1 : 0);
    });
  }
});

projectTest("no number is given twice [work:ask]", {}, async (root) => {
  await asking(root, { question: "One?" });
  await asking(root, { question: "Two?" });
  Deno.removeSync(`${root}/${LIST}`);
  assert.equal((await asking(root, { question: "Three?" })).question.number, 3);
  const texts = Array.from({ length: 8 }, (_, at) => `Again ${at}?`);
  const all = await Promise.all(texts.map((question) => asking(root, { question })));
  const numbers = all.map(({ question }) => question.number).sort((a, b) => a - b);
  assert.deepEqual(numbers, [4, 5, 6, 7, 8, 9, 10, 11]);
  assert.equal((await openIn(root)).length, 9);
});

treeTest("the worktrees of a repository share the numbers [work:ask]", {
  "common/HEAD": "",
  [`main/app/${LEDGER}`]: SPRINT,
  [`login/app/${LEDGER}`]: SPRINT,
}, async (dir) => {
  const at = (worktree: string) => ({
    shared: { common: `${dir}/common`, folder: "bmad", project: "app", worktree, head: "HEAD" },
  });
  const numbers = await Promise.all(
    ["main", "login", "main", "login"].map(async (name, count) =>
      (await asking(`${dir}/${name}/app`, { question: `Question ${count}?` }, at(name))).question.number
    ),
  );
  assert.deepEqual(numbers.toSorted(), [1, 2, 3, 4]);
});

projectTest(
  "equal numbers after a merge lose nothing, and are told apart again [work:questions-list, work:ask]",
  { [LIST]: "- **Q3** Red?\n  - Story: 1-1-login\n- **Q3** Blue?\n\n## Answered\n\n- Q3: Green?\n" },
  async (root) => {
    const { board } = await world(root);
    assert.deepEqual(board.questions.map(({ text }) => text), ["Red?", "Blue?"]);
    assert.match(reportBoard(board).text, /open-questions\.md:3: question 3 is also on line 1: reconcile/);
    await assert.rejects(answering(root, 3, "Yes"), /several questions have that number/);
    assert.deepEqual(await renumber(await world(root)), [
      { from: 3, to: 4, text: "Red?" },
      { from: 3, to: 5, text: "Blue?" },
    ]);
    assert.equal(
      read(root),
      "- **Q4** Red?\n  - Story: 1-1-login\n- **Q5** Blue?\n\n## Answered\n\n- Q3: Green?\n",
    );
    assert.deepEqual(await renumber(await world(root)), []);
  },
);

projectTest("an open question parks [work:parked, work:questions-shown]", {}, async (root) => {
  await asking(root, { story: "1-2", question: "Which?" });
  await asking(root, { story: "1-3", question: "Was it good?" });
  const [login, cart, old] = (await world(root)).board.epics[0]!.stories;
  assert.deepEqual([login!.questions, cart!.questions, old!.questions], [undefined, [1], [2]]);
  assert.deepEqual([login!.isFree, cart!.isFree], [true, undefined]);
  assert.match(
    reportBoard((await world(root)).board).text,
    /- 1-2 backlog: Cart \(waits for question 1\)\n[^]*## Open questions\n- 1 \(1-2-cart\): Which\?\n- 2 \(1-3-old\)/,
  );
  const take = async (isForced?: boolean) =>
    await claim(await world(root), { story: "1-2", by: "Ann", isForced });
  await assert.rejects(
    take(),
    /Cannot claim 1-2-cart: it waits for the answer to question 1; force it if that is meant/,
  );
  await take(true);
  // Whoever holds it goes on holding it.
  await take();
  await answering(root, 1, "This one", "Eve");
  const after = (await world(root)).board.epics[0]!.stories[1]!;
  assert.equal(after.questions, undefined);
  assert.deepEqual(after.answers, ["Which? This one (Eve, 2026-08-01)"]);
});

projectTest("a question about a story that does not exist is told [work:questions-list]", {
  [LIST]: "- **Q1** Why?\n  - Story: 9-9-gone\n- **Q2** Who?\n  - Story: Story 1.2\n",
}, async (root) => {
  const { board } = await world(root);
  assert.deepEqual(board.problems, [
    { path: LIST, line: 1, problem: "question 1 is about a story that does not exist: 9-9-gone" },
  ]);
  assert.deepEqual(board.epics[0]!.stories[1]!.questions, [2]);
});

treeTest("a folder without a project stays [work:ask]", { "notes.md": "" }, async (root) => {
  await assert.rejects(
    asking(root, { question: "Why?" }),
    /Cannot ask a question: the project has no folder out yet/,
  );
  assert.deepEqual([...Deno.readDirSync(root)].map(({ name }) => name), ["notes.md"]);
});
