/** Who has changed what, when, and from which address. Lines are only ever added. */
import { createHash } from "node:crypto";
import { unlessMissing } from "../base/absence.ts";
import { asText, asValues, parseJson } from "../base/values.ts";
import { splitLines } from "../base/text.ts";
import { openLogFile } from "./log_file.ts";

export interface RecordEntry {
  readonly at: number;
  /** Undefined for an unnamed holder of the shared token. */
  readonly name?: string;
  readonly role: string;
  readonly address: string;
  readonly request: string;
  readonly project: string;
  readonly deed: string;
}

const FILES = 4;
const FULL = 5 << 20;

/** `folder` exists. Each name has files of its own: however much somebody does, the lines of others stay. */
export function openRecordFile(folder: string) {
  const filesOf = (stem: string) =>
    Array.from({ length: FILES }, (_, at) => `${folder}/${stem}.jsonl${at === 0 ? "" : `.${at}`}`);
  const appenders = new Map<string, (line: string) => void>();
  return {
    add: (deed: RecordEntry) => {
      const stem = stemOf(deed.name);
      appenders.getOrInsertComputed(stem, () => openLogFile(filesOf(stem), FULL))(JSON.stringify(deed));
    },
    latest: (count: number, isWanted: (deed: RecordEntry) => boolean = () => true) =>
      merged(stemsIn(folder).map((stem) => newestFirst(filesOf(stem)))).filter(isWanted).take(count)
        .toArray(),
  };
}

const FIRST = /^(record(?:-[0-9a-z]+)?)\.jsonl$/;

function stemsIn(folder: string): readonly string[] {
  const names = unlessMissing(() => Array.from(Deno.readDirSync(folder), ({ name }) => name)) ?? [];
  return names.flatMap((name) => FIRST.exec(name)?.[1] ?? []);
}

function stemOf(name: string | undefined): string {
  return name === undefined ? "record" : `record-${createHash("sha256").update(name).digest("hex")}`;
}

function* newestFirst(files: readonly string[]): Generator<RecordEntry, undefined> {
  for (const file of files) {
    for (const line of linesOf(file).toReversed()) {
      const deed = deedIn(parseJson(line));
      if (deed !== undefined) yield deed;
    }
  }
}

function* merged(sources: readonly Generator<RecordEntry, undefined>[]): Generator<RecordEntry, undefined> {
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

function deedIn(value: unknown): RecordEntry | undefined {
  const line = asValues(value);
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
