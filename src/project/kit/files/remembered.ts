/**
 * What agents were told to remember, as the readers of the kit's files show it beside them.
 *
 * Where memories are kept is left to the caller. If they cannot be read, the answer still has what the files
 * say, and the reason.
 */
import { splitLines } from "../../../base/text.ts";
import { BmadError } from "../../../base/errors.ts";
import type { MemoryType } from "../../../base/model.ts";
import { type Clock, pause, type Work } from "../../../base/work.ts";
import type { Cleaner } from "./project_folder.ts";

/** One memory. */
export interface Remembered {
  readonly type: MemoryType;
  readonly agent: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly createdAt: string;
}

/** Finds memories, the newest first. */
export type FindRemembered = (
  filter: { readonly type?: MemoryType; readonly agent?: string; readonly aliases?: readonly string[] },
) => Promise<readonly Remembered[]>;

/** What reading them needs. */
export interface RememberTools extends Pick<Clock, "after">, Pick<Work, "signal"> {
  readonly clean: Cleaner;
}

export interface RememberedPart {
  readonly memories: readonly Remembered[];
  /** Why they cannot be read. */
  readonly problem?: string;
}

/** Reads memories without failing. */
export type ReadRemembered = (filter: Parameters<FindRemembered>[0]) => Promise<RememberedPart>;

/** A server that takes longer must not keep the files from being shown. */
const LIMIT_MS = 3_000;

export async function readRemembered(
  find: FindRemembered,
  filter: Parameters<FindRemembered>[0],
  { clean, after, signal }: RememberTools,
): Promise<RememberedPart> {
  const done = new AbortController();
  try {
    const late = pause(LIMIT_MS, AbortSignal.any([done.signal, ...signal === undefined ? [] : [signal]]), {
      after,
    });
    const found = await Promise.race([find(filter), late]);
    signal?.throwIfAborted();
    if (found === undefined) {
      return { memories: [], problem: "Memories cannot be shown: they take too long to read" };
    }
    return { memories: found.map((memory) => ({ ...memory, text: clean.text(memory.text) })) };
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return { memories: [], problem: `Memories cannot be shown: ${error.message}` };
  } finally {
    done.abort();
  }
}

/** The day of a memory. */
export function dayOf(createdAt: string): { readonly date?: string } {
  const date = /^\d{4}-\d{2}-\d{2}/.exec(createdAt)?.[0];
  return date === undefined ? {} : { date };
}

/** The first line, and the others. */
export function titleOf(text: string): { readonly title: string; readonly rest: string } {
  const [title = "", ...others] = splitLines(text);
  return { title, rest: others.join("\n").trim() };
}
