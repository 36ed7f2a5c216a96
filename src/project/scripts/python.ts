/**
 * What Python does with texts, numbers and JSON, where scripts depend on it and JavaScript differs.
 *
 * Values of JSON keep what JavaScript would lose: objects are maps, whole numbers are bigints, others are `Float`s.
 */

/** The members of `\s`: U+FEFF is white space in JavaScript only, the separators and U+0085 in Python only. */
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const CLASSES: Readonly<Record<string, string>> = { s: SPACE, w: "\\p{L}\\p{N}_", d: "\\p{Nd}" };
const BOUNDARY = "(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))";

/**
 * A regular expression as Python understands it: `\s`, `\w`, `\d` and `\b` know all of Unicode, and a line ends only at
 * `\n`. `flags` are Python's: `m` and `s`; and JavaScript's `g` and `y`.
 */
export function pythonPattern(source: string, flags = ""): RegExp {
  const isMultiline = flags.includes("m");
  let isInClass = false;
  const translated = source.replaceAll(/\\(.)|[\[\].^$]/gs, (token, escaped: string | undefined) => {
    if (escaped !== undefined) {
      const members = CLASSES[escaped.toLowerCase()];
      if (members !== undefined) {
        if (isInClass) return members;
        return `[${escaped === escaped.toLowerCase() ? "" : "^"}${members}]`;
      }
      return escaped === "b" && !isInClass ? BOUNDARY : token;
    }
    if (isInClass) {
      isInClass = token !== "]";
      return token === "[" ? "\\[" : token;
    }
    if (token === "[") isInClass = true;
    if (token === ".") return flags.includes("s") ? "[^]" : "[^\\n]";
    if (token === "^") return isMultiline ? "(?<![^\\n])" : token;
    if (token === "$") return isMultiline ? "(?![^\\n])" : "(?=\\n?(?![^]))";
    return token;
  });
  return new RegExp(translated, `u${flags.replaceAll(/[^gy]/g, "")}`);
}

/** A text as it is read from a file: every line end becomes `\n`. */
export function universalNewlines(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** `str.splitlines()`: also at form feeds, separators and the line ends of Unicode; no empty line at the end. */
export function pythonLines(text: string): readonly string[] {
  // deno-lint-ignore no-control-regex
  const lines = text.split(/\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

const SPACES = new RegExp(`[${SPACE}]+`);
const ONE_SPACE = new RegExp(`[${SPACE}]`);

/** `str.split()`. */
export function pythonWords(text: string): readonly string[] {
  return text.split(SPACES).filter((word) => word !== "");
}

/** `str.strip()`, or one side of it; of white space or of these characters. */
export function strip(text: string, { side = "both", of }: {
  readonly side?: "both" | "left" | "right";
  readonly of?: string;
} = {}): string {
  const goes = (at: number) => of === undefined ? ONE_SPACE.test(text[at]!) : of.includes(text[at]!);
  let [start, end] = [0, text.length];
  // A regular expression would need the square of the length for spaces inside the text.
  while (side !== "right" && start < end && goes(start)) start++;
  while (side !== "left" && start < end && goes(end - 1)) end--;
  return text.slice(start, end);
}

/** The order of texts in `sorted()`: by code points, not by UTF-16. */
export function byCodePoint(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === end) return a.length - b.length;
  // The first half of a pair may be the same in both.
  const whole = at > 0 ? a.codePointAt(at - 1)! - b.codePointAt(at - 1)! : 0;
  return whole || a.codePointAt(at)! - b.codePointAt(at)!;
}

/** The order of whole numbers. */
export function byValue(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Python refuses longer ones. */
const MAX_DIGITS = 4300;
const INTEGER = pythonPattern(String.raw`^\s*([+-]?)(\d+(?:_\d+)*)\s*$`);
const DIGIT = /\p{Nd}/u;

/** `int(text)`: digits of any script, and single underscores between them; undefined where Python raises a ValueError. */
export function pythonInt(text: string): bigint | undefined {
  const [, sign, digits] = INTEGER.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const plain = digits.replaceAll("_", "");
  // A digit has one or two units.
  if (plain.length > 2 * MAX_DIGITS || [...plain].length > MAX_DIGITS) return undefined;
  const ascii = plain.replaceAll(/[^0-9]/gu, (digit) => String(digitValue(digit)));
  return sign === "-" ? -BigInt(ascii) : BigInt(ascii);
}

/** Unicode keeps the ten digits of a script together, in order. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0)!;
  let start = code;
  while (DIGIT.test(String.fromCodePoint(start - 1))) start--;
  return (code - start) % 10;
}

/** `str(Path(given))`: without `.` and doubled slashes. The address of a served file stays one. */
export function pathText(...given: readonly string[]): string {
  const joined = given.filter(Boolean).reduce(
    (path, part) => part[0] === "/" ? part : `${path}/${part}`,
    ".",
  );
  const start = /^\/\/(?!\/)/.test(joined) ? "//" : joined[0] === "/" ? "/" : "";
  const parts = joined.split("/").filter((part) => part !== "" && part !== ".");
  const text = start + parts.join("/") || ".";
  return joined.startsWith("./bmad://") ? text.replace("/", "//") : text;
}

/** `repr(text)`. */
export function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  // What Python does not print: control and format characters, unassigned ones, separators but for the space.
  const escaped = text.replaceAll(/[\\'"]|[\p{C}\p{Z}]/gu, (one) => {
    if (one === " " || one !== mark && (one === "'" || one === '"')) return one;
    const short = SHORT_ESCAPES[one];
    if (short !== undefined) return short;
    const code = one.codePointAt(0)!;
    const hex = (width: number) => code.toString(16).padStart(width, "0");
    return code < 0x100 ? `\\x${hex(2)}` : code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
  });
  return mark + escaped + mark;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** A number that is not whole for Python, although it may be for JavaScript: `1.0`. */
export class Float {
  constructor(readonly value: number) {}
}

/** `repr(float)`: the shortest digits, with an exponent from 1e16 and below 1e-4. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const [, sign, first, rest = "", exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(
    value.toExponential(),
  )!;
  const power = Number(exponent);
  const minus = sign === "-" || Object.is(value, -0) ? "-" : "";
  if (power < -4 || power >= 16) {
    const digits = String(Math.abs(power)).padStart(2, "0");
    return `${minus}${first}${rest === "" ? "" : `.${rest}`}e${power < 0 ? "-" : "+"}${digits}`;
  }
  const digits = `${first}${rest}`;
  if (power < 0) return `${minus}0.${"0".repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, "0");
  return `${minus}${whole}.${digits.slice(power + 1) || "0"}`;
}

/** `json.dumps`: a space after commas and colons, and nothing but ASCII unless told otherwise. */
export function pythonJson(
  value: unknown,
  { indent = 0, isAscii = true }: { readonly indent?: number; readonly isAscii?: boolean } = {},
): string {
  const text = render(value, indent, "\n");
  return isAscii ? text.replaceAll(/[\x7f-\uffff]/g, escapeUnit) : text;
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const NOT_FINITE: Readonly<Record<string, string>> = { nan: "NaN", inf: "Infinity", "-inf": "-Infinity" };

function render(value: unknown, indent: number, newline: string): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "bigint") return String(value);
  if (value instanceof Float) return NOT_FINITE[floatText(value.value)] ?? floatText(value.value);
  if (typeof value === "string") return jsonText(value);
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = newline + " ".repeat(indent);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const items = Array.isArray(value)
    ? value.map((item) => render(item, indent, inner))
    : entries.map(([key, item]) => `${jsonText(key)}: ${render(item, indent, inner)}`);
  const [start, end] = Array.isArray(value) ? "[]" : "{}";
  if (items.length === 0) return `${start}${end}`;
  return indent === 0
    ? `${start}${items.join(", ")}${end}`
    : `${start}${inner}${items.join(`,${inner}`)}${newline}${end}`;
}

/** Half a pair stays as it is: Python refuses to print it, but escapes it where all is ASCII. */
function jsonText(text: string): string {
  const json = JSON.stringify(text);
  return text.isWellFormed()
    ? json
    : json.replaceAll(/\\(?:u(d[89a-f]..)|.)/g, (token, half: string | undefined) =>
      half === undefined ? token : String.fromCharCode(parseInt(half, 16)));
}
