/** One entry in full, as text, as data or as a sheet. Each form is built when it is read. */
import { categoryOf, recordsOf } from "../../catalog/mod.ts";
import {
  type Entry,
  hasKind,
  isHidden,
  isSupporting,
  type Origin,
  qualifiedName,
} from "../../../base/model.ts";
import {
  customizationFiles,
  customizationOf,
  customizationProblems,
  type CustomizedValue,
  customizedValues,
} from "../values/customize.ts";
import { filesByName, filesOf, type ServedFile, servedFile, stemOf, uriOf } from "../files/files.ts";
import { isBelow } from "../files/mounts.ts";
import { fileNote, rawText } from "../files/reading.ts";
import {
  entriesAt,
  fileOf,
  type Library,
  libraryFor,
  openCache,
  perKey,
  perLibrary,
  sourceOf,
} from "../library.ts";
import { engineParts } from "../delivery/workflow_parts.ts";
import { entryInForce, type Offers, offersOf } from "../rows/in_force.ts";
import { nameNotes, recordFacts } from "../entry_facts.ts";
import { displayTitle, rowOf } from "../rows/row.ts";
import { shorten } from "../../../base/text.ts";
import { asText, asTexts, isValues, type Values } from "../../../base/values.ts";
import { findFile } from "../files/references.ts";
import { useOf } from "../files/supporting.ts";
import { referencesAt } from "../health/closure.ts";
import { countDiffering } from "../health/conflicts.ts";
import { LIMITS } from "../../limits.ts";
import { mentioning } from "../../tree/mod.ts";

const texts = openCache<string, string>(({ length }) => length);

/** A class for the same reason as LazyRow. */
export class Details {
  readonly #of: readonly [Library, Entry, Offers];
  readonly #asked: string | undefined;

  constructor(library: Library, entry: Entry, offers: Offers, asked?: string) {
    this.#of = [library, entry, offers];
    this.#asked = asked;
  }

  get #note(): string | undefined {
    const [library, entry] = this.#of;
    const notes = [nameNotes(library, this.#asked, entry), fileNote(library, entry) ?? []];
    return [...notes, customizationProblems(library, entry)].flat().join("; ") || undefined;
  }

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

  get sheet(): readonly Fact[] {
    return buildSheet(this.#of[1], describeEntry(...this.#of), this.#note);
  }

  get chain(): readonly ChainLink[] {
    return listRecords(this.#of[0], this.#of[1]);
  }
}

export async function readEntry(given: Library, entry: Entry, asked?: string): Promise<Details> {
  const library = libraryFor(given, entry);
  // Its forms are built later: whether its file can be read has to be known now.
  rawText(library, entry);
  return new Details(library, await entryInForce(library, entry), await offersOf(library), asked);
}

function describeEntry(library: Library, entry: Entry, offers: Offers) {
  const { data, record } = rowOf(library, entry, offers);
  const { version, generation, installedFrom, status, origin: { location } } = entry;
  const facts = {
    ...data,
    ...record,
    version,
    generation,
    installedFrom,
    status,
    uri: uriOf(library, entry),
    location,
    ...overridesOf(library, entry),
    customized: customizedValues(library, entry),
    ...itemFiles(library, entry),
  };
  const content = { customization: customizationOf(library, entry), content: rawText(library, entry) };
  if (!hasKind(entry, "agent") || entry.persona === undefined) return { ...facts, ...content };
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
  const customization = hasKind(entry, "agent") ? customizationOf(library, entry) : {};
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

function overridesOf(library: Library, entry: Entry) {
  const { served } = recordsOf(library.manifest, entry);
  const places = served.map(({ origin, rank, file }) => rank === entry.rank ? file : origin.id);
  const at = Math.max(0, served.findIndex(({ key }) => key === entry.key));
  return { shadows: places.slice(at + 1), shadowedBy: places.slice(0, at) };
}

export interface Fact {
  readonly label: string;
  readonly text: string;
  readonly uri?: string;
  readonly name?: string;
}

function buildSheet(
  entry: Entry,
  facts: Values & ReturnType<typeof describeEntry>,
  note: string | undefined,
): readonly Fact[] {
  const category = asText(facts["category"]);
  const { origin, icon, displayName, phase, version, generation } = entry;
  const marked = (text: string | undefined, ...keys: readonly string[]) =>
    text && facts.customized.some(({ key }) => keys.includes(key.replace(/^agent\./, "")))
      ? `${text} (customized)`
      : text;
  const who = [icon, displayTitle(entry)].filter(Boolean).join(" ");
  const texts: readonly (readonly [label: string, values: readonly (string | undefined)[]])[] = [
    ["name", [qualifiedName(entry)]],
    ["note", [note]],
    [displayName === undefined ? "title" : "who", [marked(who, "icon", "name", "title")]],
    ["kind", [[...new Set([entry.kind, ...entry.roles])].join(", ")]],
    ["description", [entry.description]],
    ["role", [marked(asText(facts["role"]), "role", "persona.role")]],
    ["author", [asText(facts["author"])]],
    ["phase", [phase && category ? `${phase} (${category})` : phase]],
    ["origin", [`${origin.id} (priority ${origin.priority}): ${origin.location}`]],
    ["version", [[version, generation].filter(Boolean).join(" ")]],
    ["installed from", [entry.installedFrom]],
    ["status", [entry.status === "verified" ? "" : entry.status]],
    ["file", [origin.kind === "package" ? "" : entry.file]],
    ["overrides", facts.shadows],
    ["overridden by", facts.shadowedBy],
    ["customized", facts.customized.map(customizedText)],
    ["customized in", facts.customizedIn.map(placeOf)],
    ["tool", [asText(facts["toolName"])]],
    ["offered by", [asTexts(facts["agents"]).join(", ")]],
  ];
  return [
    ...texts.flatMap(([label, values]) => values.flatMap((text) => text ? { label, text } : [])),
    ...(entry.persona?.menu ?? []).map(({ code, label, target }): Fact => ({
      label: "menu",
      text: marked(`${code} ${label}`, `menu.${code}`)!,
      ...(target !== undefined && !target.includes("/") && { name: target }),
    })),
    ...(["files", "uses"] as const).flatMap((label) =>
      facts[label].map((file): Fact => ({ label, text: fileText(file), uri: file.uri }))
    ),
  ];
}

function placeOf({ uri, path = uri, origin }: ItemFile): string {
  return origin === undefined ? path : `${origin}:${path}`;
}

function fileText(file: ItemFile): string {
  const facts = [file.use, `${file.size} bytes`].filter(Boolean).join(", ");
  return `${file.uri} (${facts})${file.path === undefined ? "" : `: ${placeOf(file)}`}`;
}

/** `agent.icon: 🦊 (was 📊)`; of a list, what was added: lists only grow. */
function customizedText({ key, value, was }: CustomizedValue): string {
  if (Array.isArray(value) && Array.isArray(was)) return `${key}: added ${shown(value.slice(was.length))}`;
  return `${key}: ${shown(value)}${was === undefined ? "" : ` (was ${shown(was)})`}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join("; ");
  const text = isValues(value) ? asText(value["description"]) ?? JSON.stringify(value) : String(value);
  return text === "" ? "empty" : shorten(text, 80);
}

type ItemFile = ReturnType<typeof itemFiles>["files"][number];

const itemFiles = perKey((library, entry: Entry) => {
  const describe = ({ uri, path, facts, source }: ServedFile) => {
    const use = useOf(uri);
    return {
      uri,
      size: facts.size,
      ...(source.origin.kind !== "package" && { path }),
      ...(use && { use }),
      ...(source !== sourceOf(library, entry) && { origin: source.origin.id }),
    };
  };
  const applied = customizationFiles(library, entry).flatMap(({ source, path }) =>
    servedFile(source, path) ?? []
  );
  const references = namedIn(library, entry);
  return {
    files: filesOf(library, entry).map(describe),
    uses: mentioning(() => usedFiles(library, entry, references).map(describe)),
    customizedIn: applied.map(describe),
  };
});

function namedIn(library: Library, entry: Entry): readonly string[] {
  // An activation says what to do instead of each script.
  return [...referencesAt(uriOf(library, entry), rawText(library, entry))]
    .filter((reference) => !reference.endsWith(".py")).slice(0, LIMITS.details.references);
}

function usedFiles(library: Library, entry: Entry, named: readonly string[]): readonly ServedFile[] {
  const from = fileOf(library, entry);
  const isOwn = ({ source, path }: ServedFile) =>
    source === from.source && (entry.ownsFolder ? isBelow(path, entry.folder) : path === from.path);
  const isKnown = (reference: string) => stems(library).has(stemOf(reference.normalize()));
  const unknown = named.filter((reference) => !isKnown(reference)).slice(0, LIMITS.details.missing);
  const isItem = (file: ServedFile) =>
    entriesAt(library, file, library.effective).some(({ kind }) => !isSupporting(kind));
  const found = [...named.filter(isKnown), ...unknown]
    .flatMap((reference) => findFile(library, reference, from) ?? [])
    .filter((file) => !isOwn(file) && !isItem(file));
  return [...new Map(found.map((file) => [file.uri, file])).values()];
}

const stems = perLibrary((library): ReadonlySet<string> =>
  new Set(filesByName(library).keys().map((name) => stemOf(name.normalize())))
);

export interface ChainLink {
  readonly origin: Origin;
  readonly file: string;
  readonly standing: "wins" | "overridden" | "missing";
  readonly why: string;
  readonly differing?: number;
  readonly isAsked: boolean;
}

function listRecords(library: Library, entry: Entry): readonly ChainLink[] {
  const { served, missing } = recordsOf(library.manifest, entry);
  const [winner] = served;
  return [...served, ...missing].map((record): ChainLink => ({
    origin: record.origin,
    file: record.file,
    isAsked: record.key === entry.key,
    ...(winner === undefined || record.status === "no-file-found"
      ? { standing: "missing", why: "listed in a manifest, but its file is missing" }
      : record === winner
      ? { standing: "wins", why: whyFirst(served) }
      : {
        standing: "overridden",
        why: whyLater(record, winner),
        differing: countDiffering(library, [winner, record]),
      }),
  }));
}

function whyFirst([winner, ...others]: readonly Entry[]): string {
  if (others.length === 0) return "no other source has it";
  const best = Math.min(...others.map(({ origin }) => origin.priority));
  const { priority } = winner!.origin;
  if (priority < best) return `priority ${priority} comes before ${best}`;
  return priority === best ? "it was named first" : "those before it only forward to another item";
}

function whyLater(record: Entry, winner: Entry): string {
  if (record.rank === winner.rank) return "its source has it twice, and the first one counts";
  if (isHidden(record) && !isHidden(winner)) return "it only forwards to another item";
  const [own, best] = [record.origin.priority, winner.origin.priority];
  return own === best ? `${winner.origin.id} was named first` : `priority ${own} comes after ${best}`;
}
