/** Thrown once as a `BmadError`, caught once at the surface. Anything else that is thrown is a bug. */
import { suggest, suggestionOf } from "./suggestions.ts";
import { hideLogins, oneLine, pluralOf } from "./text.ts";

export type Failure =
  | {
    code: "not-found";
    what: string;
    name: string;
    suggestions?: readonly string[];
    /** All names of a closed set: commands, lists, tools. */
    known?: readonly string[];
    /** The item with this name but another kind, or the successor of a renamed one. */
    other?: { readonly name: string; readonly kind: string; readonly isSuccessor?: boolean };
    origin?: string;
    module?: string;
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
  /** Without a path, it is the program's own output. */
  | { code: "not-writable"; path?: string; reason: string; fix: string }
  | {
    code: "not-allowed";
    what: string;
    hint: string;
    /** Appended to the hint, before the words of the fixes; `reasonOf` leaves both out. */
    advice?: string;
    objections?: readonly FailedCheck[];
    setting?: "allowExec" | "allowGit" | "mode" | "project";
    /** It is not theirs to do, by role or for everybody here; otherwise something else comes first. */
    isRight?: true;
    fixes?: readonly Fix[];
  };

/** `reason` says where, `problem` is the same without the place. */
export interface FailedCheck {
  readonly reason: string;
  readonly problem: string;
  readonly fix: string;
  readonly settledBy?: Fix;
}

/** `self` is a name, too, by somebody who may be the holder; `overrule` is force against somebody else. */
export type Fix = "plan" | "next" | "owner" | "self" | "reason" | "force" | "overrule";

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

export interface Candidate {
  readonly name: string;
  readonly description: string;
  readonly call?: string;
}

export class BmadError extends Error {
  constructor(readonly failure: Failure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.name = "BmadError";
  }
}

export function fail(failure: Failure): never {
  throw new BmadError(failure);
}

export function failField(field: string, problem: string, hint?: string): never {
  return fail({ code: "invalid-input", field, problem, ...(hint !== undefined && { hint }) });
}

export function failInput(problem: string, hint?: string): never {
  return fail({ code: "invalid-input", problem, ...(hint !== undefined && { hint }) });
}

/** `what` completes "Cannot …"; `hint` says why, or what can be done. */
export function forbid(what: string, hint: string): never {
  return fail({ code: "not-allowed", what, hint });
}

export function failMissing(
  what: string,
  name: string,
  facts: Omit<Failure & { code: "not-found" }, "code" | "what" | "name"> = {},
): never {
  return fail({ code: "not-found", what, name, ...facts });
}

export function failOutside(path: string): never {
  return fail({ code: "outside-root", path });
}

export function failFile(path: string, problem: string): never {
  return fail({ code: "invalid-file", path, problem });
}

/** Anything else that was thrown is a bug, and goes on. */
export function expectFailure(error: unknown): Failure {
  if (error instanceof BmadError) return error.failure;
  throw error;
}

/** A word outside a closed set is wrong usage, not a name that was not found. */
export function failUnknown(
  what: string,
  name: string,
  known: readonly string[],
  suggestions?: readonly string[],
): never {
  const problem = describe({ code: "not-found", what, name, known, suggestions });
  return failInput(problem);
}

const MAX_SHOWN = 60;

export function chooseFrom<T extends string>(known: readonly T[], what: string, given: string): T {
  const word = given.toLowerCase();
  return known.find((one) => one.toLowerCase() === word) ??
    failUnknown(what, oneLine(given.slice(0, MAX_SHOWN).toWellFormed()), known, suggest(word, known));
}

/** The problem first, then the fix. What a user typed may be a URL with a password. */
export function describe(failure: Failure): string {
  return hideLogins(wordsOf(failure));
}

export function reasonOf(failure: Failure): string {
  return describe(
    failure.code === "not-allowed" ? { ...failure, advice: undefined, fixes: undefined } : failure,
  );
}

function otherItem(
  { name, kind, isSuccessor }: NonNullable<Extract<Failure, { code: "not-found" }>["other"]>,
): string {
  const item = isSuccessor ? `${name}, which does its work now,` : name;
  return `${item} is ${kind === "agent" ? "an" : "a"} ${kind}`;
}

function wordsOf(failure: Failure): string {
  switch (failure.code) {
    case "not-found":
      return sentences(
        failure.known === undefined
          ? `No ${failure.what} named "${failure.name}"`
          : failure.name.trim() === ""
          ? `Missing ${failure.what}`
          : `Unknown ${failure.what} "${failure.name}"`,
        failure.other === undefined
          ? suggestionOf(failure.suggestions) ?? (failure.known && `Use one of ${failure.known.join(", ")}`)
          : otherItem(failure.other),
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
    case "not-writable":
      return sentences(`Cannot write ${failure.path ?? "the output"}: ${failure.reason}`, failure.fix);
    case "not-allowed":
      return `Cannot ${failure.what}: ${failure.hint}${listed(failure.objections)}${adviceOf(failure)}`;
  }
}

export function adviceOf({ advice = "", fixes = [], objections }: Failure & { code: "not-allowed" }): string {
  const own = fixes.includes("self") ? `${advice}; if that is you, say so` : advice;
  if (fixes.includes("reason")) return own || "\nOr say why it is done all the same";
  if (!fixes.includes("force") && !fixes.includes("overrule")) return own;
  if (objections !== undefined) return `${own}\nOr force it, which is recorded`;
  return own === "" ? "; force it if that is meant" : `${own}; or force it`;
}

function listed(objections: readonly FailedCheck[] = []): string {
  const lines = objections.map(({ reason, fix }) => `\n- ${reason}\n  Fix: ${fix}`);
  return lines.length === 0 ? "" : `:${lines.join("")}`;
}

const REFUSALS: readonly (readonly [codes: string, reason: string, fix: string])[] = [
  ["EACCES EPERM", "permission denied", "Check who owns it and its folder, and their permissions"],
  ["EROFS", "the file system is read-only", "Mount it writable, or work on a writable copy"],
  ["ENOSPC", "the disk is full", "Free some space and try again"],
  ["EDQUOT", "your disk quota is used up", "Free some space and try again"],
  ["EFBIG", "the file would be too large for this disk or user", "Raise the limit, or shorten the file"],
  ["ENOTDIR", "a part of its path is a file, not a folder", "Move that file away"],
  ["EISDIR", "it is a folder", "Move that folder away"],
  ["ENOENT", "its folder does not exist or was just deleted", "Create the folder and try again"],
  ["ELOOP", "its links lead in a circle", "Delete these links"],
  ["ENAMETOOLONG", "the name is too long for this file system", "Choose a shorter one"],
  ["EIO", "the disk reports an error", "Check the disk"],
  ["ESTALE", "the network drive was disconnected", "Connect it again"],
  ["EBUSY ETXTBSY", "another program is using it", "Close that program and try again"],
  ["EMFILE ENFILE", "too many files are open", "Close other programs and try again"],
  ["ENOLCK ENOTSUP EOPNOTSUPP", "its file system cannot lock files", "Move the folder to a local disk"],
  [
    "NotCapable",
    "the program was not granted that folder; a link may lead it out of the project",
    "Replace the link with a folder, or restart the program",
  ],
];

const FROM_WRITES: readonly string[] = ["EROFS", "ENOSPC", "EDQUOT", "EFBIG"];

export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && /^E[A-Z0-9]+$/.test(String(error.code))) return String(error.code);
  // The runtime has no name for it.
  if (/\(os error 27\)/.test(error.message)) return "EFBIG";
  // Its own refusals have no code.
  return ["NotCapable", "PermissionDenied"].find((name) => name === error.name);
}

/** With the path as people know it. Other errors are bugs, and pass. */
export function reportRefusal<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw refusal(code, error as Error, path);
  }
}

export function failureIn(error: unknown): BmadError | undefined {
  if (error instanceof BmadError) return error;
  const code = systemCode(error);
  if (code === undefined || !FROM_WRITES.includes(code)) return undefined;
  const { message } = error as Error;
  return refusal(code, error as Error, /[:,] [a-z]+ '([^'\n]+)'/.exec(message)?.[1]);
}

function refusal(code: string, error: Error, path: string | undefined): BmadError {
  const [, reason = systemWords(error), fix = "Check it and its folder, then try again"] =
    REFUSALS.find(([codes]) => codes.split(" ").includes(code)) ?? [];
  return new BmadError({ code: "not-writable", path, reason, fix }, { cause: error });
}

/** The system's words, as Deno and as Node quote them; any other message as it is. */
export function systemWords({ message }: Error): string {
  const [, deno, node] = /^(?:([^\n]*?) ?\(os error \d+\)|E[A-Z]+: ([^,\n]+), )/.exec(message) ?? [];
  return deno ?? node ?? message;
}

export function sentences(...all: readonly (string | undefined)[]): string {
  return all.filter((one) => one !== undefined).reduce((text, one) =>
    `${text}${/[.?!]$/.test(text) ? "" : "."} ${one}`
  );
}
