/**
 * What Python's standard library does with texts, where scripts depend on it and JavaScript differs.
 */

/** `str.splitlines()`: also at form feeds, separators and the line ends of Unicode; no empty line at the end. */
export function pythonLines(text: string): readonly string[] {
  // deno-lint-ignore no-control-regex
  const lines = text.split(/\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

// deno-lint-ignore no-control-regex
const SPACE = /[\s\x1c-\x1f\x85]+/;

/** `str.split()`. */
export function pythonWords(text: string): readonly string[] {
  // U+FEFF is white space in JavaScript only.
  return text.split(/\uFEFF/).map((part) => part.split(SPACE)).reduce<string[]>((words, parts) => {
    if (words.length === 0) return parts;
    return [...words.slice(0, -1), `${words.at(-1)}\uFEFF${parts[0]}`, ...parts.slice(1)];
  }, []).filter((word) => word !== "");
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
  return unit === "\x7f" ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function render(value: unknown, indent: number, newline: string): string {
  if (value === undefined || value === null) return "null";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = newline + " ".repeat(indent);
  const items = Array.isArray(value)
    ? value.map((item) => render(item, indent, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${render(item, indent, inner)}`);
  const [start, end] = Array.isArray(value) ? "[]" : "{}";
  if (items.length === 0) return `${start}${end}`;
  return indent === 0
    ? `${start}${items.join(", ")}${end}`
    : `${start}${inner}${items.join(`,${inner}`)}${newline}${end}`;
}
