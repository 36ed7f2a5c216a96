/**
 * What `--json` prints of stories and ledgers.
 */
import { CLAIM, listOf, lists, numbers, PROBLEM, QUESTION, STORY, texts, WORK_ITEM } from "./fields.ts";

const EPIC = {
  ...WORK_ITEM,
  stories: [{ ...STORY, criteria: "number: how many it has", notes: "list of text" }],
  "retrospective?": "text",
};

const STORY_IN_FULL = { ...STORY, criteria: "list of text" };

const JOURNAL_ENTRY = {
  at: "text",
  did: "text: `mark`, `force`, `claim`, `release`, `ask` or `answer`",
  ledger: "text",
  story: "text: the name of the story; `Q3` for a question about none",
  ...texts("by?", "worktree?", "from?", "to?"),
  "reasons?": "list of text",
  "question?": "number",
  "text?": "text",
};

const STATUS_CHANGE = texts("key", "from?", "to");

const SECTION = {
  path: "text",
  ...numbers("from", "to"),
  role: "text: `PRD`, `architecture`, `UX`, `decisions`, `spec`, `plan` or `story`",
  headings: "list of text",
  tokens: "number",
};

const ROW = texts("key", "status");

export const next = {
  next: {
    next: [{
      is: "text: `next`, `done`, `held` (by others) or `unknown`",
      headline: "text: what to do, for people: `Continue “Book a walk”`",
      "say?": "text: what to say to a client: `Continue story 2-2 with Amelia (bmad-build)`",
      why: "text",
      files: "list of text",
      ...texts("item?", "call?", "or?", "begin?", "end?", "reread?", "settle?"),
      "story?": STORY_IN_FULL,
      ...texts("worktree?", "claim?"),
      "changes?": "list of text",
    }],
    overlaps: [{ ...texts("ref", "with"), files: "list of text" }],
    held: [{
      ...texts("ref", "title", "state", "owner?"),
      "claim?": CLAIM,
      "findings?": "number",
      "stale?": "list of text",
    }],
    actions: "list of text",
    questions: [QUESTION],
  },
};

export const board = {
  board: {
    total: "number",
    counts: { "*": "number" },
    ledgers: [{ path: "text", format: "text: `sprint-status`, `story-files`, `stories-yaml` or `tickets`" }],
    items: [EPIC],
    actions: [texts("action", "epic?", "owner?", "status?")],
    questions: [QUESTION],
    problems: [PROBLEM],
  },
  "board STORY": {
    ...STORY_IN_FULL,
    history: [JOURNAL_ENTRY],
    epic: texts("ref", "title", "state"),
  },
  "board EPIC": EPIC,
};

export const mark = {
  mark: {
    story: "text",
    changes: [STATUS_CHANGE],
    ...lists("files", "notes"),
    epic: { ...texts("ref", "title"), ...numbers("done", "total") },
  },
};

export const check = {
  check: {
    standing: "text",
    items: [{
      code: "text: what is wrong, for programs: `box-unticked`",
      ...texts("story?", "problem", "path"),
      "line?": "number",
      fix: "text",
    }],
    unchecked: "list of text",
    "trace?": [{
      id: "text: the id of a requirement: `FR1`",
      path: "text",
      line: "number",
      by: "list of text",
    }],
  },
};

export const plan = {
  plan: {
    ledger: "text",
    ...numbers("epics", "stories"),
    ...lists("added", "ready"),
    unknown: [ROW],
    unplanned: [ROW],
    warnings: "list of text",
  },
};

export const claim = {
  "claim|release": { ...texts("story", "title", "by?", "until?", "before?"), notes: "list of text" },
};

export const reconcile = {
  reconcile: {
    added: "list of text",
    changes: [STATUS_CHANGE],
    files: "list of text",
    questions: [{ ...numbers("from", "to"), text: "text" }],
    left: "list of text",
  },
};

export const context = {
  "context STORY": {
    story: "text",
    ...numbers("budget", "tokens"),
    sections: [{
      ...SECTION,
      why: "text: `general`, `reference`, `requirement`, `plan`, `words` or `meaning`",
      text: "text: the section without its heading",
    }],
    settled: [{
      ...texts("story", "path"),
      ...numbers("line", "pass"),
      "severity?": "text: `high`, `medium` or `low`",
      verdict: "text: `accepted`, `rejected`, `deferred` or `fixed`",
      ...texts("text", "file?", "reason?"),
    }],
    left: {
      sections: [SECTION],
      documents: [{ path: "text", ...numbers("sections", "tokens") }],
      unread: "list of text",
    },
  },
};

export const log = {
  log: listOf(JOURNAL_ENTRY),
};

export const team = {
  "team init|status|remove": {
    action: "text: `init`, `status` or `remove`",
    isSetUp: "boolean",
    ...listOf({
      file: "text",
      outcome:
        "text: `added`, `updated`, `removed`, `same` (set up), `absent` (not set up) or, with `status`, `differs`",
      "problem?": "text",
      "diff?": "text: the change, or with `--dry-run` the planned change",
    }),
    "journal?": { path: "text", outcome: "text: `added`, `removed` (it was empty), `same` or `absent`" },
  },
};
