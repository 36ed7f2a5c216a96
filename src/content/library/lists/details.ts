/**
 * One thing in full: what it is, where it comes from, its files, its menu and its raw text.
 *
 * The same facts serve `read` over MCP and `show` on the command line, as text or as data.
 */
import { overriddenEntries } from "../../catalog/mod.ts";
import { categoryOf, type Entry, isOf, qualifiedName } from "../../../base/model.ts";
import { customizationOf } from "../values/customize.ts";
import { filesOf, uriOf } from "../files/files.ts";
import { rawText } from "../files/reading.ts";
import { type Library, perLibrary } from "../library.ts";
import { type ChainLink, chainOf } from "./chain.ts";
import type { Offers } from "./offers.ts";
import { rowOf } from "./row.ts";
import { type Fact, sheetOf } from "./sheet.ts";

/** One thing in full, in the form in which it is wanted. */
export interface Details {
  /** A head of short lines, then the raw text. */
  readonly text: string;
  /** For programs: what `--json` and MCP clients get. */
  readonly data: Readonly<Record<string, unknown>>;
  /** For people: all that is known of it but its text. */
  readonly sheet: readonly Fact[];
  /** Every origin that has it. */
  readonly chain: readonly ChainLink[];
}

/** Everything about an entry, in the form that somebody looks at. */
export function detailsOf(library: Library, entry: Entry, offers: Offers): Details {
  return new LazyDetails(library, entry, offers);
}

/** A class for the reason that LazyRow is one. */
class LazyDetails implements Details {
  readonly #of: readonly [Library, Entry, Offers];

  constructor(...of: readonly [Library, Entry, Offers]) {
    this.#of = of;
  }

  get text(): string {
    return renderDetails(this.#of[0], this.#of[1]);
  }

  get data(): Details["data"] {
    return describeEntry(...this.#of);
  }

  get sheet(): Details["sheet"] {
    return sheetOf(this.#of[1], this.data);
  }

  get chain(): Details["chain"] {
    return chainOf(this.#of[0], this.#of[1]);
  }
}

/** Everything about an entry, as data. */
function describeEntry(
  library: Library,
  entry: Entry,
  offers: Offers,
): Readonly<Record<string, unknown>> {
  const files = filesOf(library, entry).map(({ uri, facts }) => ({ uri, size: facts.size }));
  const facts = {
    ...rowOf(library, entry, offers).data,
    version: entry.version,
    generation: entry.generation,
    status: entry.status,
    uri: uriOf(library, entry),
    location: entry.origin.location,
    path: entry.file,
    ...standing(library, entry),
    files,
  };
  const content = {
    customization: customizationOf(library, entry),
    content: rawText(library, entry),
  };
  if (!isOf(entry, "agent") || entry.persona === undefined) return { ...facts, ...content };
  const { role, identity, communicationStyle, principles, capabilities, menu } = entry.persona;
  return {
    ...facts,
    persona: { role, identity, communicationStyle, principles },
    capabilities,
    menu,
    workflows: menu.map((item) => item.target).filter((target) => target !== undefined),
    ...content,
  };
}

/** Everything about an entry, for reading: a head of short lines, then the raw text. */
function renderDetails(library: Library, entry: Entry): string {
  const files = filesOf(library, entry);
  const lines: (readonly [string, string | undefined])[] = [
    ["name", qualifiedName(entry)],
    ["what", [...new Set([entry.kind, ...entry.roles])].join(", ")],
    ["displayName", entry.displayName],
    ["title", entry.title],
    ["icon", entry.icon],
    ["description", entry.description],
    ["phase", entry.phase && `${entry.phase} (${categoryOf(entry.phase)})`],
    [
      "origin",
      `${entry.origin.id} (${entry.origin.location}), ${entry.generation} ${entry.version ?? ""}`.trim(),
    ],
    ["shadows", standing(library, entry).shadows.join(", ")],
    ["role", entry.persona?.role],
    ["menu", entry.persona?.menu.map((item) => `${item.code} ${item.label}`).join(" | ")],
    ["customization", isOf(entry, "agent") ? customizationLine(library, entry) : undefined],
    ["files", files.map(({ uri }) => uri).join(" ")],
  ];
  const head = lines.filter(([, value]) => value !== undefined && value !== "").map(([key, value]) =>
    `${key}: ${value}`
  );
  return `${head.join("\n")}\n---\n${rawText(library, entry)}`;
}

/** What an agent's team and user made of it, on one line. */
function customizationLine(library: Library, entry: Entry): string | undefined {
  const customization = customizationOf(library, entry);
  return Object.keys(customization).length === 0 ? undefined : JSON.stringify(customization);
}

/** The origins whose record of the same thing this one hides, and those whose record hides this one. */
function standing(library: Library, entry: Entry) {
  const group = sharedThings(library).get(entry.key);
  const ids = group?.map(({ origin }) => origin.id) ?? [];
  const at = group?.findIndex(({ key }) => key === entry.key) ?? 0;
  return { shadows: ids.slice(at + 1), shadowedBy: ids.slice(0, at) };
}

/** The records of the same thing, by the key of each; of things that several origins hold. */
const sharedThings = perLibrary((library) =>
  new Map(
    overriddenEntries(library.manifest).flatMap((group) => group.map(({ key }) => [key, group] as const)),
  )
);
