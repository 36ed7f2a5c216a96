/** One line of a list; filters of lists and searches; tools' names. */
import { categoryOf, moduleNames } from "../../catalog/mod.ts";
import {
  CATEGORIES,
  type Category,
  type Entry,
  hasKind,
  type Kind,
  qualifiedName,
  RESERVED_TOOL_NAMES,
} from "../../../base/model.ts";
import { counted, hashText } from "../../../base/text.ts";
import { type Library, perLibrary } from "../library.ts";
import type { Offers } from "./in_force.ts";
import { recordFacts, standInFacts } from "../entry_facts.ts";
import { failField } from "../../../base/errors.ts";
import { phaseCategory } from "../../../base/generations.ts";
import { LIMITS } from "../../limits.ts";

export interface Row {
  readonly name: string;
  readonly about: string;
  readonly why?: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** By their headings, beside the cells that the list always has. */
  readonly columns?: Readonly<Record<string, string>>;
  /** For programs that ask about the file of an item; a model would have to read past it. */
  readonly record?: Readonly<Record<string, unknown>>;
}

export function firstOverridden(
  rows: readonly Row[],
): { readonly name: string; readonly origin: string } | undefined {
  const row = rows.find(({ data }) => data["overridden"] !== undefined);
  return row?.data["overridden"] as ReturnType<typeof firstOverridden>;
}

export function countSeveral(overridden: readonly Row[]) {
  const repeated = overridden.filter(({ data: { wins, shadowed } }) =>
    (shadowed as readonly unknown[]).every((id) => id === wins)
  );
  return { conflicts: overridden.length - repeated.length, repeated: repeated.length };
}

export function severalText({ conflicts, repeated }: ReturnType<typeof countSeveral>): string | undefined {
  const parts = [
    conflicts > 0 && `${counted(conflicts, "item")} in several sources`,
    repeated > 0 && `${counted(repeated, "item")} several times in one source`,
  ];
  return parts.filter(Boolean).join(", ") || undefined;
}

/** A class: V8 keeps what the getters of a literal refer to until a full garbage collection, under load most of the heap. */
export class LazyRow implements Row {
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

export function displayTitle({ displayName, title }: Entry): string {
  return [displayName, title].filter((text) => text !== undefined).join(", ");
}

function renderAbout(entry: Entry): string {
  const title = displayTitle(entry);
  const { description } = entry;
  const isRepeated = title.toLowerCase().includes(description.toLowerCase().replace(/\.$/, ""));
  return title === "" || description === "" || isRepeated ? title || description : `${title}: ${description}`;
}

export function rowOf(library: Library, entry: Entry, offers: Offers): Row {
  return rowsOf(library).getOrInsertComputed(entry, () => buildRow(library, entry, offers));
}

export function lazyRowOf(library: Library, entry: Entry, offers: Offers): Row {
  return rowsOf(library).get(entry) ?? new LazyRow(() => rowOf(library, entry, offers));
}

const rowsOf = perLibrary(() => new WeakMap<Entry, Row>());

function buildRow(library: Library, entry: Entry, offers: Offers): Row {
  const { name, id, module, displayName, title, description, kind, icon, phase } = entry;
  const base = { name, id, module, displayName, title, description, kind, origin: entry.origin.id };
  const facts = hasKind(entry, "agent")
    ? { icon, role: entry.persona?.role, toolName: agentToolNames(library).get(entry.key) }
    : { phase, category: categoryOf(entry), standalone: true, agents: offers(entry) };
  const { versions } = standInFacts(library, entry) ?? {};
  return {
    name: qualifiedName(entry),
    about: renderAbout(entry),
    ...(versions && { why: standInMark(versions) }),
    data: { ...base, ...facts, ...versions },
    get record() {
      return { path: entry.file, ...recordFacts(library, entry) };
    },
  };
}

function standInMark({ version = "", installed = version }: Pick<Entry, "version"> & { installed?: string }) {
  return `embedded ${version}` + (installed === version ? "" : `, installed ${installed}`);
}

/** None if the first is clearly the best: their scores alone do not decide among the others. */
export function closeMatches(rows: readonly Row[]): readonly Row[] {
  // Usage may have moved another row to the top.
  const scored = rows.slice(0, MAX_TIED).map((row) => ({ row, score: Number(row.data["score"]) }))
    .sort((a, b) => b.score - a.score || (a.row.name < b.row.name ? -1 : 1));
  const [best, second] = scored;
  if (best === undefined || second === undefined || second.score < CLOSE * best.score) return [];
  return scored.filter(({ score }) => score >= TOO_LOW * best.score).map(({ row }) => row);
}

/** Measured with bench/finding.ts: six of seven wrong first hits were followed by one with at least this share. */
const CLOSE = 0.6;
const TOO_LOW = 0.3;
export const MAX_TIED = 6;

export interface Filter {
  readonly kind?: Kind;
  readonly module?: string;
  readonly category?: string;
}

export type Order = (entries: readonly Entry[]) => readonly Entry[];

export function filterOf(filter: Filter): (entry: Entry) => boolean {
  const { kind } = filter;
  const modules = filter.module ? moduleNames(filter.module) : undefined;
  const category = filter.category === undefined ? undefined : parseCategory(filter.category);
  return (entry) =>
    (kind === undefined || hasKind(entry, kind)) &&
    (modules === undefined || modules.includes(entry.module.toLowerCase())) &&
    (category === undefined || categoryOf(entry) === category);
}

function parseCategory(text: string): Category {
  const word = text.trim().toLowerCase();
  const category = CATEGORIES.find((one) => one === word) ?? phaseCategory(word);
  if (category !== "other" || word === "other") return category;
  return failField("category", `expected one of ${CATEGORIES.join(", ")}, got "${text}"`);
}

const { toolName: MAX_CHARACTERS, longName: MAX_NAME } = LIMITS.lists;

export function toolNames(agents: readonly Entry[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set<string>(RESERVED_TOOL_NAMES);
  const prefixes = new Map<string, string>();
  for (const agent of agents) {
    const { key, module, name } = agent;
    const own = safeName(name);
    const prefix = prefixes.getOrInsertComputed(module, safeName);
    const plain = (prefix === "" ? "" : `${prefix}-`) + (own || "agent");
    const isWhole = own !== "" && plain.length <= MAX_CHARACTERS;
    let tool = isWhole ? plain : hashedName(plain, agent, 0);
    for (let round = 1; used.has(tool.toLowerCase()); round++) tool = hashedName(plain, agent, round);
    used.add(tool.toLowerCase());
    names.set(key, tool);
  }
  return names;
}

function hashedName(plain: string, { module, kind, id }: Entry, round: number): string {
  const hash = hashText(`${module}:${kind}:${id}:${round}`).toString(36).padStart(7, "0");
  return `${plain.slice(0, MAX_CHARACTERS - hash.length - 1).replace(/(?<!-)-+$/, "")}-${hash}`;
}

const agentToolNames = perLibrary((library) =>
  toolNames(library.visible.filter((entry) => hasKind(entry, "agent")))
);

function safeName(text: string): string {
  if (/^(?!-)[a-zA-Z0-9_-]{1,50}(?<!-)$/.test(text)) return text;
  const plain = text.slice(0, MAX_NAME).replaceAll(/[^a-zA-Z0-9_-]+/g, "-");
  return plain.replace(/^-+/, "").replace(/(?<!-)-+$/, "");
}
