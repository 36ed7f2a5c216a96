/**
 * The word of a proxy that has signed people in: believed only if the request comes from one of the addresses that the
 * user has named.
 */
import { isInSome, type Network } from "../../base/networks.ts";
import { type GroupRules, type Person, personOf } from "../../base/roles.ts";
import { plainName } from "../../base/people.ts";
import { MAX_OWNER } from "../../base/model.ts";
import { openPeople } from "./people.ts";

/** Which proxy is believed, and how it names people. */
export interface ProxyRules extends GroupRules {
  /** Addresses and networks. */
  readonly from: readonly Network[];
  readonly userHeader: string;
  readonly groupsHeader: string;
}

/** The proxies of a company. */
export interface Proxies {
  /**
   * Who a proxy says has sent a request: undefined if it is no proxy of ours, or names nobody; "no role" for somebody whose
   * groups give none.
   */
  find(address: string, headers: Pick<Headers, "get">): Person | "no role" | undefined;
}

/** Opens them. */
export function openProxies(rules: ProxyRules): Proxies {
  const same = openPeople();
  return {
    find: (address, headers) => {
      const person = personOfProxy(rules, address, headers);
      return person === undefined || person === "no role" ? person : same(person);
    },
  };
}

function personOfProxy(
  rules: ProxyRules,
  address: string,
  headers: Pick<Headers, "get">,
): Person | "no role" | undefined {
  if (!isInSome(address, rules.from)) return undefined;
  const name = plainName(headers.get(rules.userHeader) ?? "");
  // Several headers are joined by commas: the first may be a client's own.
  if (name === "" || name.length > MAX_OWNER || name.includes(",")) return undefined;
  const groups = (headers.get(rules.groupsHeader) ?? "").split(",").map((group) => group.trim());
  return personOf(name, groups, rules) ?? "no role";
}
