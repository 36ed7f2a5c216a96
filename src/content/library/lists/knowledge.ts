/** First the index of a domain, then the fragments that are chosen from it. */
import { suggest } from "../../../base/suggestions.ts";
import { cachedWith } from "../../../base/cache.ts";
import { fail, failMissing } from "../../../base/errors.ts";
import { shortName } from "../../../base/model.ts";
import {
  curatedDomains,
  describeFragment,
  type Fragment,
  fragmentsOf,
  withoutCopies,
} from "../files/fragments.ts";
import { slug } from "../../../base/values.ts";
import { type Library, onlyOrigin, perLibrary } from "../library.ts";
import { type FileContent, readFile } from "../files/reading.ts";
import { LazyRow, type Row } from "../rows/row.ts";
import { checkOrigin, standbyHint } from "./resolution.ts";
import { LIMITS } from "../../limits.ts";

type KnowledgeRequest = Partial<Record<"domain" | "topic" | "origin", string>>;

export type Knowledge =
  | { readonly is: "index"; readonly of: string; readonly rows: readonly Row[] }
  | { readonly is: "fragments"; readonly files: readonly FragmentContent[] };

export interface FragmentContent extends FileContent {
  readonly origin: string;
}

export function findKnowledge(given: Library, { domain, topic, origin }: KnowledgeRequest): Knowledge {
  if (origin !== undefined) checkOrigin(given, origin);
  const library = origin === undefined ? given : onlyOrigin(given, origin);
  if (domain === undefined) return { is: "index", of: "knowledge domains", rows: domainRows(library) };
  const pool = inDomain(library, domain);
  if (pool.length === 0) {
    const reserve = origin === undefined ? inReserve(given, domain) : undefined;
    if (reserve?.isCurated) return findKnowledge(given, { domain, topic, origin: reserve.origin });
    return failToFindDomain([...domainsOf(library).keys()], domain, reserve?.origin);
  }
  if (topic === undefined) {
    return indexOf(pool, `fragments on ${domain}${origin === undefined ? "" : ` from ${origin}`}`);
  }
  const contents = (fragments: readonly Fragment[]): Knowledge => ({
    is: "fragments",
    files: fragments.map(({ file: { uri, source } }) => ({
      ...readFile(library, uri)!,
      origin: source.origin.id,
    })),
  });
  const named = topic.split(",").map((name) => findNamed(library, pool, name));
  if (named.every((found) => found.length > 0)) return contents(named.flat());
  const matching = onSubject(pool, topic);
  if (matching.length === 0) return failToFindTopic(pool, domain, topic);
  return matching.length === 1
    ? contents(matching)
    : indexOf(matching, `fragments on ${domain} that match "${topic}"`);
}

/** It has stepped back, and has a domain that none of the project's sources has: best a curated one. */
function inReserve(library: Library, domain: string) {
  const reserves = library.whole.sources.filter((source) => !library.sources.includes(source))
    .map(({ origin: { id } }) => ({ origin: id, own: onlyOrigin(library, id) }));
  const curated = reserves.find(({ own }) => curatedDomains(own).has(slug(domain)));
  const found = curated ?? reserves.find(({ own }) => inDomain(own, domain).length > 0);
  return found && { origin: found.origin, isCurated: found === curated };
}

const domainsOf = perLibrary((library): ReadonlyMap<string, readonly Fragment[]> => {
  const named = Map.groupBy(fragmentsOf(library), ({ domain }) => domain);
  const curated = curatedDomains(library).entries()
    .map(([name, own]) => [name, [...new Set([...own, ...named.get(name) ?? []])]] as const);
  return new Map([...named, ...curated]);
});

function inDomain(library: Library, asked: string): readonly Fragment[] {
  const all = fragmentsOf(library);
  const word = slug(asked);
  const own = [...new Set([word, shortName(word)])].flatMap((name) => domainsOf(library).get(name) ?? []);
  const first = own.length > 0 ? own : all.filter(({ module }) => slug(module) === word);
  return withoutCopies([...first, ...onSubject(all, asked)]);
}

function findNamed(library: Library, pool: readonly Fragment[], name: string): readonly Fragment[] {
  const wanted = slug(name.replace(/\.(?:md|csv|ya?ml|txt)\s*$/i, ""));
  const found = (wanted === "" ? [] : byName(library).get(wanted) ?? []).map(({ fragment }) => fragment);
  const own = found.filter((fragment) => pool.includes(fragment));
  return withoutCopies(own.length > 0 ? own : found);
}

const byName = perLibrary((library) => {
  const curated = curatedDomains(library).values().flatMap((own) => own);
  const named = [...new Set([...fragmentsOf(library), ...curated])].flatMap((fragment) => {
    const { domain, id, title = "" } = fragment;
    return [...new Set([id, `${domain}/${id}`, title].map(slug))].map((name) => ({ name, fragment }));
  });
  return Map.groupBy(named, ({ name }) => name);
});

function onSubject(pool: readonly Fragment[], text: string): readonly Fragment[] {
  const wanted = wordsOf(text);
  if (wanted.length === 0) return [];
  return pool.filter((fragment) => {
    const terms = termsOf(fragment);
    return wanted.every((word) => terms.has(word));
  });
}

const termsOf = cachedWith(({ domain, id, title = "", tags }: Fragment): ReadonlySet<string> =>
  new Set(wordsOf([domain, id, title, ...tags].join(" ")))
);

function wordsOf(text: string): readonly string[] {
  const words = text.normalize().toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => word.length > 3 ? word.replace(/s$/, "") : word);
}

function domainRows(library: Library): readonly Row[] {
  return [...domainsOf(library).keys()].sort().map((domain) =>
    new LazyRow(() => {
      const fragments = inDomain(library, domain);
      const modules = [...new Set(fragments.map(({ module }) => module))];
      const ids = fragments.slice(0, 5).map(({ id }) => id).join(", ");
      return {
        name: domain,
        about: `${fragments.length} in ${modules.join(", ")}: ${ids}${fragments.length > 5 ? ", …" : ""}`,
        data: { domain, modules, fragments: fragments.length },
      };
    })
  );
}

function indexOf(fragments: readonly Fragment[], of: string): Knowledge {
  const isMixed = fragments.some(({ domain }) => domain !== fragments[0]!.domain);
  const rows = fragments.map((fragment): Row => {
    const { domain, id, module, tags, tier, file } = fragment;
    const { title, about } = describeFragment(fragment);
    const known = tags.length > 0 ? `[${tags.join(", ")}]` : "";
    const place = { uri: file.uri, origin: file.source.origin.id };
    return {
      name: isMixed ? `${domain}/${id}` : id,
      about: [`${title} ${known}`.trim(), about].filter((text) => text !== "").join(": "),
      data: { id, domain, module, name: title || id, description: about, tags, tier, ...place },
    };
  });
  return { is: "index", of, rows };
}

function failToFindDomain(domains: readonly string[], domain: string, origin?: string): never {
  const failure = { code: "not-found", what: "knowledge domain", name: domain } as const;
  if (origin !== undefined) return fail({ ...failure, origin, hint: standbyHint("this domain", origin) });
  const names = domains.toSorted();
  const spelled = names.map((name) => ({ label: name, spellings: spellingsOf(name) }));
  const suggestions = suggest(slug(domain).slice(0, LIMITS.lists.suggestedName), spelled);
  const hint = names.length === 0 ? "The served content has no knowledge" : `Domains: ${names.join(", ")}`;
  return fail({ ...failure, suggestions, hint });
}

function failToFindTopic(pool: readonly Fragment[], domain: string, topic: string): never {
  const spelled = pool.map(({ id, title = "" }) => ({
    label: id,
    spellings: [...spellingsOf(id), ...spellingsOf(slug(title))],
  }));
  const isRelated = (fragment: Fragment) =>
    wordsOf(topic).some((word) => onSubject([fragment], word).length > 0);
  const related = pool.filter(isRelated);
  const similar = suggest(slug(topic).slice(0, LIMITS.lists.suggestedName), spelled);
  const suggestions = [...new Set([...similar, ...related.map(({ id }) => id)])].slice(0, 5);
  const hint = `Leave out the topic to list all ${pool.length} fragments on ${domain}`;
  return failMissing(`fragment on ${domain}`, topic, { suggestions, hint });
}

function spellingsOf(name: string): readonly string[] {
  return [name, ...name.split("-").filter((word) => word.length > 3)];
}
