/**
 * The record of a server over HTTP: who has changed what, when, and from which address. Lines are only ever added; the
 * oldest of them go when there are too many.
 */
import { asText, asValues, parseJson, type Values } from "../base/values.ts";
import { splitLines } from "../base/text.ts";
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

const FILES = 10;
/** Of each file, in bytes. */
const FULL = 10 << 20;

/** Opens the record in a folder, which exists. */
export function openRecordFile(folder: string): RecordFile {
  const names = Array.from({ length: FILES }, (_, at) => `${folder}/record.jsonl${at === 0 ? "" : `.${at}`}`);
  const append = openLogFile(names, FULL);
  return {
    add: (deed) => append(JSON.stringify(deed)),
    latest: (count, isWanted = () => true) => {
      const found: RecordedDeed[] = [];
      for (const line of names.values().flatMap((name) => linesOf(name).toReversed())) {
        const deed = deedIn(parseJson(line));
        if (deed !== undefined && isWanted(deed)) found.push(deed);
        if (found.length >= count) break;
      }
      return found;
    },
  };
}

function linesOf(path: string): readonly string[] {
  try {
    return splitLines(Deno.readTextFileSync(path)).filter((line) => line !== "");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
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
