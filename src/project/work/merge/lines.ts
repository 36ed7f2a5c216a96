/**
 * Three versions of some lines, merged as git merges text. Lines that occur once on both sides are the fixed points;
 * between them, short runs are compared in full and long ones are taken as a whole, which bounds the time.
 */

import type { Lines } from "../formats/yaml_tree.ts";

/** Three versions of something; without a base it is new on both sides. */
export interface Versions<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

export type Contradict = (ours: Lines, theirs: Lines) => Lines;

/** What only one side changed, or both alike; undefined if they changed it differently. */
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
  const most = Math.min(ours.length, theirs.length);
  let start = 0;
  while (start < most && ours[start] === theirs[start]) start++;
  let end = 0;
  while (end < most - start && ours.at(-1 - end) === theirs.at(-1 - end)) end++;
  return [
    ...ours.slice(0, start),
    ...contradict(ours.slice(start, ours.length - end), theirs.slice(start, theirs.length - end)),
    ...ours.slice(ours.length - end),
  ];
}

/** Merges lines of which none contradicts another, such as comments: what either side added stays. */
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

/** The lines that a side added, by how many lines of the base stand above them. */
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

/** What two sides added in one place, in an order that does not depend on which is which. */
function bothOf(one: Lines = [], other: Lines = []): Lines {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  const isPart = isSame(long.slice(0, short.length), short) ||
    isSame(long.slice(long.length - short.length), short);
  if (isPart) return long;
  return one.join("\n") < other.join("\n") ? [...one, ...other] : [...other, ...one];
}

const MAX_DEPTH = 12;
const MAX_PAIRS = 10_000;

interface Range {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  readonly depth: number;
}

/** For each line of the base, where a side has it; -1 for one that is gone. */
function align(base: Lines, side: Lines): Int32Array {
  const found = new Int32Array(base.length).fill(-1);
  const ranges: Range[] = [{ from: [0, 0], to: [base.length, side.length], depth: 0 }];
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    let { from: [a, b], to: [aEnd, bEnd] } = range;
    while (a < aEnd && b < bEnd && base[a] === side[b]) found[a++] = b++;
    while (a < aEnd && b < bEnd && base[aEnd - 1] === side[bEnd - 1]) found[--aEnd] = --bEnd;
    if (a === aEnd || b === bEnd) continue;
    const rest: Range = { from: [a, b], to: [aEnd, bEnd], depth: range.depth + 1 };
    const fixed = range.depth < MAX_DEPTH ? fixedPoints(base, side, rest) : [];
    if (fixed.length === 0) {
      if ((aEnd - a) * (bEnd - b) <= MAX_PAIRS) alignRun(base, side, rest, found);
      continue;
    }
    for (const [x, y] of [...fixed, rest.to]) {
      ranges.push({ ...rest, from: [a, b], to: [x, y] });
      if (x < aEnd) found[x] = y;
      [a, b] = [x + 1, y + 1];
    }
  }
  return found;
}

/** The longest row of lines that stand once on either side, in the same order. */
function fixedPoints(base: Lines, side: Lines, { from, to }: Range): readonly (readonly [number, number])[] {
  const places = new Map<string, { base: number[]; side: number[] }>();
  const note = (lines: Lines, key: "base" | "side", which: 0 | 1) => {
    for (let at = from[which]; at < to[which]; at++) {
      places.getOrInsertComputed(lines[at]!, () => ({ base: [], side: [] }))[key].push(at);
    }
  };
  note(base, "base", 0);
  note(side, "side", 1);
  const once = [...places.values()].filter((one) => one.base.length === 1 && one.side.length === 1)
    .map((one) => [one.base[0]!, one.side[0]!] as const);
  return longestRise(once);
}

/** Of pairs that rise in the first number, the most that rise in the second, too. */
export function longestRise<T extends readonly [number, number]>(pairs: readonly T[]): readonly T[] {
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
  const row: T[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) row.push(pairs[at]!);
  return row.reverse();
}

function alignRun(base: Lines, side: Lines, { from: [a, b], to: [aEnd, bEnd] }: Range, found: Int32Array) {
  const width = bEnd - b + 1;
  const common = new Uint16Array((aEnd - a + 1) * width);
  const at = (x: number, y: number) => (x - a) * width + (y - b);
  for (let x = aEnd - 1; x >= a; x--) {
    for (let y = bEnd - 1; y >= b; y--) {
      common[at(x, y)] = base[x] === side[y]
        ? common[at(x + 1, y + 1)]! + 1
        : Math.max(common[at(x + 1, y)]!, common[at(x, y + 1)]!);
    }
  }
  for (let [x, y] = [a, b]; x < aEnd && y < bEnd;) {
    if (base[x] === side[y]) found[x++] = y++;
    else if (common[at(x + 1, y)]! >= common[at(x, y + 1)]!) x++;
    else y++;
  }
}
