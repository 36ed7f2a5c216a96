/** How the shape of an answer is written, and what several answers have in common. */
import type { Shape } from "./operation.ts";

type Fields = Readonly<Record<string, Shape>>;

const named = (type: string) => (names: string): Fields =>
  Object.fromEntries(names.split(" ").map((name) => [name, type]));

export const texts = named("text"),
  numbers = named("number"),
  flags = named("boolean"),
  lists = named("list of text");

export const listOf = (item: Shape) => ({
  items: [item],
  total: "number: the number of all items, including those beyond `--limit`",
});

export const CLAIM = { ...texts("by until place? active? holder"), "isLeft?": "boolean" };

export const PROBLEM = { path: "text", "line?": "number", problem: "text" };

/** What epics and stories have; `@facts` stands for rows of the table of story facts, which the schema takes from there. */
export const WORK_ITEM = {
  ref: "text: its shortest name: `1-2`, `2.3`",
  state: "text: `backlog`, `ready`, `in-progress`, `blocked`, `review`, `done` or `dropped`",
  ...texts("status? ledger file?"),
  "line?": "number",
  "@facts": "of epics",
};

export const STORY = {
  ...WORK_ITEM,
  "@facts": "of stories",
  key: "text: its full name in the ledger: `1-2-login`",
  form: "text: how it is kept: `story-file`, `build-spec`, `spec-story`, `v4-story` or `ticket`",
  ...texts("due? plan?"),
  "isFree?": "boolean",
};

export const ORIGIN = {
  id: "text: the kind, numbered from the second of its kind on: `user-2`",
  kind: "text: `project`, `cli`, `env`, `user`, `git`, `npm` or `package`",
  ...numbers("priority agents workflows things"),
  location: "text",
  ...flags("exists isStandby"),
  generations: "list of text: the BMAD generations in it: `v3`, `v4`, `v6`, `skills`, `flat`",
  roots: [{
    path: "text: the folder in the source; empty for the source itself",
    ...texts("generation layout version?"),
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

/** Where several are served. */
export const PROJECTS = {
  "projects?": {
    items: [{ name: "text: what calls name it", folder: "text", ...flags("isCurrent mayChange") }],
    skipped: [texts("path reason")],
    "limit?": "text: what ended the search",
  },
};

const WHEN = texts("day? by?");

const ASKED = {
  ...numbers("number line"),
  ...texts("text story? to?"),
  choices: "list of text",
  "asked?": WHEN,
};

export const QUESTION = { ...ASKED, path: "text" };
export const ANSWERED = { ...ASKED, "answer?": "text", "answered?": WHEN };
