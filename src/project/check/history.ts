/**
 * The commits of a project as plain data, the newest first.
 */

/** What a commit did to a file. */
export interface Change {
  readonly path: string;
  readonly kind: "added" | "changed" | "deleted";
  /** The hash of the file's new content; of zeros where there is none. */
  readonly hash: string;
}

/** One commit. */
export interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly subject: string;
  readonly changes: readonly Change[];
}

/** The commits that lead to the present one. */
export interface History {
  readonly commits: readonly Commit[];
  /** Whether older commits were left out. */
  readonly isCut: boolean;
}
