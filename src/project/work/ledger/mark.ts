/**
 * Gives a story, an epic or a retrospective of `sprint-status.yaml` another status, by BMAD's own rules.
 *
 * Nothing goes back unless the work itself does or it is forced. An epic follows its stories: the first that is ready starts it, the last that
 * is done ends it. Whatever else the file says stays as it is.
 */
import { fail, failUnknown } from "../../../base/errors.ts";
import { suggest } from "../../../base/suggestions.ts";
import { asText, asValues, type Values } from "../../../base/values.ts";
import { isStepBack, readStatus, type State, stateOf } from "../formats/mod.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { currentStatus, readSprintKey, SPRINT_STATUSES, type SprintKey, type SprintKind } from "./sprint.ts";

const SECTION = "development_status";

/** A story's new status. */
export interface Mark {
  /** A key, or the number of a story or an epic: `1-2-login`, `1-2`, `1.2`, `epic-1`. */
  readonly name: string;
  /** As BMAD or a person calls it. */
  readonly status: string;
  /** Whether it may go back, skip the rules of epics, or be a status that BMAD does not know. */
  readonly isForced?: boolean;
  /** The state in which whoever marks a story has seen it. */
  readonly seen?: State;
  /** The time, in milliseconds since the epoch. */
  readonly now: number;
}

/** One status that was changed. */
export interface StatusChange {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** The text after a mark, and what has changed; nothing if it was so already. */
export interface Marked {
  readonly key: string;
  /** The status that it has now, in the words of the sprint. */
  readonly status: string;
  readonly text: string;
  readonly changes: readonly StatusChange[];
}

/** Marks in a text; the path is for messages. */
export function markSprint(
  path: string,
  text: string,
  { name, status, isForced = false, seen, now }: Mark,
): Marked {
  const ledger = openLedger(path, text);
  const key = findKey(rowsOf(ledger), name);
  const known = readSprintKey(key) ?? fail({
    code: "invalid-input",
    field: "story",
    problem: `"${key}" is not a key that BMAD uses`,
  });
  const wanted = readWord(status, known.kind, isForced);
  const changes: StatusChange[] = [];
  const set = (key: string, to: string) => {
    const from = wordOf(rowsOf(ledger)[key]);
    if (from === to) return;
    ledger.setIn(SECTION, key, to);
    changes.push({ key, from, to });
  };
  const before = wordOf(rowsOf(ledger)[key]);
  if (!isForced) refuseStepBack(key, known.kind, [before, wanted], seen);
  if (known.kind === "epic" && !isForced) refuseOpenStories(ledger, key, known, wanted);
  if (currentStatus(before).status !== wanted) set(key, wanted);
  if (known.kind === "story" && changes.length > 0) moveEpic(ledger, known, { set, isForced });
  if (changes.length > 0 && ledger.value["last_updated"] !== undefined) {
    ledger.set("last_updated", stampLike(wordOf(ledger.value["last_updated"]), now));
  }
  return { key, status: wanted, text: ledger.toText(), changes };
}

function rowsOf(ledger: Ledger): Values {
  return asValues(ledger.value[SECTION]);
}

function wordOf(value: unknown): string {
  return asText(value) ?? "";
}

/** The key that a name means: itself, or the only one with that number. */
function findKey(rows: Values, name: string): string {
  const plain = name.trim().toLowerCase().replace(/^story[\s-]+/, "").replace(/^epic[\s-]+(?=\d)/, "epic-");
  const exact = [name.trim(), plain].find((one) => Object.hasOwn(rows, one));
  if (exact !== undefined) return exact;
  const number = plain.replace(/^(\d+)\.(\d+[a-z]?)$/, "$1-$2");
  const found = Object.keys(rows).filter((key) =>
    key.startsWith(`${number}-`) && readSprintKey(key)?.kind === "story"
  );
  const isNumber = /^\d+-\d+[a-z]?$/.test(number);
  if (isNumber && found.length > 1) {
    const candidates = found.map((key) => ({ name: key, description: wordOf(rows[key]) }));
    return fail({ code: "ambiguous", what: "key", name, candidates });
  }
  if (isNumber && found.length === 1) return found[0]!;
  return fail({ code: "not-found", what: "story", name, suggestions: suggest(plain, Object.keys(rows)) });
}

/** A status as a sprint writes it. */
function readWord(given: string, kind: SprintKind, isForced: boolean): string {
  if (kind === "story") return readStatus(given, "story-file", isForced);
  const plain = given.trim().toLowerCase().replaceAll(/[\s_]+/g, "-");
  const known = [plain, stateOf(given) ?? ""].find((one) => SPRINT_STATUSES[kind].includes(one));
  if (known !== undefined) return known;
  if (isForced && /^[a-z][a-z0-9-]{0,49}$/.test(plain)) return plain;
  return failUnknown("status", given, SPRINT_STATUSES[kind]);
}

/** How far a status is; undefined for one that has no place in the order. */
function rankOf(kind: SprintKind, status: string): number | undefined {
  const rank = SPRINT_STATUSES[kind].indexOf(wordOf(currentStatus(status).status));
  return rank < 0 ? undefined : rank;
}

function refuseStepBack(
  key: string,
  kind: SprintKind,
  [before, wanted]: readonly [before: string, wanted: string],
  seen: State | undefined,
): void {
  const [from, to] = [rankOf(kind, before), rankOf(kind, wanted)];
  const isBack = kind === "story"
    ? isStepBack("story-file", before, wanted, seen)
    : from !== undefined && to !== undefined && to < from;
  if (!isBack) return;
  fail({
    code: "not-allowed",
    what: `move ${key} from ${before} back to ${wanted}`,
    hint: "force it if that is meant",
    fixes: ["force"],
  });
}

function storiesOf(ledger: Ledger, epic: number): readonly (readonly [key: string, status: string])[] {
  return Object.entries(rowsOf(ledger)).filter(([key]) => {
    const known = readSprintKey(key);
    return known?.kind === "story" && known.epic === epic;
  }).map(([key, status]) => [key, wordOf(status)]);
}

function refuseOpenStories(ledger: Ledger, key: string, { epic }: SprintKey, wanted: string): void {
  const open = storiesOf(ledger, epic).filter(([, status]) => status !== "done").map(([key]) => key);
  if (wanted !== "done" || open.length === 0) return;
  const more = open.length > 3 ? ` and ${open.length - 3} more` : "";
  fail({
    code: "not-allowed",
    what: `end ${key}`,
    hint: `${open.slice(0, 3).join(", ")}${more} ${
      open.length === 1 ? "is" : "are"
    } not done; force it if that is meant`,
    fixes: ["force"],
  });
}

/** Has the epic of a story follow it. */
function moveEpic(
  ledger: Ledger,
  { epic }: SprintKey,
  { set, isForced }: { readonly set: (key: string, to: string) => void; readonly isForced: boolean },
): void {
  const [key, status] = Object.entries(rowsOf(ledger)).find(([key]) => {
    const known = readSprintKey(key);
    return known?.kind === "epic" && known.epic === epic;
  }) ?? [];
  const rank = key === undefined ? undefined : rankOf("epic", wordOf(status));
  // An epic with an unknown status is left as it is.
  if (key === undefined || rank === undefined) return;
  const stories = storiesOf(ledger, epic).map(([, status]) => status);
  const isDone = stories.every((status) => status === "done");
  const isBegun = stories.some((status) => (rankOf("story", status) ?? 1) > 0);
  if (isDone) set(key, "done");
  else if (wordOf(status) === "done") {
    if (isForced) return set(key, "in-progress");
    fail({
      code: "not-allowed",
      what: `change a story of ${key}`,
      hint: "the epic is done; force it to begin the epic again",
      fixes: ["force"],
    });
  } else if (isBegun && rank === 0) set(key, "in-progress");
}

/** The time in the form of an earlier one: `2026-06-07`, `2026-06-07 14:22`, or BMAD's `06-07-2026 14:22`. */
function stampLike(before: string, now: number): string {
  const local = new Date(now - new Date(now).getTimezoneOffset() * 60_000).toISOString();
  const [date, time] = [local.slice(0, 10), local.slice(11, 16)];
  if (/^\d{4}-\d\d-\d\d$/.test(before)) return date;
  if (/^\d{4}-\d\d-\d\d[ T]/.test(before)) return `${date}${before[10]}${time}`;
  return `${date.slice(5)}-${date.slice(0, 4)} ${time}`;
}
