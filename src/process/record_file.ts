/**
 * The record of a server over HTTP: who has changed what, when, and from which address. Lines are only ever added; the
 * oldest of somebody's go when they have too many.
 */
import { asText, asValues, parseJson, type Values } from "../base/values.ts";
import { hashText, splitLines } from "../base/text.ts";
import { openLogFile } from "./log_file.ts";

/** One change. */
export interface RecordedDeed {
  /** In milliseconds. */
  readonly at: number;
  /** Undefined for whoever showed the token that all share and did not say. */
  readonly name?: string;
  readonly role: string;
  readonly address: string;
  /** The id of the request, which the log has, too. */
  readonly request: string;
  readonly project: string;
  /** What was done, in a few words. */
  readonly deed: string;
}

/** The record of a server. */
export interface RecordFile {
  add(deed: RecordedDeed): void;
  /** The latest that are wanted, the newest first. */
  latest(count: number, isWanted?: (deed: RecordedDeed) => boolean): readonly RecordedDeed[];
}

/** Of each name. */
const FILES = 4;
/** Of each file, in bytes. */
const FULL = 5 << 20;

/**
 * Opens the record in a folder, which exists. Each name has files of its own: however much somebody does, the lines of
 * others stay.
 */
export function openRecordFile(folder: string): RecordFile {
  const filesOf = (stem: string) =>
    Array.from({ length: FILES }, (_, at) => `${folder}/${stem}.jsonl${at === 0 ? "" : `.${at}`}`);
  const appenders = new Map<string, (line: string) => void>();
  return {
    add: (deed) => {
      const stem = stemOf(deed.name);
      appenders.getOrInsertComputed(stem, () => openLogFile(filesOf(stem), FULL))(JSON.stringify(deed));
    },
    latest: (count, isWanted = () => true) => {
      return merged(stemsIn(folder).map((stem) => newestFirst(filesOf(stem)))).filter(isWanted).take(count)
        .toArray();
    },
  };
}

/** The first file of a name. */
const FIRST = /^(record(?:-[0-9a-z]+)?)\.jsonl$/;

function stemsIn(folder: string): readonly string[] {
  const names = unlessMissing(() => Array.from(Deno.readDirSync(folder), ({ name }) => name)) ?? [];
  return names.flatMap((name) => FIRST.exec(name)?.[1] ?? []);
}

/** The files of a name; those of people without one are together. */
function stemOf(name: string | undefined): string {
  return name === undefined ? "record" : `record-${hashText(name).toString(36)}`;
}

/** The deeds in some files, the newest first; a file is read when it is come to. */
function* newestFirst(files: readonly string[]): Generator<RecordedDeed, undefined> {
  for (const file of files) {
    for (const line of linesOf(file).toReversed()) {
      const deed = deedIn(parseJson(line));
      if (deed !== undefined) yield deed;
    }
  }
}

/** The deeds of several sources as one, the newest first. */
function* merged(sources: readonly Generator<RecordedDeed, undefined>[]): Generator<RecordedDeed, undefined> {
  const heads = new Map(sources.map((source) => [source, source.next().value]));
  for (;;) {
    const [next] = [...heads].filter(([, deed]) => deed !== undefined)
      .toSorted(([, a], [, b]) => b!.at - a!.at);
    if (next === undefined) return;
    const [source, deed] = next;
    yield deed!;
    heads.set(source, source.next().value);
  }
}

function linesOf(path: string): readonly string[] {
  return splitLines(unlessMissing(() => Deno.readTextFileSync(path)) ?? "").filter((line) => line !== "");
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function deedIn(value: unknown): RecordedDeed | undefined {
  const line: Values = asValues(value);
  const text = (key: string) => asText(line[key]) ?? "";
  const { at } = line;
  if (typeof at !== "number") return undefined;
  const name = asText(line["name"]);
  return {
    at,
    ...(name !== undefined && { name }),
    role: text("role"),
    address: text("address"),
    request: text("request"),
    project: text("project"),
    deed: text("deed"),
  };
}
