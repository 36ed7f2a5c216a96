/**
 * A story, an epic or a retrospective gets another status; ledgers, story files and epics are reconciled. The file that
 * decides changes first, and all or none; a killed mark can be repeated.
 */
import { joinLines, type Report, textLines } from "../../../base/report.ts";
import { expectFailure, reasonOf } from "../../../base/errors.ts";
import { command, counted, oneLine, withCommand } from "../../../base/text.ts";
import { type Interruptible, runInSlices } from "../../../base/work.ts";
import { findText } from "../../../content/tree/mod.ts";
import {
  driftLines,
  epicName,
  epicRepair,
  findTarget,
  identityOf,
  lastMarkIn,
  matchesIn,
  recordedName,
  sprintEpics,
  type StoryMatch,
  storyRepair,
  type Target,
} from "../board/mod.ts";
import {
  type Board,
  elsewhereWords,
  type Epic,
  isBehind,
  isClaimOf,
  isOver,
  isSprintFile,
  nameOfHolder,
  renderEnd,
  type State,
  stateOf,
  type Story,
} from "../formats/mod.ts";
import {
  elsewhereNow,
  forget,
  heldBy,
  holderOf,
  nameOfOwner,
  note,
  recordOfForce,
  refuseElsewhere,
  refuseHeld,
  renew,
  tell,
  underWay,
} from "./claims.ts";
import { recordAccepted, recordBeginning, recordMove } from "./moves.ts";
import { type Edit, editFor, type Undone, writeAll } from "./edits.ts";
import { changedFiles, refuse, type WriteContext } from "./write_context.ts";

export interface MarkRequest {
  readonly story: string;
  readonly status: string;
  readonly by?: string;
  /** In the journal, if the request has no owner. */
  readonly noteAs?: string | undefined;
  readonly isForced?: boolean;
  readonly reason?: string;
  /** A mark that this takes back without force, unless it was changed since. */
  readonly undoes?: Undone;
  approve?(): void;
}

export type Marked = Awaited<ReturnType<typeof mark>>;

export async function mark(world: WriteContext, request: MarkRequest) {
  const { files, board, signal } = world;
  const { isForced = false } = request;
  const target = findTarget(board, request.story);
  const by = nameOfOwner(request.by);
  // What is impossible or changes nothing need not be checked; epics follow their stories.
  const isChecked = stateOf(request.status) === "done" && files.isWritable &&
    (target.story !== undefined || target.isRetrospective);
  const forced = () => runInSlices(editFor(world, target, { ...request, by, isForced: true }));
  const checked = isChecked && (await forced()).files.length > 0 ? await world.check(target) : [];
  const isExplained = stateOf(request.status) === "done" && request.reason?.trim() && files.isWritable;
  const accepted = isExplained && target.story !== undefined ? await world.accept(target.story) : [];
  const found = checked.filter(({ settledBy }) => settledBy !== "reason" || accepted.length === 0);
  if (found.length > 0 && !isForced) {
    refuse(
      `mark ${nameOf(target)} as ${oneLine(request.status)}`,
      `the check has ${counted(found.length, "finding")}`,
      {
        fixes: [found.every(({ settledBy }) => settledBy === "reason") ? "reason" : "force"],
        objections: found,
      },
    );
  }
  return await files.exclusively(async (isShared) => {
    const reasons = found.map(({ reason }) => reason);
    const match = target.story && { story: target.story, epic: target.epic };
    if (match !== undefined) await world.remote?.look();
    const holder = match && holderOf(world, match);
    // Other seats of the same person are their own.
    if (holder !== undefined && holder.by !== (by ?? request.noteAs)) {
      if (!isForced) refuseHeld(`mark ${nameOf(target)}`, holder);
      reasons.push(heldBy(holder));
    }
    const elsewhere = match && elsewhereNow(world, match);
    if (elsewhere !== undefined && isBehind(request.status, elsewhere.state)) {
      if (!isForced) refuseElsewhere(`mark ${nameOf(target)} as ${oneLine(request.status)}`, elsewhere, by);
      reasons.push(`it is ${elsewhereWords(elsewhere)}`);
    }
    const edit = await runInSlices(editOf(world, target, { ...request, by, isForced }, reasons));
    const [change] = edit.changes;
    if (change !== undefined && /^approved$/i.test(change.to)) request.approve?.();
    if (reasons.length > 0 && request.reason) reasons.push(`reason given: ${oneLine(request.reason)}`);
    const record = change === undefined || reasons.length === 0
      ? []
      : [recordOfForce(world, target, { by, reasons, from: change.from, to: change.to })];
    writeAll(files, [...record, ...edit.files]);
    const did = reasons.length > 0 ? { did: "force", reasons } as const : { did: "mark" } as const;
    const { from, to } = change ?? {};
    if (match !== undefined && accepted.length > 0) recordAccepted(world, match, accepted, isShared);
    const isStarted = match !== undefined && to !== undefined && stateOf(to) === "in-progress";
    const began = isStarted ? recordBeginning(world, match, { isHeld: holder !== undefined, isShared }) : {};
    const met = accepted.length === 0 ? {} : { accepted, reasons: [oneLine(request.reason!)] };
    const noted = change === undefined && accepted.length === 0
      ? request.noteAs === undefined ? repairJournal(world, target, by) : []
      : note(world, target, {
        ...{ by: by ?? request.noteAs, from: from ?? match?.story.status, to: to ?? match?.story.status },
        ...met,
        ...did,
        ...began,
      });
    // The mark stands.
    const settled = await settleClaim(world, target, edit, { ...request, by, isShared, isForced }).catch((
      error,
    ) => [
      `who holds it was not changed: ${reasonOf(expectFailure(error))}`,
    ]);
    return {
      key: nameOf(target),
      target,
      changes: edit.changes,
      before: holder?.by,
      files: edit.files.map(({ path }) => path),
      notes: textLines(
        accepted.length > 0 && "its changed requirements are accepted",
        edit.notes,
        noted,
        settled,
        isStarted && underWay(world, match, by),
        match !== undefined && to !== undefined && leftTo(match.story, stateOf(to)),
      ),
      // The story waits for others or is over: its owner is free.
      hasEnded: change === undefined ? isEnd(stateOf(request.status)) : hasEnded(edit),
    };
  }, signal);
}

/** Said at once, not only by the next check. */
function leftTo({ file, plan, ledger, boxes: { ticked, total } }: Story, state: State | undefined) {
  if (state !== "ready" && state !== "review") return [];
  const isBare = file === undefined && plan === undefined && isSprintFile(ledger);
  const open = total - ticked;
  return textLines(
    isBare && `it has no story file yet${state === "ready" ? "; whoever begins it writes one" : ""}`,
    state === "review" && open > 0 &&
      `${open} of ${counted(total, "box", "boxes")} ${open === 1 ? "is" : "are"} not ticked`,
  );
}

/** An earlier mark may have been killed before its entry, or failed to write it. */
function repairJournal(world: WriteContext, target: Target, by: string | undefined): readonly string[] {
  const { status: to, forced } = target.story ?? {};
  const text = world.journal && findText(world.files.tree, world.journal);
  if (to === undefined || text === undefined) return [];
  const last = lastMarkIn(text, recordedName(target));
  if (last?.to === to) return [];
  const { at = "", reasons } = forced ?? {};
  const did = at > (last?.at ?? "") ? { did: "force", reasons } as const : { did: "mark" } as const;
  return note(world, target, { by, from: last?.to, to, ...did });
}

function nameOf({ story, epic, isRetrospective }: Target): string {
  return story === undefined ? epicName(epic, isRetrospective) : identityOf(epic, story);
}

/**
 * If the rules refuse and force is given, the refusal becomes a reason. If they change no file, force makes the story
 * file agree with its ledger.
 */
function* editOf(
  world: WriteContext,
  target: Target,
  request: MarkRequest & { readonly isForced: boolean },
  reasons: string[],
): Interruptible<Edit> {
  if (request.undoes !== undefined) {
    const edit = yield* editFor(world, target, { ...request, isForced: true });
    const from = edit.changes[0]?.from;
    if (from !== undefined && from === request.undoes.changes[0]?.to) return edit;
    const hint = from === undefined ? "it was undone already" : `it is ${from} by now: somebody was faster`;
    return refuse(`undo ${nameOf(target)}`, hint);
  }
  try {
    const edit = yield* editFor(world, target, { ...request, isForced: false });
    return request.isForced && edit.files.length === 0 ? yield* editFor(world, target, request) : edit;
  } catch (error) {
    const failure = expectFailure(error);
    if (!request.isForced) throw error;
    const edit = yield* editFor(world, target, request);
    reasons.push(reasonOf(failure));
    return edit;
  }
}

function hasEnded({ changes: [change] }: Edit): boolean {
  return isEnd(change && stateOf(change.to));
}

function isEnd(state: State | undefined): boolean {
  return state === "review" || isOver(state);
}

/** A beginning claims, each mark renews, a review releases. */
async function settleClaim(
  world: WriteContext,
  { story, epic }: Target,
  edit: Edit,
  { by, undoes, isShared, isForced }:
    & Pick<MarkRequest, "by" | "undoes">
    & Readonly<Record<"isShared" | "isForced", boolean>>,
): Promise<readonly string[]> {
  if (story === undefined) return [];
  const found = { story, epic };
  const [change] = edit.changes;
  // An earlier mark may have been killed before it told anybody.
  const state = change === undefined ? story.state : stateOf(change.to);
  const isBegun = state !== undefined && (change !== undefined || isBehind("ready", state));
  const move = isBegun && isShared ? recordMove(world, found, { state, by }) : undefined;
  const holder = holderOf(world, found);
  const isHolder = holder !== undefined && isClaimOf(holder, by);
  if (hasEnded(edit) || undoes !== undefined && undoes.before === undefined) {
    const { claim, notes } = await forget(world, found, { isShared, move });
    return claim === undefined ? notes : [`${nameOfHolder(claim)} no longer holds it`, ...notes];
  }
  if (by === undefined || !isHolder && state !== "in-progress") return await tell(world, { isShared, move });
  const { claim, notes } = await renew(world, found, by, { isShared, isForced, move });
  if (claim === undefined) return ["it was marked, but not claimed: another clone was quicker"];
  if (isHolder) return notes;
  const taken = holder === undefined ? "" : `, taken from ${nameOfHolder(holder)}`;
  const noted = holder === undefined
    ? []
    : note(world, found, { did: "claim", by, reasons: [heldBy(holder)] });
  return [`${by} holds it until ${renderEnd(claim)}${taken}`, ...noted, ...notes];
}

/** A build may set the status: the story begins where it was last handed out. */
export async function noteBuilds(world: WriteContext, stories: readonly Story[]): Promise<void> {
  const head = world.files.shared?.branches.commit();
  const isMeant = ({ story }: StoryMatch) =>
    story.began !== head && stories.some(({ ledger, key }) => story.ledger === ledger && story.key === key);
  const found = head === undefined ? [] : matchesIn(world.board).filter(isMeant);
  if (found.length === 0) return;
  await world.files.exclusively((isShared) => {
    for (const one of found) {
      recordBeginning(world, one, { isHeld: holderOf(world, one) !== undefined, isShared });
    }
  }, world.signal);
}

/** Changes of state since `before`, other than by marks. */
export async function recordMoves(world: WriteContext, before: Board, by: string | undefined): Promise<void> {
  const idOf = (one: StoryMatch) => Object.values(recordedName(one)).join("\n");
  const states = new Map(matchesIn(before).map((one) => [idOf(one), one.story.state]));
  const moved = matchesIn(world.board).filter((one) => states.get(idOf(one)) !== one.story.state);
  if (moved.length === 0) return;
  await world.files.exclusively(async (isShared) => {
    if (!isShared) return;
    const earlier = new Map(matchesIn(before).map((one) => [idOf(one), one]));
    for (const one of moved.filter(({ story }) => story.state === "in-progress")) {
      const isHeld = holderOf(world, one) !== undefined;
      recordBeginning(world, earlier.get(idOf(one)) ?? one, { isHeld, isShared });
    }
    const moves = moved.map((one) => recordMove(world, one, { state: one.story.state, by }));
    // With what all of them could not tell yet.
    await tell(world, { isShared, move: moves.at(-1) });
  }, world.signal);
}

const MAX_MARKS = 500;

/** `by` is for the journal, and claims nothing. */
export async function reconcile(world: WriteContext, by?: string) {
  const { board } = world;
  const own = sprintEpics(board);
  const marked: Marked[] = [];
  const left: string[] = [];
  let more = -MAX_MARKS;
  const markAll = async (requests: readonly MarkRequest[]) => {
    for (const request of requests) {
      if (more++ >= 0) continue;
      try {
        const result = await mark(world, { ...request, noteAs: by });
        if (result.changes.length > 0 || result.files.length > 0) marked.push(result);
      } catch (error) {
        left.push(reasonOf(expectFailure(error)));
      }
    }
  };
  await markAll(board.epics.flatMap((epic) => epic.stories.flatMap((story) => storyRepair(epic, story))));
  const now = new Map(marked.flatMap(({ changes }) => changes).map(({ key, to }) => [key, stateOf(to)]));
  await markAll(own.flatMap((epic) => epicRepair(epic, now)));
  if (more > 0) left.push(`${more} more are left for another call`);
  return {
    marked,
    left: [...left, ...driftLines(board.epics.map((epic) => unsettled(epic, own.includes(epic))))],
  };
}

function unsettled(epic: Epic, isOwn: boolean): Epic {
  const stories = epic.stories.map((story) => ({
    ...story,
    drift: story.drift.filter(({ path }) => story.due === undefined || path !== story.file),
  }));
  return { ...epic, drift: isOwn ? [] : epic.drift, stories };
}

export function reportMark(
  { key, target: { story, epic: { ref, title, stories } }, changes, before, files, notes, hasEnded }: Marked,
  { git, isCommitted, journal }: {
    /** As a line begins that is for the project's repository; undefined without one. */
    readonly git: { readonly line: string | undefined } | undefined;
    readonly isCommitted: boolean;
    readonly journal?: string | undefined;
  },
): Report {
  const done = stories.filter((story) => {
    const change = changes.find((one) => one.key === story.key || one.key === story.ref);
    return (change === undefined ? story.state : stateOf(change.to)) === "done";
  }).length;
  const already = `${key} has that status already${files.length === 0 ? "" : "; its file follows"}.`;
  const total = counted(stories.length, "story is", "stories are");
  return {
    text: joinLines(
      changes.length === 0
        ? already
        : changes.map(({ key, from, to }) => `${key}: ${from ?? "none"} → ${to}`),
      changedFiles(files),
      // BMAD builds only in clean worktrees.
      git !== undefined && (hasEnded || story?.tracked !== undefined) && files.length > 0 &&
        withCommand(
          isCommitted ? "Commit" : "Commit with the story",
          command`${git} add ${{ args: textLines(files, journal) }}`,
        ),
      notes.map((note) => `Note: ${oneLine(note)}`),
      `${/^\d/.test(ref) ? `Epic ${ref}` : title}: ${done} of ${total} done.`,
    ),
    data: { story: key, changes, before, files, notes, epic: { ref, title, done, total: stories.length } },
  };
}
