/**
 * From a requirement to what proves it: epic, story, criterion, test and commit, by the ids and paths that the documents
 * use.
 *
 * Requirements and who covers them are those of the check; this adds what the files of each story name.
 */
import { shorten } from "../../../base/text.ts";
import { inTurns, type Steps } from "../../../base/work.ts";
import { findText } from "../../../content/tree/mod.ts";
import {
  baselineOf,
  type CheckWorld,
  type Commits,
  criteriaIn,
  definitionsIn,
  type History,
  missingIn,
  namedCriteria,
  openCommits,
  openTexts,
  readRequirements,
  type Requirement,
} from "../check/mod.ts";
import { type Epic, isTest, listedFiles, type State, type Story, type StoryText } from "../formats/mod.ts";

/** What leads from requirements to commits. */
export interface Trace {
  readonly requirements: readonly TracedRequirement[];
  readonly epics: readonly TracedEpic[];
  readonly stories: readonly TracedStory[];
  /** Why something could not be looked at: one sentence each. */
  readonly unread: readonly string[];
}

/** A requirement, and who covers it. */
export type TracedRequirement = Requirement & {
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
  /** The commit that its work began from. */
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

/** What a trace may look at besides the files. */
export interface TraceWorld extends CheckWorld {
  /** A file as it was in a commit; undefined if it was not there. */
  readonly fileAt?: (commit: string, path: string) => Promise<string | undefined>;
}

/** What stands before the words of a criterion: a box and its number. */
const OWN_NUMBER = /^(?:[-*+] )?(?:\[[ xX]\] )?(?:\*\*|__)?(?:AC[ #-]{0,2})?\d{1,3}(?:\*\*|__)?[.):]? /i;
const MAX_TESTS = 50;
const MAX_COMMITS = 20;
/** Files of earlier commits that are read for one answer. */
const MAX_OLD_FILES = 200;

/** Reads the trace of a project; `isStale` also compares requirements with what they were when each story began. */
export async function readTrace(
  world: TraceWorld,
  { isStale = false }: { readonly isStale?: boolean } = {},
): Promise<Trace> {
  const read = await world.history?.() ?? "the user has not allowed it (BMAD_ALLOW_GIT)";
  const { trace, words } = await inTurns(traceSteps(world, read));
  if (!isStale) return trace;
  if (world.fileAt === undefined) {
    return { ...trace, unread: [...trace.unread, "Earlier versions of requirements were not read."] };
  }
  return await withStale(trace, words, world.fileAt);
}

/** The trace, and the words of each requirement as they are. */
function* traceSteps(world: TraceWorld, read: History | string): Steps<{
  readonly trace: Trace;
  readonly words: ReadonlyMap<string, string>;
}> {
  const { board, tree } = world;
  const rows = yield* readRequirements(world);
  const missing = new Set(missingIn(rows, board).map(({ id }) => id));
  const textsOf = openTexts(tree);
  const commits = typeof read === "string" ? undefined : openCommits(read, tree, board, () => []);
  const stories: TracedStory[] = [];
  const left: string[] = [];
  const idsOf = (list: "epics" | "stories") => {
    const pairs = rows.flatMap((one) => one[list].map((ref) => ({ ref, id: one.id })));
    const groups = Map.groupBy(pairs, ({ ref }) => ref);
    return (ref: string) => groups.get(ref)?.map(({ id }) => id) ?? [];
  };
  const [ofEpic, ofStory] = [idsOf("epics"), idsOf("stories")];
  for (const epic of board.epics) {
    for (const story of epic.stories.filter(({ state }) => state !== "dropped")) {
      const texts = textsOf({ story, epic });
      if (texts === undefined) left.push(story.ref);
      const own = [...new Set([...story.covers, ...ofStory(story.ref)])];
      const requirements = own.length > 0 ? own : ofEpic(epic.ref);
      stories.push(traceStory({ world, story, epic, texts: texts ?? [], commits, requirements }));
      yield;
    }
  }
  const trace = {
    requirements: rows.map((one) => ({
      ...one,
      text: shorten(world.clean(one.text), 200).replace(/\.$/, ""),
      isMissing: missing.has(one.id),
    })),
    epics: board.epics.map(({ ref, title }) => ({ ref, title, requirements: ofEpic(ref) })),
    stories,
    unread: [
      ...(typeof read === "string" ? [`Commits were not read: ${read}.`] : []),
      ...(left.length === 0
        ? []
        : [`The files of ${left.length} stories were not read: they reach the limit.`]),
    ],
  };
  return { trace, words: new Map(rows.map(({ id, text }) => [id, text])) };
}

function traceStory({ world, story, epic, texts, commits, requirements }: {
  readonly world: TraceWorld;
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
  const baseline = baselineOf(texts);
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

/** The trace with what has changed since each story began. */
async function withStale(
  trace: Trace,
  words: ReadonlyMap<string, string>,
  fileAt: NonNullable<TraceWorld["fileAt"]>,
): Promise<Trace> {
  const defined = new Map(trace.requirements.map((one) => [one.id, one]));
  const texts = new Map<string, Promise<ReadonlyMap<string, string> | undefined>>();
  const wordsAt = (commit: string, path: string) => {
    const key = `${commit}\n${path}`;
    if (!texts.has(key) && texts.size >= MAX_OLD_FILES) return undefined;
    return texts.getOrInsertComputed(key, async () => {
      const text = await fileAt(commit, path);
      if (text === undefined) return undefined;
      const old = await inTurns(definitionsIn(path, text));
      return new Map([...old].map(([id, one]) => [id, one.text]));
    });
  };
  const stories: TracedStory[] = [];
  for (const story of trace.stories) {
    const { baseline } = story;
    if (baseline === undefined) {
      stories.push(story);
      continue;
    }
    const stale: string[] = [];
    for (const id of story.requirements) {
      const one = defined.get(id);
      const before = one && await wordsAt(baseline, one.path);
      // A document that was not there then says nothing.
      if (before !== undefined && before.get(id) !== words.get(id)) stale.push(id);
    }
    stories.push({ ...story, stale });
  }
  return { ...trace, stories };
}
