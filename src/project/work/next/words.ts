/**
 * What to do next, in words for people: a headline with the title of the story, and the request that starts the step.
 */
import type { DocumentRole, Epic, Story } from "../formats/mod.ts";

/** The next piece of work, in words. */
export interface Words {
  /** `Continue “Book a walk”`, `Create the PRD`. */
  readonly headline: string;
  /** What a person asks for: `Continue story 2-2`; undefined if there is nothing to do. */
  readonly request?: string;
}

/** What a story needs next. */
export type Action = "start" | "refine" | "approve" | "work" | "review";

/** The same, where one step writes the story and another one builds it. */
const VERBS: Readonly<Record<Action | "write", string>> = {
  start: "Start",
  work: "Start",
  write: "Write",
  refine: "Refine",
  approve: "Approve",
  review: "Review",
};

/** The words for a story. */
export function storyWords(action: Action | "write", { ref, title, state }: Story): Words {
  const verb = action === "work" && state === "in-progress" ? "Continue" : VERBS[action];
  return { headline: `${verb} “${title}”`, request: `${verb} story ${ref}` };
}

/** The words for an epic whose stories are done. */
export function epicWords({ ref, title }: Epic): Words {
  return { headline: `Look back at “${title}”`, request: `Hold the retrospective of epic ${ref}` };
}

const DOCUMENTS: Readonly<Partial<Record<DocumentRole, string>>> = {
  brief: "product brief",
  PRD: "PRD",
  GDD: "game design document",
  spec: "spec",
  UX: "UX design",
  architecture: "architecture",
  epics: "epics and stories",
};

/** The words for a step by the document that it leaves; a step without one goes by its title. */
export function documentWords(role: DocumentRole, title: string, isBegun: boolean): Words {
  const noun = DOCUMENTS[role];
  const headline = noun === undefined
    ? `${isBegun ? "Continue" : "Start"} “${title}”`
    : `${isBegun ? "Finish" : "Create"} the ${noun}`;
  return { headline, request: headline };
}

/** The words for making a sprint from the epics. */
export const SPRINT_WORDS: Words = { headline: "Plan the sprint", request: "Plan the sprint" };

/** The words for a spec that can be built as it is. */
export const SPEC_WORDS: Words = { headline: "Build the spec", request: "Build the spec" };

/** How an advice begins: a step comes next, everything is done or held by others, or it cannot be determined. */
export const VERDICTS = {
  next: "Next",
  done: "All done",
  held: "Nothing is free",
  unknown: "Next step unknown",
} as const;

/** The words where nothing is next. */
export function noStepWords(is: Exclude<keyof typeof VERDICTS, "next">): Words {
  return { headline: VERDICTS[is] };
}
