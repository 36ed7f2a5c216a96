/**
 * The names in `sprint-status.yaml`: of the file, its parts, its keys and its statuses, and the order of these.
 *
 * Apart from its reader, so that merging two versions of the file loads no parser.
 */
import { type Order, orderOf, wordsOf } from "./forms.ts";

/** Its names: the first is that of a new one. */
export const SPRINT_FILES: readonly string[] = ["sprint-status.yaml", "sprint-status.yml"];

export const DEFERRED_FILE = "deferred-work.md";
export const JOURNAL_FILE = "work-log.jsonl";
export const QUESTIONS_FILE = "open-questions.md";

export function isSprintFile(path: string): boolean {
  return SPRINT_FILES.includes(path.slice(path.lastIndexOf("/") + 1));
}

export const SECTION = "development_status";
export const ITEMS = "action_items";

export type SprintKind = "epic" | "story" | "retro";

export const SPRINT_STATUSES: Readonly<Record<SprintKind, readonly string[]>> = {
  epic: ["backlog", "in-progress", "done"],
  story: wordsOf("story-file"),
  retro: ["optional", "done"],
};

export function sprintOrder(kind: SprintKind): Order {
  return kind === "retro"
    ? (word) => SPRINT_STATUSES.retro.includes(word) ? SPRINT_STATUSES.retro.indexOf(word) : undefined
    : orderOf("story-file");
}

export const ACTION_STATUSES: readonly string[] = ["open", "in-progress", "done"];

export interface SprintKey {
  readonly kind: SprintKind;
  /** Its number without zeros in front; people give some a name. */
  readonly epic: string;
  /** The number of a story in its epic, and the letter of one that was split: `2-6a-…`; 0 and none for others. */
  readonly story: number;
  readonly letter: string;
  /** What the board calls it: `1`, `1-2`, `2-6a`. */
  readonly ref: string;
  readonly name: string;
  /** Whether BMAD's own scripts know such a key: they want numbers, small letters and a name behind them. */
  readonly isStrict: boolean;
}

const KEYS: readonly (readonly [SprintKind, RegExp])[] = [
  ["retro", /^epic-([\w.]+)-retrospective$/],
  ["epic", /^epic-([\w.]+)$/],
  ["story", /^(\d{1,15})-(\d{1,15})([a-z]?)(?:-|$)/i],
];
const STRICT = /^(?:epic-\d+(?:-retrospective)?$|\d+-\d+[a-z]?-.)/;

export function readSprintKey(key: string): SprintKey | undefined {
  for (const [kind, pattern] of KEYS) {
    const [all, epic, story = "0", letter = ""] = pattern.exec(key) ?? [];
    if (all === undefined) continue;
    const own = withoutZeros(epic!);
    return {
      kind,
      epic: own,
      story: Number(story),
      letter,
      ref: kind === "story" ? storyRef(own, story, letter) : own,
      name: key.slice(all.length),
      isStrict: STRICT.test(key),
    };
  }
  return undefined;
}

/** `1-2`, `2-6a`: how keys, names of files and headings are compared, however they write a number. */
export function storyRef(epic: string, story: string, letter = ""): string {
  return `${withoutZeros(epic)}-${withoutZeros(story)}${letter.toLowerCase()}`;
}

/** The story that a text names, as `storyRef` writes it: `1.02`, `Story 1-2`, `1-2-login`. Any other text stays. */
export function namedRef(text: string): string {
  const [, epic, story, letter] = /^(?:story )?(\d{1,4})[.-](\d{1,4})([a-z]?)(?:-|$)/i.exec(text) ?? [];
  return epic === undefined ? text : storyRef(epic, story!, letter);
}

/** `1.2.login.md`, `1-2-login.md`, `story-1.2.md`, `epic-1.story-2.md`. */
const NUMBERED = /^(?:story[-.]|spec-)?(\d{1,15})[.-](\d{1,15})([a-z]?)(?=[.-]).*\.md$/i;
const NAMED_EPIC = /^epic-?(\d{1,15})[.-]story-?(\d{1,15})([a-z]?)(?=[.-]).*\.md$/i;

export function refInName(name: string): string | undefined {
  const [, epic, story, letter] = NUMBERED.exec(name) ?? NAMED_EPIC.exec(name) ?? [];
  return epic === undefined ? undefined : storyRef(epic, story!, letter);
}

function withoutZeros(number: string): string {
  return /^\d+$/.test(number) ? `${Number(number)}` : number;
}

/** `08-01-2026 14:05`, the form of times that BMAD's scripts write, from one as `2026-08-01T14:05:09`. */
export function sprintTime(time: string): string {
  return `${time.slice(5, 10)}-${time.slice(0, 4)} ${time.slice(11, 16)}`;
}

const MONTH = "(?<m>1[0-2]|0[1-9]|[1-9])";
const DAY = "(?<d>3[0-1]|[1-2][0-9]|0[1-9]|[1-9]| [1-9])";
const TIME = String.raw`\s+(?<h>2[0-3]|[0-1][0-9]|[0-9]):(?<min>[0-5][0-9]|[0-9])`;
const [OWN, ...OTHERS] = [
  `${MONTH}-${DAY}-(?<y>[0-9]{4})${TIME}`,
  `(?<y>[0-9]{4})-${MONTH}-${DAY}${TIME}`,
  `(?<y>[0-9]{4})-${MONTH}-${DAY}`,
].map((format) => new RegExp(`^${format}$`));

/**
 * Reads `MM-DD-YYYY HH:MM`; with `isLenient`, also `YYYY-MM-DD` with or without a time: a point in time without a zone, in
 * minutes and as `06-07-2026 14:22`.
 */
export function parseStamp(
  given: string,
  { isLenient = false }: { readonly isLenient?: boolean } = {},
): { readonly minutes: number; readonly text: string } | undefined {
  for (const format of [OWN!, ...isLenient ? OTHERS : []]) {
    const found = format.exec(given);
    if (found === null) continue;
    const { y, m, d, h = "0", min = "0" } = found.groups!;
    const time = Date.UTC(Number(y), Number(m) - 1, Number(d), Number(h), Number(min));
    if (Number(y) > 99 && new Date(time).getUTCDate() === Number(d)) {
      return { minutes: Math.floor(time / 60_000), text: sprintTime(new Date(time).toISOString()) };
    }
  }
  return undefined;
}
