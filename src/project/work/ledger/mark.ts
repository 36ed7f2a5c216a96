/** Marks in `sprint-status.yaml` by BMAD's own rules: an epic follows its stories. */
import { failField, failMissing } from "../../../base/errors.ts";
import { suggest } from "../../../base/suggestions.ts";
import { asText } from "../../../base/values.ts";
import { localTime } from "../../../base/time.ts";
import {
  epicDue,
  failStepBack,
  isStepBack,
  readSprintKey,
  readWord,
  refuseEarlyEnd,
  SECTION,
  SPRINT_STATUSES,
  type SprintKind,
  type SprintRow,
  sprintRows,
  sprintTime,
  type State,
  stateOf,
} from "../formats/mod.ts";
import { openLedger } from "./ledger.ts";

export interface Mark {
  readonly name: string;
  readonly status: string;
  /** To go back, skip the rules of epics, or set a status that BMAD does not know. */
  readonly isForced?: boolean;
  readonly seen?: State;
  /** Changes that this takes back, the epic's too unless others have begun. */
  readonly undoes?: readonly { readonly key: string; readonly from?: string }[] | undefined;
  readonly now: number;
}

export function* markSprint(
  path: string,
  text: string,
  { name, status, isForced = false, seen, undoes = [], now }: Mark,
) {
  const ledger = openLedger(path, text);
  yield;
  const rows = sprintRows(ledger.value);
  yield;
  const row = findRow(rows, name);
  const { kind, epic } = row.known ?? failField("story", `"${row.key}" is not a key that BMAD uses`);
  const wanted = readWord(status, SPRINT_STATUSES[kind], isForced);
  const changes: { readonly key: string; readonly from: string; readonly to: string }[] = [];
  const set = ({ key, word: from }: SprintRow, to: string) => {
    if (from === to) return;
    ledger.setIn(SECTION, key, to);
    changes.push({ key, from, to });
  };
  const stories = rows.filter(({ known }) => known?.kind === "story" && known.epic === epic);
  const dueOf = ({ word }: Pick<SprintRow, "word">, marked: string) =>
    epicDue(stateOf(word), stories.map((one) => stateOf(one === row ? marked : one.word)));
  // An epic that gained a story goes back to where its stories are.
  const isFollowing = kind === "epic" && dueOf(row, row.word) === wanted;
  if (!isForced && !isFollowing) {
    if (isBack(row, kind, wanted, seen)) failStepBack(row.key, row.word, wanted);
    if (kind === "epic" && wanted === "done") {
      refuseEarlyEnd(row.key, new Map(stories.map(({ key, word }) => [key, stateOf(word)])));
    }
  }
  if ((row.status ?? row.word) !== wanted) set(row, wanted);
  if (kind === "story" && changes.length > 0) {
    const own = rows.find(({ known }) => known?.kind === "epic" && known.epic === epic);
    const word = undoes.find(({ key }) => key === own?.key)?.from;
    const to = own && (dueOf({ word: word ?? own.word }, wanted) ?? word);
    if (to !== undefined) set(own!, to);
  }
  const updated = ledger.value["last_updated"];
  if (changes.length > 0 && updated !== undefined) {
    ledger.set("last_updated", timeLike(asText(updated) ?? "", localTime(now)));
  }
  yield;
  return { status: wanted, text: ledger.toText(), changes };
}

/** An epic's number may have leading zeros. */
function findRow(rows: readonly SprintRow[], name: string): SprintRow {
  const named = readSprintKey(name);
  const isMeant = ({ known }: SprintRow) =>
    named !== undefined && named.kind !== "story" && known?.kind === named.kind && known.ref === named.ref;
  return rows.find(({ key }) => key === name) ?? rows.find(isMeant) ??
    failMissing("story", name, { suggestions: suggest(name, rows.map(({ key }) => key)) });
}

function isBack({ word, status }: SprintRow, kind: SprintKind, wanted: string, seen?: State): boolean {
  if (kind === "story") return isStepBack(word, wanted, seen);
  const [from, to] = [status ?? "", wanted].map((one) => SPRINT_STATUSES[kind].indexOf(one));
  return to! >= 0 && to! < from!;
}

/** In the form of an earlier time: `2026-06-07`, `2026-06-07 14:22`, or BMAD's `06-07-2026 14:22`. */
function timeLike(before: string, now: string): string {
  const [date, time] = [now.slice(0, 10), now.slice(11, 16)];
  if (/^\d{4}-\d\d-\d\d$/.test(before)) return date;
  if (/^\d{4}-\d\d-\d\d[ T]/.test(before)) return `${date}${before[10]}${time}`;
  return sprintTime(now);
}
