/**
 * Who holds which story: claims with an owner, which expire.
 *
 * All changes happen under the project's lock and that of its repository, so no story ever has two owners.
 */
import { BmadError, fail, reasonOf } from "../../../base/errors.ts";
import { MAX_OWNER } from "../../../base/model.ts";
import { oneLine } from "../../../base/text.ts";
import { findText, joinPath } from "../../../content/tree/mod.ts";
import {
  type About,
  type ClaimRecord,
  CLAIMS_FILE,
  type Deed,
  epicName,
  FORCED_FILE,
  type ForcedRecord,
  type Found,
  identityOf,
  MAIN_WORKTREE,
  MAX_FORCED,
  readClaims,
  readForced,
  readSharedClaims,
  recordFor,
  recordsBeside,
  type RecordsPlace,
  renderDeed,
  type SharedClaim,
  type Target,
} from "../board/mod.ts";
import type { FileEdit } from "./edits.ts";
import type { Taken, WriterWorld } from "./world.ts";

/** The name of an owner, on one line. Fails if it is empty or too long. */
export function nameOfOwner(given: string): string {
  const name = oneLine(given);
  if (name !== "" && name.length <= MAX_OWNER) return name;
  return fail({
    code: "invalid-input",
    problem: `Invalid owner: expected a name of 1 to ${MAX_OWNER} characters`,
  });
}

function placeOf({ files: { tree, records, shared }, remote }: WriterWorld): RecordsPlace {
  return { tree, folder: records, ...(shared && { shared }), ...(remote && { others: remote.others }) };
}

export function holderOf(world: WriterWorld, found: Found): ClaimRecord | undefined {
  return recordFor(readClaims(placeOf(world), world.now()))(found);
}

/** Writes the claim on a story, or that there is none, where other worktrees see it if that can be written. */
function replaceClaim(
  world: WriterWorld,
  found: Found,
  claim: ClaimRecord | undefined,
  isShared: boolean,
): void {
  const { files, now } = world;
  const { shared, tree, records } = files;
  const path = joinPath(records, CLAIMS_FILE);
  const before = files.find(path);
  const beside = recordsBeside(readClaims({ tree, folder: records }, now()), found);
  const own = claim === undefined ? [] : [claim];
  if (shared === undefined || !isShared) return files.replace(path, render([...beside, ...own]), before);
  const { project, worktree } = shared;
  const asShared = (one: ClaimRecord) => ({ ...one, ledger: joinPath(project, one.ledger), worktree });
  // The newest comes last, and counts: what was claimed before the project was in a repository comes first.
  const all = [
    ...beside.map(asShared),
    ...recordsBeside(readSharedClaims(shared, now()), found, project),
    ...own.map(asShared),
  ];
  const text = findText(shared.tree, CLAIMS_FILE);
  if (text === undefined && shared.tree.stamp(CLAIMS_FILE) !== undefined) {
    fail({
      code: "not-allowed",
      what: "change who holds a story",
      hint: `${shared.tree.location}/${CLAIMS_FILE} cannot be read: it is too large, or no text. Delete it`,
    });
  }
  shared.replace(CLAIMS_FILE, render(all), text);
  if (before !== undefined) files.replace(path, undefined, before);
}

/** What fits into a file that is read again; the oldest go first. */
const MAX_WRITTEN = 4 << 20;

function render(claims: readonly (ClaimRecord | SharedClaim)[]): string {
  const text = `${JSON.stringify({ claims }, null, 2)}\n`;
  return text.length <= MAX_WRITTEN ? text : render(claims.slice(Math.ceil(claims.length / 2)));
}

/** A claim that was made or given back, and who does not see that. */
export interface ChangedClaim {
  /** Undefined if another clone was quicker, or if nobody held the story. */
  readonly claim?: ClaimRecord;
  readonly notes: readonly string[];
}

/** Gives a story to an owner, here, for as long as claims are good. The other clones decide; then this one follows. */
export async function renew(
  world: WriterWorld,
  found: Found,
  by: string,
  { isShared, isForced = false }: { readonly isShared: boolean; readonly isForced?: boolean },
): Promise<ChangedClaim> {
  const until = new Date(world.now() + world.claimMs).toISOString();
  const claim: ClaimRecord = { ...aboutOf(found), by, until };
  const before = recordFor(readClaims({ ...placeOf(world), others: () => [] }, world.now()))(found);
  const commits = new Set(before?.commit === undefined ? [] : [before.commit]);
  const taken = await world.remote?.take(claim, {
    isForced,
    isOwn: (commit) => commits.has(commit),
    record: (commit) => {
      commits.add(commit);
      replaceClaim(world, found, { ...claim, commit }, isShared);
    },
  });
  if (taken?.isLost) {
    if (commits.size > 0) {
      replaceClaim(world, found, before?.place === undefined ? before : undefined, isShared);
    }
    return { notes: [] };
  }
  const isRecorded = taken !== undefined && taken.problem === undefined;
  if (!isRecorded) replaceClaim(world, found, claim, isShared);
  return { claim, notes: unseen(world, isShared, taken) };
}

/** Takes a story from its owner. */
export async function forget(world: WriterWorld, found: Found, isShared: boolean): Promise<ChangedClaim> {
  const holder = holderOf(world, found);
  if (holder === undefined) return { notes: [] };
  replaceClaim(world, found, undefined, isShared);
  const dropped = await world.remote?.drop(aboutOf(found));
  return { claim: holder, notes: unseen(world, isShared, dropped) };
}

/** Who does not see a change that they should see, and why. */
function unseen({ files }: WriterWorld, isShared: boolean, { problem }: Taken = {}): readonly string[] {
  return [
    ...(files.shared === undefined || isShared
      ? []
      : ["other worktrees do not see it, because the repository's own folder cannot be written"]),
    ...(problem === undefined ? [] : [`other clones do not see it, because ${problem}`]),
  ];
}

/** What a record about a story or an epic names it by. */
export function aboutOf({ epic, story }: Pick<Target, "epic" | "story">): About {
  return {
    ledger: epic.ledger,
    story: story === undefined ? epicName(epic) : identityOf(epic, story),
  };
}

/** Adds what was done to the project's journal, where one is kept; says so if that fails, since it is done all the same. */
export function note(
  { files, now, journal }: WriterWorld,
  target: Pick<Target, "epic" | "story"> | About,
  deed: Omit<Deed, "at" | "worktree" | keyof About>,
): readonly string[] {
  if (journal === undefined) return [];
  const worktree = files.shared?.worktree;
  const line = renderDeed({
    at: new Date(now()).toISOString(),
    ...("epic" in target ? aboutOf(target) : target),
    ...deed,
    ...(worktree !== undefined && worktree !== MAIN_WORKTREE && { worktree }),
  });
  try {
    files.append(journal, line);
    return [];
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return [`it is not in the journal: ${reasonOf(error.failure)}`];
  }
}

/** The record of a forced status and of the findings against it. Nobody sees it before the status has changed. */
export function recordOfForce(
  { files, now }: WriterWorld,
  target: Target,
  record: Pick<ForcedRecord, "by" | "from" | "to" | "reasons">,
): FileEdit {
  const path = joinPath(files.records, FORCED_FILE);
  const before = files.find(path);
  const line = { at: new Date(now()).toISOString(), ...aboutOf(target), ...record };
  const kept = readForced(before ?? "").slice(1 - MAX_FORCED);
  return { path, before, text: [...kept, line].map((one) => `${JSON.stringify(one)}\n`).join("") };
}
