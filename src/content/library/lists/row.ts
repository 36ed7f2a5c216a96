/**
 * A row: one line of a list, as every surface can show it its own way.
 */
import { categoryOf, type Entry, isOf, qualifiedName } from "../../../base/model.ts";
import { type Library, perLibrary } from "../library.ts";
import type { Offers } from "./offers.ts";
import { toolNamesOf } from "./tool_names.ts";

/** One line of a list. */
export interface Row {
  /** What leads to it: `bmm/bmad-prd`, the code of a module, the URI of a resource, the id of an origin. */
  readonly name: string;
  /** For people: who or what it is, or a few counts. */
  readonly about: string;
  /** For people: why a list has it, such as `matched: title`. */
  readonly why?: string;
  /** For programs: what `--json` and MCP clients get. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A row that is made when somebody looks at it: of a long list few are shown. */
export function lazyRow(make: () => Row): Row {
  return new LazyRow(make);
}

/**
 * A class and no literal with getters: of each such literal the engine keeps a shape, and with it all that the getters
 * know, until it next clears the old part of its memory. Under many requests that was most of what was in there.
 */
class LazyRow implements Row {
  readonly #make: () => Row;
  #made: Row | undefined;

  constructor(make: () => Row) {
    this.#make = make;
  }

  get #row(): Row {
    return this.#made ??= this.#make();
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
}

/** What people call an entry: `Mary, Business Analyst`; empty where nobody says. */
export function displayTitle({ displayName, title }: Entry): string {
  return [displayName, title].filter((text) => text !== undefined).join(", ");
}

/** Who or what an entry is; what its title says already is not said again. */
function aboutOf(entry: Entry): string {
  const who = displayTitle(entry);
  const { description } = entry;
  const isSaid = who.toLowerCase().includes(description.toLowerCase().replace(/\.$/, ""));
  return who === "" || description === "" || isSaid ? who || description : `${who}: ${description}`;
}

/** The row of an entry, made once; `offers` are those of the library. */
export function rowOf(library: Library, entry: Entry, offers: Offers): Row {
  const rows = rowsOf(library);
  let row = rows.get(entry);
  if (row === undefined) rows.set(entry, row = makeRow(library, entry, offers));
  return row;
}

/** The same, made when somebody looks at it. */
export function lazyRowOf(library: Library, entry: Entry, offers: Offers): Row {
  return rowsOf(library).get(entry) ?? lazyRow(() => rowOf(library, entry, offers));
}

const rowsOf = perLibrary(() => new WeakMap<Entry, Row>());

function makeRow(library: Library, entry: Entry, offers: Offers): Row {
  const { name, id, module, displayName, title, description } = entry;
  const base = {
    name,
    id,
    module,
    displayName,
    title,
    description,
    kind: entry.kind,
    origin: entry.origin.id,
  };
  return {
    name: qualifiedName(entry),
    about: aboutOf(entry),
    data: isOf(entry, "agent")
      ? {
        ...base,
        icon: entry.icon,
        role: entry.persona?.role,
        toolName: toolNamesOf(library).get(entry.key),
      }
      : {
        ...base,
        phase: entry.phase,
        category: categoryOf(entry.phase),
        standalone: true,
        agents: offers(entry),
      },
  };
}
