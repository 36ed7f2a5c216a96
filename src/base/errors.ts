/**
 * What can go wrong with one request, as a closed set of plain values.
 *
 * A `Failure` is thrown once, inside a `BmadError`, and caught once, at the surface that was asked; each
 * surface maps the codes in a table of its own. Anything else that is thrown is a bug. Trouble that does not
 * stop a request is not a failure but a `Diagnostic` (model.ts).
 */

/** A request that cannot be answered, and all that is needed to say so well. */
export type Failure =
  | {
    code: "not-found";
    what: string;
    name: string;
    /** Similar names, the nearest first. */
    suggestions?: readonly string[];
    /** Every name, where they are a closed set: commands, lists, tools. */
    known?: readonly string[];
    hint?: string;
  }
  | { code: "ambiguous"; what: string; name: string; candidates: readonly Candidate[] }
  | { code: "invalid-input"; field: string; problem: string; hint?: string }
  | { code: "invalid-config"; setting: string; value?: string; source: string; problem: string }
  | { code: "invalid-file"; path: string; line?: number; column?: number; problem: string }
  | { code: "origin-unavailable"; origin: string; reason: string; hint?: string }
  | { code: "memory-unavailable"; reason: string; fix?: string }
  | { code: "outside-root"; path: string }
  | {
    code: "not-allowed";
    what: string;
    hint: string;
    /** The setting that allows it: each surface knows its own name for it. */
    setting?: "allowExec" | "mode" | "project";
  };

/** One of several things that a name can mean. */
export interface Candidate {
  /** The qualified name, which is never ambiguous. */
  readonly name: string;
  /** What the thing says of itself, to choose by; may be empty. */
  readonly description: string;
  /** How to ask for just this one, where the surface knows. */
  readonly call?: string;
}

/** The carrier of a failure through the stack. */
export class BmadError extends Error {
  /** The message is made from the failure; `options` can carry the error that caused it. */
  constructor(readonly failure: Failure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.name = "BmadError";
  }
}

/** Stops the present request with a failure. */
export function fail(failure: Failure): never {
  throw new BmadError(failure);
}

/** A failure in words: the problem first, then the fix. */
export function describe(failure: Failure): string {
  switch (failure.code) {
    case "not-found":
      return sentences(
        failure.known === undefined
          ? `No ${failure.what} named "${failure.name}"`
          : `Unknown ${failure.what} "${failure.name}"`,
        suggestionOf(failure.suggestions) ?? (failure.known && `Use one of ${failure.known.join(", ")}`),
        failure.hint,
      );
    case "ambiguous": {
      const lines = failure.candidates.map(({ name, description, call }) =>
        `- ${name}: ${description}${call === undefined ? "" : ` → ${call}`}`
      );
      return `"${failure.name}" matches several ${failure.what}s. Use one of:\n${lines.join("\n")}`;
    }
    case "invalid-input":
      return sentences(`Invalid ${failure.field}: ${failure.problem}`, failure.hint);
    case "invalid-config": {
      const { setting, value, source, problem } = failure;
      return value === undefined
        ? problem
        : `Invalid ${setting} ${JSON.stringify(value)} (${source}): ${problem}`;
    }
    case "invalid-file": {
      const place = [failure.path, failure.line, failure.column].filter((part) => part !== undefined);
      return `Cannot read settings file ${place.join(":")}: ${failure.problem}`;
    }
    case "origin-unavailable":
      return sentences(`Cannot open ${failure.origin}: ${failure.reason}`, failure.hint);
    case "memory-unavailable":
      return `Project memory is unavailable: ${failure.reason}`;
    case "outside-root":
      return `Access denied: "${failure.path}" is outside the served folders`;
    case "not-allowed":
      return `Cannot ${failure.what}: ${failure.hint}`;
  }
}

/** `Did you mean a, b or c?`; undefined without any suggestion. */
export function suggestionOf(names: readonly string[] = []): string | undefined {
  if (names.length === 0) return undefined;
  const last = names.at(-1)!;
  return `Did you mean ${names.length === 1 ? last : `${names.slice(0, -1).join(", ")} or ${last}`}?`;
}

/** Sentences with a full stop between them, and none at the end. */
function sentences(...all: readonly (string | undefined)[]): string {
  return all.filter((one) => one !== undefined).reduce((text, one) =>
    `${text}${/[.?!]$/.test(text) ? "" : "."} ${one}`
  );
}
