import { command } from "../../base/text.ts";
import type { Host } from "../../process/host.ts";

type SectionName = "environment" | "binary" | "content" | "project" | "memory" | "clients";

type Level = "error" | "warning";

export interface Problem {
  readonly level: Level;
  /** For programs: `invalid-config`, `bad-file`. */
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly origin?: string;
  readonly path?: string;
}

export interface Line {
  readonly status: "ok" | "info" | Level;
  readonly label: string;
  readonly text: string;
}

export interface Section {
  readonly name: SectionName;
  readonly lines: readonly Line[];
  readonly problems: readonly Problem[];
  readonly data: Readonly<Record<string, unknown>>;
}

export interface LocatedProblem extends Problem {
  readonly section: SectionName;
}

export interface Report {
  readonly verdict: "ok" | Level;
  readonly problems: readonly LocatedProblem[];
  readonly sections: readonly Section[];
}

export function line(status: Line["status"], label: string, text: string): Line {
  return { status, label, text };
}

export function error(code: string, message: string, fix: string): Problem {
  return { level: "error", code, message, fix };
}

export function warning(code: string, message: string, fix: string): Problem {
  return { level: "warning", code, message, fix };
}

type Maybe<T> = T | false | undefined;

export function section(
  name: SectionName,
  { lines, problems, data }: {
    readonly lines: readonly Maybe<Line>[];
    readonly problems: readonly Maybe<Problem>[];
    readonly data: Section["data"];
  },
): Section {
  const given = <T>(all: readonly Maybe<T>[]): readonly T[] =>
    all.filter((one): one is T => one !== false && one !== undefined);
  return { name, lines: given(lines), problems: given(problems), data };
}

export function buildReport(sections: readonly Section[]): Report {
  const all = sections.flatMap(({ name, problems }) =>
    problems.map((one): LocatedProblem => ({ section: name, ...one }))
  );
  const problems = (["error", "warning"] as const).flatMap((level) =>
    all.filter((one) => one.level === level)
  );
  return { verdict: problems[0]?.level ?? "ok", problems, sections };
}

/**
 * The start of a command that gives the foreign ones to the user; empty if none is, undefined if it cannot be written.
 */
export type Reclaim = (
  paths: readonly string[],
  options?: { readonly isRecursive?: boolean },
) => string | undefined;

/** Compares owners with the owner of the home folder. Root may change everything, and Windows knows no owners. */
export function openReclaim({ look }: Pick<Host, "look">, homeOwner: number | undefined): Reclaim {
  return (paths, { isRecursive = false } = {}) => {
    const foreign = paths.filter((path) => {
      const uid = look(path)?.owner?.uid;
      return uid !== undefined && homeOwner !== undefined && homeOwner !== ROOT && uid !== homeOwner;
    });
    if (foreign.length === 0) return "";
    const flags = { line: isRecursive ? "-R " : "" };
    return command`sudo chown ${flags}"$(id -u):$(id -g)" ${{ args: foreign }} && `;
  };
}

const ROOT = 0;
