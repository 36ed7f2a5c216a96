/**
 * A memory file as the disk has it, checked before SQLite sees it.
 *
 * The file may come with a repository that the user merely cloned, and SQLite cannot be interrupted: it would wait for
 * a pipe forever, play back a foreign journal, and read a list of tables without an end. So the file and the files
 * beside it must be plain and of a limited size, and the list of tables must fit into the first page, as ours does.
 */
import { MAX_BYTES, refuseFile as refuse } from "./sqlite_errors.ts";

/** What SQLite may use in place of the file, and does so before it reads the file itself. */
const BESIDE = { log: "-wal", index: "-shm", journal: "-journal" } as const;

export const PAGE_SIZE = 4_096;
/** How long another program may take to create the file, in milliseconds. */
const CREATION = 1_000;

/** Tables and indices; we have less than half as many. */
const MAX_TABLES = 40;
/** The largest description of a table that leaves no rest for another page. */
const MAX_DESCRIPTION = PAGE_SIZE - 35;
const LEAF = 13, INNER_NODE = 5;
const UTF8 = 1;

const LOG = { header: 32, frameHeader: 24, marks: [0x377f0682, 0x377f0683] } as const;

export const logOf = (file: string) => `${file}${BESIDE.log}`;

/** Refuses links, pipes, devices and folders, also in place of the files beside it. A missing file is fine. */
export function checkPlain(file: string): void {
  const folder = statOf(file.slice(0, file.lastIndexOf("/")));
  if (folder?.isSymlink) refuse(file, "not-a-file");
  for (const path of [file, ...Object.values(BESIDE).map((ending) => `${file}${ending}`)]) {
    const stat = statOf(path);
    if (stat?.isFile === false) refuse(path, "not-a-file");
    if (stat !== undefined && stat.size > MAX_BYTES) refuse(path, "too-large");
  }
}

/** How often this process has each file open, by its number on the disk. */
const held = new Map<string, number>();

/** Notes that SQLite has the file open; returns a function that ends this. */
export function holdFile(file: string): () => void {
  const key = keyOf(file);
  held.set(key, (held.get(key) ?? 0) + 1);
  return () => held.set(key, held.get(key)! - 1);
}

/**
 * Whether SQLite has the file open in this process. Then it must not be opened in any other way: closing it again would
 * drop the locks of this process (`isDatabase`).
 */
export function isHeld(file: string): boolean {
  return (held.get(keyOf(file)) ?? 0) > 0;
}

function keyOf(file: string): string {
  const { dev, ino } = statOf(file) ?? {};
  return ino ? `${dev} ${ino}` : file;
}

/** Refuses what SQLite could not open in a short time. Versions above `newest` are left to a newer program. */
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
  if (numbers.getUint32(8) !== PAGE_SIZE) refuse(file, "damaged");
  const length = LOG.frameHeader + PAGE_SIZE;
  for (let at = LOG.header; at + length <= log.length; at += length) {
    // SQLite makes the file as long as its log says.
    if (numbers.getUint32(at + 4) > MAX_BYTES / PAGE_SIZE) refuse(file, "too-large");
    if (numbers.getUint32(at) !== 1) continue;
    checkFirstPage(file, log.subarray(at + LOG.frameHeader, at + length), newest);
  }
}

/** The journal that was waited for in vain. */
let staleJournal: string | undefined;

/** Our files have a journal only at the moment of their creation, after which they have a log. */
function waitForJournal(file: string): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const journal = `${file}${BESIDE.journal}`;
  for (const since = performance.now(); sizeOf(journal) > 0; Atomics.wait(cell, 0, 0, 10)) {
    const stamp = `${journal} ${stampOf(journal)}`;
    if (performance.now() - since > CREATION) staleJournal = stamp;
    if (stamp === staleJournal) refuse(file, "damaged");
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
  if (!isDatabase) refuse(file, "not-a-database");
  if (page.length < PAGE_SIZE) refuse(file, "damaged");
  const numbers = viewOf(page);
  if (numbers.getUint32(60) > newest) refuse(file, "newer-version");
  const kind = page[100], count = numbers.getUint16(103);
  const isOurs = numbers.getUint16(16) === PAGE_SIZE && numbers.getUint32(56) <= UTF8 &&
    kind !== INNER_NODE && count <= MAX_TABLES;
  if (!isOurs) refuse(file, "not-a-database");
  if (kind !== LEAF) refuse(file, "damaged");
  for (let at = 0; at < count; at++) {
    const cell = numbers.getUint16(108 + 2 * at);
    if (cell > PAGE_SIZE - 2) refuse(file, "damaged");
    const first = page[cell]!, second = page[cell + 1]!;
    const length = first < 128 ? first : second < 128 ? (first - 128) * 128 + second : Infinity;
    if (length > MAX_DESCRIPTION) refuse(file, "not-a-database");
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Differs as soon as another program has written to the file. */
export function stampOf(file: string): string {
  const stats = [file, logOf(file)].map(statOf);
  return stats.map((stat) => `${stat?.size} ${stat?.mtime?.getTime()}`).join(", ");
}

/** When the file or its log was last written; 0 if it is missing. */
export function writtenAt(file: string): number {
  return Math.max(...[file, logOf(file)].map((path) => statOf(path)?.mtime?.getTime() ?? 0));
}

/** Does not follow a link, because it may lead anywhere. */
export function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    return undefined;
  }
}

/** 0 for anything but a plain file. */
export function sizeOf(path: string): number {
  const stat = statOf(path);
  return stat?.isFile ? stat.size : 0;
}
