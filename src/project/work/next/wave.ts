/**
 * Stories that can go on at the same time.
 *
 * A wave is what several people would get who ask for the next story one after the other, each taking theirs; but nobody
 * gets one whose documents name files that another story under way changes.
 */
import { fewOf } from "../../../base/text.ts";
import { findText, type Tree } from "../../../content/tree/mod.ts";
import { type Board, filesNamedIn, isClaimOf, type Story } from "../formats/mod.ts";
import { type Advice, nameOf } from "./stories.ts";
import { noStepWords } from "./words.ts";

/** The files that the documents of a story name. */
export type FilesOf = (story: Story) => ReadonlySet<string>;

/** What a wave is made with. */
export interface WaveTools {
  /** At most so many stories. */
  readonly count: number;
  readonly by?: string;
  /** What a project's board advises. */
  advise(board: Board): Advice;
  readonly filesOf: FilesOf;
}

/** A story that would be next, but changes the same files as another one. */
export interface Overlap {
  readonly story: Story;
  readonly with: Story;
  /** Both change them. */
  readonly files: readonly string[];
}

/** Some advice at once, and what was left out of it. */
export interface Wave {
  readonly advice: readonly Advice[];
  readonly overlaps: readonly Overlap[];
}

/** So many stories are left out at most; then the search ends. */
const MAX_TRIED = 50;

/** The stories of a board that can go on now, up to a number. The first advice may be about no story. */
export function adviseWave(board: Board, { count, by, advise, filesOf }: WaveTools): Wave {
  const advice: Advice[] = [];
  const overlaps: Overlap[] = [];
  const held = storiesIn(board).filter(({ claim }) => claim !== undefined && !isClaimOf(claim, by));
  const changed = changedBy(held, filesOf);
  for (let rest = board; advice.length < count && overlaps.length < MAX_TRIED;) {
    const next = advise(rest);
    const { story } = next;
    if (story === undefined) {
      if (advice.length === 0) advice.push(overlaps.length === 0 ? next : { ...next, ...keptBack(overlaps) });
      break;
    }
    const overlap = overlapOf(story, changed, filesOf);
    if (overlap === undefined) {
      advice.push(next);
      for (const file of filesOf(story)) changed.set(file, story);
    } else overlaps.push(overlap);
    rest = withTaken(rest, story);
  }
  if (advice.length === 0) advice.push({ ...keptBack(overlaps), files: [] });
  return { advice, overlaps };
}

/** The files that some stories change, and which story each. */
function changedBy(stories: readonly Story[], filesOf: FilesOf): Map<string, Story> {
  return new Map(stories.flatMap((story) => [...filesOf(story)].map((file) => [file, story] as const)));
}

/** The story under way that changes the same files as one. */
function overlapOf(
  story: Story,
  changed: ReadonlyMap<string, Story>,
  filesOf: FilesOf,
): Overlap | undefined {
  const shared = [...filesOf(story)].filter((file) => changed.has(file));
  const other = shared[0] === undefined ? undefined : changed.get(shared[0]);
  return other && { story, with: other, files: shared.filter((file) => changed.get(file) === other) };
}

/** What somebody who takes a story has to know: which held one changes the same files; undefined if none does. */
export function overlapNote(board: Board, story: Story, filesOf: FilesOf): string | undefined {
  const held = storiesIn(board).filter((one) => one.claim !== undefined && one.key !== story.key);
  const overlap = overlapOf(story, changedBy(held, filesOf), filesOf);
  return overlap &&
    `like ${nameOf(overlap.with)}, which ${overlap.with.claim!.holder} holds, it changes ${
      fewOf(overlap.files)
    }`;
}

/** The files that a story's documents name, each story read once. */
export function filesIn(tree: Tree, records: readonly string[]): FilesOf {
  const known = new Map<string, ReadonlySet<string>>();
  const read = ({ file, plan }: Story): ReadonlySet<string> =>
    new Set(
      [file, plan].filter((path) => path !== undefined)
        .flatMap((path) => [...filesNamedIn(path, findText(tree, path) ?? "", records)]),
    );
  return (story) => known.getOrInsertComputed(`${story.ledger}\n${story.key}`, () => read(story));
}

function storiesIn({ epics }: Board): Story[] {
  return epics.flatMap(({ stories }) => [...stories]);
}

function keptBack(overlaps: readonly Overlap[]): Pick<Advice, "is" | "words" | "why"> {
  const words = overlaps.map(({ story, with: other, files }) =>
    `${nameOf(story)} changes ${files[0]}, as ${nameOf(other)} does`
  );
  return {
    is: "held",
    words: noStepWords("held"),
    why: `what could be done would get in the way of what is under way: ${fewOf(words)}`,
  };
}

/** The claim of nobody who could ask. */
const TAKEN = { by: "", until: new Date(0).toISOString(), holder: "" };

/** The board for the next one who asks: somebody has this story. */
function withTaken(board: Board, taken: Story): Board {
  const epics = board.epics.map((epic) => ({
    ...epic,
    stories: epic.stories.map((story) =>
      story.key === taken.key && story.ledger === taken.ledger ? { ...story, claim: TAKEN } : story
    ),
  }));
  return { ...board, epics };
}
