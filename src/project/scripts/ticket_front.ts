/**
 * The front matter of tickets and plans as `tickets.py` reads it: lines of `key: value`, lists in brackets.
 *
 * Not YAML: `title: Pay: by card` is a title, and a date stays a text. What a YAML parser would refuse, people and models
 * write all the time.
 */
import { parseJson, type Values } from "../../base/values.ts";
import { pythonLines, universalNewlines } from "./python.ts";
import { TicketError } from "./ticket_model.ts";

/** A text in quotes with a comment after it. */
const COMMENTED = /^("(?:[^"\\]|\\.)*"|'[^']*(?:''[^']*)*')\s+#/;

/** The lines between the marks; undefined if there are none, or the second mark is missing. */
function frontOf(text: string): string | undefined {
  const plain = universalNewlines(text.replace(/^\uFEFF/, ""));
  if (!plain.startsWith("---\n")) return undefined;
  const end = plain.indexOf("\n---\n", 4);
  if (end >= 0) return plain.slice(4, end);
  return plain.endsWith("\n---") && plain.length > 7 ? plain.slice(4, -4) : undefined;
}

/** Whether a text begins like front matter that has no end. */
export function isUnclosed(text: string): boolean {
  return text.replace(/^\uFEFF/, "").startsWith("---") && frontOf(text) === undefined;
}

/** The values of the front matter. In a plan, lists over several lines are skipped; in a ticket they are an error. */
export function readFront(text: string, { isPlan = false } = {}): Values {
  const values: [string, unknown][] = [];
  for (const line of pythonLines(frontOf(text) ?? "")) {
    if (isPlan && (/^\s/.test(line) || line.startsWith("- "))) continue;
    const content = line.trimStart();
    if (content.startsWith("- ")) throw new TicketError("a list must be on one line: key: [a, b]");
    const colon = line.indexOf(":");
    if (content === "" || content.startsWith("#") || colon < 0) continue;
    const value = line.slice(colon + 1).split("   #")[0]!.trim();
    values.push([line.slice(0, colon).trim(), scalarOf(COMMENTED.exec(value)?.[1] ?? value)]);
  }
  return Object.fromEntries(values);
}

function scalarOf(value: string): unknown {
  if (value.startsWith("[") && value.endsWith("]")) {
    const inner = value.slice(1, -1).trim();
    return inner === "" ? [] : inner.split(",").map((item) => scalarOf(item.trim()));
  }
  const [quote] = value;
  if (value.length >= 2 && (quote === '"' || quote === "'") && value.endsWith(quote)) {
    const inner = value.slice(1, -1);
    if (quote === "'") return inner.replaceAll("''", "'");
    const text = parseJson(value);
    return typeof text === "string" ? text : inner;
  }
  if (value === "true" || value === "false") return value === "true";
  return /^-?[0-9]{1,15}$/.test(value) ? Number(value) : value;
}

/** A value as Python prints it; nothing for one that is missing. */
export function printedValue(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === undefined || value === null) return "";
  return typeof value === "string"
    ? value
    : typeof value === "object"
    ? JSON.stringify(value)
    : String(value);
}
