/**
 * Takes a story for an owner, and gives it back.
 */
import { BmadError, type Fix } from "../../../base/errors.ts";
import { type ClaimRecord, findStory, type Found, identityOf, renderEnd } from "../board/mod.ts";
import { IF_MEANT, isClaimOf, isOver, nameOfHolder, questionsOf, questionWords } from "../formats/mod.ts";
import { forget, holderOf, nameOfOwner, note, renew } from "./claims.ts";
import { refuse, type WriterWorld } from "./world.ts";

/** A story to take, and who takes it. */
export interface ClaimRequest {
  /** Undefined for the one that comes next. */
  readonly story?: string;
  /** Undefined if nobody knows. */
  readonly by?: string;
  /** Whether it may be taken from its owner, or before what it waits for is done. */
  readonly isForced?: boolean;
}

/** A story to give back. */
export interface ReleaseRequest {
  readonly story: string;
  readonly by?: string;
  readonly isForced?: boolean;
}

/** Who holds a story now. */
export interface Claimed {
  readonly found: Found;
  /** Undefined for a story that was given back. */
  readonly claim?: ClaimRecord;
  /** The claim that was replaced, if another owner had it, or that was given back. */
  readonly before?: ClaimRecord;
  /** What the owner should know. */
  readonly notes?: readonly string[];
}

const MAX_TRIES = 10;

/** Takes a story from now on, also for its present owner. Fails if another owner holds it. */
export async function claim(world: WriterWorld, request: ClaimRequest): Promise<Claimed> {
  const by = nameOfOwner(
    request.by ??
      refuse("claim a story", "no owner is named, and git has no user.name", { fixes: ["owner"] }),
  );
  const named = request.story === undefined ? undefined : findStory(world.board, request.story);
  if (named !== undefined) checkClaimable(named, by, request);
  return await world.files.exclusively(async (isShared) => {
    // Of several clones, one wins each time; the others look again.
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      // Chosen here, so that two who ask at the same time get different ones.
      const found = named ?? await world.next(by);
      const before = holderOf(world, found);
      const isOthers = before !== undefined && !isClaimOf(before, by);
      if (isOthers && !request.isForced) {
        const { words, fixes = [] } = await freeFor(world, by);
        refuse(`claim ${identityOf(found.epic, found.story)}`, heldBy(before), {
          advice: `; ${words}; or force it`,
          fixes: [...fixes, "force"],
        });
      }
      if (named === undefined) world.chose(`claim ${identityOf(found.epic, found.story)}`);
      const { claim, notes: unseen } = await renew(world, found, by, {
        isShared,
        isForced: request.isForced,
      });
      if (claim === undefined) continue;
      // Claiming it again is nothing new.
      const isNew = before === undefined || isOthers;
      const noted = isNew ? note(world, found, { did: "claim", by }) : [];
      const overlap = await world.overlap(found);
      const notes = [...noted, ...unseen, ...(overlap === undefined ? [] : [overlap])];
      return { found, claim, ...(isOthers && { before }), notes };
    }
    return refuse("claim a story", "other clones were quicker each time; try again");
  }, world.signal);
}

/** What an owner can take instead, or has to do first. */
async function freeFor(
  world: WriterWorld,
  by: string,
): Promise<{ readonly words: string; readonly fixes?: readonly Fix[] }> {
  try {
    const { epic, story } = await world.next(by);
    return { words: `free for you: ${identityOf(epic, story)}` };
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    const { failure } = error;
    return failure.code === "not-allowed" && failure.fixes !== undefined
      ? { words: failure.hint, fixes: failure.fixes }
      : { words: "nothing else is free" };
  }
}

function checkClaimable({ story, epic }: Found, by: string, { isForced }: ClaimRequest): void {
  const name = identityOf(epic, story);
  const asked = questionsOf(story);
  // Whoever holds it already goes on with what does not depend on the answer.
  const isOwn = story.claim !== undefined && isClaimOf(story.claim, by);
  if (asked.length > 0 && !isForced && !isOwn) {
    refuse(`claim ${name}`, `it waits for the answer to ${questionWords(asked)}`, IF_MEANT);
  }
  if (isOver(story.state)) refuse(`claim ${name}`, `it is ${story.state}`);
  if (story.waitsFor.length > 0 && !isForced) {
    refuse(`claim ${name}`, `it waits for ${story.waitsFor.join(", ")}`, IF_MEANT);
  }
}

/** Gives a story back. Fails if another owner holds it. */
export async function release(
  world: WriterWorld,
  { story, by, isForced = false }: ReleaseRequest,
): Promise<Claimed> {
  const found = findStory(world.board, story);
  const owner = by === undefined ? undefined : nameOfOwner(by);
  return await world.files.exclusively(async (isShared) => {
    const holder = holderOf(world, found);
    if (holder === undefined) return { found };
    if (!isClaimOf(holder, owner) && !isForced) {
      refuseHeld(`release ${holder.story}`, holder);
    }
    const { claim: before, notes: unseen } = await forget(world, found, isShared);
    const deed = { did: "release", by: owner ?? holder.by } as const;
    const noted = note(world, found, deed);
    return { found, before, notes: [...noted, ...unseen] };
  }, world.signal);
}

export function refuseHeld(what: string, holder: ClaimRecord): never {
  if (holder.place !== undefined) {
    const advice = "; go on or give it back there, or force it";
    return refuse(what, heldBy(holder), { advice, fixes: ["force"] });
  }
  const advice = "; if that is you, say so; otherwise force it";
  return refuse(what, heldBy(holder), { advice, fixes: ["owner", "force"] });
}

/** `Ann holds it until 2026-11-15 14:05 UTC`. */
export function heldBy(holder: ClaimRecord): string {
  return `${nameOfHolder(holder)} holds it until ${renderEnd(holder)}`;
}
