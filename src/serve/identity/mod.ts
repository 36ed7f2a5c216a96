/**
 * Who sends a request over HTTP: by a token of their own, by a token of the company's issuer, or by the word of a proxy.
 *
 * Each way answers with a person, or with nothing; only the log says what was wrong with a token. A proxy is believed only
 * if the request comes from one of the addresses that the user has named.
 */
import { MAX_OWNER } from "../../base/model.ts";
import { isInSome, type Network } from "../../base/networks.ts";
import { isSameName, plainName } from "../../base/people.ts";
import { type GroupRules, isSamePerson, type Person, personOf } from "../../base/roles.ts";
import { once } from "../../base/work.ts";
import { idIn, type NamedToken, readTokens, tokenHash, tokensMark } from "../../process/named_tokens.ts";
import { LIMITS } from "../limits.ts";
import type { Issuer, IssuerRules } from "./issuer.ts";

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

export type NamedTokens = ReturnType<typeof openNamedTokens>;

/** Compared if no token has such an id, so that the answer takes as long. */
const NOBODY = "0".repeat(64);

/**
 * The tokens that the user has given to others. Their file is looked at with every token that arrives, and read again when it
 * has changed: a token that was revoked a moment ago is refused. `report` is called once for a file that cannot be used: no
 * named token is valid then.
 */
export function openNamedTokens(
  state: string,
  { now, report }: { now(): number; report(problem: string): void },
) {
  let [mark, tokens] = ["", new Map<string, NamedToken>()];
  const current = () => {
    const latest = tokensMark(state) ?? "";
    if (latest === mark) return tokens;
    mark = latest;
    try {
      const read = readTokens(state);
      // The same person stays the same object, by which answers are kept.
      tokens = new Map(read.map((one) => {
        const known = tokens.get(one.id);
        return [one.id, known !== undefined && isSame(known, one) ? known : one];
      }));
    } catch (error) {
      tokens = new Map();
      report((error as Error).message);
    }
    return tokens;
  };
  const isGood = ({ ends = Infinity }: NamedToken) => ends > now();
  return {
    withId: (id: string): NamedToken | undefined => {
      const token = current().get(id);
      return token !== undefined && isGood(token) ? token : undefined;
    },
    hasName: (name: string): boolean =>
      current().values().some((token) => isSameName(token.name, name) && isGood(token)),
    find: async (text: string): Promise<NamedToken | undefined> => {
      const token = current().get(idIn(text) ?? "");
      const isRight = isEqualSecret(await tokenHash(text), token?.hash ?? NOBODY);
      return isRight && token !== undefined && isGood(token) ? token : undefined;
    },
  };
}

function isSame(a: NamedToken, b: NamedToken): boolean {
  return isSamePerson(a, b) && a.hash === b.hash && a.ends === b.ends;
}

/** Compares in a time that depends on the length of what was shown, and so tells nothing about the secret. */
export function isEqualSecret(shown: string, secret: string): boolean {
  let difference = shown.length ^ secret.length;
  for (let at = 0; at < shown.length; at++) {
    difference |= shown.charCodeAt(at) ^ secret.charCodeAt(at % secret.length);
  }
  return difference === 0;
}
