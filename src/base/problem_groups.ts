/** Twelve stories without a file are one problem, told once. */
import { abbreviateList } from "./text.ts";

/** The place of a problem that is in no file: what other clones hold is not known. */
export const OTHERS_CLAIMS = "claims";

export interface LocatedProblem {
  readonly path: string;
  readonly line?: number;
  readonly problem: string;
}

export interface ProblemGroup<T extends LocatedProblem> {
  readonly first: T;
  readonly count: number;
  /** Completes the sentence of the first: ` (the same for 1-2, 1-3 and 9 more)`; empty if it is the only one. */
  readonly others: string;
}

const MAX_NAMED = 20;

/** What a sentence begins with is what it is about: `story 1-2-login`, `Epic 3`, `entry "04"`, `04-nets`. */
const SUBJECT = /^((?:story|epic|ticket|entry) )?("[^"\n]*"|[^\s:,;]+)/i;

export function withSubject<T extends LocatedProblem>(name: string, problems: readonly T[]): readonly T[] {
  return problems.map((one) => ({ ...one, problem: `${name}: ${one.problem}` }));
}

export function groupProblems<T extends LocatedProblem>(problems: readonly T[]): readonly ProblemGroup<T>[] {
  const groups = Map.groupBy(problems, ({ problem }) => sentenceOf(problem));
  return groups.values().toArray().map(([first, ...rest]) => {
    const names = [...new Set(rest.map((one) => nameOf(one, first!)))];
    return {
      first: first!,
      count: rest.length + 1,
      others: rest.length === 0 ? "" : ` (the same for ${abbreviateList(names, MAX_NAMED)})`,
    };
  });
}

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

function nameOf({ path, line, problem }: LocatedProblem, first: LocatedProblem): string {
  const place = line === undefined ? path : path === first.path ? `line ${line}` : `${path}:${line}`;
  return subjectOf(problem)?.name ?? place;
}
