/**
 * The report of `doctor`: facts by section, problems with their fixes, and a verdict.
 *
 * Plain data: the sections fill it, and the command line prints it.
 */

/** The sections, in the order in which people see them. */
export type SectionName = "environment" | "binary" | "content" | "project" | "memory" | "clients";

/** An `error` breaks something; a `warning` is worth a look. */
export type Level = "error" | "warning";

/** Something that is wrong, and its fix. */
export interface Problem {
  readonly level: Level;
  /** For programs: `invalid-config`, `bad-file`. */
  readonly code: string;
  readonly message: string;
  /** What to do, in one line. */
  readonly fix: string;
  /** The id of the origin that it is about. */
  readonly origin?: string;
  /** The file or folder in that origin. */
  readonly path?: string;
}

/** A fact on one line. */
export interface Line {
  /** `ok` was checked; `info` is only shown. */
  readonly status: "ok" | "info" | Level;
  /** A word or two: `settings`. */
  readonly label: string;
  readonly text: string;
}

/** One section. */
export interface Section {
  readonly name: SectionName;
  /** For people. */
  readonly lines: readonly Line[];
  readonly problems: readonly Problem[];
  /** For programs: the same facts and more. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A problem, and the section that found it. */
export interface LocatedProblem extends Problem {
  readonly section: SectionName;
}

/** All sections together. */
export interface Report {
  /** The level of the worst problem, or `ok`. */
  readonly verdict: "ok" | Level;
  /** Errors first, else in the order of the sections. */
  readonly problems: readonly LocatedProblem[];
  readonly sections: readonly Section[];
}

/** Builds a line. */
export function line(status: Line["status"], label: string, text: string): Line {
  return { status, label, text };
}

/** Builds a problem. */
export function problem(level: Level, code: string, message: string, fix: string): Problem {
  return { level, code, message, fix };
}

/** Builds the report. */
export function buildReport(sections: readonly Section[]): Report {
  const all = sections.flatMap(({ name, problems }) =>
    problems.map((one): LocatedProblem => ({ section: name, ...one }))
  );
  const problems = (["error", "warning"] as const).flatMap((level) =>
    all.filter((one) => one.level === level)
  );
  return { verdict: problems[0]?.level ?? "ok", problems, sections };
}
