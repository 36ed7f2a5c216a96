/**
 * What tickets wait for: from the names in `after` to the tickets and epics that they mean.
 */
import { asText, asValues, type Values } from "../../base/values.ts";
import { baseName } from "../../content/tree/mod.ts";
import {
  type Container,
  type Draft,
  type DraftContainer,
  LEDGER,
  listOf,
  type Ticket,
  TicketError,
  type TicketTree,
} from "./ticket_model.ts";

/** The same tickets with keys in place of what `after` names. */
export function resolveAll(
  drafts: readonly Draft[],
  given: ReadonlyMap<string, DraftContainer>,
  epicIds: ReadonlyMap<string, string>,
): Pick<TicketTree, "tickets" | "containers"> {
  const keys = new Set(drafts.map(({ key }) => key));
  const files = new Map(
    drafts.filter(({ file }) => file).map(({ epic, file, key }) => [`${epic}/${file}`, key]),
  );
  const slugs = new Map(Array.from(epicIds, ([slug, id]) => [id, slug]));
  const trackers = new Map([
    ...Array.from(given, ([slug, { trackerId }]) => [trackerId, slug] as const),
    ...drafts.map(({ trackerId, key }) => [trackerId, key] as const),
  ].filter(([id]) => id !== ""));
  const find = (epic: string, name: unknown, isTicket: boolean): string | undefined => {
    const text = asText(name) ?? "";
    if (
      isTicket && (typeof name === "number" || /^\d+[A-Za-z]+$/.test(text)) && keys.has(`${epic}/${text}`)
    ) {
      return `${epic}/${text}`;
    }
    if (typeof name === "number" && isTicket) return undefined;
    const file = files.get(`${epic}/${text}`) ?? files.get(`${epic}/${text}.md`);
    if (isTicket && file !== undefined) return file;
    const [, epicId, entryId] = /^([A-Za-z0-9]+)\.([A-Za-z0-9]+)$/.exec(text) ?? [];
    if (epicId !== undefined) {
      const key = `${slugs.get(epicId)}/${entryId}`;
      return keys.has(key) ? key : trackers.get(text);
    }
    return given.has(text) ? text : trackers.get(text);
  };
  const resolve = (epic: string, names: readonly unknown[], where: string, isTicket = true) => [
    ...new Set(names.map((name) => {
      const key = find(epic, name, isTicket);
      if (key === undefined) {
        throw new TicketError(`${where}: after names "${asText(name) ?? ""}", which is no ticket`);
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
    const before = planned && resolve(draft.epic, planned.after, where);
    const isSame = before === undefined ||
      (before.toSorted().join() === after.toSorted().join() && planned!.hitl === draft.hitl);
    return { ...draft, after, gatedBy: containers.get(draft.epic)?.after ?? [], hasDrift: !isSame };
  });
  return { tickets, containers };
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
      const needed = slugs.get(name) ?? name;
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
