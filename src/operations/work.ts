import { action, flag, number, operation, text } from "./operation.ts";
import {
  by,
  dryRun,
  force,
  forceOthers,
  limit,
  MAX_TEXT,
  reason,
  story,
  storyRequired,
  words,
} from "./params.ts";
import { CLAIM, listOf, PROBLEM, QUESTION, STORY, WORK_ITEM } from "./shapes.ts";

const EPIC = {
  ...WORK_ITEM,
  stories: [{ ...STORY, criteria: "number: how many it has", notes: "list of text" }],
  "retrospective?": "text",
};

const STORY_IN_FULL = { ...STORY, criteria: "list of text" };

const JOURNAL_ENTRY = {
  "at ledger by? worktree? from? to? text? finding? severity? verdict?": "text",
  did: "text: `mark`, `force` (a forced mark), `claim`, `release`, `ask`, `answer`, `find` or `settle`",
  "forced?": "boolean: a claim or a release against somebody else's, or against the rules",
  story: "text: the name of the story; `Q3` for a question about none",
  "reasons?": "list of text",
  "question?": "number",
};

const STATUS_CHANGE = { "key from? to": "text" };

const SECTION = {
  path: "text",
  "from to tokens": "number",
  role: "text: `PRD`, `architecture`, `UX`, `decisions`, `spec`, `plan` or `story`",
  headings: "list of text",
};

const ROW = { "key status": "text" };

export const next = operation({
  daily: 1,
  purpose: "Show what to do next, with the command that does it.",
  details:
    "Comes with its story and files. `list next` means the same. What others hold is left to them; --by says " +
    "who asks. See docs/work.md.",
  hint: "the step to take now, with its call",
  spansProjects: true,
  params: {
    by: by("Who asks: what others hold is left to them, and what NAME holds comes first."),
    count: number(
      "Up to N stories that can go on at the same time, each with its claim and the command for a worktree.",
      { value: "N", range: [1, 50], forModel: "Stories at once." },
    ),
    all: flag("List every step of the project's phases with its standing, as `list next` does.", {
      forModel: "Every step.",
    }),
  },
  needs: ["commits", "claims", "copies"],
  result: {
    next: [{
      is: "text: `next`, `done`, `held` (by others) or `unknown`",
      headline: "text: what to do, for people: `Continue “Book a walk”`",
      "say?": "text: what to say to a client: `Continue story 2-2 with Amelia (bmad-build)`",
      "why item? call? or? begin? end? tests? reread? settle? worktree? claim?": "text",
      "files changes?": "list of text",
      "story?": STORY_IN_FULL,
    }],
    overlaps: [{ "ref with": "text", files: "list of text" }],
    held: [{
      "ref title state owner?": "text",
      "claim?": CLAIM,
      "findings?": "number",
      "stale?": "list of text",
    }],
    actions: "list of text",
    questions: [QUESTION],
    "repair?": "text: the call that brings ledger and files in step, if they differ",
  },
  examples: ["bmad-mcp next", "bmad-mcp next --by Ann", "bmad-mcp next --count 3", "bmad-mcp next --all"],
});

export const board = operation({
  daily: 2,
  purpose: "Show the project's epics and stories, or one story.",
  details:
    "Reads every ledger BMAD has kept: sprint-status.yaml, story files, stories.yaml, v4 stories and ticket " +
    "trees; shows where ledger, story file, plan and commits disagree. See docs/finding.md.",
  hint: "epics and stories",
  summaries: { GET: "Show the project's epics and stories." },
  spansProjects: true,
  aliases: { status: {}, list: {} },
  items: "epics",
  params: {
    story: { ...story, only: "terminal" },
    epic: text("Only this epic, as with epic-N.", { value: "N", only: "terminal" }),
    limit: limit("At most N rows."),
    watch: flag("Stay, and show every change until Ctrl-C; in a pipe, one line for each.", {
      only: "terminal",
    }),
  },
  needs: ["commits", "copies"],
  results: {
    board: {
      total: "number",
      counts: { "*": "number" },
      ledgers: [{
        path: "text",
        format: "text: `sprint-status`, `story-files`, `stories-yaml` or `tickets`",
      }],
      items: [EPIC],
      actions: [{ "action epic? owner? status?": "text" }],
      questions: [QUESTION],
      problems: [PROBLEM],
      "repair?": "text: the call that brings ledger and files in step, if they differ",
    },
    "board STORY": {
      ...STORY_IN_FULL,
      history: [JOURNAL_ENTRY],
      epic: { "ref title state": "text" },
    },
    "board EPIC": EPIC,
  },
  examples: ["bmad-mcp board", "bmad-mcp board 1-2", "bmad-mcp board --json"],
});

/** On the command line it is `board STORY`. */
export const show = operation({
  command: null,
  purpose: "Show one story or epic in full.",
  hint: "one story or epic",
  addresses: ["/stories/{story}"],
  items: "epics",
  aliases: { get: {} },
  params: { story: storyRequired },
  results: {
    "board STORY": board.results["board STORY"],
    "board EPIC": board.results["board EPIC"],
  },
});

export const mark = operation({
  daily: 3,
  purpose: "Set the status of a story, an epic or a retrospective.",
  details:
    "Most stories take backlog, ready-for-dev, in-progress, review and done; spec folders and tickets also " +
    "take draft and blocked, tickets dropped. A wrong one is answered with those of the story. " +
    "Works in every ledger of `board`; story file and epic follow. Before `done`, the story is checked. To " +
    "ignore a finding, or to go back other than from review to in-progress, use --force, which is recorded. " +
    "See docs/work.md.",
  hint: "set its status; done is checked first",
  aliases: {
    complete: { status: "done" },
    finish: { status: "done" },
    done: { status: "done" },
    close: { status: "done" },
    start: { status: "in-progress" },
    begin: { status: "in-progress" },
    update: {},
    set: {},
    move: {},
  },
  changes: true,
  onPages: ["story", "status"],
  params: {
    story: storyRequired,
    // Only the form of a story knows its statuses: without one, the answer says which.
    status: text("Its new status.", {
      operand: "STATUS",
      forModel: "ready-for-dev, in-progress, review, done.",
      names: ["state", "to"],
      maxLength: 500,
      isAsked: true,
    }),
    by: by("Who marks it, a person or an agent; in progress, the story is then held for NAME."),
    force: force("Break the rules: go back, ignore findings, or mark a story that someone else holds."),
    reason: reason("Why, for the record."),
    task: text("Only this task of the story, by its words or its number: it is `done` or `open`.", {
      value: "TEXT",
      forModel: "",
      maxLength: MAX_TEXT,
    }),
  },
  usage: "mark STORY STATUS",
  needs: ["commits", "verification"],
  results: {
    mark: {
      story: "text",
      changes: [STATUS_CHANGE],
      "before?": "text: who held it",
      "files notes": "list of text",
      epic: { "ref title": "text", "done total": "number" },
    },
  },
  examples: [
    "bmad-mcp mark 1-2 in-progress --by Ann",
    "bmad-mcp mark 1-2 done",
    "bmad-mcp mark epic-1 in-progress",
  ],
});

export const check = operation({
  daily: 4,
  purpose: "Check whether stories are as done as they claim.",
  details:
    "Compares boxes, criteria, reviews, statuses, files, tests and requirements with files and commits. Exit " +
    "status 1 means that something was found. With --allow-exec it also runs the project's cc-verify.sh. See " +
    "docs/work.md.",
  hint: "is it really done?",
  items: "findings",
  spansProjects: true,
  params: { story, all: flag("Every story, as without STORY.", { only: "terminal" }) },
  needs: ["commits", "verification"],
  result: {
    standing: "text",
    items: [{
      code: "text: what is wrong, for programs: `box-unticked`",
      "story? problem path fix settle?": "text",
      "line?": "number",
    }],
    notes: "list of text: about a story, blocking nothing: criteria without a test",
    unchecked: "list of text",
    "repair?": "text: the call that brings ledger and files in step, if they differ",
    "trace?": [{
      id: "text: the id of a requirement: `FR1`",
      path: "text",
      line: "number",
      by: "list of text",
    }],
  },
  examples: ["bmad-mcp check 1-2", "bmad-mcp check --all --json"],
});

export const plan = operation({
  purpose: "Make sprint-status.yaml from the epics, or add the stories that they have gained.",
  details:
    "Follows BMAD's sprint_plan.py: nothing goes back, and a story with a file is ready. Rows without a plan " +
    "and unknown statuses stay, unless --force is given. See docs/work.md.",
  hint: "make or extend the sprint",
  changes: true,
  onPages: ["epic", "title"],
  params: {
    force: force("Remove rows without a plan, and replace unknown statuses."),
    epic: text("The epic that gains a story first.", { value: "N", forModel: "", maxLength: 500 }),
    title: text("The title of that story; it is written into the epic's document.", {
      value: "TEXT",
      forModel: "",
      maxLength: 500,
    }),
  },
  result: {
    ledger: "text",
    "story?": "text: the number of the story that `--title` added",
    "epics stories": "number",
    "added ready warnings": "list of text",
    unknown: [ROW],
    unplanned: [ROW],
  },
  examples: ["bmad-mcp plan", 'bmad-mcp plan --epic 1 --title "Pay by card"'],
});

export const claim = operation({
  purpose: "Hold a story for a while, so that no one else takes it.",
  details:
    "For two hours, or as --claim-time says; claim it again to go on. Without STORY, the one that `next` hands" +
    " out. All worktrees of a repository see it; with --claims remote, all clones. See docs/team.md.",
  hint: "hold it while you work",
  aliases: { take: {} },
  changes: true,
  onPages: ["story"],
  params: {
    story,
    by: by("Who holds it: a person or an agent. Default: your name in git's configuration."),
    force: forceOthers("Take it from its owner, or from another seat of yours."),
  },
  results: {
    "claim|release": { "story title by? until? before?": "text", notes: "list of text" },
  },
  examples: ["bmad-mcp claim 1-2 --by Ann", "bmad-mcp claim --by agent-2"],
});

export const release = operation({
  purpose: "Give a claimed story back.",
  hint: "give it back",
  aliases: { unclaim: {} },
  changes: true,
  onPages: ["story"],
  params: {
    story: storyRequired,
    by: by("Who gives it back: a person or an agent."),
    force: forceOthers("Give it back for its owner."),
  },
  results: claim.results,
  examples: ["bmad-mcp release 1-2 --by Ann"],
});

export const reconcile = operation({
  purpose: "Bring ledger, story files and plan in step, and say each change.",
  details: "What is behind follows what is ahead; nothing goes back. See docs/work.md.",
  hint: "ledger and story files in step",
  aliases: { sync: {} },
  changes: true,
  params: {},
  result: {
    "added files left": "list of text",
    changes: [STATUS_CHANGE],
    questions: [{ "from to": "number", text: "text" }],
  },
  examples: ["bmad-mcp reconcile"],
});

export const context = operation({
  purpose: "Print the sections of the project's documents that a story needs.",
  details:
    "From PRD, architecture, UX, decisions, epics and earlier stories, within a budget of tokens, each with " +
    "file and lines; then what was left out. See docs/work.md.",
  hint: "what documents say for it",
  params: {
    story: storyRequired,
    budget: number("At most about N tokens. Default: 8000.", {
      value: "N",
      range: [1, 100_000],
      forModel: "Tokens.",
    }),
  },
  result: {
    story: "text",
    "budget tokens": "number",
    sections: [{
      ...SECTION,
      why: "text: `general`, `reference`, `requirement`, `plan`, `words` or `meaning`",
      text: "text: the section without its heading",
    }],
    settled: [{
      "story path text file? reason?": "text",
      "line pass": "number",
      "severity?": "text: `high`, `medium` or `low`",
      verdict: "text: `accepted`, `rejected`, `deferred` or `fixed`",
    }],
    left: {
      sections: [SECTION],
      documents: [{ path: "text", "sections tokens": "number" }],
      unread: "list of text",
    },
  },
  examples: ["bmad-mcp context 1-2", "bmad-mcp context 1-2 --budget 4000 --json"],
});

export const log = operation({
  needsProject: true,
  purpose: "Show who did what with the stories, or with one.",
  details:
    "Reads the project's journal, work-log.jsonl beside the ledgers, which is kept once it exists: every mark," +
    " claim, release, question and answer of all whose commits are here. The newest comes last. See " +
    "docs/team.md.",
  addresses: ["/log", "/stories/{story}/log"],
  params: { story, limit: { ...limit("The last N lines."), isForPrograms: true } },
  needs: ["copies"],
  result: { ...listOf(JOURNAL_ENTRY), "journal?": "text: its path, once there is one" },
  examples: ["bmad-mcp log", "bmad-mcp log 1-2", "bmad-mcp log --json"],
});

export const team = operation({
  needsProject: true,
  purpose: "Set up git so that ledgers merge by themselves, and begin a journal of the work.",
  details:
    "Writes lines into .gitattributes, which you commit, and into the configuration of this clone. remove " +
    "takes them back, and a journal that is still empty. With status, exit status 1 means that something is " +
    "missing. See docs/team.md.",
  changes: true,
  params: { dryRun },
  completes: "actions",
  actions: {
    init: action(
      "init",
      "Write the lines, in .gitattributes and in this clone's git configuration.",
      "setup add install on",
    ),
    status: action("status", "Say what is set up, and what is missing or differs.", "show check list", {}),
    remove: action("remove", "Take the lines out again.", "undo uninstall delete off"),
  },
  result: {
    action: "text: `init`, `status` or `remove`",
    isSetUp: "boolean",
    ...listOf({
      "file problem?": "text",
      outcome:
        "text: `added`, `updated`, `removed`, `same` (set up), `absent` (not set up) or, with `status`, `differs`",
      "diff?": "text: the change, or with `--dry-run` the planned change",
    }),
    "journal?": { path: "text", outcome: "text: `added`, `removed` (it was empty), `same` or `absent`" },
  },
  examples: ["bmad-mcp team init", "bmad-mcp team init --dry-run --json"],
});

export const mergeDriver = operation({
  command: "merge-driver",
  purpose: "Merge a ledger for git, which calls it after `team init`.",
  details: "The result replaces OURS. Exit status 65 means that conflicts are left. See docs/team.md.",
  params: {
    base: text("The common ancestor.", { operand: "BASE", isRequired: true }),
    ours: text("Our version.", { operand: "OURS", isRequired: true }),
    theirs: text("Their version.", { operand: "THEIRS", isRequired: true }),
    size: text("The length of conflict markers.", { operand: "SIZE" }),
    path: text("The file's path in the repository.", { operand: "PATH" }),
  },
  isStandalone: true,
  isHidden: true,
  examples: ["bmad-mcp merge-driver base.yaml ours.yaml theirs.yaml 7 sprint-status.yaml"],
});

export const script = operation({
  purpose: "Run one of BMAD's own scripts, without Python.",
  details:
    "Takes the command line as a skill spells it; flags of bmad-mcp come before NAME. Prints what the script " +
    "prints and returns its exit status. - runs the command lines on stdin, up to the first that fails. See " +
    "docs/work.md.",
  hint: "run BMAD's own scripts by the line that the BMAD text spells; no Python or shell",
  changes: true,
  params: {
    script: {
      ...words("NAME", "The command line."),
      isRequired: true,
      forModel: "Line or JSON list.",
      names: ["command", "cmd"],
      maxLength: 200_000,
    },
    // Not in the schema, where it would cost every model tokens: most lines need no skill.
    skill: text("The skill whose text has the line.", { only: "tool", forModel: "" }),
  },
  usage: "script NAME [ARGS…] | script -",
  isExact: true,
  takesRest: true,
  examples: [
    'bmad-mcp script memlog.py init --workspace _bmad-output/idea --field topic="Ship it"',
    "bmad-mcp script uv run {project-root}/_bmad/scripts/memlog.py init --workspace _bmad-output/plan",
  ],
});

export const prime = operation({
  purpose: "Print what a model should know when a session begins, in at most 400 tokens.",
  details:
    "What is served, the story in hand or the next step with its call, who else is at work, and which " +
    "questions wait. `install --hooks` has clients run it. With --hook it never fails, and says everything " +
    "once in a session.",
  params: { hook: flag("Read a client's event from stdin, and answer it as the client expects.") },
  isExact: true,
  examples: ["bmad-mcp prime"],
});
