/**
 * What the writer works with.
 */
import { fail, type FailedCheck, type Fix } from "../../../base/errors.ts";
import type { About, ClaimRecord, Found, Target } from "../board/mod.ts";
import type { Board } from "../formats/mod.ts";
import type { ProjectFiles } from "../../files/mod.ts";

/** A project, opened for one change. */
export interface WriterWorld {
  readonly files: ProjectFiles;
  readonly board: Board;
  /** The folder of v4's stories, if the project has one. */
  readonly v4?: string;
  now(): number;
  /** The path of the journal; undefined if the project has no folder for one. */
  readonly journal?: string;
  /** How long a claim is good, in milliseconds. */
  readonly claimMs: number;
  readonly signal?: AbortSignal;
  /** The claims that other clones see; undefined if ours stay here. */
  readonly remote?: RemoteClaims;
  /** Says what is about to change, where the request has left the choice to us. */
  chose(what: string): void;
  /** The story that comes next for an owner, as the ledgers are now. Fails if there is none. */
  next(by: string): Promise<Found>;
  /** A held story that changes the same files as one that is claimed, told in a sentence; undefined if there is none. */
  overlap(found: Found): Promise<string | undefined>;
  /** What keeps a story, or the retrospective of an epic, from being done. */
  check(target: Target): Promise<readonly FailedCheck[]>;
}

/** The claims of other clones, and how ours gets among them. */
export interface RemoteClaims {
  /** Who holds what in other clones, by what was seen last; `isOwn` tells which commits this clone has made. */
  others(isOwn: IsOwn): readonly ClaimRecord[];
  /** Why that may be out of date, and since when. */
  readonly problem?: string;
  /** Takes a story, which no other clone may hold unless `isForced`; `record` keeps the commit of the claim. */
  take(
    claim: ClaimRecord,
    options: { readonly isForced: boolean; readonly isOwn: IsOwn; record(commit: string): void },
  ): Promise<Taken>;
  /** Gives a story back, whoever holds it. */
  drop(about: About): Promise<Taken>;
}

/** Whether this clone has made the commit of a claim. */
export type IsOwn = (commit: string) => boolean;

/** What became of a claim among those of other clones. */
export interface Taken {
  /** Whether other clones were quicker. */
  readonly isLost?: true;
  /** Why other clones do not see it; completes "because …". */
  readonly problem?: string;
}

/** Fails because a rule forbids something; `fixes` are the ways out that the hint or the advice after it names. */
export function refuse(
  what: string,
  hint: string,
  { advice, fixes = [], objections }: {
    readonly advice?: string;
    readonly fixes?: readonly Fix[];
    readonly objections?: readonly FailedCheck[];
  } = {},
): never {
  return fail({ code: "not-allowed", what, hint, advice, fixes, ...(objections && { objections }) });
}
