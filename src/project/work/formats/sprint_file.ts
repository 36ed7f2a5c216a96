/**
 * `sprint-status.yaml` of 6.0.0-alpha.7 to 6.12, read once for everybody: the board, marks, plans and BMAD's own scripts.
 */
import { splitLines } from "../../../base/text.ts";
import { atOnce, type Steps } from "../../../base/work.ts";
import { asText, asValues, isValues, type Values } from "../../../base/values.ts";
import { normalizeText, parseAnyYaml } from "../../../content/parse.ts";
import { wordFor, wordsOf } from "./forms.ts";
import { OLD_WORDS } from "./status.ts";
import { isTrivial, readEntry } from "./yaml_lines.ts";

/** Its names: the first is that of a new one. */
export const SPRINT_FILES: readonly string[] = ["sprint-status.yaml", "sprint-status.yml"];

/** Whether a path is one of such a file. */
export function isSprintFile(path: string): boolean {
  return SPRINT_FILES.includes(path.slice(path.lastIndexOf("/") + 1));
}

/** The map of statuses in the file. */
export const SECTION = "development_status";
/** The list of what retrospectives decided to do. */
export const ITEMS = "action_items";

/** What a key of `development_status` stands for. */
export type SprintKind = "epic" | "story" | "retro";

/** The statuses of each kind, in the order of the work. */
export const SPRINT_STATUSES: Readonly<Record<SprintKind, readonly string[]>> = {
  epic: ["backlog", "in-progress", "done"],
  story: wordsOf("story-file"),
  retro: ["optional", "done"],
};

/** The statuses of an action item. */
export const ACTION_STATUSES: readonly string[] = ["open", "in-progress", "done"];

/** A key of `development_status`. */
export interface SprintKey {
  readonly kind: SprintKind;
  /** Its number without zeros in front; people give some a name. */
  readonly epic: string;
  /** The number of a story in its epic, and the letter of one that was split: `2-6a-…`; 0 and none for others. */
  readonly story: number;
  readonly letter: string;
  /** What the board calls it: `1`, `1-2`, `2-6a`. */
  readonly ref: string;
  /** What follows the number of a story: `sign-in`. */
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

/** What a key stands for; undefined for one that is none of BMAD's. */
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

/** The story whose number the name of a file has. */
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

/** A row of `development_status`. */
export interface SprintRow {
  readonly key: string;
  /** What the key stands for; undefined for one that is none of BMAD's. */
  readonly known: SprintKey | undefined;
  readonly value: unknown;
  /** The status as it is written; empty if the row has none. */
  readonly word: string;
  /** Today's name of the status; undefined for one that BMAD does not know. */
  readonly status: string | undefined;
  /** Today's name of a word of an older release. */
  readonly renamed: string | undefined;
  readonly line?: number;
  /** Quotes make a text of what looks like a date. */
  readonly isQuoted?: boolean;
}

/** An action item; without fields it is not a map. */
export interface SprintItem {
  readonly value: unknown;
  readonly fields: Values | undefined;
  /** Undefined for one that BMAD does not know. */
  readonly status: string | undefined;
}

/** What may be wrong with the whole file or a part of it. */
export type SprintFault =
  | "empty"
  | "not-a-map"
  | "section-missing"
  | "section-not-a-map"
  | "section-empty"
  | "items-not-a-list";

/** All that the file says. */
export interface SprintFile {
  readonly text: string;
  readonly fields: Values;
  /** In the order of the file. What cannot be parsed as a whole is read line by line. */
  readonly rows: readonly SprintRow[];
  /** The fields whose values are in quotes. */
  readonly quoted: ReadonlySet<string>;
  readonly items: readonly SprintItem[];
  readonly faults: ReadonlySet<SprintFault>;
  /** Why it cannot be parsed, and where. */
  readonly problem?: string;
  readonly line?: number;
}

/** Reads the file. */
export function readSprintFile(text: string): SprintFile {
  return atOnce(sprintFileSteps(text));
}

/** The same, in steps: a ledger may have tens of thousands of rows. */
export function* sprintFileSteps(text: string): Steps<SprintFile> {
  const { value, problem, at } = parseAnyYaml(text);
  yield;
  const { rows: scanned, quoted } = yield* scan(text);
  const fields = asValues(value);
  const written = new Map(scanned.map(({ key, line, isQuoted }) => [key, { line, isQuoted }]));
  const rows = problem === undefined
    ? []
    : scanned.map(({ key, word, ...rest }): SprintRow => ({ ...rowOf(key, word), ...rest }));
  for (const [key, value] of Object.entries(asValues(fields[SECTION]))) {
    rows.push({ ...rowOf(key, value), ...written.get(key) });
    yield;
  }
  return {
    text,
    fields,
    rows,
    quoted,
    items: (Array.isArray(fields[ITEMS]) ? fields[ITEMS] : []).map(itemOf),
    faults: new Set(problem === undefined ? faultsOf(value) : []),
    problem,
    line: at?.line,
  };
}

/** The rows of a file whose fields are known. */
export function sprintRows(fields: Values): readonly SprintRow[] {
  return Object.entries(asValues(fields[SECTION])).map(([key, value]) => rowOf(key, value));
}

function rowOf(key: string, value: unknown): SprintRow {
  const known = readSprintKey(key);
  const renamed = wordFor(OLD_WORDS.get(value), "story-file");
  return {
    key,
    known,
    value,
    word: asText(value) ?? asText(asValues(value)["status"]) ?? "",
    status: known && SPRINT_STATUSES[known.kind].find((one) => one === (renamed ?? value)),
    renamed,
  };
}

function itemOf(value: unknown): SprintItem {
  const fields = isValues(value) ? value : undefined;
  return { value, fields, status: ACTION_STATUSES.find((one) => one === fields?.["status"]) };
}

function* faultsOf(value: unknown): Iterable<SprintFault> {
  if ((value ?? null) === null) yield "empty";
  else if (!isValues(value)) yield "not-a-map";
  else {
    const section = value[SECTION] ?? null;
    if (section === null) yield "section-missing";
    else if (!isValues(section)) yield "section-not-a-map";
    else if (Object.keys(section).length === 0) yield "section-empty";
    if ((value[ITEMS] ?? null) !== null && !Array.isArray(value[ITEMS])) yield "items-not-a-list";
  }
}

/** The rows below `development_status` by their lines, and the fields that are in quotes. */
function* scan(text: string) {
  const rows: Pick<SprintRow, "key" | "word" | "line" | "isQuoted">[] = [];
  const quoted = new Set<string>();
  let isInside = false;
  for (const [at, line] of splitLines(normalizeText(text)).entries()) {
    yield;
    const entry = isTrivial(line) ? undefined : readEntry(line.trimStart());
    if (entry === undefined) continue;
    const { key, value } = entry;
    const isQuoted = value !== undefined && value.style !== "plain";
    if (/^\S/.test(line)) {
      isInside = key === SECTION;
      if (isQuoted) quoted.add(key);
    } else if (isInside) {
      rows.push({ key, word: value?.raw.replaceAll(/^["']|["']$/g, "") ?? "", line: at + 1, isQuoted });
    }
  }
  return { rows, quoted };
}
