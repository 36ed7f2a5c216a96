import { CATEGORIES } from "../base/model.ts";
import { choice, flag, list, number, text } from "./operation.ts";

/** Longer than any name, and shorter than a text that was pasted by mistake. */
const MAX_NAME = 500;
export const MAX_TEXT = 4_000;

const STORY_NAMES = ["ref", "ticket", "epic", "key"] as const;

export const story = text("The story: its reference, key or title.", {
  operand: "STORY",
  forModel: "Reference, key or title: 1-2.",
  names: STORY_NAMES,
  maxLength: MAX_NAME,
  selects: true,
});

export const storyRequired = { ...story, isRequired: true } as const;

export const by = (about: string) =>
  text(about, {
    value: "NAME",
    forModel: "Only for another person or agent than the user, by name.",
    names: ["owner", "assignee"],
  });

export const force = (about: string) =>
  flag(about, { forModel: "Against a rule; recorded.", right: "force" });

/** What one holds in another seat is one's own to take: only against others it takes a right. */
export const forceOthers = (about: string) => flag(about, { forModel: "Against a rule; recorded." });

export const reason = (about: string) =>
  text(about, { value: "TEXT", forModel: "Why.", names: ["why"], maxLength: MAX_TEXT });

export const page = {
  limit: number("At most N results.", { value: "N", range: [1, 1_000], forModel: "Page size." }),
  cursor: text("From the page before.", { only: "tool" }),
} as const;

export const limit = (about = "At most N results.") => number(about, { value: "N", only: "terminal" });

export const format = text("json.", { only: "tool" });

export const module = text("Only this module.", { value: "NAME" });
export const origin = text(
  "Only this source, including items that another source overrides; `sources` prints the ids.",
  { value: "ID", forModel: "Only this source, such as project or package.", names: ["source"] },
);
export const category = choice("Only this category", CATEGORIES, { value: "NAME", names: ["phase"] });

export const moduleOfName = {
  ...module,
  about: "The module of NAME, where several have one of that name.",
  forModel: "Only this module.",
};
export const originOfName = {
  ...origin,
  about: "The source to take NAME from, even if another overrides it; `sources` prints the ids.",
};

/** Each parameter takes items of its kind, `skill` and `name` any. */
export const target = {
  agent: text("Id, short name, persona name, or module/name.", { only: "tool", example: "analyst" }),
  workflow: text("Workflow name.", { only: "tool" }),
  task: text("Task name.", { only: "tool" }),
  skill: text("Name of any skill.", { only: "tool" }),
  name: text("Any item.", { only: "tool", forModel: "" }),
} as const;

export const raw = flag("Only the original text, with nothing resolved or added.", {
  forModel: "Only the file's text.",
});
export const dryRun = flag("Show what would change, and change nothing.", { flag: "--dry-run" });
export const diff = flag("Show what changes in every instruction, line by line, before it is served.");
export const words = (operand: string, about: string) => list(about, { operand });
export const name = (about: string) => text(about, { operand: "NAME", isRequired: true });
