/**
 * The files of one ticket, and what goes into them: the one that it gets when it is pulled from its ledger, and the plan that
 * has its status.
 */
import { splitKeepingEnds, splitLines } from "../../../base/text.ts";
import { asText, asTexts, asValues } from "../../../base/values.ts";
import { parseToml } from "../../../content/parse.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import { readTicketDocument } from "./ticket_front.ts";
import type { Ticket, TicketTree } from "./ticket_model.ts";
import { writeScalar } from "./yaml_scalars.ts";

/** Who keeps the statuses of a project's tickets: `repo`, or a tracker; `root` is where the first releases kept tickets. */
export interface TicketStore {
  readonly store: string;
  readonly root?: string;
}

/** Reads which store a project below `root` has. */
export function readTicketStore(find: (path: string) => string | undefined, root = ""): TicketStore {
  const text = find(joinPath(root, "_bmad/custom/ticketing-store-config.toml")) ?? "";
  const values = asValues(parseToml(text).value["tickets"]);
  return { store: asText(values["store"]) ?? "repo", root: asText(values["root"]) };
}

/** The name of a ticket's file, or the one that it will get, without its ending; unique among those of its folder. */
export function stemOf(ticket: Ticket, { tickets }: TicketTree): string {
  if (ticket.file !== undefined) return ticket.file.slice(0, -3);
  const stem = ({ type, title }: Ticket) => `${type}-${asciiSlug(title, 60) || "untitled"}`;
  const own = tickets.filter(({ epic }) => epic === ticket.epic);
  const isTaken = own.some(({ file }) => file === `${stem(ticket)}.md`) ||
    own.slice(0, own.indexOf(ticket)).some((one) => one.file === undefined && stem(one) === stem(ticket));
  return isTaken ? `${stem(ticket)}-${ticket.id}` : stem(ticket);
}

/** Where the plan of a ticket is, or will be. */
export function planPath(ticket: Ticket, tree: TicketTree): string {
  return joinPath(tree.folders.get(ticket.epic)!, ticket.plan ?? `${stemOf(ticket, tree)}-plan.md`);
}

/** A text as part of a file's name. */
export function asciiSlug(text: string, max: number): string {
  const plain = text.normalize("NFKD").replaceAll(/[\u0080-\uffff]/g, "").toLowerCase();
  return plain.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, max).replace(/-$/, "");
}

/** A text in double quotes, on one line, that every reader of front matter reads back. */
function quoted(text: string): string {
  return writeScalar(text, "double").replaceAll("   #", "   \\u0023");
}

/** The file of a ticket that is pulled: what its entry says, and no status. */
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
  return `---\n${
    fields.filter(([, value]) => value !== "").map(([name, value]) => `${name}: ${value}\n`).join("")
  }---\n\n` +
    `# ${title}\n\n## Description\n\n${asText(entry["description"]) ?? ""}\n\n` +
    `## Acceptance Criteria\n\nVerify: ${asText(entry["verify"]) ?? ""}\n\n## References\n\n${
      list(references)
    }` +
    (notes.length === 0 ? "" : `\n## Notes\n\n${list(notes)}`);
}

/** A list item that needs no quotes stays as the ledger has it; a number without quotes would be a sibling. */
function listItem(text: string): string {
  return /^[\w.-]+$/.test(text) && !/^-?\d+$|^true$|^false$/.test(text) ? text : quoted(text);
}

/** The fields of a file that are about its ticket; an empty one is left out. */
export type TicketFields = Readonly<Record<string, string>>;

/** A file and its new text; `before` is undefined for a new one. */
export interface PlanEdit {
  readonly path: string;
  readonly before: string | undefined;
  /** Undefined if a file is in the way that is the plan of no ticket. */
  readonly text: string | undefined;
}

/** The plan of a ticket with other fields, made if missing; `change` puts them into one that is there. */
export function editPlan(
  [ticket, tree]: readonly [Ticket, TicketTree],
  fields: TicketFields,
  { find, change = withFields }: {
    find(path: string): string | undefined;
    change?(text: string, fields: TicketFields): string;
  },
): PlanEdit {
  const path = planPath(ticket, tree);
  const before = find(path);
  if (ticket.plan === undefined) {
    return { path, before, text: before === undefined ? newPlan(ticket, fields) : undefined };
  }
  return { path, before, text: change(before ?? "", fields) };
}

/** A plan that has nothing but the status of its ticket. */
function newPlan({ title, id, file }: Ticket, fields: TicketFields): string {
  const ticket = id === undefined ? quoted(file!.slice(0, -3)) : /^\d+$/.test(id) ? id : quoted(id);
  const lines = [`title: ${quoted(title)}`, `ticket: ${ticket}`, ...linesOf(fields)];
  return `---\n${lines.join("\n")}\n---\n`;
}

function linesOf(fields: TicketFields): readonly string[] {
  return Object.entries(fields).filter(([, value]) => value !== "").map(([name, value]) =>
    lineOf(name, value)
  );
}

function lineOf(name: string, value: string): string {
  return `${name}: ${name === "status" ? value : quoted(value)}`;
}

/**
 * A file of a ticket with other values of some fields; an empty value removes its field. All other bytes stay. `replaced` is
 * the new line for an old one, both without their ends.
 */
export function withFields(
  text: string,
  fields: TicketFields,
  replaced: (line: string, name: string, value: string) => string = (_, name, value) => lineOf(name, value),
): string {
  // Each line with its own end: an editor may have left both kinds.
  const lines = splitKeepingEnds(text);
  const close = readTicketDocument(text).end - 1;
  if (close < 0) return text;
  const end = lines[0]!.endsWith("\r\n") ? "\r\n" : "\n";
  const left = new Map(Object.entries(fields));
  const head = lines.slice(1, close).flatMap((line) => {
    const name = /^(\w+):/.exec(line)?.[1] ?? "";
    if (!Object.hasOwn(fields, name)) return [line];
    const value = left.get(name) ?? "";
    left.delete(name);
    // A field that is there twice stays once.
    if (value === "") return [];
    const content = splitLines(line)[0]!;
    return [replaced(content, name, value) + (line.slice(content.length) || end)];
  });
  const added = linesOf(Object.fromEntries(left)).map((line) => line + end);
  return [lines[0], ...head, ...added, ...lines.slice(close)].join("");
}
