import type { Shape } from "./operation.ts";

export const listOf = (item: Shape) => ({
  items: [item],
  total: "number: the number of all items, including those beyond `--limit`",
});

export const CLAIM = { "by until place? active? holder": "text", "isLeft?": "boolean" };

export const PROBLEM = { path: "text", "line?": "number", problem: "text" };

/** `@facts` stands for rows of the table of story facts. */
export const WORK_ITEM = {
  ref: "text: its shortest name: `1-2`, `2.3`",
  state: "text: `backlog`, `ready`, `in-progress`, `blocked`, `review`, `done` or `dropped`",
  "status? ledger file?": "text",
  "line?": "number",
  "@facts": "of epics",
};

export const STORY = {
  ...WORK_ITEM,
  "@facts": "of stories",
  key: "text: its full name in the ledger: `1-2-login`",
  form: "text: how it is kept: `story-file`, `build-spec`, `spec-story`, `v4-story` or `ticket`",
  "due? plan?": "text",
  "isFree?": "boolean",
};

export const ORIGIN = {
  id: "text: the kind, numbered from the second of its kind on: `user-2`",
  kind: "text: `project`, `cli`, `env`, `user`, `git`, `npm` or `package`",
  "priority agents workflows things": "number",
  location: "text",
  "exists isStandby": "boolean",
  generations: "list of text: the BMAD generations in it: `v3`, `v4`, `v6`, `skills`, `flat`",
  roots: [{
    path: "text: the folder in the source; empty for the source itself",
    "generation layout version?": "text",
  }],
  "copy?": {
    "commit?": "text: the commit of its files; missing until a copy exists",
    "version?": "text",
    "fetched?": "text: when it was last found to be up to date, in UTC; missing if it is pinned",
    "problem?": "text: why the copy is missing or out of date",
  },
  changed:
    "text or null: the last modification of any item, in UTC; null for embedded content and for an empty source",
};

export const PROJECTS = {
  "projects?": {
    items: [{ name: "text: what calls name it", folder: "text", "isCurrent mayChange": "boolean" }],
    skipped: [{ "path reason": "text" }],
    "limit?": "text: what ended the search",
  },
};

const WHEN = { "day? by?": "text" };

const ASKED = {
  "number line": "number",
  "text story? to?": "text",
  choices: "list of text",
  "asked?": WHEN,
};

export const QUESTION = { ...ASKED, path: "text" };
export const ANSWERED = { ...ASKED, "answer?": "text", "answered?": WHEN };
