/**
 * The calls that take a step: that start an item, and that record how far a story is.
 */
import type { Config, ReviewCalls, Row, WriteCalls } from "../../app.ts";
import { type Kind, qualifiedName, startedAs } from "../../base/model.ts";
import { callsFor } from "../handshake/mod.ts";
import { FIXES } from "./reply.ts";

/** The parameter that starts an item of each kind; other kinds can only be read. */
export const STARTED_BY: Readonly<Partial<Record<Kind, string>>> = {
  agent: "agent",
  workflow: "workflow",
  task: "task",
  tool: "skill",
  skill: "skill",
  team: "skill",
};

/** The call of a row in the list of steps. */
export function stepCall({ name, data: { kind, item, message } }: Row): string {
  const parameter = STARTED_BY[kind as Kind] ?? "skill";
  return `bmad ${JSON.stringify({ operation: "execute", [parameter]: name, item, message })}`;
}

/** The call that does a step: the same as for its row. */
const executeCall: WriteCalls["execute"] = ({ entry, item, message }) =>
  stepCall({ name: qualifiedName(entry), about: "", data: { kind: startedAs(entry), item, message } });

/** The calls for a client that has the tool for work. */
const READING: WriteCalls = {
  execute: executeCall,
  trace: (story) => workCall("trace", { story }),
  review: (story) => workCall("review", { story }),
};

/** The same for one that may write. */
const WRITING: WriteCalls = {
  ...READING,
  mark: (story, status, by) => `bmad_work ${JSON.stringify({ operation: "mark", story, status, by })}`,
  claim: (story, by) => `bmad_work ${JSON.stringify({ operation: "claim", story, by })}`,
  plan: () => 'bmad_work {"operation":"plan"}',
  answer: (number) => `bmad_work ${JSON.stringify({ operation: "answer", number, text: "THE ANSWER" })}`,
};

/** The calls for a next step, as far as they can be made here; `hasWork` says whether the tool for work can be called. */
export function stepCalls(config: Config, hasWork = callsFor(config).script !== undefined): WriteCalls {
  if (!hasWork) return { execute: executeCall };
  return config.settings.readOnly ? READING : WRITING;
}

function workCall(operation: string, args: Readonly<Record<string, string | undefined>>): string {
  return `bmad_work ${JSON.stringify({ operation, ...args })}`;
}

/** The calls for a review. */
export function reviewCalls({ settings: { readOnly } }: Config): ReviewCalls {
  return {
    review: READING.review!,
    force: FIXES.force,
    ...(!readOnly && {
      begin: (story: string) => workCall("review", { story, lens: "NAME" }),
      record: (story: string) =>
        workCall("finding", { story, severity: "high", file: "FILE:LINE", text: "WHAT IS WRONG" }),
      settle: (story: string, id: string, verdict: string, reason?: string) =>
        workCall("finding", { story, text: id, verdict, reason }),
    }),
  };
}
