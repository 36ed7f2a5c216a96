/**
 * Front matter of tickets is lines of `key: value` and lists in brackets, not YAML: `title: Pay: by card` is a title,
 * and a date stays a text.
 */
import { TICKETS_FILE } from "../../../base/model.ts";
import { splitLines } from "../../../base/text.ts";
import { asText, asTexts, parseJson, type Values } from "../../../base/values.ts";
import { normalizeText } from "../../../content/parse.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import { frontOf } from "./document.ts";
import { EditedText } from "./edited_text.ts";
import type { Problem } from "./model.ts";
import { writeScalar } from "./yaml_lines.ts";

export const LEDGER = TICKETS_FILE;
export const LEAVES: readonly string[] = ["story", "spike", "bug"];
export const CONTAINERS: readonly string[] = ["initiative", "epic"];

export interface TicketDocument {
  readonly text: string;
  readonly type: string;
  readonly fields: Values;
  readonly lines: ReadonlyMap<string, number>;
  readonly end: number;
  readonly isUnclosed: boolean;
  /** Of a list over several lines, which tickets must not have. */
  readonly listLine?: number;
  readonly unknown: string;
}

export interface TicketProblem extends Problem {
  /** A contradiction: nobody should act on what `tickets.py` says. */
  readonly isError: boolean;
}

export interface StatusWord {
  readonly source: "tracker" | "plan" | "file";
  readonly word: string;
  readonly path: string;
  readonly line?: number;
}

export type TicketReadiness = "refine" | "start" | "begun" | "blocked" | "over";

export interface Ticket {
  readonly epic: string;
  readonly id?: string;
  readonly key: string;
  readonly file?: string;
  readonly plan?: string;
  readonly type: string;
  readonly title: string;
  readonly status: string;
  readonly trackerId: string;
  readonly trackerStatus: string;
  readonly state: string;
  readonly words: readonly StatusWord[];
  readonly assignee: string;
  readonly blockedAt: string;
  readonly blockedReason: string;
  readonly isBlocked: boolean;
  readonly refine: boolean;
  readonly isRefined: boolean;
  readonly hitl: boolean;
  readonly covers: readonly string[];
  readonly estimate: unknown;
  readonly risk: string;
  readonly unknown: string;
  /** Empty for a file without an entry in the ledger. */
  readonly entry: Values;
  readonly line?: number;
  readonly rawAfter: unknown;
  /** Tickets' keys, epics' names, and ids of a tracker that no ticket here has. */
  readonly after: readonly string[];
  readonly gatedBy: readonly string[];
  readonly waitsFor: readonly string[];
  readonly readiness: TicketReadiness;
  readonly drift: {
    readonly after?: Readonly<Record<"file" | "entry", readonly string[]>>;
    readonly hitl?: Readonly<Record<"file" | "entry", boolean>>;
  };
}

export interface Container {
  readonly path: string;
  readonly status: string;
  readonly trackerId: string;
  readonly rawAfter: unknown;
  readonly after: readonly string[];
  readonly waitsFor: readonly string[];
  readonly document?: TicketDocument;
}

export interface ListedEpic {
  readonly id?: string;
  readonly line?: number;
  readonly row: Values;
  readonly after: readonly { readonly epic: string; readonly needs: string }[];
}

export interface TicketTree {
  readonly scope: string | undefined;
  readonly folders: ReadonlyMap<string, string>;
  readonly listed: ReadonlyMap<string, ListedEpic>;
  readonly containers: ReadonlyMap<string, Container>;
  readonly tickets: readonly Ticket[];
  /** Keys, each behind what it waits for; empty for a circle. */
  readonly order: readonly string[];
  /** With a plan and no ticket. */
  readonly builds: readonly Ticket[];
  readonly documents: ReadonlyMap<string, TicketDocument | undefined>;
  readonly problems: readonly TicketProblem[];
  /** By folder, the least id for a new ticket. */
  readonly floors: ReadonlyMap<string, number>;
}

export interface Notes {
  error(path: string, problem: string, line?: number): void;
  warn(path: string, problem: string, line?: number): void;
}

const COMMENTED = /^("(?:[^"\\]|\\.)*"|'[^']*(?:''[^']*)*')\s+#/;

export function readTicketDocument(text: string): TicketDocument {
  const plain = normalizeText(text);
  const front = frontOf(plain);
  const frontLines = front === undefined ? [] : splitLines(front);
  const found: { key: string; value: unknown; line: number; isIndented: boolean }[] = [];
  let listLine: number | undefined;
  for (const [at, line] of frontLines.entries()) {
    const content = line.trimStart();
    const colon = line.indexOf(":");
    if (content.startsWith("- ")) listLine ??= at + 1;
    else if (colon >= 0 && !content.startsWith("#")) {
      const value = line.slice(colon + 1).split("   #")[0]!.trim();
      found.push({
        key: line.slice(0, colon).trim(),
        value: scalarOf(COMMENTED.exec(value)?.[1] ?? value),
        line: at + 1,
        isIndented: content !== line,
      });
    }
  }
  const own = found.filter(({ isIndented }) => !isIndented);
  const type = printedValue(own.findLast(({ key }) => key === "type")?.value);
  const isLeaf = LEAVES.includes(type);
  const isTicket = isLeaf || CONTAINERS.includes(type);
  // Indented lines count in a ticket, not in a plan.
  const fields = isTicket ? found : own;
  return {
    text: plain,
    type,
    fields: Object.fromEntries(fields.map(({ key, value }) => [key, value])),
    lines: new Map(fields.map(({ key, line }) => [key, line])),
    end: front === undefined ? 0 : frontLines.length + 1,
    isUnclosed: plain.startsWith("---") && front === undefined,
    listLine: isTicket ? listLine : undefined,
    unknown: isLeaf ? openQuestions(front === undefined ? plain : plain.slice(front.length + 4)) : "",
  };
}

/** `- Unknown: …`, as `pull` writes it. Comments show only examples. */
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

/** Digits and letters; 6, "6" and "06" are the same. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (!/^[A-Za-z0-9]{1,40}$/.test(text) || text === "true" || text === "false") return undefined;
  return /^[0-9]+$/.test(text) ? text.replace(/^0+(?=.)/, "") : text;
}

export function isListed({ entry }: Pick<Ticket, "entry">): boolean {
  return entry["id"] !== undefined;
}

export function isTrue(value: unknown): boolean {
  return String(value).toLowerCase() === "true";
}

/** As Python prints it; nothing if missing. */
export function printedValue(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function printedValues(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : []).map(printedValue);
}

/** Its file's, present or future; unique in its folder. */
export function stemOf(ticket: Ticket, { tickets }: TicketTree): string {
  if (ticket.file !== undefined) return ticket.file.slice(0, -3);
  const stem = ({ type, title }: Ticket) => `${type}-${asciiSlug(title, 60) || "untitled"}`;
  const own = tickets.filter(({ epic }) => epic === ticket.epic);
  const isTaken = own.some(({ file }) => file === `${stem(ticket)}.md`) ||
    own.slice(0, own.indexOf(ticket)).some((one) => one.file === undefined && stem(one) === stem(ticket));
  return isTaken ? `${stem(ticket)}-${ticket.id}` : stem(ticket);
}

export function planPath(ticket: Ticket, tree: TicketTree): string {
  return joinPath(tree.folders.get(ticket.epic)!, ticket.plan ?? `${stemOf(ticket, tree)}-plan.md`);
}

export function asciiSlug(text: string, max: number): string {
  const plain = text.normalize("NFKD").replaceAll(/[\u0080-\uffff]/g, "").toLowerCase();
  return plain.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, max).replace(/-$/, "");
}

/** In double quotes, on one line, readable to every reader of front matter. */
function quoted(text: string): string {
  return writeScalar(text, "double").replaceAll("   #", "   \\u0023");
}

export function pulledFile(
  { id, type, title, epic, covers, refine, hitl, estimate, risk, unknown, entry }: Ticket,
  after: readonly (string | number)[],
  epicFile: string,
): string {
  const fields: readonly (readonly [name: string, value: string])[] = [
    ["id", id ?? ""],
    ["type", type],
    ["title", quoted(title)],
    ["parent", epic],
    ["covers", covers.length === 0 ? "" : `[${covers.map(listItem).join(", ")}]`],
    ["after", `[${after.map((one) => typeof one === "number" ? one : listItem(one)).join(", ")}]`],
    ["refined", refine ? "false" : ""],
    ["hitl", String(hitl)],
    ["risk", risk],
    ["estimate", estimate === "" ? "" : quoted(String(estimate))],
  ];
  const notes = [...(unknown === "" ? [] : [`Unknown: ${unknown}`]), ...asTexts(entry["notes"] ?? [])];
  const references = [`parent — ${epicFile}`, ...asTexts(entry["references"] ?? [])];
  const list = (items: readonly string[]) => items.map((item) => `- ${item}\n`).join("");
  const front = fields.flatMap(([name, value]) => value === "" ? [] : [`${name}: ${value}`]);
  const sections = [
    `---\n${front.join("\n")}\n---\n`,
    `# ${title}\n`,
    `## Description\n\n${asText(entry["description"]) ?? ""}\n`,
    `## Acceptance Criteria\n\nVerify: ${asText(entry["verify"]) ?? ""}\n`,
    `## References\n\n${list(references)}`,
    ...(notes.length === 0 ? [] : [`## Notes\n\n${list(notes)}`]),
  ];
  return sections.join("\n");
}

/** Without quotes where it needs none; a bare number would be a sibling. */
function listItem(text: string): string {
  return /^[\w.-]+$/.test(text) && !/^-?\d+$|^true$|^false$/.test(text) ? text : quoted(text);
}

export type TicketFields = Readonly<Record<string, string>>;

/** Without a text if a file in the way is no ticket's plan. */
export function editPlan(
  [ticket, tree]: readonly [Ticket, TicketTree],
  fields: TicketFields,
  { find, change = withFields }: {
    find(path: string): string | undefined;
    change?(text: string, fields: TicketFields): string;
  },
) {
  const path = planPath(ticket, tree);
  const before = find(path);
  if (ticket.plan !== undefined) return { path, before, text: change(before ?? "", fields) };
  return { path, before, text: before === undefined ? newPlan(ticket, fields) : undefined };
}

function newPlan({ title, id, file }: Ticket, fields: TicketFields): string {
  const ticket = id === undefined ? quoted(file!.slice(0, -3)) : /^\d+$/.test(id) ? id : quoted(id);
  const lines = [`title: ${quoted(title)}`, `ticket: ${ticket}`, ...linesOf(fields)];
  return `---\n${lines.join("\n")}\n---\n`;
}

function linesOf(fields: TicketFields): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => value === "" ? [] : [lineOf(name, value)]);
}

function lineOf(name: string, value: string): string {
  return `${name}: ${name.endsWith("status") ? value : quoted(value)}`;
}

/** An empty value removes its field; other bytes stay. `replaced`: the new line for an old one. */
export function withFields(
  text: string,
  fields: TicketFields,
  replaced: (line: string, name: string, value: string) => string = (_, name, value) => lineOf(name, value),
): string {
  const close = readTicketDocument(text).end - 1;
  if (close < 0) return text;
  const edited = new EditedText(text);
  const left = new Map(Object.entries(fields));
  const head = edited.lines.slice(1, close).flatMap((line) => {
    const name = /^(\w+):/.exec(line.text)?.[1] ?? "";
    if (!Object.hasOwn(fields, name)) return [line];
    const value = left.get(name) ?? "";
    left.delete(name);
    // A duplicate field goes.
    return value === "" ? [] : [{ ...line, text: replaced(line.text, name, value) }];
  });
  edited.replace(1, close - 1, head);
  edited.insert(1 + head.length, linesOf(Object.fromEntries(left)));
  return edited.toString();
}
