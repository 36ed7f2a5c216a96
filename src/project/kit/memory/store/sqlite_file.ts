/**
 * Each commit is on the disk before it is acknowledged (WAL, synchronous=FULL). A file from a repository may hold
 * views and triggers that never end, or pages that contain themselves: no statement runs before its tables are known
 * to be exactly ours.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { MEMORY_TYPES } from "../../../../base/model.ts";
import * as disk from "./sqlite_disk.ts";

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
    return this.#statements.getOrInsertComputed(sql, () => this.#opened.database.prepare(sql));
  }

  number(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(Object.values(this.prepare(sql).get(...values) ?? {})[0]);
  }

  read<T>(work: () => T): T {
    return disk.translateErrors(this.options.file, () => {
      this.#refresh();
      return work();
    });
  }

  write<T>(work: () => T): T {
    return disk.translateErrors(this.options.file, () => inTransaction(this.#opened.database, work));
  }

  close(): void {
    this.#opened.close();
  }

  #refresh(): void {
    const { stamp, close } = this.#opened;
    if (stamp === undefined || disk.stampOf(this.options.file) === stamp) return;
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
  return disk.translateErrors(file, () => {
    if (file !== IN_MEMORY) disk.checkDisk(file, VERSION);
    const opened = (readOnly ? copyToMemory(file) : undefined) ?? openOnDisk(file, readOnly);
    const { database } = opened;
    try {
      limitResources(database);
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}; PRAGMA foreign_keys = ON`);
      checkTables(file, database);
      if (!readOnly) {
        startLog(database);
        database.exec(
          `PRAGMA synchronous = FULL; PRAGMA max_page_count = ${disk.MAX_BYTES / disk.PAGE_SIZE}`,
        );
        if (versionOf(database) < VERSION) inTransaction(database, () => migrate(database));
      }
      if (versionOf(database) < VERSION) disk.refuseFile(file, "older-version");
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });
}

function openOnDisk(file: string, readOnly: boolean): Opened {
  const database = new DatabaseSync(file, { readOnly });
  const release = file === IN_MEMORY ? () => {} : disk.holdFile(file);
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
      if (!disk.isLocked(error) || performance.now() - since > BUSY_TIMEOUT) throw error;
      // For a transaction it does wait.
      database.exec("BEGIN IMMEDIATE; ROLLBACK");
    }
  }
}

/** The bytes of a file's header that say whether it has a log beside it (2) or not (1). */
const LOG_MARKS = [18, 19] as const;

/**
 * Only while its log is empty, so that no program is writing. SQLite would leave files beside it even for a reader,
 * and could not open it at all on a read-only disk.
 */
function copyToMemory(file: string): Opened | undefined {
  const stamp = disk.stampOf(file);
  if (disk.sizeOf(disk.logOf(file)) > 0 || disk.isHeld(file)) return undefined;
  const bytes = Deno.readFileSync(file);
  if (disk.stampOf(file) !== stamp) return undefined;
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
    if (disk.isLocked(error)) return true;
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

/** `user_version` counts the steps done. All table descriptions together must fit into one page (sqlite_disk.ts). */
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

const VERSION = STEPS.length;

/** What SQLite adds for AUTOINCREMENT, UNIQUE and FTS5. Written out: an update of SQLite must not refuse older files. */
const ADDED = [
  "table sqlite_sequence of sqlite_sequence: CREATE TABLE sqlite_sequence(name,seq)",
  "index sqlite_autoindex_memory_1 of memory: null",
  ...[
    "'words_data'(id INTEGER PRIMARY KEY, block BLOB)",
    "'words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID",
    "'words_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER)",
    "'words_config'(k PRIMARY KEY, v) WITHOUT ROWID",
  ].map((sql) => describeTable(`CREATE TABLE ${sql}`)),
];

const TABLES = [
  "memory",
  "vector",
  "gone",
  "counter",
  "sqlite_sequence",
  "words_data",
  "words_idx",
  "words_docsize",
  "words_config",
];

const MAX_STATEMENT = 65_536;

/** Of the full-text index, in bytes: twice as much as a file of texts alone has. A question may read all of it. */
const MAX_WORDS = 96 * 2 ** 20;

/** Beyond it, numbers do not reach JavaScript. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER / 2;

const IS_SANE = `
  (SELECT count(*) = 1 AND min(seq) >= 0 AND max(seq) < ${MAX_NUMBER} FROM counter)
  AND (SELECT count(*) <= 1 AND ifnull(max(seq), 0) < ${MAX_NUMBER} FROM sqlite_sequence)
  AND (SELECT count(*) = 1 AND min(k) = 'version' AND min(v) = 4 FROM words_config)
  AND ${
  [["memory", "number"], ["vector", "number"], ["vector", "seq"], ["gone", "number"], ["gone", "seq"]]
    .map(([table, column]) =>
      `(SELECT ifnull(min(${column}), 0) >= 0 FROM ${table})
      AND (SELECT ifnull(max(${column}), 0) < ${MAX_NUMBER} FROM ${table})`
    ).join(" AND ")
}`;

const SEGMENTS = "SELECT block FROM words_data WHERE id = 10 AND octet_length(block) < 100000";

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

function migrate(database: DatabaseSync): void {
  // Another program may have done it while this one waited.
  for (const step of STEPS.slice(versionOf(database))) database.exec(step);
  database.exec(`PRAGMA user_version = ${Math.max(VERSION, versionOf(database))}`);
}

/** For a connection that has not read anything yet: what is too much fails instead of filling the memory. */
function limitResources(database: DatabaseSync): void {
  // Not yet declared.
  const { limits } = database as DatabaseSync & { readonly limits: Record<string, number> };
  Object.assign(limits, { length: disk.MAX_VALUE, sqlLength: MAX_STATEMENT });
  database.exec(`
    PRAGMA hard_heap_limit = ${3 * disk.MAX_BYTES};
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA mmap_size = 0;
  `);
}

function checkTables(file: string, database: DatabaseSync): void {
  database.exec("BEGIN; PRAGMA query_only = ON; PRAGMA ignore_check_constraints = ON");
  try {
    const version = versionOf(database);
    if (version > VERSION) disk.refuseFile(file, "newer-version");
    const found = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema").all()
      .map(({ type, name, tbl_name: table, sql }) => `${type} ${name} of ${table}: ${plain(String(sql))}`);
    const expected = version === 0 ? [] : [...ADDED, ...STEPS.slice(0, version).flatMap(tablesOf)];
    if (found.toSorted().join("\n") !== expected.toSorted().join("\n")) {
      disk.refuseFile(file, "not-a-database");
    }
    if (version > 0) checkPages(file, database);
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
    database.exec("PRAGMA query_only = OFF; PRAGMA ignore_check_constraints = OFF");
  }
}

export function checkHealth(quickCheck: StatementSync): void {
  const result = quickCheck.get()?.quick_check;
  if (result !== "ok") throw disk.damageError(result);
}

/** Each table by itself: together they include the index of words, whose own check takes longer than all others. */
function checkPages(file: string, database: DatabaseSync): void {
  for (const table of TABLES) {
    checkHealth(database.prepare(`PRAGMA quick_check('${table}')`));
  }
  if (Object.values(database.prepare(`SELECT ${IS_SANE}`).get()!)[0] !== 1) throw disk.damageError("numbers");
  for (const table of ["memory", "vector", "words_docsize"]) {
    const count = database.prepare(`SELECT count(*) AS count FROM ${table}`).get()!.count;
    if (Number(count) > disk.MAX_MEMORIES) disk.refuseFile(file, "too-large");
  }
  const words = database.prepare("SELECT sum(octet_length(block)) AS bytes FROM words_data").get()!.bytes;
  if (Number(words) > MAX_WORDS) disk.refuseFile(file, "too-large");
  const segments = database.prepare(SEGMENTS).get()?.block;
  if (!(segments instanceof Uint8Array) || !areSegments(segments)) throw disk.damageError("segments");
}

/** Whether FTS5 reads each page for one segment only, and keeps no list that is longer than the file. */
function areSegments(bytes: Uint8Array): boolean {
  // After a cookie and the mark of this format, all numbers are SQLite's: seven bits a byte, the highest first.
  const numbers = [...readNumbers(bytes.subarray(8))];
  const [levels = 0, segments = 0] = numbers;
  if (bytes[4] !== 0xff || levels > 64 || segments > 2_000) return false;
  const seen = new Set<number>();
  let at = 3, pages = 0;
  for (let level = 0; level < levels; level++) {
    const count = numbers[at + 1]!;
    at += 2;
    for (const end = at + 8 * count; at < end; at += 8) {
      const [id = NaN, first = NaN, last = NaN, , , tombstones = NaN] = numbers.slice(at, at + 6);
      pages += last - first + 1 + tombstones;
      if (!(first >= 0 && last >= first && pages <= disk.MAX_BYTES / disk.PAGE_SIZE) || seen.has(id)) {
        return false;
      }
      seen.add(id);
    }
  }
  return seen.size === segments && at === numbers.length;
}

function* readNumbers(bytes: Uint8Array): Generator<number> {
  for (let at = 0, number = 0; at < bytes.length; at++) {
    number = number * 128 + bytes[at]! % 128;
    if (bytes[at]! < 128) {
      yield number;
      number = 0;
    }
  }
}

function tablesOf(step: string): readonly string[] {
  const statements = step.replaceAll(/--.*$/gm, "").split(";").map((sql) => sql.trim());
  return statements.filter((sql) => sql.startsWith("CREATE")).map(describeTable);
}

function describeTable(sql: string): string {
  const [, type = "", name, , table = name] =
    /^CREATE (?:VIRTUAL )?(TABLE|INDEX) '?(\w+)'?( ON (\w+))?/.exec(sql) ?? [];
  return `${type.toLowerCase()} ${name} of ${table}: ${plain(sql)}`;
}

/** Only the characters that are blanks to SQLite. */
function plain(sql: string): string {
  return sql.replaceAll(/[ \t\n\f\r]+/g, " ");
}
