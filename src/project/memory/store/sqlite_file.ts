/**
 * The SQLite file that holds memories: opening it, bringing its tables up to date, and running statements on it.
 *
 * Each commit is on the disk before it is acknowledged (WAL with synchronous=FULL), several programs may have the file
 * open at once, and a file newer than this program is left alone. To change the tables, add a step to `STEPS`.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { fail } from "../../../base/errors.ts";
import { MEMORY_TYPES } from "../../../base/model.ts";
import { isLocked, translateErrors } from "./sqlite_errors.ts";

export interface FileOptions {
  readonly file: string;
  readonly readOnly: boolean;
}

/** How long a program waits for another one to finish writing, in milliseconds. */
const BUSY_TIMEOUT = 10_000;

/** What turns an empty file into ours, step by step; `user_version` counts the steps a file has been through. */
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

/** An open file with its prepared statements. What is read is never stale, also where it is read from a copy. */
export class MemoryFile {
  /** Grows when the file was opened again: whatever was cached from it is then stale. */
  version = 0;
  #opened: Opened;
  readonly #statements = new Map<string, StatementSync>();

  /** A writable file is created if it is missing. */
  constructor(readonly options: FileOptions) {
    this.#opened = openFile(options);
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, statement = this.#opened.database.prepare(sql));
    return statement;
  }

  /** The first column of the only row. */
  number(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(Object.values(this.prepare(sql).get(...values) ?? {})[0]);
  }

  /** Runs statements that only read, all of them on the latest version of the file. */
  read<T>(work: () => T): T {
    return translateErrors(this.options.file, () => {
      this.#refresh();
      return work();
    });
  }

  write<T>(work: () => T): T {
    return translateErrors(this.options.file, () => inTransaction(this.#opened.database, work));
  }

  close(): void {
    this.#opened.database.close();
  }

  #refresh(): void {
    const { database, stamp } = this.#opened;
    if (stamp === undefined || stampOf(this.options.file) === stamp) return;
    this.#opened = openFile(this.options);
    this.#statements.clear();
    this.version++;
    database.close();
  }
}

interface Opened {
  readonly database: DatabaseSync;
  /** Set for a copy in memory, which is stale once `stampOf` the file differs. */
  readonly stamp?: string;
}

function openFile({ file, readOnly }: FileOptions): Opened {
  return translateErrors(file, () => {
    const opened: Opened = (readOnly ? copyToMemory(file) : undefined) ??
      { database: new DatabaseSync(file, { readOnly }) };
    const { database } = opened;
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}; PRAGMA foreign_keys = ON`);
      if (!readOnly) {
        startLog(database);
        database.exec("PRAGMA synchronous = FULL");
        if (stepsOf(database) < STEPS.length) inTransaction(database, () => migrate(database));
      }
      if (stepsOf(database) !== STEPS.length) refuseVersion(file, stepsOf(database) > STEPS.length);
      return opened;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Where another program is about to do the same, SQLite refuses at once instead of waiting. */
function startLog(database: DatabaseSync): void {
  for (const since = performance.now();;) {
    try {
      return database.exec("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (!isLocked(error) || performance.now() - since > BUSY_TIMEOUT) throw error;
      // For a transaction it does wait.
      database.exec("BEGIN IMMEDIATE; ROLLBACK");
    }
  }
}

const logOf = (file: string) => `${file}-wal`;

/** The bytes of a file's header that say whether it has a log beside it (2) or not (1). */
const LOG_MARKS = [18, 19] as const;

/**
 * Copies a file whose log is empty, so that no program is writing to it. SQLite itself would leave files beside it
 * even for a reader, and could not open it at all on a read-only disk.
 */
function copyToMemory(file: string): Opened | undefined {
  const stamp = stampOf(file);
  if (sizeOf(logOf(file)) > 0) return undefined;
  const bytes = Deno.readFileSync(file);
  if (stampOf(file) !== stamp) return undefined;
  for (const mark of LOG_MARKS) if (bytes[mark] === 2) bytes[mark] = 1;
  const database = new DatabaseSync(":memory:");
  database.deserialize(bytes);
  return { database, stamp };
}

/** Differs as soon as another program has written to the file. */
function stampOf(file: string): string {
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

function stepsOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

function migrate(database: DatabaseSync): void {
  // Another program may have done it while this one waited.
  for (const step of STEPS.slice(stepsOf(database))) database.exec(step);
  database.exec(`PRAGMA user_version = ${Math.max(STEPS.length, stepsOf(database))}`);
}

function refuseVersion(file: string, isNewer: boolean): never {
  const reason = isNewer
    ? `${file} was written by a newer version of this program. Update the program`
    : `${file} has the format of an older version and cannot be updated in read-only mode`;
  const problem = isNewer ? "newer-version" : "older-version";
  return fail({ code: "memory-unavailable", problem, reason, subject: file });
}

/** All or nothing, one program at a time. */
function inTransaction<T>(database: DatabaseSync, work: () => T): T {
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
