/** Resolves a name to an entry, or fails with the candidates or with suggestions. */
import {
  findByName,
  isFormerName,
  lossNamed,
  missingOf,
  moduleNames,
  type NameOutcome,
  type NameQuery,
  resolveName,
  servedFor,
  V4_PERSONAS,
} from "../../catalog/mod.ts";
import { fail, failMissing } from "../../../base/errors.ts";
import { cachedWith, cacheRecent } from "../../../base/cache.ts";
import { LIMITS } from "../../limits.ts";
import { ANY_KIND, type Entry, qualifiedName, startedAs } from "../../../base/model.ts";
import { abbreviateList, pluralOf } from "../../../base/text.ts";
import { type Library, onlyOrigin, perLibrary } from "../library.ts";
import type { Order } from "../rows/row.ts";
import { supportingEntries } from "../files/supporting.ts";
import { renameNote } from "../entry_facts.ts";

export type Resolution = ReturnType<typeof explain>;

export function checkOrigin(library: Library, id: string): void {
  const known = library.sources.map(({ origin }) => origin.id);
  if (!known.includes(id)) failMissing("source", id, { known });
}

export function checkModule(library: Library, code: string): void {
  const names = moduleNames(code);
  const isAmong = (modules: ReadonlySet<string>) =>
    modules.values().some((one) => names.includes(one.toLowerCase()));
  const known = knownModules(library);
  // Those of other files are looked at last: they have to be listed first.
  if (isAmong(known) || isAmong(otherModules(library))) return;
  failMissing("module", code, { known: [...known] });
}

const knownModules = perLibrary(({ sources }): ReadonlySet<string> =>
  new Set(sources.flatMap(({ inventory: { modules, items } }) => [
    ...modules.map(({ code }) => code),
    ...items.map(({ module }) => module),
  ]))
);

/** Folders that have only templates or other files, which lists show under the folder's name. */
const otherModules = perLibrary((library): ReadonlySet<string> =>
  new Set(supportingEntries(library).map(({ module }) => module))
);

const cachedOutcomes = cachedWith((_: Library) => cacheRecent<NameOutcome>(256));

function resolveOutcome(library: Library, query: NameQuery): NameOutcome {
  const { name, module, kind, origin, isSame } = query;
  return cachedOutcomes(library)(JSON.stringify([name, module, kind, origin, isSame]), () => {
    const view = origin === undefined ? library : onlyOrigin(library, origin);
    const listed = resolveName(view.manifest.entries, query);
    if (listed.outcome !== "missing") return asServed(view, listed);
    const renamed = resolveName(ownNames(view), query);
    if (renamed.outcome !== "missing") return asServed(view, renamed);
    if (listed.isLost) return listed;
    const supporting = resolveName(supportingEntries(view), query);
    return supporting.outcome === "missing" ? listed : supporting;
  });
}

/** Customized agents under the names in their own files, which other texts still use. */
const ownNames = perLibrary(({ manifest, customized }): readonly Entry[] =>
  customized.size === 0 ? [] : manifest.entries.flatMap(({ key }) => customized.get(key)?.own ?? [])
);

/** An overridden record means the one that is served instead, unless a module excludes that. */
function asServed(
  { manifest, customized }: Library,
  found: Exclude<NameOutcome, { outcome: "missing" }>,
): NameOutcome {
  const { module } = found.lookup.reading;
  const servedIn = (found: Entry) => {
    const entry = customized.get(found.key)?.served ?? found;
    const served = servedFor(manifest, entry);
    return module === undefined || moduleNames(module).includes(served.module.toLowerCase()) ? served : entry;
  };
  if (found.outcome === "found") return { ...found, entry: servedIn(found.entry) };
  const [entry, ...others] = new Set(found.candidates.map(servedIn));
  return others.length === 0
    ? { outcome: "found", entry: entry!, lookup: found.lookup }
    : { ...found, candidates: [entry!, ...others] };
}

export function resolveEntry(
  library: Library,
  query: NameQuery,
  { resolved, order = (entries) => entries }: {
    readonly resolved?: (resolution: Resolution) => void;
    readonly order?: Order;
  } = {},
): Entry {
  if (query.origin !== undefined) checkOrigin(library, query.origin);
  if (query.module) checkModule(query.origin === undefined ? library : library.whole, query.module);
  const outcome = resolveOutcome(library, query);
  resolved?.(explain(query, outcome));
  const { name, kind } = query;
  switch (outcome.outcome) {
    case "found":
      return outcome.entry;
    case "ambiguous": {
      const candidates = order(outcome.candidates)
        .map((entry) => ({ name: qualifiedName(entry), description: entry.description }));
      return fail({ code: "ambiguous", what: kind ?? "item", name, candidates });
    }
    case "missing": {
      const { suggestions } = outcome;
      const unserved = lostFile(library, query) ?? inReserve(library, query);
      const facts = ofAnyKind(library, query) ?? (unserved && { suggestions, ...unserved }) ??
        lossHint(library, query) ??
        (isFormerName(name) ? { hint: `Agents here: ${namesHere(library, "agent")}` } : undefined);
      const hint = suggestions.length > 0 ? undefined : "Search for it, or list what is available";
      return fail({ code: "not-found", what: kind ?? ANY_KIND, name, ...facts ?? { suggestions, hint } });
    }
  }
}

function ofAnyKind(library: Library, { kind, ...query }: NameQuery) {
  const found = kind === undefined ? undefined : resolveOutcome(library, query);
  if (found?.outcome !== "found") return undefined;
  const { entry } = found;
  const isSuccessor = renameNote(library, query.name, entry) !== undefined;
  return { other: { name: qualifiedName(entry), kind: startedAs(entry), isSuccessor } };
}

function lostFile(library: Library, query: NameQuery) {
  const { manifest } = query.origin === undefined ? library : onlyOrigin(library, query.origin);
  const named = missingOf(manifest).map((entry) => ({ displayName: V4_PERSONAS[entry.name], ...entry }));
  const found = findByName(named.map((entry) => ({ ...entry, status: "verified" })), query);
  if (found === undefined) return undefined;
  const [kind, { location }] = [startedAs(found), found.origin];
  return {
    hint: `A manifest in ${location} lists it, but its file is missing; ${pluralOf(kind)} here: ${
      namesHere(library, kind)
    }`,
    suggestions: [],
  };
}

function namesHere({ visible }: Library, kind: string): string {
  const names = new Set(visible.filter((entry) => startedAs(entry) === kind).map((entry) => entry.name));
  return abbreviateList([...names], LIMITS.lists.candidates) || "none";
}

function inReserve({ whole, manifest }: Library, query: NameQuery) {
  const isWhole = whole.manifest === manifest || query.origin !== undefined;
  const entry = isWhole ? undefined : findByName(whole.manifest.entries, query);
  if (entry === undefined) return undefined;
  const { id: origin } = entry.origin;
  return { hint: standbyHint(`${qualifiedName(entry)} ${entry.version ?? ""}`.trimEnd(), origin), origin };
}

export function standbyHint(what: string, origin: string): string {
  return `This project has its own BMAD, so ${what} is used only if you choose the source "${origin}"`;
}

function lossHint(library: Library, { name, origin }: NameQuery) {
  const loss = lossNamed(name);
  if (loss === undefined) return undefined;
  const nearest = loss.nearest.map((near) => resolveOutcome(library, { name: near, origin }))
    .flatMap((found) => found.outcome === "found" ? [qualifiedName(found.entry)] : []);
  const { module } = loss;
  const end = nearest.length === 0 ? "" : `; the nearest here is ${nearest.join(", then ")}`;
  if (module === undefined) return { hint: `Older releases of BMAD had it, and nothing replaced it${end}` };
  const isHere = knownModules(library).has(module);
  const where = isHere ? "" : ", which is not installed here";
  return {
    hint: `Older releases of BMAD had it; its work is now that of the module ${module}${where}${end}`,
    ...(!isHere && { module }),
  };
}

function explain({ name, kind, module }: NameQuery, outcome: NameOutcome) {
  const given = { name, outcome: outcome.outcome };
  if (outcome.outcome === "missing") {
    const { suggestions } = outcome;
    return { ...given, filters: { kind, module }, candidates: [], total: 0, suggestions };
  }
  const { reading, matches } = outcome.lookup;
  return {
    ...given,
    filters: reading,
    candidates: matches.slice(0, LIMITS.lists.candidates).map(describeCandidate),
    total: matches.length,
    selected: outcome.outcome === "found" ? describeCandidate(outcome.entry) : undefined,
  };
}

function describeCandidate(entry: Entry) {
  const { file, origin: { id, priority, location } } = entry;
  return { name: qualifiedName(entry), origin: id, priority, file, location };
}
