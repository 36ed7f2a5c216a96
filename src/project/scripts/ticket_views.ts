import { countEach, type Values } from "../../base/values.ts";
import { isTrue, type Ticket, type TicketReadiness, type TicketTree } from "../work/formats/mod.ts";

export function ticketsInScope({ tickets, scope }: TicketTree): readonly Ticket[] {
  return scope === undefined ? tickets : tickets.filter(({ epic }) => epic === scope);
}

/** Ids of digits are numbers in a ledger. */
function idValue(id: string | undefined): string | number | null {
  return id === undefined ? null : /^\d{1,15}$/.test(id) ? Number(id) : id;
}

function nameIn(epic: string | undefined, key: string, { listed }: TicketTree): string | number {
  const cut = key.indexOf("/");
  if (cut < 0) return key;
  const [slug, id] = [key.slice(0, cut), key.slice(cut + 1)];
  const isId = /^[A-Za-z0-9]+$/.test(id);
  if (slug === epic && isId) return idValue(id)!;
  const epicId = listed.get(slug)?.id;
  return isId && epicId !== undefined ? `${epicId}.${id}` : key;
}

export function ticketReference({ id, epic, file }: Ticket, { listed, scope }: TicketTree): string | null {
  const epicId = listed.get(epic)?.id;
  if (id !== undefined && epicId !== undefined) return `${epicId}.${id}`;
  return id !== undefined && epic === scope ? id : file ?? null;
}

/** In the backlog, a file name identifies a ticket: its id may be that of another beside an initiative. */
export function ticketRow(
  ticket: Ticket,
  tree: TicketTree,
  { isBacklog = false, blocks }: {
    readonly isBacklog?: boolean;
    readonly blocks?: ReadonlyMap<string, readonly string[]>;
  } = {},
): Values {
  const { epic, id, file, type, title, status, state, assignee, hitl, covers, estimate, refine } = ticket;
  const { risk, unknown, drift, entry: { plan_checkpoint, done_checkpoint } } = ticket;
  const nameOf = (key: string) => nameIn(epic, key, tree);
  return {
    epic,
    id: idValue(id),
    file: file ?? null,
    type,
    tracker_id: ticket.trackerId,
    title,
    status,
    tracker_status: ticket.trackerStatus,
    state,
    assignee,
    hitl,
    risk,
    covers,
    estimate,
    refine,
    refined: ticket.isRefined,
    blocked_at: ticket.blockedAt,
    blocked_reason: ticket.blockedReason,
    ref: isBacklog && file !== undefined ? file : ticketReference(ticket, tree),
    after: ticket.after.map(nameOf),
    ...(ticket.gatedBy.length > 0 && { gated_by: ticket.gatedBy }),
    ...(blocks !== undefined && { blocks: (blocks.get(ticket.key) ?? []).map(nameOf) }),
    ...((drift.after ?? drift.hitl) !== undefined && {
      drift: {
        ...(drift.after &&
          { after: { file: drift.after.file.map(nameOf), entry: drift.after.entry.map(nameOf) } }),
        ...(drift.hitl && { hitl: drift.hitl }),
      },
    }),
    ...(unknown !== "" && { unknown }),
    ...Object.fromEntries(
      Object.entries({ plan_checkpoint, done_checkpoint })
        .filter(([, value]) => isTrue(value)).map(([name]) => [name, true]),
    ),
  };
}

const GROUPS: Readonly<Record<string, TicketReadiness>> = {
  ready_to_refine: "refine",
  ready_to_start: "start",
  in_progress: "begun",
  blocked: "blocked",
};

export function groupTickets(tree: TicketTree, isBacklog: boolean): Values {
  const groups = Map.groupBy(ticketsInScope(tree), ({ readiness }) => readiness);
  const rowIn = (readiness: TicketReadiness, ticket: Ticket): Values => {
    const waits = readiness === "blocked" ? ticket.waitsFor.map((key) => nameIn(ticket.epic, key, tree)) : [];
    return { ...ticketRow(ticket, tree, { isBacklog }), ...(waits.length > 0 && { waiting_on: waits }) };
  };
  return Object.fromEntries(
    Object.entries(GROUPS).map(([name, readiness]) => [
      name,
      (groups.get(readiness) ?? []).map((ticket) => rowIn(readiness, ticket)),
    ]),
  );
}

/** `6a` is a part of 6; an id that moved away does not come back. */
export function nextId({ tickets, floors }: TicketTree, folder: string): number {
  const used = tickets.filter(({ epic }) => epic === folder).map(({ id }) =>
    Number(/^\d+/.exec(id ?? "")?.[0] ?? 0)
  );
  return Math.max(1 + used.reduce((most, id) => Math.max(most, id), 0), floors.get(folder) ?? 0);
}

export function findWaiting({ tickets }: TicketTree): ReadonlyMap<string, readonly string[]> {
  const blocks = new Map<string, string[]>();
  for (const { key, after } of tickets) {
    for (const one of after) blocks.getOrInsertComputed(one, () => []).push(key);
  }
  return blocks;
}

export function countStates(tree: TicketTree): Values {
  const tickets = ticketsInScope(tree);
  return { total: tickets.length, ...Object.fromEntries(countEach(tickets.map(({ state }) => state))) };
}

export function longestChain(tree: TicketTree): readonly (string | number)[] {
  const left = new Map(
    tree.tickets.filter(({ readiness }) => readiness !== "over").map((one) => [one.key, one]),
  );
  /** Per ticket: how long the chain up to it is, and the ticket before it. */
  const chains = new Map<string, { readonly length: number; readonly before?: string }>();
  const longest = (keys: readonly string[]) =>
    keys.filter((key) => chains.has(key)).toSorted((a, b) =>
      chains.get(b)!.length - chains.get(a)!.length
    )[0];
  for (const key of tree.order.filter((key) => left.has(key))) {
    const { after, gatedBy } = left.get(key)!;
    const before = longest([...after, ...gatedBy]);
    chains.set(key, { length: 1 + (before === undefined ? 0 : chains.get(before)!.length), before });
  }
  const chain: string[] = [];
  for (let key = longest(ticketsInScope(tree).map(({ key }) => key)); key !== undefined;) {
    chain.unshift(key);
    key = chains.get(key)!.before;
  }
  return chain.map((key) => nameIn(undefined, key, tree));
}

export function findContradictions(tree: TicketTree): Values {
  const { listed, tickets, containers, scope } = tree;
  const order = [...listed.keys()];
  const isAsked = (epic: string) => scope === undefined || scope === epic;
  const unpinned = [...listed].filter(([epic]) => isAsked(epic)).flatMap(([epic, { after }]) => {
    const own = tickets.filter((ticket) => ticket.epic === epic);
    const isPinned = (needed: string) =>
      own.some((one) =>
        [...one.after, ...one.gatedBy].some((key) => key === needed || key.startsWith(`${needed}/`))
      );
    return own.length === 0 ? [] : after.filter((one) => !isPinned(one.epic)).map((one) => ({
      epic,
      after: one.epic,
      needs: one.needs,
    }));
  });
  const conflicts = new Map<string, Values>();
  const wait = (epic: string, key: string) => {
    const needed = key.split("/")[0]!;
    if (!listed.has(epic) || !listed.has(needed) || !isAsked(epic)) return;
    if (order.indexOf(needed) > order.indexOf(epic)) {
      conflicts.set(`${epic}/${needed}`, { epic, after: needed });
    }
  };
  for (const [epic, { after }] of listed) for (const one of after) wait(epic, one.epic);
  for (const [epic, { after }] of containers) for (const key of after) wait(epic, key);
  const undeclared: Values[] = [];
  for (const ticket of tickets.filter(({ epic }) => listed.has(epic))) {
    const { epic } = ticket;
    for (const key of ticket.after) {
      const needed = key.split("/")[0]!;
      if (needed === epic || !listed.has(needed)) continue;
      wait(epic, key);
      if (isAsked(epic) && !listed.get(epic)!.after.some((one) => one.epic === needed)) {
        undeclared.push({
          epic,
          after: needed,
          ref: ticketReference(ticket, tree),
          names: nameIn(epic, key, tree),
        });
      }
    }
  }
  return { unpinned_after: unpinned, undeclared_after: undeclared, order_conflict: [...conflicts.values()] };
}

export function epicRows(tree: TicketTree): readonly Values[] {
  const blocks = findWaiting(tree);
  return [...tree.containers].map(([slug, { status, after }]) => ({
    slug,
    id: idValue(tree.listed.get(slug)?.id),
    status,
    after: tree.listed.get(slug)?.after ?? [],
    gated_by: after,
    blocks: (blocks.get(slug) ?? []).map((key) => nameIn(undefined, key, tree)),
    next_id: nextId(tree, slug),
  }));
}
