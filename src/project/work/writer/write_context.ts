import { oneLine } from "../../../base/text.ts";
import { fail, type FailedCheck, failMissing, type Fix } from "../../../base/errors.ts";
import { asValues, parseJson, type Values } from "../../../base/values.ts";
import type { Seat } from "../../../base/work.ts";
import { findText, joinPath } from "../../../content/tree/mod.ts";
import type { About, ClaimRecord, Move, MovedStory, StoryMatch, Target } from "../board/mod.ts";
import type { Board, Story } from "../formats/mod.ts";
import type { ProjectFiles } from "../../files/mod.ts";

export interface WriteContext {
  readonly files: ProjectFiles;
  readonly board: Board;
  readonly v4?: string;
  now(): number;
  /** Undefined if the project has no folder for one. */
  readonly journal?: string;
  readonly claimMs: number;
  readonly signal?: AbortSignal;
  readonly remote?: RemoteRecords;
  /** Where the request comes from; undefined for a person who says no more. */
  readonly seat?: Seat;
  /** Fails if whoever asks may not act against others. */
  demandForce(): void;
  /** Names the target in the record of changes, if the request left the choice to us. */
  chose(what: string): void;
  next(by: string): Promise<StoryMatch>;
  /** A sentence that names a held story that changes the same files. */
  overlap(found: StoryMatch): Promise<string | undefined>;
  check(target: Target): Promise<readonly FailedCheck[]>;
  /** What is to be recorded if a story is as its changed requirements want it; nothing if none has changed. */
  accept(story: Story): Promise<readonly string[]>;
  /** Whether changes besides the records are left to commit, if that is known. */
  hasOpenWork?(): Promise<boolean | undefined>;
}

export interface RemoteRecords {
  /** The claims of other clones as last seen; `isOwn` recognizes commits that this clone has made. */
  others(isOwn: IsOwn): readonly ClaimRecord[];
  otherMoves(isOwn: IsOwn): readonly MovedStory[];
  /** Why that may be out of date, and since when. */
  readonly problem?: string;
  /** Under the lock: others may have gone on while this call waited for it. */
  look(): Promise<void>;
  /** Fails with `isLost` if another clone holds it, unless forced; `record` stores the commit before the push. */
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

/** What other clones should know, beside a claim that is taken. */
export interface News {
  readonly moves?: readonly (Move & { record(commit: string): void })[];
  /** A claim that ends. */
  readonly dropped?: About;
  /** A story that is as it is in each branch, whichever clone moved it. */
  readonly givenUp?: About;
  /** The commits of moves that no longer count. */
  readonly ended?: readonly string[];
}

type IsOwn = (commit: string) => boolean;

export interface RemoteOutcome {
  readonly isLost?: true;
  /** The claim was taken, but not all news arrived. */
  readonly isUntold?: true;
  /** Why other clones cannot see it; completes "because …". */
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

export function textIn(files: Pick<ProjectFiles, "find">, path: string, what = "file"): string {
  return files.find(path) ?? failMissing(what, path);
}

export function changedFiles(paths: readonly string[]): readonly string[] {
  return paths.map((path) => `Changed: ${oneLine(path)}`);
}

/** A file of records: the repository's, where its worktrees share them, else the project's. */
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
