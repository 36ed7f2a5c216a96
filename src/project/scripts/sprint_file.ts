/**
 * What the two scripts for `sprint-status.yaml` have in common: the file as Python reads it, and its dates.
 */
import { BmadError } from "../../base/errors.ts";
import { isValues, type Values } from "../../base/values.ts";
import { parseAnyYaml } from "../../content/parse.ts";
import { isWrittenPlain } from "../work/ledger/mod.ts";
import { readText, Unreadable } from "./program.ts";
import { pythonJson } from "./python.ts";
import type { ScriptResult, ScriptWorld } from "./script.ts";

/** The one line of JSON that such a script prints. */
export function answer(value: Readonly<Record<string, unknown>>, status = 0, end = "\n"): ScriptResult {
  return { status, stdout: `${pythonJson(value)}${end}`, stderr: "" };
}

/** A ledger as it was read; without content, the value is null. */
export type Loaded =
  | { readonly is: "missing" }
  | { readonly is: "unreadable"; readonly error: Unreadable }
  | { readonly is: "no-yaml"; readonly problem: string }
  | { readonly is: "value"; readonly text: string; readonly value: unknown };

/** Reads a ledger that an argument names. */
export function loadLedger(world: ScriptWorld, given: string): Loaded {
  try {
    readText(world, given);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const isMissing = error.reason === "No such file or directory";
    return isMissing ? { is: "missing" } : { is: "unreadable", error };
  }
  const text = world.files.find(world.files.pathOf("file", given)) ?? "";
  const { value = null, problem, at } = parseAnyYaml(text);
  if (problem !== undefined) {
    return { is: "no-yaml", problem: at === undefined ? problem : `line ${at.line}: ${problem}` };
  }
  return { is: "value", text, value: withTimes(value, text) };
}

/** The fields of a ledger, those with a time as Python prints it: `2026-06-07T14:22:00Z` → `2026-06-07 14:22:00`. */
function withTimes(value: unknown, text: string): unknown {
  if (!isValues(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, isDate(inner, text, key) ? timeText(inner) : inner]),
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
export function isDate(value: unknown, text: string, key: string, section?: string): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d(?:$|[Tt\s])/.test(value) &&
    isWrittenPlain(text, key, section);
}

/** The map in a ledger, if there is one; or what `sprint_plan.py` says instead. */
export function existingOf(loaded: Loaded): { readonly data?: Values; readonly problem?: string } {
  if (loaded.is === "missing" || loaded.is === "value" && loaded.value === null) return {};
  if (loaded.is === "value") {
    return isValues(loaded.value)
      ? { data: loaded.value }
      : { problem: "existing status file is valid YAML but not a mapping" };
  }
  const reason = loaded.is === "unreadable" ? loaded.error.message : loaded.problem;
  return { problem: `existing status file is not valid YAML: ${reason}` };
}

/** Why a ledger could not be changed; anything but the file's own form is a failure of the request. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof BmadError) || error.failure.code !== "invalid-file") throw error;
  const { line, problem } = error.failure;
  return line === undefined ? problem : `line ${line}: ${problem}`;
}

/** A point in time without a zone, in minutes. */
export interface Stamp {
  readonly minutes: number;
  /** `06-07-2026 14:22`. */
  readonly text: string;
}

const MONTH = "(?<m>1[0-2]|0[1-9]|[1-9])";
const DAY = "(?<d>3[0-1]|[1-2][0-9]|0[1-9]|[1-9]| [1-9])";
const TIME = String.raw`\s+(?<h>2[0-3]|[0-1][0-9]|[0-9]):(?<min>[0-5][0-9]|[0-9])`;
const [OWN, ...OTHERS] = [
  `${MONTH}-${DAY}-(?<y>[0-9]{4})${TIME}`,
  `(?<y>[0-9]{4})-${MONTH}-${DAY}${TIME}`,
  `(?<y>[0-9]{4})-${MONTH}-${DAY}`,
].map((format) => new RegExp(`^${format}$`));

/** Reads `MM-DD-YYYY HH:MM`; with `isLenient`, also `YYYY-MM-DD` with or without a time. */
export function parseStamp(given: string, { isLenient = false } = {}): Stamp | undefined {
  for (const format of [OWN!, ...isLenient ? OTHERS : []]) {
    const found = format.exec(given);
    if (found === null) continue;
    const { y, m, d, h = "0", min = "0" } = found.groups!;
    const time = Date.UTC(Number(y), Number(m) - 1, Number(d), Number(h), Number(min));
    if (Number(y) > 99 && new Date(time).getUTCDate() === Number(d)) return stampOf(time);
  }
  return undefined;
}

/** The present minute in the user's time zone. */
export function stampNow(now: number): Stamp {
  return stampOf(now - new Date(now).getTimezoneOffset() * 60_000);
}

function stampOf(time: number): Stamp {
  const [date, clock] = new Date(time).toISOString().split("T");
  const [year, month, day] = date!.split("-");
  return { minutes: Math.floor(time / 60_000), text: `${month}-${day}-${year} ${clock!.slice(0, 5)}` };
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
