/**
 * What the writer works with.
 */
import type { Found } from "../board/mod.ts";
import type { Board } from "../formats/mod.ts";
import type { ProjectFiles } from "../../files/mod.ts";

/** A project, opened for one change. */
export interface WriterWorld {
  readonly files: ProjectFiles;
  /** As it was just before. */
  readonly board: Board;
  /** The folder of v4's stories, if the project has one. */
  readonly v4?: string;
  now(): number;
  readonly signal?: AbortSignal;
  /** The story that comes next for an owner, as the ledgers are now. Fails if there is none. */
  next(by: string): Promise<Found>;
  /** What keeps a story from being done, one sentence each. */
  check(found: Found): Promise<readonly string[]>;
}
