/**
 * Settings files: the part of TOML that flat settings need, and nothing else.
 *
 * Read by hand, in few lines, because the files are read before the rights are dropped, and no third-party
 * module may be loaded before that. Takes `key = value` with strings, whole numbers, booleans and arrays of
 * strings, and comments. All that it takes means the same in TOML; what it does not take is an error with a line.
 */
import { fail } from "../errors.ts";

/** One line of a settings file. */
export interface FileSetting {
  readonly key: string;
  readonly texts: readonly string[];
  readonly line: number;
}

/** Understands a settings file. `source` names it in errors. */
export function parseSettingsFile(text: string, source: string): readonly FileSetting[] {
  const found: FileSetting[] = [];
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    const line = i + 1;
    const bad = (wanted: string): never =>
      fail({
        code: "invalid-config",
        setting: "line",
        value: lines[i]!.trim(),
        source: `${source}:${line}`,
        wanted,
      });
    if (/^[ \t]*(#.*)?$/.test(lines[i]!) && !CONTROL.test(lines[i]!)) continue;
    const [, key, first] = /^[ \t]*([A-Za-z][\w-]*)[ \t]*=[ \t]*(.*)$/.exec(lines[i]!) ??
      bad('write it as key = "value"');
    // An array may go over several lines.
    const begin = i;
    const parts = [withoutComment(first!)];
    while (parts[0]!.startsWith("[") && !parts.at(-1)!.endsWith("]") && i + 1 < lines.length) {
      parts.push(withoutComment(lines[++i]!));
    }
    const value = parts.join(" ");
    if (found.some((other) => other.key === key)) bad("the key was set before");
    const texts = (lines.slice(begin, i + 1).some((raw) =>
        CONTROL.test(raw)
      )
      ? undefined
      : parseValue(value)) ??
      bad("the value must be a string in quotes, a whole number, true, false or an array of strings");
    found.push({ key: key!, texts, line });
  }
  return found;
}

const STRING = /"(?:[^"\\]|\\.)*"|'[^']*'/;

/** Characters that TOML allows nowhere on a line. */
// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/;

function parseValue(text: string): readonly string[] | undefined {
  if (/^(true|false|[+-]?(?:0|[1-9]\d*))$/.test(text)) return [text];
  if (!text.startsWith("[")) {
    const value = parseString(text);
    return value === undefined ? undefined : [value];
  }
  const body = new RegExp(`^\\[\\s*((?:(?:${STRING.source})\\s*,\\s*)*(?:${STRING.source})?)\\s*\\]$`).exec(
    text,
  )?.[1];
  return body?.match(new RegExp(STRING.source, "g"))?.map((part) => parseString(part) ?? "") ??
    (body === "" ? [] : undefined);
}

function parseString(text: string): string | undefined {
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1);
  // JSON knows one escape that TOML does not, and takes halves of characters.
  if (!/^"(?:[^"\\]|\\["\\bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*"$/.test(text)) return undefined;
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

/** A value without the comment behind it; a `#` inside quotes is no comment. */
function withoutComment(text: string): string {
  const kept = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'#])*/.exec(text)?.[0] ?? "";
  // Where a quote stands alone, nothing is a comment: the value is wrong as a whole.
  return (kept === text || text[kept.length] === "#" ? kept : text).replace(/^[ \t]+|[ \t]+$/g, "");
}
