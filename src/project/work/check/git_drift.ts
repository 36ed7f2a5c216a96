/**
 * Where a ledger and the commits disagree: work that was committed for a story that has not begun, and stories that are
 * done without a commit.
 *
 * Weaker than a check, and only about statuses. A commit counts as a story's if its subject says so in a way that can mean
 * nothing else: `1.2` alone may be a version.
 */
import { fewOf, shorten } from "../../../base/text.ts";
import { isByTheWay, type Problem, recordFolders } from "../formats/mod.ts";
import type { Change } from "./history.ts";
import { isNamedIn, type Subject } from "./subject.ts";
import { changedAnything } from "./work.ts";

/** What the commits say against the status of a story. */
export function driftFromCommits(subject: Subject): readonly Problem[] {
  const { story, commits, state } = subject;
  if (commits === undefined || state === "dropped") return [];
  const says = `but the ledger says "${story.status ?? state}"`;
  const place = { path: story.ledger, line: story.line };
  if (state === "backlog" || state === "ready") {
    const records = recordFolders(subject.world.folders);
    const isWork = ({ path }: Change) => !isByTheWay(path, records) && !/\.md$/i.test(path);
    const commit = commits.naming(story).find((one) =>
      isNamedIn(one.subject, story) && one.changes.some(isWork)
    );
    if (commit === undefined) return [];
    const words = shorten(subject.world.clean(commit.subject.slice(0, 1_000)), 80);
    return [{
      ...place,
      problem: `commit ${commit.id.slice(0, 7)} “${words}” works on it, ${says}`,
    }];
  }
  const [empty] = changedAnything(subject);
  if (empty !== undefined) {
    return [{ ...place, problem: `nothing was committed ${subject.work!.start!.words}, ${says}` }];
  }
  return state === "done" ? uncommitted(subject, says) : [];
}

function uncommitted({ listed, commits, story, world: { tree } }: Subject, says: string): readonly Problem[] {
  const open = listed.filter(({ path, isGone }) =>
    !isGone && tree.hasFile(path) && commits!.isUncommitted(path) === true
  );
  if (open.length === 0) return [];
  const names = fewOf(open.map(({ path }) => shorten(path, 80)), 1);
  return [{ path: story.ledger, line: story.line, problem: `${names} is not committed, ${says}` }];
}
