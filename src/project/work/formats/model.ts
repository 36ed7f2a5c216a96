/**
 * What the formats of a project's work have in common: states, problems, claims, questions, and where they lie.
 */
import { oneLine } from "../../../base/text.ts";
import { renderTime } from "../../../base/time.ts";

export const STATES = ["backlog", "ready", "in-progress", "blocked", "review", "done", "dropped"] as const;

/** How far a story is. A story with an unknown status is `blocked`: a person has to look at it. */
export type State = typeof STATES[number];

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
  /** Where, if it is not here: `worktree login`. Whoever has the same name there is somebody else. */
  readonly place?: string;
}

export function isClaimOf({ by, place }: Claim, owner: string | undefined): boolean {
  return by === owner && place === undefined;
}

export function nameOfHolder({ by, place }: Claim): string {
  return place === undefined ? by : `${by} in ${place}`;
}

export function renderEnd({ until }: Claim): string {
  return renderTime(Date.parse(until));
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
  /** Unique, unless two branches were merged that both asked. */
  readonly number: number;
  readonly text: string;
  readonly story?: string;
  readonly to?: string;
  readonly choices: readonly string[];
  readonly asked?: Moment;
  readonly answer?: string;
  readonly answered?: Moment;
}

export interface BoardFolders {
  readonly output?: string;
  readonly planning: readonly string[];
  readonly implementation: readonly string[];
  readonly v4?: { readonly stories: string; readonly prd: string; readonly prdFile: string };
  readonly initiative?: string;
}
