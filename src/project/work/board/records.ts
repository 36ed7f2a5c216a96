/** Our own records of the work: claims, the journal, questions, and what was forced. */
import { findText, joinPath, parentPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Board,
  type Epic,
  type Forced,
  isSprintFile,
  mayGoOn,
  nameOfHolder,
  stateOf,
  type Story,
} from "../formats/mod.ts";
import { type ClaimRecord, readClaims, type RecordsPlace } from "./claims.ts";
import { type About, mapStories, type StoryMatch } from "./find.ts";
import { type JournalEntry, readJournal, readLines } from "./journal.ts";
import { askedAbout, type AskedQuestions, readAsked } from "./questions.ts";

export interface ForcedRecord extends About, Forced {
  readonly from?: string;
  readonly to: string;
}

export interface Records {
  readonly claims: readonly ClaimRecord[];
  readonly forced: readonly ForcedRecord[];
  readonly journal: readonly JournalEntry[];
  readonly asked: AskedQuestions;
}

export const FORCED_FILE = "forced.jsonl";

/** Stays the same while the story is worked on. */
export function identityOf({ ledger }: Epic, { ref, key }: Story): string {
  // Tickets, and stories that only a plan has, get another key with their file.
  return isSprintFile(ledger) && !ref.includes("/") ? key : ref;
}

function idOf({ ledger, story }: About): string {
  return `${ledger}\n${story}`;
}

/** A record from before the sprint was made names the story as its plan does. */
function idsOf({ epic, story }: StoryMatch, project = ""): readonly string[] {
  const ledger = joinPath(project, epic.ledger);
  const planned = isSprintFile(ledger) ? [{ ledger: parentPath(ledger), story: story.ref }] : [];
  return [{ ledger, story: identityOf(epic, story) }, ...planned].map(idOf);
}

/** Finds the newest record of a story by its present name, else by that in its plan. */
export function recordFor<T extends About>(records: readonly T[]): (found: StoryMatch) => T | undefined {
  // Most projects have none.
  if (records.length === 0) return () => undefined;
  const newest = new Map(records.map((one) => [idOf(one), one]));
  return (found) => idsOf(found).map((id) => newest.get(id)).find((one) => one !== undefined);
}

export function recordsBeside<T extends About>(
  records: readonly T[],
  found: StoryMatch,
  project?: string,
): readonly T[] {
  const ids = idsOf(found, project);
  return records.filter((one) => !ids.includes(idOf(one)));
}

export function readRecords(
  place: RecordsPlace,
  { now, clean }: { readonly now: number; readonly clean: (text: string) => string },
): Records {
  const { tree, folder, journal } = place;
  const entries = readJournal((journal && findText(tree, journal)) ?? "", clean);
  const forced = readForced(findText(tree, joinPath(folder, FORCED_FILE)) ?? "", clean);
  return {
    claims: readClaims(place, now, clean),
    forced: [...entries.flatMap(forcedIn), ...forced].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    journal: entries,
    asked: readAsked(tree, journal, clean),
  };
}

function forcedIn({ did, to, reasons = [], ...entry }: JournalEntry): readonly ForcedRecord[] {
  const { ledger, story, at, by, from } = entry;
  return did === "force" && to !== undefined ? [{ ledger, story, at, by, from, to, reasons }] : [];
}

export function journalFor({ journal }: Records, found: StoryMatch): readonly JournalEntry[] {
  const ids = idsOf(found);
  return journal.filter((one) => ids.includes(idOf(one)));
}

export function readForced(text: string, clean = (text: string): string => text): readonly ForcedRecord[] {
  return readLines(text, LIMITS.board.forced, clean).flatMap(({ about, by, from, to, reasons }) =>
    to === undefined ? [] : [{ ...about, to, ...(by && { by }), ...(from && { from }), reasons }]
  );
}

function claimOf(record: ClaimRecord): Story["claim"] {
  const { by, until, place } = record;
  return { by, until, ...(place !== undefined && { place }), holder: nameOfHolder(record) };
}

export function withRecords(
  board: Board,
  { claims, forced, asked }: Pick<Records, "claims" | "forced" | "asked">,
): Board {
  const [claimOn, forceOn] = [recordFor(claims), recordFor(forced)];
  const asking = askedAbout(board, asked);
  const { epics } = mapStories(board, (one, epic) => {
    const story = { ...one, ...asking.factsOf(one) };
    const [claim, record] = [claimOn({ epic, story }), forceOn({ epic, story })];
    const isStill = record !== undefined &&
      (record.to === story.status || stateOf(record.to) === story.state);
    return {
      ...story,
      ...(claim !== undefined ? { claim: claimOf(claim) } : mayGoOn(story) && { isFree: true as const }),
      ...(isStill && { forced: { at: record.at, by: record.by, reasons: record.reasons } }),
    };
  });
  return { ...board, epics, questions: asking.open, problems: [...board.problems, ...asking.problems] };
}
