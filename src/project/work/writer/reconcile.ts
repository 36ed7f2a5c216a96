/**
 * Brings a sprint, its story files and its epics in step. What is behind follows what is ahead; nothing goes back.
 */
import { BmadError, reasonOf } from "../../../base/errors.ts";
import { driftLines, epicName } from "../board/mod.ts";
import { type Epic, epicDue, type State, stateOf, type Story } from "../formats/mod.ts";
import { mark, type Marked, type MarkRequest } from "./mark.ts";
import type { WriterWorld } from "./world.ts";

/** What was brought in step, and what could not be. */
export interface Reconciled {
  readonly marked: readonly Marked[];
  /** Why something is left as it is, one sentence each. */
  readonly left: readonly string[];
}

/** More than anybody looks at; the next call goes on. */
const MAX_MARKS = 500;

/** Brings everything in step; the journal says that `by` has done so, who claims nothing by it. */
export async function reconcile(world: WriterWorld, by?: string): Promise<Reconciled> {
  const { board: { epics, ledgers } } = world;
  const sprints = new Set(ledgers.filter(({ format }) => format === "sprint-status").map(({ path }) => path));
  const own = epics.filter(({ ledger }) => sprints.has(ledger));
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
        if (!(error instanceof BmadError)) throw error;
        left.push(reasonOf(error.failure));
      }
    }
  };
  await markAll(own.flatMap(({ stories }) => stories.flatMap(storyMark)));
  const now = new Map(marked.flatMap(({ changes }) => changes).map(({ key, to }) => [key, stateOf(to)]));
  await markAll(own.flatMap((epic) => epicMark(epic, now)));
  if (more > 0) left.push(`${more} more are left for another call`);
  return {
    marked,
    left: [...left, ...driftLines(epics.map((epic) => own.includes(epic) ? unsettled(epic) : epic))],
  };
}

/** An epic of a sprint with the drift that no mark settles: what its stories' files say follows. */
function unsettled(epic: Epic): Epic {
  const stories = epic.stories.map((story) => ({
    ...story,
    drift: story.drift.filter(({ path }) => story.due === undefined || path !== story.file),
  }));
  return { ...epic, drift: [], stories };
}

/** The mark that brings the ledger and the file of a story together: what is behind follows. */
function storyMark({ key, state, status, due }: Story) {
  return due === undefined ? [] : [{ story: key, status: due === state ? status! : due }];
}

/** The mark with which an epic follows its stories, some of which have another state now. */
function epicMark(epic: Epic, now: ReadonlyMap<string, State | undefined>) {
  const { status, stories } = epic;
  const states = stories.map(({ key, state }) => now.get(key) ?? state);
  const due = status === undefined ? undefined : epicDue(stateOf(status), states);
  return due === undefined ? [] : [{ story: epicName(epic), status: due }];
}
