/** Ticket trees on the board: an initiative with its epics, and the backlog. */
import { shorten } from "../../../base/text.ts";
import { asText } from "../../../base/values.ts";
import type { Interruptible } from "../../../base/work.ts";
import { baseName, joinPath } from "../../../content/tree/mod.ts";
import { type Adapter, endedEarly, epicOf, stateOfStories, storyOf, titleFromKey } from "./adapter.ts";
import { readBody } from "./document.ts";
import { type Problem, type State, stateOf } from "./model.ts";
import { type Epic, type FactSource, readFacts, type Story } from "./story_facts.ts";
import { pathsIn, type Source } from "./source.ts";
import { isListed, LEDGER, type StatusWord, type Ticket, type TicketTree } from "./ticket_file.ts";
import { readTicketTree } from "./ticket_tree.ts";
import { readTicketStore, type TicketStore, trackedIn } from "./trackers.ts";

export const TICKET_TREE: Adapter = {
  format: "tickets",
  knowsWaits: true,
  find: (source) => {
    const { output, initiative } = source.folders;
    if (output === undefined) return [];
    // At first, tickets had their own folder, by default or by the store's `root`.
    const folders = pathsIn(source, output).flatMap((path) =>
      isInitiative(source, path)
        ? [path]
        : pathsIn(source, path).filter((inner) =>
          baseName(inner).startsWith("initiative-") && isInitiative(source, inner)
        )
    );
    const isActive = (path: string) => path === initiative || baseName(path) === initiative ? 0 : 1;
    const backlog = joinPath(output, "backlog");
    const hasBacklog = !folders.includes(backlog) &&
      source.filesIn(backlog).some((name) => name === LEDGER || name.endsWith(".md"));
    return [
      ...folders.toSorted((a, b) => isActive(a) - isActive(b)),
      ...(hasBacklog ? [backlog] : []),
    ];
  },
  read: function* (source, folder) {
    const tree = yield* readTicketTree(source, folder);
    for (const { path, problem, line } of tree.problems) source.report(path, problem, line);
    const refs = new Map([
      ...[...tree.containers.keys()].map((slug) => [slug, epicRef(slug, tree)] as const),
      ...tree.tickets.map((ticket) => [ticket.key, ticketRef(ticket, tree)] as const),
    ]);
    const store = readTicketStore(source.text);
    return { epics: yield* epicsOf({ source, tree, folder, refs, store }), actions: [] };
  },
};

function isInitiative(source: Source, path: string): boolean {
  const name = baseName(path);
  // Asking for a missing one takes longer.
  const files = source.filesIn(path);
  const [hasFile, hasLedger] = [`${name}.md`, LEDGER].map((file) => files.includes(file));
  return name.startsWith("initiative-") ? hasFile! || hasLedger! : hasFile! && hasLedger!;
}

interface OpenTree {
  readonly source: Source;
  readonly tree: TicketTree;
  readonly folder: string;
  readonly refs: ReadonlyMap<string, string>;
  readonly store: TicketStore;
}

function* epicsOf(found: OpenTree): Interruptible<readonly Epic[]> {
  const { source, tree, folder } = found;
  const ledger = joinPath(folder, LEDGER);
  const others = [...tree.containers.keys()].filter((slug) => !tree.listed.has(slug));
  for (const name of others.filter(() => tree.listed.size > 0)) {
    source.report(joinPath(folder, name), `it is not in ${ledger}`);
  }
  const epics: Epic[] = [];
  for (const slug of [...tree.listed.keys(), ...others]) epics.push(yield* epicAt(found, slug));
  const direct = yield* storiesIn(found, baseName(folder));
  return direct.length === 0 ? epics : [...epics, directEpic(found, direct)];
}

function sourceAt(path: string | undefined, { documents }: TicketTree): FactSource | undefined {
  const document = path === undefined ? undefined : documents.get(path);
  if (document === undefined) return undefined;
  const { text, end, fields } = document;
  const body = readBody(text, end);
  return { ...body, title: body.heading?.text, fields };
}

function directEpic({ source, tree, folder }: OpenTree, stories: readonly Story[]): Epic {
  const name = baseName(folder);
  const file = joinPath(folder, `${name}.md`);
  const body = sourceAt(file, tree);
  const { title = titleFromKey(name) } = readFacts({ file: body });
  return epicOf({
    ref: name,
    title,
    state: stateOfStories(stories),
    ledger: ledgerIn(source, folder),
    file: body && file,
    stories,
  });
}

function ledgerIn(source: Source, folder: string): string {
  const path = joinPath(folder, LEDGER);
  return source.has(path) ? path : folder;
}

function* epicAt(found: OpenTree, slug: string): Interruptible<Epic> {
  const { source, tree, folder } = found;
  const { line, row = {}, after: given = [] } = tree.listed.get(slug) ?? {};
  const { status, after, waitsFor, document } = tree.containers.get(slug) ?? {};
  const declared = given.map(({ epic }) => epic);
  const isOpen = (epic: string) => tree.containers.get(epic)?.status !== "done";
  const file = joinPath(folder, slug, `${slug}.md`);
  const { title = titleFromKey(slug), owner, covers } = readFacts({
    row: { fields: row },
    file: sourceAt(file, tree),
  });
  const stories = yield* storiesIn(found, slug);
  const own = stateOfStories(stories);
  const word = asText(document?.fields["status"]);
  // Only people say that an epic is done.
  const state = status ? stateOf(status)! : own === "done" ? "review" : own;
  return epicOf({
    ref: epicRef(slug, tree),
    title,
    state,
    status: word && shorten(word, 60),
    ledger: ledgerIn(source, folder),
    line,
    file: document && file,
    owner,
    covers,
    // Once it exists, the file decides.
    after: refsOf(document === undefined ? declared : after!, found),
    waitsFor: refsOf(document === undefined ? declared.filter(isOpen) : waitsFor!, found),
    drift: endedEarly(state, stories, {
      path: file,
      line: document?.lines.get("status"),
      called: "tickets",
    }),
    stories,
  });
}

function epicRef(slug: string, { listed }: TicketTree): string {
  return shorten(listed.get(slug)?.id ?? slug, 80);
}

/** `2.3`; outside epics its ledger id, else its file's name. */
export function ticketRef(ticket: Ticket, tree: TicketTree): string {
  const { id, epic, file, plan } = ticket;
  const isInEpic = tree.listed.get(epic)?.id !== undefined || tree.containers.has(epic);
  if (id !== undefined && isInEpic) return shorten(`${epicRef(epic, tree)}.${id}`, 120);
  return shorten(id !== undefined && isListed(ticket) ? id : stemOf((file ?? plan)!), 120);
}

function stemOf(name: string): string {
  return name.replace(/\.md$/, "");
}

/** "#7", a tracker's id, cannot be an entry's reference. */
function refOfKey(key: string, { refs }: OpenTree): string {
  return refs.get(key) ?? shorten(`#${key}`, 120);
}

function refsOf(keys: readonly string[], found: OpenTree): readonly string[] {
  return [...new Set(keys.map((key) => refOfKey(key, found)))];
}

function* storiesIn(found: OpenTree, slug: string): Interruptible<readonly Story[]> {
  const { source, tree, folder } = found;
  const own = tree.tickets.filter(({ epic }) => epic === slug);
  const listed = own.filter(isListed);
  const path = joinPath(folder, ...(slug === baseName(folder) ? [] : [slug]), LEDGER);
  const order = new Map(listed.map(({ key }, at) => [key, at]));
  for (const [at, { key, after, line }] of listed.entries()) {
    const later = after.find((one) => (order.get(one) ?? -1) > at);
    if (later === undefined) continue;
    source.report(
      path,
      `${refOfKey(key, found)} comes before ${refOfKey(later, found)}, which it builds on`,
      line,
    );
  }
  const stories: Story[] = [];
  for (const ticket of [...own, ...tree.builds.filter(({ epic }) => epic === slug)]) {
    yield;
    const story = storyFrom(found, ticket);
    if (listed.length > 0 && !isListed(ticket) && story.file !== undefined) {
      source.report(story.file, `no entry of ${path} has the id ${ticket.id ?? "of this file"}`);
    }
    stories.push(story);
  }
  return stories;
}

function storyFrom(found: OpenTree, ticket: Ticket): Story {
  const { source, tree } = found;
  const folder = tree.folders.get(ticket.epic)!;
  const [file, plan] = [ticket.file, ticket.plan].map((name) => name && joinPath(folder, name));
  for (const path of [file, plan]) if (path !== undefined) source.claim(path);
  const [leaf, build] = [file, plan].map((path) => sourceAt(path, tree));
  // The file counts more than the entry.
  const fields = Object.entries(ticket.entry).filter(([key]) => (leaf?.fields?.[key] ?? "") === "");
  const ref = ticketRef(ticket, tree);
  const { title = ref, ...facts } = readFacts({
    file: leaf,
    entry: { fields: Object.fromEntries(fields) },
    plan: build,
  });
  const [own, ...others] = ticket.words;
  const state = stateOfTicket(ticket);
  const behind = others.filter(({ word }) => stateOf(word) !== state);
  const isUnrefined = ticket.refine && !ticket.isRefined &&
    (ticket.readiness === "refine" || ticket.readiness === "blocked");
  const where = own ??
    (file === undefined ? { path: joinPath(folder, LEDGER), line: ticket.line } : { path: file });
  return storyOf({
    ...facts,
    tracked: trackedIn(found.store, leaf?.fields ?? {}),
    ref,
    key: ticket.file === undefined ? ref : shorten(stemOf(ticket.file), 120),
    form: "ticket",
    title,
    state,
    status: textOf(own?.word ?? "", 60),
    ledger: where.path,
    line: where.line,
    file,
    plan,
    // A plan may say that nobody has it.
    owner: build?.fields?.["assignee"] === "" ? undefined : facts.owner,
    reason: textOf(ticket.blockedReason),
    isUnrefined: isUnrefined || undefined,
    unknown: textOf(ticket.unknown),
    after: refsOf(ticket.after, found),
    waitsFor: refsOf(ticket.waitsFor, found),
    due: behind.some(({ source }) => source === "file") && stateOf(own!.word) === state ? state : undefined,
    drift: [
      ...behind.map((one) => driftOf(one, own!)),
      ...differencesOf(ticket, found).map((problem) => ({ path: file!, problem })),
    ],
  });
}

function textOf(text: string, max?: number): string | undefined {
  return text === "" ? undefined : shorten(text, max);
}

function stateOfTicket({ words: [own], status, trackerStatus, isBlocked, readiness }: Ticket): State {
  const isUnknown = own !== undefined && own.word !== (own.source === "tracker" ? trackerStatus : status);
  if (isUnknown || isBlocked && readiness !== "over") return "blocked";
  return own === undefined || own.word === "" ? "backlog" : stateOf(own.word)!;
}

function differencesOf({ drift: { after, hitl } }: Ticket, found: OpenTree): readonly string[] {
  const listed = (keys: readonly string[]) => refsOf(keys, found).join(", ") || "nothing";
  return [
    ...(after === undefined
      ? []
      : [`it is after ${listed(after.file)}, but its entry in ${LEDGER} is after ${listed(after.entry)}`]),
    ...(hitl === undefined ? [] : [`hitl is ${hitl.file}, but ${hitl.entry} in its entry in ${LEDGER}`]),
  ];
}

function driftOf({ path, line, word }: StatusWord, { source, word: decided }: StatusWord): Problem {
  const says = decided === "" ? "has no status" : `says "${shorten(decided, 60)}"`;
  return { path, line, problem: `it says "${shorten(word, 60)}", but the ${source} ${says}` };
}
