/** What the formats share: states and their words, problems, claims, questions, folders. */
import { oneLine } from "../../../base/text.ts";
import { renderTime } from "../../../base/time.ts";

export const STATES = ["backlog", "ready", "in-progress", "blocked", "review", "done", "dropped"] as const;

/** An unknown status is `blocked`: a person has to look at it. */
export type State = typeof STATES[number];

/** In all of BMAD's ledgers, and as people write them. */
const WORDS: Readonly<Record<State, readonly string[]>> = {
  "backlog": ["backlog", "todo", "to-do", "draft", "planned", "not-started", "new", "open", "pending"],
  "ready": ["ready", "ready-for-dev", "ready-for-development", "approved"],
  "in-progress": ["in-progress", "start", "started", "begun", "wip", "doing", "active"],
  // The last is of loops: a person has to act.
  "blocked": ["blocked", "on-hold", "paused", "awaiting-operator"],
  "review": ["review", "in-review", "ready-for-review", "built"],
  "done": ["done", "complete", "completed", "closed", "finish", "finished", "merged"],
  "dropped": ["dropped", "cancelled", "canceled", "wont-do", "obsolete"],
};

export const OLD_WORDS: ReadonlyMap<unknown, State> = new Map([
  ["drafted", "ready"],
  ["contexted", "in-progress"],
]);

const STATE_OF: ReadonlyMap<unknown, State> = new Map([
  ...OLD_WORDS,
  ...Object.entries(WORDS).flatMap(([state, words]) => words.map((word) => [word, state as State] as const)),
]);

/** Undefined for an unknown word. `✅ Done (merged)`, `InProgress` and `in_progress` count. */
export function stateOf(word: string): State | undefined {
  const own = STATE_OF.get(word);
  if (own !== undefined) return own;
  const start = word.trimStart().slice(0, 100).replace(/^[^\p{L}]+/u, "").split(/[(,;:.–—|]| - /)[0]!;
  // A capital inside may begin a word or be a slip: `dOne`.
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

export type FormName = "story-file" | "build-spec" | "spec-story" | "v4-story" | "ticket";

export type RowStyle = "findings" | "follow-ups" | "triage" | "checklist";

export interface Problem {
  readonly path: string;
  readonly line?: number;
  /** Half a sentence: `unknown status "paused"`. */
  readonly problem: string;
}

export function problemLine({ problem, ...place }: Problem): string {
  return `${placeOf(place)}: ${problem}`;
}

export function placeOf({ path, line }: Pick<Problem, "path" | "line">): string {
  return oneLine(line === undefined ? path : `${path}:${line}`);
}

export interface Boxes {
  readonly ticked: number;
  readonly total: number;
}

export interface Claim {
  readonly by: string;
  readonly until: string;
  /** If not here: `claude-code 2`, `worktree login`. Whoever holds it may go on with it here, by force. */
  readonly place?: string;
  /** It has ended: its person may go on anywhere. */
  readonly isLeft?: true;
  readonly active?: string;
}

export function isClaimOf({ by, place, isLeft }: Claim, owner: string | undefined): boolean {
  return by === owner && (place === undefined || isLeft === true);
}

export function nameOfHolder({ by, place }: Claim): string {
  return place === undefined ? by : `${by} in ${place}`;
}

export function renderEnd({ until }: Claim): string {
  return renderTime(Date.parse(until));
}

export interface Elsewhere {
  readonly state: State;
  /** `branch w1`, `commit 1a2b3c4d5`. */
  readonly on: string;
  readonly by?: string;
  /** Completes "branch w1 …", if it may never come here. */
  readonly problem?: string;
}

export function elsewhereWords({ state, on, by, problem }: Elsewhere): string {
  return `${state} on ${on}${by === undefined ? "" : ` (${by})`}${
    problem === undefined ? "" : `, which ${problem}`
  }`;
}

export interface Forced {
  readonly at: string;
  readonly by?: string;
  readonly reasons: readonly string[];
}

export interface Moment {
  readonly day?: string;
  readonly by?: string;
}

export interface Question {
  /** Unless two merged branches both asked. */
  readonly number: number;
  readonly text: string;
  readonly story?: string;
  readonly to?: string;
  readonly choices: readonly string[];
  readonly asked?: Moment;
  readonly answer?: string;
  readonly answered?: Moment;
}

export function questionWords(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? "question" : "questions"} ${numbers.join(", ")}`;
}

export interface BoardFolders {
  readonly output?: string;
  readonly planning: readonly string[];
  readonly implementation: readonly string[];
  readonly v4?: { readonly stories: string; readonly prd: string; readonly prdFile: string };
  readonly initiative?: string;
}
