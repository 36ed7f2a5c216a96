/**
 * Output that fits the screen: whatever a command prints, no line is wider than the terminal.
 *
 * The one place that every line passes; tables and facts, which have columns, arrange themselves before. Nothing is cut
 * off. A command that does not fit goes on after a backslash, so that both lines, pasted, are still that command.
 */
import type { Host } from "../../process/host.ts";
import { widthOf } from "./width.ts";
import { charactersOf, wrap } from "./wrap.ts";

/** What may be folded; programs want every byte of the rest. */
export interface Folded {
  readonly out: boolean;
  readonly err: boolean;
}

/** The same host, on a terminal with its output folded. */
export function fitted<T extends Pick<Host, "columns" | "os" | "terminal" | "writeOut" | "writeErr">>(
  host: T,
  { out, err }: Folded,
): T {
  const { columns, os } = host;
  if (columns === undefined) return host;
  const folded = (write: (text: string) => void) => (text: string) => write(fold(text, columns, os));
  return {
    ...host,
    writeOut: out && host.terminal.stdout ? folded(host.writeOut) : host.writeOut,
    writeErr: err && host.terminal.stderr ? folded(host.writeErr) : host.writeErr,
  };
}

/** A text, with each line that is wider than the screen as several. */
export function fold(text: string, columns: number, os: Host["os"] = "linux"): string {
  return text.split("\n").flatMap((line) => foldLine(line, columns, os)).join("\n");
}

const PLAIN = /^[ -~]*$/;

/** A line of JSON, which is pasted into a file. */
const JSON_LINE = /^\s*(?:[{}[\]]+,?|"(?:[^"\\]|\\.)*"(?:: .*)?,?)$/;

/** What precedes the text of an item; what is wrapped goes on below the text. */
// deno-lint-ignore no-control-regex
const LEAD = /^(?:\s|\x1b\[[\d;]*m)*(?:(?:[-*•✓!✗·]|\d+\.)(?:\x1b\[[\d;]*m)? )?/;

/** What precedes a command to be pasted. */
const BEFORE_COMMAND =
  // deno-lint-ignore no-control-regex
  /(?:^\s*|:(?:\x1b\[\d{1,3}m)? )(?=(?:bmad-mcp|git|npx|npm|deno|sudo|chown|chmod|mkdir|mv|rm|claude) )/;

/** The name of the program before a line of its log is not a command. */
const LOG_LINE = /^bmad-mcp (?:error|warn|info|debug): /;

function foldLine(line: string, columns: number, os: Host["os"]): readonly string[] {
  const fits = PLAIN.test(line) ? line.length <= columns : widthOf(line) <= columns;
  if (fits || JSON_LINE.test(line)) return [line];
  const before = LOG_LINE.test(line) ? null : BEFORE_COMMAND.exec(line);
  if (before === null) return wrapLine(line, columns);
  const about = line.slice(0, before.index + before[0].length);
  const command = line.slice(about.length);
  if (!isAlone(about, command)) return wrapLine(line, columns);
  const head = about.trim() === "" ? [] : wrapLine(about.trimEnd(), columns);
  const indent = `${/^\s*/.exec(about)![0]}${head.length === 0 ? "" : "  "}`;
  // Other shells go on in other ways: there the terminal itself breaks the line.
  return [...head, ...(os === "windows" ? [indent + command] : continued(command, columns, indent))];
}

/** Whether a command is all that follows, and can be run as it is. */
function isAlone(about: string, command: string): boolean {
  return !/Usage: $/.test(about) && !/[.?!:,] |[.)`]$/.test(command.replaceAll(/"[^"]*"|'[^']*'/g, "x"));
}

/** Stands for a space at which no line is broken, such as one in a command between backticks. */
const TIED = "\u{F0000}";

function wrapLine(line: string, columns: number): readonly string[] {
  const [lead] = LEAD.exec(line)!;
  const width = Math.min(widthOf(lead), Math.floor(columns / 2));
  const room = columns - width;
  const text = line.slice(lead.length).replaceAll(
    /`[^`]+`/g,
    (code) => widthOf(code) <= room ? code.replaceAll(" ", TIED) : code,
  );
  return wrap(text, room, widthOf)
    .map((part, at) => (at === 0 ? lead : " ".repeat(width)) + part.replaceAll(TIED, " "));
}

/**
 * A command on several lines that a shell reads as one: each but the last ends with a backslash, where possible after a
 * space or a slash. In single quotes, where a backslash is a letter, these end before it and begin again below.
 */
function continued(command: string, columns: number, lead: string, quote = ""): readonly string[] {
  if (widthOf(lead + command) <= columns) return [lead + command];
  let [at, width, open] = [0, widthOf(lead), quote];
  let best = { at: command.length, rank: -1, open };
  for (const character of charactersOf(command)) {
    at += character.length;
    width += widthOf(character);
    if (width > columns - MARK) break;
    if (open === "" && /["']/.test(character)) open = character;
    else if (character === open) open = "";
    const rank = character === " " ? 2 : character === "/" ? 1 : 0;
    if (rank >= best.rank) best = { at, rank, open };
  }
  const line = command.slice(0, best.at);
  const isQuoted = best.open === "'";
  // What is in quotes has no indent, which would be a part of it.
  const indent = best.open === "" && line.endsWith(" ") ? "  " : isQuoted ? "'" : "";
  if (best.at === command.length) return [lead + line];
  const mark = isQuoted ? "'\\" : "\\";
  return [lead + line + mark, ...continued(command.slice(best.at), columns, indent, best.open)];
}

/** The width of what ends a line that goes on below. */
const MARK = 2;
