/**
 * What a check finds: where a project claims more than its files show.
 */
import type { BoardWorld } from "../board/mod.ts";
import type { State } from "../formats/mod.ts";
import type { History } from "./history.ts";

/** What is wrong, and how to fix it; `{…}` does not occur in these texts. */
export const FIXES = {
  "no-file": "Write the story file, or set the story back in its ledger.",
  "unreadable": "Make the file a plain text of less than 1 MB.",
  "not-begun": "Build the story, or set it back in its ledger.",
  "section-empty": "Write what was done into the section.",
  "box-unticked": "Finish the work and tick the boxes, or strike out what was dropped.",
  "pre-ticked": "Untick the boxes, or mark the story as begun.",
  "criteria-missing": "Write the acceptance criteria into the story file.",
  "criterion-unticked": "Verify the criterion and tick it.",
  "criterion-without-task": "Add a task that names the criterion.",
  "criterion-untested": "Add a test that names the criterion.",
  "file-list-empty": "List the files that the story changed.",
  "file-missing": "Correct the list, or say that the file was deleted.",
  "not-changed": "Correct the list, or make the change.",
  "not-listed": "Add the files to the story's list.",
  "empty-diff": "Make the change, or set the story back.",
  "no-test": "Add or change a test. A story of type refactor, chore, docs or spike needs none.",
  "evidence-missing": "Run the story's tests, and note the result.",
  "evidence-failed": "Fix it, run the command again, and note the result.",
  "test-removed": "Bring the test back, or list it as deleted with the reason.",
  "question-open": "Settle the question, and write the answer in its place.",
  "review-open": "Fix the review finding and tick it, or defer it with a reason.",
  "review-missing": "Have it reviewed, and write the result into the section.",
  "review-rejected": "Resolve what the review found, and have it reviewed again.",
  "status-contradiction": "Correct whichever is wrong.",
  "prerequisite-open": "Finish what it builds on first, or remove the dependency.",
  "retrospective-missing": "Hold the retrospective and write its document, or leave it optional.",
  "ledger-problem": "Correct that line.",
  "command-failed": "Run the script, and fix what it reports.",
  "requirement-uncovered":
    "Plan a story for the requirement, or say in the document that it is out of scope.",
} as const;

/** The kind of a finding. */
export type Code = keyof typeof FIXES;

/** One finding. */
export interface Finding {
  readonly code: Code;
  /** The story's reference; undefined for what concerns the whole project. */
  readonly story?: string;
  /** A sentence that names its subject. */
  readonly problem: string;
  /** The file by its path in the project, and the line if known. */
  readonly path: string;
  readonly line?: number;
  readonly fix: string;
}

/** The result for one story or all. */
export interface Checked {
  readonly findings: readonly Finding[];
  /** What could not be looked at, and why: one sentence each. */
  readonly unchecked: readonly string[];
  /** Whether anything claims to be done. */
  readonly claims: boolean;
  /** The requirements, for all. */
  readonly trace?: readonly Traced[];
}

/** A requirement of the project's documents. */
export interface Traced {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  readonly by: readonly string[];
}

/** What a check looks at. */
export interface CheckWorld extends BoardWorld {
  /** The commits that lead to the present one, or why they cannot be read; undefined if the user has not allowed it. */
  readonly history?: () => Promise<History | string>;
  /** Whether commands may be run here, so that their results can be asked for. */
  readonly mayRun?: boolean;
}

/** Whether a story in that state claims that all of its work is done. */
export function claimsWork(state: State): boolean {
  return state === "review" || state === "done";
}
