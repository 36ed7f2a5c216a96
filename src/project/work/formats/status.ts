/**
 * The words for states, in all the ledgers that BMAD has kept and as people write them.
 */
import type { State } from "./model.ts";

const WORDS: Readonly<Record<State, readonly string[]>> = {
  "backlog": ["backlog", "todo", "to-do", "draft", "planned", "not-started", "new", "open", "pending"],
  "ready": ["ready", "ready-for-dev", "ready-for-development", "approved"],
  "in-progress": ["in-progress", "start", "started", "begun", "wip", "doing", "active"],
  // The last one is of loops: the agents' work is done, and a person has to act.
  "blocked": ["blocked", "on-hold", "paused", "awaiting-operator"],
  "review": ["review", "in-review", "ready-for-review", "built"],
  "done": ["done", "complete", "completed", "closed", "finish", "finished", "merged"],
  "dropped": ["dropped", "cancelled", "canceled", "wont-do", "obsolete"],
};

/** The words of sprints before 6.0.0: what BMAD's scripts write today has other names. */
export const OLD_WORDS: ReadonlyMap<unknown, State> = new Map([
  ["drafted", "ready"],
  ["contexted", "in-progress"],
]);

const STATE_OF: ReadonlyMap<unknown, State> = new Map([
  ...OLD_WORDS,
  ...Object.entries(WORDS).flatMap(([state, words]) => words.map((word) => [word, state as State] as const)),
]);

/** The state that a word means; undefined if it is unknown. `✅ Done (merged)`, `InProgress` and `in_progress` count. */
export function stateOf(word: string): State | undefined {
  const own = STATE_OF.get(word);
  if (own !== undefined) return own;
  const start = word.trimStart().slice(0, 100).replace(/^[^\p{L}]+/u, "").split(/[(,;:.–—|]| - /)[0]!;
  // A capital in the middle may begin a word, and may be a slip: `dOne`.
  return STATE_OF.get(wordsIn(start)) ??
    STATE_OF.get(wordsIn(start.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1-$2")));
}

function wordsIn(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replace(/-$/, "");
}

export function isStarted(state: State): boolean {
  return state === "in-progress" || state === "review" || state === "done";
}

export function isOver(state: State | undefined): boolean {
  return state === "done" || state === "dropped";
}

export function questionWords(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? "question" : "questions"} ${numbers.join(", ")}`;
}
