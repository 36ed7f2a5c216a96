/**
 * The front matter of tickets and plans: lines of `key: value`, lists in brackets.
 *
 * Not YAML: `title: Pay: by card` is a title, and a date stays a text. What a YAML parser would refuse, people and models
 * write all the time.
 */
import { splitLines } from "../../../base/text.ts";
import { parseJson } from "../../../base/values.ts";
import { normalizeText } from "../../../content/parse.ts";
import { frontOf } from "./document.ts";
import { CONTAINERS, LEAVES, type TicketDocument } from "./ticket_model.ts";

/** A text in quotes with a comment after it. */
const COMMENTED = /^("(?:[^"\\]|\\.)*"|'[^']*(?:''[^']*)*')\s+#/;

interface Field {
  readonly value: unknown;
  readonly line: number;
}

/** Reads a Markdown file of a ticket tree. */
export function readTicketDocument(text: string): TicketDocument {
  const plain = normalizeText(text);
  const front = frontOf(plain);
  const frontLines = front === undefined ? [] : splitLines(front);
  /** What a plan says, and what a ticket with the same lines says: there, an indented line counts like any other. */
  const [own, all] = [new Map<string, Field>(), new Map<string, Field>()];
  let listLine: number | undefined;
  for (const [at, line] of frontLines.entries()) {
    const content = line.trimStart();
    const colon = line.indexOf(":");
    if (content.startsWith("- ")) listLine ??= at + 1;
    else if (colon >= 0 && !content.startsWith("#")) {
      const value = line.slice(colon + 1).split("   #")[0]!.trim();
      const field = { value: scalarOf(COMMENTED.exec(value)?.[1] ?? value), line: at + 1 };
      const key = line.slice(0, colon).trim();
      all.set(key, field);
      if (content === line) own.set(key, field);
    }
  }
  const type = printedValue(own.get("type")?.value);
  const isLeaf = LEAVES.includes(type);
  const isTicket = isLeaf || CONTAINERS.includes(type);
  const fields = [...isTicket ? all : own];
  return {
    text: plain,
    type,
    fields: Object.fromEntries(fields.map(([key, { value }]) => [key, value])),
    lines: new Map(fields.map(([key, { line }]) => [key, line])),
    end: front === undefined ? 0 : frontLines.length + 1,
    isUnclosed: plain.startsWith("---") && front === undefined,
    ...(isTicket && listLine !== undefined && { listLine }),
    unknown: isLeaf ? openQuestions(front === undefined ? plain : plain.slice(front.length + 4)) : "",
  };
}

/** What a ticket says is unknown: `- Unknown: …`, which `pull` writes. Comments show only examples. */
function openQuestions(body: string): string {
  const shown = body.split("<!--").map((part, at) => {
    const end = at === 0 ? 0 : part.indexOf("-->");
    return end < 0 ? `<!--${part}` : part.slice(at === 0 ? 0 : end + 3);
  }).join("");
  return Array.from(
    shown.matchAll(/^[ \t]*(?:[-*][ \t]+)?Unknown:[ \t]*(\S.*)$/gm),
    ([, question]) => question!.trim(),
  ).join("; ");
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
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The same for the items of a list. */
export function printedValues(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : []).map(printedValue);
}
