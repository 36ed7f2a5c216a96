/**
 * A memory file may come with a cloned repository, and SQLite cannot be interrupted: it would wait for a pipe forever
 * or play back a foreign journal. So all its files must be plain and limited.
 */
import { attempt } from "../../../../base/absence.ts";
import { BmadError, fail, type MemoryProblem, systemCode } from "../../../../base/errors.ts";

/** What SQLite may use in place of the file, and does so before it reads the file itself. */
const BESIDE = { log: "-wal", index: "-shm", journal: "-journal" } as const;

export const PAGE_SIZE = 4_096;
const CREATION = 1_000;

/** Tables and indices; we have less than half as many. */
const MAX_TABLES = 40;
/** The largest description of a table that leaves no rest for another page. */
const MAX_DESCRIPTION = PAGE_SIZE - 35;
const LEAF = 13, INNER_NODE = 5;
const UTF8 = 1;

const LOG = { header: 32, frameHeader: 24, marks: [0x377f0682, 0x377f0683] } as const;

export const logOf = (file: string) => `${file}${BESIDE.log}`;

/** The files beside it are checked, too. A missing file is fine. */
export function checkPlain(file: string): void {
  const folder = statOf(file.slice(0, file.lastIndexOf("/")));
  if (folder?.isSymlink) refuseFile(file, "not-a-file");
  for (const path of [file, ...Object.values(BESIDE).map((ending) => `${file}${ending}`)]) {
    const stat = statOf(path);
    if (stat?.isFile === false) refuseFile(path, "not-a-file");
    if (stat !== undefined && stat.size > MAX_BYTES) refuseFile(path, "too-large");
  }
}

const held = new Map<string, number>();

export function holdFile(file: string): () => void {
  const key = keyOf(file);
  held.set(key, (held.get(key) ?? 0) + 1);
  return () => held.set(key, held.get(key)! - 1);
}

/** Then it must not be opened in any other way: closing it again would drop the locks of this process. */
export function isHeld(file: string): boolean {
  return (held.get(keyOf(file)) ?? 0) > 0;
}

function keyOf(file: string): string {
  const { dev, ino } = statOf(file) ?? {};
  return ino ? `${dev} ${ino}` : file;
}

/** What SQLite could not open in a short time is refused. Versions above `newest` are left to a newer program. */
export function checkDisk(file: string, newest: number): void {
  checkPlain(file);
  // It was checked when it was opened.
  if (isHeld(file)) return;
  waitForJournal(file);
  if (sizeOf(file) === 0) return;
  checkFirstPage(file, readStart(file), newest);
  const log = sizeOf(logOf(file)) === 0 ? new Uint8Array() : Deno.readFileSync(logOf(file));
  const numbers = viewOf(log);
  const isLog = log.length > LOG.header && LOG.marks.some((mark) => numbers.getUint32(0) === mark);
  if (!isLog) return;
  if (numbers.getUint32(8) !== PAGE_SIZE) refuseFile(file, "damaged");
  const length = LOG.frameHeader + PAGE_SIZE;
  for (let at = LOG.header; at + length <= log.length; at += length) {
    // SQLite makes the file as long as its log says.
    if (numbers.getUint32(at + 4) > MAX_BYTES / PAGE_SIZE) refuseFile(file, "too-large");
    if (numbers.getUint32(at) !== 1) continue;
    checkFirstPage(file, log.subarray(at + LOG.frameHeader, at + length), newest);
  }
}

let staleJournal: string | undefined;

/** Our files have a journal only at the moment of their creation, after which they have a log. */
function waitForJournal(file: string): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const journal = `${file}${BESIDE.journal}`;
  for (const since = performance.now(); sizeOf(journal) > 0; Atomics.wait(cell, 0, 0, 10)) {
    const stamp = `${journal} ${stampOf(journal)}`;
    if (performance.now() - since > CREATION) staleJournal = stamp;
    if (stamp === staleJournal) refuseFile(file, "damaged");
  }
}

function readStart(file: string): Uint8Array {
  const page = new Uint8Array(PAGE_SIZE);
  using open = Deno.openSync(file);
  return page.subarray(0, open.readSync(page) ?? 0);
}

/** See "Database File Format" in SQLite's documentation. */
function checkFirstPage(file: string, page: Uint8Array, newest: number): void {
  const isDatabase = new TextDecoder().decode(page.subarray(0, 16)) === "SQLite format 3\0";
  if (!isDatabase) refuseFile(file, "not-a-database");
  if (page.length < PAGE_SIZE) refuseFile(file, "damaged");
  const numbers = viewOf(page);
  if (numbers.getUint32(60) > newest) refuseFile(file, "newer-version");
  const kind = page[100], count = numbers.getUint16(103);
  const isOurs = numbers.getUint16(16) === PAGE_SIZE && numbers.getUint32(56) <= UTF8 &&
    kind !== INNER_NODE && count <= MAX_TABLES;
  if (!isOurs) refuseFile(file, "not-a-database");
  if (kind !== LEAF) refuseFile(file, "damaged");
  for (let at = 0; at < count; at++) {
    const cell = numbers.getUint16(108 + 2 * at);
    if (cell > PAGE_SIZE - 2) refuseFile(file, "damaged");
    const first = page[cell]!, second = page[cell + 1]!;
    const length = first < 128 ? first : second < 128 ? (first - 128) * 128 + second : Infinity;
    if (length > MAX_DESCRIPTION) refuseFile(file, "not-a-database");
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

export function stampOf(file: string): string {
  const stats = [file, logOf(file)].map(statOf);
  return stats.map((stat) => `${stat?.size} ${stat?.mtime?.getTime()}`).join(", ");
}

export function writtenAt(file: string): number {
  return Math.max(...[file, logOf(file)].map((path) => statOf(path)?.mtime?.getTime() ?? 0));
}

/** Does not follow a link, because it may lead anywhere. */
export function statOf(path: string): Deno.FileInfo | undefined {
  return attempt(() => Deno.lstatSync(path));
}

export function sizeOf(path: string): number {
  const stat = statOf(path);
  return stat?.isFile ? stat.size : 0;
}

const MEGABYTE = 2 ** 20;
/** Of a file, and of its log: whatever SQLite does with them takes seconds, not minutes. */
export const MAX_BYTES = 256 * MEGABYTE;
export const MAX_MEMORIES = 200_000;
export const MAX_VALUE = 4 * MEGABYTE;

const SAFE = "Saved memories are safe";

const TEXTS = {
  "damaged": "It is damaged. Move it away, then import your last export or restore a backup",
  "deleted": "It was deleted or moved. Try again",
  "disk-full": `The disk is full, broken or limits file sizes, or the file has ${MAX_BYTES / MEGABYTE} MB. ` +
    `Free some space and try again. ${SAFE}`,
  "locked": `Another program has kept it locked for too long. Try again. ${SAFE}`,
  "no-access": "It cannot be opened or written. Check its permissions and those of its folder",
  "newer-version": "It was written by a newer version of this program. Update the program",
  "not-a-database": "Not a memory database. Move it away, and a new one is created",
  "not-a-file": "Not a plain file. Move it away, and a new one is created",
  "not-permitted": "The program was started without permission to open it",
  "older-version": "It has the format of an older version and cannot be updated in read-only mode",
  "too-large":
    `It exceeds ${MAX_BYTES / MEGABYTE} MB, ${MAX_MEMORIES} memories or ${MAX_VALUE / MEGABYTE} MB ` +
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

const CODES: readonly (readonly [codes: string, problem: FileProblem])[] = [
  ["EACCES EPERM EROFS PermissionDenied", "no-access"],
  ["NotCapable", "not-permitted"],
  ["ENOENT", "deleted"],
  ["ENOTDIR EISDIR ELOOP", "not-a-file"],
  ["ENOSPC EDQUOT EFBIG EIO", "disk-full"],
];

const SQLITE_ERROR = "ERR_SQLITE_ERROR";

export function damageError(details: unknown): Error {
  return Object.assign(new Error(`the file is malformed: ${details}`), { code: SQLITE_ERROR });
}

export function isLocked(error: unknown): boolean {
  return error instanceof Error && problemOf(error) === "locked";
}

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

function failureOf(subject: string, problem: FileProblem) {
  return { code: "memory-unavailable", problem, reason: `${subject}: ${TEXTS[problem]}`, subject } as const;
}

function problemOf(error: Error): FileProblem | undefined {
  const code = systemCode(error);
  const refusal = CODES.find(([codes]) => codes.split(" ").some((one) => one === code))?.[1];
  if (refusal !== undefined || !("code" in error)) return refusal;
  // A number that no file of ours holds.
  if (error.code === "ERR_OUT_OF_RANGE") return "damaged";
  if (error.code !== SQLITE_ERROR) return undefined;
  return MESSAGES.find(([message]) => message.test(error.message))?.[1];
}
