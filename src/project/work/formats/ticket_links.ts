/** Resolves the names in `after` to tickets and epics. */
import { asText } from "../../../base/values.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { Problem } from "./model.ts";
import {
  type Container,
  idOf,
  isListed,
  isTrue,
  LEAVES,
  LEDGER,
  type ListedEpic,
  type Notes,
  type Ticket,
  type TicketReadiness,
  type TicketTree,
} from "./ticket_file.ts";

/** Only of this tree: a typing error must not look like a tracker's id. */
const OWN_NAME = new RegExp(`^(?:epic-|(?:${LEAVES.join("|")})-.|[A-Za-z0-9]+\\.[A-Za-z0-9]+$)`);

interface Place extends Pick<Problem, "path" | "line"> {
  readonly entry?: string;
}

export function resolveLinks(
  { tickets, containers: given, listed, folders }: Pick<
    TicketTree,
    "tickets" | "containers" | "listed" | "folders"
  >,
  notes: Notes,
): Pick<TicketTree, "tickets" | "containers"> {
  const keys = new Set(tickets.map(({ key }) => key));
  const files = new Map(
    tickets.filter(({ file }) => file).map(({ epic, file, key }) => [`${epic}/${file}`, key]),
  );
  const slugs = slugsOf(listed);
  const trackers = trackersOf(tickets, given, folders, notes);
  const find = (epic: string, name: unknown, isTicket: boolean): string | undefined => {
    const text = asText(name) ?? "";
    if (isTicket) {
      // A number is a sibling, in quotes a tracker's id.
      const isSibling = typeof name === "number" || (typeof name === "string" && !/^\d*$/.test(text));
      if (isSibling && keys.has(`${epic}/${text}`)) return `${epic}/${text}`;
      if (typeof name === "number") return undefined;
      const file = files.get(`${epic}/${text}`) ?? files.get(`${epic}/${text}.md`);
      if (file !== undefined) return file;
    }
    const [, epicId, entryId] = /^([A-Za-z0-9]+)\.([A-Za-z0-9]+)$/.exec(text) ?? [];
    const slug = slugs.get(idOf(epicId) ?? "");
    if (slug !== undefined) {
      const key = `${slug}/${idOf(entryId)}`;
      return keys.has(key) ? key : undefined;
    }
    const known = given.has(text) ? text : trackers.get(text);
    return known ?? (typeof name === "string" && text !== "" && !OWN_NAME.test(text) ? text : undefined);
  };
  const resolve = (epic: string, value: unknown, place: Place, isTicket = true): readonly string[] => {
    const { path, line, entry } = place;
    const keysOf = (name: unknown): readonly string[] => {
      const key = find(epic, name, isTicket);
      if (key === undefined) {
        const problem = `after names "${asText(name) ?? ""}", which is not a ticket`;
        notes.error(path, entry === undefined ? problem : `entry ${entry}: ${problem}`, line);
        return [];
      }
      if (!keys.has(key) && !given.has(key)) {
        const who = entry === undefined ? "it" : `entry ${entry}`;
        notes.warn(path, `${who} waits for "${key}", which no ticket here has as its tracker_id`, line);
      }
      return [key];
    };
    return [...new Set(listIn(value, place, notes).flatMap(keysOf))];
  };
  const keysIn = (state: string) => tickets.filter((one) => one.state === state).map(({ key }) => key);
  const doneEpics = [...given].filter(([, { status }]) => status === "done").map(([slug]) => slug);
  const done = new Set([...doneEpics, ...keysIn("done")]);
  // Review lets others begin; an epic's gate opens when what it names is done.
  const met = new Set([...done, ...keysIn("review")]);
  const containers = new Map(Array.from(given, ([slug, container]) => {
    const { path, document, rawAfter } = container;
    const after = resolve(slug, rawAfter, { path, line: document?.lines.get("after") }, false);
    return [slug, { ...container, after, waitsFor: after.filter((key) => !done.has(key)) }];
  }));
  const linked = tickets.map((ticket): Ticket => {
    const { epic, id, file, line, hitl, entry: row, rawAfter } = ticket;
    const folder = folders.get(epic)!;
    const entry = { path: joinPath(folder, LEDGER), entry: id, line };
    const after = resolve(epic, rawAfter, file === undefined ? entry : { path: joinPath(folder, file) });
    const isTwice = file !== undefined && isListed(ticket);
    const before = isTwice ? resolve(epic, row["after"], entry) : after;
    const isSame = before.toSorted().join() === after.toSorted().join();
    const drift = {
      ...(!isSame && { after: { file: after, entry: before } }),
      ...(isTwice && isTrue(row["hitl"]) !== hitl && { hitl: { file: hitl, entry: !hitl } }),
    };
    const { after: gatedBy = [], waitsFor: gate = [] } = containers.get(epic) ?? {};
    const waitsFor = [...after.filter((key) => !met.has(key)), ...gate];
    return { ...ticket, after, gatedBy, waitsFor, readiness: readinessOf(ticket, waitsFor), drift };
  });
  return { tickets: linked, containers };
}

export function readinessOf(
  { state, isBlocked, refine, isRefined, unknown }: Omit<Ticket, "readiness">,
  waitsFor: readonly string[],
): TicketReadiness {
  if (state === "done" || state === "dropped") return "over";
  if (isBlocked) return "blocked";
  if (state === "in-progress" || state === "review") return "begun";
  if (waitsFor.length > 0) return "blocked";
  if (refine && !isRefined) return "refine";
  return unknown === "" ? "start" : "blocked";
}

export function listIn(value: unknown, { path, line }: Place, notes: Notes): readonly unknown[] {
  if (value === undefined || value === null || value === "") return [];
  if (Array.isArray(value)) return value.slice(0, LIMITS.ledgers.after);
  notes.error(path, "after must be a list", line);
  return [];
}

function trackersOf(
  tickets: readonly Ticket[],
  containers: TicketTree["containers"],
  folders: TicketTree["folders"],
  notes: Notes,
): ReadonlyMap<string, string> {
  const owners = [
    ...Array.from(containers, ([key, { trackerId, path }]) => ({ trackerId, key, path })),
    ...tickets.map(({ trackerId, key, epic, file = "" }) => {
      return { trackerId, key, path: joinPath(folders.get(epic)!, file) };
    }),
  ].filter(({ trackerId }) => trackerId !== "");
  for (const [id, same] of Map.groupBy(owners, ({ trackerId }) => trackerId.toLowerCase())) {
    if (same.length === 1) continue;
    const keys = same.map(({ key }) => key).join(", ");
    notes.error(same[1]!.path, `several tickets have the tracker_id "${id}": ${keys}`);
  }
  return new Map(owners.map(({ trackerId, key }) => [trackerId, key]));
}

/** Behind what it waits for, an epic's tickets and its own gate; or the first circle. */
export function orderLinks(
  tickets: readonly Ticket[],
  containers: ReadonlyMap<string, Container>,
): { readonly order: readonly string[]; readonly cycle?: readonly string[] } {
  const waits = new Map<string, readonly string[]>(
    Array.from(containers, ([slug, { after }]) => {
      return [slug, [...tickets.filter(({ epic }) => epic === slug).map(({ key }) => key), ...after]];
    }),
  );
  for (const { key, after, gatedBy } of tickets) waits.set(key, [...after, ...gatedBy]);
  const finished = new Set<string>();
  for (const start of waits.keys()) {
    const active = new Set<string>();
    // A chain may be longer than the stack.
    const stack: { readonly node: string; readonly isEnd: boolean }[] = [{ node: start, isEnd: false }];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      const { node, isEnd } = top;
      if (isEnd) {
        active.delete(node);
        finished.add(node);
      } else if (active.has(node)) return { order: [], cycle: [...active, node] };
      else if (!finished.has(node)) {
        active.add(node);
        stack.push({ node, isEnd: true });
        for (const next of waits.get(node) ?? []) stack.push({ node: next, isEnd: false });
      }
    }
  }
  return { order: [...finished] };
}

export function slugsOf(listed: ReadonlyMap<string, Pick<ListedEpic, "id">>): ReadonlyMap<string, string> {
  return new Map([...listed].flatMap(([slug, { id }]) => id === undefined ? [] : [[id, slug]]));
}
