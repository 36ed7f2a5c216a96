/**
 * Errors of SQLite and of the disk as failures: what is wrong with the file, and whether memories are safe.
 *
 * Which fix to suggest is left to the surface, which goes by the problem. Any other error is a bug and passes through.
 */
import { BmadError, fail, type MemoryProblem, systemCode } from "../../../../base/errors.ts";

/** The most bytes of a file, and of its log: whatever SQLite does with them takes seconds, not minutes. */
export const MAX_BYTES = 256 * 2 ** 20;
export const MAX_MEMORIES = 200_000;
/** Of one value, in bytes. */
export const MAX_VALUE = 4 * 2 ** 20;

const SAFE = "Saved memories are safe";
const inMegabytes = (bytes: number) => `${bytes / 2 ** 20} MB`;

const TEXTS = {
  "damaged": "It is damaged. Move it away, then import your last export or restore a backup",
  "deleted": "It was deleted or moved. Try again",
  "disk-full": `The disk is full, broken or limits file sizes, or the file has ${
    inMegabytes(MAX_BYTES)
  }. Free some space and try again. ${SAFE}`,
  "locked": `Another program has kept it locked for too long. Try again. ${SAFE}`,
  "no-access": "It cannot be opened or written. Check its permissions and those of its folder",
  "newer-version": "It was written by a newer version of this program. Update the program",
  "not-a-database": "Not a memory database. Move it away, and a new one is created",
  "not-a-file": "Not a plain file. Move it away, and a new one is created",
  "not-permitted": "The program was started without permission to open it",
  "older-version": "It has the format of an older version and cannot be updated in read-only mode",
  "too-large":
    `It exceeds ${inMegabytes(MAX_BYTES)}, ${MAX_MEMORIES} memories or ${inMegabytes(MAX_VALUE)} ` +
    "for one of them. Move it away, and a new one is created",
} satisfies Partial<Record<MemoryProblem, string>>;

type FileProblem = keyof typeof TEXTS;

/** By message: not every SQLite call reports a code. */
const MESSAGES: readonly (readonly [message: RegExp, problem: FileProblem])[] = [
  [/locked/, "locked"],
  [/readonly|unable to open/, "no-access"],
  [/is full|I\/O/, "disk-full"],
  [/not a database|database schema/, "not-a-database"],
  // Our statements break no constraint unless the index of words contradicts itself.
  [/malformed|corrupt|vtable constructor|constraint failed/, "damaged"],
  [/too big|out of memory/, "too-large"],
];

/** Of the system, by the code of its error. */
const CODES: Readonly<Record<string, FileProblem>> = {
  EACCES: "no-access",
  EPERM: "no-access",
  EROFS: "no-access",
  PermissionDenied: "no-access",
  NotCapable: "not-permitted",
  ENOENT: "deleted",
  ENOTDIR: "not-a-file",
  EISDIR: "not-a-file",
  ELOOP: "not-a-file",
  ENOSPC: "disk-full",
  EDQUOT: "disk-full",
  EFBIG: "disk-full",
  EIO: "disk-full",
};

const SQLITE_ERROR = "ERR_SQLITE_ERROR";

/** The error of a file whose pages contradict each other, which counting its memories does not reveal. */
export function damageError(details: unknown): Error {
  return Object.assign(new Error(`the file is malformed: ${details}`), { code: SQLITE_ERROR });
}

export function isLocked(error: unknown): boolean {
  return error instanceof Error && problemOf(error) === "locked";
}

/** Works with a file, and throws what is wrong with it as a failure. */
export function translateErrors<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const problem = error instanceof Error ? problemOf(error) : undefined;
    if (problem === undefined) throw error;
    throw new BmadError(failureOf(file, problem), { cause: error });
  }
}

export function refuseFile(file: string, problem: FileProblem): never {
  return fail(failureOf(file, problem));
}

function failureOf(file: string, problem: FileProblem) {
  return {
    code: "memory-unavailable",
    problem,
    reason: `${file}: ${TEXTS[problem]}`,
    subject: file,
  } as const;
}

function problemOf(error: Error): FileProblem | undefined {
  const refusal = CODES[systemCode(error) ?? ""];
  if (refusal !== undefined) return refusal;
  if (!("code" in error)) return undefined;
  // A number that no file of ours holds.
  if (error.code === "ERR_OUT_OF_RANGE") return "damaged";
  if (error.code !== SQLITE_ERROR) return undefined;
  return MESSAGES.find(([message]) => message.test(error.message))?.[1];
}
