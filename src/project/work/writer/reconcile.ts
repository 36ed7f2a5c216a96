/**
 * Brings a sprint, its story files and its epics in step. What is behind follows what is ahead; nothing goes back.
 */
import { BmadError, reasonOf } from "../../../base/errors.ts";
import { type Epic, isOver, isStarted, stateOf, type Story } from "../formats/mod.ts";
import { mark, type Marked } from "./mark.ts";
import type { WriterWorld } from "./world.ts";

/** What was brought in step, and what could not be. */
export interface Reconciled {
  readonly marked: readonly Marked[];
  /** Why something is left as it is, one sentence each. */
  readonly left: readonly string[];
}

/** More than anybody looks at; the next call goes on. */
const MAX_MARKS = 500;

/** Brings everything in step. */
export async function reconcile(world: WriterWorld): Promise<Reconciled> {
  const { board: { epics, ledgers } } = world;
  const sprints = new Set(ledgers.filter(({ format }) => format === "sprint-status").map(({ path }) => path));
  const own = epics.filter(({ ledger }) => sprints.has(ledger));
  const wanted = [
    ...own.flatMap(({ stories }) => stories.flatMap(storyMark)),
    ...own.flatMap(epicMark),
  ];
  const marked: Marked[] = [];
  const left: string[] = [];
  for (const request of wanted.slice(0, MAX_MARKS)) {
    try {
      const result = await mark(world, request);
      if (result.changes.length > 0 || result.files.length > 0) marked.push(result);
    } catch (error) {
      if (!(error instanceof BmadError)) throw error;
      left.push(reasonOf(error.failure));
    }
  }
  if (wanted.length > MAX_MARKS) left.push(`${wanted.length - MAX_MARKS} more are left for another call`);
  return { marked, left };
}

/** The mark that brings the ledger and the file of a story together: what is behind follows. */
function storyMark({ key, state, status, due }: Story) {
  return due === undefined ? [] : [{ story: key, status: due === state ? status! : due }];
}

/** An epic begins with its stories and ends with them. */
function epicMark({ ref, status, stories }: Epic) {
  const state = status === undefined ? undefined : stateOf(status);
  if (state !== "backlog" && state !== "in-progress" || stories.length === 0) return [];
  if (stories.every((story) => isOver(story.state))) return [{ story: `epic-${ref}`, status: "done" }];
  const isBegun = stories.some((story) => isStarted(story.state) || story.state === "ready");
  return state === "backlog" && isBegun ? [{ story: `epic-${ref}`, status: "in-progress" }] : [];
}
