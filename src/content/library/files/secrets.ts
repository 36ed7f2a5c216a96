/**
 * Removes secrets from values and configuration files.
 *
 * Values whose key names a secret are dropped. In a served file only the secrets are replaced, and every other byte stays.
 * How a secret is recognised is in secret_patterns.ts.
 */
import { splitKeepingEnds, splitLines } from "../../../base/text.ts";
import {
  formatToml,
  formatYaml,
  isValues,
  MAX_VALUES,
  parseToml,
  parseYaml,
  type Values,
} from "../../parse.ts";
import {
  isSecret,
  isSecretKey,
  maskPairs,
  maskText,
  maskValue,
  REMOVED,
  scalarOf,
} from "./secret_patterns.ts";

/** Drops the values whose key names a secret, at any depth, and replaces the secrets inside other texts. */
export function withoutSecrets(values: Values): Values {
  return cleaned(values, () => []) as Values;
}

/** The same for a whole configuration: a code may look like the key of a secret, so only the tables below it are checked. */
export function configWithoutSecrets(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, table]) => {
      if (!["agents", "modules"].includes(key) || !isValues(table)) {
        return Object.entries(withoutSecrets({ [key]: table }));
      }
      const tables = Object.entries(table).map(([code, own]) => [code, cleaned(own, () => [])]);
      return [[key, Object.fromEntries(tables)]];
    }),
  );
}

/** A value with the secrets inside its texts replaced; `replace` gives what is left of a secret by its key. */
function cleaned(value: unknown, replace: (key: string) => readonly (readonly [string, string])[]): unknown {
  if (typeof value === "string") return maskValue(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, replace));
  if (!isValues(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]): readonly (readonly [string, unknown])[] =>
      isSecret(key, inner) ? replace(key) : [[key, cleaned(inner, replace)]]
    ),
  );
}

/** The files with a user's own values: configuration and customization. */
const CONFIG_FILE =
  /(?:^|\/)(?:(?:core-)?config(?:\.user)?\.(?:ya?ml|toml)|custom\/[^/]+\.toml|customize\.toml|[^/]+\.customize\.yaml)$/;

/**
 * The text of a configuration file that is not UTF-8, because its bytes would contain its secrets. It is UTF-16 if it has
 * a byte order mark, else one byte per character, without the zeros of an unmarked UTF-16.
 */
export function decodeConfig(bytes: Uint8Array<ArrayBuffer>, path: string): string | undefined {
  if (!CONFIG_FILE.test(path)) return undefined;
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder("latin1").decode(bytes).replaceAll("\0", "");
}

/**
 * Replaces the secrets in the text of a configuration file; other files stay as they are. Lines without a secret do not
 * change. A file whose secrets cannot be replaced line by line is serialized again, without its comments. Of a file that
 * is too long to be read for its values, the rest is left out.
 */
export function maskSecrets(text: string, path: string): string {
  if (!CONFIG_FILE.test(path)) return text;
  if (text.length > MAX_VALUES) {
    const shown = text.slice(0, text.lastIndexOf("\n", MAX_VALUES) + 1);
    return `${
      maskSecrets(shown, path)
    }# [removed: only the first ${MAX_VALUES} characters are searched for secrets]\n`;
  }
  const isToml = path.endsWith(".toml");
  const parse = isToml ? parseToml : parseYaml;
  const { value, problem } = parse(text);
  // An invalid file can only be judged line by line.
  if (problem !== undefined) return maskLines(text, /[:=]/);
  const sign = isToml ? /=/ : /:/;
  const wanted = cleaned(value, (key) => [[key, REMOVED]]) as Values;
  // Prose inside a value can look like a line with a secret; then only comments are scanned.
  const attempts = [maskLines(text, sign), maskLines(text, sign, COMMENT), maskValue(text)];
  const right = attempts.find((attempt) => JSON.stringify(parse(attempt).value) === JSON.stringify(wanted));
  return right ?? (isToml ? formatToml(wanted) : formatYaml(wanted));
}

/** `key: value` and `key = value`, also in a comment or after the dash of a list. */
const ASSIGNMENT = /^(\s*(?:#\s*)*(?:-\s+)*)((["']?)([\w.-]+)\3)(\s*[:=]\s*)(.*)$/s;
/** The same inside braces. */
const INLINE = /([{,]\s*)((["']?)([\w.-]+)\3)(\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',}[{]+)/g;

const COMMENT = /^\s*#/;
/** A table header in TOML: `[agents.pm]`. */
const HEADER = /^\s*\[{1,2}([^[\]]+)\]/;

/** A value that ends on its line: a quoted text, a list or a table in brackets. */
const CLOSED =
  /^(?:"""(?!$).*"""|'''(?!$).*'''|"(?!"")(?:[^"\\]|\\.)*"|'(?!'')[^']*'|[[{].*[\]}])(?:\s*#.*)?$/s;

interface Line {
  readonly text: string;
  /** How far the key is indented, with the signs before it. */
  readonly indent: number;
  readonly header: string | undefined;
  /** Empty for a line without an assignment. */
  readonly key: string;
  readonly value: string;
  readonly masked: string;
}

/** `sign` is what separates a key from its value; in a comment it may be any. */
function readLine(text: string, sign: RegExp): Line {
  const body = text.trimEnd();
  const found = ASSIGNMENT.exec(body) ?? [];
  const isAssignment = COMMENT.test(body) || sign.test(found[5] ?? "");
  const [, before = "", written = "", , key = "", between = "", value = ""] = isAssignment ? found : [];
  const space = /\s$/.test(between) ? "" : " ";
  return {
    text,
    indent: before.length,
    header: HEADER.exec(body)?.[1],
    key,
    value,
    masked: `${before}${written}${between}${space}"${REMOVED}"${text.slice(body.length)}`,
  };
}

/** A value that continues on the following lines: while they are indented more, or until it is closed. */
function longValueOf({ value, indent }: Line, next: Line | undefined) {
  const isUnclosed = /^["'[{]/.test(value) && !CLOSED.test(value);
  const isBlock = /^([|>][+-]?\d?)?$/.test(value) && next !== undefined && isIndented(next, indent);
  return isUnclosed || isBlock ? { indent, isUnclosed } : undefined;
}

type LongValue = ReturnType<typeof longValueOf>;

function isPartOf(line: Line, { indent, isUnclosed }: NonNullable<LongValue>): boolean {
  const isNext = line.key !== "" || /^\s*\[/.test(line.text);
  return isIndented(line, indent) || (isUnclosed && !isNext);
}

function isIndented({ text }: Line, indent: number): boolean {
  return text.trim() !== "" && text.search(/\S/) > indent;
}

/** Replaces secrets by their form everywhere, and by their key in the lines that match `where`. */
function maskLines(text: string, sign: RegExp, where = /^/): string {
  const lines = splitKeepingEnds(maskText(text).replaceAll(BARE, `$1"${REMOVED}"`)).map((whole) => {
    const line = splitLines(whole)[0]!;
    return { ...readLine(line, sign), end: whole.slice(line.length) };
  });
  const masked: string[] = [];
  let secret: LongValue;
  let isSecretTable = false;
  for (const [at, line] of lines.entries()) {
    const isBlank = line.text.trim() === "";
    if (line.header !== undefined) isSecretTable = line.header.split(".").some(isSecretKey);
    if (secret !== undefined && isPartOf(line, secret)) continue;
    if (!isBlank) secret = undefined;
    if (isSecretTable && !isBlank && line.key === "" && line.header === undefined) continue;
    const long = longValueOf(line, lines[at + 1]);
    const isNamed = long === undefined ? isSecret(line.key, scalarOf(line.value)) : isSecretKey(line.key);
    if (!where.test(line.text)) masked.push(maskPairs(line.text) + line.end);
    else if (isNamed || (isSecretTable && line.key !== "")) {
      secret = long;
      masked.push(line.masked + line.end);
    } else masked.push(maskPairs(maskInline(line.text)) + line.end);
  }
  return masked.join("");
}

/** A replaced secret that had no quotes: YAML would parse the replacement as a list. */
const BARE = /((?:^|[:-])[ \t]+)\[removed\](?=[ \t]*(?:#|$))/gm;

function maskInline(line: string): string {
  return line.replaceAll(
    INLINE,
    (whole, open: string, written: string, _quote, name: string, middle: string, value: string) =>
      isSecret(name, scalarOf(value)) ? `${open}${written}${middle}"${REMOVED}"` : whole,
  );
}
