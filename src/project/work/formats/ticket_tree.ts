/**
 * The ticket tree that follows 6.12: `initiative-NAME/epic-NAME/tickets.toml`, and a backlog of single tickets.
 *
 * A `tickets.toml` lists entries in the order of the work and has no statuses. A ticket has a file of its own once
 * it is refined (`story-login.md`), and a plan once it is built (`story-login-plan.md`), which has the status
 * and names its entry as `ticket`. A status that a tracker reported overrides it.
 */
import { shorten, splitLines } from "../../../base/text.ts";
import { asText, asTexts, asValues, isValues, type Values } from "../../../base/values.ts";
import type { Steps } from "../../../base/work.ts";
import { normalizeText, parseToml } from "../../../content/parse.ts";
import { baseName, joinPath } from "../../../content/tree/mod.ts";
import { type Adapter, epicOf, stateOfStories, titleFromKey } from "./adapter.ts";
import { coversIn, MAX_IDS, type StoryDocument, union } from "./document.ts";
import type { Epic, Problem, State, Story } from "./model.ts";
import { pathsIn, type Source } from "./source.ts";
import { stateOf } from "./status.ts";

const LEDGER = "tickets.toml";
const LEAF = /^(?:story|spike|bug)-.+(?<!-plan)\.md$/;
const PLAN = /^(?:(?:story|spike|bug)-.+-plan|plan-.+)\.md$/;
/** More tickets than any epic has. */
const MAX_ENTRIES = 5_000;

/** The adapter of ticket trees. */
export const TICKET_TREE: Adapter = {
  format: "tickets",
  find: (source) => {
    const { output, initiative } = source.folders;
    if (output === undefined) return [];
    // The first releases with tickets kept them in a folder of their own, by default or by `root` of the store.
    const folders = pathsIn(source, output).flatMap((path) =>
      isInitiative(source, path)
        ? [path]
        : pathsIn(source, path).filter((inner) =>
          baseName(inner).startsWith("initiative-") && isInitiative(source, inner)
        )
    );
    const isActive = (path: string) => path === initiative || baseName(path) === initiative ? 0 : 1;
    const backlog = joinPath(output, "backlog");
    const hasBacklog = source.filesIn(backlog).some((name) => LEAF.test(name));
    return [
      ...folders.toSorted((a, b) => isActive(a) - isActive(b)),
      ...(hasBacklog ? [backlog] : []),
    ];
  },
  read: function* (source, path) {
    const isBacklog = baseName(path) === "backlog" && !isInitiative(source, path);
    const epics = isBacklog ? [yield* readBacklog(source, path)] : yield* readInitiative(source, path);
    return { epics, actions: [] };
  },
};

function isInitiative(source: Source, path: string): boolean {
  const name = baseName(path);
  if (name.startsWith("initiative-")) {
    return source.has(joinPath(path, `${name}.md`)) || source.has(joinPath(path, LEDGER));
  }
  return source.has(joinPath(path, LEDGER)) && source.has(joinPath(path, `${name}.md`));
}

/** An epic as the initiative lists it. */
interface EpicRow {
  readonly ref: string;
  readonly slug: string;
  readonly line?: number;
  readonly values: Values;
}

function* readInitiative(source: Source, folder: string): Steps<readonly Epic[]> {
  const ledger = joinPath(folder, LEDGER);
  const { values, linesOf } = readLedger(source, ledger);
  const rows = tables(values["epic"]).map((values, at): EpicRow => {
    const id = asText(values["id"]);
    const slug = asText(values["slug"]) ?? (id === undefined ? `epic-${at + 1}` : `epic-${id}`);
    return { ref: shorten(id ?? slug, 80), slug, line: linesOf("epic")[at], values };
  });
  const slugs = new Set(rows.map(({ slug }) => slug));
  const others = source.foldersIn(folder).filter((name) => name.startsWith("epic-") && !slugs.has(name));
  for (const name of others.filter(() => rows.length > 0)) {
    source.report(joinPath(folder, name), `it is not in ${ledger}`);
  }
  const all = [...rows, ...others.map((slug): EpicRow => ({ ref: slug, slug, values: {} }))];
  const refs = new Map(all.flatMap(({ ref, slug }) => [[ref, ref], [slug, ref]]));
  const epics: Epic[] = [];
  for (const row of all) epics.push(yield* readEpic(source, folder, row, refs));
  const direct = yield* ticketsIn(source, folder, { prefix: "", refs });
  if (direct.length > 0) {
    const name = baseName(folder);
    const file = fileOf(source, folder);
    const title = file === undefined ? undefined : source.document(file)?.title;
    epics.push(epicOf({
      ref: name,
      title: title ?? titleFromKey(name),
      state: stateOfStories(direct),
      ledger: ledgerOf(source, folder),
      file,
      stories: direct,
    }));
  }
  return withTrackerIds(source, epics);
}

/** Where the tickets of an initiative are listed: without a ledger, by their files. */
function ledgerOf(source: Source, folder: string): string {
  const path = joinPath(folder, LEDGER);
  return source.has(path) ? path : folder;
}

function fileOf(source: Source, folder: string): string | undefined {
  const path = joinPath(folder, `${baseName(folder)}.md`);
  return source.has(path) ? path : undefined;
}

function* readEpic(
  source: Source,
  initiative: string,
  row: EpicRow,
  refs: ReadonlyMap<string, string>,
): Steps<Epic> {
  yield;
  const folder = joinPath(initiative, row.slug);
  const file = fileOf(source, folder);
  const document = file === undefined ? undefined : source.document(file);
  const word = document?.status?.word;
  const known = word === undefined ? undefined : stateOf(word);
  if (word !== undefined && known === undefined) {
    source.report(file!, `epic ${row.ref} has the unknown status "${word}"`, document?.status?.line);
  }
  const stories = yield* ticketsIn(source, folder, { prefix: `${row.ref}.`, refs });
  const listed = tables(row.values["after"]).slice(0, MAX_IDS).map((one) => asText(one["epic"]) ?? "");
  // The file decides, once there is one.
  const after = (document?.after ?? listed).filter((name) => name !== "").map((name) =>
    refs.get(name) ?? name
  );
  const open = stories.filter(({ state }) => state !== "done" && state !== "dropped").length;
  const drift: Problem[] = known === "done" && open > 0
    ? [{
      path: file!,
      line: document?.status?.line,
      problem: `it is done, but ${open} of its tickets ${open === 1 ? "is" : "are"} not`,
    }]
    : [];
  const own = stateOfStories(stories);
  return epicOf({
    ref: row.ref,
    title: shorten(asText(row.values["title"]) ?? document?.title ?? titleFromKey(row.slug)),
    // Only a person says that an epic is done.
    state: known ?? (own === "done" ? "review" : own),
    status: word,
    ledger: ledgerOf(source, initiative),
    line: row.line,
    file,
    owner: document?.owner,
    after,
    covers: union(coversIn(row.values["covers"]), document?.covers ?? []),
    drift,
    stories,
  });
}

function* readBacklog(source: Source, folder: string): Steps<Epic> {
  const stories = yield* ticketsIn(source, folder, { prefix: "", refs: new Map() });
  return epicOf({
    ref: "backlog",
    title: "Backlog",
    state: stateOfStories(stories),
    ledger: folder,
    stories,
  });
}

interface Place {
  /** Before the id in a reference: `2.`. */
  readonly prefix: string;
  /** The references of epics, by id and by folder. */
  readonly refs: ReadonlyMap<string, string>;
}

/** The tickets of a folder: the entries of its ledger, then files that no entry has. */
function* ticketsIn(source: Source, folder: string, place: Place): Steps<readonly Story[]> {
  const path = joinPath(folder, LEDGER);
  const { values, linesOf } = source.has(path) ? readLedger(source, path) : { values: {}, linesOf: () => [] };
  const entries = tables(values["entry"]);
  if (entries.length > MAX_ENTRIES) source.report(path, `only the first ${MAX_ENTRIES} entries are shown`);
  const leaves = yield* documentsIn(source, folder, LEAF);
  const plans = yield* documentsIn(source, folder, PLAN);
  const ids = new Set(entries.map(({ id }) => asText(id)));
  const leafOf = index(source, leaves, ({ fields }) => asText(fields["id"]), "file");
  const stems = new Map(leaves.map((leaf) => [stemOf(leaf.path), asText(leaf.fields["id"])]));
  const planOf = index(source, plans, ({ fields }) => {
    const ticket = asText(fields["ticket"]);
    return ticket === undefined || ids.has(ticket)
      ? ticket
      : stems.get(ticket.replace(/\.md$/, "")) ?? ticket;
  }, "plan");
  const siblings = new Map(leaves.flatMap((leaf) => {
    const id = asText(leaf.fields["id"]);
    const ref = id === undefined ? stemOf(leaf.path) : `${place.prefix}${id}`;
    return [[stemOf(leaf.path), ref], [baseName(leaf.path), ref]];
  }));
  const used = new Set<StoryDocument>();
  const take = (document: StoryDocument | undefined) => document && used.add(document) && document;
  const linesByRef = new Map<string, number | undefined>();
  const stories = entries.slice(0, MAX_ENTRIES).flatMap((row, at) => {
    const [id, line] = [asText(row["id"]), linesOf("entry")[at]];
    if (id === undefined || linesByRef.has(`${place.prefix}${id}`)) {
      source.report(path, id === undefined ? "the entry has no id" : `entry ${id} comes twice`, line);
      return [];
    }
    linesByRef.set(`${place.prefix}${id}`, line);
    const [leaf, plan] = [take(leafOf.get(id)), take(planOf.get(id))];
    return [ticketOf(source, { id, row, line, ledger: path, leaf, plan, place, siblings })];
  });
  const order = new Map(stories.map(({ ref }, at) => [ref, at]));
  for (const [at, { ref, after }] of stories.entries()) {
    const later = after.find((one) => (order.get(one) ?? -1) > at);
    if (later !== undefined) {
      source.report(path, `${ref} comes before ${later}, which it builds on`, linesByRef.get(ref));
    }
  }
  const loose = leaves.filter((leaf) => !used.has(leaf)).map((leaf) => {
    const id = stemOf(leaf.path);
    if (entries.length > 0) {
      source.report(
        leaf.path,
        `no entry of ${path} has the id ${asText(leaf.fields["id"]) ?? "of this file"}`,
      );
    }
    const plan = take(planOf.get(asText(leaf.fields["id"]) ?? id) ?? planOf.get(id));
    return ticketOf(source, {
      id,
      row: leaf.fields,
      ledger: plan?.path ?? leaf.path,
      leaf,
      plan,
      place,
      siblings,
    });
  });
  const planned = new Set(planOf.values());
  const builds = plans.filter((plan) => !used.has(plan)).flatMap((plan) => {
    const ticket = asText(plan.fields["ticket"]);
    if (ticket !== undefined && planned.has(plan)) source.report(plan.path, `no ticket is named "${ticket}"`);
    if (ticket !== undefined || !baseName(plan.path).startsWith("plan-")) return [];
    const id = stemOf(plan.path);
    return [ticketOf(source, { id, row: plan.fields, ledger: plan.path, plan, place, siblings })];
  });
  return [...stories, ...loose, ...builds];
}

function* documentsIn(
  source: Source,
  folder: string,
  pattern: RegExp,
): Steps<readonly StoryDocument[]> {
  const documents: StoryDocument[] = [];
  for (const name of source.filesIn(folder).filter((name) => pattern.test(name))) {
    yield;
    const file = joinPath(folder, name);
    const document = source.claim(file) ? source.document(file) : undefined;
    if (document !== undefined) documents.push(document);
  }
  return documents;
}

function stemOf(path: string): string {
  return baseName(path).replace(/\.md$/, "");
}

/** Documents by the ticket that they name; a second one for the same ticket is a problem. */
function index(
  source: Source,
  documents: readonly StoryDocument[],
  nameOf: (document: StoryDocument) => string | undefined,
  what: string,
): ReadonlyMap<string, StoryDocument> {
  const found = new Map<string, StoryDocument>();
  for (const document of documents) {
    const name = nameOf(document);
    const other = name === undefined ? undefined : found.get(name);
    if (name === undefined) continue;
    if (other === undefined) found.set(name, document);
    else source.report(document.path, `ticket ${name} has another ${what}, ${other.path}`);
  }
  return found;
}

interface TicketParts {
  readonly id: string;
  readonly row: Values;
  readonly line?: number;
  readonly ledger: string;
  readonly leaf?: StoryDocument;
  readonly plan?: StoryDocument;
  readonly place: Place;
  readonly siblings: ReadonlyMap<string, string>;
}

function ticketOf(source: Source, ticket: TicketParts): Story {
  const { id, row, line, ledger, leaf, plan, place, siblings } = ticket;
  const isEntry = leaf === undefined || stemOf(leaf.path) !== id;
  const ref = shorten(isEntry && plan?.path !== ledger ? `${place.prefix}${id}` : id, 120);
  const tracked = asText(leaf?.fields["tracker_status"]);
  const own = plan?.status ?? leaf?.status;
  const word = tracked ?? own?.word;
  const decides = tracked === undefined && plan?.status !== undefined ? plan : leaf;
  const state: State | undefined = word === undefined ? "backlog" : stateOf(word);
  if (state === undefined) {
    source.report(decides!.path, `${ref} has the unknown status "${shorten(word!, 60)}"`, own?.line);
  }
  const drift: Problem[] = [];
  const differs = (document: StoryDocument | undefined) =>
    document?.status !== undefined && stateOf(document.status.word) !== state;
  for (const document of [plan, leaf]) {
    if (document === undefined || document === decides && tracked === undefined || !differs(document)) {
      continue;
    }
    const problem = `it says "${document.status!.word}", but ${
      tracked === undefined ? "the plan" : "the tracker"
    } says "${shorten(word!, 60)}"`;
    drift.push({ path: document.path, line: document.status!.line, problem });
  }
  const owner = plan?.owner ?? leaf?.owner;
  const lineOf = decides === undefined ? line : decides.status?.line;
  const reason = asText(plan?.fields["blocked_reason"]);
  const declared = row["after"] ?? leaf?.fields["after"];
  return {
    ref,
    key: shorten(leaf === undefined ? ref : stemOf(leaf.path), 120),
    form: "ticket",
    title: shorten(asText(row["title"]) ?? leaf?.title ?? plan?.title ?? id),
    state: state ?? "blocked",
    ...(word !== undefined && { status: shorten(word, 60) }),
    ledger: decides?.path ?? ledger,
    ...(lineOf !== undefined && { line: lineOf }),
    ...(leaf !== undefined && { file: leaf.path }),
    ...(plan !== undefined && { plan: plan.path }),
    ...(owner !== undefined && { owner }),
    ...(reason !== undefined && { reason: shorten(reason) }),
    after: [
      ...new Set(
        (Array.isArray(declared) ? declared : []).slice(0, MAX_IDS)
          .map((one) => referenceOf(one, place, siblings)),
      ),
    ],
    waitsFor: [],
    covers: union(coversIn(row["covers"]), leaf?.covers ?? []),
    criteria: leaf?.criteria.length
      ? leaf.criteria
      : plan?.criteria.length
      ? plan.criteria
      : asTexts(row["verify"]).map((one) => shorten(one, 400)),
    boxes: plan?.boxes ?? leaf?.boxes ?? { ticked: 0, total: 0 },
    drift,
  };
}

/** What an item of `after` means: a number is a sibling, a number in quotes the id of a tracker. */
function referenceOf(item: unknown, { prefix, refs }: Place, siblings: ReadonlyMap<string, string>): string {
  const name = shorten(asText(item) ?? "", 120);
  if (typeof item === "number") return `${prefix}${name}`;
  if (/^\d+[a-z]+$/i.test(name) || /^[a-z]+\d+$/i.test(name)) return `${prefix}${name}`;
  const [, epic, entry] = /^([\w-]+)\.(\d+[a-z]*|[a-z]+\d+)$/i.exec(name) ?? [];
  if (epic !== undefined && refs.has(epic)) return `${refs.get(epic)}.${entry}`;
  // "#7" cannot be the reference of an entry.
  return refs.get(/^epic-/.test(name) ? name : "") ?? siblings.get(name) ?? `#${name}`;
}

/** Dependencies on tickets of a tracker, as references where a ticket of ours has that id. */
function withTrackerIds(source: Source, epics: readonly Epic[]): readonly Epic[] {
  const byId = new Map<string, string>();
  for (const { ref, file } of epics.flatMap(({ stories }) => stories)) {
    const id = file && asText(source.document(file)?.fields["tracker_id"]);
    if (id) byId.set(`#${id}`, ref);
  }
  if (byId.size === 0) return epics;
  const renamed = (story: Story) => ({ ...story, after: story.after.map((ref) => byId.get(ref) ?? ref) });
  return epics.map((epic) => ({ ...epic, stories: epic.stories.map(renamed) }));
}

function tables(value: unknown): readonly Values[] {
  return (Array.isArray(value) ? value : []).filter(isValues).map(asValues);
}

/** A ledger, and the lines on which its tables begin. */
function readLedger(source: Source, path: string) {
  const text = source.has(path) ? source.text(path) ?? "" : "";
  const { value: values, problem, at } = parseToml(text);
  if (problem !== undefined) source.report(path, problem, at?.line);
  const lines: Record<string, number[]> = { epic: [], entry: [] };
  for (const [at, line] of splitLines(normalizeText(text)).entries()) {
    const [, name] = /^\s*\[\[\s*(epic|entry)\s*\]\]/.exec(line) ?? [];
    if (name !== undefined) lines[name]!.push(at + 1);
  }
  return { values, linesOf: (table: "epic" | "entry") => lines[table]! };
}
