/**
 * Knowledge on demand: the index of a domain first, and of it the fragments that are asked for.
 *
 * A domain is what content calls so (`testarch`), the thing or the module that has the fragments, or any subject that
 * their names and tags speak of (`architecture`, `patterns`).
 */
import { suggest } from "../../../base/suggestions.ts";
import { fail } from "../../../base/errors.ts";
import { shortName } from "../../../base/model.ts";
import { type Fragment, fragmentsOf, introduce, withoutCopies } from "./fragments.ts";
import { slug } from "../../../base/values.ts";
import { type Library, perLibrary } from "../library.ts";
import { type FileContent, readFile } from "../files/reading.ts";
import type { Row } from "./row.ts";

/** What somebody wants to know about. */
export interface KnowledgeRequest {
  /** Such as `testarch`; without it, the domains are listed. */
  readonly domain?: string;
  /** The ids of fragments, with commas between, or words; without it, the domain's index is given. */
  readonly topic?: string;
}

/** An index to choose from, or the fragments that were chosen. */
export type Knowledge =
  | { readonly is: "index"; readonly of: string; readonly rows: readonly Row[] }
  | { readonly is: "fragments"; readonly files: readonly FileContent[] };

/** What a library knows about something, or a failure with what comes near. */
export function findKnowledge(library: Library, { domain, topic }: KnowledgeRequest): Knowledge {
  const all = fragmentsOf(library);
  if (domain === undefined) return { is: "index", of: "domains of knowledge", rows: domainRows(all) };
  const pool = inDomain(all, domain);
  if (pool.length === 0) return failToFindDomain(all, domain);
  if (topic === undefined) return indexOf(pool, `fragments on ${domain}`);
  const named = topic.split(",").map((name) => findNamed(library, pool, name));
  if (named.every((found) => found.length > 0)) {
    return { is: "fragments", files: named.flat().map(({ file }) => readFile(library, file.uri)) };
  }
  const fitting = onSubject(pool, topic);
  if (fitting.length === 0) return failToFindTopic(pool, domain, topic);
  return fitting.length === 1
    ? { is: "fragments", files: [readFile(library, fitting[0]!.file.uri)] }
    : indexOf(fitting, `fragments on ${domain} that fit "${topic}"`);
}

/** The fragments of a domain or a module, then others that speak of the same subject. */
function inDomain(all: readonly Fragment[], asked: string): readonly Fragment[] {
  const word = slug(asked);
  const names = [word, shortName(word)];
  const own = all.filter(({ domain }) => names.includes(domain));
  const first = own.length > 0 ? own : all.filter(({ module }) => slug(module) === word);
  return withoutCopies([...first, ...onSubject(all, asked)]);
}

/** The fragments with a name: an id, with or without its domain and its ending, or a title. */
function findNamed(library: Library, pool: readonly Fragment[], name: string): readonly Fragment[] {
  const found = byName(library).get(slug(name.replace(/\.(?:md|csv|ya?ml|txt)\s*$/i, ""))) ?? [];
  const near = found.filter((fragment) => pool.includes(fragment));
  // Better one of another domain than none.
  return withoutCopies(near.length > 0 ? near : found);
}

const byName = perLibrary((library) => {
  const found = new Map<string, Fragment[]>();
  for (const fragment of fragmentsOf(library)) {
    const { domain, id, title = "" } = fragment;
    for (const name of new Set([id, `${domain}/${id}`, title].map(slug).filter((name) => name !== ""))) {
      const same = found.get(name);
      if (same === undefined) found.set(name, [fragment]);
      else same.push(fragment);
    }
  }
  return found;
});

/** The fragments whose domain, id, title or tags have all words of a text, in the singular or the plural. */
function onSubject(pool: readonly Fragment[], text: string): readonly Fragment[] {
  const wanted = wordsOf(text);
  if (wanted.length === 0) return [];
  return pool.filter((fragment) => {
    const words = new Set(subjectsOf(fragment));
    return wanted.every((word) => words.has(word));
  });
}

function subjectsOf({ domain, id, title = "", tags }: Fragment): readonly string[] {
  return wordsOf([domain, id, title, ...tags].join(" "));
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
    const { title, about } = introduce(fragment);
    const known = tags.length > 0 ? `[${tags.join(", ")}]` : "";
    return {
      name: isMixed ? `${domain}/${id}` : id,
      about: [`${title} ${known}`.trim(), about].filter((text) => text !== "").join(": "),
      data: { id, domain, module, name: title || id, description: about, tags, tier, uri: file.uri },
    };
  });
  return { is: "index", of, rows };
}

/** What is longer resembles no name. */
const LONGEST_NAME = 60;

function failToFindDomain(all: readonly Fragment[], domain: string): never {
  const names = [...new Set(all.map((fragment) => fragment.domain))].sort();
  const near = suggest(
    slug(domain).slice(0, LONGEST_NAME),
    names.map((name) => ({ label: name, spellings: spellingsOf(name) })),
  );
  const hint = names.length === 0 ? "Nothing that is served has any" : `Domains: ${names.join(", ")}`;
  return fail({ code: "not-found", what: "domain of knowledge", name: domain, suggestions: near, hint });
}

function failToFindTopic(pool: readonly Fragment[], domain: string, topic: string): never {
  const spelled = pool.map(({ id, title = "" }) => ({
    label: id,
    spellings: [...spellingsOf(id), ...spellingsOf(slug(title))],
  }));
  const like = pool.filter((fragment) =>
    wordsOf(topic).some((word) => onSubject([fragment], word).length > 0)
  );
  const near = [
    ...new Set([...suggest(slug(topic).slice(0, LONGEST_NAME), spelled), ...like.map(({ id }) => id)]),
  ].slice(0, 5);
  const hint = `Ask without a topic for all ${pool.length} fragments on ${domain}`;
  return fail({ code: "not-found", what: `fragment on ${domain}`, name: topic, suggestions: near, hint });
}

/** A name and the longer words in it. */
function spellingsOf(name: string): readonly string[] {
  return [name, ...name.split("-").filter((word) => word.length > 3)];
}
