import { choice, flag, list, number, operation, text } from "./operation.ts";
import { by, force, format, MAX_TEXT, reason, story, storyRequired } from "./params.ts";
import { ANSWERED, QUESTION } from "./shapes.ts";

const MOMENT = { "day? by?": "text" };

const FINDING = {
  "id severity? text verdict? reason? path": "text",
  "found?": MOMENT,
  "settled?": MOMENT,
  "pass line": "number",
  "file?": "text: where: `src/a.ts:4`",
  isOpen: "boolean",
};

const ASKED = {
  number: "number",
  "question story? to? answer?": "text",
  "choices files notes": "list of text",
  outcome: "text: `asked`, `corrected`, `answered`, or `known` if nothing has changed",
};

export const review = operation({
  purpose: "Print what a reviewer of a story needs, and whether another pass is due.",
  details:
    "The diff and its size, the criteria, what earlier passes found with verdicts and reasons, what is open, " +
    "and when to stop: a pass that brings nothing new above low severity ends the review. See docs/work.md.",
  hint: "what a reviewer needs",
  summaries: { POST: "Begin a pass of a story's review." },
  changes: ["lens"],
  params: {
    story: storyRequired,
    lens: list("Begin a pass with these lenses, comma-separated.", {
      value: "NAMES",
      forModel: "Begin a pass.",
      names: ["lenses"],
      isDivided: true,
      maxLength: 500,
    }),
  },
  needs: ["commits"],
  result: {
    "story title file advice": "text",
    state: "text: its state, as `board` calls it",
    diff: {
      commands: [{ "command shows": "text" }],
      "from problem?": "text",
      "size?": { "files added deleted": "number" },
      "uncommitted added": "list of text",
    },
    "criteria lenses": "list of text",
    passes: [{ number: "number", heading: "text", lenses: "list of text", findings: "number" }],
    open: [FINDING],
    settled: [FINDING],
    isOver: "boolean",
    isRunning: "boolean: a pass has begun, and has found nothing yet",
  },
  examples: ["bmad-mcp review 1-2", 'bmad-mcp review 1-2 --lens "edge cases,security"'],
});

const LINES = [String.raw`^[1-9]\d*(?:-[1-9]\d*)?$`, "a line or lines, such as 12 or 12-20"] as const;

export const finding = operation({
  purpose: "Record what a review found in a story, or settle it.",
  details:
    "Written into the story's file. The same finding in other words, on other lines or after a rename is " +
    "recognised and answered with its verdict. With --verdict, the finding with that id or those words is " +
    "settled. Open findings keep a story from being done. See docs/work.md.",
  hint: "record or settle one of a review",
  changes: true,
  onPages: ["story", "text", "verdict"],
  params: {
    story: storyRequired,
    text: text("What is wrong, or the id of a finding.", {
      operand: "TEXT|ID",
      isRequired: true,
      forModel: "Finding or its id.",
      names: ["id", "finding", "title"],
      maxLength: MAX_TEXT,
    }),
    severity: choice("How much it hurts", ["high", "medium", "low"], { value: "WORD", names: ["level"] }),
    file: text("Where it is.", { value: "FILE:LINE", forModel: "FILE:LINE.", names: ["location", "path"] }),
    // Models name the line beside the file.
    line: text("The line in that file.", { only: "tool", forModel: "", form: LINES }),
    verdict: choice("What becomes of it", ["accepted", "rejected", "deferred", "fixed"], {
      value: "WORD",
      names: ["decision"],
    }),
    reason: { ...reason("Why; what is rejected or deferred needs one."), names: ["why", "evidence"] },
    by: by("Who found or settled it."),
    force: force("Record it although it looks like one that is known."),
  },
  result: {
    "story outcome alike? beside? was?": "text",
    ...FINDING,
    "files notes": "list of text",
    "open high": "number",
    advice: "text: whether another pass of the review is due",
  },
  examples: [
    'bmad-mcp finding 1-2 "The counter has no lock" --severity high --file src/count.ts:12',
    'bmad-mcp finding 1-2 "The counter has no lock" --verdict rejected --reason "The caller holds it"',
  ],
});

export const evidence = operation({
  purpose: "Note a command and how it ended before and after the change of a story.",
  details:
    "Run the command yourself; nothing is run here. Each command has one row in the story's file. Pass " +
    "--before, --after or both. See docs/work.md.",
  hint: "note a command's result",
  changes: true,
  params: {
    story: storyRequired,
    command: text("The command that was run.", {
      operand: "COMMAND",
      isRequired: true,
      forModel: "npm test.",
      example: "npm test",
      names: ["script", "cmd"],
      maxLength: 500,
    }),
    before: text("How it ended before the change: passed, failed, exit 1.", {
      value: "TEXT",
      forModel: "Its result before the change.",
    }),
    after: text("How it ended after the change.", {
      value: "TEXT",
      forModel: "Its result after it.",
      example: "passed",
      names: ["result", "outcome"],
    }),
  },
  result: { "story command before? after? date file left?": "text" },
  examples: [
    'bmad-mcp evidence 1-2 "npm test" --before "failed (exit 1)"',
    'bmad-mcp evidence 1-2 "npm test" --after passed',
  ],
});

export const trace = operation({
  purpose: "Follow requirements to epics, stories, criteria, tests and commits.",
  details:
    "Shows what no story covers, stories without a requirement and criteria that no test names; with a " +
    "requirement, what becomes stale if it changes. See docs/work.md.",
  hint: "requirement to commit",
  items: "requirements",
  params: {
    story: {
      ...story,
      operand: "STORY|REQUIREMENT",
      forModel: "Or a requirement: FR3.",
      names: [...story.names, "requirement"],
    },
    stale: flag("Also compare with earlier commits, and list what has changed since.", {
      only: "terminal",
      isForPrograms: true,
    }),
    mermaid: flag("Print a drawing in the language of Mermaid.", { only: "terminal" }),
    format: { ...format, forModel: "Or mermaid." },
  },
  needs: ["commits"],
  results: {
    "trace [STORY|REQUIREMENT]": {
      items: [{
        id: "text: its id in its shortest spelling: `FR1`",
        "path text": "text",
        line: "number",
        "epics stories": "list of text",
        by: "list of text: both in one list: `epic 1`, `1-2`",
        isMissing: "boolean",
      }],
      epics: [{ "ref title": "text", requirements: "list of text" }],
      stories: [{
        "ref title epic file? baseline?": "text",
        state: "text: its state, as `board` calls it",
        "requirements tests": "list of text",
        "isOfEpic?": "boolean: it names no requirement, these are its epic's",
        criteria: [{ number: "number", text: "text", tests: "list of text" }],
        commits: [{ "id subject": "text" }],
        "stale?": "list of text: with `--stale`: the requirements that have changed since",
      }],
      unread: "list of text",
    },
  },
  examples: [
    "bmad-mcp trace",
    "bmad-mcp trace FR3",
    "bmad-mcp trace --stale",
    "bmad-mcp trace 1-2 --mermaid",
  ],
});

export const ask = operation({
  purpose: "Ask people to decide something; the story waits for the answer.",
  details:
    "Adds it to open-questions.md beside the ledgers and prints its number. Until it is answered, `next` hands" +
    " out other stories, and its story is not done. Without STORY, it is about the project. See docs/work.md.",
  hint: "let people decide, the story waits",
  changes: true,
  params: {
    story,
    text: text("The question.", {
      operand: "QUESTION",
      isRequired: true,
      forModel: "Question.",
      names: ["question"],
      maxLength: MAX_TEXT,
    }),
    choices: list("The answers to choose from, comma-separated; divide them with | if one has a comma.", {
      value: "A,B",
      forModel: "JSON list.",
      names: ["options"],
      isDivided: true,
      maxLength: 500,
    }),
    to: text("Who is asked: a role or a name.", { value: "NAME", forModel: "Whom." }),
    by: by("Who asks: a person or an agent."),
  },
  results: {
    "ask [STORY] QUESTION": ASKED,
  },
  examples: [
    'bmad-mcp ask 1-2 "Which provider signs people in?" --choices Google,GitHub --to Ann',
    'bmad-mcp ask "Do we support Windows?"',
  ],
});

export const answer = operation({
  purpose: "Answer a question that was asked, or list the open ones.",
  details:
    "Moves the question to the answered ones in open-questions.md, lets its story go on, and is remembered as " +
    "a decision where project memory is on. Without NUMBER, lists what is open and the last answers. See " +
    "docs/work.md.",
  hint: "a question",
  addresses: ["/questions", "/questions/{number}"],
  summaries: { GET: "List open questions and the last answers.", POST: "Answer a question." },
  items: "open",
  spansProjects: true,
  aliases: { questions: {}, decide: {} },
  changes: ["text"],
  onPages: ["number", "text"],
  params: {
    number: number("The number of the question.", {
      operand: "NUMBER",
      range: [1, 999_999_999],
      forModel: "Of the question.",
      names: ["question", "id"],
      selects: true,
    }),
    text: text("The answer, or the letter of a choice.", {
      operand: "TEXT",
      forModel: "Answer.",
      names: ["answer", "choice"],
      maxLength: MAX_TEXT,
    }),
    by: by("Who decides. Default: your name in git's configuration."),
  },
  needs: ["memory"],
  results: {
    answer: {
      items: [QUESTION],
      answered: [ANSWERED],
    },
    "answer NUMBER TEXT": ASKED,
  },
  examples: ["bmad-mcp answer", "bmad-mcp answer 3 B", 'bmad-mcp answer 3 "Google, for now" --by Ann'],
});
