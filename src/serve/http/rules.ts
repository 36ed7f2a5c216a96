/**
 * Who may come in, by the settings of a server.
 */
import type { Config } from "../../app.ts";
import type { Clock } from "../../base/work.ts";
import { networkIn } from "../../base/networks.ts";
import { accessRuleIn, type GroupRules, roleRuleIn } from "../../base/roles.ts";
import { openIssuer, openProxies } from "../identity/mod.ts";
import type { Kept } from "./kept.ts";
import { metadataFor } from "./resource.ts";
import type { TokenRules } from "./token.ts";

/** The rules of a server. Whoever shows the token that all share only reads where others have names of their own. */
export function rulesOf(
  { settings, provenance }: Config,
  { tokens: named, secret }: Pick<Kept, "tokens" | "secret">,
  { isRandom, report }: { readonly isRandom: boolean; report(problem: string): void },
  { now }: Pick<Clock, "now">,
): TokenRules {
  const { token, noToken, http, oidcIssuer, oidcAudience, proxyFrom } = settings;
  const groups: GroupRules = {
    roles: settings.roles.flatMap((rule) => roleRuleIn(rule) ?? []),
    access: settings.access.flatMap((rule) => accessRuleIn(rule) ?? []),
  };
  const isShared = http?.isLoopback === false && provenance.readOnly.startsWith("default");
  return {
    token,
    isOpen: noToken,
    isRandom,
    secret: secret ?? "",
    ...(isShared && { sharer: { role: "reader" } }),
    ...(named !== undefined && { named }),
    ...(oidcIssuer !== undefined && {
      issuer: openIssuer({
        issuer: oidcIssuer,
        audience: oidcAudience!,
        nameClaim: settings.oidcName,
        groupsClaim: settings.oidcGroups,
        ...groups,
      }, { now, report }),
      metadata: (url: URL) => metadataFor(settings, url),
    }),
    ...(proxyFrom.length > 0 && {
      proxies: openProxies({
        from: proxyFrom.flatMap((text) => networkIn(text) ?? []),
        userHeader: settings.proxyUser,
        groupsHeader: settings.proxyGroups,
        ...groups,
      }),
    }),
  };
}
