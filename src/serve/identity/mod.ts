/**
 * Who sends a request over HTTP: by a token of their own, by a token of the company's issuer, or by the word of a proxy.
 *
 * Each way answers with a person, or with nothing; only the log says what was wrong with a token. A proxy is believed only
 * if the request comes from one of the addresses that the user has named.
 */
import { MAX_OWNER } from "../../base/model.ts";
import { isInSome, type Network } from "../../base/networks.ts";
import { plainName } from "../../base/people.ts";
import { type GroupRules, type Person, personOf } from "../../base/roles.ts";
import { LIMITS } from "../limits.ts";
import { once } from "../../base/work.ts";
import type { Issuer, IssuerRules } from "./issuer.ts";

export { isEqualSecret, type NamedTokens, openNamedTokens } from "./named.ts";
export type { Issuer, IssuerRules } from "./issuer.ts";

/** Loads the library with the first token. */
export function openIssuer(
  rules: IssuerRules,
  tools: { now(): number; report(problem: string): void },
): Issuer {
  const opened = once(async () => (await import("./issuer.ts")).openIssuer(rules, tools));
  const same = openPeople();
  return {
    find: async (text) => {
      const found = await (await opened()).find(text);
      return typeof found === "object" ? { ...found, person: same(found.person) } : found;
    },
  };
}

interface ProxyRules extends GroupRules {
  readonly from: readonly Network[];
  readonly userHeader: string;
  readonly groupsHeader: string;
}

export interface Proxies {
  /** Undefined if the address is not a proxy of ours, or names nobody; "no role" if the groups give none. */
  find(address: string, headers: Pick<Headers, "get">): Person | "no role" | undefined;
}

export function openProxies(rules: ProxyRules): Proxies {
  const same = openPeople();
  return {
    find: (address, headers) => {
      if (!isInSome(address, rules.from)) return undefined;
      const name = plainName(headers.get(rules.userHeader) ?? "");
      // Several headers are joined by commas: the first may be a client's own.
      if (name === "" || name.length > MAX_OWNER || name.includes(",")) return undefined;
      const groups = (headers.get(rules.groupsHeader) ?? "").split(",").map((group) => group.trim());
      const person = personOf(name, groups, rules);
      return person === undefined ? "no role" : same(person);
    },
  };
}

/** The same person stays the same object, by which answers are kept; those who have not come for the longest are forgotten. */
function openPeople(): (person: Person) => Person {
  const people = new Map<string, Person>();
  return (person) => {
    const key = JSON.stringify([person.name, person.role, person.projects]);
    const known = people.get(key) ?? person;
    people.delete(key);
    people.set(key, known);
    if (people.size > LIMITS.identity.people) people.delete(people.keys().next().value!);
    return known;
  };
}
