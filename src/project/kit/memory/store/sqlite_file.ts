/**
 * The SQLite file that holds memories. Each commit is on the disk before it is acknowledged (WAL, synchronous=FULL).
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import {
  checkDisk,
  holdFile,
  isHeld,
  isLocked,
  logOf,
  MAX_BYTES,
  PAGE_SIZE,
  refuseFile,
  sizeOf,
  stampOf,
  translateErrors,
} from "./sqlite_disk.ts";
import { checkTables, limitResources, migrate, VERSION, versionOf } from "./sqlite_schema.ts";

export interface FileOptions {
  readonly file: string;
  readonly readOnly: boolean;
}

export const IN_MEMORY = ":memory:";

const BUSY_TIMEOUT = 10_000;

export class MemoryFile {
  /** Grows when the file was opened again: whatever was cached from it is then stale. */
  version = 0;
  #opened: Opened;
  readonly #statements = new Map<string, StatementSync>();

  constructor(readonly options: FileOptions) {
    this.#opened = openFile(options);
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, statement = this.#opened.database.prepare(sql));
    return statement;
  }

  number(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(Object.values(this.prepare(sql).get(...values) ?? {})[0]);
  }

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
    this.#opened.close();
  }

  #refresh(): void {
    const { stamp, close } = this.#opened;
    if (stamp === undefined || stampOf(this.options.file) === stamp) return;
    this.#opened = openFile(this.options);
    this.#statements.clear();
    this.version++;
    close();
  }
}

interface Opened {
  readonly database: DatabaseSync;
  readonly stamp?: string;
  close(): void;
}

function openFile({ file, readOnly }: FileOptions): Opened {
  return translateErrors(file, () => {
    if (file !== IN_MEMORY) checkDisk(file, VERSION);
    const opened = (readOnly ? copyToMemory(file) : undefined) ?? openOnDisk(file, readOnly);
    const { database } = opened;
    try {
      limitResources(database);
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}; PRAGMA foreign_keys = ON`);
      checkTables(file, database);
      if (!readOnly) {
        startLog(database);
        database.exec(`PRAGMA synchronous = FULL; PRAGMA max_page_count = ${MAX_BYTES / PAGE_SIZE}`);
        if (versionOf(database) < VERSION) inTransaction(database, () => migrate(database));
      }
      if (versionOf(database) < VERSION) refuseFile(file, "older-version");
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });
}

function openOnDisk(file: string, readOnly: boolean): Opened {
  const database = new DatabaseSync(file, { readOnly });
  const release = file === IN_MEMORY ? () => {} : holdFile(file);
  return {
    database,
    close: () => {
      database.close();
      release();
    },
  };
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

/** The bytes of a file's header that say whether it has a log beside it (2) or not (1). */
const LOG_MARKS = [18, 19] as const;

/**
 * Copies a file whose log is empty, so that no program is writing to it. SQLite itself would leave files beside it
 * even for a reader, and could not open it at all on a read-only disk.
 */
function copyToMemory(file: string): Opened | undefined {
  const stamp = stampOf(file);
  if (sizeOf(logOf(file)) > 0 || isHeld(file)) return undefined;
  const bytes = Deno.readFileSync(file);
  if (stampOf(file) !== stamp) return undefined;
  for (const mark of LOG_MARKS) if (bytes[mark] === 2) bytes[mark] = 1;
  const database = new DatabaseSync(IN_MEMORY);
  database.deserialize(bytes);
  return { database, stamp, close: () => database.close() };
}

export function canWrite(file: string): boolean {
  const database = new DatabaseSync(file);
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return true;
  } catch (error) {
    if (isLocked(error)) return true;
    if (error instanceof Error && "code" in error) return false;
    throw error;
  } finally {
    database.close();
  }
}

function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
