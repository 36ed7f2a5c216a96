/**
 * Ticket trees: initiatives of epics, epics of tickets, and a backlog of single tickets. A file's front matter says what it is, not
 * its name. Whatever can be read is there; `tickets.py` stops at the first error.
 */
import { splitLines } from "../../../base/text.ts";
import { asText, asValues, isValues, type Values } from "../../../base/values.ts";
import type { Interruptible } from "../../../base/work.ts";
import { normalizeText, parseToml } from "../../../content/parse.ts";
import { baseName, joinPath, parentPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { wordsOf } from "./forms.ts";
import type { Source } from "./source.ts";
import {
  type Container,
  CONTAINERS,
  idOf,
  isTrue,
  LEAVES,
  LEDGER,
  type ListedEpic,
  type Notes,
  printedValue,
  printedValues,
  readTicketDocument,
  type StatusWord,
  type Ticket,
  type TicketDocument,
  type TicketProblem,
  type TicketTree,
} from "./ticket_file.ts";
import { listIn, orderLinks, readinessOf, resolveLinks, slugsOf } from "./ticket_links.ts";
import { stateCalled, TRACKER_STATUSES } from "./trackers.ts";

const LEAF_NAME = new RegExp(`^(?:${LEAVES.join("|")})-.+\\.md$`);
const PLAN_NAME = new RegExp(`^(?:${LEAVES.join("|")})-.+-plan\\.md$`);
export const TICKET_STATUSES: readonly string[] = wordsOf("ticket");
export const EPIC_STATUSES: readonly string[] = ["in-progress", "done", "dropped"];

class Reading implements Notes {
  readonly problems = new Map<string, TicketProblem>();
  readonly documents = new Map<string, TicketDocument | undefined>();
  readonly #ledgers = new Map<string, { readonly values: Values; readonly text: string }>();

  constructor(readonly source: Source) {}

  error(path: string, problem: string, line?: number): void {
    this.problems.getOrInsert(`${path}: ${problem}`, { path, problem, isError: true, line });
  }

  warn(path: string, problem: string, line?: number): void {
    this.problems.getOrInsert(`${path}: ${problem}`, { path, problem, isError: false, line });
  }

  document(path: string): TicketDocument | undefined {
    return this.documents.getOrInsertComputed(path, () => {
      const text = this.source.text(path);
      return text === undefined ? undefined : readTicketDocument(text);
    });
  }

  ledger(folder: string) {
    return this.#ledgers.getOrInsertComputed(folder, () => {
      const path = joinPath(folder, LEDGER);
      const text = (this.source.has(path) ? this.source.text(path) : undefined) ?? "";
      const { value: values, problem, at } = parseToml(text);
      if (problem !== undefined) this.error(path, problem, at?.line);
      if (!Number.isInteger(values["next_id"] ?? 0)) this.error(path, "next_id must be a whole number");
      return { values, text };
    });
  }
}

export function* readTicketTree(source: Source, folder: string): Interruptible<TicketTree> {
  const read = new Reading(source);
  const epicsIn = (path: string) =>
    source.foldersIn(path).filter((name) => name.startsWith("epic-")).slice(0, LIMITS.ledgers.epicFolders)
      .map((name) => joinPath(path, name))
      .filter((path) => [`${baseName(path)}.md`, LEDGER].some((name) => source.has(joinPath(path, name))));
  const own = epicsIn(folder);
  const isInitiative = own.length > 0 || read.ledger(folder).values["epic"] !== undefined;
  const isEpic = !isInitiative && epicsIn(parentPath(folder)).includes(folder);
  const initiative = isInitiative ? folder : isEpic ? parentPath(folder) : undefined;
  tellUnreadFolders(read, folder, own);
  const listed = initiative === undefined ? new Map<string, ListedEpic>() : listedEpics(read, initiative);
  const places = new Map([...listed.keys()].map((slug, at) => [slug, at]));
  const rank = (path: string) => places.get(baseName(path)) ?? places.size;
  const epics = (isInitiative ? own : isEpic ? epicsIn(initiative!) : [])
    .toSorted((a, b) => rank(a) - rank(b));
  const paths = isInitiative ? [...epics, folder] : isEpic ? epics : [folder];
  const folders = new Map(paths.map((path) => [baseName(path), path]));
  const [tickets, builds]: [Ticket[], Ticket[]] = [[], []];
  for (const path of paths) {
    tickets.push(...yield* readFolder(read, path, builds));
    if (tickets.length <= LIMITS.ledgers.tickets) continue;
    read.error(path, `there are more than ${LIMITS.ledgers.tickets} tickets`);
    tickets.length = LIMITS.ledgers.tickets;
    break;
  }
  const containers = new Map<string, Container>();
  for (const path of epics) {
    yield;
    containers.set(baseName(path), readContainer(read, path));
  }
  const resolved = resolveLinks({ tickets, containers, listed, folders }, read);
  const { order, cycle } = orderLinks(resolved.tickets, resolved.containers);
  if (cycle !== undefined) {
    const path = joinPath(folders.get(cycle.at(-1)!.split("/")[0]!)!, LEDGER);
    read.error(path, `tickets wait for each other: ${cycle.join(", ")}`);
  }
  return {
    ...resolved,
    order,
    scope: isInitiative ? undefined : baseName(folder),
    folders,
    listed,
    builds,
    documents: read.documents,
    problems: [...read.problems.values()],
    floors: new Map(paths.map((path) => [baseName(path), Number(read.ledger(path).values["next_id"] ?? 0)])),
  };
}

function tellUnreadFolders(read: Reading, folder: string, epics: readonly string[]): void {
  const { source } = read;
  for (const name of source.foldersIn(folder).filter((name) => name.startsWith("epic-"))) {
    const path = joinPath(folder, name);
    if (epics.includes(path) || !source.filesIn(path).some((file) => LEAF_NAME.test(file))) continue;
    read.warn(path, `it is not read: it has neither ${name}.md nor ${LEDGER}`);
  }
}

const LISTS: readonly string[] = ["covers", "after", "references", "notes"];

function rowsOf(read: Reading, table: "entry" | "epic", folder: string) {
  const path = joinPath(folder, LEDGER);
  const { values, text } = read.ledger(folder);
  const given = values[table] ?? [];
  const rows = Array.isArray(given) ? given.filter(isValues) : [];
  if (!Array.isArray(given) || rows.length < given.length) read.error(path, `expected [[${table}]] tables`);
  const starts = splitLines(normalizeText(text)).flatMap((line, at) =>
    /^\s*\[\[\s*(\w+)\s*\]\]/.exec(line)?.[1] === table ? [at + 1] : []
  );
  // A text of several lines may have such a line, too.
  const known = starts.length === rows.length ? starts : [];
  return rows.slice(0, LIMITS.ledgers.tickets + 1).map((row, at) => {
    const [id, line] = [idOf(row["id"]), known[at]];
    const wrong = LISTS.filter((key) => row[key] !== undefined && !Array.isArray(row[key]));
    if (id === undefined) read.error(path, `the ${table} has no id`, line);
    for (const key of wrong) read.error(path, `${key} must be a list`, line);
    return { id, line, row: { ...row, ...Object.fromEntries(wrong.map((key) => [key, []])) } as Values };
  });
}

function listedEpics(read: Reading, initiative: string): ReadonlyMap<string, ListedEpic> {
  const path = joinPath(initiative, LEDGER);
  const found = new Map<string, Omit<ListedEpic, "after">>();
  for (const { id, line, row } of rowsOf(read, "epic", initiative)) {
    const given = asText(row["slug"]);
    const slug = given ?? `epic-${id ?? found.size + 1}`;
    if (given === undefined) read.error(path, `epic ${id ?? found.size + 1} needs a slug`, line);
    if (found.has(slug) || id !== undefined && found.values().some((one) => one.id === id)) {
      read.error(path, `epic ${id ?? slug} is listed twice`, line);
    } else found.set(slug, { id, line, row });
  }
  const slugs = slugsOf(found);
  return new Map(Array.from(found, ([slug, listed]) => {
    const { line, row } = listed;
    const after = listIn(row["after"], { path, line }, read).flatMap((one) => {
      const { epic, needs } = asValues(one);
      const name = asText(epic) ?? "";
      const needed = slugs.get(idOf(epic) ?? "") ?? name;
      if (found.get(needed)?.id !== undefined) return [{ epic: needed, needs: asText(needs) ?? "" }];
      read.error(path, `${slug} is after "${name}", which is not listed`, line);
      return [];
    });
    return [slug, { ...listed, after }];
  }));
}

interface TicketFile {
  readonly name: string;
  readonly path: string;
  readonly document: TicketDocument;
}

interface Parts {
  readonly id?: string;
  readonly row?: Values;
  readonly line?: number;
  leaf?: TicketFile;
  plan?: TicketFile;
}

function* readFolder(read: Reading, folder: string, builds: Ticket[]): Interruptible<readonly Ticket[]> {
  const { source } = read;
  const epic = baseName(folder);
  const listed = readEntries(read, folder);
  const loose: Parts[] = [];
  const plans: TicketFile[] = [];
  const seen = new Map<string, string>();
  const names = source.filesIn(folder).filter((name) => name.endsWith(".md"));
  for (const name of names.slice(0, LIMITS.ledgers.ticketFiles)) {
    yield;
    const path = joinPath(folder, name);
    const document = read.document(path);
    if (document === undefined) continue;
    const file = { name, path, document };
    const { type, fields, lines, listLine, isUnclosed } = document;
    if (isUnclosed && LEAF_NAME.test(name)) read.error(path, "its front matter has no end");
    if (!LEAVES.includes(type)) {
      if (fields["ticket"] !== undefined) plans.push(file);
      else if (name.startsWith("plan-")) builds.push(ticketOf(epic, { plan: file }, read));
      else tellUnread(file, read);
      continue;
    }
    if (listLine !== undefined) read.error(path, LIST_PROBLEM, listLine);
    const given = idOf(fields["id"]);
    const other = given && seen.get(given);
    if (other !== undefined) read.error(path, `another file has the id ${given}: ${other}`, lines.get("id"));
    const id = other === undefined ? given : undefined;
    if (id !== undefined) seen.set(id, name);
    const entry = id === undefined ? undefined : listed.get(id);
    if (entry === undefined) loose.push({ id, leaf: file });
    else entry.leaf = file;
  }
  const all = [...listed.values(), ...loose.toSorted(byId)];
  joinPlans(all, plans, read);
  return all.map((parts) => ticketOf(epic, parts, read));
}

const LIST_PROBLEM = "a list must be on one line: key: [a, b]";

function readEntries(read: Reading, folder: string): ReadonlyMap<string, Parts> {
  const path = joinPath(folder, LEDGER);
  const entries = new Map<string, Parts>();
  for (const { id, line, row } of rowsOf(read, "entry", folder)) {
    if (id === undefined) continue;
    const type = asText(row["type"]) ?? "";
    if (!LEAVES.includes(type)) read.error(path, `entry ${id} has the unknown type "${type}"`, line);
    if (entries.has(id)) read.error(path, `entry ${id} is listed twice`, line);
    else entries.set(id, { id, line, row });
  }
  return entries;
}

function byId({ id: a }: Parts, { id: b }: Parts): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const [one, other] = [a, b].map((id) => /^\d+$/.test(id) ? Number(id) : Infinity) as [number, number];
  return one === other ? (a < b ? -1 : 1) : one - other;
}

function joinPlans(tickets: readonly Parts[], plans: readonly TicketFile[], notes: Notes): void {
  const byIds = new Map(tickets.map((one) => [one.id, one]));
  const byFiles = new Map(tickets.map((one) => [one.leaf?.name, one]));
  for (const plan of plans) {
    const { name, path, document: { fields, lines } } = plan;
    const [id, ticket] = [idOf(fields["ticket"]), printedValue(fields["ticket"])];
    const found = (id === undefined ? undefined : byIds.get(id)) ?? byFiles.get(`${ticket}.md`);
    if (found === undefined) {
      notes.warn(path, `it is the plan of no ticket: none here is "${ticket}"`, lines.get("ticket"));
    } else if (found.plan !== undefined) {
      notes.error(path, `${found.plan.name} and ${name} are plans of one ticket`);
    } else found.plan = plan;
  }
}

/** The plan has the status; otherwise the file counts more than the entry. */
function ticketOf(epic: string, { id, row, line, leaf, plan }: Parts, notes: Notes): Ticket {
  const fields = leaf?.document.fields ?? {};
  const planned = plan?.document.fields;
  const entry = row ?? (leaf === undefined ? planned! : {});
  const text = (key: string) => printedValue(fields[key]);
  const type = leaf?.document.type ?? LEAVES.find((one) => one === asText(row?.["type"])) ?? "story";
  const trackerStatus = leaf === undefined ? "" : statusIn(leaf, "tracker_status", TRACKER_STATUSES, notes);
  const own = leaf === undefined ? "" : statusIn(leaf, "status", TICKET_STATUSES, notes);
  const word = planned === undefined ? own : printedValue(planned["status"]);
  const isKnown = word === "" || TICKET_STATUSES.includes(word);
  const status = isKnown ? word : "blocked";
  const blockedAt = printedValue((planned ?? fields)["blocked_at"]);
  const state = leaf === undefined && plan === undefined ? "planned" : trackerStatus || stateCalled(status);
  const words = [
    ...(text("tracker_status") === "" ? [] : [wordIn(leaf!, "tracker_status", "tracker")]),
    ...(plan === undefined ? [] : [wordIn(plan, "status", "plan")]),
    ...(text("status") === "" ? [] : [wordIn(leaf!, "status", "file")]),
  ];
  if (!isKnown) {
    const { path, document } = plan!;
    notes.warn(path, `unknown status "${word}"; the ticket counts as blocked`, document.lines.get("status"));
  }
  // Work begins with the plan. A tracker's statuses need none.
  if (words[0]?.source === "file" && state !== "backlog" && state !== "dropped") {
    notes.warn(leaf!.path, `ticket ${id ?? leaf!.name} is "${own}", but has no plan`, words[0].line);
  }
  const ticket = {
    epic,
    id,
    key: `${epic}/${id ?? (leaf ?? plan)!.name}`,
    file: leaf?.name,
    plan: plan?.name,
    type,
    entry: row ?? {},
    line,
    title: text("title") || printedValue(entry["title"]),
    status,
    trackerStatus,
    trackerId: text("tracker_id"),
    state,
    words,
    // Without the field, it does not say who works on the ticket.
    assignee: printedValue(planned?.["assignee"] ?? fields["assignee"]),
    blockedAt,
    isBlocked: status === "blocked" || blockedAt !== "",
    blockedReason: isKnown
      ? printedValue((planned ?? fields)["blocked_reason"])
      : `${plan!.name} has the unknown status "${word}"`,
    refine: row === undefined
      ? leaf !== undefined
      : isTrue(row["refine"]) || row["type"] === "bug" || type === "bug",
    isRefined: isTrue(fields["refined"]),
    hitl: isTrue((leaf === undefined ? entry : fields)["hitl"]),
    covers: printedValues(Array.isArray(fields["covers"]) ? fields["covers"] : entry["covers"]),
    estimate: fields["estimate"] ?? entry["estimate"] ?? "",
    risk: typeof fields["risk"] === "string" ? fields["risk"] : printedValue(entry["risk"]),
    unknown: leaf?.document.unknown ?? printedValue(entry["unknown"]),
    rawAfter: (leaf === undefined ? entry : fields)["after"],
    after: [],
    gatedBy: [],
    waitsFor: [],
    drift: {},
  };
  return { ...ticket, readiness: readinessOf(ticket, []) };
}

function wordIn({ path, document }: TicketFile, key: string, source: StatusWord["source"]): StatusWord {
  return { source, word: printedValue(document.fields[key]), path, line: document.lines.get(key) };
}

/** Only its name makes it look like a ticket or a plan. */
function tellUnread({ name, path, document: { fields } }: TicketFile, notes: Notes): void {
  if (PLAN_NAME.test(name)) {
    notes.warn(path, "it is the plan of no ticket: its front matter has no ticket");
  } else if (LEAF_NAME.test(name) && (fields["id"] ?? fields["status"]) !== undefined) {
    notes.warn(path, "it is not read as a ticket: its front matter has no type (story, spike or bug)");
  }
}

function readContainer(read: Reading, folder: string): Container {
  const name = `${baseName(folder)}.md`;
  const path = joinPath(folder, name);
  const document = read.source.has(path) ? read.document(path) : undefined;
  const { type = "", fields = {}, listLine } = document ?? {};
  if (document === undefined) read.error(folder, `${name} is missing`);
  else if (!CONTAINERS.includes(type)) read.error(path, "its type is not epic");
  if (listLine !== undefined) read.error(path, LIST_PROBLEM, listLine);
  return {
    path,
    document,
    status: document ? statusIn({ name, path, document }, "status", EPIC_STATUSES, read) : "",
    trackerId: printedValue(fields["tracker_id"]),
    rawAfter: fields["after"],
    after: [],
    waitsFor: [],
  };
}

function statusIn(
  { path, document: { fields, lines } }: TicketFile,
  key: "status" | "tracker_status",
  known: readonly string[],
  notes: Notes,
): string {
  const value = printedValue(fields[key]);
  if (value === "" || known.includes(value)) return value;
  notes.error(path, `${key} "${value}" is unknown. Use one of: ${known.join(", ")}`, lines.get(key));
  return "";
}
