/**
 * `recon_kit.py`: the exact work of a research report: citations against sources, claims by status, dates of the next
 * check, the folder of a run, and the sources as HTML.
 */
import { addMonths, dateText, type Day, parseDay, today } from "./dates.ts";
import { linkedCell } from "./linked_cell.ts";
import type { Argument, Given } from "./options.ts";
import { integer, raise, Raised, readPiped, refuseExcess, scriptOf } from "./program.ts";
import {
  byCodePoint,
  byValue,
  Float,
  pythonInt,
  pythonJson,
  pythonLines,
  pythonPattern,
  strip,
} from "./python.ts";
import { isTrue, type JsonValue, parseJson, pythonRepr, pythonStr } from "./python_json.ts";
import { failed, type Script, type ScriptResult, type ScriptWorld } from "./script.ts";

const FILE: Argument = { names: ["file"], help: "The document, or - for stdin" };
const DATE = "Today's date, YYYY-MM-DD";

type Command = (values: Given, world: ScriptWorld) => ScriptResult;

/** `recon_kit.py COMMAND …`: status 1 means findings. */
export const reconKit: Script = scriptOf({
  name: "recon_kit.py",
  usage: {
    about: "Checks and counts for research; prints JSON. Status 1 means findings",
    commands: {
      citations: {
        about: "Compare the markers [n] with the table of sources",
        example: "FILE",
        args: [FILE],
      },
      tally: {
        about: "Count the entries of a log by type, and claims by status",
        example: "FILE",
        args: [FILE],
      },
      staleness: {
        about: "Work out when claims have to be checked again",
        example: `FILE --windows '{"pricing":3}'`,
        args: [
          FILE,
          {
            names: ["--windows"],
            help: "Months per class of claims, as JSON",
            isRequired: true,
            isMultiline: true,
          },
          { names: ["--today"], help: DATE },
        ],
      },
      slug: {
        about: "Make the name of the folder for a topic",
        example: "TOPIC --type TYPE",
        args: [
          { names: ["topic"], help: "The topic" },
          { names: ["--type"], help: "What kind of research it is", isRequired: true },
          { names: ["--pattern"], help: "The pattern of the name", isPattern: true },
          { names: ["--date"], help: DATE },
        ],
      },
      "escape-sources": {
        about: "Print the table of sources as safe HTML",
        example: "FILE",
        args: [FILE],
      },
    },
  },
  run: (values, world) => {
    try {
      return COMMANDS[values.command!]!(values, world);
    } catch (error) {
      if (error instanceof Raised && error.kind === "FileNotFoundError") return refused(error.message);
      throw error;
    }
  },
});

function answer(value: unknown, hasFindings = false): ScriptResult {
  const stdout = `${pythonJson(value, { indent: 2, isAscii: false })}\n`;
  return { status: hasFindings ? 1 : 0, stdout, stderr: "" };
}

function refused(problem: string): ScriptResult {
  return failed(2, `error: ${problem}\n`);
}

/** The parts of a folder's name: a pattern may repeat them. */
const MAX_PART = 1_000;

const COMMANDS: Readonly<Record<string, Command>> = {
  citations: (values, world) => {
    const lines = unfencedLines(readPiped(world, values.one("file")!));
    const sources = sourceRows(lines);
    const rows = sortedNumbers(sources.keys());
    const cited = new Set<bigint>();
    for (const line of lines) {
      const cells = cellsOf(line);
      if (cells !== undefined && numberOf(cells[0]!) !== undefined) continue;
      for (const [, digits] of line.matchAll(MARKER)) cited.add(integer(digits!));
    }
    const markers = sortedNumbers(cited);
    const dangling = markers.filter((one) => !sources.has(one));
    const orphaned = rows.filter((one) => !cited.has(one));
    const ok = dangling.length === 0 && orphaned.length === 0;
    return answer(
      { markers, appendix_rows: rows, dangling_markers: dangling, orphaned_rows: orphaned, ok },
      !ok,
    );
  },
  tally: (values, world) => {
    const text = readPiped(world, values.one("file")!);
    const second = text.indexOf("---", 3);
    const body = !text.startsWith("---") ? text : text.slice(second < 0 ? 3 : second + 3);
    const types: string[] = [];
    const loose: string[] = [];
    const byRef = new Map<bigint, string>();
    for (const line of pythonLines(body)) {
      const [, type = "note", rest] = ENTRY.exec(line) ?? [];
      if (rest === undefined) continue;
      types.push(type);
      if (type !== "claim") continue;
      const status = STATUS.exec(rest)?.[1] ?? "unknown";
      const ref = REF.exec(rest)?.[1];
      if (ref === undefined) loose.push(status);
      // The last status of a reference counts.
      else byRef.set(integer(ref), status);
    }
    const claims = [...loose, ...byRef.values()];
    return answer({
      entries: types.length,
      by_type: counted(types),
      claims: counted(claims),
      claims_total: claims.length,
    });
  },
  staleness: (values, world) => {
    let [payload, windows, now]: [JsonValue, ReadonlyMap<string, bigint>, Day] = [null, new Map(), NO_DAY];
    try {
      payload = parseJson(readPiped(world, values.one("file")!));
      windows = readWindows(values.one("windows")!);
      now = values.one("today") ? parseDay(values.one("today")!) : today(world.clock.now());
    } catch (error) {
      if (error instanceof Raised && VALUE_ERRORS.has(error.kind)) return refused(error.message);
      throw error;
    }
    return recheck(payload, windows, now);
  },
  slug: (values, world) => {
    const slug = slugOf(values.one("topic")!);
    if (slug === "") return refused("topic slugified to an empty string");
    const pattern = values.one("pattern") ?? "{research_type}-{topic_slug}-{date}";
    const long = [pattern, values.one("type")!, values.one("date") ?? ""].find((one) =>
      one.length > MAX_PART
    );
    if (long !== undefined) refuseExcess(`a part of the folder is longer than ${MAX_PART} characters`);
    const folder = pattern.replaceAll("{research_type}", () => values.one("type")!)
      .replaceAll("{topic_slug}", slug)
      .replaceAll("{date}", () => values.one("date") || dateText(today(world.clock.now())));
    return answer({ topic_slug: slug, folder });
  },
  "escape-sources": (values, world) => {
    const rows = sourceRows(unfencedLines(readPiped(world, values.one("file")!)));
    if (rows.size === 0) return refused("no source-appendix table rows found");
    const invalid: string[] = [];
    const html = sortedNumbers(rows.keys()).map((number) => {
      const cells = rows.get(number)!.slice(1).map((cell) => `<td>${linkedCell(cell, invalid)}</td>`);
      return `<tr id="src-${number}"><td>[${number}]</td>${cells.join("")}</tr>`;
    });
    const table = `<table class="sources"><tbody>${html.join("")}</tbody></table>`;
    return answer({ rows: rows.size, invalid_urls: invalid, html: table }, invalid.length > 0);
  },
};

const MARKER = pythonPattern(String.raw`\[(\d+)\](?!\()`, "g");
const NUMBER = pythonPattern(String.raw`^\[?(\d+)\]?(?![^])`);
const ENTRY = pythonPattern(String.raw`^- (?:\(([\w-]+)(?: by [^)]*)?\)\s*)?(.*)$`);
const STATUS = pythonPattern(String.raw`status=([\w-]+)`);
const REF = pythonPattern(String.raw`ref=\[?(\d+)\]?`);

/** The lines of a text; those of fenced code are empty. */
function unfencedLines(text: string): readonly string[] {
  let isFenced = false;
  return pythonLines(text).map((line) => {
    if (!strip(line, { side: "left" }).startsWith("```")) return isFenced ? "" : line;
    isFenced = !isFenced;
    return "";
  });
}

/** The cells of a table row; undefined for any other line. */
function cellsOf(line: string): readonly string[] | undefined {
  const text = strip(line);
  return text.startsWith("|") ? strip(text, { of: "|" }).split("|").map((cell) => strip(cell)) : undefined;
}

/** Rows whose first cell is `[n]` or `n`; of two with one number, the last. */
function sourceRows(lines: readonly string[]): ReadonlyMap<bigint, readonly string[]> {
  const rows = new Map<bigint, readonly string[]>();
  for (const line of lines) {
    const cells = cellsOf(line);
    const number = cells === undefined || cells.length < 2 ? undefined : numberOf(cells[0]!);
    if (number !== undefined) rows.set(integer(number), cells!);
  }
  return rows;
}

function numberOf(cell: string): string | undefined {
  return NUMBER.exec(cell)?.[1];
}

function sortedNumbers(numbers: Iterable<bigint>): readonly bigint[] {
  return [...numbers].sort(byValue);
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([...counts].sort(([a], [b]) => byCodePoint(a, b)));
}

const NO_DAY: Day = { year: 1, month: 1, day: 1 };
const VALUE_ERRORS: ReadonlySet<string> = new Set(["ValueError", "JSONDecodeError", "UnicodeDecodeError"]);

/** The months that a class of claims stays fresh. */
function readWindows(json: string): ReadonlyMap<string, bigint> {
  const given = parseJson(json);
  if (!(given instanceof Map)) return raise("AttributeError", "windows are not an object");
  const windows = new Map<string, bigint>();
  for (const [name, months] of given) windows.set(name.toLowerCase(), wholeNumber(months));
  return windows;
}

/** `int(value)`. */
function wholeNumber(value: JsonValue): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "string") {
    return pythonInt(value) ?? raise("ValueError", `invalid literal for int(): ${pythonRepr(value)}`);
  }
  if (!(value instanceof Float)) return raise("TypeError", "int() argument must be a string or a number");
  if (Number.isNaN(value.value)) raise("ValueError", "cannot convert float NaN to integer");
  if (!Number.isFinite(value.value)) raise("OverflowError", "cannot convert float infinity to integer");
  return BigInt(Math.trunc(value.value));
}

/** When each claim is to be checked again, and which of them are due. */
function recheck(payload: JsonValue, windows: ReadonlyMap<string, bigint>, now: Day): ScriptResult {
  const claims: ReadonlyMap<string, JsonValue>[] = [];
  const unknown = new Set<string>();
  const dates: string[] = [];
  let stale = 0;
  for (const claim of claimsIn(payload)) {
    if (!(claim instanceof Map)) return raise("AttributeError", "a claim is not an object");
    const name = pythonStr(claim.has("class") ? claim.get("class")! : "").toLowerCase();
    let published = NO_DAY;
    try {
      if (!claim.has("pub_date")) raise("KeyError", "'pub_date'");
      published = parseDay(pythonStr(claim.get("pub_date")!));
    } catch (error) {
      if (!(error instanceof Raised)) throw error;
      return failed(2, `error in claim ${pythonRepr(claim)}: ${error.message}\n`);
    }
    const months = windows.get(name);
    if (months === undefined) {
      unknown.add(name);
      claims.push(new Map([...claim, ["recheck", null], ["stale", null]]));
      continue;
    }
    const date = dateText(addMonths(published, months));
    const isStale = date <= dateText(now);
    stale += Number(isStale);
    dates.push(date);
    claims.push(new Map([...claim, ["recheck", date], ["stale", isStale]]));
  }
  return answer({
    today: dateText(now),
    claims,
    stale_count: stale,
    earliest_recheck: dates.sort()[0] ?? null,
    no_window_classes: [...unknown].sort(byCodePoint),
  }, stale > 0);
}

/** What a loop over the claims meets. */
function claimsIn(payload: JsonValue): readonly JsonValue[] {
  const claims = payload instanceof Map ? payload.get("claims") ?? missing(payload) : payload;
  if (Array.isArray(claims)) return claims;
  const isLoopable = typeof claims === "string" || claims instanceof Map;
  if (!isLoopable) return raise("TypeError", "claims are not a list");
  return isTrue(claims) ? raise("AttributeError", "a claim is not an object") : [];
}

function missing(payload: ReadonlyMap<string, JsonValue>): null {
  return payload.has("claims") ? null : raise("KeyError", "'claims'");
}

function slugOf(topic: string): string {
  const ascii = [...topic.normalize("NFKD")].filter((one) => one <= "\x7f").join("");
  const dashed = strip(ascii.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"), { of: "-" });
  return strip(dashed.slice(0, 40), { side: "right", of: "-" });
}
