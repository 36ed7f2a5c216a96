/**
 * Stories whose requirements have other words now than when their work began, or are gone. What was not defined then has
 * not changed.
 */
import { inTurns } from "../../../base/work.ts";
import {
  aimsIn,
  beginningOf,
  type CheckWorld,
  type Commits,
  openCommits,
  readRequirements,
  type Requirement,
} from "../check/mod.ts";
import type { Board, Story } from "../formats/mod.ts";

/** The words of requirements, by their ids. */
export type Words = ReadonlyMap<string, string>;

/** A project whose earlier documents can be read, where the user allows it. */
export interface PastWorld extends CheckWorld {
  /**
   * The requirements of earlier versions of documents, by the names that commits give to these. A version that could not
   * be read is missing; one that never was has none.
   */
  readonly wordsIn?: (versions: readonly string[]) => Promise<ReadonlyMap<string, Words>>;
}

/** What has become of the requirements of stories. */
export interface Stale {
  /** Of each story that could be compared, those that have changed. */
  readonly changed: ReadonlyMap<Story, readonly string[]>;
  /** How many stories with a document could not be compared, because no commit shows when they began. */
  readonly unknown: number;
  /** How many because not all that they would be compared with could be read. */
  readonly unread: number;
}

/** Versions of documents that are read for one answer. */
const MAX_VERSIONS = 200;

/** Compares the requirements of all stories with what they were; those that were dropped are left out. */
export async function findStale(
  board: Board,
  rows: readonly Requirement[],
  commits: Commits,
  wordsIn: NonNullable<PastWorld["wordsIn"]>,
): Promise<Stale> {
  const defined = new Map(rows.map((one) => [one.id, one]));
  const documents = [...new Set(rows.map(({ path }) => path))];
  // One that no document has any more may have been in any of them.
  const placesOf = (id: string): readonly { id: string; path: string; words?: string }[] =>
    defined.has(id) ? [defined.get(id)!] : documents.map((path) => ({ id, path }));
  const aimsOf = aimsIn(rows);
  const wanted = new Set<string>();
  let unknown = 0;
  const compared = board.epics.flatMap((epic) =>
    epic.stories.filter(({ state }) => state !== "dropped").flatMap((story) => {
      const aims = aimsOf({ story, epic }).flatMap(placesOf);
      if (aims.length === 0) return [];
      const began = beginningOf(story, commits);
      if (typeof began === "string") {
        if ((story.file ?? story.plan) !== undefined) unknown++;
        return [];
      }
      const versions = aims.flatMap(({ id, path, words }) => {
        const version = commits.versionAt(began.commit.id, path);
        if (version === undefined || version === commits.versionOf(path)) return [];
        if (wanted.size < MAX_VERSIONS) wanted.add(version);
        return [{ id, words, version }];
      });
      return [{ story, versions }];
    })
  );
  const past = wanted.size === 0 ? new Map<string, Words>() : await wordsIn([...wanted]);
  const changed = new Map<Story, readonly string[]>();
  let unread = 0;
  for (const { story, versions } of compared) {
    const ids = versions.filter(({ id, words, version }) => {
      const before = past.get(version)?.get(id);
      return before !== undefined && before !== words;
    });
    if (ids.length === 0 && versions.some(({ version }) => !past.has(version))) unread++;
    else changed.set(story, [...new Set(ids.map(({ id }) => id))]);
  }
  return { changed, unknown, unread };
}

/** The board with the requirements of its stories that have changed; the same one if commits may not or cannot be read. */
export async function withStale(world: PastWorld): Promise<Board> {
  const { board, tree, history, wordsIn } = world;
  const read = wordsIn === undefined || board.epics.length === 0 ? undefined : await history?.();
  if (read === undefined || typeof read === "string") return board;
  const rows = await inTurns(readRequirements(world));
  const { changed } = await findStale(board, rows, openCommits(read, tree, board, () => []), wordsIn!);
  const marked = (story: Story): Story => {
    const stale = changed.get(story) ?? [];
    return stale.length === 0 ? story : { ...story, stale };
  };
  return {
    ...board,
    epics: board.epics.map((epic) => ({ ...epic, stories: epic.stories.map(marked) })),
  };
}
