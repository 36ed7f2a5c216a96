/**
 * What `--json` prints of reviews, traces and questions.
 */
import { lists, numbers, QUESTION, texts, WHEN } from "./fields.ts";

const FINDING = {
  id: "text",
  pass: "number",
  ...texts("severity?", "text"),
  "file?": "text: where: `src/a.ts:4`",
  ...texts("verdict?", "reason?"),
  isOpen: "boolean",
  path: "text",
  line: "number",
};

const ASKED = {
  number: "number",
  ...texts("question", "story?", "to?"),
  choices: "list of text",
  outcome: "text: `asked`, `answered`, or `known` if nothing has changed",
  "answer?": "text",
  ...lists("files", "notes"),
};

const { path: _, ...ANSWERED } = QUESTION;

export const review = {
  "review STORY": {
    ...texts("story", "title"),
    state: "text: its state, as `board` calls it",
    file: "text",
    diff: {
      ...texts("command?", "from"),
      "size?": numbers("files", "added", "deleted"),
      uncommitted: "list of text",
    },
    criteria: "list of text",
    passes: [{ number: "number", heading: "text", lenses: "list of text", findings: "number" }],
    lenses: "list of text",
    open: [FINDING],
    settled: [FINDING],
    isOver: "boolean",
    advice: "text",
  },
};

export const finding = {
  "finding STORY TEXT|ID": {
    ...texts("story", "outcome"),
    ...FINDING,
    "alike?": "text",
    files: "list of text",
    ...numbers("open", "high"),
  },
};

export const evidence = {
  "evidence STORY COMMAND": texts("story", "command", "before?", "after?", "date", "file", "left?"),
};

export const trace = {
  "trace [STORY|REQUIREMENT]": {
    items: [{
      id: "text: its id in its shortest spelling: `FR1`",
      path: "text",
      line: "number",
      text: "text",
      ...lists("epics", "stories"),
      by: "list of text: both in one list: `epic 1`, `1-2`",
      isMissing: "boolean",
    }],
    epics: [{ ...texts("ref", "title"), requirements: "list of text" }],
    stories: [{
      ...texts("ref", "title"),
      state: "text: its state, as `board` calls it",
      ...texts("epic", "file?"),
      requirements: "list of text",
      criteria: [{ number: "number", text: "text", tests: "list of text" }],
      tests: "list of text",
      commits: [texts("id", "subject")],
      "baseline?": "text",
      "stale?": "list of text: with `--stale`: the requirements that have changed since",
    }],
    unread: "list of text",
  },
};

export const ask = {
  "ask [STORY] QUESTION": ASKED,
};

export const answer = {
  answer: {
    items: [QUESTION],
    answered: [{ ...ANSWERED, "answer?": "text", "answered?": WHEN }],
  },
  "answer NUMBER TEXT": ASKED,
};
