/**
 * The rules of `sprint-status.yaml`: which keys it has, and which status comes after which.
 */

/** What a key of `development_status` stands for. */
export type SprintKind = "epic" | "story" | "retro";

/** The statuses of each kind, in the order of the work. */
export const SPRINT_STATUSES: Readonly<Record<SprintKind, readonly string[]>> = {
  epic: ["backlog", "in-progress", "done"],
  story: ["backlog", "ready-for-dev", "in-progress", "review", "done"],
  retro: ["optional", "done"],
};

/** The statuses of an action item. */
export const ACTION_STATUSES: readonly string[] = ["open", "in-progress", "done"];

/** Statuses of older generations, and what they are called now. */
const OLD_STATUSES: ReadonlyMap<unknown, string> = new Map([
  ["drafted", "ready-for-dev"],
  ["contexted", "in-progress"],
]);

/** A status by its name of today; `isOld` if it had another one. */
export function currentStatus<T>(status: T): { readonly status: T | string; readonly isOld: boolean } {
  return { status: OLD_STATUSES.get(status) ?? status, isOld: OLD_STATUSES.has(status) };
}

/** A key of `development_status`. */
export interface SprintKey {
  readonly kind: SprintKind;
  readonly epic: number;
  /** The number of a story in its epic, and the letter of one that was split: `2-6a-…`; 0 and none for others. */
  readonly story: number;
  readonly letter: string;
}

const KEYS: readonly (readonly [SprintKind, RegExp])[] = [
  ["retro", /^epic-(\d+)-retrospective$/],
  ["epic", /^epic-(\d+)$/],
  ["story", /^(\d+)-(\d+)([a-z]?)-./],
];

/** What a key stands for; undefined for one that BMAD does not write. */
export function readSprintKey(key: string): SprintKey | undefined {
  for (const [kind, pattern] of KEYS) {
    const [, epic, story = "0", letter = ""] = pattern.exec(key) ?? [];
    if (epic !== undefined) return { kind, epic: Number(epic), story: Number(story), letter };
  }
  return undefined;
}
