/**
 * Where the words for a state contradict each other: in the ledger, in the story's files, in its epic, in the commits.
 *
 * Against commits, only statuses are compared. A commit counts as a story's if its subject says so in a way that can mean
 * nothing else: `1.2` alone may be a version.
 */
import { abbreviateList, shorten } from "../../../base/text.ts";
import type { Interruptible } from "../../../base/work.ts";
import { baseName, findText } from "../../../content/tree/mod.ts";
import { plainName } from "../board/mod.ts";
import {
  type Epic,
  findDocuments,
  isIncidentalFile,
  type Problem,
  recordFolders,
  stateOf,
} from "../formats/mod.ts";
import type { Change } from "./history.ts";
import {
  type CheckWorld,
  type Finding,
  isNamedIn,
  newFinding,
  type Remark,
  type Rule,
  type Subject,
} from "./model.ts";
import { changedAnything } from "./work.ts";

/** Skipped for a story that is about to get another status. */
export const STATUS_RULES: readonly Rule[] = [
  ["always", drifts],
  ["always", contradictsItself],
  ["always", comesTooEarly],
];

function* drifts({ story, name }: Subject): Iterable<Remark> {
  for (const one of story.drift) {
    yield { ...one, code: "status-contradiction", problem: `${name}: ${sentenceOf(one)}` };
  }
}

function* contradictsItself({ texts, name, quote }: Subject): Iterable<Remark> {
  for (const { path, statuses: [first, ...others] } of texts) {
    const state = first && stateOf(first.word);
    const other = others.find(({ word }) => (stateOf(word) ?? state) !== state);
    if (state === undefined || other === undefined) continue;
    const words = [first!, other].map(({ word, line }) => `${quote(word)} in line ${line}`);
    const problem = `${name}: its file says ${words.join(" and ")}.`;
    yield { code: "status-contradiction", problem, path, line: other.line };
  }
}

function* comesTooEarly({ story, name }: Subject): Iterable<Remark> {
  if (story.state !== "done" || story.waitsFor.length === 0) return;
  const problem = `${name} is "done", but builds on ${story.waitsFor.join(", ")}, which is not.`;
  yield { code: "prerequisite-open", problem, path: story.ledger, line: story.line };
}

export function checkEpic({ ref, drift }: Epic): readonly Finding[] {
  return drift.map((one) => newFinding("status-contradiction", `Epic ${ref}: ${sentenceOf(one)}`, one));
}

/**
 * Epics whose retrospective has left no document: BMAD's own workflow writes `epic-1-retro-2026-08-01.md` before it marks
 * the retrospective as done.
 */
export function* withoutRetrospective(
  { tree, folders, board }: CheckWorld,
  epics: readonly Epic[],
): Interruptible<readonly Finding[]> {
  if (epics.length === 0) return [];
  const found = (yield* findDocuments(tree, folders, board)).map(({ path }) => path)
    .filter((path) => /retro/i.test(baseName(path)) && (findText(tree, path) ?? "").trim() !== "")
    .map((path) => `-${plainName(baseName(path))}-`);
  return epics.filter(({ ref }) => !found.some((name) => name.includes(`-${plainName(`epic-${ref}`)}-`)))
    .map(({ ref, ledger: path }) =>
      newFinding("retrospective-missing", `Epic ${ref} has no document of its retrospective.`, { path })
    );
}

export function sentenceOf({ problem }: Problem): string {
  return `${problem.replace(/\.$/, "")}.`;
}

export function driftFromCommits(subject: Subject): readonly Problem[] {
  const { story, commits, state, listed, world } = subject;
  if (commits === undefined || state === "dropped") return [];
  const place = { path: story.ledger, line: story.line };
  const drift = (problem: string): readonly Problem[] => [
    { ...place, problem: `${problem}, but the ledger says "${story.status ?? state}"` },
  ];
  if (state === "backlog" || state === "ready") {
    const records = recordFolders(world.folders);
    const isWork = ({ path }: Change) => !isIncidentalFile(path, records) && !/\.md$/i.test(path);
    const commit = commits.naming(story).find((one) =>
      isNamedIn(one.subject, story) && one.changes.some(isWork)
    );
    if (commit === undefined) return [];
    const words = shorten(world.clean(commit.subject.slice(0, 1_000)), 80);
    return drift(`commit ${commit.id.slice(0, 7)} “${words}” works on it`);
  }
  const [empty] = changedAnything(subject);
  if (empty !== undefined) return drift(`nothing was committed ${subject.work!.start!.words}`);
  const open = state !== "done"
    ? []
    : listed.filter(({ path, isGone }) =>
      !isGone && world.tree.hasFile(path) && commits.isUncommitted(path) === true
    );
  if (open.length === 0) return [];
  return drift(`${abbreviateList(open.map(({ path }) => shorten(path, 80)), 1)} is not committed`);
}
