/**
 * Gives a story, an epic or a retrospective another status, in whatever ledger it is kept.
 *
 * The files are read again under the project's lock, and the file that decides changes first. If one of them cannot be
 * written, none is changed. A mark that was killed in the middle can be repeated: it does what is left.
 */
import { BmadError, reasonOf } from "../../../base/errors.ts";
import { counted, oneLine } from "../../../base/text.ts";
import { inTurns, type Steps } from "../../../base/work.ts";
import { epicName, findTarget, type Found, identityOf, renderEnd, type Target } from "../board/mod.ts";
import { isClaimOf, isOver, nameOfHolder, stateOf } from "../formats/mod.ts";
import { forget, holderOf, nameOfOwner, note, recordOfForce, renew } from "./claims.ts";
import { heldBy, refuseHeld } from "./claim.ts";
import { type Edit, editFor } from "./edits.ts";
import { refuse, type WriterWorld } from "./world.ts";
import { writeAll } from "./write_all.ts";

/** A story's new status. */
export interface MarkRequest {
  /** The name of a story, an epic or a retrospective. */
  readonly story: string;
  /** As BMAD or a person calls it. */
  readonly status: string;
  readonly by?: string;
  /** Who is named in the journal, if nobody marks as an owner. */
  readonly noteAs?: string | undefined;
  /** Whether it may go back, and be set although another owner holds the story or the check has findings. */
  readonly isForced?: boolean;
  /** Why it is forced, in the words of whoever does it: recorded with the findings. */
  readonly reason?: string;
  /** The status that this takes back: it may go back without force, as long as nobody has changed it since. */
  readonly undoes?: string;
  /** Fails unless whoever marks may approve a draft. */
  approve?(): void;
}

/** What a mark has done. */
export interface Marked {
  readonly key: string;
  readonly target: Target;
  readonly changes: Edit["changes"];
  readonly files: readonly string[];
  readonly notes: readonly string[];
  /** Whether it now waits for others or is over, so that whoever has marked it is free for the next piece of work. */
  readonly hasEnded: boolean;
}

/** Marks. Fails, with nothing changed, where a rule forbids it and it is not forced. */
export async function mark(world: WriterWorld, request: MarkRequest): Promise<Marked> {
  const { files, board, signal } = world;
  const { isForced = false } = request;
  const target = findTarget(board, request.story);
  const by = request.by === undefined ? undefined : nameOfOwner(request.by);
  // What cannot be done at all, or changes nothing, need not be checked.
  const isChange = files.isWritable &&
    (await inTurns(editFor(world, target, { status: request.status, by, isForced: true }))).files.length > 0;
  // What an epic needs, its stories say.
  const isChecked = target.story !== undefined || target.isRetrospective;
  const found = isChange && isChecked && stateOf(request.status) === "done" ? await world.check(target) : [];
  if (found.length > 0 && !isForced) {
    refuse(
      `mark ${nameOf(target)} as ${oneLine(request.status)}`,
      `the check has ${counted(found.length, "finding")}`,
      { advice: "\nOr force it, which is recorded", fixes: ["force"], objections: found },
    );
  }
  return await files.exclusively(async (isShared) => {
    const reasons = found.map(({ reason }) => reason);
    const holder = target.story && holderOf(world, { story: target.story, epic: target.epic });
    if (holder !== undefined && !isClaimOf(holder, by)) {
      if (!isForced) refuseHeld(`mark ${nameOf(target)}`, holder);
      reasons.push(heldBy(holder));
    }
    const edit = await inTurns(editOf(world, target, { ...request, by, isForced }, reasons));
    const [change] = edit.changes;
    if (change !== undefined && /^approved$/i.test(change.to)) request.approve?.();
    if (reasons.length > 0 && request.reason) reasons.push(`reason given: ${oneLine(request.reason)}`);
    const record = change === undefined || reasons.length === 0
      ? []
      : [recordOfForce(world, target, { by, reasons, from: change.from, to: change.to })];
    writeAll(files, [...record, ...edit.files]);
    const isForce = reasons.length > 0;
    const noted = change === undefined ? [] : note(world, target, {
      did: isForce ? "force" : "mark",
      by: by ?? request.noteAs,
      from: change.from,
      to: change.to,
      ...(isForce && { reasons }),
    });
    const notes = [
      ...edit.notes,
      ...noted,
      ...target.story === undefined
        ? []
        : await claimNotes(() => settleClaim(world, target as Found, edit, { by, isShared, isForced })),
    ];
    return {
      key: nameOf(target),
      target,
      changes: edit.changes,
      files: edit.files.map(({ path }) => path),
      notes,
      hasEnded: hasEnded(edit),
    };
  }, signal);
}

/** `1-2-login`, `epic-1`, `epic-1-retrospective`. */
function nameOf({ story, epic, isRetrospective }: Target): string {
  if (story !== undefined) return identityOf(epic, story);
  return epicName(epic, isRetrospective);
}

/**
 * The edit by the rules; if that is refused and forced, the edit without them, and the refusal as a reason. Where the
 * rules leave all files as they are, force has a file go back to what its ledger says.
 */
function* editOf(
  world: WriterWorld,
  target: Target,
  request: MarkRequest & { readonly isForced: boolean },
  reasons: string[],
): Steps<Edit> {
  if (request.undoes !== undefined) return yield* undoingEdit(world, target, request, request.undoes);
  try {
    const edit = yield* editFor(world, target, { ...request, isForced: false });
    return request.isForced && edit.files.length === 0 ? yield* editFor(world, target, request) : edit;
  } catch (error) {
    if (!request.isForced || !(error instanceof BmadError)) throw error;
    const edit = yield* editFor(world, target, request);
    reasons.push(reasonOf(error.failure));
    return edit;
  }
}

/** The edit that takes a status back, which is no step back. */
function* undoingEdit(world: WriterWorld, target: Target, request: MarkRequest, undone: string): Steps<Edit> {
  const edit = yield* editFor(world, target, { ...request, isForced: true });
  const from = edit.changes[0]?.from;
  if (from === undone) return edit;
  const hint = from === undefined ? "it was undone already" : `it is ${from} by now: somebody was faster`;
  return refuse(`undo ${nameOf(target)}`, hint);
}

function hasEnded({ changes: [change] }: Edit): boolean {
  const state = change && stateOf(change.to);
  return state === "review" || isOver(state);
}

/** What was marked stays marked, whatever becomes of the claim. */
async function claimNotes(settle: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await settle();
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return [`who holds it was not changed: ${reasonOf(error.failure)}`];
  }
}

/** Marking a story as begun claims it, and each mark renews the claim; a story in review is free again. */
async function settleClaim(
  world: WriterWorld,
  found: Found,
  edit: Edit,
  { by, isShared, isForced }: {
    readonly by: string | undefined;
    readonly isShared: boolean;
    readonly isForced: boolean;
  },
): Promise<readonly string[]> {
  if (hasEnded(edit)) {
    const { claim: holder, notes } = await forget(world, found, isShared);
    return holder === undefined ? [] : [`${nameOfHolder(holder)} no longer holds it`, ...notes];
  }
  const holder = holderOf(world, found);
  const isHolder = holder !== undefined && isClaimOf(holder, by);
  const [change] = edit.changes;
  const isBegun = change !== undefined && stateOf(change.to) === "in-progress";
  if (by === undefined || !isHolder && !isBegun) return [];
  const { claim, notes } = await renew(world, found, by, { isShared, isForced });
  if (claim === undefined) return ["it was marked, but not claimed: another clone was quicker"];
  return isHolder ? notes : [`${by} holds it until ${renderEnd(claim)}`, ...notes];
}
