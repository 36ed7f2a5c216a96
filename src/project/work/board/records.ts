/**
 * Our own records of the work: who has claimed which story, and what was forced.
 *
 * They lie beside the ledgers (files/mod.ts) and belong to one machine; claims lie where all worktrees of a repository
 * see them, if there is one. Anybody can have changed them: what is not a record counts as none.
 */
import { MAX_OWNER } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import { asText, asValues, parseJson } from "../../../base/values.ts";
import { findText, joinPath, parentPath, type Tree } from "../../../content/tree/mod.ts";
import {
  type Board,
  type Claim,
  type Epic,
  type Forced,
  isSprintFile,
  mayGoOn,
  nameOfHolder,
  stateOf,
  type Story,
} from "../formats/mod.ts";
import type { About, StoryMatch } from "./find.ts";
import { type JournalEntry, readJournal, readLines } from "./journal.ts";
import { askedAbout, type AskedQuestions, readAsked } from "./questions.ts";

export type ClaimRecord = About & Claim & Pick<SharedClaim, "commit">;

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

export const CLAIMS_FILE = "claims.json";
export const FORCED_FILE = "forced.jsonl";

/** No claim is good for longer, whatever its file says. */
export const MAX_CLAIM_MS = 24 * 3_600_000;

const MAX_CLAIMS = 20_000;
const MAX_PATH = 500;
export const MAX_FORCED = 1_000;

/** The name of a story that stays the same while it is worked on. */
export function identityOf({ ledger }: Epic, { ref, key }: Story): string {
  // Tickets, and stories that only a plan has, get another key with their file.
  return isSprintFile(ledger) && !ref.includes("/") ? key : ref;
}

function idOf({ ledger, story }: About): string {
  return `${ledger}\n${story}`;
}

/** The ids of records about a story. One from before the sprint was made names the story as its plan does. */
function idsOf({ epic, story }: StoryMatch, project = ""): readonly string[] {
  const ledger = joinPath(project, epic.ledger);
  const planned = isSprintFile(ledger) ? [{ ledger: parentPath(ledger), story: story.ref }] : [];
  return [{ ledger, story: identityOf(epic, story) }, ...planned].map(idOf);
}

/** Finds the record that counts for a story: the newest by its present name, else by that in its plan. */
export function recordFor<T extends About>(records: readonly T[]): (found: StoryMatch) => T | undefined {
  // Of ten thousand stories, most projects have none on record.
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

export interface RecordsPlace {
  readonly tree: Tree;
  readonly folder: string;
  readonly journal?: string;
  readonly shared?: SharedRecords;
  /** The claims of other clones, as far as they are known; they are told which commits this clone has made. */
  readonly others?: (isOwn: (commit: string) => boolean) => readonly ClaimRecord[];
}

/** Records that all worktrees share. They name ledgers from the top of a worktree, and the worktree of each owner. */
interface SharedRecords {
  readonly tree: Tree;
  readonly project: string;
  readonly worktree: string;
}

export interface SharedClaim extends About, Omit<Claim, "place"> {
  readonly worktree: string;
  /** The commit that tells other clones of it. */
  readonly commit?: string;
}

/** What git's own main worktree is called in the shared file. No linked one has such a name. */
export const MAIN_WORKTREE = ".";

/** Reads the records of a project. Claims that have expired are left out; `clean` removes secrets from a text. */
export function readRecords(
  place: RecordsPlace,
  { now, clean }: { readonly now: number; readonly clean: (text: string) => string },
): Records {
  const { tree, folder, journal } = place;
  const entries = readJournal((journal && findText(tree, journal)) ?? "", clean);
  const forced = readForced(findText(tree, joinPath(folder, FORCED_FILE)) ?? "", clean);
  return {
    claims: readClaims(place, now, clean),
    forced: newestLast([...entries.flatMap(forcedIn), ...forced]),
    journal: entries,
    asked: readAsked(tree, journal, clean),
  };
}

/** The claims on stories of a project that are still good. Of several on one story, that which most can see comes last, and counts. */
export function readClaims(
  { tree, folder, shared, others = () => [] }: RecordsPlace,
  now: number,
  clean = (text: string): string => text,
): readonly ClaimRecord[] {
  const own = claimsIn(tree, joinPath(folder, CLAIMS_FILE), now, clean)
    .map(({ ledger, story, by, until, commit }) => ({ ledger, story, by, until, ...(commit && { commit }) }));
  if (shared === undefined) return own;
  const all = [...own, ...claimsHere(shared, now, clean)];
  const commits = new Set([...all, ...readSharedClaims(shared, now)].map(({ commit }) => commit));
  return [...all, ...others((commit) => commits.has(commit))];
}

function claimsHere(
  { project, worktree: here, tree }: SharedRecords,
  now: number,
  clean: (text: string) => string,
): readonly ClaimRecord[] {
  const base = project === "" ? "" : `${project}/`;
  const isOfProject = ({ ledger }: About) => ledger.startsWith(base);
  return claimsIn(tree, CLAIMS_FILE, now, clean).filter(isOfProject).map((
    { worktree, ledger, ...claim },
  ) => ({
    ...claim,
    ledger: ledger.slice(base.length),
    ...(worktree !== here && { place: nameOfWorktree(worktree) }),
  }));
}

export function nameOfWorktree(worktree: string): string {
  return worktree === MAIN_WORKTREE ? "the main worktree" : `worktree ${worktree}`;
}

export function readSharedClaims({ tree }: SharedRecords, now: number): readonly SharedClaim[] {
  return claimsIn(tree, CLAIMS_FILE, now);
}

/**
 * The claims in a file. None ends later than one that was made when the file last changed, so that a clock that was
 * wrong, or a record written by hand, holds no story for ever.
 */
function claimsIn(
  tree: Tree,
  path: string,
  now: number,
  clean = (text: string): string => text,
): readonly SharedClaim[] {
  const { claims } = asValues(parseJson(findText(tree, path) ?? ""));
  const latest = Math.min(now, tree.stamp(path)?.changedBy ?? now) + MAX_CLAIM_MS;
  return (Array.isArray(claims) ? claims : []).slice(-MAX_CLAIMS).map(asValues).flatMap((one) => {
    const [ledger, story, by, until, worktree = MAIN_WORKTREE, commit] = [
      "ledger",
      "story",
      "by",
      "until",
      "worktree",
      "commit",
    ].map((key) => asText(one[key]));
    const end = Math.min(Date.parse(until ?? ""), latest);
    if (ledger === undefined || story === undefined || by === undefined || !(end > now)) return [];
    return [{
      ledger: shorten(ledger, MAX_PATH),
      story: shorten(story, MAX_PATH),
      by: clean(shorten(by, MAX_OWNER)),
      until: new Date(end).toISOString(),
      worktree: shorten(worktree, MAX_OWNER),
      ...(commit && { commit }),
    }];
  });
}

function newestLast(forced: readonly ForcedRecord[]): readonly ForcedRecord[] {
  return forced.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function forcedIn(
  { did, ledger, story, at, by, from, to, reasons = [] }: JournalEntry,
): readonly ForcedRecord[] {
  return did === "force" && to !== undefined ? [{ ledger, story, at, by, from, to, reasons }] : [];
}

export function journalFor({ journal }: Records, found: StoryMatch): readonly JournalEntry[] {
  const ids = idsOf(found);
  return journal.filter((one) => ids.includes(idOf(one)));
}

export function readForced(text: string, clean = (text: string): string => text): readonly ForcedRecord[] {
  return readLines(text, MAX_FORCED, clean).flatMap(({ about, by, from, to, reasons }) =>
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
  const epics = board.epics.map((epic) => ({
    ...epic,
    stories: epic.stories.map((one) => {
      const story = { ...one, ...asking.factsOf(one) };
      const [claim, record] = [claimOn({ epic, story }), forceOn({ epic, story })];
      const isStill = record !== undefined &&
        (record.to === story.status || stateOf(record.to) === story.state);
      return {
        ...story,
        ...(claim !== undefined ? { claim: claimOf(claim) } : mayGoOn(story) && { isFree: true as const }),
        ...(isStill && { forced: { at: record.at, by: record.by, reasons: record.reasons } }),
      };
    }),
  }));
  return { ...board, epics, questions: asking.open, problems: [...board.problems, ...asking.problems] };
}
