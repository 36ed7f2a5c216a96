/**
 * Three versions of lines, merged as git merges text. Very frequent lines are no fixed points, which bounds the time.
 */
import type { Lines } from "../formats/yaml_tree.ts";

export interface Versions<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

export function each<T, R>({ base, ours, theirs }: Versions<T>, map: (one: T) => R): Versions<R> {
  return { base: map(base), ours: map(ours), theirs: map(theirs) };
}

export type Contradict = (ours: Lines, theirs: Lines) => Lines;

/** Undefined if the sides changed it differently. */
export function pick<T>({ base, ours, theirs }: Versions<T>): T | undefined {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : undefined;
}

export function isSame(one: Lines, other: Lines): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}

export function mergeLines({ base, ours, theirs }: Versions<Lines>, contradict: Contradict): Lines {
  const [inOurs, inTheirs] = [align(base, ours), align(base, theirs)];
  const merged: Lines[] = [];
  let [b, o, t] = [0, 0, 0];
  for (let at = 0; at <= base.length; at++) {
    const [ourAt, theirAt] = at === base.length ? [ours.length, theirs.length] : [inOurs[at]!, inTheirs[at]!];
    if (ourAt < 0 || theirAt < 0) continue;
    const run = { base: base.slice(b, at), ours: ours.slice(o, ourAt), theirs: theirs.slice(t, theirAt) };
    merged.push(mergeRun(run, contradict), base.slice(at, at + 1));
    [b, o, t] = [at + 1, ourAt + 1, theirAt + 1];
  }
  return merged.flat();
}

function mergeRun({ base, ours, theirs }: Versions<Lines>, contradict: Contradict): Lines {
  if (isSame(theirs, base) || isSame(ours, theirs)) return ours;
  if (isSame(ours, base)) return theirs;
  const { start, end } = commonEnds(ours, theirs);
  return [
    ...ours.slice(0, start),
    ...contradict(ours.slice(start, ours.length - end), theirs.slice(start, theirs.length - end)),
    ...ours.slice(ours.length - end),
  ];
}

/** What is the same at the beginning and, of the rest, at the end. */
export function commonEnds(one: Lines | string, other: Lines | string) {
  const most = Math.min(one.length, other.length);
  let [start, end] = [0, 0];
  while (start < most && one[start] === other[start]) start++;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return { start, end };
}

/** For lines that cannot contradict each other, such as comments: all added ones stay. */
export function uniteLines({ base, ours, theirs }: Versions<Lines>): Lines {
  if (isSame(theirs, base) || isSame(ours, theirs)) return ours;
  if (isSame(ours, base)) return theirs;
  const [inOurs, inTheirs] = [align(base, ours), align(base, theirs)];
  const [byUs, byThem] = [addedIn(ours, inOurs), addedIn(theirs, inTheirs)];
  const merged: Lines[] = [bothOf(byUs.get(0), byThem.get(0))];
  for (const [at, line] of base.entries()) {
    if (inOurs[at]! >= 0 && inTheirs[at]! >= 0) merged.push([line]);
    merged.push(bothOf(byUs.get(at + 1), byThem.get(at + 1)));
  }
  return merged.flat();
}

function addedIn(side: Lines, found: Int32Array): ReadonlyMap<number, Lines> {
  const added = new Map<number, Lines>();
  let [above, next] = [0, 0];
  for (const [at, place] of [...found, side.length].entries()) {
    if (place < 0) continue;
    if (place > next) added.set(above, side.slice(next, place));
    [above, next] = [at + 1, place + 1];
  }
  return added;
}

/** The order does not depend on which side is which. */
function bothOf(one: Lines = [], other: Lines = []): Lines {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  const isPart = isSame(long.slice(0, short.length), short) ||
    isSame(long.slice(long.length - short.length), short);
  if (isPart) return long;
  return one.join("\n") < other.join("\n") ? [...one, ...other] : [...other, ...one];
}

/** More frequent lines tell too little for the time to compare them. */
const MAX_PLACES = 20;

/** Where a side has each line of the base; -1 if gone. */
function align(base: Lines, side: Lines): Int32Array {
  const found = new Int32Array(base.length).fill(-1);
  let [start, end, sideEnd] = [0, base.length, side.length];
  for (; start < end && base[start] === side[start]; start++) found[start] = start;
  while (end > start && sideEnd > start && base[end - 1] === side[sideEnd - 1]) found[--end] = --sideEnd;
  const places = new Map<string, number[]>();
  for (let at = sideEnd - 1; at >= start; at--) {
    places.getOrInsertComputed(side[at]!, () => []).push(at);
  }
  const pairs: (readonly [number, number])[] = [];
  for (let at = start; at < end; at++) {
    const same = places.get(base[at]!) ?? [];
    if (same.length <= MAX_PLACES) { for (const place of same) pairs.push([at, place]); }
  }
  for (const [at, place] of longestRise(pairs)) found[at] = place;
  return found;
}

/** Pairs come by the first number, then falling; the most that rise in both. */
function longestRise(pairs: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [at, [, second]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]!]![1] < second) low = middle + 1;
      else high = middle;
    }
    before[at] = ends[low - 1] ?? -1;
    ends[low] = at;
  }
  const row: (readonly [number, number])[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) row.push(pairs[at]!);
  return row;
}
