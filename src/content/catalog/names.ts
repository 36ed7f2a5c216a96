/**
 * Which entry a name means, whatever a person or a model calls it.
 *
 * `analyst`, `bmm/analyst`, `bmm.analyst`, `bmm-analyst`, `bmad-agent-analyst`, `ANALYST` and `Mary` find the same
 * entry; `*prd` means a workflow. The best origin wins; several items of one kind in the same origin are ambiguous. For
 * an unknown name, similar ones are suggested.
 */
import { type Loss, lossOf, otherNames } from "./aliases.ts";
import { moduleNames } from "./identity.ts";
import { readForm } from "./v4_forms.ts";
import {
  type Entry,
  isHidden,
  isOf,
  type Kind,
  KINDS,
  qualifiedName,
  ROOT_NAMES,
  shortName,
} from "../../base/model.ts";
import { NEWEST_FIRST } from "../../base/generations.ts";
import { cachedWith } from "../../base/cache.ts";
import { suggest } from "../../base/suggestions.ts";

/** What is asked for. */
export interface NameQuery {
  /** As people write it: `analyst`, `bmm/analyst`, `Mary`, `*prd`. */
  readonly name: string;
  /** Only items of this kind, or with this role. */
  readonly kind?: Kind;
  /** Only items of this module, in upper or lower case; a module in the name itself takes precedence. */
  readonly module?: string;
  /** Only what the origin with this id holds, including what a better origin overrides. */
  readonly origin?: string;
  /** Only the item itself, under any of its names: not one that does its work now, nor a guess. */
  readonly isSame?: true;
}

/** What a name means. */
export type NameOutcome =
  | { readonly outcome: "found"; readonly entry: Entry; readonly lookup: Lookup }
  | { readonly outcome: "ambiguous"; readonly candidates: readonly Entry[]; readonly lookup: Lookup }
  | { readonly outcome: "missing"; readonly suggestions: readonly string[] };

/** How a name was resolved. */
export interface Lookup {
  /** The word and the filters that were used. */
  readonly reading: Reading;
  /** All matches, best first, including those that a better origin overrides. */
  readonly matches: readonly Entry[];
}

/** One way to read a name. */
export interface Reading {
  /** In lower case, without what people and tools put around a name. */
  readonly word: string;
  /** Only items of this module, in lower case. */
  readonly module?: string;
  readonly kind?: Kind;
}

/** Resolves a name among entries. */
export function resolveName(entries: readonly Entry[], query: Omit<NameQuery, "origin">): NameOutcome {
  const { usable, candidatesFor } = indexOf(entries);
  const { readings, named } = readName(query);
  for (const { word, kind, module } of readings) {
    if (word === "") continue;
    const wanted = spellingsOf(word);
    const modules = module === undefined ? undefined : moduleNames(module);
    const pool = candidatesFor(wanted).filter((entry) =>
      (kind === undefined || isOf(entry, kind)) &&
      (modules === undefined || modules.includes(entry.module.toLowerCase()))
    );
    const isTaken = pool.some((entry) => !isHidden(entry) && isCalled(entry, word));
    const matches = pool.filter((entry) => !query.isSame || (fitOf(entry, wanted) ?? GUESS) < GUESS)
      .map((entry) => ({ entry, cost: costOf(entry, wanted, isTaken) }))
      .filter((match): match is Match => match.cost !== undefined);
    if (matches.length > 0) return pickBest(matches, { word, module, kind });
  }
  const elsewhere = inOtherModules(entries, readings.at(-1)!, query.isSame);
  if (elsewhere.length > 0) return { outcome: "missing", suggestions: elsewhere };
  const { word, kind } = named.at(-1) ?? { word: query.name, kind: query.kind };
  const candidates = usable.filter((entry) => kind === undefined || isOf(entry, kind));
  return { outcome: "missing", suggestions: suggestNames(candidates, word) };
}

/** The items of other modules that have a name which was asked for with a module: `bmm/x`, `bmm.x`. */
function inOtherModules(
  entries: readonly Entry[],
  { word, module }: Reading,
  isSame: NameQuery["isSame"],
): readonly string[] {
  const name = module === undefined ? word.slice(word.indexOf(".") + 1) : word;
  if (name === "" || (module === undefined && name === word)) return [];
  const found = resolveName(entries, { name, isSame });
  if (found.outcome === "missing") return [];
  const items = found.outcome === "found" ? [found.entry] : found.candidates;
  const named = module === undefined ? [] : moduleNames(module);
  return items.filter((one) => !named.includes(one.module.toLowerCase())).slice(0, 5).map(qualifiedName);
}

/**
 * The note for a caller that used a former name of an entry, or the name of a record that it overrides. What somebody
 * wrote by hand may have the very name of what it overrides, and gets the note too.
 */
export function nameNote(
  name: string,
  entry: Entry,
  { overridden, missing, isAuthored }: {
    readonly overridden: readonly Entry[];
    /** The records without a file. */
    readonly missing: readonly Entry[];
    readonly isAuthored: boolean;
  },
): string | undefined {
  const wanted = spellingsOf(readName({ name }).readings.at(-1)!.word);
  const fit = fitOf(entry, wanted);
  const now = qualifiedName(entry);
  const lost = fit === RENAMED || fit === SUCCESSOR
    ? missing.find((record) => isCalled(record, wanted.word))
    : undefined;
  if (lost !== undefined) return `the file of ${qualifiedName(lost)} is missing; ${now} does its work`;
  if (fit === RENAMED) return `"${wanted.word}" is now ${now}`;
  if (fit === SUCCESSOR) return `"${wanted.word}" no longer exists; ${now} does its work`;
  const other = fit === undefined || isAuthored
    ? overridden.find((record) => fitOf(record, wanted) !== undefined)
    : undefined;
  if (other === undefined) return undefined;
  const label = other.displayName ?? other.name;
  return other.rank === entry.rank
    ? `${label} (${other.file}) is overridden by ${now} (${entry.file})`
    : `${label} of ${other.origin.id} is overridden by ${now}`;
}

/** What is known of a name that older releases of BMAD had and nothing has replaced. */
export function lossNamed(name: string): Loss | undefined {
  const { word } = readName({ name }).readings.at(-1)!;
  const [, bare = word] = MODULE_PREFIX.exec(shortName(word)) ?? [];
  return [word, shortName(word), bare].values().map(lossOf).find((loss) => loss !== undefined);
}

/** Some installers put the module before the name: `bmad-bmm-x`, `bmad-agent-bmm-x`. */
const MODULE_PREFIX = /^(?:core|bmm|bmb|cis|bmgd)-(.+)$/;

interface NameIndex {
  /** The entries that have a file. */
  readonly usable: readonly Entry[];
  /** Those that may match a word, in order: every one that `fitOf` or `isCalled` would accept is among them. */
  candidatesFor(wanted: Spellings): readonly Entry[];
}

/** Of thousands of entries, only those are compared with a word that share a spelling with it. */
const indexOf = cachedWith((entries: readonly Entry[]): NameIndex => {
  const usable = entries.filter(({ status }) => status !== "no-file-found");
  const modules = new Set(usable.map(({ module }) => module));
  const byName = groupPositions(usable, ({ id, name, displayName, title, formerIds }) => [
    id.toLowerCase(),
    name,
    ...[displayName, title].filter((text) => text !== undefined).map(asWords),
    ...namesOf(formerIds),
  ]);
  return {
    usable,
    candidatesFor: ({ word, words, inModule }) => {
      const keys = new Set([word, words]);
      for (const { bare, short, renamed } of modules.values().map(inModule)) {
        for (const key of [bare, ...short, ...renamed.keys()]) keys.add(key);
      }
      const found = new Set([...keys].flatMap(byName));
      if (words.includes(" ")) { for (const at of withTitleWords(usable, words)) found.add(at); }
      return [...found].sort((a, b) => a - b).map((at) => usable[at]!);
    },
  };
});

const titleWordsOf = cachedWith((entries: readonly Entry[]) =>
  groupPositions(entries, ({ title }) => title === undefined ? [] : asWords(title).split(" "))
);

/** The positions of entries whose title may have all words: it has the rarest of them. */
function withTitleWords(entries: readonly Entry[], words: string): readonly number[] {
  const titleWords = titleWordsOf(entries);
  return words.split(" ").map(titleWords).sort((a, b) => a.length - b.length)[0]!;
}

/** Finds the positions of entries by keys. Nearly every key has one entry, and needs no list. */
function groupPositions(
  entries: readonly Entry[],
  keysOf: (entry: Entry) => readonly string[],
): (key: string) => readonly number[] {
  const groups = new Map<string, number | number[]>();
  entries.forEach((entry, at) => {
    for (const key of keysOf(entry)) {
      const known = groups.get(key);
      if (known === undefined) groups.set(key, at);
      else if (typeof known !== "number") { if (known.at(-1) !== at) known.push(at); }
      else if (known !== at) groups.set(key, [known, at]);
    }
  });
  return (key) => {
    const found = groups.get(key) ?? [];
    return typeof found === "number" ? [found] : found;
  };
}

/** An entry that matches a name, and the costs of choosing it, the most important first. */
interface Match {
  readonly entry: Entry;
  readonly cost: readonly number[];
}

/**
 * The costs of choosing an entry for a word; undefined when the entry does not match. A better origin counts more than a
 * better fit: where a 6.0 project has `create-prd` and the package `bmad-prd`, both names mean the project's. Only a
 * guess gives way to every other match, and so does a hidden entry.
 */
function costOf(entry: Entry, wanted: Spellings, isTaken: boolean): readonly number[] | undefined {
  const { word } = wanted;
  const fit = fitOf(entry, wanted);
  if (fit === undefined) return undefined;
  const isGuess = fit >= GUESS;
  // The exact id of a hidden entry means that entry, unless a visible one has the same name.
  const isMeant = !isHidden(entry) || (!isTaken && entry.id.toLowerCase() === word);
  return [
    isMeant ? Number(isGuess) : 2,
    entry.rank,
    isHidden(entry) && isMeant ? HIDDEN_FIT : fit,
    NEWEST_FIRST.indexOf(entry.generation),
    Number(entry.id.toLowerCase() !== word),
    KINDS.findIndex((kind) => isOf(entry, kind)),
    // Expansion packs of v4 carry copies of the core's files.
    Number(entry.generation === "v4" && entry.module !== "bmad-core"),
  ];
}

/** Up to five qualified names similar to a name. */
function suggestNames(entries: readonly Entry[], name: string): readonly string[] {
  const { path } = undecorated(name.trim().toLowerCase().replace(/^\*/, ""));
  const word = shortName(path.at(-1) ?? "");
  const candidates = entries.values().map((entry) => ({
    label: qualifiedName(entry),
    spellings: [entry.name, entry.id.toLowerCase(), entry.displayName?.toLowerCase() ?? ""],
  }));
  return suggest(word, candidates);
}

/** The readings of a name, which are tried in order; `named` are those of what a command of v4 names. */
function readName(query: NameQuery): Readonly<Record<"readings" | "named", readonly Reading[]>> {
  const text = query.name.normalize().trim().toLowerCase().replace(
    /\.(agent\.yaml|md|ya?ml|csv|json|toml|xml|txt|html)$/,
    "",
  )
    .replace(/^bmad\s+(?=\S)/, "");
  const star = text.startsWith("*");
  const command = star ? text.slice(1) : text;
  const module = query.module?.normalize().trim().toLowerCase() || undefined;
  const read = (text: string, kinds: readonly (Kind | undefined)[]): readonly Reading[] => {
    const { path } = undecorated(text);
    const reading = {
      word: path.at(-1) ?? "",
      module: path.length > 1 ? path[0]!.replace(/^\./, "") : module,
    };
    return kinds.map((kind) => ({ ...reading, kind }));
  };
  const form = readForm(command);
  const named = form?.words.flatMap((word) => read(word, [form.kind])) ?? [];
  const given = query.kind ?? undecorated(command).kind;
  // A star means a workflow, but also starts tasks.
  const plain = read(command, star && given === undefined ? ["workflow", "task"] : [given]);
  return { named, readings: [...named, ...plain] };
}

/** What a path may have before its module. */
const AROUND = ["{project-root}", ...ROOT_NAMES];

/**
 * A name without what coding tools, files and people put around it: `@pm`, `/bmad-prd`, `/bmad:bmm:agents:pm`,
 * `{project-root}/_bmad/bmm/agents/pm`, `the pm agent`.
 */
function undecorated(text: string): { readonly path: readonly string[]; readonly kind: Kind | undefined } {
  const parts = text.replace(/^[@/$]/, "").split(/[:/]/).map((part) => part.trim()).filter(Boolean);
  const kind = KINDS.find((kind) => parts.slice(0, -1).includes(`${kind}s`));
  const path = parts.filter((part, i) =>
    i === parts.length - 1 || (!AROUND.includes(part) && part !== `${kind}s`)
  );
  const bare = (word: string) =>
    word.replace(/^(the|agent) (?=.)/, "").replace(/(?<=.) (agent|workflow|task|skill)$/, "");
  return { path: [...path.slice(0, -1), ...path.slice(-1).map(bare)], kind };
}

/** The fit of a former name. */
const RENAMED = 4;
/** From this fit on, a match is only a guess. */
const GUESS = 5;
/** The fit of the name of an item whose work this one does now. */
const SUCCESSOR = GUESS + 1;
/** The fit of a hidden entry's exact id: worse than an entry's own names, better than renamed ones. */
const HIDDEN_FIT = 3.5;

type Spellings = ReturnType<typeof spellingsOf>;

/** A requested word in every spelling that entries are compared with, computed once for all of them. */
function spellingsOf(word: string) {
  const words = asWords(word);
  const name = words.replaceAll(" ", "-");
  const formsIn = (module: string) => {
    const isPrefixed = [".", "-"].some((sign) => name.startsWith(module.toLowerCase() + sign));
    /** Without the module's code before it. */
    const bare = isPrefixed ? name.slice(module.length + 1) : name;
    const short = [...new Set([bare, shortName(bare), shortName(bare, module)])];
    // Reversed, so that the best of several meanings of one name stays in the map.
    const others = short.flatMap(otherNames).reverse();
    /** Other names of the item, and whether each means the same item. */
    const renamed = new Map(others.map(({ name, isSame }) => [name, isSame]));
    return { bare, short, renamed };
  };
  const known = new Map<string, ReturnType<typeof formsIn>>();
  return { word, words, inModule: (module: string) => known.getOrInsertComputed(module, formsIn) };
}

/** The spellings of ids, whole and short. */
function namesOf(ids: readonly string[] = []): readonly string[] {
  return ids.flatMap((id) => [id.toLowerCase(), shortName(id)]);
}

/** Whether a word is exactly the id or short name of an entry. */
function isCalled(entry: Entry, word: string): boolean {
  return entry.id.toLowerCase() === word || entry.name === word;
}

/** How well an entry matches a word; lower is better, undefined means not at all. */
function fitOf(entry: Entry, { word, words, inModule }: Spellings): number | undefined {
  if (isCalled(entry, word)) return 0;
  if (entry.displayName !== undefined && asWords(entry.displayName) === words) return 1;
  const title = entry.title === undefined ? "" : asWords(entry.title);
  if (entry.title !== undefined && title === words) return 2;
  if (namesOf(entry.formerIds).includes(word)) return RENAMED;
  const { bare, short, renamed } = inModule(entry.module);
  if (short.includes(entry.name) || entry.id.toLowerCase() === bare) return 3;
  const isSame = renamed.get(entry.name);
  if (isSame !== undefined) return isSame ? RENAMED : SUCCESSOR;
  // Several words of a title: `test architect` is the `Master Test Architect and Quality Advisor`.
  return words.includes(" ") && ` ${title} `.includes(` ${words} `) ? GUESS : undefined;
}

function asWords(text: string): string {
  return text.normalize().toLowerCase().split(/[\s_-]+/).join(" ");
}

function pickBest(matches: readonly Match[], reading: Reading): NameOutcome {
  const sorted = matches.toSorted((a, b) => compare(a.cost, b.cost));
  const best = sorted[0]!;
  const equals = sorted.filter(({ cost }) => compare(cost, best.cost) === 0).map(({ entry }) => entry);
  const names = new Set(equals.map(qualifiedName));
  const lookup = { reading, matches: sorted.map(({ entry }) => entry) };
  return names.size === 1
    ? { outcome: "found", entry: best.entry, lookup }
    : { outcome: "ambiguous", candidates: equals, lookup };
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}
