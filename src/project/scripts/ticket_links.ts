/**
 * What tickets wait for: from the names in `after` to the tickets and epics that they mean.
 */
import { asText, asValues, type Values } from "../../base/values.ts";
import { baseName } from "../../content/tree/mod.ts";
import {
  type Container,
  type Draft,
  type DraftContainer,
  idOf,
  LEDGER,
  listOf,
  type Ticket,
  TicketError,
  type TicketTree,
} from "./ticket_model.ts";

/** Names that can only mean something in this tree: a typing error must not look like the id of a tracker. */
const OWN_NAME = /^(?:epic-|(?:story|spike|bug)-.|[A-Za-z0-9]+\.[A-Za-z0-9]+$)/;

/** The same tickets with keys in place of what `after` names. */
export function resolveAll(
  drafts: readonly Draft[],
  given: ReadonlyMap<string, DraftContainer>,
  epicIds: ReadonlyMap<string, string>,
  problems: string[],
): Pick<TicketTree, "tickets" | "containers"> {
  const keys = new Set(drafts.map(({ key }) => key));
  const files = new Map(
    drafts.filter(({ file }) => file).map(({ epic, file, key }) => [`${epic}/${file}`, key]),
  );
  const slugs = new Map(Array.from(epicIds, ([slug, id]) => [id, slug]));
  const trackers = trackersOf(drafts, given);
  const find = (epic: string, name: unknown, isTicket: boolean): string | undefined => {
    const text = asText(name) ?? "";
    if (isTicket) {
      // A number is a sibling, a number in quotes the id of a tracker.
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
  const resolve = (epic: string, names: readonly unknown[], where: string, isTicket = true) => [
    ...new Set(names.map((name) => {
      const key = find(epic, name, isTicket);
      if (key === undefined) {
        throw new TicketError(`${where}: after names "${asText(name) ?? ""}", which is not a ticket`);
      }
      if (!keys.has(key) && !given.has(key)) {
        problems.push(`${where}: waits for "${key}", which no ticket here has as its tracker_id`);
      }
      return key;
    })),
  ];
  const containers = new Map(Array.from(given, ([slug, { status, rawAfter }]) => {
    return [slug, { status, after: resolve(slug, rawAfter, `${slug}.md`, false) }];
  }));
  const tickets = drafts.map(({ rawAfter, planned, ...draft }): Ticket => {
    const where = `${draft.epic}/${draft.file ?? `${LEDGER}, entry ${draft.id}`}`;
    const after = resolve(draft.epic, rawAfter, where);
    const before = planned &&
      resolve(draft.epic, planned.after, `${draft.epic}/${LEDGER}, entry ${draft.id}`);
    const isSame = before === undefined || before.toSorted().join() === after.toSorted().join();
    const drift = {
      ...(!isSame && { after: { file: after, entry: before } }),
      ...(planned !== undefined && planned.hitl !== draft.hitl &&
        { hitl: { file: draft.hitl, entry: planned.hitl } }),
    };
    return { ...draft, after, gatedBy: containers.get(draft.epic)?.after ?? [], drift };
  });
  return { tickets, containers };
}

/** Which ticket or epic has which id in a tracker. */
function trackersOf(
  drafts: readonly Draft[],
  given: ReadonlyMap<string, DraftContainer>,
): ReadonlyMap<string, string> {
  const owners = [
    ...Array.from(given, ([slug, { trackerId }]) => [trackerId, slug] as const),
    ...drafts.map(({ trackerId, key }) => [trackerId, key] as const),
  ].filter(([id]) => id !== "");
  for (const [id, same] of Map.groupBy(owners, ([id]) => id.toLowerCase())) {
    if (same.length > 1) {
      throw new TicketError(
        `several tickets have the tracker_id "${id}": ${same.map(([, key]) => key).join(", ")}`,
      );
    }
  }
  return new Map(owners);
}

/** What everything waits for: of an epic, its tickets and its own gate. */
export function refuseCycles(tickets: readonly Ticket[], containers: ReadonlyMap<string, Container>): void {
  const waits = new Map<string, readonly string[]>(
    Array.from(containers, ([slug, { after }]) => {
      return [slug, [...tickets.filter(({ epic }) => epic === slug).map(({ key }) => key), ...after]];
    }),
  );
  for (const { key, after, gatedBy } of tickets) waits.set(key, [...after, ...gatedBy]);
  const finished = new Set<string>();
  for (const start of waits.keys()) {
    const path: string[] = [];
    const active = new Set<string>();
    // Iterative, because a chain may be longer than the stack.
    const stack: { readonly node: string; readonly isEnd: boolean }[] = [{ node: start, isEnd: false }];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      if (top.isEnd) {
        active.delete(path.pop()!);
        finished.add(top.node);
        continue;
      }
      if (finished.has(top.node)) continue;
      if (active.has(top.node)) {
        throw new TicketError(`tickets wait for each other: ${[...path, top.node].join(", ")}`);
      }
      active.add(top.node);
      path.push(top.node);
      stack.push({ node: top.node, isEnd: true });
      for (const node of waits.get(top.node) ?? []) stack.push({ node, isEnd: false });
    }
  }
}

export function declaredIn(
  listed: readonly Values[],
  epicIds: ReadonlyMap<string, string>,
  initiative: string,
): TicketTree["declared"] {
  const slugs = new Map(Array.from(epicIds, ([slug, id]) => [id, slug]));
  return new Map(listed.map((row) => {
    const slug = asText(row["slug"])!;
    const after = listOf(row["after"], `${baseName(initiative)}/${LEDGER}`).map((one) => {
      const { epic, needs } = asValues(one);
      const name = asText(epic) ?? "";
      const needed = slugs.get(idOf(epic) ?? "") ?? name;
      if (!epicIds.has(needed)) {
        throw new TicketError(
          `${baseName(initiative)}/${LEDGER}: ${slug} is after "${name}", which is not listed`,
        );
      }
      return { epic: needed, needs: asText(needs) ?? "" };
    });
    return [slug, after];
  }));
}
