/**
 * Where the words for a state contradict each other: in the ledger, in the story's files, in its epic.
 */
import { type Epic, type Problem, stateOf } from "../formats/mod.ts";
import { type Finding, FIXES } from "./model.ts";
import { found, nameOf, quoted, type Rule, type Subject } from "./subject.ts";

/** The rules over statuses. They do not count for a story that is about to get another one. */
export const STATUS_RULES: readonly Rule[] = [
  ["always", drifts],
  ["always", contradictsItself],
  ["always", comesTooEarly],
];

function drifts(subject: Subject): readonly Finding[] {
  return subject.story.drift.map((one) =>
    found(subject, "status-contradiction", `${nameOf(subject)}: ${sentenceOf(one)}`, one)
  );
}

/** A file whose front matter and text disagree. */
function contradictsItself(subject: Subject): readonly Finding[] {
  return subject.texts.flatMap(({ path, statuses: [first, ...others] }) => {
    if (first === undefined) return [];
    const state = stateOf(first.word);
    return others.filter(({ word }) => {
      const other = stateOf(word);
      return state !== undefined && other !== undefined && other !== state;
    }).slice(0, 1).map(({ word, line }) => {
      const problem = `${nameOf(subject)}: its file says ${
        quoted(subject, first.word)
      } in line ${first.line} and ${quoted(subject, word)} in line ${line}.`;
      return found(subject, "status-contradiction", problem, { path, line });
    });
  });
}

function comesTooEarly(subject: Subject): readonly Finding[] {
  const { story } = subject;
  if (story.state !== "done" || story.waitsFor.length === 0) return [];
  const problem = `${nameOf(subject)} is "done", but builds on ${story.waitsFor.join(", ")}, which is not.`;
  return [found(subject, "prerequisite-open", problem, { path: story.ledger, line: story.line })];
}

/** Where an epic and its stories disagree. */
export function checkEpic({ ref, drift }: Epic): readonly Finding[] {
  return drift.map((one) => ({
    code: "status-contradiction",
    problem: `Epic ${ref}: ${sentenceOf(one)}`,
    path: one.path,
    ...(one.line !== undefined && { line: one.line }),
    fix: FIXES["status-contradiction"],
  }));
}

/** The words of the board as the rest of a sentence. */
export function sentenceOf({ problem }: Problem): string {
  return `${problem.replace(/\.$/, "")}.`;
}
