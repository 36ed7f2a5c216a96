import type { BoardWorld } from "../board/mod.ts";
import type { Box, Epic, ListedFile, Problem, State, Story, StoryText } from "../formats/mod.ts";
import type { Commits, History, Work } from "./history.ts";

const FIXES = {
  "no-file": "Write the story file, or set the story back in its ledger.",
  "unreadable": "Make the file a plain text of less than 1 MB.",
  "not-begun": "Build the story, or set it back in its ledger.",
  "section-empty": "Write what was done into the section.",
  "box-unticked": "Finish the work and tick the boxes, or strike out what was dropped.",
  "pre-ticked": "Untick the boxes, or mark the story as begun.",
  "criteria-missing": "Write the acceptance criteria into the story file.",
  "criterion-unticked": "Verify the criterion and tick it.",
  "criterion-without-task": "Add a task that names the criterion.",
  "criterion-untested": "Add a test that names the criterion by its number, as in AC2.",
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
  "review-open": "Fix what the review found and tick it, or defer it with a reason.",
  "review-missing": "Have it reviewed, and write the result into the section.",
  "review-rejected": "Resolve what the review found, and have it reviewed again.",
  "status-contradiction": "Correct whichever is wrong.",
  "prerequisite-open": "Finish what it builds on first, or remove the dependency.",
  "retrospective-missing": "Hold the retrospective and write its document, or leave it optional.",
  "ledger-problem": "Correct that line.",
  "command-failed": "Run the script, and fix what it reports.",
  "requirement-changed":
    "Read the requirement again; once the story is as it wants, mark it as done with a reason.",
  "requirement-uncovered":
    "Plan a story for the requirement, or say in the document that it is out of scope.",
} as const;

export type Code = keyof typeof FIXES;

export interface Finding {
  readonly code: Code;
  readonly story?: string;
  readonly problem: string;
  readonly path: string;
  readonly line?: number;
  readonly fix: string;
}

export interface Checked {
  readonly findings: readonly Finding[];
  /** Told; keeps nothing from being done. */
  readonly notes: readonly Finding[];
  readonly unchecked: readonly string[];
  readonly claims: boolean;
  readonly trace?: readonly Traced[];
}

export interface Traced {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  readonly by: readonly string[];
}

export interface CheckWorld extends BoardWorld {
  /** Or why they cannot be read; undefined if the user has not allowed it. */
  readonly history?: () => Promise<History | string>;
  readonly mayRun?: boolean;
}

export const NOT_ALLOWED = "the user has not allowed it (BMAD_ALLOW_GIT)";

export function claimsWork(state: State): boolean {
  return state === "review" || state === "done";
}

export interface Subject {
  readonly story: Story;
  readonly epic: Epic;
  readonly name: string;
  /** Its own, or the one it is about to get. */
  readonly state: State;
  readonly texts: readonly StoryText[];
  /** Empty unless the story claims to be done. */
  readonly listed: readonly ListedFile[];
  readonly work?: Work;
  readonly commits?: Commits;
  deferred(): readonly (Box & { readonly path: string })[];
  listedElsewhere(path: string): boolean;
  isBelow(path: string): boolean;
  quote(text: string): string;
  readonly world: CheckWorld;
}

/** A whole sentence, or what follows "the story is done, but". */
export type Remark =
  & Pick<Problem, "path" | "line">
  & { readonly code: Code; readonly isNote?: boolean }
  & ({ readonly problem: string } | { readonly but: string });

export type Rule = readonly [scope: Scope, find: (subject: Subject) => Iterable<Remark>];

type Scope = "always" | "not begun" | "begun" | "claimed" | "done";

export function appliesTo(scope: Scope, state: State): boolean {
  if (scope === "claimed") return claimsWork(state);
  if (scope === "not begun") return state === "backlog" || state === "ready";
  if (scope === "begun") return !appliesTo("not begun", state);
  return scope === "always" || state === scope;
}

export function newFinding(
  code: Code,
  problem: string,
  { path, line }: Pick<Problem, "path" | "line">,
  story?: string,
): Finding {
  return { code, story, problem, path, line, fix: FIXES[code] };
}

export function findingOf({ story, state, name }: Subject, remark: Remark): Finding {
  if ("problem" in remark) return newFinding(remark.code, remark.problem, remark, story.ref);
  const claim = story.state === state ? `is "${state}", but` : `cannot be "${state}" yet:`;
  return newFinding(remark.code, `${name} ${claim} ${remark.but}`, remark, story.ref);
}
