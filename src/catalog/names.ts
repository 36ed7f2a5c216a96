/**
 * Names: what a person or a model calls a thing, and which thing that is.
 *
 * `analyst`, `bmm/analyst`, `bmm.analyst`, `bmm-analyst`, `bmad-agent-analyst`, `ANALYST` and `Mary` lead to one
 * entry; `*prd` means a workflow. The best origin wins; several things of one kind in the same origin are
 * ambiguous. An unknown name is answered with the nearest ones.
 */
import { otherNames } from "./aliases.ts";
import { nearest } from "./near.ts";
import {
  type Entry,
  type Generation,
  isHidden,
  isOf,
  type Kind,
  KINDS,
  qualifiedName,
  shortName,
} from "../model.ts";

/** What is asked for. */
export interface NameQuery {
  /** As people say it: `analyst`, `bmm/analyst`, `Mary`, `*prd`. */
  readonly name: string;
  /** Only things that are of this kind, or play this role. */
  readonly kind?: Kind;
  /** Only things of this module, in any case; a module in the name itself goes before it. */
  readonly module?: string;
}

/** What a name means. */
export type NameOutcome =
  | { readonly outcome: "found"; readonly entry: Entry }
  | { readonly outcome: "ambiguous"; readonly candidates: readonly Entry[] }
  | { readonly outcome: "missing"; readonly near: readonly string[] };

/** Finds out what a name means among entries. */
export function resolveName(entries: readonly Entry[], query: NameQuery): NameOutcome {
  const usable = entries.filter((entry) => entry.status !== "no-file-found");
  for (const reading of readingsOf(usable, query)) {
    const pool = usable.filter((entry) =>
      (reading.kind === undefined || isOf(entry, reading.kind)) &&
      (reading.module === undefined || entry.module.toLowerCase() === reading.module)
    );
    const matches = findMatches(pool, reading.word);
    if (matches.length > 0) return pick(matches, reading.word);
  }
  const near = findNear(
    usable.filter((entry) => query.kind === undefined || isOf(entry, query.kind)),
    query.name,
  );
  return { outcome: "missing", near };
}

/**
 * The entries that answer to a word. What lists show comes before what they hide, unless the word is a hidden
 * thing's very id: `create-prd` is the skill that took over, `bmad-create-prd` the shim that forwards to it.
 */
function findMatches(pool: readonly Entry[], word: string): readonly Entry[] {
  const visible = pool.filter((entry) => !isHidden(entry));
  const exact = pool.filter((entry) => entry.id.toLowerCase() === word);
  if (exact.length > 0 && exact.every(isHidden) && !visible.some((entry) => TIERS[0]!(entry, word))) {
    return exact;
  }
  // A better origin counts more than a newer name: a project of 6.0 has `create-prd` where 6.12 has `prd`.
  const others = otherNamesOf(pool, word);
  const renamed = firstNamed(visible, others);
  const named = visible.filter((entry) => TIERS[0]!(entry, word));
  if (named.length + renamed.length > 0) return [...named, ...renamed];
  return firstTier(visible, word) ?? firstTier(pool, word) ?? firstNamed(pool, others);
}

/** The other names of what a word names, with or without the code of a module before it: `bmad-bmm-create-prd`. */
function otherNamesOf(pool: readonly Entry[], word: string): readonly string[] {
  const modules = new Set(pool.map((entry) => entry.module));
  const names = new Set(["", ...modules].map((module) => shortName(word, module)));
  return [...names].flatMap(otherNames);
}

function firstNamed(pool: readonly Entry[], names: readonly string[]): readonly Entry[] {
  return names.values().map((name) => pool.filter((entry) => entry.name === name))
    .find((found) => found.length > 0) ?? [];
}

function firstTier(pool: readonly Entry[], word: string): readonly Entry[] | undefined {
  return TIERS.values().map((fits) => pool.filter((entry) => fits(entry, word))).find((found) =>
    found.length > 0
  );
}

/** Up to five qualified names that look like a name. */
function findNear(entries: readonly Entry[], name: string): readonly string[] {
  const plain = undecorated(name.trim().toLowerCase().replace(/^\*/, "")).word;
  const word = shortName(plain.split("/").at(-1) ?? "");
  return nearest(
    word,
    entries.values().map((entry) => ({
      label: qualifiedName(entry),
      spellings: [entry.name, entry.id.toLowerCase(), entry.displayName?.toLowerCase() ?? ""],
    })),
  );
}

interface Reading {
  readonly word: string;
  readonly module?: string;
  readonly kind?: Kind;
}

/** The ways to read a name, most literal first. */
function readingsOf(entries: readonly Entry[], query: NameQuery): readonly Reading[] {
  const text = query.name.trim().toLowerCase().replace(/\.(agent\.yaml|md|ya?ml)$/, "");
  const star = text.startsWith("*");
  const { word, kind } = undecorated(star ? text.slice(1) : text);
  if (word === "") return [];
  const given = query.kind ?? kind;
  // A star means a workflow; tasks are started with it, too.
  const kinds: readonly (Kind | undefined)[] = star && given === undefined ? ["workflow", "task"] : [given];
  const readings = plainReadings(entries, word, query.module?.trim().toLowerCase() || undefined);
  return kinds.flatMap((kind) => readings.map((reading) => ({ ...reading, kind })));
}

function plainReadings(
  entries: readonly Entry[],
  word: string,
  module: string | undefined,
): readonly Reading[] {
  const [, before, after] = /^([^/]+)\/(.+)$/.exec(word) ?? [];
  if (before !== undefined) return [{ word: after!, module: before }];
  if (module !== undefined) return [{ word, module }];
  const modules = new Set(entries.map((entry) => entry.module.toLowerCase()));
  const prefixed = [...modules].filter((code) => word.startsWith(`${code}.`) || word.startsWith(`${code}-`))
    .map((code): Reading => ({ word: word.slice(code.length + 1), module: code }));
  return [{ word }, ...prefixed];
}

/**
 * A name without what coding tools and people put around it: `@pm`, `/bmad-prd`, `/bmad:bmm:agents:pm`,
 * `the pm agent`.
 */
function undecorated(text: string): Pick<Reading, "word" | "kind"> {
  const parts = text.replace(/^[@/$]/, "").split(":").map((part) => part.trim()).filter((part) =>
    part !== ""
  );
  const kind = KINDS.find((kind) => parts.slice(0, -1).includes(`${kind}s`));
  const path = parts.filter((part, i) => i === parts.length - 1 || (part !== "bmad" && part !== `${kind}s`));
  const word = path.join("/").replace(/^(the|agent) (?=.)/, "").replace(
    /(?<=.) (agent|workflow|task|skill)$/,
    "",
  );
  return { word, kind };
}

/** The ways in which an entry can answer to a word; the first that fits anything decides. */
const TIERS: readonly ((entry: Entry, word: string) => boolean)[] = [
  (entry, word) => entry.id.toLowerCase() === word || entry.name === word,
  (entry, word) => entry.displayName?.toLowerCase() === word,
  (entry, word) => asWords(entry.title) === asWords(word),
  (entry, word) => entry.name === shortName(word) || entry.name === shortName(word, entry.module),
  // Several words of a title: `test architect` is the `Master Test Architect and Quality Advisor`.
  (entry, word) => / /.test(asWords(word)) && ` ${asWords(entry.title)} `.includes(` ${asWords(word)} `),
];

function asWords(text: string | undefined): string {
  return (text ?? "").toLowerCase().split(/[\s-]+/).join(" ");
}

/** In one origin, a newer generation counts more than an older one. */
const NEWEST_FIRST: readonly Generation[] = ["skills", "v6", "v4", "v3"];

function kindOrder(entry: Entry): number {
  return KINDS.findIndex((kind) => isOf(entry, kind));
}

function pick(matches: readonly Entry[], word: string): NameOutcome {
  const cost = (entry: Entry) =>
    [
      Number(isHidden(entry)),
      entry.rank,
      // Found under another name of its own, or under this one.
      Number(!TIERS[0]!(entry, word)),
      NEWEST_FIRST.indexOf(entry.generation),
      Number(entry.id.toLowerCase() !== word),
      kindOrder(entry),
      // Expansion packs of v4 carry copies of the core's files.
      Number(entry.generation === "v4" && entry.module !== "bmad-core"),
    ] as const;
  const sorted = matches.toSorted((a, b) => compare(cost(a), cost(b)));
  const best = sorted[0]!;
  const equals = sorted.filter((entry) => compare(cost(entry), cost(best)) === 0);
  const things = new Set(equals.map(qualifiedName));
  return things.size === 1 ? { outcome: "found", entry: best } : { outcome: "ambiguous", candidates: equals };
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}
