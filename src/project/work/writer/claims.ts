/** Claims, renews and releases stories under the locks of the project and its repository: one owner each. */
import { joinLines, type Report, textLines } from "../../../base/report.ts";
import { expectFailure, failInput, type Fix, reasonOf } from "../../../base/errors.ts";
import { MAX_OWNER } from "../../../base/model.ts";
import { abbreviateList, oneLine } from "../../../base/text.ts";
import { renderDuration } from "../../../base/time.ts";
import type { Seat } from "../../../base/work.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type About,
  type ClaimRecord,
  CLAIMS_FILE,
  type ClaimSeat,
  claimsIn,
  elsewhereFor,
  findStory,
  FORCED_FILE,
  type ForcedRecord,
  identityOf,
  type JournalEntry,
  MAIN_WORKTREE,
  matchesIn,
  readClaims,
  readForced,
  readMoves,
  recordedName,
  recordFor,
  recordsBeside,
  type RecordsPlace,
  type StoryMatch,
  type Target,
} from "../board/mod.ts";
import {
  type Elsewhere,
  elsewhereWords,
  IF_MEANT,
  isClaimOf,
  isOver,
  isStarted,
  nameOfHolder,
  othersUnderWay,
  questionsOf,
  questionWords,
  renderEnd,
} from "../formats/mod.ts";
import type { FileEdit } from "./edits.ts";
import { recordBeginning, recordMove, renderClaims, type Telling, untoldNews } from "./moves.ts";
import { refuse, type RemoteOutcome, type WriteContext } from "./write_context.ts";

export interface ClaimRequest {
  readonly story?: string;
  readonly by?: string;
  readonly isForced?: boolean;
}

export type ReleaseRequest = ClaimRequest & { readonly story: string };

interface Claimed extends ChangedClaim {
  readonly found: StoryMatch;
  readonly before?: ClaimRecord;
}

export async function claim(world: WriteContext, request: ClaimRequest): Promise<Claimed> {
  const by = nameOfOwner(request.by) ??
    refuse("claim a story", "no owner is named, and git has no user.name", { fixes: ["owner"] });
  const named = request.story === undefined ? undefined : findStory(world.board, request.story);
  if (named !== undefined) checkClaimable(world, named, by, request);
  // Refused at once, it makes no folder of records.
  else if (world.files.tree.stat(world.files.records) === undefined) await world.next(by);
  return await world.files.exclusively(async (isShared) => {
    await world.remote?.look();
    // One clone wins each time; the others look again.
    for (let tries = 0; tries < LIMITS.claims.tries; tries++) {
      // Inside the lock, so that two who ask get different stories.
      const found = named ?? await world.next(by);
      const given = named === undefined ? [] : checkClaimable(world, named, by, request);
      const what = `claim ${identityOf(found.epic, found.story)}`;
      const holder = holderOf(world, found);
      const isOwn = holder !== undefined && isClaimOf(holder, by);
      if (holder !== undefined && !isOwn) {
        if (!request.isForced) {
          const { hint, fixes = [] } = await freeFor(world, by);
          const held = holder.by === by ? heldByYou(holder, world.now()) : heldBy(holder);
          const force = holder.by === by ? "force" : "overrule";
          refuse(what, held, { advice: `; ${hint}`, fixes: [...fixes, force] });
        }
        if (holder.by !== by) world.demandForce();
      }
      if (named === undefined) world.chose(what);
      const { claim, notes } = await renew(world, found, by, { isShared, isForced: request.isForced });
      if (claim === undefined) continue;
      const began = recordBeginning(world, found, { isHeld: holder !== undefined, isShared });
      // Renewing is not worth an entry.
      const forced = holder === undefined ? given : [...given, heldBy(holder)];
      const noted = !isOwn && note(world, found, { did: "claim", by, ...forcedFor(forced), ...began });
      const told = textLines(noted, notes, await world.overlap(found), underWay(world, found, by));
      return { found, claim, before: isOwn ? undefined : holder, notes: told };
    }
    return refuse("claim a story", "other clones were quicker each time; try again");
  }, world.signal);
}

/** Nobody's, or the same person's, in progress already. */
export function underWay(
  { board }: WriteContext,
  { story }: StoryMatch,
  by: string | undefined,
): string | undefined {
  const others = isStarted(story.state)
    ? []
    : othersUnderWay([board], [story]).filter(({ claim }) => claim === undefined || claim.by === by);
  if (others.length === 0) return undefined;
  return `${abbreviateList(others.map(({ ref }) => ref))} ${
    others.length === 1 ? "is" : "are"
  } in progress, too`;
}

async function freeFor(
  world: WriteContext,
  by: string,
): Promise<{ readonly hint: string; readonly fixes?: readonly Fix[] }> {
  try {
    const { epic, story } = await world.next(by);
    return { hint: `free for you: ${identityOf(epic, story)}` };
  } catch (error) {
    const failure = expectFailure(error);
    return "fixes" in failure && failure.fixes ? failure : { hint: "nothing else is free" };
  }
}

/** Without reasons, nothing was forced. */
function forcedFor(reasons: readonly string[]): Pick<JournalEntry, "forced" | "reasons"> {
  return reasons.length === 0 ? {} : { forced: true, reasons };
}

function checkClaimable(
  world: WriteContext,
  found: StoryMatch,
  by: string,
  { isForced }: ClaimRequest,
): readonly string[] {
  const { story, epic } = found;
  const name = identityOf(epic, story);
  const [elsewhere, holder] = [elsewhereNow(world, found), holderOf(world, found)];
  const asked = questionsOf(story);
  // An owner may go on with what does not depend on the answer.
  const isOwn = holder !== undefined && isClaimOf(holder, by);
  if (isOver(story.state)) refuse(`claim ${name}`, `it is ${story.state}`);
  const isElsewhere = elsewhere !== undefined && !isOwn;
  if (isElsewhere && !isForced) refuseElsewhere(`claim ${name}`, elsewhere, by);
  if (isElsewhere && elsewhere.by !== by) world.demandForce();
  const reasons = textLines(
    isElsewhere && `it is ${elsewhereWords(elsewhere)}`,
    asked.length > 0 && !isOwn && `it waits for the answer to ${questionWords(asked)}`,
    story.waitsFor.length > 0 && `it waits for ${story.waitsFor.join(", ")}`,
  );
  return reasons.length === 0 || isForced ? reasons : refuse(`claim ${name}`, reasons[0]!, IF_MEANT);
}

export function refuseElsewhere(what: string, elsewhere: Elsewhere, by: string | undefined): never {
  return refuse(what, `it is ${elsewhereWords(elsewhere)}`, {
    advice: elsewhere.problem === undefined ? "; go on there" : "; release it",
    fixes: [elsewhere.by === by ? "force" : "overrule"],
  });
}

export async function release(
  world: WriteContext,
  { story, by, isForced = false }: ReleaseRequest,
): Promise<Claimed> {
  const found = findStory(world.board, story);
  const owner = nameOfOwner(by);
  return await world.files.exclusively(async (isShared) => {
    const holder = holderOf(world, found);
    const elsewhere = elsewhereNow(world, found);
    const what = `release ${identityOf(found.epic, found.story)}`;
    const forced: string[] = [];
    if (holder !== undefined && holder.by !== owner) {
      if (!isForced) refuseHeld(what, holder);
      world.demandForce();
      forced.push(heldBy(holder));
    }
    // Giving up what may wait on a branch must be meant, even by whoever moved it.
    const isGivenUp = holder === undefined && elsewhere !== undefined;
    if (isGivenUp && elsewhere.problem === undefined) {
      if (!isForced) refuseElsewhere(what, elsewhere, owner);
      if (elsewhere.by !== owner) world.demandForce();
      forced.push(`it is ${elsewhereWords(elsewhere)}`);
    }
    if (holder === undefined && !isGivenUp) return { found, notes: await tell(world, { isShared }) };
    // Work without a mark is known at the latest when the story is given back.
    const { state: own } = found.story;
    const state = !isGivenUp && (isStarted(own) || isOver(own)) ? own : undefined;
    const move = isShared && (isGivenUp || state !== undefined)
      ? recordMove(world, found, { state, by: owner })
      : undefined;
    const { claim: before, notes: unseen } = await forget(world, found, { isShared, move });
    const noted = note(world, found, { did: "release", by: owner ?? holder?.by, ...forcedFor(forced) });
    const given = isGivenUp ? [`it no longer counts that it is ${elsewhereWords(elsewhere)}`] : [];
    return { found, before, notes: [...given, ...noted, ...unseen] };
  }, world.signal);
}

export function refuseHeld(what: string, holder: ClaimRecord): never {
  return refuse(
    what,
    heldBy(holder),
    holder.place === undefined
      ? { fixes: ["self", "overrule"] }
      : { advice: "; go on or give it back there", fixes: ["overrule"] },
  );
}

function heldByYou(holder: ClaimRecord, now: number): string {
  const { place, active } = holder;
  const sign = active === undefined ? "" : `, last active ${renderDuration(now - Date.parse(active))} ago`;
  return `you hold it in ${place} until ${renderEnd(holder)}${sign}`;
}

export function heldBy(holder: ClaimRecord): string {
  return `${nameOfHolder(holder)} holds it until ${renderEnd(holder)}`;
}

export function nameOfOwner(given: string | undefined): string | undefined {
  const name = given === undefined ? undefined : oneLine(given);
  if (name === undefined || name !== "" && name.length <= MAX_OWNER) return name;
  return failInput(`Invalid owner: expected a name of 1 to ${MAX_OWNER} characters`);
}

function placeOf({ files: { tree, records, shared, seats }, remote, seat }: WriteContext): RecordsPlace {
  return { tree, folder: records, shared, others: remote?.others, seat, findSeat: seats.find };
}

export function holderOf(world: WriteContext, found: StoryMatch): ClaimRecord | undefined {
  return recordFor(readClaims(placeOf(world), world.now()))(found);
}

/** Another program may have moved it since the board was read. */
export function elsewhereNow({ files: { shared }, remote }: WriteContext, found: StoryMatch) {
  return elsewhereFor(readMoves({ shared, otherMoves: remote?.otherMoves }), found);
}

function replaceClaim(
  world: WriteContext,
  found: StoryMatch,
  claim: ClaimRecord | undefined,
  isShared: boolean,
): void {
  const { files, now } = world;
  const { shared, tree, records } = files;
  const path = joinPath(records, CLAIMS_FILE);
  const before = files.find(path);
  const beside = recordsBeside(readClaims({ tree, folder: records }, now()), found);
  const own = claim === undefined ? [] : [claim];
  if (shared === undefined || !isShared) {
    return files.replace(path, renderClaims([...beside, ...own]), before);
  }
  const { project, worktree } = shared;
  const asShared = (one: ClaimRecord) => ({ ...one, ledger: joinPath(project, one.ledger), worktree });
  // The last counts: those from before there was a repository come first.
  const all = [
    ...beside.map(asShared),
    ...recordsBeside(claimsIn(shared.tree, CLAIMS_FILE, now()), found, project),
    ...own.map(asShared),
  ];
  shared.replace(CLAIMS_FILE, renderClaims(all));
  if (before !== undefined) files.replace(path, undefined, before);
}

interface ChangedClaim {
  /** Undefined if another clone was quicker, or without a claim. */
  readonly claim?: ClaimRecord;
  readonly notes: readonly string[];
}

export async function renew(
  world: WriteContext,
  found: StoryMatch,
  by: string,
  { isShared, isForced = false, move: given }: Changing & { readonly isForced?: boolean },
): Promise<ChangedClaim> {
  const move = given ?? (isShared ? untoldNews(world) : undefined);
  const { seat } = world;
  const [at, until] = [0, world.claimMs].map((ms) => new Date(world.now() + ms).toISOString());
  const all = readClaims({ ...placeOf(world), others: () => [] }, world.now());
  const claim: ClaimRecord = {
    ...recordedName(found),
    by,
    until: until!,
    at,
    ...(seat !== undefined && { seat: namedSeat(seat, by, all) }),
  };
  if (seat !== undefined) await world.files.seats.begin(seat);
  const before = recordFor(all)(found);
  const pushed = new Set(before?.commits);
  const known = pushed.size;
  const recorded = (more: Pick<ClaimRecord, "isUntold">): ClaimRecord =>
    pushed.size === 0 ? { ...claim, ...more } : { ...claim, commits: [...pushed], ...more };
  const taken = await world.remote?.take(claim, {
    isForced,
    isOwn: (commit) => pushed.has(commit),
    record: (commit) => {
      pushed.add(commit);
      replaceClaim(world, found, recorded({ isUntold: true }), isShared);
    },
    news: move?.news,
  });
  if (taken?.isLost) {
    if (pushed.size > known) {
      replaceClaim(world, found, before?.place === undefined ? before : undefined, isShared);
    }
    return { notes: [] };
  }
  const isTaken = taken !== undefined && taken.problem === undefined;
  const lost = isTaken && !taken.isUntold && move?.told();
  // A failed push may have arrived: then the remote has one of these commits.
  replaceClaim(world, found, recorded(isTaken || !world.remote ? {} : { isUntold: true }), isShared);
  return { claim, notes: textLines(lost, visibilityNotes(world, isShared, taken)) };
}

/** A person's seats in one client are numbered as they begin. */
function namedSeat({ client, ...seat }: Seat, by: string, claims: readonly ClaimRecord[]): ClaimSeat {
  const own = claims.flatMap((one) =>
    one.by === by && one.seat !== undefined && !one.isLeft ? [one.seat] : []
  );
  const known = own.find((one) => one.id === seat.id);
  const names = new Set(own.map(({ name }) => name));
  let name = client;
  for (let number = 2; names.has(name); number++) name = `${client} ${number}`;
  return { ...seat, name: known?.name ?? name };
}

export async function endClaims(world: WriteContext, isKnown: (token: string) => boolean): Promise<void> {
  const isEnded = ({ seat }: ClaimRecord) => seat?.token !== undefined && !isKnown(seat.token);
  const ended = () => readClaims({ ...placeOf(world), others: undefined }, world.now()).filter(isEnded);
  if (ended().length === 0) return;
  await world.files.exclusively(async (isShared) => {
    for (const claim of ended()) {
      const found = matchesIn(world.board).find(recordFor([claim]));
      if (found === undefined) continue;
      await forget(world, found, { isShared });
      note(world, found, { did: "release", by: claim.by, reasons: ["the token was revoked"] });
    }
  }, world.signal);
}

interface Changing {
  readonly isShared: boolean;
  readonly move?: Telling;
}

export async function forget(
  world: WriteContext,
  found: StoryMatch,
  { isShared, move }: Changing,
): Promise<ChangedClaim> {
  const holder = holderOf(world, found);
  if (holder === undefined && move === undefined) return { notes: [] };
  if (holder !== undefined) replaceClaim(world, found, undefined, isShared);
  const dropped = holder && recordedName(found);
  return { claim: holder, notes: await tell(world, { isShared, move }, dropped) };
}

/** Returns why other clones were not told. */
export async function tell(
  world: WriteContext,
  { isShared, move }: Changing,
  dropped?: About,
): Promise<readonly string[]> {
  const telling = move ?? (isShared ? untoldNews(world) : undefined);
  const told = await world.remote?.tell({ ...telling?.news, ...(dropped && { dropped }) });
  const lost = told !== undefined && told.problem === undefined && telling?.told();
  const isNews = move !== undefined || dropped !== undefined;
  return textLines(lost, isNews && visibilityNotes(world, isShared, told));
}

function visibilityNotes(
  { files }: WriteContext,
  isShared: boolean,
  { problem }: RemoteOutcome = {},
): readonly string[] {
  return textLines(
    files.shared !== undefined && !isShared &&
      "other worktrees do not see it, because the repository's own folder cannot be written",
    problem && `other clones do not see it, because ${problem}`,
  );
}

/** If the project keeps one. The change stands, so a failure is only noted. */
export function note(
  { files, now, journal }: WriteContext,
  target: Pick<Target, "epic" | "story"> | About,
  entry: Omit<JournalEntry, "at" | "worktree" | keyof About>,
): readonly string[] {
  if (journal === undefined) return [];
  const worktree = files.shared?.worktree;
  const line: JournalEntry = {
    at: new Date(now()).toISOString(),
    ...("epic" in target ? recordedName(target) : target),
    ...entry,
    ...(worktree !== undefined && worktree !== MAIN_WORKTREE && { worktree }),
  };
  try {
    files.append(journal, `${JSON.stringify(line)}\n`);
    return [];
  } catch (error) {
    return [`it is not in the journal: ${reasonOf(expectFailure(error))}`];
  }
}

/** Before the status, so that no forced one lacks its record. */
export function recordOfForce(
  { files, now }: WriteContext,
  target: Target,
  record: Pick<ForcedRecord, "by" | "from" | "to" | "reasons">,
): FileEdit {
  const path = joinPath(files.records, FORCED_FILE);
  const before = files.find(path);
  const line = { at: new Date(now()).toISOString(), ...recordedName(target), ...record };
  const kept = readForced(before ?? "").slice(1 - LIMITS.board.forced);
  return { path, before, text: [...kept, line].map((one) => `${JSON.stringify(one)}\n`).join("") };
}

export function reportClaim({ found: { story, epic }, claim, before, notes }: Claimed): Report {
  const name = identityOf(epic, story);
  const earlier = before && nameOfHolder(before);
  const text = claim !== undefined
    ? `${claim.by} holds ${name} until ${renderEnd(claim)}${earlier ? `, taken from ${earlier}` : ""}.`
    : earlier === undefined
    ? `${name} has no owner.`
    : `${earlier} no longer holds ${name}.`;
  return {
    text: joinLines(text, notes.map((note) => `Note: ${note}.`)),
    data: { story: name, title: story.title, by: claim?.by, until: claim?.until, before: before?.by, notes },
  };
}
