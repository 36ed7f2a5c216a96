/**
 * What can go wrong with one request, as a closed set of plain values.
 *
 * A `Failure` is thrown once, inside a `BmadError`, and caught once, at the surface that was asked; each
 * surface maps the codes in a table of its own. Anything else that is thrown is a bug. Trouble that does not
 * stop a request is not a failure but a `Diagnostic` (model.ts).
 */

/** A request that cannot be answered, and all that is needed to say so well. */
export type Failure =
  | { code: "not-found"; what: string; name: string; near: readonly string[]; hint?: string }
  | { code: "ambiguous"; what: string; name: string; candidates: readonly Candidate[] }
  | { code: "invalid-input"; field: string; problem: string; hint?: string }
  | { code: "invalid-config"; setting: string; value: string; source: string; wanted: string }
  | { code: "invalid-file"; path: string; line?: number; column?: number; problem: string }
  | { code: "origin-unavailable"; origin: string; reason: string; hint?: string }
  | { code: "memory-unavailable"; problem: MemoryProblem; reason: string; subject?: string }
  | { code: "outside-root"; path: string }
  | { code: "not-allowed"; what: string; hint: string };

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
  | "not-permitted"
  | "older-version"
  | "server-error"
  | "server-too-old"
  | "unreachable"
  | "wrong-collection";

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

/** A failure in words: what failed, what was wanted, what to try. */
export function describe(failure: Failure): string {
  switch (failure.code) {
    case "not-found": {
      const near = failure.near.length > 0 ? `: nearest are ${failure.near.join(", ")}` : "";
      return `Cannot find ${failure.what} "${failure.name}"${near}${hintOf(failure.hint)}`;
    }
    case "ambiguous": {
      const lines = failure.candidates.map(({ name, description, call }) =>
        `- ${name}: ${description}${call === undefined ? "" : ` → ${call}`}`
      );
      return `Cannot tell which ${failure.what} "${failure.name}" means: say one of\n${lines.join("\n")}`;
    }
    case "invalid-input":
      return `Cannot use ${failure.field}: ${failure.problem}${hintOf(failure.hint)}`;
    case "invalid-config":
      return `Cannot use setting ${failure.setting} = ${
        JSON.stringify(failure.value)
      } from ${failure.source}: ${failure.wanted}`;
    case "invalid-file": {
      const place = [failure.path, failure.line, failure.column].filter((part) => part !== undefined);
      return `Cannot read the settings file ${place.join(":")}: ${failure.problem}`;
    }
    case "origin-unavailable":
      return `Cannot open ${failure.origin}: ${failure.reason}${hintOf(failure.hint)}`;
    case "memory-unavailable":
      return `Project memory is unavailable: ${failure.reason}. Everything else still works`;
    case "outside-root":
      return `Cannot open "${failure.path}": it lies outside the folders that are served`;
    case "not-allowed":
      return `Cannot ${failure.what}: ${failure.hint}`;
  }
}

function hintOf(hint: string | undefined): string {
  return hint === undefined ? "" : `. ${hint}`;
}
