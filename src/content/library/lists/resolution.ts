/**
 * From a name to the entry it means, or to a failure that says what else it could be; and, for those who want to
 * know, how that came about.
 */
import { type NameOutcome, type NameQuery, type Reading, resolveName } from "../../catalog/mod.ts";
import { fail } from "../../../base/errors.ts";
import { cachedWith, cacheRecent } from "../../../base/cache.ts";
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { suggest } from "../../../base/suggestions.ts";
import type { Library } from "../library.ts";
import type { Order } from "./filter.ts";
import { supportingEntries } from "./supporting.ts";

/** How a name was resolved. */
export interface Resolution {
  /** As it was asked for. */
  readonly name: string;
  /** Whether it means one thing, several or none. */
  readonly outcome: NameOutcome["outcome"];
  /** What the name was read as and what was filtered by; of a missing name, what was asked for. */
  readonly filters: Partial<Reading>;
  /** What answers to it, best first, with what a better origin shadows; the first of many. */
  readonly candidates: readonly Finding[];
  /** How many candidates there are in all. */
  readonly total: number;
  /** The one that was taken. */
  readonly selected?: Finding;
  /** Similar names, where the name is unknown. */
  readonly near?: readonly string[];
}

/** An entry, and where it was found. */
export interface Finding {
  /** The qualified name. */
  readonly name: string;
  /** The id of its origin. */
  readonly origin: string;
  /** The priority of its origin: the lowest number wins. */
  readonly priority: number;
  /** The file, in its origin. */
  readonly file: string;
  /** Where the origin is. */
  readonly location: string;
}

/** Fails unless there is an origin of this id. */
export function checkOrigin(library: Library, id: string): void {
  const ids = library.holdings.map(({ origin }) => origin.id);
  if (ids.includes(id)) return;
  const near = suggest(id.toLowerCase(), ids);
  fail({
    code: "not-found",
    what: "origin",
    name: id,
    suggestions: near,
    hint: `There are ${ids.join(", ")}`,
  });
}

/** What else a resolution may need. */
export interface ResolveOptions {
  /** Told how it came about. */
  readonly resolved?: (resolution: Resolution) => void;
  /** Puts candidates that fit equally in the order in which they are likely meant. */
  readonly order?: Order;
}

/** The same few names are asked for again and again. */
const outcomesOf = cachedWith((_: Library) => cacheRecent<NameOutcome>(256));

function outcomeOf(library: Library, query: NameQuery): NameOutcome {
  const { name, module, kind, origin } = query;
  return outcomesOf(library)(JSON.stringify([name, module, kind, origin]), () => {
    const listed = resolveName(library.manifest.entries, query);
    const inside = listed.outcome === "missing" ? resolveName(supportingEntries(library), query) : listed;
    return inside.outcome === "missing" ? listed : inside;
  });
}

/** The entry that a name means, or a failure that says what else it could be. */
export function resolveEntry(
  library: Library,
  query: NameQuery,
  { resolved, order = (entries) => entries }: ResolveOptions = {},
): Entry {
  if (query.origin !== undefined) checkOrigin(library, query.origin);
  const outcome = outcomeOf(library, query);
  resolved?.(explain(query, outcome));
  switch (outcome.outcome) {
    case "found":
      return outcome.entry;
    case "ambiguous":
      return fail({
        code: "ambiguous",
        what: query.kind ?? "thing",
        name: query.name,
        candidates: order(outcome.candidates).map((entry) => ({
          name: qualifiedName(entry),
          description: entry.description,
        })),
      });
    case "missing":
      return fail({
        code: "not-found",
        what: query.kind ?? "thing",
        name: query.name,
        suggestions: outcome.suggestions,
        hint: lostFile(library, query) ??
          (outcome.suggestions.length > 0 ? undefined : "Search for it, or list what there is"),
      });
  }
}

/** Says so when a manifest tells of the thing and its file is gone. */
function lostFile(library: Library, query: NameQuery): string | undefined {
  const lost = library.manifest.entries.filter((entry) => entry.status === "no-file-found");
  const found = resolveName(lost.map((entry) => ({ ...entry, status: "verified" as const })), query);
  if (found.outcome !== "found") return undefined;
  return `A manifest in ${found.entry.origin.location} tells of it, but its file is missing`;
}

/** The most candidates that are told of. */
const MOST_FINDINGS = 20;

function explain(query: NameQuery, outcome: NameOutcome): Resolution {
  const asked = { name: query.name, outcome: outcome.outcome };
  if (outcome.outcome === "missing") {
    const { kind, module } = query;
    return { ...asked, filters: { kind, module }, candidates: [], total: 0, near: outcome.suggestions };
  }
  const { reading, matches } = outcome.lookup;
  return {
    ...asked,
    filters: reading,
    candidates: matches.slice(0, MOST_FINDINGS).map(findingOf),
    total: matches.length,
    selected: outcome.outcome === "found" ? findingOf(outcome.entry) : undefined,
  };
}

function findingOf(entry: Entry): Finding {
  const { file, origin: { id, priority, location } } = entry;
  return { name: qualifiedName(entry), origin: id, priority, file, location };
}
