/** By hand: a parser of others may not be loaded yet. Lines are not quoted: they may hold a password. */
import { attempt } from "../base/absence.ts";
import { splitLines } from "../base/text.ts";
import { fail, type Failure } from "../base/errors.ts";

export interface FileSetting {
  readonly key: string;
  readonly texts: readonly string[];
  readonly line: number;
  readonly end: number;
}

type FileFault = Extract<Failure, { code: "invalid-file" }>;

const MAX_FAULTS = 20;

export function parseSettingsFile(text: string, path: string): readonly FileSetting[] {
  const { rows, faults: [fault] } = readSettingsText(text, path);
  return fault === undefined ? rows : fail(fault);
}

export function readSettingsText(text: string, path: string) {
  const found: FileSetting[] = [];
  const faults: FileFault[] = [];
  const lines = splitLines(text.replace(/^\uFEFF/, ""));
  const bad = (problem: string, line: number, at: number) => {
    // One for each line, or a single slip looks like several.
    if (faults.length === MAX_FAULTS || faults.some((fault) => fault.line === line + 1)) return;
    faults.push({ code: "invalid-file", path, line: line + 1, column: at + 1, problem });
  };
  const odd = lines.findIndex((line) => CONTROL.test(line));
  if (odd >= 0) bad("unexpected control character", odd, lines[odd]!.search(CONTROL));
  for (let i = 0; i < lines.length; i++) {
    const begin = i;
    const raw = lines[begin]!;
    if (/^[ \t]*(#.*)?$/.test(raw)) continue;
    const start = raw.search(/[^ \t]/);
    const [, key, first] = /^[ \t]*([A-Za-z][\w-]*)[ \t]*=[ \t]*(.*)$/s.exec(raw) ?? [];
    if (key === undefined || first === undefined) {
      bad('expected key = "value"', begin, start);
      continue;
    }
    const parts = [withoutComment(first)];
    while (parts[0]!.startsWith("[") && !parts.at(-1)!.endsWith("]") && i + 1 < lines.length) {
      parts.push(withoutComment(lines[++i]!));
    }
    const value = parts.join(" ");
    if (found.some((other) => other.key === key)) bad(`duplicate key ${key}`, begin, start);
    const texts = parseValue(value);
    if (texts === undefined) bad(WANTED, begin, raw.length - first.length);
    else found.push({ key, texts, line: begin + 1, end: i + 1 });
  }
  return { rows: found, faults };
}

const WANTED = "expected a quoted string, a whole number, true, false or an array of strings";

const ITEM = /("(?:[^"\\]|\\.)*"|'[^']*')\s*(?:,\s*|$)/y;

/** TOML allows these nowhere on a line. */
// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/;

function parseValue(text: string): readonly string[] | undefined {
  if (/^(true|false|[+-]?(?:0|[1-9]\d*))$/.test(text)) return [text];
  if (!text.startsWith("[")) {
    const value = parseString(text);
    return value === undefined ? undefined : [value];
  }
  return text.endsWith("]") ? parseItems(text.slice(1, -1).trim()) : undefined;
}

function parseItems(text: string): readonly string[] | undefined {
  const items: string[] = [];
  for (let at = 0; at < text.length; at = ITEM.lastIndex) {
    ITEM.lastIndex = at;
    const found = ITEM.exec(text);
    if (found === null) return undefined;
    items.push(parseString(found[1]!) ?? "");
  }
  return items;
}

function parseString(text: string): string | undefined {
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1);
  // JSON has one escape that TOML lacks, and accepts lone surrogates.
  if (!/^"(?:[^"\\]|\\["\\bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*"$/.test(text)) return undefined;
  return attempt(() => JSON.parse(text) as string);
}

function withoutComment(text: string): string {
  return text.slice(0, text.length - commentOf(text).length).replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, "");
}

/** None inside quotes, or after an unclosed one. */
export function commentOf(line: string): string {
  const before = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'#])*/.exec(line)?.[0] ?? "";
  return line[before.length] === "#" ? line.slice(before.length) : "";
}
