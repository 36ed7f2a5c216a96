import { replaceHidden } from "./hidden.ts";
import { mapLeaves } from "./values.ts";

export function markHidden(text: string): string {
  return replaceHidden(text, symbolOf);
}

export function markTexts<T>(value: T): T {
  return mapLeaves(value, (leaf) => typeof leaf === "string" ? markHidden(leaf) : leaf) as T;
}

export function safeText(text: string): string {
  return markHidden(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n"));
}

export function escapeControls(json: string): string {
  return replaceHidden(json, (character) => character.split("").map(escapeUnit).join(""));
}

/** A unit of UTF-16 as JSON, YAML and Python escape it. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * The lines of a text. A line ends at LF, CR LF or CR, as in Markdown, YAML and Git. U+2028, U+2029 and NEL are
 * characters of a line, although `.`, `^` and `$` stop at two of them: a pattern for a line has the flag `s`.
 */
export function splitLines(text: string): string[] {
  return text.split(/\r\n|[\r\n]/);
}

export function splitKeepingEnds(text: string): string[] {
  return text.split(/(?<=\n|\r(?!\n))/);
}

const ONE_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** If the message begins with a verb, the file is its subject: `x.toml is ignored`. */
export function withPlace(
  { origin, path, message }: { readonly origin?: string; readonly path?: string; readonly message: string },
): string {
  const isPredicate = path !== undefined && /^(?:is|applies) /.test(message);
  const about = isPredicate ? `${path} ${message}` : [path, message].filter(Boolean).join(": ");
  return origin ? `${origin}: ${about}` : about;
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function oneLine(text: string): string {
  if (ONE_LINE.test(text)) return text;
  return safeText(text.replaceAll(/\s+/g, " ").trim());
}

/** A text that was cut from another keeps all of that in memory. Lists and tables are changed in place. */
export function detached<T>(value: T): T {
  if (typeof value === "string") return value.length < MIN_CUT ? value : JSON.parse(JSON.stringify(value));
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return value;
  for (const key of Object.keys(value) as (keyof T)[]) value[key] = detached(value[key]);
  return value;
}

/** Shorter ones are copied when they are cut. */
const MIN_CUT = 13;

export function shorten(text: string, max = 200): string {
  const line = oneLine(text);
  return line.length <= max ? line : `${line.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Words of a project's files in a sentence of ours: they can neither end the quotation nor fill the line. */
export function quotation(text: string, max = 60): string {
  return `“${quotable(text, max)}”`;
}

export function quotable(text: string, max: number): string {
  return shorten(text.replaceAll(/["“”„‟«»＂〝〞〟❝❞]/g, "'"), max);
}

/** Masks the login in every URL, also after a single slash. The user of ssh is not a secret. */
export function hideLogins(text: string): string {
  return text.replaceAll(
    /(?<!\w)(\w*:\/\/|(?:https?|ssh|ftp|git):\/)([^\s/"]+)@/g,
    (whole, scheme: string, login: string) =>
      scheme === "ssh://" && /^[\w.+-]+$/.test(login) ? whole : `${scheme}***@`,
  );
}

function symbolOf(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
}

export function pluralOf(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

export function abbreviateList(names: readonly string[], max = 3): string {
  const more = names.length - max;
  const rest = more <= 0 ? "" : ` and ${more === 1 ? names[max] : `${more} more`}`;
  return names.slice(0, max).join(", ") + rest;
}

export function divided(list: string): readonly string[] {
  const parts = list.match(list.includes("|") ? /[^|]+/g : /(?:"[^"]*"|[^,])+/g) ?? [];
  return parts.map((one) => one.trim().replace(/^"(.*)"$/, "$1")).filter((one) => one !== "");
}

export function counted(count: number, singular: string, plural = pluralOf(singular)): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

type CommandValue = string | { readonly args: readonly string[] } | { readonly line: string | undefined };

/** Undefined if a value cannot be quoted so that sh, bash, zsh, fish, PowerShell and cmd all read that one word. */
export function command(parts: TemplateStringsArray, ...values: readonly CommandValue[]): string | undefined {
  const words = values.flatMap((value) => {
    if (typeof value === "string") return [value.startsWith("-") ? undefined : shellWord(value)];
    if ("line" in value) return [value.line];
    const args = value.args.map(shellWord);
    return [args.includes(undefined) ? undefined : args.join(" ")];
  });
  return words.includes(undefined) ? undefined : String.raw({ raw: parts }, ...words);
}

export const NO_COMMAND = "(no command is given: a name in it has characters that shells interpret)";

export function withCommand(what: string, line: string | undefined): string {
  return line === undefined ? `${what} ${NO_COMMAND}` : `${what}: ${line}`;
}

/**
 * The first quote that fits a word. Double quotes mean the same to all shells if nothing in them expands. Single quotes
 * prevent expansion, except in cmd, which does not know them and would run what follows `&` or `|`. Nothing is escaped: an
 * escape in one shell ends the quotes in another. PowerShell reads curly quotes as straight ones.
 */
const QUOTES: readonly (readonly [quote: string, fits: RegExp])[] = [
  ["", /^[\w./:-][\w./:@+=-]*$/],
  ['"', /^[^"“”„$`\\!%]+$/],
  ["'", /^[^'‘’‚‛"“”„\\&|<>^]+$/],
];

const MAX_WORD = 1_000;

function shellWord(text: string): string | undefined {
  const word = /^[A-Za-z]:\\/.test(text) ? text.replaceAll("\\", "/") : text;
  // Printing would change anything that is not on one line with single spaces.
  if (word.length > MAX_WORD || oneLine(word) !== word) return undefined;
  const quote = QUOTES.find(([, fits]) => fits.test(word))?.[0];
  return quote === undefined ? undefined : quote + word + quote;
}

/** 32-bit FNV-1a: the same on every machine and in every version. Not a protection. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

export async function sha256(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
}
