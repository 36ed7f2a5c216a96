/**
 * Kept for a story's life: the commit at which somebody first claimed or began it, and accepted changes of its
 * requirements.
 */
import { asText, asTexts } from "../../../base/values.ts";
import type { Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { ledgerIn, listIn } from "./claims.ts";
import type { About } from "./find.ts";
import type { JournalEntry } from "./journal.ts";

export const BEGINNINGS_FILE = "began.json";

/** Its ledger is relative to the top of the worktree. */
export interface BeginningRecord extends About {
  readonly commit?: string;
  readonly accepted?: readonly string[];
}

const COMMIT = /^[0-9a-f]{40,64}$/;

export function beginningsIn(tree: Tree): readonly BeginningRecord[] {
  return listIn(tree, BEGINNINGS_FILE, "stories", LIMITS.moves.records).flatMap((one) => {
    const [ledger, story, commit, at] = ["ledger", "story", "commit", "at"].map((key) => asText(one[key]));
    if (ledger === undefined || story === undefined) return [];
    const accepted = asTexts(one["accepted"]);
    return [{ ledger, story, at: at ?? "", accepted, ...(COMMIT.test(commit ?? "") && { commit: commit! }) }];
  });
}

/** The last one counts: the repository's own come after the journal's. */
export function readBeginnings(
  shared: { readonly tree: Tree; readonly project: string } | undefined,
  journal: readonly JournalEntry[],
): readonly BeginningRecord[] {
  const noted = journal.flatMap(({ ledger, story, at, head, accepted }) => [
    ...(head !== undefined && COMMIT.test(head) ? [{ ledger, story, at, commit: head }] : []),
    ...(accepted === undefined ? [] : [{ ledger, story, at, accepted }]),
  ]);
  const own = shared === undefined ? [] : beginningsIn(shared.tree).flatMap((one) => {
    const ledger = ledgerIn(shared.project, one);
    return ledger === undefined ? [] : [{ ...one, ledger }];
  });
  return [...noted, ...own];
}
