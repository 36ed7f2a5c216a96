/**
 * What can go wrong with one request, as a closed set of plain values.
 *
 * A `Failure` is thrown once, inside a `BmadError`, and caught once, at the surface that got the request; each surface
 * maps the codes in a table of its own. Anything else that is thrown is a bug. A problem that does not stop a request
 * is not a failure but a `Diagnostic` (model.ts).
 */
import { suggestionOf } from "./suggestions.ts";
import { hideLogins, pluralOf } from "./text.ts";

/** A request that cannot be answered, with everything a good message needs. */
export type Failure =
  | {
    code: "not-found";
    what: string;
    name: string;
    suggestions?: readonly string[];
    /** Every name, where they are a closed set: commands, lists, tools. */
    known?: readonly string[];
    /** The item that has the name, but is of another kind than the one that was asked for. */
    other?: { readonly name: string; readonly kind: string };
    hint?: string;
  }
  | { code: "ambiguous"; what: string; name: string; candidates: readonly Candidate[] }
  /** Without a field, the problem is a sentence by itself. */
  | { code: "invalid-input"; field?: string; problem: string; hint?: string }
  | { code: "invalid-config"; setting: string; value?: string; source: string; problem: string }
  | { code: "invalid-file"; path: string; line?: number; column?: number; problem: string }
  | { code: "origin-unavailable"; origin: string; reason: string; hint?: string }
  | { code: "memory-unavailable"; problem: MemoryProblem; reason: string; subject?: string }
  | { code: "outside-root"; path: string }
  | {
    code: "not-allowed";
    what: string;
    hint: string;
    /** The setting that allows it: each surface knows its own name for it. */
    setting?: "allowExec" | "allowGit" | "mode" | "project";
    /** The ways out that the hint has named, each of which a surface spells in its own words. */
    fixes?: readonly Fix[];
  };

/** To plan first, to force it, or to say who asks. */
export type Fix = "plan" | "force" | { readonly by: string };

/** What is wrong with project memory, for a surface that knows a fix. The subject is the file or server that has it. */
export type MemoryProblem =
  | "damaged"
  | "deleted"
  | "disk-full"
  | "embedder-failed"
  | "embedder-missing"
  | "key-refused"
  | "locked"
  | "newer-version"
  | "no-access"
  | "not-a-database"
  | "not-a-file"
  | "not-permitted"
  | "older-version"
  | "server-error"
  | "server-too-old"
  | "too-large"
  | "too-many"
  | "unreachable"
  | "wrong-collection";

/** One of several items that a name can mean. */
export interface Candidate {
  /** The qualified name, which is unique. */
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  /** The call that means this one, if the surface knows it. */
  readonly call?: string;
}

/** The carrier of a failure through the stack. */
export class BmadError extends Error {
  /** The message describes the failure; `options` can carry the cause. */
  constructor(readonly failure: Failure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.name = "BmadError";
  }
}

/** Ends the current request with a failure. */
export function fail(failure: Failure): never {
  throw new BmadError(failure);
}

/** Fails because a word is not in a closed set: that is wrong usage, not a name that was not found. */
export function failUnknown(
  what: string,
  name: string,
  known: readonly string[],
  suggestions?: readonly string[],
): never {
  const problem = describe({ code: "not-found", what, name, known, suggestions });
  return fail({ code: "invalid-input", problem });
}

/** A failure in words: the problem first, then the fix. What a user typed may be a URL with a password. */
export function describe(failure: Failure): string {
  return hideLogins(wordsOf(failure));
}

function wordsOf(failure: Failure): string {
  switch (failure.code) {
    case "not-found":
      return sentences(
        failure.known === undefined
          ? `No ${failure.what} named "${failure.name}"`
          : `Unknown ${failure.what} "${failure.name}"`,
        failure.other === undefined
          ? suggestionOf(failure.suggestions) ?? (failure.known && `Use one of ${failure.known.join(", ")}`)
          : `${failure.other.name} is ${failure.other.kind === "agent" ? "an" : "a"} ${failure.other.kind}`,
        failure.hint,
      );
    case "ambiguous": {
      const lines = failure.candidates.map(({ name, description, call }) =>
        `- ${name}: ${description}${call === undefined ? "" : ` → ${call}`}`
      );
      return `"${failure.name}" matches several ${pluralOf(failure.what)}. Use one of:\n${lines.join("\n")}`;
    }
    case "invalid-input":
      return sentences(
        failure.field === undefined ? failure.problem : `Invalid ${failure.field}: ${failure.problem}`,
        failure.hint,
      );
    case "invalid-config": {
      const { setting, value, source, problem } = failure;
      if (value === undefined) return problem;
      // A flag or a variable names the setting well enough; a line of a file does not.
      const place = /^(-|[A-Z_]+$)/.test(source)
        ? `${source} ${JSON.stringify(value)}`
        : `${setting} ${JSON.stringify(value)} in ${source}`;
      return `Invalid ${place}: ${problem}`;
    }
    case "invalid-file": {
      const place = [failure.path, failure.line, failure.column].filter((part) => part !== undefined);
      return `Cannot read ${place.join(":")}: ${failure.problem}`;
    }
    case "origin-unavailable":
      return sentences(`Cannot open ${failure.origin}: ${failure.reason}`, failure.hint);
    case "memory-unavailable":
      return sentences(`Project memory is unavailable: ${failure.reason}`, "Everything else still works");
    case "outside-root":
      return `Access denied: "${failure.path}" is outside the served folders`;
    case "not-allowed":
      return `Cannot ${failure.what}: ${failure.hint}`;
  }
}

/** Sentences with a full stop between them, and none at the end. */
export function sentences(...all: readonly (string | undefined)[]): string {
  return all.filter((one) => one !== undefined).reduce((text, one) =>
    `${text}${/[.?!]$/.test(text) ? "" : "."} ${one}`
  );
}
