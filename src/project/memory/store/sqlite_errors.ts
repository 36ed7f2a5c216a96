/**
 * Errors of SQLite and of the disk as failures: what is wrong with the file, and whether memories are safe.
 *
 * Which fix to suggest is left to the surface, which goes by the problem. Any other error is a bug and passes through.
 */
import { BmadError, type MemoryProblem } from "../../../base/errors.ts";

const SAFE = "Saved memories are safe";

const TEXTS = {
  "damaged": "It is damaged. Move it away, then import your last export or restore a backup",
  "deleted": "It was deleted or moved. Try again",
  "disk-full": `The disk is full, broken or limits file sizes. Free some space and try again. ${SAFE}`,
  "locked": `Another program has kept it locked for too long. Try again. ${SAFE}`,
  "no-access": "It cannot be opened or written. Check its permissions and those of its folder",
  "not-a-database": "Not a memory database. Move it away, and a new one is created",
  "not-permitted": "The program was started without permission to open it",
} satisfies Partial<Record<MemoryProblem, string>>;

type FileProblem = keyof typeof TEXTS;

/** By message: not every SQLite call reports a code. */
const MESSAGES: readonly (readonly [message: RegExp, problem: FileProblem])[] = [
  [/locked/, "locked"],
  [/readonly|unable to open/, "no-access"],
  [/is full|I\/O/, "disk-full"],
  [/malformed|corrupt|vtable constructor|no such (table|column)/, "damaged"],
  [/not a database/, "not-a-database"],
];

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
    const reason = `${file}: ${TEXTS[problem]}`;
    throw new BmadError({ code: "memory-unavailable", problem, reason, subject: file }, { cause: error });
  }
}

function problemOf(error: Error): FileProblem | undefined {
  if (error instanceof Deno.errors.NotCapable) return "not-permitted";
  if (error instanceof Deno.errors.NotFound) return "deleted";
  if (error instanceof Deno.errors.PermissionDenied) return "no-access";
  if (!("code" in error) || error.code !== SQLITE_ERROR) return undefined;
  return MESSAGES.find(([message]) => message.test(error.message))?.[1];
}
