/** Names in `sprint-status.yaml`, apart from its reader: merging loads no parser. */
import { SPRINT_FILES } from "../../../base/model.ts";
import { sprintTime } from "../../../base/time.ts";
import { type Order, orderOf, wordsOf } from "./forms.ts";

export { SPRINT_FILES, sprintTime };

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
  /** Without leading zeros; or a name that people gave. */
  readonly epic: string;
  /** 0 and none for others. A split one has a letter: `2-6a-…`. */
  readonly story: number;
  readonly letter: string;
  /** On the board: `1`, `1-2`, `2-6a`. */
  readonly ref: string;
  readonly name: string;
  /** For BMAD's own scripts: numbers, small letters and a name. */
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
    const [all, number, digits = "0", letter = ""] = pattern.exec(key) ?? [];
    if (all === undefined) continue;
    const [epic, story] = [withoutZeros(number!), Number(digits)];
    const ref = kind === "story" ? storyRef(epic, digits, letter) : epic;
    return { kind, epic, story, letter, ref, name: key.slice(all.length), isStrict: STRICT.test(key) };
  }
  return undefined;
}

/** `1-2`, `2-6a`: how keys, file names and headings compare. */
export function storyRef(epic: string, story: string, letter = ""): string {
  return `${withoutZeros(epic)}-${withoutZeros(story)}${letter.toLowerCase()}`;
}

/** `1.02`, `Story 1-2` and `1-2-login` become `1-2`; other texts stay. */
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

const MONTH = "(?<m>1[0-2]|0[1-9]|[1-9])";
const DAY = "(?<d>3[0-1]|[1-2][0-9]|0[1-9]|[1-9]| [1-9])";
const TIME = String.raw`\s+(?<h>2[0-3]|[0-1][0-9]|[0-9]):(?<min>[0-5][0-9]|[0-9])`;
const [OWN, ...OTHERS] = [
  `${MONTH}-${DAY}-(?<y>[0-9]{4})${TIME}`,
  `(?<y>[0-9]{4})-${MONTH}-${DAY}${TIME}`,
  `(?<y>[0-9]{4})-${MONTH}-${DAY}`,
].map((format) => new RegExp(`^${format}$`));

/** `MM-DD-YYYY HH:MM`; leniently also `YYYY-MM-DD`, with or without a time. */
export function parseStamp(given: string, { isLenient = false }: { readonly isLenient?: boolean } = {}) {
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
