/**
 * From a requirement to what proves it: epic, story, criterion, test and commit, by the ids and paths that the documents
 * use; and stories whose requirements have changed since their work began.
 */
import { textLines } from "../../../base/report.ts";
import { counted, shorten } from "../../../base/text.ts";
import { runInSlices } from "../../../base/work.ts";
import { findText } from "../../../content/tree/mod.ts";
import {
  aimsIn,
  beginningOf,
  type CheckWorld,
  type Commits,
  criteriaIn,
  missingIn,
  namedCriteria,
  NOT_ALLOWED,
  openCommits,
  openTexts,
  readRequirements,
  type Requirement,
} from "../check/mod.ts";
import { type Board, type Epic, isTest, listedFiles, type Story, type StoryText } from "../formats/mod.ts";
import { mapStories, type StoryMatch } from "../board/mod.ts";

export type TracedRequirement = Omit<Requirement, "words"> & { readonly isMissing: boolean };
/** `stale`: undefined if not asked for or unknown. */
export type TracedStory = ReturnType<typeof traceStory> & { readonly stale?: readonly string[] };
export type TracedCriterion = TracedStory["criteria"][number];

export interface Trace {
  readonly requirements: readonly TracedRequirement[];
  readonly epics: readonly (Pick<Epic, "ref" | "title"> & { readonly requirements: readonly string[] })[];
  readonly stories: readonly TracedStory[];
  readonly unread: readonly string[];
}

/** The box and number before a criterion. */
const OWN_NUMBER =
  /^(?:[-*+] )?(?:\[[ xX]\] )?(?:\*\*|__)?(?:AC[ #-]{0,2})?\d{1,3}(?:\*\*|__)?[.):]?(?:\*\*|__)? /i;
const MAX_TESTS = 50;
const MAX_COMMITS = 20;

/** `isStale` compares requirements with what they were when each story began. */
export async function readTrace(world: PastWorld, isStale = false): Promise<Trace> {
  const { board, tree, history, wordsIn } = world;
  const read = await history?.() ?? NOT_ALLOWED;
  const commits = typeof read === "string" ? undefined : openCommits(read, tree, board);
  const { trace, rows, traced } = await runInSlices(traceSteps(world, commits));
  const past = isStale && commits && wordsIn && await findStale(board, rows, commits, wordsIn);
  const uncompared = (count: number, why: string) =>
    count > 0 &&
    `${counted(count, "story was", "stories were")} not compared with earlier requirements: ${why}.`;
  return {
    ...trace,
    stories: trace.stories.map((one, at) => {
      const stale = past && past.changed.get(traced[at]!);
      return stale ? { ...one, stale } : one;
    }),
    unread: textLines(
      typeof read === "string" && `Commits were not read: ${read}.`,
      trace.unread,
      isStale && !past && "Earlier versions of requirements were not read.",
      past && uncompared(past.unknown, `no commit shows when ${past.unknown === 1 ? "it" : "they"} began`),
      past && uncompared(past.unread, "not all of those could be read"),
    ),
  };
}

function* traceSteps(world: PastWorld, commits: Commits | undefined) {
  const { board, tree } = world;
  const rows = yield* readRequirements(world);
  const missing = new Set(missingIn(rows, board).map(({ id }) => id));
  const textsOf = openTexts(tree);
  const aimsOf = aimsIn(rows);
  const stories: TracedStory[] = [];
  const traced: Story[] = [];
  let left = 0;
  for (const epic of board.epics) {
    for (const story of epic.stories.filter(({ state }) => state !== "dropped")) {
      const texts = textsOf({ story, epic });
      if (texts === undefined) left++;
      stories.push(traceStory(world, { story, epic }, texts ?? [], commits, aimsOf({ story, epic })));
      traced.push(story);
      yield;
    }
  }
  const trace: Trace = {
    requirements: rows.map(({ words: _, ...one }) => ({
      ...one,
      text: shorten(world.clean(one.text), 200).replace(/\.$/, ""),
      isMissing: missing.has(one.id),
    })),
    epics: board.epics.map((epic) => ({ ref: epic.ref, title: epic.title, requirements: aimsOf({ epic }) })),
    stories,
    unread: left === 0 ? [] : [`The files of ${left} stories were not read: they reach the limit.`],
  };
  return { trace, rows, traced };
}

function traceStory(
  { tree, clean }: PastWorld,
  { story, epic }: StoryMatch,
  texts: readonly StoryText[],
  commits: Commits | undefined,
  requirements: readonly string[],
) {
  const own = commits?.naming(story) ?? [];
  const changed = own.flatMap(({ changes }) => changes).filter(({ kind }) => kind !== "deleted");
  const listed = texts.flatMap(listedFiles).filter(({ isGone }) => !isGone);
  const tests = [...new Set([...listed, ...changed].map(({ path }) => path))]
    .filter((path) => isTest(path) && tree.hasFile(path)).slice(0, MAX_TESTS);
  const named = tests.map((path) => ({ path, numbers: namedCriteria(findText(tree, path) ?? "") }));
  const numbered = texts.flatMap((text) =>
    [...criteriaIn(text)].map(([number, { text }]) => ({ number, text }))
  );
  // Without numbers of their own, they are counted.
  const criteria = numbered.length > 0
    ? numbered
    : story.criteria.map((text, at) => ({ number: at + 1, text }));
  const began = commits && beginningOf(story, commits);
  const known = typeof began === "object" ? began.commit.id : undefined;
  const baseline = commits === undefined ? story.baseline : known;
  const { ref, title, state, file } = story;
  return {
    ref,
    title,
    state,
    epic: epic.ref,
    ...(file !== undefined && { file }),
    requirements,
    criteria: criteria.map(({ number, text }) => ({
      number,
      text: shorten(clean(text.replace(OWN_NUMBER, "")), 200),
      tests: named.filter(({ numbers }) => numbers.has(number)).map(({ path }) => path),
    })),
    tests,
    commits: own.slice(0, MAX_COMMITS)
      .map(({ id, subject }) => ({ id: id.slice(0, 12), subject: shorten(clean(subject), 100) })),
    ...(baseline !== undefined && { baseline }),
  };
}

export type Words = ReadonlyMap<string, string>;

export interface PastWorld extends CheckWorld {
  /**
   * Requirements of earlier versions of documents, by the names that commits give them. A version that could
   * not be read is missing; one that never existed is empty.
   */
  readonly wordsIn?: (versions: readonly string[]) => Promise<ReadonlyMap<string, Words>>;
}

const MAX_VERSIONS = 200;

async function findStale(
  board: Board,
  rows: readonly Requirement[],
  commits: Commits,
  wordsIn: NonNullable<PastWorld["wordsIn"]>,
) {
  const defined = new Map(rows.map((one) => [one.id, one]));
  const documents = [...new Set(rows.map(({ path }) => path))];
  // A requirement that is gone may have been in any document.
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
  // `unknown`: stories without a commit that shows when they began; `unread`: with versions that could not be read.
  return { changed, unknown, unread };
}

/** The same board if commits cannot be read. */
export async function withStale(world: PastWorld): Promise<Board> {
  const { board, tree, history, wordsIn } = world;
  const read = wordsIn === undefined || board.epics.length === 0 ? undefined : await history?.();
  if (read === undefined || typeof read === "string") return board;
  const rows = await runInSlices(readRequirements(world));
  const { changed } = await findStale(board, rows, openCommits(read, tree, board), wordsIn!);
  return mapStories(board, (story) => {
    const stale = changed.get(story) ?? [];
    return stale.length === 0 ? story : { ...story, stale };
  });
}
