/**
 * What a look at everything comes to: facts by section, what is wrong, and a verdict.
 */

/** The parts that are looked at, in the order in which people see them. */
export type SectionName = "environment" | "binary" | "content" | "project" | "memory" | "clients";

/** How bad it is: `broken` is out of order, `look` is worth a look. */
export type Level = "broken" | "look";

/** Something that is wrong. */
export interface Problem {
  /** The part that it was found in. */
  readonly section: SectionName;
  /** How bad it is. */
  readonly level: Level;
  /** For programs: `invalid-config`, `bad-file`. */
  readonly code: string;
  /** What is wrong, in a sentence. */
  readonly message: string;
  /** What mends it, in one line. */
  readonly fix: string;
  /** The id of the origin that it is about. */
  readonly origin?: string;
  /** The file or folder in that origin. */
  readonly path?: string;
}

/** A fact on one line. */
export interface Line {
  /** `good` was checked and is so; a `note` is only said. */
  readonly mark: "good" | "note" | Level;
  /** A word or two: `settings`. */
  readonly label: string;
  /** The fact itself. */
  readonly text: string;
}

/** What was found in one part. */
export interface Section {
  /** Which part. */
  readonly name: SectionName;
  /** For people. */
  readonly lines: readonly Line[];
  /** What is wrong in it. */
  readonly problems: readonly Problem[];
  /** For programs: the same facts and more. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** All of it. */
export interface Report {
  /** `good` when there are no problems, `broken` when one of them is, else `look`. */
  readonly verdict: "good" | Level;
  /** The worst first, else in the order of the sections. */
  readonly problems: readonly Problem[];
  /** In the order in which people see them. */
  readonly sections: readonly Section[];
}

/** Joins sections into a report. */
export function reportOf(sections: readonly Section[]): Report {
  const all = sections.flatMap(({ problems }) => problems);
  const broken = all.filter(({ level }) => level === "broken");
  const problems = [...broken, ...all.filter(({ level }) => level === "look")];
  return { verdict: broken.length > 0 ? "broken" : all.length > 0 ? "look" : "good", problems, sections };
}
