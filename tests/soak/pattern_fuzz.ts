/**
 * Does a pattern of ours, or a package that sees content, take long for a text that no list has?
 *
 * Each pair is drawn by a seed: a pattern or a reader, and a text whose beginning, repeated part and end come from
 * different hostile texts for it. It is tried at three sizes as in the tests, and then at a larger one.
 */
import { BOUNDED } from "../support/bounded_patterns.ts";
import { cpuTime } from "../support/cpu.ts";
import {
  grow,
  type Hostile,
  hostileTexts,
  hostileTextsFor,
  isSlow,
  usePattern,
} from "../support/hostile_texts.ts";
import { packageReaders, settleReaders } from "../support/package_readers.ts";
import { sourcePatterns } from "../support/source_patterns.ts";
import type { Chance } from "../support/chance.ts";
import { inRounds } from "../support/property.ts";
import { openSlowest } from "./measure.ts";

const SIZE = 256_000;

export async function fuzzPatterns(pairs: number, seed: number) {
  const kinds = [await patterns(), packages()];
  const slow: string[] = [];
  const { slowest: worst, note } = openSlowest();
  await inRounds(pairs, seed, async (chance, at) => {
    const { name, texts, use } = chance.pick(kinds[at % kinds.length]!);
    const text = mix(chance, texts);
    const what = `${name} on ${JSON.stringify(text)}`;
    if (isSlow((size) => use(grow(text, size)))) return void slow.push(what);
    note(cpuTime(() => use(grow(text, SIZE))), what);
    await settleReaders();
  });
  return { pairs, worst, slow };
}

async function patterns() {
  const all = new Map((await sourcePatterns()).map((one) => [String(one.pattern), one]));
  return [...all].flatMap(([source, { pattern, place }]) => {
    const texts = BOUNDED[source] === undefined ? hostileTexts(pattern) : [];
    return texts.length === 0
      ? []
      : [{ name: `${place}: ${source}`, texts, use: (text: string) => usePattern(pattern, text) }];
  });
}

function packages() {
  return packageReaders().map(({ name, read, ...lures }) => ({
    name,
    texts: hostileTextsFor(lures),
    use: read,
  }));
}

function mix(chance: Chance, texts: readonly Hostile[]): Hostile {
  const some = (most: number, part: keyof Hostile) =>
    Array.from({ length: 1 + chance.below(most) }, () => chance.pick(texts)[part]).join("");
  return { head: some(2, "head") + some(2, "part"), part: some(3, "part"), tail: some(2, "tail") };
}
