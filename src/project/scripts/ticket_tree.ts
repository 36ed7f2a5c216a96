/**
 * A tree of tickets as `tickets.py` reads it: strictly, with every reference resolved.
 *
 * A folder's `tickets.toml` lists entries in the order of the work. An entry may have a file of its own, and a plan once it
 * is built, which then has its status. `after` names what must be finished before. Whatever contradicts itself is an error,
 * because the caller acts on the answer; only a plan that fits no ticket is a mere problem.
 */
import { fail } from "../../base/errors.ts";
import { asText, isValues, type Values } from "../../base/values.ts";
import { parseToml } from "../../content/parse.ts";
import {
  baseName,
  cacheListings,
  decodeText,
  joinPath,
  parentPath,
  type Tree,
} from "../../content/tree/mod.ts";
import { cacheFiles } from "./file_cache.ts";
import { isUnclosed, printedValue, readFront } from "./ticket_front.ts";
import { declaredIn, refuseCycles, resolveAll } from "./ticket_links.ts";
import {
  type Draft,
  type DraftContainer,
  idOf,
  LEDGER,
  listOf,
  TicketError,
  type TicketTree,
} from "./ticket_model.ts";

const LEAVES: readonly string[] = ["story", "spike", "bug"];
const CONTAINERS: readonly string[] = ["initiative", "epic"];
const LEAF_NAME = /^(?:story|spike|bug)-.+\.md$/;
/** The state that each status means. */
const STATE_OF: Readonly<Record<string, string>> = {
  "": "backlog",
  draft: "backlog",
  "ready-for-dev": "backlog",
  "in-progress": "in-progress",
  blocked: "in-progress",
  "in-review": "review",
  built: "review",
  done: "done",
  dropped: "dropped",
};
/** The statuses that a plan may have. */
export const STATUSES: readonly string[] = Object.keys(STATE_OF).filter((status) => status !== "");
const STATES: readonly string[] = ["backlog", "in-progress", "review", "done", "dropped"];
const EPIC_STATUSES: readonly string[] = ["in-progress", "done", "dropped"];

/** More than any initiative has; a hostile one must end. */
const MAX_TICKETS = 5_000;
const MAX_FILES = 5_000;
const MAX_FOLDERS = 500;

/** What the files of a tree say. */
interface Reading {
  hasFile(folder: string, name: string): boolean;
  document(path: string): TicketDocument;
  /** The ledger in a folder; empty if there is none. */
  ledger(folder: string): Values;
}

/** A Markdown file in a folder of tickets. */
interface TicketDocument {
  readonly isUnclosed: boolean;
  /** Its front matter, read as that of a plan, and as that of a ticket, which can be an error. */
  readonly plan: Values;
  readonly ticket: Values | TicketError;
  readonly unknown: string;
}

function readDocument(text: string): TicketDocument {
  const plan = readFront(text, { isPlan: true });
  const type = printedValue(plan["type"]);
  const isLeaf = LEAVES.includes(type);
  return {
    isUnclosed: isUnclosed(text),
    plan,
    // Nothing else of a plan is needed.
    ticket: isLeaf || CONTAINERS.includes(type) ? readStrictly(text) : plan,
    unknown: isLeaf ? openQuestions(text) : "",
  };
}

function readStrictly(text: string): Values | TicketError {
  try {
    return readFront(text);
  } catch (error) {
    if (error instanceof TicketError) return error;
    throw error;
  }
}

/** Reads the folder that was asked about, and every epic that its tickets can name. */
export function readTicketTree(given: Tree, folder: string, now: number): TicketTree {
  // What a listing shows need not be looked for again: a large initiative has hundreds of files.
  const tree = cacheListings(given);
  const cached = cacheFiles(given, now);
  const readCached = <T>(path: string, readFrom: (text: string) => T): T =>
    cached("ticket", path, () => {
      const text = decodeText(given.read(path)) ??
        fail({ code: "invalid-file", path, problem: "it is not text" });
      return { value: readFrom(text), size: text.length };
    });
  const hasFile = (folder: string, name: string) =>
    tree.list(folder).some((item) => !item.isDirectory && item.name === name);
  const ledgers = new Map<string, Values>();
  const read: Reading = {
    hasFile,
    document: (path) => readCached(path, readDocument),
    ledger: (path) =>
      ledgers.getOrInsertComputed(
        path,
        () =>
          hasFile(path, LEDGER) ? readCached(joinPath(path, LEDGER), (text) => readLedger(text, path)) : {},
      ),
  };
  const epicsIn = (path: string) =>
    tree.list(path).filter(({ name, isDirectory }) => isDirectory && name.startsWith("epic-"))
      .slice(0, MAX_FOLDERS).map(({ name }) => joinPath(path, name))
      .filter((epic) => hasFile(epic, `${baseName(epic)}.md`) || hasFile(epic, LEDGER));
  const own = epicsIn(folder);
  const isInitiative = own.length > 0 || read.ledger(folder)["epic"] !== undefined;
  const isEpic = !isInitiative && epicsIn(parentPath(folder)).includes(folder);
  const initiative = isInitiative ? folder : isEpic ? parentPath(folder) : undefined;
  const listed = initiative === undefined ? [] : rowsOf(read.ledger(initiative), "epic", initiative);
  const epicIds = uniqueIds(listed, initiative ?? "");
  const order = [...epicIds.keys()];
  const rank = (path: string) =>
    order.includes(baseName(path)) ? order.indexOf(baseName(path)) : order.length;
  const epics = (isInitiative ? own : isEpic ? epicsIn(initiative!) : [])
    .toSorted((a, b) => rank(a) - rank(b));
  const folders = isInitiative ? [...epics, folder] : isEpic ? epics : [folder];
  const problems: string[] = [];
  const drafts: Draft[] = [];
  for (const path of folders) {
    drafts.push(...readFolder(tree, read, path, problems));
    if (drafts.length > MAX_TICKETS) throw new TicketError(`there are more than ${MAX_TICKETS} tickets`);
  }
  const containers = new Map(epics.map((path) => [baseName(path), readContainer(read, path)]));
  const resolved = resolveAll(drafts, containers, epicIds, problems);
  refuseCycles(resolved.tickets, resolved.containers);
  return {
    ...resolved,
    scope: isInitiative ? undefined : baseName(folder),
    folders: new Map(folders.map((path) => [baseName(path), path])),
    epicIds,
    declared: declaredIn(listed, epicIds, initiative ?? ""),
    problems: [...new Set(problems)],
    floors: new Map(folders.map((path) => [baseName(path), Number(read.ledger(path)["next_id"] ?? 0)])),
  };
}

function readLedger(text: string, folder: string): Values {
  const { value, problem } = parseToml(text);
  const where = `${baseName(folder)}/${LEDGER}`;
  if (problem !== undefined) throw new TicketError(`${where}: ${problem}`);
  if (!Number.isInteger(value["next_id"] ?? 0)) {
    throw new TicketError(`${where}: next_id must be a whole number`);
  }
  return value;
}

const LISTS: readonly string[] = ["covers", "after", "references", "notes"];

/** The tables of a ledger, each with an id. */
function rowsOf(ledger: Values, table: "entry" | "epic", folder: string): readonly Values[] {
  const where = `${baseName(folder)}/${LEDGER}`;
  const rows = ledger[table] ?? [];
  if (!Array.isArray(rows) || !rows.every(isValues)) {
    throw new TicketError(`${where}: expected [[${table}]] tables`);
  }
  if (rows.some(({ id }) => idOf(id) === undefined)) {
    throw new TicketError(`${where}: every ${table} needs an id`);
  }
  for (const key of LISTS) {
    if (rows.some((row) => row[key] !== undefined && !Array.isArray(row[key]))) {
      throw new TicketError(`${where}: ${key} must be a list`);
    }
  }
  return rows.slice(0, MAX_TICKETS + 1);
}

function uniqueIds(listed: readonly Values[], initiative: string): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const row of listed) {
    const [slug, id] = [asText(row["slug"]), idOf(row["id"])!];
    const where = `${baseName(initiative)}/${LEDGER}`;
    if (slug === undefined) throw new TicketError(`${where}: epic ${id} needs a slug`);
    if (ids.has(slug) || [...ids.values()].includes(id)) {
      throw new TicketError(`${where}: epic ${id} is listed twice`);
    }
    ids.set(slug, id);
  }
  return ids;
}

function readFolder(tree: Tree, read: Reading, folder: string, problems: string[]): readonly Draft[] {
  const epic = baseName(folder);
  const drafts = new Map<string, Draft>();
  for (const entry of rowsOf(read.ledger(folder), "entry", folder)) {
    const [id, type] = [idOf(entry["id"])!, asText(entry["type"]) ?? ""];
    const where = `${epic}/${LEDGER}: entry ${id}`;
    if (!LEAVES.includes(type)) throw new TicketError(`${where} has the unknown type "${type}"`);
    if (drafts.has(id)) throw new TicketError(`${where} is listed twice`);
    drafts.set(id, {
      epic,
      id,
      key: `${epic}/${id}`,
      type,
      entry,
      title: printedValue(entry["title"]),
      state: "planned",
      status: "",
      trackerId: "",
      trackerStatus: "",
      assignee: "",
      blockedAt: "",
      blockedReason: "",
      refine: type === "bug" || isTrue(entry["refine"]),
      isRefined: false,
      hitl: isTrue(entry["hitl"]),
      covers: listed(entry["covers"]),
      estimate: entry["estimate"] ?? "",
      risk: printedValue(entry["risk"]),
      unknown: printedValue(entry["unknown"]),
      rawAfter: listOf(entry["after"], where),
    });
  }
  const [unlisted, strays]: [Draft[], Draft[]] = [[], []];
  const plans: (readonly [name: string, values: Values])[] = [];
  const seen = new Set<string>();
  const names = tree.list(folder).filter(({ name, isDirectory }) => !isDirectory && name.endsWith(".md"))
    .slice(0, MAX_FILES).map(({ name }) => name);
  for (const name of names) {
    const where = `${epic}/${name}`;
    const { isUnclosed, plan, ticket, unknown } = read.document(joinPath(folder, name));
    if (isUnclosed && LEAF_NAME.test(name)) throw new TicketError(`${where}: its front matter has no end`);
    const type = printedValue(plan["type"]);
    if (!LEAVES.includes(type)) {
      if (plan["ticket"] !== undefined) plans.push([name, plan]);
      continue;
    }
    const value = usable(ticket, where);
    const id = idOf(value["id"]);
    if (id !== undefined && seen.has(id)) throw new TicketError(`${where}: another file has the id ${id}`);
    if (id !== undefined) seen.add(id);
    const draft = leafOf(id === undefined ? undefined : drafts.get(id), {
      epic,
      name,
      id,
      type,
      value,
      where,
      unknown,
    });
    if (id === undefined) strays.push(draft);
    else if (drafts.has(id)) drafts.set(id, draft);
    else unlisted.push(draft);
  }
  return joinPlans([...drafts.values(), ...unlisted.toSorted(byId), ...strays], plans, epic, problems);
}

/** Numbers before ids with letters. */
function byId({ id: a = "" }: Draft, { id: b = "" }: Draft): number {
  const [one, other] = [a, b].map((id) => /^\d+$/.test(id) ? Number(id) : Infinity) as [number, number];
  return one === other ? (a < b ? -1 : 1) : one - other;
}

/** Front matter, unless it is an error. */
function usable(front: Values | TicketError, where: string): Values {
  if (front instanceof TicketError) throw new TicketError(`${where}: ${front.message}`);
  return front;
}

/** What a file says is unknown: `- Unknown: …` in its body, which `pull` writes. Comments show only examples. */
function openQuestions(text: string): string {
  const body = text.replace(/^\uFEFF?---\r?\n[^]*?\n---(?=\r?\n|$)/, "").split("<!--").map((part, at) => {
    const end = at === 0 ? 0 : part.indexOf("-->");
    return end < 0 ? `<!--${part}` : part.slice(at === 0 ? 0 : end + 3);
  }).join("");
  return Array.from(
    body.matchAll(/^[ \t]*(?:[-*][ \t]+)?Unknown:[ \t]*(\S.*)$/gm),
    ([, question]) => question!.trim(),
  ).join("; ");
}

/** The items of a list as texts. */
function listed(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : []).map(printedValue);
}

/** A ticket with a file of its own, which counts for more than its entry. */
function leafOf(
  entry: Draft | undefined,
  { epic, name, id, type, value, where, unknown }: {
    readonly epic: string;
    readonly name: string;
    readonly id: string | undefined;
    readonly type: string;
    readonly value: Values;
    readonly where: string;
    readonly unknown: string;
  },
): Draft {
  const text = (key: string) => printedValue(value[key]);
  const status = oneOf(text("status"), STATUSES, `${where}: status`);
  const trackerStatus = oneOf(text("tracker_status"), STATES, `${where}: tracker_status`);
  return {
    epic,
    id,
    key: `${epic}/${id ?? name}`,
    file: name,
    type,
    entry: entry?.entry ?? {},
    title: text("title") || (entry?.title ?? ""),
    status,
    trackerStatus,
    trackerId: text("tracker_id"),
    state: trackerStatus || STATE_OF[status]!,
    assignee: text("assignee"),
    blockedAt: text("blocked_at"),
    blockedReason: text("blocked_reason"),
    risk: typeof value["risk"] === "string" ? value["risk"] : entry?.risk ?? "",
    unknown,
    refine: (entry?.refine ?? true) || type === "bug",
    isRefined: isTrue(value["refined"]),
    hitl: isTrue(value["hitl"]),
    covers: Array.isArray(value["covers"]) ? listed(value["covers"]) : entry?.covers ?? [],
    estimate: value["estimate"] ?? entry?.estimate ?? "",
    rawAfter: listOf(value["after"], where),
    ...(entry !== undefined && { planned: { after: entry.rawAfter, hitl: entry.hitl } }),
  };
}

function joinPlans(
  drafts: readonly Draft[],
  plans: readonly (readonly [name: string, values: Values])[],
  epic: string,
  problems: string[],
): readonly Draft[] {
  const byKey = new Map(drafts.map((draft) => [draft.key, draft]));
  for (const [name, value] of plans) {
    const ticket = printedValue(value["ticket"]);
    const found = byKey.get(`${epic}/${idOf(value["ticket"])}`) ??
      drafts.find(({ file }) => file === `${ticket}.md`);
    const draft = found && byKey.get(found.key);
    if (draft === undefined) {
      problems.push(`${epic}/${name}: skipped, because no ticket here is "${ticket}"`);
      continue;
    }
    if (draft.plan !== undefined) {
      throw new TicketError(`${epic}: ${draft.plan} and ${name} are plans of one ticket`);
    }
    const given = printedValue(value["status"]);
    const isKnown = Object.hasOwn(STATE_OF, given);
    if (!isKnown) problems.push(`${epic}/${name}: unknown status "${given}"; the ticket counts as blocked`);
    const status = isKnown ? given : "blocked";
    byKey.set(draft.key, {
      ...draft,
      plan: name,
      status,
      state: draft.trackerStatus || STATE_OF[status]!,
      // A plan without the field says nothing about who works on the ticket.
      assignee: value["assignee"] === undefined ? draft.assignee : printedValue(value["assignee"]),
      blockedAt: printedValue(value["blocked_at"]),
      blockedReason: isKnown
        ? printedValue(value["blocked_reason"])
        : `${name} has the unknown status "${given}"`,
    });
  }
  return [...byKey.values()];
}

function readContainer(read: Reading, folder: string): DraftContainer {
  const name = `${baseName(folder)}.md`;
  const where = `${baseName(folder)}/${name}`;
  if (!read.hasFile(folder, name)) throw new TicketError(`${where} is missing`);
  const value = usable(read.document(joinPath(folder, name)).ticket, where);
  const type = printedValue(value["type"]);
  if (!CONTAINERS.includes(type)) throw new TicketError(`${where}: its type is not epic`);
  return {
    status: oneOf(printedValue(value["status"]), EPIC_STATUSES, `${where}: status`),
    trackerId: printedValue(value["tracker_id"]),
    rawAfter: listOf(value["after"], where),
  };
}

function isTrue(value: unknown): boolean {
  return String(value).toLowerCase() === "true";
}

function oneOf(value: string, known: readonly string[], where: string): string {
  if (value === "" || known.includes(value)) return value;
  throw new TicketError(`${where} "${value}" is unknown. Use one of: ${known.join(", ")}`);
}
