/**
 * Stories that can go on at the same time.
 *
 * A wave is what several people would get if each asked for the next story and took it; but no story whose documents name
 * files that another story under way changes.
 */
import { abbreviateList } from "../../../base/text.ts";
import { findText, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { mapStories } from "../board/mod.ts";
import { type Board, filesNamedIn, isClaimOf, type Story } from "../formats/mod.ts";
import { type Advice, adviseNoStep, nameOf } from "./stories.ts";

export type FilesOf = (story: Story) => ReadonlySet<string>;

interface WaveTools {
  readonly count: number;
  readonly by?: string;
  advise(board: Board): Advice;
  readonly filesOf: FilesOf;
}

export interface Overlap {
  readonly story: Story;
  readonly with: Story;
  readonly files: readonly string[];
}

interface Wave {
  readonly advice: readonly Advice[];
  readonly overlaps: readonly Overlap[];
}

/** Only the first advice may be without a story. */
export function adviseWave(board: Board, { count, by, advise, filesOf }: WaveTools): Wave {
  const advice: Advice[] = [];
  const overlaps: Overlap[] = [];
  const held = storiesIn(board).filter(({ claim }) => claim !== undefined && !isClaimOf(claim, by));
  const changed = changedBy(held, filesOf);
  for (let rest = board; advice.length < count && overlaps.length < LIMITS.next.keptBack;) {
    const next = advise(rest);
    const { story } = next;
    if (story === undefined) {
      if (advice.length === 0) {
        advice.push(overlaps.length === 0 ? next : { ...next, ...keptBack(overlaps, next.files) });
      }
      break;
    }
    const overlap = overlapOf(story, changed, filesOf);
    if (overlap === undefined) {
      advice.push(next);
      for (const file of filesOf(story)) changed.set(file, story);
    } else overlaps.push(overlap);
    rest = withTaken(rest, story);
  }
  if (advice.length === 0) advice.push(keptBack(overlaps));
  return { advice, overlaps };
}

function changedBy(stories: readonly Story[], filesOf: FilesOf): Map<string, Story> {
  return new Map(stories.flatMap((story) => [...filesOf(story)].map((file) => [file, story] as const)));
}

function overlapOf(
  story: Story,
  changed: ReadonlyMap<string, Story>,
  filesOf: FilesOf,
): Overlap | undefined {
  const shared = [...filesOf(story)].filter((file) => changed.has(file));
  const other = shared[0] === undefined ? undefined : changed.get(shared[0]);
  return other && { story, with: other, files: shared.filter((file) => changed.get(file) === other) };
}

/** Undefined if no held story changes the same files. */
export function overlapNote(board: Board, story: Story, filesOf: FilesOf): string | undefined {
  const held = storiesIn(board).filter((one) => one.claim !== undefined && one.key !== story.key);
  const overlap = overlapOf(story, changedBy(held, filesOf), filesOf);
  if (overlap === undefined) return undefined;
  const { with: other, files } = overlap;
  return `like ${nameOf(other)}, which ${other.claim!.holder} holds, it changes ${abbreviateList(files)}`;
}

export function filesIn(tree: Tree, records: readonly string[]): FilesOf {
  const known = new Map<string, ReadonlySet<string>>();
  const read = ({ file, plan }: Story) =>
    new Set(
      [file, plan].flatMap((path) =>
        path === undefined ? [] : [...filesNamedIn(path, findText(tree, path) ?? "", records)]
      ),
    );
  return (story) => known.getOrInsertComputed(`${story.ledger}\n${story.key}`, () => read(story));
}

function storiesIn({ epics }: Board): Story[] {
  return epics.flatMap(({ stories }) => [...stories]);
}

function keptBack(overlaps: readonly Overlap[], files: readonly string[] = []): Advice {
  const words = overlaps.map(({ story, with: other, files }) =>
    `${nameOf(story)} changes ${files[0]}, as ${nameOf(other)} does`
  );
  const why = `what could be done would get in the way of what is under way: ${abbreviateList(words)}`;
  return adviseNoStep("held", why, files);
}

/** An owner's name is never empty. */
const TAKEN = { by: "", until: new Date(0).toISOString(), holder: "" };

function withTaken(board: Board, taken: Story): Board {
  const isTaken = ({ key, ledger }: Story) => key === taken.key && ledger === taken.ledger;
  return mapStories(board, (story) => isTaken(story) ? { ...story, claim: TAKEN } : story);
}
