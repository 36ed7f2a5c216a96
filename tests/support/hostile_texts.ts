/**
 * Which texts make a regular expression slow?
 *
 * The texts come from the pattern itself. Characters that all its parts treat alike are one character, so a handful of
 * them stands for all of Unicode; runs of these, of pairs of them, and of what leads to each repetition in the pattern
 * are a beginning, a part to repeat and an end. `findSlowText` runs the pattern on them at three sizes, and names a text
 * whose time grows faster than its length.
 */
import { cpuTime } from "./cpu.ts";
import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

/** `head`, then `part` again and again, then `tail`. */
export interface Hostile {
  readonly head: string;
  readonly part: string;
  readonly tail: string;
}

const SIZES = [1_000, 4_000, 16_000] as const;

/** At these sizes, a linear pattern takes microseconds; anything worse than quadratic is seen before it hangs. */
const FIRST_SIZES = [24, 400];

/** Quadratic time for the smallest size is several times this. */
const FLOOR_MS = 0.1;

/** What takes less than this at the largest size is not slow. */
const SLOW_MS = 35;

/** The clock of a thread may tick every 10 ms only, so what is compared takes ten ticks. */
const MEASURED_MS = 100;

/** Between the growth of linear time (4, as the sizes) and of quadratic (16). */
const GROWTH = 7;

/** Every text, whatever the pattern, is also a run of these. */
const RUNS = [
  "\u2028",
  "\u2029",
  "\r",
  "\n",
  "\r\n",
  "\0",
  "\u00a0",
  "\t",
  " ",
  "\u0085",
  "\ufeff",
  "\n\r\u2028\u2029",
];

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const SAMPLES = [
  ..."aZ7_ \n-./é",
  ...RUNS.filter((run) => run.length === 1),
  ...ASCII,
  ..."ßя中٣😀\u200d\ud800",
];

/** A repetition of fewer than this costs no more than a longer pattern. */
const MANY = 200;

/** What `\b`, `^` and `$` tell apart, beside the pattern's own parts. */
const EDGES = [/^\w$/, /^[\n\r\u2028\u2029]$/];

export function hostileTexts(pattern: RegExp): readonly Hostile[] {
  const { ast, letters } = readPattern(pattern);
  const repeated = repetitionsIn(ast, letters, pattern.flags);
  if (repeated.length === 0) return [];
  const texts: Hostile[] = [];
  const add = (heads: readonly string[], parts: readonly string[], tails: readonly string[]) => {
    for (const head of heads) {
      for (const part of parts) for (const tail of tails) texts.push({ head, part, tail });
    }
  };
  const heads = [...new Set(["", ...repeated.map(({ lead }) => lead)])].slice(0, 4);
  const few = letters.slice(0, 10);
  add(heads, [...new Set([...letters, ...RUNS])], ["\0", "\0\n"]);
  add([""], few, letters);
  add([""], few.flatMap((one) => few.filter((other) => other !== one).map((other) => one + other)), [
    "\0",
    "\n",
  ]);
  for (const { lead, parts } of repeated) {
    const ends = ["", "\0", "\n", "\0\n", `\n${lead}`];
    add(["", lead], parts, ends);
    add([""], [lead, ...parts.map((part) => lead + part)].filter((part) => part !== ""), ends);
    add([""], parts.flatMap((part) => ["\n", "\r", "\u2028", " "].map((edge) => lead + part + edge)), ends);
  }
  return [...new Map(texts.map((text) => [JSON.stringify(text), text])).values()];
}

const SIGNS = ASCII.filter((character) => /[ -~]/.test(character) && /\W/.test(character));

export interface Lures {
  /** What leads a reader to its parts, such as an open quote. */
  readonly heads: readonly string[];
  /** What such a text repeats beside signs and blanks. */
  readonly parts: readonly string[];
}

/** Hostile texts for a reader: runs of every sign behind each head, of every part and of every pair of signs. */
export function hostileTextsFor({ heads, parts }: Lures): readonly Hostile[] {
  const runs = [...SIGNS, ...RUNS, "a", "1", "é", "e\u0301"];
  const ends = [...SIGNS, "\n", "a"];
  const pairs = ends.flatMap((one) => ends.filter((other) => other !== one).map((other) => one + other));
  // At U+2028 a `.` stops, and `$` without the flag `m` does not.
  const tail = "\u2028a";
  return [
    ...["", ...heads].flatMap((head) => runs.map((part) => ({ head, part, tail }))),
    ...[...parts, ...pairs].map((part) => ({ head: "", part, tail })),
  ];
}

export function findSlowText(pattern: RegExp): Hostile | undefined {
  return hostileTexts(pattern).find((text) => isSlow((size) => usePattern(pattern, grow(text, size))));
}

/** What no linear work takes for the first sizes, even before it is compiled and on a slow machine. */
const FIRST_MS = 50;

/** Does work on a text of a given size grow faster than the size? What seems to is measured again, as the machine may be busy. */
export function isSlow(work: (size: number) => unknown): boolean {
  const isLong = (size: number) => timeOf(work, size) > FIRST_MS && bestOf(work, size) > FIRST_MS;
  if (FIRST_SIZES.some(isLong)) return true;
  const first = timeOf(work, SIZES[0]);
  if (first < FLOOR_MS || timeOf(work, SIZES[1]) < GROWTH * Math.min(first, timeOf(work, SIZES[0]))) {
    return false;
  }
  const [, small, large] = SIZES;
  const once = cpuTime(() => work(large));
  if (once < SLOW_MS) return false;
  const times = Math.ceil(MEASURED_MS / once);
  // As many characters in smaller texts: linear time is the same, quadratic a quarter.
  const share = large / small;
  // The collector and other programs only ever add time, so the shortest of several measurements is compared.
  const rounds = [1, 2, 3].map(() => [timesOf(work, large, times), timesOf(work, small, share * times)]);
  const [inLarge, inSmall] = [0, 1].map((at) => Math.min(...rounds.map((round) => round[at]!)));
  return inLarge! > GROWTH / share * inSmall!;
}

export function grow({ head, part, tail }: Hostile, size: number): string {
  return head + part.repeat(Math.max(size / part.length, size / 4)) + tail;
}

function timeOf(work: (size: number) => unknown, size: number): number {
  const begun = performance.now();
  work(size);
  return performance.now() - begun;
}

const timesOf = (work: (size: number) => unknown, size: number, times: number) =>
  cpuTime(() => {
    for (let at = 0; at < times; at++) work(size);
  });

const bestOf = (work: (size: number) => unknown, size: number) =>
  Math.min(...[1, 2, 3].map(() => timesOf(work, size, 1)));

export function usePattern(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0;
  if (pattern.sticky) { while (pattern.exec(text)?.[0]); }
  else if (pattern.global) text.replaceAll(pattern, "");
  else pattern.test(text);
}

interface Repetition {
  readonly lead: string;
  /** Each matches what is repeated. */
  readonly parts: readonly string[];
}

/** The syntax of a pattern, and one character for each set of its parts that characters can match. */
function readPattern({ source, flags }: RegExp) {
  const isV = flags.includes("v");
  const ast = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: isV,
  });
  const atoms = new Set<string>();
  const spelled = new Set<string>();
  visitRegExpAST(ast, {
    onCharacterEnter: ({ value, raw, parent }) => {
      spelled.add(String.fromCodePoint(value));
      if (!parent.type.includes("Class")) atoms.add(raw);
    },
    onCharacterClassEnter: ({ raw }) => void atoms.add(raw),
    onCharacterSetEnter: ({ raw }) => void atoms.add(raw),
  });
  const sieves = [
    ...[...atoms].map((atom) => new RegExp(`^(?:${atom})$`, flags.replace(/[gym]/g, ""))),
    ...EDGES,
  ];
  const bySieve = new Map<string, string>();
  for (const letter of ["a", " ", ...spelled, ...SAMPLES]) {
    const key = sieves.map((sieve) => Number(sieve.test(letter))).join("");
    if (!bySieve.has(key)) bySieve.set(key, letter);
  }
  return { ast, letters: [...bySieve.values()] };
}

/** Every repetition in a pattern that has no small limit. */
function repetitionsIn(ast: AST.Pattern, letters: readonly string[], flags: string): readonly Repetition[] {
  const found: Repetition[] = [];
  const lettersOf = (node: AST.Element) => {
    const sieve = new RegExp(`^(?:${node.raw})$`, flags.replace(/[gym]/g, ""));
    return letters.filter((letter) => sieve.test(letter));
  };
  /** The shortest text of a part, more or less; with `isFull`, what is optional is there once. */
  const sampleOf = (node: AST.Element, isFull: boolean): string => {
    switch (node.type) {
      case "Character":
        return String.fromCodePoint(node.value);
      case "Quantifier":
        return sampleOf(node.element, isFull).repeat(Math.min(Math.max(node.min, isFull ? 1 : 0), 100));
      case "Group":
      case "CapturingGroup":
        return joined(node.alternatives[0]!.elements, isFull);
      case "Assertion":
      case "Backreference":
        return "";
      default:
        return lettersOf(node)[0] ?? "";
    }
  };
  const joined = (elements: readonly AST.Element[], isFull: boolean) =>
    elements.map((element) => sampleOf(element, isFull)).join("");
  const partsOf = (element: AST.Element) => {
    const isGroup = element.type === "Group" || element.type === "CapturingGroup";
    const parts = isGroup
      ? element.alternatives.flatMap(({ elements }) => [joined(elements, false), joined(elements, true)])
      : element.type === "Character"
      ? [sampleOf(element, true)]
      : lettersOf(element);
    return [...new Set(parts)].filter((part) => part !== "").slice(0, 6);
  };
  const visit = (node: AST.Element, lead: string): void => {
    if (node.type === "Quantifier") {
      if (node.max > MANY) found.push({ lead, parts: partsOf(node.element) });
      visit(node.element, lead);
    } else if ("alternatives" in node && Array.isArray(node.alternatives)) visitAll(node.alternatives, lead);
  };
  const visitAll = (alternatives: readonly AST.Alternative[], lead: string) => {
    for (const { elements } of alternatives) {
      elements.forEach((element, at) => visit(element, lead + joined(elements.slice(0, at), false)));
    }
  };
  visitAll(ast.alternatives, "");
  return found;
}
