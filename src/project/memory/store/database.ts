/**
 * The file that memories are kept in: opened, brought up to date, and what goes wrong with it in words.
 *
 * Each commit is on the disk before it is acknowledged (WAL with synchronous=FULL), several programs may have the file
 * open at once, and one that is newer than this program is left alone. To change the tables, add a step to `STEPS`.
 */
import { DatabaseSync } from "node:sqlite";
import { BmadError, fail } from "../../../base/errors.ts";
import { MEMORY_TYPES } from "../../../base/memory_types.ts";

/** How the file is opened. */
export interface DatabaseOptions {
  readonly file: string;
  /** Whether nothing may be written. */
  readonly readOnly: boolean;
}

/** How long one program waits for another that writes, in milliseconds. */
const PATIENCE = 10_000;

/** What makes an empty file ours, step by step; a file says how many it has behind it. */
const STEPS: readonly string[] = [
  `CREATE TABLE memory (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL,
     type TEXT NOT NULL CHECK (type IN (${MEMORY_TYPES.map((type) => `'${type}'`).join(", ")})),
     agent TEXT NOT NULL,
     text TEXT NOT NULL,
     tags TEXT NOT NULL CHECK (json_valid(tags)),
     project TEXT NOT NULL,
     created_at TEXT NOT NULL,
     UNIQUE (type, id)
   ) STRICT;
   CREATE INDEX memory_agent ON memory (agent, type);
   -- With detail=none or detail=column a table without content ranks everything 0.
   CREATE VIRTUAL TABLE words USING fts5(terms, gloss, content='', contentless_delete=1, tokenize='ascii');
   CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
   CREATE TABLE vector (
     number INTEGER PRIMARY KEY REFERENCES memory (number) ON DELETE CASCADE,
     model TEXT NOT NULL,
     scale REAL NOT NULL,
     bytes BLOB NOT NULL,
     seq INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX vector_seq ON vector (seq);
   CREATE TABLE gone (number INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
   CREATE INDEX gone_seq ON gone (seq);
   CREATE TABLE counter (seq INTEGER NOT NULL) STRICT;
   INSERT INTO counter VALUES (0);`,
];

/** An open file. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  /** When it was read, for what is a copy in memory: where this differs now, it is out of date (`stampOf`). */
  readonly stamp?: string;
}

/** Opens the file, and makes it if there is none and it may be written. What only reads leaves no trace if it can. */
export function openDatabase({ file, readOnly }: DatabaseOptions): OpenDatabase {
  return speaking(file, () => {
    const { database, stamp } = (readOnly ? readWhole(file) : undefined) ??
      { database: new DatabaseSync(file, { readOnly }) };
    try {
      database.exec(`PRAGMA busy_timeout = ${PATIENCE}; PRAGMA foreign_keys = ON`);
      if (!readOnly) {
        database.exec("PRAGMA journal_mode = WAL");
        database.exec("PRAGMA synchronous = FULL");
      }
      if (stepsOf(database) < STEPS.length && !readOnly) {
        inTransaction(database, () => bringUpToDate(database));
      }
      if (stepsOf(database) !== STEPS.length) refuseVersion(file, stepsOf(database));
      return { database, stamp };
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** What differs as soon as somebody has written to the file. */
export function stampOf(file: string): string {
  return [file, logOf(file)].map((path) => {
    try {
      const { size, mtime } = Deno.statSync(path);
      return `${size} ${mtime?.getTime()}`;
    } catch {
      return "-";
    }
  }).join(", ");
}

const logOf = (file: string) => `${file}-wal`;

/** Where the header of a file says that it has a log beside it (2), or not (1). */
const LOG_MARKS = [18, 19] as const;

/**
 * A copy in memory of a file whose log is empty: nobody writes to it. SQLite itself would leave files beside it for
 * whoever reads, and where it may not, as on a disk that cannot be written, would not open it at all.
 */
function readWhole(file: string): OpenDatabase | undefined {
  const stamp = stampOf(file);
  if (sizeOf(logOf(file)) > 0) return undefined;
  const bytes = Deno.readFileSync(file);
  if (stampOf(file) !== stamp) return undefined;
  for (const place of LOG_MARKS) if (bytes[place] === 2) bytes[place] = 1;
  const database = new DatabaseSync(":memory:");
  database.deserialize(bytes);
  return { database, stamp };
}

/** 0 for a file that is not there, and for a link: it may lead anywhere. */
export function sizeOf(path: string): number {
  try {
    const { isFile, size } = Deno.lstatSync(path);
    return isFile ? size : 0;
  } catch {
    return 0;
  }
}

function stepsOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

function bringUpToDate(database: DatabaseSync): void {
  // Another program may have done it while this one waited.
  for (const step of STEPS.slice(stepsOf(database))) database.exec(step);
  database.exec(`PRAGMA user_version = ${Math.max(STEPS.length, stepsOf(database))}`);
}

function refuseVersion(file: string, steps: number): never {
  const isNewer = steps > STEPS.length;
  const reason = isNewer
    ? `${file} was written by a newer version of this program: update it`
    : `${file} is of an older version, and nothing may be written (--read-only)`;
  const fix = isNewer
    ? "Update this program"
    : "Bring it up to date by a start that may write: bmad-mcp memory status";
  return fail({ code: "memory-unavailable", reason, fix });
}

/** Does something whole or not at all, after every other program that writes. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

const SAFE = "What was remembered before is safe.";

/** What a message of SQLite means for people, and what mends it, where trying again does not. */
interface Reason {
  readonly message: RegExp;
  readonly reason: string;
  fix?(file: string, os: typeof Deno.build.os): string;
}

/** Where the shell is another one, what to do is said in words. */
const putAside: Reason["fix"] = (file, os) => {
  const folder = `${file.slice(0, file.lastIndexOf("/"))}/damaged-memory`;
  const how = os === "windows"
    ? `move ${file}, and the files beside it whose names begin like its name, into another folder`
    : `mkdir '${folder}' && mv '${file}'* '${folder}'`;
  return `Put it aside, and import your last export: ${how}`;
};
const giveRights: Reason["fix"] = (file, os) =>
  `Let this user read and write it: ${
    os === "windows"
      ? `in the properties of ${file}, take away "Read-only" and look under "Security"`
      : `chmod u+rw '${file}'`
  }`;
const CANNOT_OPEN = "it cannot be opened. Look at its rights and those of its folder.";

/** Not every way to call SQLite tells a code. */
const REASONS: readonly Reason[] = [
  {
    message: /locked/,
    reason: `another program has been writing to it for too long. Try again. ${SAFE}`,
  },
  {
    message: /readonly/,
    reason: `it may not be written. Look at its rights and those of its folder. ${SAFE}`,
    fix: giveRights,
  },
  {
    message: /is full/,
    reason: `the disk is full, so nothing was written. Make room and try again. ${SAFE}`,
  },
  {
    message: /I\/O/,
    reason: `the disk fails, is full, or limits the size of files. Make room and try again. ${SAFE}`,
  },
  {
    message: /malformed|corrupt|vtable constructor|no such (table|column)/,
    reason: "it is damaged. Put it aside, and import your last export or restore it from a backup.",
    fix: putAside,
  },
  {
    message: /not a database/,
    reason: "it is no memory file. Put it aside, and a new one is made.",
    fix: putAside,
  },
  { message: /unable to open/, reason: CANNOT_OPEN, fix: giveRights },
];

/** Does something with the file, and says in words what went wrong, and what mends it on this system. */
export function speaking<T>(file: string, work: () => T, os = Deno.build.os): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof BmadError || !(error instanceof Error)) throw error;
    const { reason: why, fix } = reasonOf(error) ?? {};
    if (why === undefined) throw error;
    const reason = `${file}: ${why} Everything that does not need it goes on working`;
    throw new BmadError({ code: "memory-unavailable", reason, fix: fix?.(file, os) }, { cause: error });
  }
}

function reasonOf(error: Error): Omit<Reason, "message"> | undefined {
  if (error instanceof Deno.errors.NotCapable) {
    return { reason: "the program was started without the right to open it." };
  }
  if (error instanceof Deno.errors.NotFound) {
    return { reason: "it is gone: somebody removed or moved it. Try again." };
  }
  if (error instanceof Deno.errors.PermissionDenied) return { reason: CANNOT_OPEN, fix: giveRights };
  const isOfSqlite = "code" in error && error.code === "ERR_SQLITE_ERROR";
  return isOfSqlite ? REASONS.find(({ message }) => message.test(error.message)) : undefined;
}

/** Fails where the pages of a file do not fit together: to count what is in it does not show that. */
export function checkPages(database: DatabaseSync): void {
  const answer = database.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  if (answer !== "ok") {
    throw Object.assign(new Error(`the file is malformed: ${answer}`), { code: "ERR_SQLITE_ERROR" });
  }
}
