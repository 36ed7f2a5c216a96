/**
 * The files of one ticket: the one that it gets when it is pulled from its ledger, and the plan that has its status.
 */
import { splitKeepingEnds } from "../../base/text.ts";
import { asText, asTexts } from "../../base/values.ts";
import { type Ticket, TicketError } from "./ticket_model.ts";

/** A title as part of a file's name. */
export function slugOf(title: string): string {
  const plain = title.normalize("NFKD").replaceAll(/[^\x20-\x7e]/g, "").toLowerCase();
  return plain.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, 60).replace(/-$/, "") || "untitled";
}

/** A text in double quotes, on one line, that every reader of front matter reads back. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("   #", "   \\u0023")
    .replaceAll(
      /[\x7f-\x9f\u2028\u2029]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
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

/** The fields of a plan that are about its ticket; an empty one is left out. */
type PlanFields = Readonly<Record<string, string>>;

/** A plan that has nothing but the status of its ticket. */
export function newPlan({ title, id, file }: Ticket, fields: PlanFields): string {
  const ticket = id === undefined ? quoted(file!.slice(0, -3)) : /^\d+$/.test(id) ? id : quoted(id);
  const lines = [`title: ${quoted(title)}`, `ticket: ${ticket}`, ...linesOf(fields)];
  return `---\n${lines.join("\n")}\n---\n`;
}

function linesOf(fields: PlanFields): readonly string[] {
  return Object.entries(fields).filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${name === "status" ? value : quoted(value)}`);
}

/** A plan with other values of some fields; an empty value removes its field. All other bytes stay. */
export function withFields(text: string, fields: PlanFields): string {
  // Each line with its own end: an editor may have left both kinds.
  const lines = splitKeepingEnds(text);
  const isMark = (line: string) => line.trimEnd() === "---" && line.startsWith("---");
  const close = lines.findIndex((line, at) => at > 0 && isMark(line));
  if (!isMark(lines[0]!.replace(/^\uFEFF/, "")) || close < 0) {
    throw new TicketError("the plan has no front matter");
  }
  const end = lines[0]!.endsWith("\r\n") ? "\r\n" : "\n";
  const left = new Map(Object.entries(fields));
  const head = lines.slice(1, close).flatMap((line) => {
    const name = /^(\w+):/.exec(line)?.[1] ?? "";
    if (!Object.hasOwn(fields, name)) return [line];
    const value = left.get(name);
    left.delete(name);
    // A field that is there twice stays once.
    return value === undefined
      ? []
      : linesOf({ [name]: value }).map((one) => one + (/\r?\n$/.exec(line)?.[0] ?? end));
  });
  const added = linesOf(Object.fromEntries(left)).map((line) => line + end);
  return [lines[0], ...head, ...added, ...lines.slice(close)].join("");
}
