/**
 * The board: epics and their stories, the same for every ledger that BMAD has ever kept.
 *
 * A ledger is the file that decides the state of a story. Whatever else speaks of the story (its own file, the plan of
 * its epic) is compared with the ledger; where they differ, the story has a drift.
 */

/** The states of a story, in the order of the work. */
export const STATES = ["backlog", "ready", "in-progress", "blocked", "review", "done", "dropped"] as const;

/** How far a story is. A story with an unknown status is `blocked`: a person has to look at it. */
export type State = typeof STATES[number];

/** The forms of a story, one for each way in which BMAD has kept it; forms.ts says what is true of each. */
export type FormName = "story-file" | "build-spec" | "spec-story" | "v4-story" | "ticket";

/** The ways in which a finding of a review is written; findings.ts reads them all. */
export type RowStyle = "findings" | "follow-ups" | "triage" | "checklist";

/** Something wrong in a file of the project. */
export interface Problem {
  /** The file, by its path in the project. */
  readonly path: string;
  /** Counted from 1, if known. */
  readonly line?: number;
  /** Half a sentence: `unknown status "paused"`. */
  readonly problem: string;
}

/** How many boxes of a task list are ticked. */
export interface Boxes {
  readonly ticked: number;
  readonly total: number;
}

/** Who holds a story, and until when: an ISO time. */
export interface Claim {
  readonly by: string;
  readonly until: string;
  /** Where, if it is not here: `worktree login`. Whoever has the same name there is somebody else. */
  readonly place?: string;
}

/** Whether a claim is that of the owner with this name, here. */
export function isClaimOf({ by, place }: Claim, owner: string | undefined): boolean {
  return by === owner && place === undefined;
}

/** `Ann`, `Ann in worktree login`. */
export function nameOfHolder({ by, place }: Claim): string {
  return place === undefined ? by : `${by} in ${place}`;
}

/** A status that was set in spite of findings. */
export interface Forced {
  readonly at: string;
  readonly by?: string;
  readonly reasons: readonly string[];
}

/** What an epic and a story have in common. Texts are on one line, safe to show, and at most a few hundred characters long. */
export interface WorkItem {
  /** The shortest name in its ledger: `1-2`, `2.3`. */
  readonly ref: string;
  readonly title: string;
  readonly state: State;
  /** The ledger's own word for the state; undefined if it has none. */
  readonly status?: string;
  /** The file that decides its state, and the line. */
  readonly ledger: string;
  readonly line?: number;
  /** Its own file. */
  readonly file?: string;
  readonly owner?: string;
  /** The stories and epics that it builds on, by their references. */
  readonly after: readonly string[];
  /** Those of them that are not finished yet. */
  readonly waitsFor: readonly string[];
  /** Requirement ids: `FR3`. */
  readonly covers: readonly string[];
  readonly drift: readonly Problem[];
}

/** A story, ticket or build. */
export interface Story extends WorkItem {
  /** Its full name in the ledger: `1-2-login`. */
  readonly key: string;
  /** How it is kept: what its statuses mean, and what has to be there before it is done. */
  readonly form: FormName;
  /** The file of the build, where that is not the same. */
  readonly plan?: string;
  /** Why it is blocked, if the ledger says so. */
  readonly reason?: string;
  /** The commit that its work began from, if its document says so. */
  readonly baseline?: string;
  readonly isUnrefined?: true;
  /** The question that has to be settled before it can be built. */
  readonly unknown?: string;
  /** The numbers of the questions that somebody asked about it and nobody has answered; undefined for none. */
  readonly questions?: readonly number[];
  /** What was asked about it and answered, one line each; undefined for nothing. */
  readonly answers?: readonly string[];
  readonly criteria: readonly string[];
  readonly boxes: Boxes;
  /** How many findings of its reviews are open; undefined for none. */
  readonly findings?: number;
  /** The requirements that have changed since its work began; undefined if that is not known, or none has. */
  readonly stale?: readonly string[];
  /** What it means that the ledger and the story's file are in different states, where that is as it should be. */
  readonly note?: string;
  /** The state that the ledger should have, where it and the story's file contradict each other. */
  readonly due?: State;
  /** Who works on it at the moment, by our own records. */
  readonly claim?: Claim & {
    /** Who holds it and where, as people are told. */
    readonly holder: string;
  };
  readonly forced?: Forced;
  /** Whether it can go on now, and nobody holds it. */
  readonly isFree?: true;
}

/** An epic, a spec or an initiative; the reference of the one for stories that belong to no epic is empty. */
export interface Epic extends WorkItem {
  /** The status of its retrospective; undefined if the ledger has none. */
  readonly retrospective?: string;
  /** In the order of the work. */
  readonly stories: readonly Story[];
}

/** What a retrospective decided to do. */
export interface ActionItem {
  readonly epic?: string;
  readonly action: string;
  readonly owner?: string;
  readonly status?: string;
}

/** When something was done, and by whom, as far as the file says. */
export interface Moment {
  readonly day?: string;
  readonly by?: string;
}

/** What was asked. */
export interface Question {
  /** Unique, unless two branches were merged that both asked. */
  readonly number: number;
  readonly text: string;
  /** The story that waits for the answer, as the file calls it. */
  readonly story?: string;
  /** Who is asked: a role or a name. */
  readonly to?: string;
  readonly choices: readonly string[];
  readonly asked?: Moment;
  readonly answer?: string;
  readonly answered?: Moment;
}

/** A question that nobody has answered. */
export interface OpenQuestion extends Omit<Question, "answer" | "answered"> {
  /** The file that has it, and the line. */
  readonly path: string;
  readonly line: number;
}

/** A file or folder that keeps stories, and its format. */
export interface Ledger {
  readonly path: string;
  readonly format: string;
}

/** All that the ledgers of a project say. */
export interface Board {
  readonly ledgers: readonly Ledger[];
  readonly epics: readonly Epic[];
  /** Those that are not done. */
  readonly actions: readonly ActionItem[];
  /** What people have to decide, in the order of the file. */
  readonly questions: readonly OpenQuestion[];
  /** The stories that a plan has and its sprint has not, by reference. */
  readonly unlisted: readonly string[];
  /** What is wrong with the files, except for the drift of stories and epics. */
  readonly problems: readonly Problem[];
}

/** Where a project keeps its work: folders by their paths in the project, as its configuration names them. */
export interface BoardFolders {
  /** `_bmad-output`. */
  readonly output?: string;
  /** Where epics are planned. */
  readonly planning: readonly string[];
  /** Where ledgers and story files lie. */
  readonly implementation: readonly string[];
  /** The folders of v4: its stories, the parts of its PRD, and the whole PRD. */
  readonly v4?: { readonly stories: string; readonly prd: string; readonly prdFile: string };
  /** The folder of the initiative that the user works on. */
  readonly initiative?: string;
}
