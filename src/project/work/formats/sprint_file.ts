/**
 * `sprint-status.yaml` of 6.0.0-alpha.7 to 6.12, read once for everybody: the board, marks, plans and BMAD's own scripts.
 */
import { splitLines } from "../../../base/text.ts";
import { atOnce, type Steps } from "../../../base/work.ts";
import { asText, asValues, isValues, type Values } from "../../../base/values.ts";
import { normalizeText, parseAnyYaml } from "../../../content/parse.ts";
import { wordFor } from "./forms.ts";
import {
  ACTION_STATUSES,
  ITEMS,
  readSprintKey,
  SECTION,
  SPRINT_STATUSES,
  type SprintKey,
} from "./sprint_keys.ts";
import { OLD_WORDS } from "./status.ts";
import { isTrivial, readEntry } from "./yaml_lines.ts";

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
