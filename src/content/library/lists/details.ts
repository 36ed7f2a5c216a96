/**
 * One entry in full: what it is, where it comes from, its files, its menu and its raw text.
 *
 * Every surface shows these facts: as text, as data, or as a sheet of facts with the chain of records. Each form is built
 * when it is read.
 */
import { categoryOf, recordsOf } from "../../catalog/mod.ts";
import { type Entry, isOf, qualifiedName } from "../../../base/model.ts";
import { customizationOf, customizationProblems } from "../values/customize.ts";
import { customizedValues } from "../values/customized.ts";
import { uriOf } from "../files/files.ts";
import { rawText } from "../files/reading.ts";
import { type Library, openCache } from "../library.ts";
import { engineParts } from "../delivery/engine.ts";
import { type ChainLink, chainOf } from "../compare/chain.ts";
import type { Offers } from "../rows/offers.ts";
import { nameNotes } from "../entry_notes.ts";
import { fileNote } from "../file_note.ts";
import { recordFacts } from "../record_facts.ts";
import { rowOf } from "../rows/row.ts";
import { itemFiles } from "./item_files.ts";
import { type Fact, placeOf, sheetOf } from "./sheet.ts";

const texts = openCache<string, string>(({ length }) => length);

/** One entry in full, in several forms. A class for the same reason as LazyRow. */
export class Details {
  readonly #of: readonly [Library, Entry, Offers];
  readonly #asked: string | undefined;

  constructor(library: Library, entry: Entry, offers: Offers, asked?: string) {
    this.#of = [library, entry, offers];
    this.#asked = asked;
  }

  get #note(): string | undefined {
    const [library, entry] = this.#of;
    const notes = [
      ...nameNotes(library, this.#asked, entry),
      fileNote(library, entry),
      ...customizationProblems(library, entry),
    ];
    return notes.filter((note) => note !== undefined).join("; ") || undefined;
  }

  /** Short lines of facts, then the raw text. */
  get text(): string {
    const [library, entry] = this.#of;
    const key = `${entry.key} ${this.#asked ?? ""}`;
    return texts(library, key, () => renderDetails(library, entry, this.#note));
  }

  get data(): Readonly<Record<string, unknown>> {
    const data = describeEntry(...this.#of);
    const note = this.#note;
    return note === undefined ? data : { ...data, note };
  }

  /** For people: everything except its text. */
  get sheet(): readonly Fact[] {
    return sheetOf(this.#of[1], this.data, this.#note);
  }

  get chain(): readonly ChainLink[] {
    return chainOf(this.#of[0], this.#of[1]);
  }
}

function describeEntry(library: Library, entry: Entry, offers: Offers): Details["data"] {
  const { data, record } = rowOf(library, entry, offers);
  const facts = {
    ...data,
    ...record,
    version: entry.version,
    generation: entry.generation,
    installedFrom: entry.installedFrom,
    status: entry.status,
    uri: uriOf(library, entry),
    location: entry.origin.location,
    ...overridesOf(library, entry),
    customized: customizedValues(library, entry),
    ...itemFiles(library, entry),
  };
  const content = { customization: customizationOf(library, entry), content: rawText(library, entry) };
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

function renderDetails(library: Library, entry: Entry, note: string | undefined): string {
  const { id, location } = entry.origin;
  const customization = isOf(entry, "agent") ? customizationOf(library, entry) : {};
  const { files, uses, customizedIn } = itemFiles(library, entry);
  const lines: (readonly [string, string | undefined])[] = [
    ["name", qualifiedName(entry)],
    ["note", note],
    ["what", [...new Set([entry.kind, ...entry.roles])].join(", ")],
    ["displayName", entry.displayName],
    ["title", entry.title],
    ["icon", entry.icon],
    ["description", entry.description],
    ["author", recordFacts(library, entry).author],
    ["phase", entry.phase && `${entry.phase} (${categoryOf(entry)})`],
    ["origin", `${id} (${location}), ${entry.generation} ${entry.version ?? ""}`.trim()],
    ["file", entry.origin.kind === "package" ? "" : entry.file],
    ["overrides", overridesOf(library, entry).shadows.join(", ")],
    ["role", entry.persona?.role],
    ["menu", entry.persona?.menu.map((item) => `${item.code} ${item.label}`).join(" | ")],
    ["customization", Object.keys(customization).length === 0 ? "" : JSON.stringify(customization)],
    ["customized in", customizedIn.map(placeOf).join(", ")],
    ["files", files.map(({ uri }) => uri).join(" ")],
    ["uses", uses.map(({ uri }) => uri).join(" ")],
  ];
  const head = lines.filter(([, value]) => value).map(([key, value]) => `${key}: ${value}`);
  const raw = rawText(library, entry);
  return `${head.join("\n")}\n---\n${engineParts(library, entry, raw)?.text ?? raw}`;
}

/** What this record overrides, and what overrides it: ids of other origins, and files of its own. */
function overridesOf(library: Library, entry: Entry) {
  const { served } = recordsOf(library.manifest, entry);
  const places = served.map(({ origin, rank, file }) => rank === entry.rank ? file : origin.id);
  const at = Math.max(0, served.findIndex(({ key }) => key === entry.key));
  return { shadows: places.slice(at + 1), shadowedBy: places.slice(0, at) };
}
