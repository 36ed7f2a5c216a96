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
    /** The item that has the name, or does the work of the one that had it, but is of another kind than was asked for. */
    other?: { readonly name: string; readonly kind: string; readonly isSuccessor?: boolean };
    /** The source that has it, and is used only by those who choose it. */
    origin?: string;
    /** The module of BMAD that has it, and is not here. */
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
  /** The system refuses to write. Without a path, it is what the program prints. */
  | { code: "not-writable"; path?: string; reason: string; fix: string }
  | {
    code: "not-allowed";
    what: string;
    hint: string;
    /** How the hint goes on: what its reader can do, where that is not the same for everybody who is told the reason. */
    advice?: string;
    /** What the hint counts, for surfaces that show it as a list. */
    objections?: readonly FailedCheck[];
    /** The setting that allows it: each surface knows its own name for it. */
    setting?: "allowExec" | "allowGit" | "mode" | "project";
    /** The ways out that the hint has named, each of which a surface spells in its own words. */
    fixes?: readonly Fix[];
  };

/** What a check has found: where and what it is, the same without the place, and its fix. */
export interface FailedCheck {
  readonly reason: string;
  readonly problem: string;
  readonly fix: string;
}

/** To plan first, to say who does it, or to force it. */
export type Fix = "plan" | "owner" | "force";

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

/** The same without the advice, for a reader who did not ask for it and cannot follow it. */
export function reasonOf(failure: Failure): string {
  return describe(failure.code === "not-allowed" ? { ...failure, advice: undefined } : failure);
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
      return `Cannot ${failure.what}: ${failure.hint}${listed(failure.objections)}${failure.advice ?? ""}`;
  }
}

function listed(objections: readonly FailedCheck[] = []): string {
  const lines = objections.map(({ reason, fix }) => `\n- ${reason}\n  Fix: ${fix}`);
  return lines.length === 0 ? "" : `:${lines.join("")}`;
}

const PERMISSION = [
  "permission denied",
  "Check who owns it and its folder, and their permissions",
] as const;
const IN_USE = ["another program is using it", "Close that program and try again"] as const;
const TOO_MANY = ["too many files are open", "Close other programs and try again"] as const;
const NO_LOCKS = ["its file system cannot lock files", "Move the folder to a local disk"] as const;

/** Why a system refuses to write, and the fix, by the code of its error. */
const REFUSALS: Readonly<Record<string, readonly [reason: string, fix: string]>> = {
  EACCES: PERMISSION,
  EPERM: PERMISSION,
  EROFS: ["the file system is read-only", "Mount it writable, or work on a writable copy"],
  ENOSPC: ["the disk is full", "Free some space and try again"],
  EDQUOT: ["your disk quota is used up", "Free some space and try again"],
  EFBIG: ["the file would be too large for this disk or user", "Raise the limit, or shorten the file"],
  ENOTDIR: ["a part of its path is a file, not a folder", "Move that file away"],
  EISDIR: ["it is a folder", "Move that folder away"],
  ENOENT: ["its folder does not exist or was just deleted", "Create the folder and try again"],
  ELOOP: ["its links lead in a circle", "Delete these links"],
  ENAMETOOLONG: ["the name is too long for this file system", "Choose a shorter one"],
  EIO: ["the disk reports an error", "Check the disk"],
  ESTALE: ["the network drive was disconnected", "Connect it again"],
  EBUSY: IN_USE,
  ETXTBSY: IN_USE,
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
  ENOLCK: NO_LOCKS,
  ENOTSUP: NO_LOCKS,
  EOPNOTSUPP: NO_LOCKS,
  NotCapable: [
    "the program was not granted that folder; a link may lead it out of the project",
    "Replace the link with a folder, or restart the program",
  ],
};

/** Only writes fail with these, so that they need no other hint at what was tried. */
const FROM_WRITES: readonly string[] = ["EROFS", "ENOSPC", "EDQUOT", "EFBIG"];

/** The code of an error with which the system or the runtime refuses something; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && /^E[A-Z0-9]+$/.test(String(error.code))) return String(error.code);
  // The runtime's own refusals have no code.
  return ["NotCapable", "PermissionDenied"].find((name) => name === error.name);
}

/** Writes, and reports what the system refuses with the path as people know it. Other errors are bugs, and pass. */
export function reportRefusal<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw refusal(code, error as Error, path);
  }
}

/** The failure that an error carries or amounts to; undefined for a bug. */
export function failureIn(error: unknown): BmadError | undefined {
  if (error instanceof BmadError) return error;
  const code = systemCode(error);
  if (code === undefined || !FROM_WRITES.includes(code)) return undefined;
  const { message } = error as Error;
  return refusal(code, error as Error, /[:,] [a-z]+ '([^'\n]+)'/.exec(message)?.[1]);
}

function refusal(code: string, error: Error, path: string | undefined): BmadError {
  const [reason, fix] = REFUSALS[code] ?? [wordsIn(error), "Check it and its folder, then try again"];
  return new BmadError({ code: "not-writable", path, reason, fix }, { cause: error });
}

/** The system's words, as Deno and as Node quote them. */
function wordsIn({ message }: Error): string {
  const [, deno, node] = /^(?:([^\n]*?) ?\(os error \d+\)|E[A-Z]+: ([^,\n]+), )/.exec(message) ?? [];
  return deno ?? node ?? message;
}

/** Sentences with a full stop between them, and none at the end. */
export function sentences(...all: readonly (string | undefined)[]): string {
  return all.filter((one) => one !== undefined).reduce((text, one) =>
    `${text}${/[.?!]$/.test(text) ? "" : "."} ${one}`
  );
}
