/**
 * A row: one line of a list, which every surface shows in its own way.
 *
 * The rows of entries are built when they are shown, and once per library.
 */
import { categoryOf } from "../../catalog/mod.ts";
import { type Entry, isOf, qualifiedName } from "../../../base/model.ts";
import { counted } from "../../../base/text.ts";
import { type Library, perLibrary } from "../library.ts";
import type { Offers } from "./offers.ts";
import { recordFacts } from "../record_facts.ts";
import { toolNamesOf } from "./tool_names.ts";

/** One line of a list. */
export interface Row {
  /** A qualified name (`bmm/bmad-prd`), the code of a module, the URI of a resource, the id of an origin. */
  readonly name: string;
  /** For people: what it is, or a few counts. */
  readonly about: string;
  /** For people: why it is listed, such as `matched: title`. */
  readonly why?: string;
  /** For programs. */
  readonly data: Readonly<Record<string, unknown>>;
  /** For programs that ask about the file of an item; a model that looks for an item would have to read past it. */
  readonly record?: Readonly<Record<string, unknown>>;
}

/** What the first conflict in a list overrides. */
export function firstOverridden(
  rows: readonly Row[],
): { readonly name: string; readonly origin: string } | undefined {
  const row = rows.find(({ data }) => data["overridden"] !== undefined);
  return row?.data["overridden"] as ReturnType<typeof firstOverridden>;
}

/** How many items several sources have, and how many one source has several times. */
export interface SeveralCounts {
  readonly conflicts: number;
  readonly repeated: number;
}

/** Counts the rows of overridden items. */
export function countSeveral(overridden: readonly Row[]): SeveralCounts {
  const repeated = overridden.filter(({ data: { wins, shadowed } }) =>
    (shadowed as readonly unknown[]).every((id) => id === wins)
  );
  return { conflicts: overridden.length - repeated.length, repeated: repeated.length };
}

/** The counts in words: `2 items in several sources, 1 item several times in one source`. */
export function severalText({ conflicts, repeated }: SeveralCounts): string | undefined {
  const parts = [
    conflicts > 0 && `${counted(conflicts, "item")} in several sources`,
    repeated > 0 && `${counted(repeated, "item")} several times in one source`,
  ];
  return parts.filter(Boolean).join(", ") || undefined;
}

/** A row that is built when it is first used: of a long list few are shown. */
export function lazyRow(build: () => Row): Row {
  return new LazyRow(build);
}

/**
 * A class, not an object literal with getters: V8 keeps a hidden class for each such literal, and with it everything the
 * getters refer to, until a full garbage collection. Under load that was most of the heap.
 */
class LazyRow implements Row {
  readonly #build: () => Row;
  #built: Row | undefined;

  constructor(build: () => Row) {
    this.#build = build;
  }

  get #row(): Row {
    return this.#built ??= this.#build();
  }

  get name(): string {
    return this.#row.name;
  }

  get about(): string {
    return this.#row.about;
  }

  get why(): string | undefined {
    return this.#row.why;
  }

  get data(): Row["data"] {
    return this.#row.data;
  }

  get record(): Row["record"] {
    return this.#row.record;
  }
}

/** The name and title of an entry: `Mary, Business Analyst`; may be empty. */
export function displayTitle({ displayName, title }: Entry): string {
  return [displayName, title].filter((text) => text !== undefined).join(", ");
}

/** The title and the description of an entry, unless the title already says it. */
function aboutOf(entry: Entry): string {
  const title = displayTitle(entry);
  const { description } = entry;
  const isRepeated = title.toLowerCase().includes(description.toLowerCase().replace(/\.$/, ""));
  return title === "" || description === "" || isRepeated ? title || description : `${title}: ${description}`;
}

/** The row of an entry; `offers` are those of the library. */
export function rowOf(library: Library, entry: Entry, offers: Offers): Row {
  const rows = rowsOf(library);
  let row = rows.get(entry);
  if (row === undefined) rows.set(entry, row = buildRow(library, entry, offers));
  return row;
}

/** The same, built when it is first used. */
export function lazyRowOf(library: Library, entry: Entry, offers: Offers): Row {
  return rowsOf(library).get(entry) ?? lazyRow(() => rowOf(library, entry, offers));
}

const rowsOf = perLibrary(() => new WeakMap<Entry, Row>());

function buildRow(library: Library, entry: Entry, offers: Offers): Row {
  const { name, id, module, displayName, title, description, kind, icon, phase } = entry;
  const base = { name, id, module, displayName, title, description, kind, origin: entry.origin.id };
  const facts = isOf(entry, "agent")
    ? { icon, role: entry.persona?.role, toolName: toolNamesOf(library).get(entry.key) }
    : { phase, category: categoryOf(entry), standalone: true, agents: offers(entry) };
  const record = { path: entry.file, ...recordFacts(library, entry) };
  return { name: qualifiedName(entry), about: aboutOf(entry), data: { ...base, ...facts }, record };
}
