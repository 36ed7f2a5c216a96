/**
 * What the two scripts for `sprint-status.yaml` have in common: the file as Python reads it.
 */
import { BmadError } from "../../base/errors.ts";
import type { Values } from "../../base/values.ts";
import { isSprintFile, ITEMS, readSprintFile, SECTION, type SprintFile } from "../work/formats/mod.ts";
import { readText, stop, Unreadable } from "./program.ts";
import type { ScriptFiles } from "./script.ts";
import type { Kind } from "./targets.ts";

/** Reads a ledger that an argument names: the file, or why it cannot be read; neither if it is missing. */
export function loadLedger(world: ScriptFiles, given: string): { file?: SprintFile; problem?: string } {
  try {
    readText(world, given);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return error.reason === "No such file or directory" ? {} : { problem: error.message };
  }
  const file = readSprintFile(world.files.find(world.files.pathOf("file", given)) ?? "");
  if (file.problem !== undefined) return { problem: placed(file.problem, file.line) };
  return { file: { ...file, fields: withTimes(file) } };
}

/** The fields of a ledger, those with a time as Python prints it: `2026-06-07T14:22:00Z` → `2026-06-07 14:22:00`. */
function withTimes({ fields, quoted }: SprintFile): Values {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      isDate(value, quoted.has(key)) ? timeText(value) : value,
    ]),
  );
}

const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d{0,6})\d*)?(?:[ \t]*(?:Z|([-+]\d\d?)(?::?(\d\d))?))?$/;

/** A time in UTC, without its zone; a date stays as it is. */
function timeText(written: string): string {
  const [all, year, month, day, hour, minute, second, fraction = "", hours = "0", minutes = "0"] =
    MOMENT.exec(written) ?? [];
  if (all === undefined) return written;
  const offset = Number(hours) * 60 + (hours.startsWith("-") ? -1 : 1) * Number(minutes);
  const time = Date.UTC(+year!, +month! - 1, +day!, +hour!, +minute! - offset, +second!);
  const micros = fraction.padEnd(6, "0");
  return new Date(time).toISOString().slice(0, 19).replace("T", " ") +
    (Number(micros) === 0 ? "" : `.${micros}`);
}

/** Whether Python takes a value for a date: it is written without quotes and looks like one. */
export function isDate(value: unknown, isQuoted = false): value is string {
  return !isQuoted && typeof value === "string" && /^\d{4}-\d\d-\d\d(?:$|[Tt\s])/.test(value);
}

/** Reads the ledger that `sprint_plan.py` goes on with; undefined if it is missing. */
export function existingLedger(world: ScriptFiles, status_file: string): SprintFile | undefined {
  const { file, problem } = loadLedger(world, status_file);
  if (problem !== undefined) stop(`existing status file is not valid YAML: ${problem}`, { status_file });
  return file?.faults.has("not-a-map")
    ? stop("existing status file is valid YAML but not a mapping", { status_file })
    : file;
}

/** Fields that `sprint_plan.py` writes besides the statuses. */
const FIELDS = ["generated", "last_updated", "project", "project_key", "tracking_system", "story_location"];

/** A ledger, by its name or by what it says; any other YAML is a document. What is no map is left to its reader. */
export const LEDGER: Kind = {
  ends: [".yaml", ".yml"],
  isOwn: (text, path) => {
    if (isSprintFile(path)) return true;
    const keys = Object.keys(readSprintFile(text).fields);
    return keys.includes(SECTION) || keys.includes(ITEMS) || keys.every((key) => FIELDS.includes(key));
  },
};

/** Why a ledger could not be changed; anything but the file's own form is a failure of the request. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof BmadError) || error.failure.code !== "invalid-file") throw error;
  return placed(error.failure.problem, error.failure.line);
}

function placed(problem: string, line: number | undefined): string {
  return line === undefined ? problem : `line ${line}: ${problem}`;
}

/** A text as a part of a key or an id; a text without letters and digits becomes its hash. */
export async function sprintSlug(text: string, maxLength: number): Promise<string> {
  const dashed = text.toLowerCase().replaceAll(/[^\p{L}\p{N}_]+/gu, "-");
  const short = [...trimDashes(dashed)].slice(0, maxLength).join("");
  if (trimDashes(short) !== "") return trimDashes(short);
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(hash).toHex().slice(0, 8);
}

function trimDashes(text: string): string {
  return text.replace(/^-+/, "").replace(/(?<!-)-+$/, "");
}
