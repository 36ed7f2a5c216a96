/**
 * A sprint: its stories and the status of each, from `sprint-status.yaml`.
 */
import { shorten } from "../../base/text.ts";
import { asValues, parseYaml } from "../../content/parse.ts";

export type StoryStatus = "backlog" | "ready-for-dev" | "in-progress" | "review" | "done";

export interface Sprint {
  /** In the order of the file: `1-2-account-management`. */
  readonly stories: readonly { readonly key: string; readonly status: StoryStatus }[];
  /** Finished epics without a retrospective: `1`. */
  readonly openRetrospectives: readonly string[];
  /** The last of them, unless work on a later epic has begun: its retrospective comes before another epic. */
  readonly dueRetrospective?: string;
  /** Stories with an unknown status: `1-2-login: paused`. */
  readonly unknown: readonly string[];
}

/** Including the words of earlier releases, and of people. */
const STATUSES: Readonly<Record<string, StoryStatus>> = {
  "backlog": "backlog",
  "todo": "backlog",
  "ready-for-dev": "ready-for-dev",
  "ready": "ready-for-dev",
  "drafted": "ready-for-dev",
  "in-progress": "in-progress",
  "review": "review",
  "in-review": "review",
  "done": "done",
  "complete": "done",
  "completed": "done",
};

const EPIC = /^epic-([\w.]+)$/;
const RETROSPECTIVE = /^epic-([\w.]+)-retrospective$/;

/** The words that a status can be set to, for advice. */
export const STATUS_WORDS: readonly string[] = [...new Set(Object.values(STATUSES))];

/** Parses a sprint; undefined when the file has no stories. A file that is not YAML gives the problem, with its line. */
export function parseSprint(text: string): Sprint | { readonly problem: string } | undefined {
  const { value, problem, at } = parseYaml(text);
  if (problem !== undefined && at !== undefined) return { problem: `line ${at.line}: ${problem}` };
  const rows = Object.entries(asValues(value["development_status"]))
    .map(([key, value]) => ({ key, status: String(value).trim().toLowerCase().replaceAll(/[\s_]+/g, "-") }));
  const listed = rows.filter(({ key }) => !EPIC.test(key) && !RETROSPECTIVE.test(key));
  if (listed.length === 0) return undefined;
  const statusOf = (status: string) => Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
  const stories = listed.flatMap(({ key, status: word }) => {
    const status = statusOf(word);
    return status === undefined ? [] : [{ key: shorten(key, MAX_SHOWN), status }];
  });
  const openRetrospectives = rows.flatMap(({ key, status }) => {
    const [, epic] = RETROSPECTIVE.exec(key) ?? [];
    const own = listed.filter((story) => story.key.startsWith(`${epic}-`));
    const isOver = own.length > 0 && own.every((story) => statusOf(story.status) === "done");
    return epic !== undefined && isOver && statusOf(status) !== "done" ? [epic] : [];
  });
  const last = openRetrospectives.at(-1);
  const end = listed.findLastIndex(({ key }) => key.startsWith(`${last}-`));
  const isBegun = listed.slice(end + 1).some(({ status }) => statusOf(status) !== "backlog");
  const unknown = listed.filter(({ status }) => statusOf(status) === undefined)
    .map(({ key, status }) => shorten(`${key}: ${status}`, MAX_SHOWN));
  return {
    stories,
    openRetrospectives,
    unknown,
    ...(last !== undefined && !isBegun && { dueRetrospective: last }),
  };
}

/** Keys and statuses are shown; anything can be in a file. */
const MAX_SHOWN = 80;
