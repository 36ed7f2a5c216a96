import { isValues, parseJson, type Values } from "../../base/values.ts";
import { localDate } from "../../base/time.ts";
import { LIMITS } from "../limits.ts";
import { asciiSlug } from "../work/formats/mod.ts";
import type { Argument, Given } from "./options.ts";
import {
  answer,
  failed,
  readPiped,
  refuse,
  type Script,
  type ScriptResult,
  type ScriptWorld,
  stop,
} from "./script.ts";
import { countSorted, escapeHtml, pythonLines, pythonText } from "./python.ts";

const FILE: Argument = { names: ["file"], help: "The document, or - for stdin" };
const DATE = "Today's date, YYYY-MM-DD";

export const reconKit: Script = {
  name: "recon_kit.py",
  usage: {
    about: "Checks and counts for research; prints JSON. Status 1 means findings",
    commands: {
      citations: {
        about: "Compare the markers [n] with the table of sources",
        run: citations,
        example: "FILE",
        args: [FILE],
      },
      tally: {
        about: "Count the entries of a log by type, and claims by status",
        run: tally,
        example: "FILE",
        args: [FILE],
      },
      staleness: {
        about: "Work out when claims have to be checked again",
        run: staleness,
        example: `FILE --windows '{"pricing":3}'`,
        args: [
          FILE,
          { names: ["--windows"], help: "Months by class, as JSON", isRequired: true, isMultiline: true },
          { names: ["--today"], help: DATE },
        ],
      },
      slug: {
        about: "Make the name of the folder for a topic",
        run: slug,
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
        run: escapeSources,
        example: "FILE",
        args: [FILE],
      },
    },
  },
  // Status 1 would mean findings.
  unreadable: 2,
};

function found(value: unknown, hasFindings = false): ScriptResult {
  return answer(value, { status: hasFindings ? 1 : 0, indent: 2, isAscii: false });
}

function citations(values: Given, world: ScriptWorld): ScriptResult {
  const lines = unfencedLines(readPiped(world, values.one("file")!));
  const sources = sourceRows(lines);
  const rows = sortedNumbers(sources.keys());
  const cited = new Set<number>();
  for (const line of lines) {
    const cells = splitCells(line);
    if (cells !== undefined && readNumber(cells[0]!) !== undefined) continue;
    for (const [, digits] of line.matchAll(MARKER)) cited.add(Number(digits));
  }
  const markers = sortedNumbers(cited);
  const dangling = markers.filter((one) => !sources.has(one));
  const orphaned = rows.filter((one) => !cited.has(one));
  const ok = dangling.length === 0 && orphaned.length === 0;
  const report = { markers, appendix_rows: rows, dangling_markers: dangling, orphaned_rows: orphaned, ok };
  return found(report, !ok);
}

function tally(values: Given, world: ScriptWorld): ScriptResult {
  const text = readPiped(world, values.one("file")!);
  const second = text.indexOf("---", 3);
  const body = !text.startsWith("---") ? text : text.slice(second < 0 ? 3 : second + 3);
  const types: string[] = [];
  const loose: string[] = [];
  const byRef = new Map<number, string>();
  for (const line of pythonLines(body)) {
    const [, type = "note", rest] = ENTRY.exec(line) ?? [];
    if (rest === undefined) continue;
    types.push(type);
    if (type !== "claim") continue;
    const status = STATUS.exec(rest)?.[1] ?? "unknown";
    const ref = REF.exec(rest)?.[1];
    if (ref === undefined) loose.push(status);
    // The last status of a reference counts.
    else byRef.set(Number(ref), status);
  }
  const claims = [...loose, ...byRef.values()];
  return found({
    entries: types.length,
    by_type: new Map(countSorted(types)),
    claims: new Map(countSorted(claims)),
    claims_total: claims.length,
  });
}

function staleness(values: Given, world: ScriptWorld): ScriptResult {
  const payload = parseJson(readPiped(world, values.one("file")!));
  if (payload === undefined) return refuse(`${values.one("file")} is not JSON`);
  const windows = readWindows(values.one("windows")!);
  const today = values.one("today") || localDate(world.clock.now());
  const now = parseDay(today) ?? refuse(`--today ${notDay(today)}`);
  return recheck(payload, windows, `${now}`);
}

function slug(values: Given, world: ScriptWorld): ScriptResult {
  const slug = asciiSlug(values.one("topic")!, 40);
  if (slug === "") return refuse("topic slugified to an empty string");
  const pattern = values.one("pattern") ?? "{research_type}-{topic_slug}-{date}";
  const type = values.one("type")!, date = values.one("date") || localDate(world.clock.now());
  const most = LIMITS.scripts.folderPart;
  if ([pattern, type, date].some((part) => part.length > most)) {
    refuse(`a part of the folder is longer than ${most} characters`);
  }
  const folder = pattern.replaceAll("{research_type}", () => type).replaceAll("{topic_slug}", slug)
    .replaceAll("{date}", () => date);
  return found({ topic_slug: slug, folder });
}

function escapeSources(values: Given, world: ScriptWorld): ScriptResult {
  const rows = sourceRows(unfencedLines(readPiped(world, values.one("file")!)));
  if (rows.size === 0) return refuse("no source-appendix table rows found");
  const invalid: string[] = [];
  const html = sortedNumbers(rows.keys()).map((number) => {
    const cells = rows.get(number)!.slice(1).map((cell) => `<td>${linkedCell(cell, invalid)}</td>`);
    return `<tr id="src-${number}"><td>[${number}]</td>${cells.join("")}</tr>`;
  });
  const table = `<table class="sources"><tbody>${html.join("")}</tbody></table>`;
  return found({ rows: rows.size, invalid_urls: invalid, html: table }, invalid.length > 0);
}

const MARKER = /\[(\d{1,15})\](?!\()/g;
const NUMBER = /^\[?(\d{1,15})\]?$/;
const ENTRY = /^- (?:\(([\p{L}\p{N}_-]+)(?: by [^)]*)?\)\s*)?(.*)$/su;
const STATUS = /status=([\p{L}\p{N}_-]+)/u;
const REF = /ref=\[?(\d{1,15})\]?/;

function unfencedLines(text: string): readonly string[] {
  let isFenced = false;
  return pythonLines(text).map((line) => {
    if (!line.trimStart().startsWith("```")) return isFenced ? "" : line;
    isFenced = !isFenced;
    return "";
  });
}

function splitCells(line: string): readonly string[] | undefined {
  const text = line.trim();
  if (!text.startsWith("|")) return undefined;
  return text.replace(/^\|+/, "").replace(/(?<!\|)\|+$/, "").split("|").map((cell) => cell.trim());
}

/** Rows whose first cell is `[n]` or `n`; of two with one number, the last. */
function sourceRows(lines: readonly string[]): ReadonlyMap<number, readonly string[]> {
  const rows = new Map<number, readonly string[]>();
  for (const line of lines) {
    const cells = splitCells(line);
    const number = cells === undefined || cells.length < 2 ? undefined : readNumber(cells[0]!);
    if (number !== undefined) rows.set(number, cells!);
  }
  return rows;
}

/** `[label](url)`, of lengths that people write: a cell may be as long as the file. */
const LINK = /\[([^\][]{0,500})\]\(([^\s)[]{1,2000})\)/;
const OF_WEB = /^https?:\/\/[^/?#]/i;
const ADDRESS = /(https?:\/\/[^\s|)\]]+)/;

/** A link that does not lead to the web goes to `invalid` and stays text. */
function linkedCell(cell: string, invalid: string[]): string {
  const link = LINK.exec(cell) ?? ADDRESS.exec(cell);
  if (link === null) return escapeHtml(cell);
  const [whole, name, url = name!] = link;
  const [start, end, label] = [link.index, link.index + whole.length, name || url];
  if (OF_WEB.test(url)) {
    return `${escapeHtml(cell.slice(0, start))}<a href="${escapeHtml(url)}" target="_blank" rel="noopener">${
      escapeHtml(label)
    }</a>${escapeHtml(cell.slice(end))}`;
  }
  invalid.push(url);
  return escapeHtml(cell.replaceAll(cell.slice(start, end), () => label));
}

function readNumber(cell: string): number | undefined {
  const [, digits] = NUMBER.exec(cell) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function sortedNumbers(numbers: Iterable<number>): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}

function readWindows(json: string): ReadonlyMap<string, number> {
  const given = parseJson(json);
  const isMonths = (value: unknown) =>
    (typeof value === "number" || typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value)) &&
    Math.abs(Number(value)) <= LIMITS.scripts.months;
  if (!isValues(given) || !Object.values(given).every(isMonths)) {
    return refuse("--windows must be a JSON object of months by class");
  }
  return new Map(
    Object.entries(given).map(([name, value]) => [name.toLowerCase(), Math.trunc(Number(value))]),
  );
}

function recheck(payload: unknown, windows: ReadonlyMap<string, number>, now: string): ScriptResult {
  const claims: Values[] = [];
  const unknown = new Set<string>();
  const dates: string[] = [];
  let stale = 0;
  const given = isValues(payload) ? payload["claims"] : payload;
  for (const claim of Array.isArray(given) ? given : stop("claims are not a list")) {
    if (!isValues(claim)) return stop("a claim is not an object");
    const name = claim["class"] === undefined ? "" : pythonText(claim["class"]).toLowerCase();
    const day = pythonText(claim["pub_date"] ?? "");
    const published = parseDay(day);
    if (published === undefined) {
      return failed(2, `error in claim ${JSON.stringify(claim)}: pub_date ${notDay(day)}\n`);
    }
    const months = windows.get(name);
    if (months === undefined) {
      unknown.add(name);
      claims.push({ ...claim, recheck: null, stale: null });
      continue;
    }
    const date = `${published.add({ months })}`;
    const isStale = date <= now;
    stale += Number(isStale);
    dates.push(date);
    claims.push({ ...claim, recheck: date, stale: isStale });
  }
  return found({
    today: now,
    claims,
    stale_count: stale,
    earliest_recheck: dates.sort()[0] ?? null,
    no_window_classes: [...unknown].sort(),
  }, stale > 0);
}

function notDay(text: string): string {
  return `${JSON.stringify(text)} is not a date like YYYY-MM-DD, YYYY-MM or YYYY`;
}

/** A month or a year means its first day. */
function parseDay(text: string): Temporal.PlainDate | undefined {
  const [, year, month = "1", day = "1"] = /^(\d{4})(?:-(\d\d?)(?:-(\d\d?))?)?$/.exec(text.trim()) ?? [];
  if (year === undefined || year === "0000") return undefined;
  const given = { year: Number(year), month: Number(month), day: Number(day) };
  const date = Temporal.PlainDate.from({ ...given, month: given.month || 1, day: given.day || 1 });
  // February 30th would become the last day of February.
  return date.month === given.month && date.day === given.day ? date : undefined;
}
