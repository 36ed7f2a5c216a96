/**
 * Who sends a request over HTTP: by a token of their own, by a token of the company's issuer, or by the word of a proxy.
 *
 * Each way answers with a person, or with nothing; what was wrong with a token, only the log says.
 */
import { once } from "../../base/work.ts";
import type { Issuer, IssuerRules } from "./issuer.ts";

export { type NamedTokens, openNamedTokens } from "./named.ts";
export type { Issuer, IssuerRules, Signed } from "./issuer.ts";
export { openProxies, type Proxies, type ProxyRules } from "./proxy.ts";

/** Opens the issuer with its first token: no server without one loads the library. */
export function openIssuer(
  rules: IssuerRules,
  tools: { now(): number; report(problem: string): void },
): Issuer {
  const opened = once(async () => (await import("./issuer.ts")).openIssuer(rules, tools));
  return { find: async (text) => await (await opened()).find(text) };
}
