/**
 * A sprint: its stories and the status of each, from `sprint-status.yaml`.
 */
import { asValues, parseYaml } from "../../parse.ts";

export type StoryStatus = "backlog" | "ready-for-dev" | "in-progress" | "review" | "done";

export interface Sprint {
  /** In the order of the file: `1-2-account-management`. */
  readonly stories: readonly { readonly key: string; readonly status: StoryStatus }[];
  /** Finished epics without a retrospective: `1`. */
  readonly openRetrospectives: readonly string[];
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

/** Parses a sprint; undefined when the file has no stories. */
export function parseSprint(text: string): Sprint | undefined {
  const rows = Object.entries(asValues(parseYaml(text).value["development_status"]))
    .map(([key, value]) => ({ key, status: String(value).trim().toLowerCase().replaceAll(/[\s_]+/g, "-") }));
  const listed = rows.filter(({ key }) => !EPIC.test(key) && !RETROSPECTIVE.test(key));
  if (listed.length === 0) return undefined;
  const known = listed.filter(({ status }) => Object.hasOwn(STATUSES, status));
  const stories = known.map(({ key, status }) => ({ key, status: STATUSES[status]! }));
  const openRetrospectives = rows.flatMap(({ key, status }) => {
    const [, epic] = RETROSPECTIVE.exec(key) ?? [];
    const own = stories.filter((story) => story.key.startsWith(`${epic}-`));
    const isOver = own.length > 0 && own.every((story) => story.status === "done");
    return epic !== undefined && isOver && STATUSES[status] !== "done" ? [epic] : [];
  });
  const unknown = listed.filter((row) => !known.includes(row)).map(({ key, status }) => `${key}: ${status}`);
  return { stories, openRetrospectives, unknown };
}
