/**
 * Knowledge on demand: first the index of a domain, then the fragments that are chosen from it.
 *
 * A domain is one that content names (`testarch`), the item or the module with the fragments, or any subject in their
 * names and tags (`architecture`, `patterns`).
 */
import { suggest } from "../../../base/suggestions.ts";
import { fail } from "../../../base/errors.ts";
import { shortName } from "../../../base/model.ts";
import { describeFragment, type Fragment, fragmentsOf, withoutCopies } from "../files/fragments.ts";
import { slug } from "../../../base/values.ts";
import { type Library, perLibrary } from "../library.ts";
import { type FileContent, readFile } from "../files/reading.ts";
import type { Row } from "../rows/row.ts";

/** What to look up. */
export interface KnowledgeRequest {
  /** Such as `testarch`; without it, all domains are listed. */
  readonly domain?: string;
  /** Comma-separated ids of fragments, or words; without it, the domain's index is returned. */
  readonly topic?: string;
}

/** An index to choose from, or the chosen fragments. */
export type Knowledge =
  | { readonly is: "index"; readonly of: string; readonly rows: readonly Row[] }
  | { readonly is: "fragments"; readonly files: readonly FileContent[] };

export function findKnowledge(library: Library, { domain, topic }: KnowledgeRequest): Knowledge {
  const all = fragmentsOf(library);
  if (domain === undefined) return { is: "index", of: "knowledge domains", rows: domainRows(all) };
  const pool = inDomain(all, domain);
  if (pool.length === 0) return failToFindDomain(all, domain);
  if (topic === undefined) return indexOf(pool, `fragments on ${domain}`);
  const named = topic.split(",").map((name) => findNamed(library, pool, name));
  if (named.every((found) => found.length > 0)) {
    return { is: "fragments", files: named.flat().map(({ file }) => readFile(library, file.uri)!) };
  }
  const matching = onSubject(pool, topic);
  if (matching.length === 0) return failToFindTopic(pool, domain, topic);
  return matching.length === 1
    ? { is: "fragments", files: [readFile(library, matching[0]!.file.uri)!] }
    : indexOf(matching, `fragments on ${domain} that match "${topic}"`);
}

/** The fragments of a domain or a module, then others on the same subject. */
function inDomain(all: readonly Fragment[], asked: string): readonly Fragment[] {
  const word = slug(asked);
  const names = [word, shortName(word)];
  const own = all.filter(({ domain }) => names.includes(domain));
  const first = own.length > 0 ? own : all.filter(({ module }) => slug(module) === word);
  return withoutCopies([...first, ...onSubject(all, asked)]);
}

/** The fragments with a name: an id, with or without its domain and its extension, or a title. */
function findNamed(library: Library, pool: readonly Fragment[], name: string): readonly Fragment[] {
  const wanted = slug(name.replace(/\.(?:md|csv|ya?ml|txt)\s*$/i, ""));
  const found = (wanted === "" ? [] : byName(library).get(wanted) ?? []).map(({ fragment }) => fragment);
  const own = found.filter((fragment) => pool.includes(fragment));
  // One of another domain is better than none.
  return withoutCopies(own.length > 0 ? own : found);
}

const byName = perLibrary((library) => {
  const named = fragmentsOf(library).flatMap((fragment) => {
    const { domain, id, title = "" } = fragment;
    return [...new Set([id, `${domain}/${id}`, title].map(slug))].map((name) => ({ name, fragment }));
  });
  return Map.groupBy(named, ({ name }) => name);
});

/** The fragments whose domain, id, title and tags have all words of a text, in singular or plural. */
function onSubject(pool: readonly Fragment[], text: string): readonly Fragment[] {
  const wanted = wordsOf(text);
  if (wanted.length === 0) return [];
  return pool.filter(({ domain, id, title = "", tags }) => {
    const words = new Set(wordsOf([domain, id, title, ...tags].join(" ")));
    return wanted.every((word) => words.has(word));
  });
}

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => word.length > 3 ? word.replace(/s$/, "") : word);
}

function domainRows(all: readonly Fragment[]): readonly Row[] {
  const domains = Map.groupBy(all, ({ domain }) => domain);
  return [...domains].sort(([a], [b]) => (a < b ? -1 : 1)).map(([domain, fragments]) => {
    const modules = [...new Set(fragments.map(({ module }) => module))];
    const ids = fragments.slice(0, 5).map(({ id }) => id).join(", ");
    return {
      name: domain,
      about: `${fragments.length} in ${modules.join(", ")}: ${ids}${fragments.length > 5 ? ", …" : ""}`,
      data: { domain, modules, fragments: fragments.length },
    };
  });
}

function indexOf(fragments: readonly Fragment[], of: string): Knowledge {
  const isMixed = fragments.some(({ domain }) => domain !== fragments[0]!.domain);
  const rows = fragments.map((fragment): Row => {
    const { domain, id, module, tags, tier, file } = fragment;
    const { title, about } = describeFragment(fragment);
    const known = tags.length > 0 ? `[${tags.join(", ")}]` : "";
    return {
      name: isMixed ? `${domain}/${id}` : id,
      about: [`${title} ${known}`.trim(), about].filter((text) => text !== "").join(": "),
      data: { id, domain, module, name: title || id, description: about, tags, tier, uri: file.uri },
    };
  });
  return { is: "index", of, rows };
}

/** Longer than any name. */
const MAX_NAME = 60;

function failToFindDomain(all: readonly Fragment[], domain: string): never {
  const names = [...new Set(all.map((fragment) => fragment.domain))].sort();
  const spelled = names.map((name) => ({ label: name, spellings: spellingsOf(name) }));
  const suggestions = suggest(slug(domain).slice(0, MAX_NAME), spelled);
  const hint = names.length === 0 ? "The served content has no knowledge" : `Domains: ${names.join(", ")}`;
  return fail({ code: "not-found", what: "knowledge domain", name: domain, suggestions, hint });
}

function failToFindTopic(pool: readonly Fragment[], domain: string, topic: string): never {
  const spelled = pool.map(({ id, title = "" }) => ({
    label: id,
    spellings: [...spellingsOf(id), ...spellingsOf(slug(title))],
  }));
  const isRelated = (fragment: Fragment) =>
    wordsOf(topic).some((word) => onSubject([fragment], word).length > 0);
  const related = pool.filter(isRelated);
  const similar = suggest(slug(topic).slice(0, MAX_NAME), spelled);
  const suggestions = [...new Set([...similar, ...related.map(({ id }) => id)])].slice(0, 5);
  const hint = `Leave out the topic to list all ${pool.length} fragments on ${domain}`;
  return fail({ code: "not-found", what: `fragment on ${domain}`, name: topic, suggestions, hint });
}

/** A name, and its longer words. */
function spellingsOf(name: string): readonly string[] {
  return [name, ...name.split("-").filter((word) => word.length > 3)];
}
