/**
 * Memory files as a repository might bring them: not plain, not ours, damaged, or made to keep SQLite busy forever.
 *
 * Each row names a file, makes it from a sound one, and says what must be reported. `works` are files that are odd but
 * harmless: every request on them is answered.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { BmadError } from "../../src/base/errors.ts";
import type { Embedder } from "../../src/project/kit/memory/embed/built_in.ts";
import { openSqlite } from "../../src/project/kit/memory/store/sqlite.ts";
import type { MemoryStore } from "../../src/project/kit/memory/store/store.ts";
import { openStores } from "../../src/project/kit/memory/store/stores.ts";
import type { MemoryPlan } from "../../src/settings/plan/mod.ts";
import { memoryOf, PROJECT, TERMS_ONLY } from "./memories.ts";

type Verdict = "damaged" | "foreign" | "newer" | "too large" | "not a file" | "works";

export const REPORTS: Readonly<Record<Exclude<Verdict, "works">, RegExp>> = {
  "damaged": /memory\.db: It is damaged\. Move it away/,
  "foreign": /memory\.db: Not a memory database\. Move it away/,
  "newer": /memory\.db: It was written by a newer version of this program\. Update the program/,
  "too large": /memory\.db(-wal)?: It exceeds 256 MB, 200000 memories or 4 MB for one of them\. Move it away/,
  "not a file": /memory\.db(-wal|-shm|-journal)?: Not a plain file\. Move it away/,
};

interface HostileFile {
  readonly name: string;
  readonly verdict: Verdict;
  /** Makes the file; a sound one is there already. */
  make(file: string): void | Promise<void>;
}

const PAGE = 4_096;

/** Corrects the checksums of a log, without which SQLite ignores whatever was changed in it. */
export function sealLog(log: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(log.buffer), isLittle = view.getUint32(0) === 0x377f0682;
  let first = 0, second = 0;
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at += 8) {
      first = first + view.getUint32(at, isLittle) + second >>> 0;
      second = second + view.getUint32(at + 4, isLittle) + first >>> 0;
    }
  };
  const put = (at: number) => {
    view.setUint32(at, first);
    view.setUint32(at + 4, second);
  };
  add(0, 24);
  put(24);
  for (let frame = 32; frame + 24 + PAGE <= log.length; frame += 24 + PAGE) {
    log.copyWithin(frame + 8, 16, 24);
    add(frame, frame + 8);
    add(frame + 24, frame + 24 + PAGE);
    put(frame + 16);
  }
  return log;
}

const TEXTS = ["Access tokens live for 15 minutes", "Billing code is reviewed by two people"];

export async function makeSound(file: string): Promise<void> {
  const store = openSqlite({ file, readOnly: false }, { ...TERMS_ONLY, embedder: EMBEDDER });
  await store.remember(await Promise.all(TEXTS.map((text) => memoryOf({ text, tags: ["auth"] }))));
  store.close();
}

/** A sound file whose memories are in the log beside it, as a killed program leaves it. */
export async function makeUnfinished(file: string): Promise<void> {
  const store = openSqlite({ file: `${file}.open`, readOnly: false }, { ...TERMS_ONLY, embedder: EMBEDDER });
  await store.remember(await Promise.all(TEXTS.map((text) => memoryOf({ text }))));
  for (const ending of ["", "-wal"]) await Deno.copyFile(`${file}.open${ending}`, `${file}${ending}`);
  store.close();
}

const EMBEDDER: Embedder = {
  id: "constant",
  dimensions: 16,
  embed: (texts) => Promise.resolve(texts.map(() => new Float32Array(16).fill(0.25))),
  close: () => {},
};

const REQUESTS: Readonly<Record<string, (store: MemoryStore) => Promise<unknown>>> = {
  list: (store) => store.list({}),
  "list of an agent": (store) => store.list({ agent: "dev", type: "decisions" }),
  recall: (store) => store.recall({ query: "How long do access tokens live?", limit: 50 }),
  "recall of an agent": (store) => store.recall({ query: "review of code", limit: 5, agent: "dev" }),
  status: (store) => store.status(),
};

const CHANGES: typeof REQUESTS = {
  ...REQUESTS,
  remember: async (store) => await store.remember([await memoryOf({ text: "One more memory" })]),
  replace: async (store) =>
    await store.remember([await memoryOf({ text: "Access tokens live for 15 minutes", tags: ["new"] })]),
  forget: async (store) => await store.forget([(await memoryOf({ text: "One more memory" })).id], {}),
};

export async function useEverything(file: string, mayWrite: boolean): Promise<readonly string[]> {
  const plan: MemoryPlan = { files: [file], mayWrite, qdrant: undefined, embedder: "none", contentDir: "" };
  const stores = openStores(plan, PROJECT, { ...TERMS_ONLY, embedder: EMBEDDER });
  const reports: string[] = [];
  try {
    for (const [name, request] of Object.entries(mayWrite ? CHANGES : REQUESTS)) {
      const writes = mayWrite && !(name in REQUESTS);
      try {
        await request(await (writes ? stores.forWriting() : stores.forReading()));
      } catch (error) {
        assert.ok(error instanceof BmadError, `${name}: ${(error as Error).stack}`);
        reports.push(error.message);
      }
    }
  } finally {
    stores.close();
  }
  return reports;
}

function alter(...statements: readonly string[]): HostileFile["make"] {
  return (file) => {
    const database = new DatabaseSync(file, { defensive: false } as object);
    try {
      database.exec("PRAGMA writable_schema = ON; PRAGMA foreign_keys = OFF");
      for (const sql of statements) database.exec(sql);
    } finally {
      database.close();
    }
  };
}

function create(...statements: readonly string[]): HostileFile["make"] {
  return async (file) => {
    await Deno.remove(file);
    await alter(...statements)(file);
  };
}

/** Replaces words in the description of a table, which is all that SQLite goes by. */
function describe(table: string, from: string, to: string): HostileFile["make"] {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return alter(
    `UPDATE sqlite_schema SET sql = replace(sql, ${quoted(from)}, ${quoted(to)}) WHERE name = ${
      quoted(table)
    }`,
  );
}

/** Stores values that the table itself would refuse. */
function smuggle(table: string, column: string, value: string): HostileFile["make"] {
  return async (file) => {
    const database = new DatabaseSync(file);
    const row = database.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").get(table);
    database.close();
    const sql = String(row!.sql);
    const lenient = sql.replaceAll(/ NOT NULL| STRICT| CHECK \((\(.*?\)|[^()])*\)/g, "");
    const put = (text: string) =>
      alter(`UPDATE sqlite_schema SET sql = '${text.replaceAll("'", "''")}' WHERE name = '${table}'`)(file);
    await put(lenient);
    await alter(`UPDATE ${table} SET ${column} = ${value}`)(file);
    await put(sql);
  };
}

function patch(
  edit: (bytes: Uint8Array<ArrayBuffer>, view: DataView) => Uint8Array | void,
): HostileFile["make"] {
  return async (file) => {
    const bytes = await Deno.readFile(file);
    await Deno.writeFile(file, edit(bytes, new DataView(bytes.buffer)) ?? bytes);
  };
}

function rootOf(file: string, table: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table);
  database.close();
  return (Number(row!.rootpage) - 1) * PAGE;
}

/** Makes the root of a table an inner page whose children are all the same page, `depth` times over. */
function nest(table: string, depth: number): HostileFile["make"] {
  return async (file) => {
    const root = rootOf(file, table);
    const bytes = await Deno.readFile(file);
    const first = bytes.length / PAGE;
    const grown = new Uint8Array(bytes.length + depth * PAGE);
    grown.set(bytes);
    const isIndex = bytes[root]! === 10 || bytes[root]! === 2;
    // The old root goes to the end.
    grown.copyWithin(bytes.length + (depth - 1) * PAGE, root, root + PAGE);
    const view = new DataView(grown.buffer);
    for (let level = 0; level < depth; level++) {
      const page = level === 0 ? root : bytes.length + (level - 1) * PAGE;
      const child = first + level + 1;
      const count = isIndex ? 1 : 300;
      grown.fill(0, page, page + PAGE);
      grown[page] = isIndex ? 2 : 5;
      view.setUint16(page + 3, count);
      view.setUint16(page + 5, PAGE - 10 * count);
      view.setUint32(page + 8, child);
      for (let cell = 0; cell < count; cell++) {
        const at = PAGE - 10 * (cell + 1);
        view.setUint16(page + 12 + 2 * cell, at);
        view.setUint32(page + at, child);
        grown[page + at + 4] = 1;
      }
    }
    view.setUint32(28, grown.length / PAGE);
    await Deno.writeFile(file, grown);
  };
}

async function mkfifo(path: string): Promise<void> {
  await new Deno.Command("mkfifo", { args: [path] }).output();
}

function instead(ending: "" | "-wal" | "-shm" | "-journal", put: (path: string) => Promise<void>) {
  return async (file: string) => {
    if (ending === "") await Deno.rename(file, `${file}.sound`);
    await put(`${file}${ending}`);
  };
}

const VIEW_COLUMNS = "1 AS number, 'x' AS id, 'decisions' AS type, 'dev' AS agent";
const VIEW_REST = "'[]' AS tags, 'p' AS project, '2026' AS created_at";
const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

/** The cases that 0.1.0 failed. */
export const REPORTED: readonly HostileFile[] = [
  {
    name: "a view with a value of 600 MB",
    verdict: "foreign",
    make: alter(
      "DROP TABLE memory",
      `CREATE VIEW memory AS SELECT ${VIEW_COLUMNS}, hex(zeroblob(300000000)) AS text, ${VIEW_REST}`,
    ),
  },
  {
    name: "a view without an end",
    verdict: "foreign",
    make: alter(
      "DROP TABLE memory",
      `CREATE VIEW memory AS SELECT ${VIEW_COLUMNS}, (${ENDLESS}) AS text, ${VIEW_REST}`,
    ),
  },
  {
    name: "triggers without an end",
    verdict: "foreign",
    make: alter(
      `CREATE TRIGGER more AFTER INSERT ON memory BEGIN SELECT (${ENDLESS}); END`,
      `CREATE TRIGGER less AFTER DELETE ON memory BEGIN SELECT (${ENDLESS}); END`,
      `CREATE TRIGGER count AFTER UPDATE ON counter BEGIN SELECT (${ENDLESS}); END`,
    ),
  },
  ...(Deno.build.os === "windows"
    ? []
    : [{ name: "a pipe", verdict: "not a file", make: instead("", mkfifo) } as const]),
];

const row = (name: string, verdict: Verdict, make: HostileFile["make"]): HostileFile => ({
  name,
  verdict,
  make,
});

/** Files that statements make, by what they are called. */
const altered = (verdict: Verdict, files: Readonly<Record<string, string | readonly string[]>>) =>
  Object.entries(files).map(([name, sql]) => row(name, verdict, alter(...[sql].flat())));

const NOT_PLAIN: readonly HostileFile[] = Deno.build.os === "windows" ? [] : [
  row("a folder", "not a file", instead("", (path) => Deno.mkdir(path))),
  row("a link to a sound file", "not a file", instead("", (path) => Deno.symlink(`${path}.sound`, path))),
  row("a link to nowhere", "not a file", instead("", (path) => Deno.symlink("/nowhere", path))),
  row("a link to a device", "not a file", instead("", (path) => Deno.symlink("/dev/zero", path))),
  ...(["-wal", "-shm", "-journal"] as const).flatMap((ending) => [
    row(`a pipe as ${ending}`, "not a file", instead(ending, mkfifo)),
    row(`a folder as ${ending}`, "not a file", instead(ending, (path) => Deno.mkdir(path))),
    row(`a link as ${ending}`, "not a file", instead(ending, (path) => Deno.symlink("/nowhere", path))),
  ]),
];

const BYTES: readonly HostileFile[] = [
  row("an empty file", "works", patch(() => new Uint8Array())),
  row("one byte", "foreign", patch(() => new Uint8Array(1))),
  row("a diary", "foreign", patch(() => new TextEncoder().encode("This is a diary. ".repeat(500)))),
  row("zeros", "foreign", patch(() => new Uint8Array(5 * PAGE))),
  row("half a header", "damaged", patch((bytes) => bytes.subarray(0, 50))),
  row("a header alone", "damaged", patch((bytes) => bytes.subarray(0, 100))),
  row("the first page alone", "damaged", patch((bytes) => bytes.subarray(0, PAGE))),
  row("the first half", "damaged", patch((bytes) => bytes.subarray(0, bytes.length / 2 / PAGE * PAGE))),
  row("half a page more", "works", patch((bytes) => new Uint8Array([...bytes, ...new Uint8Array(PAGE / 2)]))),
  ...[512, 1_024, 8_192, 1, 3, 0].map((size) =>
    row(`a page size of ${size}`, "foreign", patch((_, view) => view.setUint16(16, size)))
  ),
  ...[2, 3, 9, 2 ** 31].map((encoding) =>
    row(`the encoding ${encoding}`, "foreign", patch((_, view) => view.setUint32(56, encoding)))
  ),
  row("reserved bytes", "damaged", patch((bytes) => void (bytes[20] = 200))),
  row("a file format of the future", "foreign", patch((bytes) => void (bytes[18] = bytes[19] = 9))),
  row("a first page of another kind", "damaged", patch((bytes) => void (bytes[100] = 7))),
  row("an inner first page", "foreign", patch((bytes) => void (bytes[100] = 5))),
  row("too many tables", "foreign", patch((_, view) => view.setUint16(103, 65_535))),
  row("tables outside the page", "damaged", patch((_, view) => view.setUint16(108, 60_000))),
  row(
    "a description that never ends",
    "foreign",
    patch((bytes, view) => {
      bytes.fill(255, view.getUint16(108), view.getUint16(108) + 9);
    }),
  ),
  row(
    "freed pages that lead to themselves",
    "works",
    patch((_, view) => {
      view.setUint32(32, 2);
      view.setUint32(36, 2 ** 30);
    }),
  ),
  row("a later version", "newer", alter("PRAGMA user_version = 99")),
  row("a later version with other tables", "newer", create("CREATE TABLE x (y)", "PRAGMA user_version = 2")),
  row("a negative version", "newer", alter("PRAGMA user_version = -1")),
  row("a file of 257 MB", "too large", (file) => Deno.truncate(file, 257 * 2 ** 20)),
  row("a log of 257 MB", "too large", async (file) => {
    await Deno.writeFile(`${file}-wal`, new Uint8Array(1));
    await Deno.truncate(`${file}-wal`, 257 * 2 ** 20);
  }),
  row("a log of noise", "works", (file) => Deno.writeFile(`${file}-wal`, new Uint8Array(9_000).fill(77))),
  row("a journal", "damaged", (file) => Deno.writeFile(`${file}-journal`, new Uint8Array(9_000).fill(77))),
];

const TABLES: readonly HostileFile[] = [
  ...altered("foreign", {
    "our tables without their version": "PRAGMA user_version = 0",
    "one more table": "CREATE TABLE more (x)",
    "one more view": `CREATE VIEW more AS ${ENDLESS}`,
    "one more index": "CREATE INDEX more ON memory (text)",
    "an index of expressions": "CREATE INDEX more ON memory (length(hex(text)))",
    "a partial index": "CREATE INDEX more ON memory (text) WHERE length(text) > 5",
    "one more trigger": "CREATE TRIGGER more AFTER INSERT ON vector BEGIN SELECT 1; END",
    "statistics": "ANALYZE",
    "a column too many": "ALTER TABLE gone ADD COLUMN more TEXT",
    "a column renamed": "ALTER TABLE memory RENAME COLUMN project TO projects",
    "a table renamed": "ALTER TABLE gone RENAME TO went",
    "a table less": "DROP TABLE gone",
    "an index less": "DROP INDEX memory_agent",
    "a generated column": "ALTER TABLE gone ADD COLUMN more TEXT AS (hex(zeroblob(1e8)))",
    "a virtual table more": "CREATE VIRTUAL TABLE more USING fts5vocab(words, instance)",
    "tables of R-trees": "CREATE VIRTUAL TABLE more USING rtree(a, b, c)",
    "a table without a page": "UPDATE sqlite_schema SET rootpage = 9999 WHERE name = 'memory'",
    "a table on the first page": "UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'memory'",
  }),
  ...altered("damaged", {
    "a table that has the page of another":
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'vector') WHERE name = 'memory'",
  }),
  row(
    "another program's database",
    "foreign",
    create("CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('a')"),
  ),
  row(
    "another program's, with our version",
    "foreign",
    create("CREATE TABLE notes (text)", "PRAGMA user_version = 1"),
  ),
  row("no tables, with our version", "foreign", create("PRAGMA user_version = 1")),
  row(
    "a default",
    "foreign",
    describe("memory", "agent TEXT NOT NULL", "agent TEXT NOT NULL DEFAULT (hex('x'))"),
  ),
  row(
    "a check",
    "foreign",
    describe("memory", "agent TEXT NOT NULL", "agent TEXT CHECK (hex(zeroblob(3e8)))"),
  ),
  row("a collation", "foreign", describe("memory", "id TEXT NOT NULL", "id TEXT NOT NULL COLLATE NOCASE")),
  row("an unknown collation", "foreign", describe("memory", "id TEXT NOT NULL", "id TEXT COLLATE evil")),
  row("a table that is not strict", "foreign", describe("memory", " STRICT", "")),
  row("another tokenizer", "foreign", describe("words", "'ascii'", "'trigram'")),
  row("an unknown tokenizer", "foreign", describe("words", "'ascii'", "'evil'")),
  row("words of another table", "foreign", describe("words", "content=''", "content='memory'")),
  row("words of less detail", "foreign", describe("words", "content=''", "content='', detail=none")),
  row("words of an unknown module", "foreign", describe("words", "fts5", "evil")),
  row("a vocabulary of another table", "foreign", describe("vocabulary", "words", "memory")),
  row("a description that is nonsense", "foreign", describe("gone", "CREATE TABLE", "CREATE NONSENSE")),
  row("a blank that is none", "foreign", describe("gone", "seq INTEGER", "seq\u00a0INTEGER")),
  row("a comment", "foreign", describe("gone", "STRICT", "STRICT /* x */")),
  row("a description of 100 KB", "foreign", describe("gone", "STRICT", `STRICT /*${"x".repeat(100_000)}*/`)),
  row(
    "a list of tables over many pages",
    "foreign",
    (file) =>
      alter("BEGIN", ...Array.from({ length: 200 }, (_, at) => `CREATE TABLE t${at} (x)`), "COMMIT")(file),
  ),
  row(
    "a description without a name",
    "foreign",
    alter("UPDATE sqlite_schema SET name = NULL WHERE name = 'gone'"),
  ),
];

const PAGES: readonly HostileFile[] = [
  ...["memory", "vector", "gone", "words_data", "words_docsize", "counter"].flatMap((table) => [
    row(`${table} inside itself, eight times`, "damaged", nest(table, 8)),
    row(`${table} inside itself, thirty times`, "damaged", nest(table, 30)),
  ]),
  ...["memory_agent", "vector_seq", "words_idx", "words_config"].map((table) =>
    row(`${table} of one page twice`, "damaged", nest(table, 8))
  ),
  ...["memory", "memory_agent", "vector", "words_data"].map((table) =>
    row(`noise instead of ${table}`, "damaged", async (file) => {
      const root = rootOf(file, table);
      await patch((bytes) => void bytes.fill(0xa5, root, root + PAGE))(file);
    })
  ),
];

const MANY_NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 200020)";
/** A list of segments as FTS5 writes it. */
const segments = (...numbers: readonly string[]) =>
  alter(`UPDATE words_data SET block = x'00000000ff000001${numbers.join("")}' WHERE id = 10`);

const VALUES: readonly HostileFile[] = [
  ...altered("too large", {
    "a text of 5 MB": "UPDATE memory SET text = hex(zeroblob(2600000))",
    "very many vectors":
      `${MANY_NUMBERS} INSERT INTO vector SELECT i, 'constant', 0.5, zeroblob(16), i FROM n`,
    "very many words": `${MANY_NUMBERS} INSERT INTO words_docsize SELECT i, x'0101', 1 FROM n`,
    "very many memories":
      `${MANY_NUMBERS} INSERT INTO memory SELECT i, i, 'decisions', 'a', 'b', '[]', 'p', '2026' FROM n`,
    "100 MB of words": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 25) " +
      "INSERT INTO words_data SELECT i << 40, zeroblob(4000000) FROM n",
  }),
  ...altered("works", {
    "tags of 5 MB": "UPDATE memory SET tags = json_array(hex(zeroblob(2600000)))",
    "an agent of 3 MB": "UPDATE memory SET agent = hex(zeroblob(1500000)) WHERE number = 1",
    "very many deletions": [
      `${MANY_NUMBERS} INSERT INTO gone SELECT i, i FROM n`,
      "UPDATE counter SET seq = 999999",
    ],
    "tags that are an object": `UPDATE memory SET tags = '{"toString":1}'`,
    "tags that are not texts": `UPDATE memory SET tags = '[1,null,["x"],{"a":1}]'`,
    "tags inside tags": `UPDATE memory SET tags = '${"[".repeat(900)}${"]".repeat(900)}'`,
    "text with null characters": "UPDATE memory SET text = 'a' || char(0) || 'b'",
    "text that is not UTF-8": "UPDATE memory SET text = CAST(x'ff80c0' AS TEXT)",
    "a time that is none": "UPDATE memory SET created_at = 'yesterday', project = ''",
    "an endless scale": "UPDATE vector SET scale = 9e999",
    "an absurd scale": "UPDATE vector SET scale = -1e300",
    "vectors of another length": "UPDATE vector SET bytes = zeroblob(7)",
    "empty vectors": "UPDATE vector SET bytes = x''",
    "a vector of 3 MB": "UPDATE vector SET bytes = zeroblob(3000000)",
    "vectors without memories": "DELETE FROM memory",
    "words of a huge number":
      "INSERT INTO words (rowid, terms, gloss) VALUES (4611686018427387904, 'access token live', 'x')",
    "words without memories": "INSERT INTO words (rowid, terms, gloss) VALUES (77, 'access token live', 'x')",
    "memories without words": ["DELETE FROM words_data WHERE id > 10", "DELETE FROM words_docsize"],
  }),
  ...altered("damaged", {
    "a huge number": "UPDATE memory SET number = 9223372036854775807 WHERE number = 1",
    "a negative number": "UPDATE memory SET number = -5 WHERE number = 1",
    "a huge number of a vector": "UPDATE vector SET number = 4611686018427387904 WHERE number = 1",
    "a huge count": "UPDATE counter SET seq = 9223372036854775807",
    "a negative count": "UPDATE counter SET seq = -1",
    "no count": "DELETE FROM counter",
    "two counts": "INSERT INTO counter VALUES (7)",
    "no next number": "UPDATE sqlite_sequence SET seq = 9223372036854775807",
    "several next numbers": "INSERT INTO sqlite_sequence VALUES ('memory', 5)",
    "settings of the full-text index": "INSERT INTO words_config VALUES ('pgsz', 1e9)",
    "a ranking of the full-text index": "INSERT INTO words_config VALUES ('rank', 'evil()')",
    "another version of the full-text index": "UPDATE words_config SET v = 99",
    "no list of segments": "DELETE FROM words_data WHERE id = 10",
    "an empty list of segments": "UPDATE words_data SET block = x'' WHERE id = 10",
    "noise as the list of segments": "UPDATE words_data SET block = randomblob(999) WHERE id = 10",
    "a long list of segments": "UPDATE words_data SET block = zeroblob(200000) WHERE id = 10",
  }),
  row("no text", "damaged", smuggle("memory", "text", "NULL")),
  row("a blob as text", "damaged", smuggle("memory", "text", "x'00ff'")),
  row("a blob as an id", "damaged", smuggle("memory", "id", "randomblob(8)")),
  row("text as a counter", "damaged", smuggle("counter", "seq", "'many'")),
  row("text as a vector", "damaged", smuggle("vector", "bytes", "'many'")),
  row("a scale that is not a number", "damaged", smuggle("vector", "scale", "'NaN'")),
  row("an unknown type", "works", smuggle("memory", "type", "'secrets' || number")),
  row("tags that are not JSON", "works", smuggle("memory", "tags", "'[['")),
  row("one segment twice", "damaged", segments("010205", "0002", "0101010101000001", "0101010101000001")),
  row("a segment of very many pages", "damaged", segments("010105", "0001", "01018fffffff7f0101000001")),
  row("very many deleted pages", "damaged", segments("010105", "0001", "01010101018fffffff7f0001")),
  row("segments without pages", "works", segments("010105", "0001", "0901010101000001")),
  row("noise as the words", "works", alter("UPDATE words_data SET block = randomblob(4000) WHERE id > 10")),
];

/** Runs statements whose effect is only in the log. */
function alterLog(...statements: readonly string[]): HostileFile["make"] {
  return async (file) => {
    await Deno.rename(file, `${file}.open`);
    const database = new DatabaseSync(`${file}.open`);
    for (const sql of statements) database.exec(sql);
    for (const ending of ["", "-wal"]) await Deno.copyFile(`${file}.open${ending}`, `${file}${ending}`);
    database.close();
  };
}

function patchLog(edit: (log: Uint8Array<ArrayBuffer>, view: DataView) => void): HostileFile["make"] {
  return async (file) => {
    await alterLog("PRAGMA user_version = 0", "PRAGMA user_version = 1")(file);
    const log = await Deno.readFile(`${file}-wal`);
    edit(log, new DataView(log.buffer));
    await Deno.writeFile(`${file}-wal`, sealLog(log));
  };
}

const LOGS: readonly HostileFile[] = [
  row("a log that changes nothing", "works", patchLog(() => {})),
  row("a log with a view", "foreign", alterLog(`CREATE VIEW more AS ${ENDLESS}`)),
  row(
    "a log with a trigger",
    "foreign",
    alterLog("CREATE TRIGGER t AFTER INSERT ON gone BEGIN SELECT 1; END"),
  ),
  row("a log of a later version", "newer", alterLog("PRAGMA user_version = 7")),
  row("a log with an inner first page", "foreign", patchLog((log) => void (log[32 + 24 + 100] = 5))),
  row("a log with other pages", "damaged", patchLog((_, view) => view.setUint32(8, 512))),
  row(
    "a log of a very large file",
    "too large",
    patchLog((log, view) => view.setUint32(log.length - PAGE - 20, 2 ** 30)),
  ),
  row("a log with one page far away", "works", patchLog((_, view) => view.setUint32(32, 2 ** 30))),
];

export const HOSTILE_FILES: readonly HostileFile[] = [
  ...REPORTED,
  ...NOT_PLAIN,
  ...BYTES,
  ...TABLES,
  ...PAGES,
  ...LOGS,
  ...VALUES,
];
