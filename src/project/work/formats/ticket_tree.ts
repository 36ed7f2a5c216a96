/**
 * The one reader of a ticket tree: initiatives of epics, epics of tickets, and a backlog of single tickets.
 *
 * A folder's `tickets.toml` lists entries in the order of the work. An entry may have a file of its own, and a plan once it
 * is built, which then has its status. What a file is, its front matter says, not its name. `after` names what must be
 * finished before. Everything that is wrong becomes a problem, and whatever can be read is there; those who act on the tree,
 * as `tickets.py` does, stop at the first problem that is an error.
 */
import { splitLines } from "../../../base/text.ts";
import { asText, isValues, type Values } from "../../../base/values.ts";
import type { Steps } from "../../../base/work.ts";
import { normalizeText, parseToml } from "../../../content/parse.ts";
import { baseName, joinPath, parentPath } from "../../../content/tree/mod.ts";
import { wordsOf } from "./forms.ts";
import { type State, STATES } from "./model.ts";
import { stateOf } from "./status.ts";
import type { Source } from "./source.ts";
import { printedValue, printedValues, readTicketDocument } from "./ticket_front.ts";
import { orderLinks, resolveAll, standingOf, withAfter } from "./ticket_links.ts";
import {
  CONTAINERS,
  type Draft,
  type DraftContainer,
  idOf,
  isTrue,
  LEAVES,
  LEDGER,
  type ListedEpic,
  type Notes,
  type StatusWord,
  type TicketDocument,
  type TicketProblem,
  type TicketTree,
} from "./ticket_model.ts";

const LEAF_NAME = new RegExp(`^(?:${LEAVES.join("|")})-.+\\.md$`);
const PLAN_NAME = new RegExp(`^(?:${LEAVES.join("|")})-.+-plan\\.md$`);
/** The statuses that a plan may have. */
export const TICKET_STATUSES: readonly string[] = wordsOf("ticket");
/** What tickets.py calls the states, of which it knows fewer. */
const CALLED: Readonly<Partial<Record<State, string>>> = { ready: "backlog", blocked: "in-progress" };
const TRACKER_STATUSES: readonly string[] = STATES.filter((state) => CALLED[state] === undefined);
/** Those that an epic may have. */
export const EPIC_STATUSES: readonly string[] = ["in-progress", "done", "dropped"];

function stateCalled(status: string): string {
  const state = status === "" ? "backlog" : stateOf(status)!;
  return CALLED[state] ?? state;
}

/** More than any initiative has; a hostile one must end. */
const MAX_TICKETS = 5_000;
const MAX_FILES = 5_000;
const MAX_FOLDERS = 500;

type TicketLedger = ReturnType<typeof readTicketLedger>;

/** Reads a `tickets.toml`; `lines` are those that look as if a table began there. */
function readTicketLedger(text: string) {
  const { value: values, problem, at } = parseToml(text);
  const lines = { epic: [] as number[], entry: [] as number[] };
  for (const [at, line] of splitLines(normalizeText(text)).entries()) {
    const name = /^\s*\[\[\s*(epic|entry)\s*\]\]/.exec(line)?.[1] as "epic" | "entry" | undefined;
    if (name !== undefined) lines[name].push(at + 1);
  }
  return { values, lines, problem, problemLine: at?.line };
}

type Reading = ReturnType<typeof openReading>;

function openReading(source: Source, notes: Notes) {
  const ledgers = new Map<string, TicketLedger>();
  const documents = new Map<string, TicketDocument | undefined>();
  const readLedger = (folder: string): TicketLedger => {
    const path = joinPath(folder, LEDGER);
    const ledger = readTicketLedger((source.has(path) ? source.text(path) : undefined) ?? "");
    if (ledger.problem !== undefined) notes.error(path, ledger.problem, ledger.problemLine);
    if (!Number.isInteger(ledger.values["next_id"] ?? 0)) notes.error(path, "next_id must be a whole number");
    return ledger;
  };
  const readDocument = (path: string): TicketDocument | undefined => {
    const text = source.text(path);
    return text === undefined ? undefined : readTicketDocument(text);
  };
  return {
    source,
    notes,
    documents,
    document: (path: string) => documents.getOrInsertComputed(path, readDocument),
    /** The ledger in a folder; empty if there is none. */
    ledger: (folder: string) => ledgers.getOrInsertComputed(folder, readLedger),
  };
}

function openNotes(): Notes & { readonly problems: ReadonlyMap<string, TicketProblem> } {
  const problems = new Map<string, TicketProblem>();
  const noteAs = (isError: boolean) => (path: string, problem: string, line?: number) => {
    problems.getOrInsert(`${path}: ${problem}`, { path, problem, isError, line });
  };
  return { problems, error: noteAs(true), warn: noteAs(false) };
}

/** Reads the folder that was asked about, and every epic that its tickets can name. */
export function* readTicketTree(source: Source, folder: string): Steps<TicketTree> {
  const notes = openNotes();
  const read = openReading(source, notes);
  const epicsIn = (path: string) =>
    source.foldersIn(path).filter((name) => name.startsWith("epic-")).slice(0, MAX_FOLDERS)
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
  const [drafts, builds]: [Draft[], Draft[]] = [[], []];
  for (const path of paths) {
    drafts.push(...yield* readFolder(read, path, builds));
    if (drafts.length <= MAX_TICKETS) continue;
    notes.error(path, `there are more than ${MAX_TICKETS} tickets`);
    drafts.length = MAX_TICKETS;
    break;
  }
  const containers = new Map<string, DraftContainer>();
  for (const path of epics) {
    yield;
    containers.set(baseName(path), readContainer(read, path));
  }
  const resolved = resolveAll(drafts, containers, { listed, folders }, notes);
  const { order, cycle } = orderLinks(resolved.tickets, resolved.containers);
  if (cycle !== undefined) {
    const path = joinPath(folders.get(cycle.at(-1)!.split("/")[0]!)!, LEDGER);
    notes.error(path, `tickets wait for each other: ${cycle.join(", ")}`);
  }
  return {
    ...resolved,
    order,
    scope: isInitiative ? undefined : baseName(folder),
    folders,
    listed,
    builds: builds.map((draft) => {
      const links = { after: [], gatedBy: [], waitsFor: [], drift: {} };
      return { ...draft, ...links, standing: standingOf(draft, []) };
    }),
    documents: read.documents,
    problems: [...notes.problems.values()],
    floors: new Map(paths.map((path) => [baseName(path), Number(read.ledger(path).values["next_id"] ?? 0)])),
  };
}

/** Tells of folders that would be epics if they had a file or a ledger of their own. */
function tellUnreadFolders({ source, notes }: Reading, folder: string, epics: readonly string[]): void {
  for (const name of source.foldersIn(folder).filter((name) => name.startsWith("epic-"))) {
    const path = joinPath(folder, name);
    if (epics.includes(path) || !source.filesIn(path).some((file) => LEAF_NAME.test(file))) continue;
    notes.warn(path, `it is not read: it has neither ${name}.md nor ${LEDGER}`);
  }
}

const LISTS: readonly string[] = ["covers", "after", "references", "notes"];

function rowsOf({ ledger, notes }: Reading, table: "entry" | "epic", folder: string) {
  const path = joinPath(folder, LEDGER);
  const { values, lines } = ledger(folder);
  const given = values[table] ?? [];
  const rows = Array.isArray(given) ? given.filter(isValues) : [];
  if (!Array.isArray(given) || rows.length < given.length) notes.error(path, `expected [[${table}]] tables`);
  // A text of several lines may have such a line, too.
  const known = lines[table].length === rows.length ? lines[table] : [];
  return rows.slice(0, MAX_TICKETS + 1).map((row, at) => {
    const [id, line] = [idOf(row["id"]), known[at]];
    const wrong = LISTS.filter((key) => row[key] !== undefined && !Array.isArray(row[key]));
    if (id === undefined) notes.error(path, `the ${table} has no id`, line);
    for (const key of wrong) notes.error(path, `${key} must be a list`, line);
    return { id, line, row: { ...row, ...Object.fromEntries(wrong.map((key) => [key, []])) } as Values };
  });
}

function listedEpics(read: Reading, initiative: string): ReadonlyMap<string, ListedEpic> {
  const path = joinPath(initiative, LEDGER);
  const found = new Map<string, Omit<ListedEpic, "after">>();
  for (const { id, line, row } of rowsOf(read, "epic", initiative)) {
    const given = asText(row["slug"]);
    const slug = given ?? `epic-${id ?? found.size + 1}`;
    if (given === undefined) read.notes.error(path, `epic ${id ?? found.size + 1} needs a slug`, line);
    if (found.has(slug) || id !== undefined && found.values().some((one) => one.id === id)) {
      read.notes.error(path, `epic ${id ?? slug} is listed twice`, line);
    } else found.set(slug, { id, line, row });
  }
  return withAfter(found, path, read.notes);
}

interface TicketFile {
  readonly name: string;
  readonly path: string;
  readonly document: TicketDocument;
}

/** What there is of one ticket: an entry, a file, a plan, or several of them. */
interface Parts {
  readonly id?: string;
  readonly row?: Values;
  readonly line?: number;
  leaf?: TicketFile;
  plan?: TicketFile;
}

/** The tickets of a folder; `builds` gets the work that has only a plan. */
function* readFolder(read: Reading, folder: string, builds: Draft[]): Steps<readonly Draft[]> {
  const { source, notes } = read;
  const epic = baseName(folder);
  const listed = readEntries(read, folder);
  const loose: Parts[] = [];
  const plans: TicketFile[] = [];
  const seen = new Map<string, string>();
  for (const name of source.filesIn(folder).filter((name) => name.endsWith(".md")).slice(0, MAX_FILES)) {
    yield;
    const path = joinPath(folder, name);
    const document = read.document(path);
    if (document === undefined) continue;
    const file = { name, path, document };
    const { type, fields, lines, listLine, isUnclosed } = document;
    if (isUnclosed && LEAF_NAME.test(name)) notes.error(path, "its front matter has no end");
    if (!LEAVES.includes(type)) {
      if (fields["ticket"] !== undefined) plans.push(file);
      else if (name.startsWith("plan-")) builds.push(draftOf(epic, { plan: file }, notes));
      else tellUnread(file, notes);
      continue;
    }
    if (listLine !== undefined) notes.error(path, LIST_PROBLEM, listLine);
    const given = idOf(fields["id"]);
    const other = given && seen.get(given);
    if (other !== undefined) notes.error(path, `another file has the id ${given}: ${other}`, lines.get("id"));
    const id = other === undefined ? given : undefined;
    if (id !== undefined) seen.set(id, name);
    const entry = id === undefined ? undefined : listed.get(id);
    if (entry === undefined) loose.push({ id, leaf: file });
    else entry.leaf = file;
  }
  const all = [...listed.values(), ...loose.toSorted(byId)];
  joinPlans(all, plans, notes);
  return all.map((parts) => draftOf(epic, parts, notes));
}

const LIST_PROBLEM = "a list must be on one line: key: [a, b]";

function readEntries(read: Reading, folder: string): ReadonlyMap<string, Parts> {
  const path = joinPath(folder, LEDGER);
  const entries = new Map<string, Parts>();
  for (const { id, line, row } of rowsOf(read, "entry", folder)) {
    if (id === undefined) continue;
    const type = asText(row["type"]) ?? "";
    if (!LEAVES.includes(type)) read.notes.error(path, `entry ${id} has the unknown type "${type}"`, line);
    if (entries.has(id)) read.notes.error(path, `entry ${id} is listed twice`, line);
    else entries.set(id, { id, line, row });
  }
  return entries;
}

/** Numbers before ids with letters, and those before none. */
function byId({ id: a }: Parts, { id: b }: Parts): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const [one, other] = [a, b].map((id) => /^\d+$/.test(id) ? Number(id) : Infinity) as [number, number];
  return one === other ? (a < b ? -1 : 1) : one - other;
}

/** Gives each ticket the plan that names its id or its file. */
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

/** A ticket of its parts: the plan has the status, and all else that the file says counts for more than the entry. */
function draftOf(epic: string, { id, row, line, leaf, plan }: Parts, notes: Notes): Draft {
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
    notes.warn(
      plan!.path,
      `unknown status "${word}"; the ticket counts as blocked`,
      plan!.document.lines.get("status"),
    );
  }
  // Work on a ticket begins with its plan. A tracker's statuses need none.
  if (words[0]?.source === "file" && state !== "backlog" && state !== "dropped") {
    notes.warn(leaf!.path, `ticket ${id ?? leaf!.name} is "${own}", but has no plan`, words[0].line);
  }
  return {
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
    // A plan without the field says nothing about who works on the ticket.
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
  };
}

function wordIn({ path, document }: TicketFile, key: string, source: StatusWord["source"]): StatusWord {
  return { source, word: printedValue(document.fields[key]), path, line: document.lines.get(key) };
}

/** Tells of a file that its name makes look like a ticket or a plan, while its front matter does not. */
function tellUnread({ name, path, document: { fields } }: TicketFile, notes: Notes): void {
  if (PLAN_NAME.test(name)) {
    notes.warn(path, "it is the plan of no ticket: its front matter has no ticket");
  } else if (LEAF_NAME.test(name) && (fields["id"] ?? fields["status"]) !== undefined) {
    notes.warn(path, "it is not read as a ticket: its front matter has no type (story, spike or bug)");
  }
}

function readContainer(read: Reading, folder: string): DraftContainer {
  const { notes } = read;
  const name = `${baseName(folder)}.md`;
  const path = joinPath(folder, name);
  const document = read.source.has(path) ? read.document(path) : undefined;
  if (document === undefined) {
    notes.error(folder, `${name} is missing`);
    return { path, status: "", trackerId: "", rawAfter: undefined };
  }
  const { type, fields, listLine } = document;
  if (!CONTAINERS.includes(type)) notes.error(path, "its type is not epic");
  if (listLine !== undefined) notes.error(path, LIST_PROBLEM, listLine);
  return {
    path,
    document,
    status: statusIn({ name, path, document }, "status", EPIC_STATUSES, notes),
    trackerId: printedValue(fields["tracker_id"]),
    rawAfter: fields["after"],
  };
}

/** A status that may be one of those, or nothing; of an unknown one, nothing. */
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
