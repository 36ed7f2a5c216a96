import { escapeUnit } from "../../base/text.ts";
import { countEach, isValues, type Values } from "../../base/values.ts";

export function universalNewlines(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** `str.splitlines()`: also at form feeds, separators and the line ends of Unicode; no empty line at the end. */
export function pythonLines(text: string): readonly string[] {
  // deno-lint-ignore no-control-regex
  const lines = text.split(/\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** `str.split()`: also at separators and the line ends of Unicode. */
export function pythonWords(text: string): readonly string[] {
  // deno-lint-ignore no-control-regex
  return text.split(/[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/)
    .filter((word) => word !== "");
}

/** `str(Path(given))`: without `.` and doubled slashes. The address of a served file stays one. */
export function pathText(...given: readonly string[]): string {
  const joined = given.filter(Boolean).reduce(
    (path, part) => part[0] === "/" ? part : `${path}/${part}`,
    ".",
  );
  const parts = joined.split("/").filter((part) => part !== "" && part !== ".");
  const text = (joined[0] === "/" ? "/" : "") + parts.join("/") || ".";
  return joined.startsWith("./bmad://") ? text.replace("/", "//") : text;
}

/** `str(value)`. */
export function pythonText(value: unknown): string {
  return typeof value === "string" ? value : pythonRepr(value);
}

/** `str(value) if value else None`. */
export function truthyText(value: unknown): string | undefined {
  return isTrue(value) ? pythonText(value) : undefined;
}

/** `repr(value)`. */
export function pythonRepr(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (value === undefined || value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  if (!isValues(value)) return String(value);
  return `{${Object.entries(value).map(([key, item]) => `${quote(key)}: ${pythonRepr(item)}`).join(", ")}}`;
}

/** `bool(value)`: an empty list or map is false, too. */
export function isTrue(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** `repr(text)`, of a text without control characters. */
export function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + text.replaceAll("\\", "\\\\").replaceAll(mark, `\\${mark}`) + mark;
}

/** `html.escape(text)`. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `${SIGNS[sign]}`);
}

const SIGNS: Values = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };

/** `sorted(Counter(names).items())`. */
export function countSorted(names: readonly string[]): readonly (readonly [string, number])[] {
  return [...countEach(names)].sort(([a], [b]) => a < b ? -1 : 1);
}

export interface JsonForm {
  readonly indent?: number;
  readonly isAscii?: boolean;
}

/** `json.dumps`: a space after commas and colons. */
export function pythonJson(value: unknown, { indent = 0, isAscii = true }: JsonForm = {}): string {
  const text = render(value, indent, "\n");
  return isAscii ? text.replaceAll(/[\x7f-\uffff]/g, escapeUnit) : text;
}

/** A map keeps the order of its keys, whatever they are. */
function render(value: unknown, indent: number, newline: string): string {
  if (value === undefined || value === null) return "null";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = newline + " ".repeat(indent);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const items = Array.isArray(value)
    ? value.map((item) => render(item, indent, inner))
    : entries.map(([key, item]) => `${JSON.stringify(key)}: ${render(item, indent, inner)}`);
  const [start, end] = Array.isArray(value) ? "[]" : "{}";
  if (items.length === 0) return `${start}${end}`;
  return indent === 0
    ? `${start}${items.join(", ")}${end}`
    : `${start}${inner}${items.join(`,${inner}`)}${newline}${end}`;
}
