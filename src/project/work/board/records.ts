/** Our own records: claims, the journal, questions, and what was forced. */
import { cacheListings, findText, joinPath, parentPath, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Board,
  type Elsewhere,
  type Epic,
  type Forced,
  isSprintFile,
  mayGoOn,
  nameOfHolder,
  stateOf,
  type Story,
} from "../formats/mod.ts";
import { type BeginningRecord, readBeginnings } from "./beginnings.ts";
import { type ClaimRecord, readClaims, type RecordsPlace } from "./claims.ts";
import { type About, epicName, mapStories, type StoryMatch, type Target } from "./find.ts";
import { elsewhereOf, type MovedStory, type MovesPlace, readMoves } from "./moves.ts";
import { type JournalEntry, readJournal, readLines } from "./journal.ts";
import { askedAbout, type AskedQuestions, readAsked } from "./questions.ts";

export interface ForcedRecord extends About, Forced {
  readonly from?: string;
  readonly to: string;
}

export interface Records {
  readonly claims: readonly ClaimRecord[];
  readonly moves: readonly MovedStory[];
  readonly forced: readonly ForcedRecord[];
  readonly journal: readonly JournalEntry[];
  readonly asked: AskedQuestions;
  readonly beginnings: readonly BeginningRecord[];
}

export const FORCED_FILE = "forced.jsonl";

/** Stays the same while the story is worked on. */
export function identityOf({ ledger }: Epic, { ref, key }: Story): string {
  // Other stories get another key with their file.
  return isSprintFile(ledger) && !ref.includes("/") ? key : ref;
}

export function recordedName({ epic, story }: Pick<Target, "epic" | "story">): About {
  return { ledger: epic.ledger, story: story === undefined ? epicName(epic) : identityOf(epic, story) };
}

/** By its number, if any: its title may change. */
function idOf({ ledger, story }: About): string {
  const [number] = (isSprintFile(ledger) && /^\d+-\d+[a-z]?(?=-)/.exec(story)) || [story];
  return `${ledger}\n${number}`;
}

/** A record from before the sprint was made names the story as its plan does. */
function idsOf({ epic, story }: StoryMatch, project = ""): readonly string[] {
  const ledger = joinPath(project, epic.ledger);
  const planned = isSprintFile(ledger) ? [{ ledger: parentPath(ledger), story: story.ref }] : [];
  return [{ ledger, story: identityOf(epic, story) }, ...planned].map(idOf);
}

/** By the story's present name, else by that in its plan. */
function recordsFor<T extends About>(records: readonly T[]): (found: StoryMatch) => readonly T[] {
  // Most projects have none.
  if (records.length === 0) return () => [];
  const known = Map.groupBy(records, idOf);
  return (found) => idsOf(found).map((id) => known.get(id)).find((some) => some !== undefined) ?? [];
}

export function recordFor<T extends About>(records: readonly T[]): (found: StoryMatch) => T | undefined {
  const recordsOf = recordsFor(records);
  return (found) => recordsOf(found).at(-1);
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
  given: RecordsPlace & MovesPlace,
  { now, clean }: { readonly now: number; readonly clean: (text: string) => string },
): Records {
  const { folder, journal } = given;
  const shared = given.shared && { ...given.shared, tree: listed(given.shared.tree, "") };
  const place = { ...given, tree: listed(given.tree, folder), ...(shared && { shared }) };
  const { tree } = place;
  const entries = readJournal((journal && findText(tree, journal)) ?? "", clean);
  const forced = readForced(findText(tree, joinPath(folder, FORCED_FILE)) ?? "", clean);
  return {
    claims: readClaims(place, now, clean),
    moves: readMoves(place, clean),
    forced: [...entries.flatMap(forcedIn), ...forced].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    journal: entries,
    asked: readAsked(tree, journal, clean),
    beginnings: readBeginnings(place.shared, entries),
  };
}

/** Asking for a missing record takes longer than listing them, and most are missing. */
function listed(tree: Tree, folder: string): Tree {
  const own = cacheListings(tree);
  own.list(folder);
  return own;
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
  const { by, until, place, isLeft, active } = record;
  return {
    by,
    until,
    ...(place !== undefined && { place }),
    ...(isLeft && { isLeft }),
    ...(active && { active }),
    holder: nameOfHolder(record),
  };
}

export function elsewhereFor(moves: readonly MovedStory[], found: StoryMatch): Elsewhere | undefined {
  return elsewhereOf(recordsFor(moves)(found), found.story.state);
}

export function withRecords(
  board: Board,
  { claims, moves, forced, asked, beginnings }: Omit<Records, "journal">,
): Board {
  const [claimOn, forceOn] = [recordFor(claims), recordFor(forced)];
  const beganOn = recordFor(beginnings.filter(({ commit }) => commit !== undefined));
  const acceptedOn = recordFor(beginnings.filter(({ accepted = [] }) => accepted.length > 0));
  const movesOf = recordsFor(moves);
  const asking = askedAbout(board, asked);
  const { epics } = mapStories(board, (one, epic) => {
    const elsewhere = elsewhereOf(movesOf({ epic, story: one }), one.state);
    const story = { ...one, ...asking.factsOf(one), ...(elsewhere && { elsewhere }) };
    const [claim, record] = [claimOn({ epic, story }), forceOn({ epic, story })];
    const began = beganOn({ epic, story })?.commit;
    const accepted = acceptedOn({ epic, story })?.accepted;
    const isStill = record !== undefined &&
      (record.to === story.status || stateOf(record.to) === story.state);
    return {
      ...story,
      ...(claim !== undefined ? { claim: claimOf(claim) } : mayGoOn(story) && { isFree: true as const }),
      ...(began !== undefined && { began }),
      ...(accepted !== undefined && { accepted }),
      ...(isStill && { forced: { at: record.at, by: record.by, reasons: record.reasons } }),
    };
  });
  return { ...board, epics, questions: asking.open, problems: [...board.problems, ...asking.problems] };
}
