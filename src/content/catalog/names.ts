/** Which entry a name means: `analyst`, `bmm.analyst`, `bmad-agent-analyst` and `Mary` find the same; `*prd` a workflow. */
import { isOwnModule, type Loss, lossOf, moduleNames, otherNames } from "./aliases.ts";
import {
  type Entry,
  hasKind,
  isHidden,
  isSupporting,
  type Kind,
  KINDS,
  qualifiedName,
  ROOT_NAMES,
  shortName,
} from "../../base/model.ts";
import { GENERATIONS, NEWEST_FIRST } from "../../base/generations.ts";
import { compareVersions } from "../../base/versions.ts";
import { cachedWith } from "../../base/cache.ts";
import { suggest } from "../../base/suggestions.ts";

export interface NameQuery {
  readonly name: string;
  readonly kind?: Kind;
  readonly module?: string;
  readonly origin?: string;
  readonly isSame?: true;
}

export type NameOutcome =
  | { readonly outcome: "found"; readonly entry: Entry; readonly lookup: Lookup }
  | { readonly outcome: "ambiguous"; readonly candidates: readonly Entry[]; readonly lookup: Lookup }
  | { readonly outcome: "missing"; readonly suggestions: readonly string[]; readonly isLost?: true };

interface Lookup {
  readonly reading: Reading;
  readonly matches: readonly Entry[];
}

interface Reading {
  readonly word: string;
  readonly module?: string;
  readonly kind?: Kind;
}

export function resolveName(entries: readonly Entry[], query: Omit<NameQuery, "origin">): NameOutcome {
  const { usable, lost, candidatesFor } = indexOf(entries);
  const { readings, named } = readName(query);
  const isFile = FILE_ENDING.test(query.name.trim());
  let isLost = false;
  for (const { word, kind, module } of readings) {
    if (word === "") continue;
    const wanted = spellingsOf(word);
    const modules = module === undefined ? undefined : moduleNames(module);
    const pool = candidatesFor(wanted).filter((entry) =>
      (kind === undefined || hasKind(entry, kind)) &&
      (modules === undefined || modules.includes(entry.module.toLowerCase()))
    );
    const isTaken = pool.some((entry) => !isHidden(entry) && isCalled(entry, word));
    isLost ||= !isFile &&
      lost.some((entry) => isCalled(entry, word) && (kind === undefined || hasKind(entry, kind)));
    const matches = pool.filter((entry) => !query.isSame || (fitOf(entry, wanted) ?? GUESS) < GUESS)
      // What should be there is done by nothing that has another name, and by no data of the same.
      .filter((entry) => !isLost || (!isSupporting(entry.kind) && (fitOf(entry, wanted) ?? GUESS) < RENAMED))
      .map((entry) => ({ entry, cost: costOf(entry, wanted, isTaken) }))
      .filter((match): match is Match => match.cost !== undefined);
    if (matches.length > 0) return pickBest(matches, { word, module, kind });
  }
  const elsewhere = inOtherModules(entries, readings.at(-1)!, query.isSame);
  if (elsewhere.length > 0) return { outcome: "missing", suggestions: elsewhere };
  const { word, kind } = named.at(-1) ?? { word: query.name, kind: query.kind };
  const candidates = usable.filter((entry) => kind === undefined || hasKind(entry, kind));
  return { outcome: "missing", suggestions: suggestNames(candidates, word), ...(isLost && { isLost }) };
}

export function findByName(entries: readonly Entry[], query: Omit<NameQuery, "origin">): Entry | undefined {
  const found = resolveName(entries, query);
  return found.outcome === "found" ? found.entry : undefined;
}

function inOtherModules(entries: readonly Entry[], { word, module }: Reading, isSame: NameQuery["isSame"]) {
  const name = module === undefined ? word.slice(word.indexOf(".") + 1) : word;
  if (name === "" || (module === undefined && name === word)) return [];
  const found = resolveName(entries, { name, isSame });
  if (found.outcome === "missing") return [];
  const items = found.outcome === "found" ? [found.entry] : found.candidates;
  const named = module === undefined ? [] : moduleNames(module);
  return items.filter((one) => !named.includes(one.module.toLowerCase())).slice(0, 5).map(qualifiedName);
}

export function nameNote(
  name: string,
  entry: Entry,
  { overridden, isAuthored }: { readonly overridden: readonly Entry[]; readonly isAuthored: boolean },
): string | undefined {
  const wanted = spellingsOf(readName({ name }).readings.at(-1)!.word);
  const fit = fitOf(entry, wanted);
  const now = qualifiedName(entry);
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

export function lossNamed(name: string): Loss | undefined {
  const { word } = readName({ name }).readings.at(-1)!;
  const [, bare = word] = MODULE_PREFIX.exec(shortName(word)) ?? [];
  return [word, shortName(word), bare].values().map(lossOf).find((loss) => loss !== undefined);
}

/** Some installers put the module before the name: `bmad-bmm-x`, `bmad-agent-bmm-x`. */
const MODULE_PREFIX = /^(?:core|bmm|bmb|cis|bmgd)-(.+)$/;

const indexOf = cachedWith((entries: readonly Entry[]) => {
  const isLost = ({ status }: Entry) => status === "no-file-found";
  const [lost, usable] = [entries.filter(isLost), entries.filter((entry) => !isLost(entry))];
  const modules = new Set(usable.map(({ module }) => module));
  const byName = groupPositions(usable, ({ id, name, displayName, title, formerIds }) => [
    id.toLowerCase(),
    name,
    ...[displayName, title].filter((text) => text !== undefined).map(spoken),
    ...namesOf(formerIds),
  ]);
  return {
    usable,
    lost,
    /** A superset of what `fitOf` and `isCalled` accept, in order. */
    candidatesFor: ({ word, words, inModule }: Spellings): readonly Entry[] => {
      const keys = new Set([word, words]);
      for (const { bare, short, renamed } of modules.values().map(inModule)) {
        for (const key of [bare, ...short, ...renamed.keys()]) keys.add(key);
      }
      const found = new Set([...keys].flatMap(byName));
      // A title with all words has the rarest of them.
      const titled = words.includes(" ")
        ? words.split(" ").map(titleWordsOf(usable)).sort((a, b) => a.length - b.length)[0]!
        : [];
      return [...found.union(new Set(titled))].sort((a, b) => a - b).map((at) => usable[at]!);
    },
  };
});

const titleWordsOf = cachedWith((entries: readonly Entry[]) =>
  groupPositions(entries, ({ title }) => title === undefined ? [] : asWords(title).split(" "))
);

/** Nearly every key has one entry and needs no list. */
function groupPositions(entries: readonly Entry[], keysOf: (entry: Entry) => readonly string[]) {
  const groups = new Map<string, number | number[]>();
  entries.forEach((entry, at) => {
    for (const key of keysOf(entry)) {
      const known = groups.get(key);
      if (known === undefined) groups.set(key, at);
      else if (typeof known !== "number") { if (known.at(-1) !== at) known.push(at); }
      else if (known !== at) groups.set(key, [known, at]);
    }
  });
  return (key: string): readonly number[] => {
    const found = groups.get(key) ?? [];
    return typeof found === "number" ? [found] : found;
  };
}

/** The origin counts more than the fit: the project's `create-prd` beats the pack's `bmad-prd`. */
function costOf(entry: Entry, wanted: Spellings, isTaken: boolean): readonly number[] | undefined {
  const { word } = wanted;
  const fit = fitOf(entry, wanted);
  if (fit === undefined) return undefined;
  const isGuess = fit >= GUESS;
  // The exact id of a hidden entry means it, unless a visible one has that name.
  const isMeant = !isHidden(entry) || (!isTaken && entry.id.toLowerCase() === word);
  return [
    isMeant ? Number(isGuess) : 2,
    entry.rank,
    isHidden(entry) && isMeant ? HIDDEN_FIT : fit,
    NEWEST_FIRST.indexOf(entry.generation),
    Number(entry.id.toLowerCase() !== word),
    KINDS.findIndex((kind) => hasKind(entry, kind)),
    // Expansion packs of v4 carry copies of the core's files.
    Number(entry.generation === "v4" && entry.module !== "bmad-core"),
  ];
}

function suggestNames(entries: readonly Entry[], name: string): readonly string[] {
  const { path } = undecorated(name.trim().toLowerCase().replace(/^\*/, ""));
  const word = shortName(path.at(-1) ?? "");
  const candidates = entries.values().map((entry) => ({
    label: qualifiedName(entry),
    spellings: [entry.name, entry.id.toLowerCase(), entry.displayName?.toLowerCase() ?? ""],
  }));
  return suggest(word, candidates);
}

const FILE_ENDING = /\.(agent\.yaml|md|ya?ml|csv|json|toml|xml|txt|html)$/;

function readName(query: NameQuery): Readonly<Record<"readings" | "named", readonly Reading[]>> {
  const given = query.name.normalize().trim().toLowerCase();
  const text = given.replace(FILE_ENDING, "").replace(/^bmad\s+(?=\S)/, "");
  const star = text.startsWith("*");
  const command = star ? text.slice(1) : text;
  const module = query.module?.normalize().trim().toLowerCase() || undefined;
  const read = (text: string, kinds: readonly (Kind | undefined)[]): readonly Reading[] => {
    const { path } = undecorated(text);
    const own = path.length > 1 ? path[0]!.replace(/^\./, "") : module;
    return kinds.map((kind) => ({ word: path.at(-1) ?? "", module: own, kind }));
  };
  const form = readForm(command);
  const named = form?.words.flatMap((word) => read(word, [form.kind])) ?? [];
  const kind = query.kind ?? undecorated(command).kind;
  // A star means a workflow, but also starts tasks.
  const plain = read(command, star && kind === undefined ? ["workflow", "task"] : [kind]);
  return { named, readings: [...named, ...plain] };
}

const AROUND = ["{project-root}", ...ROOT_NAMES];

/** Strips what tools and people add: `@pm`, `/bmad:bmm:agents:pm`, `{project-root}/_bmad/bmm/agents/pm`. */
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

const RENAMED = 4;
const GUESS = 5;
const SUCCESSOR = GUESS + 1;
/** Fit of a hidden entry's exact id: worse than own names, better than former ones. */
const HIDDEN_FIT = 3.5;

type Spellings = ReturnType<typeof spellingsOf>;

function spellingsOf(word: string) {
  const words = asWords(word);
  const name = words.replaceAll(" ", "-");
  const formsIn = (module: string) => {
    const isPrefixed = [".", "-"].some((sign) => name.startsWith(module.toLowerCase() + sign));
    const bare = isPrefixed ? name.slice(module.length + 1) : name;
    const short = [...new Set([bare, shortName(bare), shortName(bare, module)])];
    // Reversed, so that the best meaning of a name stays in the map.
    const others = short.flatMap(otherNames).reverse();
    const renamed = new Map(others.map((other) => [other.name, other]));
    return { bare, short, renamed };
  };
  const known = new Map<string, ReturnType<typeof formsIn>>();
  return { word, words, inModule: (module: string) => known.getOrInsertComputed(module, formsIn) };
}

function namesOf(ids: readonly string[] = []): readonly string[] {
  return ids.flatMap((id) => [id.toLowerCase(), shortName(id)]);
}

function isCalled(entry: Entry, word: string): boolean {
  return entry.id.toLowerCase() === word || entry.name === word;
}

function fitOf(entry: Entry, { word, words, inModule }: Spellings): number | undefined {
  if (isCalled(entry, word)) return 0;
  if (entry.displayName !== undefined && spoken(entry.displayName) === words) return 1;
  const title = entry.title === undefined ? "" : spoken(entry.title);
  if (entry.title !== undefined && title === words) return 2;
  if (namesOf(entry.formerIds).includes(word)) return RENAMED;
  const { bare, short, renamed } = inModule(entry.module);
  if (short.includes(entry.name) || entry.id.toLowerCase() === bare) return 3;
  const other = renamed.get(entry.name);
  if (other?.isSame) return RENAMED;
  if (other !== undefined && !isBefore(entry, other.gone)) return SUCCESSOR;
  // `test architect` is the `Master Test Architect and Quality Advisor`.
  return words.includes(" ") && ` ${title} `.includes(` ${words} `) ? GUESS : undefined;
}

function isBefore({ module, version, generation }: Entry, release = ""): boolean {
  if (release === "" || !isOwnModule(module)) return false;
  if (!GENERATIONS[generation].hasItemFolders) return true;
  return version !== undefined && compareVersions(version, release) < 0;
}

export function isFormerName(name: string): boolean {
  const { word } = readName({ name }).readings.at(-1)!;
  return [word, shortName(word)].some((one) => otherNames(one).some(({ isSame }) => !isSame));
}

function asWords(text: string): string {
  return text.normalize().toLowerCase().split(/[\s_-]+/).join(" ");
}

/** Names that people say lose their `bmad`, as what they say does. */
function spoken(name: string): string {
  return asWords(name).replace(/^bmad (?=.)/, "");
}

type Match = { readonly entry: Entry; readonly cost: readonly number[] };

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

type Form = { readonly kind: Kind; readonly words: readonly string[] };

/** Commands of v4 that name their target: `*create-doc prd-tmpl`. The last field ends the ids of that kind. */
const FORMS: readonly (readonly [pattern: RegExp, kind: Kind, ending: string])[] = [
  [/^create-doc\s+(\S.*)$/, "template", "-tmpl"],
  [/^(?:execute-)?checklist\s+(\S.*)$/, "checklist", "-checklist"],
  [/^task\s+(\S.*)$/, "task", ""],
  [/^agent\s+(\S.*)$/, "agent", ""],
  [/^workflow\s+(\S.*)$/, "workflow", ""],
];

export function readForm(text: string): Form | undefined {
  if (/^kb(?:-mode)?$/.test(text)) return { kind: "task", words: ["kb-mode-interaction"] };
  for (const [pattern, kind, ending] of FORMS) {
    const word = pattern.exec(text)?.[1]?.trim();
    if (word !== undefined) return { kind, words: [...new Set([word, `${word}${ending}`])] };
  }
  return undefined;
}
