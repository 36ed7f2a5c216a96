/**
 * Values and configuration files without what nobody should see.
 *
 * Where values are handed on one by one, those whose key names a secret are left out. Where a file is served as
 * it is, only the secrets in it are replaced and every other byte stays.
 */
import { dump } from "js-yaml";
import { formatToml, isValues, parseToml, parseYaml, type Values } from "../../parse.ts";
import {
  isSecret,
  isSecretKey,
  maskPairs,
  maskText,
  maskValue,
  REMOVED,
  scalarOf,
} from "./secret_patterns.ts";

/** The values without those whose key names a secret, at any depth; secrets inside other texts are replaced. */
export function withoutSecrets(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => !isSecret(key, value)).map((
      [key, value],
    ) => [key, cleaned(value)]),
  );
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return maskValue(value);
  if (Array.isArray(value)) return value.map(cleaned);
  return isValues(value) ? withoutSecrets(value) : value;
}

/** The files whose values are a user's own: configuration, and what customizes skills and agents. */
const CONFIG_FILE =
  /(?:^|\/)(?:(?:core-)?config(?:\.user)?\.(?:ya?ml|toml)|custom\/[^/]+\.toml|customize\.toml|[^/]+\.customize\.yaml)$/;

/**
 * The text of a configuration file, by its path, that is not UTF-8: whoever were handed its bytes would have its
 * secrets too. It is UTF-16 if it says so, else in letters of one byte, between which UTF-16 has zeros.
 */
export function decodeConfig(bytes: Uint8Array<ArrayBuffer>, path: string): string | undefined {
  if (!CONFIG_FILE.test(path)) return undefined;
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder("latin1").decode(bytes).replaceAll("\0", "");
}

/**
 * The text of a file; in a configuration file, by its path, every secret is replaced. Lines that hold none stay
 * as they are. A file whose secrets cannot be replaced line by line is written anew, without its comments.
 */
export function maskSecrets(text: string, path: string): string {
  if (!CONFIG_FILE.test(path)) return text;
  const isToml = path.endsWith(".toml");
  const parse = isToml ? parseToml : parseYaml;
  const { value, problem } = parse(text);
  // Of a file that nobody can read, its lines are all there is to go by.
  if (problem !== undefined) return maskLines(text, /[:=]/);
  const sign = isToml ? /=/ : /:/;
  const wanted = masked(value) as Values;
  // Prose inside a value can look like a line with a secret; then only comments are looked through.
  const attempts = [maskLines(text, sign), maskLines(text, sign, COMMENT), maskValue(text)];
  const right = attempts.find((attempt) => isSame(parse(attempt).value, wanted));
  return right ?? (isToml ? formatToml(wanted) : dump(wanted, { lineWidth: -1 }));
}

/** Values of the same shape with every secret replaced. */
function masked(value: unknown): unknown {
  if (typeof value === "string") return maskValue(value);
  if (Array.isArray(value)) return value.map(masked);
  if (!isValues(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, isSecret(key, inner) ? REMOVED : masked(inner)]),
  );
}

/** `key: value` and `key = value`, also in a comment or behind the dash of a list. */
const ASSIGNMENT = /^(\s*(?:#\s*)*(?:-\s+)*)((["']?)([\w.-]+)\3)(\s*[:=]\s*)(.*)$/;
/** The same inside braces. */
const INLINE = /([{,]\s*)((["']?)([\w.-]+)\3)(\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',}[{]+)/g;

const COMMENT = /^\s*#/;
/** The head of a table in TOML, such as `[agents.pm]`. */
const HEAD = /^\s*\[{1,2}([^[\]]+)\]/;

/** A value that is closed on its line: a quoted text, a list or a table in brackets. */
const CLOSED =
  /^(?:"""(?!$).*"""|'''(?!$).*'''|"(?!"")(?:[^"\\]|\\.)*"|'(?!'')[^']*'|[[{].*[\]}])(?:\s*#.*)?$/;

/**
 * Replaces secrets by form everywhere, and by their key in the lines that a pattern fits. The sign is what stands
 * between a key and its value; comments may have any.
 */
function maskLines(text: string, sign: RegExp, where = /^/): string {
  const lines = maskText(text).replaceAll(BARE, `$1"${REMOVED}"`).split("\n");
  const kept: string[] = [];
  /** The secret whose value goes on in the next lines: how far it is indented, and whether it is still to be closed. */
  let secret: { readonly indent: number; readonly isOpen: boolean } | undefined;
  /** Whether the table that the lines belong to is one of secrets. */
  let isInSecret = false;
  for (const [at, line] of lines.entries()) {
    const body = line.trimEnd();
    const head = HEAD.exec(body)?.[1];
    if (head !== undefined) isInSecret = head.split(".").some(isSecretKey);
    const found = ASSIGNMENT.exec(body) ?? [];
    const isAssigned = COMMENT.test(body) || sign.test(found[5] ?? "");
    const [, before = "", written = "", , key = "", between = "", value = ""] = isAssigned ? found : [];
    const isDeeper = (line = "", than = before.length) => line.trim() !== "" && line.search(/\S/) > than;
    const isNext = body !== "" && (key !== "" || /^\s*\[/.test(body));
    if (secret !== undefined && (isDeeper(line, secret.indent) || (secret.isOpen && !isNext))) continue;
    if (body !== "") secret = undefined;
    if (isInSecret && body !== "" && key === "" && head === undefined) continue;
    const isOpen = /^["'[{]/.test(value) && !CLOSED.test(value);
    const goesOn = isOpen || (/^([|>][+-]?\d?)?$/.test(value) && isDeeper(lines[at + 1]));
    if (!where.test(line)) kept.push(maskPairs(line));
    else if ((isInSecret && key !== "") || (goesOn ? isSecretKey(key) : isSecret(key, scalarOf(value)))) {
      if (goesOn) secret = { indent: before.length, isOpen };
      const space = /\s$/.test(between) ? "" : " ";
      kept.push(`${before}${written}${between}${space}"${REMOVED}"${line.slice(body.length)}`);
    } else kept.push(maskPairs(maskInline(line)));
  }
  return kept.join("\n");
}

/** A secret that was found by its form and stood without quotes: YAML would take what replaced it for a list. */
const BARE = /((?:^|[:-])[ \t]+)\[removed\](?=[ \t]*(?:#.*)?\r?$)/gm;

/** Replaces secrets by their key between the braces of a line. */
function maskInline(line: string): string {
  return line.replaceAll(
    INLINE,
    (whole, open: string, written: string, _quote, name: string, middle: string, value: string) =>
      isSecret(name, scalarOf(value)) ? `${open}${written}${middle}"${REMOVED}"` : whole,
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
