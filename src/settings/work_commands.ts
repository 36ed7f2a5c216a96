/**
 * The commands for the work on a project.
 */
import { TEAM_ACTIONS } from "./command_actions.ts";
import type { Command } from "./command_options.ts";

/** A part of the table of commands. */
export const WORK_COMMANDS = {
  script: {
    usage: "script NAME [ARGS…] | script -",
    summary: "Run one of BMAD's own scripts, without Python.",
    details:
      "Takes the command line as a skill spells it; flags of bmad-mcp come before NAME: script --project DIR NAME. Prints what the " +
      "script prints and returns its exit status. A dash alone runs the command lines on stdin, one on each line, up to " +
      "the first that fails. See docs/work.md.",
    operands: [1, Infinity],
    options: [],
    isExact: true,
    takesRest: true,
    works: true,
    examples: [
      'bmad-mcp script memlog.py init --workspace _bmad-output/idea --field topic="Ship it"',
      "bmad-mcp script uv run {project-root}/_bmad/scripts/memlog.py init --workspace _bmad-output/plan",
    ],
  },
  "verify-scripts": {
    usage: "verify-scripts [SCRIPT…]",
    summary: "Compare native scripts with the installed ones, by your own Python.",
    details:
      "Both answer the same generated calls, in copies of a small project in the cache folder; your project stays as it is. " +
      "Says what was compared, what differs and what could not be run. Exit status 0 means no difference, 1 differences, 2 " +
      "nothing compared. See docs/work.md.",
    operands: [0, Infinity],
    options: ["count", "json"],
    meanings: { count: "So many calls of each script. Default: 24." },
    verifies: true,
    examples: ["bmad-mcp verify-scripts", "bmad-mcp verify-scripts memlog.py --count 100 --json"],
  },
  next: {
    usage: "next",
    summary: "Show what to do next, with the command that does it.",
    details:
      "The step comes with its story and files. It is what `list next` recommends, with the commands for the story's status. What others hold is left to them; " +
      "--by says who asks. See docs/work.md.",
    operands: [0, 0],
    readsCommits: true,
    options: ["by", "count", "json"],
    meanings: {
      by: "Who asks: what others hold is left to them, and what NAME holds comes first.",
      count:
        "Up to N stories that can go on at the same time, each with its claim and the command for a worktree.",
    },
    fetches: true,
    readsClaims: true,
    examples: ["bmad-mcp next", "bmad-mcp next --by Ann", "bmad-mcp next --count 3", "bmad-mcp next --json"],
  },
  prime: {
    usage: "prime",
    summary: "Print what a model should know when a session begins, in at most 400 tokens.",
    details:
      "What is served, the story in hand or the next step with its call, who else is at work, and which questions wait. " +
      "`install --hooks` has clients run it. With --hook it always ends well, and says everything once in a session.",
    operands: [0, 0],
    options: ["hook"],
    isExact: true,
    examples: ["bmad-mcp prime"],
  },
  check: {
    usage: "check [STORY]",
    summary: "Check whether stories are as done as they claim.",
    details:
      "Compares boxes, criteria, reviews, statuses, files, tests and requirements with the files and, if git is " +
      "installed, with the commits. Without STORY, checks them all. Exit status 1 means that something was found. " +
      "With --allow-exec it also runs the project's cc-verify.sh. See docs/work.md.",
    operands: [0, 1],
    options: ["all", "json"],
    meanings: { all: "Every story, as without STORY." },
    checks: true,
    examples: ["bmad-mcp check 1-2", "bmad-mcp check --all --json"],
  },
  trace: {
    usage: "trace [STORY|REQUIREMENT]",
    summary: "Follow requirements to epics, stories, criteria, tests and commits.",
    details:
      "Shows what no story covers, stories without a requirement and criteria that no test names; with a requirement, " +
      "what becomes stale if it changes. --stale compares requirements with what they were when each story began. " +
      "See docs/work.md.",
    operands: [0, 1],
    options: ["stale", "mermaid", "json"],
    readsCommits: true,
    examples: [
      "bmad-mcp trace",
      "bmad-mcp trace FR3",
      "bmad-mcp trace --stale",
      "bmad-mcp trace 1-2 --mermaid",
    ],
  },
  review: {
    usage: "review STORY",
    summary: "Print what a reviewer of a story needs, and whether another pass is due.",
    details:
      "The diff and its size, the criteria, what earlier passes found with their verdicts and reasons, what is open, and " +
      "when to stop: a pass that brings nothing new above low severity ends the review. --lens begins a pass in the " +
      "story's file. See docs/work.md.",
    operands: [1, 1],
    options: ["lens", "json"],
    works: true,
    readsCommits: true,
    examples: ["bmad-mcp review 1-2", 'bmad-mcp review 1-2 --lens "edge cases,security"'],
  },
  finding: {
    usage: "finding STORY TEXT|ID",
    summary: "Record what a review found in a story, or settle it.",
    details:
      "Written into the story's file in the words of its release. The same finding in other words, on other lines or " +
      "after a rename is recognised and answered with its verdict; --force records it all the same. With --verdict, the " +
      "finding with that id or those words is settled. Open findings keep a story from being done. See docs/work.md.",
    operands: [2, 2],
    options: ["severity", "file", "verdict", "reason", "force", "json"],
    meanings: {
      reason: "Why; what is rejected or deferred needs one.",
      force: "Record it although it looks like one that is known.",
    },
    works: true,
    examples: [
      'bmad-mcp finding 1-2 "The counter has no lock" --severity high --file src/count.ts:12',
      'bmad-mcp finding 1-2 "The counter has no lock" --verdict rejected --reason "The caller holds it"',
    ],
  },
  evidence: {
    usage: "evidence STORY COMMAND",
    summary: "Note a command and how it ended before and after the change of a story.",
    details:
      "Writes one row for each command into the story's own file. Without --before and --after, the command is run, which " +
      "needs --allow-exec: a call of a test runner, or a command that the story's documents spell. See docs/work.md.",
    operands: [2, 2],
    options: ["before", "after", "json"],
    works: true,
    runs: true,
    examples: [
      'bmad-mcp evidence 1-2 "npm test" --before "failed (exit 1)"',
      'bmad-mcp evidence 1-2 "npm test" --after passed',
    ],
  },
  ask: {
    usage: "ask [STORY] QUESTION",
    summary: "Ask people to decide something; the story waits for the answer.",
    details:
      "Prints the number of the question and adds it to open-questions.md beside the ledgers. `next` hands out other " +
      "stories until it is answered, and a story with an open question is not done. Without STORY, it is a question " +
      "about the project. See docs/work.md.",
    operands: [1, 2],
    options: ["choices", "to", "by", "json"],
    meanings: {
      to: { value: "NAME", values: undefined, help: "Who is asked: a role or a name." },
      by: "Who asks: a person or an agent.",
    },
    works: true,
    examples: [
      'bmad-mcp ask 1-2 "Which provider signs people in?" --choices Google,GitHub --to Ann',
      'bmad-mcp ask "Do we support Windows?"',
    ],
  },
  answer: {
    usage: "answer [NUMBER] [TEXT]",
    summary: "Answer a question that was asked, or list the open ones.",
    details:
      "TEXT is the answer, or the letter of a choice. It moves the question to the answered ones in open-questions.md, " +
      "lets its story go on, and is remembered as a decision where project memory is on. Without NUMBER, lists what is " +
      "open and the last answers. See docs/work.md.",
    operands: [0, 2],
    options: ["by", "json"],
    meanings: { by: "Who decides. Default: your name in git's configuration." },
    works: true,
    remembers: true,
    examples: ["bmad-mcp answer", "bmad-mcp answer 3 B", 'bmad-mcp answer 3 "Google, for now" --by Ann'],
  },
  context: {
    usage: "context STORY",
    summary: "Print the sections of the project's documents that a story needs.",
    details:
      "From PRD, architecture, UX, decisions, epics and earlier stories, within a budget of tokens, each with its " +
      "file and lines; then what was left out. See docs/work.md.",
    operands: [1, 1],
    options: ["budget", "json"],
    examples: ["bmad-mcp context 1-2", "bmad-mcp context 1-2 --budget 4000 --json"],
  },
  board: {
    usage: "board [STORY]",
    summary: "Show the project's epics and stories, or one story.",
    details:
      "Reads every ledger BMAD has kept: sprint-status.yaml, story files, stories.yaml, v4 stories and ticket " +
      "trees. Shows where ledger, story file, plan and commits disagree. See docs/finding.md.",
    operands: [0, 1],
    options: ["epic", "limit", "watch", "json"],
    meanings: { limit: "At most N rows." },
    fetches: true,
    readsCommits: true,
    examples: ["bmad-mcp board", "bmad-mcp board 1-2", "bmad-mcp board --json"],
  },
  log: {
    usage: "log [STORY]",
    summary: "Show who did what with the stories, or with one.",
    details:
      "Reads the project's journal, work-log.jsonl beside the ledgers, which is kept once it exists: every mark, claim, " +
      "release, force, question and answer, by everybody whose commits are here. The newest comes last. See docs/team.md.",
    operands: [0, 1],
    options: ["limit", "json"],
    meanings: { limit: "The last N lines." },
    fetches: true,
    examples: ["bmad-mcp log", "bmad-mcp log 1-2", "bmad-mcp log --json"],
  },
  mark: {
    usage: "mark STORY STATUS",
    summary: "Set the status of a story, an epic or a retrospective.",
    details:
      "Works in every ledger of `board`; the story file and the epic follow. Before `done`, the story is checked. Nothing " +
      "goes back and no finding is ignored without --force, which is recorded. See docs/work.md.",
    operands: [1, 2],
    options: ["by", "force", "json"],
    meanings: {
      by: "Who marks it, a person or an agent; in progress, the story is then held for NAME.",
      force: "Break the rules: go back, ignore findings, or mark a story that someone else holds.",
    },
    works: true,
    checks: true,
    examples: [
      "bmad-mcp mark 1-2 in-progress --by Ann",
      "bmad-mcp mark 1-2 done",
      "bmad-mcp mark epic-1 in-progress",
    ],
  },
  plan: {
    usage: "plan",
    summary: "Make sprint-status.yaml from the epics, or add the stories that they have gained.",
    details:
      "Follows the rules of BMAD's sprint_plan.py: nothing goes back, and a story with a file is ready. Rows without a " +
      "plan and unknown statuses stay, unless --force removes and replaces them. See docs/work.md.",
    operands: [0, 0],
    options: ["force", "json"],
    meanings: { force: "Remove rows without a plan, and replace unknown statuses." },
    works: true,
    examples: ["bmad-mcp plan"],
  },
  reconcile: {
    usage: "reconcile",
    summary: "Bring ledger, story files and plan in step, and say each change.",
    details: "Whatever is behind follows whatever is ahead; nothing goes back. See docs/work.md.",
    operands: [0, 0],
    options: ["json"],
    works: true,
    examples: ["bmad-mcp reconcile"],
  },
  claim: {
    usage: "claim [STORY]",
    summary: "Hold a story for a while, so that no one else takes it.",
    details:
      "For two hours, or as --claim-time says; claim it again to go on. Without a story, the one that `next` hands out. " +
      "All worktrees of a repository see it; with --claims remote, all clones. See docs/team.md.",
    operands: [0, 1],
    options: ["by", "force", "json"],
    meanings: {
      by: "Who holds it: a person or an agent. Default: your name in git's configuration.",
      force: "Take it from its owner.",
    },
    works: true,
    examples: ["bmad-mcp claim 1-2 --by Ann", "bmad-mcp claim --by agent-2"],
  },
  release: {
    usage: "release STORY",
    summary: "Give a claimed story back.",
    operands: [1, 1],
    options: ["by", "force", "json"],
    meanings: {
      by: "Who gives it back: a person or an agent.",
      force: "Give it back for its owner.",
    },
    works: true,
    examples: ["bmad-mcp release 1-2 --by Ann"],
  },
  team: {
    usage: `team ${TEAM_ACTIONS.join("|")}`,
    summary: "Set up git so that ledgers merge by themselves, and begin a journal of the work.",
    details:
      "Writes lines into .gitattributes, which you commit, and into the configuration of this clone. remove takes " +
      "them back, byte for byte, and a journal that is still empty. With status, exit status 1 means that something is " +
      "missing. See docs/team.md.",
    operands: [1, 1],
    options: ["dryRun", "json"],
    completes: "actions",
    actions: TEAM_ACTIONS,
    works: true,
    examples: ["bmad-mcp team init", "bmad-mcp team init --dry-run --json"],
  },
  "merge-driver": {
    usage: "merge-driver BASE OURS THEIRS [SIZE] [PATH]",
    isStandalone: true,
    summary: "Merge a ledger for git, which calls it after `team init`.",
    details: "The result replaces OURS. Exit status 1 means that conflicts are left. See docs/team.md.",
    operands: [3, 5],
    options: [],
    hidden: true,
    examples: ["bmad-mcp merge-driver base.yaml ours.yaml theirs.yaml 7 sprint-status.yaml"],
  },
} as const satisfies Readonly<Record<string, Command>>;
