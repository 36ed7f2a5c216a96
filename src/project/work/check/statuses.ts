/**
 * Where the words for a state contradict each other: in the ledger, in the story's files, in its epic.
 */
import type { Steps } from "../../../base/work.ts";
import { baseName, findText } from "../../../content/tree/mod.ts";
import { plainName } from "../board/mod.ts";
import { type Epic, findDocuments, type Problem, stateOf } from "../formats/mod.ts";
import type { CheckWorld, Finding } from "./model.ts";
import { found, foundIn, nameOf, quoted, type Rule, type Subject } from "./subject.ts";

/** The rules over statuses. They do not count for a story that is about to get another one. */
export const STATUS_RULES: readonly Rule[] = [
  ["always", drifts],
  ["always", contradictsItself],
  ["always", comesTooEarly],
];

function* drifts(subject: Subject): Iterable<Finding> {
  for (const one of subject.story.drift) {
    yield found(subject, "status-contradiction", `${nameOf(subject)}: ${sentenceOf(one)}`, one);
  }
}

/** A file whose front matter and text disagree. */
function* contradictsItself(subject: Subject): Iterable<Finding> {
  for (const { path, statuses: [first, ...others] } of subject.texts) {
    const state = first && stateOf(first.word);
    const other = others.find(({ word }) => (stateOf(word) ?? state) !== state);
    if (state === undefined || other === undefined) continue;
    const problem = `${nameOf(subject)}: its file says ${quoted(subject, first!.word)} in line ${
      first!.line
    } and ${quoted(subject, other.word)} in line ${other.line}.`;
    yield found(subject, "status-contradiction", problem, { path, line: other.line });
  }
}

function* comesTooEarly(subject: Subject): Iterable<Finding> {
  const { story } = subject;
  if (story.state !== "done" || story.waitsFor.length === 0) return;
  const problem = `${nameOf(subject)} is "done", but builds on ${story.waitsFor.join(", ")}, which is not.`;
  yield found(subject, "prerequisite-open", problem, { path: story.ledger, line: story.line });
}

export function checkEpic({ ref, drift }: Epic): readonly Finding[] {
  return drift.map((one) => foundIn("status-contradiction", `Epic ${ref}: ${sentenceOf(one)}`, one));
}

/**
 * Epics whose retrospective has left no document: BMAD's own workflow writes `epic-1-retro-2026-08-01.md` before it marks
 * the retrospective as done.
 */
export function* withoutRetrospective(
  { tree, folders, board }: CheckWorld,
  epics: readonly Epic[],
): Steps<readonly Finding[]> {
  if (epics.length === 0) return [];
  const found = (yield* findDocuments(tree, folders, board)).map(({ path }) => path)
    .filter((path) => /retro/i.test(baseName(path)) && (findText(tree, path) ?? "").trim() !== "")
    .map((path) => `-${plainName(baseName(path))}-`);
  return epics.filter(({ ref }) => !found.some((name) => name.includes(`-${plainName(`epic-${ref}`)}-`)))
    .map(({ ref, ledger: path }) =>
      foundIn("retrospective-missing", `Epic ${ref} has no document of its retrospective.`, { path })
    );
}

/** The words of the board as the rest of a sentence. */
export function sentenceOf({ problem }: Problem): string {
  return `${problem.replace(/\.$/, "")}.`;
}
