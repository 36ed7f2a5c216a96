/**
 * Names: what a person or a model calls a thing, and which thing that is.
 *
 * `analyst`, `bmm/analyst`, `bmm.analyst`, `bmm-analyst`, `bmad-agent-analyst`, `ANALYST` and `Mary` lead to one
 * entry; `*prd` means a workflow. The best origin wins; several things of one kind in the same origin are
 * ambiguous. An unknown name is answered with similar ones.
 */
import { otherNames } from "./aliases.ts";
import {
  type Entry,
  type Generation,
  isHidden,
  isOf,
  type Kind,
  KINDS,
  qualifiedName,
  ROOT_NAMES,
  shortName,
} from "../../base/model.ts";
import { suggest } from "../../base/suggestions.ts";

/** What is asked for. */
export interface NameQuery {
  /** As people say it: `analyst`, `bmm/analyst`, `Mary`, `*prd`. */
  readonly name: string;
  /** Only things that are of this kind, or play this role. */
  readonly kind?: Kind;
  /** Only things of this module, in any case; a module in the name itself goes before it. */
  readonly module?: string;
  /** Only what this origin holds, by its id, also what a better origin shadows. */
  readonly origin?: string;
}

/** What a name means. */
export type NameOutcome =
  | { readonly outcome: "found"; readonly entry: Entry; readonly lookup: Lookup }
  | { readonly outcome: "ambiguous"; readonly candidates: readonly Entry[]; readonly lookup: Lookup }
  | { readonly outcome: "missing"; readonly near: readonly string[] };

/** How an answer came about. */
export interface Lookup {
  /** What was left of the name, and what was filtered by. */
  readonly reading: Reading;
  /** All that answer to the reading, best first, also those that a better origin shadows. */
  readonly matches: readonly Entry[];
}

/** One way to read a name. */
export interface Reading {
  /** In small letters, without what people and tools put around a name. */
  readonly word: string;
  /** Only things of this module, in small letters. */
  readonly module?: string;
  /** Only things that are of this kind, or play this role. */
  readonly kind?: Kind;
}

/** Finds out what a name means among entries. */
export function resolveName(entries: readonly Entry[], query: NameQuery): NameOutcome {
  const { origin } = query;
  const usable = entries.filter((entry) =>
    entry.status !== "no-file-found" && (origin === undefined || entry.origin.id === origin)
  );
  const { word, module, kinds } = readName(query);
  const wanted = spellingsOf(word);
  for (const kind of word === "" ? [] : kinds) {
    const pool = usable.filter((entry) =>
      (kind === undefined || isOf(entry, kind)) &&
      (module === undefined || entry.module.toLowerCase() === module)
    );
    const isTaken = pool.some((entry) => !isHidden(entry) && isCalled(entry, word));
    const answers = pool.map((entry) => ({ entry, cost: costOf(entry, wanted, isTaken) }))
      .filter((answer): answer is Answer => answer.cost !== undefined);
    if (answers.length > 0) return pick(answers, { word, module, kind });
  }
  const near = findNear(
    usable.filter((entry) => query.kind === undefined || isOf(entry, query.kind)),
    query.name,
  );
  return { outcome: "missing", near };
}

/** An entry that answers to a name, and what speaks against it, the weightiest first. */
interface Answer {
  readonly entry: Entry;
  readonly cost: readonly number[];
}

/**
 * What speaks against taking a word for an entry; undefined when the entry does not answer to it. A better origin
 * counts more than a better fit: where a project of 6.0 has `create-prd` and the package `bmad-prd`, both names mean
 * the project's. Only what is a guess gives way to any other answer, and so does what lists hide.
 */
function costOf(entry: Entry, wanted: Spellings, isTaken: boolean): readonly number[] | undefined {
  const { word } = wanted;
  const fit = fitOf(entry, wanted);
  if (fit === undefined) return undefined;
  const isGuess = fit >= GUESS;
  // The very id of what only forwards is meant, unless something else goes by it.
  const isMeant = !isHidden(entry) || (!isTaken && entry.id.toLowerCase() === word);
  return [
    isMeant ? Number(isGuess) : 2,
    entry.rank,
    isHidden(entry) && isMeant ? FORWARDING : fit,
    NEWEST_FIRST.indexOf(entry.generation),
    Number(entry.id.toLowerCase() !== word),
    kindOrder(entry),
    // Expansion packs of v4 carry copies of the core's files.
    Number(entry.generation === "v4" && entry.module !== "bmad-core"),
  ];
}

/** Up to five qualified names that look like a name. */
function findNear(entries: readonly Entry[], name: string): readonly string[] {
  const { path } = undecorated(name.trim().toLowerCase().replace(/^\*/, ""));
  const word = shortName(path.at(-1) ?? "");
  return suggest(
    word,
    entries.values().map((entry) => ({
      label: qualifiedName(entry),
      spellings: [entry.name, entry.id.toLowerCase(), entry.displayName?.toLowerCase() ?? ""],
    })),
  );
}

/** The readings of a name, which differ in the kind alone: one after the other is tried, undefined is any. */
function readName(query: NameQuery): Pick<Reading, "word" | "module"> & {
  readonly kinds: readonly (Kind | undefined)[];
} {
  const text = query.name.trim().toLowerCase().replace(/\.(agent\.yaml|md|ya?ml)$/, "");
  const star = text.startsWith("*");
  const { path, kind } = undecorated(star ? text.slice(1) : text);
  const given = query.kind ?? kind;
  return {
    word: path.at(-1) ?? "",
    module: path.length > 1 ? path[0] : query.module?.trim().toLowerCase() || undefined,
    // A star means a workflow; tasks are started with it, too.
    kinds: star && given === undefined ? ["workflow", "task"] : [given],
  };
}

/**
 * A name without what coding tools, files and people put around it: `@pm`, `/bmad-prd`, `/bmad:bmm:agents:pm`,
 * `_bmad/bmm/agents/pm`, `the pm agent`.
 */
function undecorated(text: string): { readonly path: readonly string[]; readonly kind: Kind | undefined } {
  const parts = text.replace(/^[@/$]/, "").split(/[:/]/).map((part) => part.trim()).filter((part) =>
    part !== ""
  );
  const kind = KINDS.find((kind) => parts.slice(0, -1).includes(`${kind}s`));
  const path = parts.filter((part, i) =>
    i === parts.length - 1 || (!ROOT_NAMES.includes(part) && part !== `${kind}s`)
  );
  const word = path.pop()?.replace(/^(the|agent) (?=.)/, "").replace(
    /(?<=.) (agent|workflow|task|skill)$/,
    "",
  );
  return { path: word === undefined ? [] : [...path, word], kind };
}

/** From this fit on, an answer is only a guess. */
const GUESS = 5;
/** Where the very id of what only forwards stands among the fits: behind all names of its own, before other names. */
const FORWARDING = 3.5;

/** A word that is asked for, in every spelling that entries are compared with: worked out once for all of them. */
interface Spellings {
  /** As it was read from the name. */
  readonly word: string;
  /** With spaces between its words. */
  readonly words: string;
  /** As a short name in a module. */
  inModule(module: string): {
    /** Without the module's code before it. */
    readonly bare: string;
    readonly short: readonly string[];
    /** Names under which it may be found too, and whether those are the same thing. */
    readonly renamed: ReadonlyMap<string, boolean>;
  };
}

function spellingsOf(word: string): Spellings {
  const words = asWords(word);
  const name = words.replaceAll(" ", "-");
  const known = new Map<string, ReturnType<Spellings["inModule"]>>();
  return {
    word,
    words,
    inModule: (module) => {
      let forms = known.get(module);
      if (forms === undefined) {
        const isPrefixed = [".", "-"].some((sign) => name.startsWith(module.toLowerCase() + sign));
        const bare = isPrefixed ? name.slice(module.length + 1) : name;
        const short = [...new Set([bare, shortName(bare), shortName(bare, module)])];
        // The first that leads somewhere counts.
        const others = short.flatMap(otherNames).reverse();
        forms = { bare, short, renamed: new Map(others.map(({ name, isSame }) => [name, isSame])) };
        known.set(module, forms);
      }
      return forms;
    },
  };
}

/** Whether a word is the very name of an entry. */
function isCalled(entry: Entry, word: string): boolean {
  return entry.id.toLowerCase() === word || entry.name === word;
}

/** How well an entry answers to a word; lower is better, undefined is not at all. */
function fitOf(entry: Entry, { word, words, inModule }: Spellings): number | undefined {
  if (isCalled(entry, word)) return 0;
  if (entry.displayName !== undefined && asWords(entry.displayName) === words) return 1;
  const title = entry.title === undefined ? "" : asWords(entry.title);
  if (entry.title !== undefined && title === words) return 2;
  const { bare, short, renamed } = inModule(entry.module);
  if (short.includes(entry.name) || entry.id.toLowerCase() === bare) return 3;
  const isSame = renamed.get(entry.name);
  if (isSame !== undefined) return isSame ? 4 : GUESS + 1;
  // Several words of a title: `test architect` is the `Master Test Architect and Quality Advisor`.
  return words.includes(" ") && ` ${title} `.includes(` ${words} `) ? GUESS : undefined;
}

function asWords(text: string): string {
  return text.toLowerCase().split(/[\s_-]+/).join(" ");
}

/** In one origin, a newer generation counts more than an older one. */
const NEWEST_FIRST: readonly Generation[] = ["skills", "v6", "v4", "v3"];

function kindOrder(entry: Entry): number {
  return KINDS.findIndex((kind) => isOf(entry, kind));
}

function pick(answers: readonly Answer[], reading: Reading): NameOutcome {
  const sorted = answers.toSorted((a, b) => compare(a.cost, b.cost));
  const best = sorted[0]!;
  const equals = sorted.filter(({ cost }) => compare(cost, best.cost) === 0).map(({ entry }) => entry);
  const things = new Set(equals.map(qualifiedName));
  const lookup = { reading, matches: sorted.map(({ entry }) => entry) };
  return things.size === 1
    ? { outcome: "found", entry: best.entry, lookup }
    : { outcome: "ambiguous", candidates: equals, lookup };
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}
