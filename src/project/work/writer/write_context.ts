import { oneLine } from "../../../base/text.ts";
import { fail, type FailedCheck, failMissing, type Fix } from "../../../base/errors.ts";
import { asValues, parseJson, type Values } from "../../../base/values.ts";
import type { Seat } from "../../../base/work.ts";
import { findText, joinPath } from "../../../content/tree/mod.ts";
import type { About, ClaimRecord, Move, MovedStory, SharedClaim, StoryMatch, Target } from "../board/mod.ts";
import { type Board, isStarted, type Story } from "../formats/mod.ts";
import type { ProjectFiles } from "../../files/mod.ts";

export interface WriteContext {
  readonly files: ProjectFiles;
  readonly board: Board;
  readonly v4?: string;
  now(): number;
  /** Undefined without a folder for one. */
  readonly journal?: string;
  readonly claimMs: number;
  readonly signal?: AbortSignal;
  readonly remote?: RemoteRecords;
  /** Undefined for a person who says no more. */
  readonly seat?: Seat;
  demandForce(): void;
  chose(what: string): void;
  next(by: string): Promise<StoryMatch>;
  /** Names a held story that changes the same files. */
  overlap(found: StoryMatch): Promise<string | undefined>;
  check(target: Target): Promise<readonly FailedCheck[]>;
  /** Recorded if a story is as its changed requirements want it; nothing if none changed. */
  accept(story: Story): Promise<readonly string[]>;
  hasOpenWork?(): Promise<boolean | undefined>;
}

export interface RemoteRecords {
  /** As last seen; `isOwn` recognizes commits of this clone. */
  others(isOwn: IsOwn): readonly ClaimRecord[];
  otherMoves(isOwn: IsOwn): readonly MovedStory[];
  readonly problem?: string;
  /** Others may have gone on during the wait for the lock. */
  look(): Promise<void>;
  /** Fails with `isLost` if another clone holds it, unless forced; `record` runs before the push. */
  take(
    claim: ClaimRecord,
    options: {
      readonly isForced: boolean;
      readonly isOwn: IsOwn;
      record(commit: string): void;
      readonly news?: News;
    },
  ): Promise<RemoteOutcome>;
  tell(news: News): Promise<RemoteOutcome>;
}

export interface News {
  readonly moves?: readonly Untold<Move>[];
  /** Which an earlier push could not tell. */
  readonly claims?: readonly Untold<SharedClaim>[];
  readonly dropped?: About;
  /** As in each branch, whichever clone moved it. */
  readonly givenUp?: About;
  /** Of moves that no longer count. */
  readonly ended?: readonly string[];
}

export type Untold<T> = T & { record(commit: string): void };

type IsOwn = (commit: string) => boolean;

export interface RemoteOutcome {
  readonly isLost?: true;
  /** Taken, but not all news arrived. */
  readonly isUntold?: true;
  /** For other clones; completes "because …". */
  readonly problem?: string;
}

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

export function refuseUnwritten(what: string, { state }: Pick<Story, "state">): never {
  if (isStarted(state)) return refuse(what, `it is ${state} and has no story file: write it first`);
  return refuse(what, "it has no story file yet; whoever begins it writes one", { fixes: ["next"] });
}

export function textIn(files: Pick<ProjectFiles, "find">, path: string, what = "file"): string {
  return files.find(path) ?? failMissing(what, path);
}

export function changedFiles(paths: readonly string[]): readonly string[] {
  return paths.map((path) => `Changed: ${oneLine(path)}`);
}

/** The repository's, where worktrees share it, else the project's. */
export function openRecord({ files }: Pick<WriteContext, "files">, name: string, isShared: boolean) {
  const shared = isShared ? files.shared : undefined;
  const path = joinPath(files.records, name);
  const before = shared === undefined ? files.find(path) : findText(shared.tree, name);
  return {
    project: shared?.project ?? "",
    values: asValues(parseJson(before ?? "")),
    replace: (values: Values) => {
      const text = `${JSON.stringify(values)}\n`;
      if (shared === undefined) files.replace(path, text, before);
      else shared.replace(name, text);
    },
  };
}
