/**
 * From a requirement to what proves it: epic, story, criterion, test and commit, by the ids and paths that the documents
 * use.
 *
 * Requirements and who covers them are those of the check; this adds what the files of each story name.
 */
import { counted, shorten } from "../../../base/text.ts";
import { inTurns, type Steps } from "../../../base/work.ts";
import { findText } from "../../../content/tree/mod.ts";
import {
  aimsIn,
  beginningOf,
  type Commits,
  criteriaIn,
  missingIn,
  namedCriteria,
  openCommits,
  openTexts,
  readRequirements,
  type Requirement,
} from "../check/mod.ts";
import { type Epic, isTest, listedFiles, type State, type Story, type StoryText } from "../formats/mod.ts";
import { findStale, type PastWorld } from "./stale.ts";

/** What leads from requirements to commits. */
export interface Trace {
  readonly requirements: readonly TracedRequirement[];
  readonly epics: readonly TracedEpic[];
  readonly stories: readonly TracedStory[];
  /** Why something could not be looked at: one sentence each. */
  readonly unread: readonly string[];
}

/** A requirement, and who covers it. */
export type TracedRequirement = Omit<Requirement, "words"> & {
  /** Whether it should be covered and is not. */
  readonly isMissing: boolean;
};

/** An epic. */
export interface TracedEpic {
  readonly ref: string;
  readonly title: string;
  readonly requirements: readonly string[];
}

/** A story, with what it is for and what proves it. */
export interface TracedStory {
  readonly ref: string;
  readonly title: string;
  readonly state: State;
  readonly epic: string;
  readonly file?: string;
  /** What it covers itself, or else what its epic covers. */
  readonly requirements: readonly string[];
  readonly criteria: readonly TracedCriterion[];
  readonly tests: readonly string[];
  readonly commits: readonly { readonly id: string; readonly subject: string }[];
  /** The commit that its work began from, as far as that is known. */
  readonly baseline?: string;
  /** The requirements that have changed since; undefined if that was not asked for, or cannot be known. */
  readonly stale?: readonly string[];
}

/** A criterion, and the tests that name it. */
export interface TracedCriterion {
  readonly number: number;
  readonly text: string;
  readonly tests: readonly string[];
}

/** What stands before the words of a criterion: a box and its number. */
const OWN_NUMBER =
  /^(?:[-*+] )?(?:\[[ xX]\] )?(?:\*\*|__)?(?:AC[ #-]{0,2})?\d{1,3}(?:\*\*|__)?[.):]?(?:\*\*|__)? /i;
const MAX_TESTS = 50;
const MAX_COMMITS = 20;

/** Reads the trace of a project; `isStale` also compares requirements with what they were when each story began. */
export async function readTrace(
  world: PastWorld,
  { isStale = false }: { readonly isStale?: boolean } = {},
): Promise<Trace> {
  const { board, tree, history, wordsIn } = world;
  const read = await history?.() ?? "the user has not allowed it (BMAD_ALLOW_GIT)";
  const commits = typeof read === "string" ? undefined : openCommits(read, tree, board, () => []);
  const unread = typeof read === "string" ? [`Commits were not read: ${read}.`] : [];
  const { trace, rows, traced } = await inTurns(traceSteps(world, commits));
  if (!isStale) return { ...trace, unread: [...unread, ...trace.unread] };
  if (commits === undefined || wordsIn === undefined) {
    return {
      ...trace,
      unread: [...unread, ...trace.unread, "Earlier versions of requirements were not read."],
    };
  }
  const { changed, unknown, unread: left } = await findStale(board, rows, commits, wordsIn);
  const uncompared = (count: number, why: string) =>
    count === 0
      ? []
      : [`${counted(count, "story was", "stories were")} not compared with earlier requirements: ${why}.`];
  return {
    ...trace,
    stories: trace.stories.map((one, at) => {
      const stale = changed.get(traced[at]!);
      return stale === undefined ? one : { ...one, stale };
    }),
    unread: [
      ...trace.unread,
      ...uncompared(unknown, `no commit shows when ${unknown === 1 ? "it" : "they"} began`),
      ...uncompared(left, "not all of those could be read"),
    ],
  };
}

/** The trace, the requirements, and the story of each row. */
function* traceSteps(world: PastWorld, commits: Commits | undefined): Steps<{
  readonly trace: Trace;
  readonly rows: readonly Requirement[];
  readonly traced: readonly Story[];
}> {
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
      const requirements = aimsOf({ story, epic });
      stories.push(traceStory({ world, story, epic, texts: texts ?? [], commits, requirements }));
      traced.push(story);
      yield;
    }
  }
  const trace = {
    requirements: rows.map(({ words: _, ...one }) => ({
      ...one,
      text: shorten(world.clean(one.text), 200).replace(/\.$/, ""),
      isMissing: missing.has(one.id),
    })),
    epics: board.epics.map((epic) => ({
      ref: epic.ref,
      title: epic.title,
      requirements: aimsOf({ epic }),
    })),
    stories,
    unread: left === 0 ? [] : [`The files of ${left} stories were not read: they reach the limit.`],
  };
  return { trace, rows, traced };
}

function traceStory({ world, story, epic, texts, commits, requirements }: {
  readonly world: PastWorld;
  readonly story: Story;
  readonly epic: Epic;
  readonly texts: readonly StoryText[];
  readonly commits: Commits | undefined;
  readonly requirements: readonly string[];
}): TracedStory {
  const { tree, clean } = world;
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
    commits: own.slice(0, MAX_COMMITS).map(({ id, subject }) => ({
      id: id.slice(0, 12),
      subject: shorten(clean(subject), 100),
    })),
    ...(baseline !== undefined && { baseline }),
  };
}
