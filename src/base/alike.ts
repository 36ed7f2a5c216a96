/**
 * Problems that differ only in what they are about: twelve stories without a file are one problem, told once.
 *
 * Two problems are alike if their sentences are the same but for the name of a story, epic, ticket or entry and for
 * paths. The first of a group is told in full, the others by name; lists for programs stay complete.
 */
import { fewOf } from "./text.ts";

/** What is wrong, and where. */
export interface Told {
  readonly path: string;
  readonly line?: number;
  readonly problem: string;
}

/** A problem with the names of what has the same one. */
export interface Group<T extends Told> {
  readonly first: T;
  /** How many problems these are. */
  readonly count: number;
  /** Completes the sentence of the first: ` (the same for 1-2, 1-3 and 9 more)`; empty if it is the only one. */
  readonly others: string;
}

/** How many of the others are named. */
const MAX_NAMED = 20;

/** What a sentence begins with is what it is about: `story 1-2-login`, `Epic 3`, `entry "04"`, `04-nets`. */
const SUBJECT = /^((?:story|epic|ticket|entry) )?("[^"\n]*"|[^\s:,;]+)/i;

/** Problems that say what they are about: `story 1-2: it has no file`. */
export function named<T extends Told>(name: string, problems: readonly T[]): readonly T[] {
  return problems.map((one) => ({ ...one, problem: `${name}: ${one.problem}` }));
}

/** Groups problems that are alike, in the order of the first of each group. */
export function groupAlike<T extends Told>(problems: readonly T[]): readonly Group<T>[] {
  const groups = Map.groupBy(problems, ({ problem }) => sentenceOf(problem));
  return groups.values().toArray().map(([first, ...rest]) => {
    const names = [...new Set(rest.map((one) => nameOf(one, first!)))];
    return {
      first: first!,
      count: rest.length + 1,
      others: rest.length === 0 ? "" : ` (the same for ${fewOf(names, MAX_NAMED)})`,
    };
  });
}

/** A sentence without what it is about. */
function sentenceOf(problem: string): string {
  const subject = subjectOf(problem);
  const general = subject === undefined ? problem : `${subject.kind}…${subject.rest}`;
  return general.split(" ").map((word) => isPath(word) ? "…" : word).join(" ");
}

/** A word alone is a name only if it has a number. */
function subjectOf(problem: string) {
  const [whole = "", kind = "", name = ""] = SUBJECT.exec(problem) ?? [];
  return kind === "" && !/\d/.test(name) ? undefined : { kind, name, rest: problem.slice(whole.length) };
}

function isPath(word: string): boolean {
  return /[^/]\/[^/]|\.(?:md|ya?ml|toml|json)\W*$/.test(word);
}

/** What a problem is about, or else where it is. */
function nameOf({ path, line, problem }: Told, first: Told): string {
  const place = line === undefined ? path : path === first.path ? `line ${line}` : `${path}:${line}`;
  return subjectOf(problem)?.name ?? place;
}
