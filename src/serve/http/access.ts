import type { Config } from "../../app.ts";
import { forbid } from "../../base/errors.ts";
import { PRODUCT } from "../../base/model.ts";
import { networkIn } from "../../base/networks.ts";
import { accessRuleIn, type GroupRules, type Person, roleRuleIn } from "../../base/roles.ts";
import type { Clock } from "../../base/work.ts";
import { openRecordFile, type RecordEntry } from "../../process/record_file.ts";
import { openSessionFiles, type SessionFiles, sweepSessions } from "../../process/session_files.ts";
import type { Settings } from "../../settings/mod.ts";
import { type NamedTokens, openIssuer, openNamedTokens, openProxies } from "../identity/mod.ts";
import type { TokenRules } from "./token.ts";

export interface Kept {
  readonly tokens?: NamedTokens;
  readonly secret?: string;
  readonly sessionsOf?: (project: string) => SessionFiles;
  /** Fails if a change by a named person cannot be recorded: it is not made then. */
  record(change: Omit<RecordEntry, "at" | "name" | "role"> & { readonly person: Person | undefined }): void;
  latest(count: number, isShown: (deed: RecordEntry) => boolean): readonly RecordEntry[];
}

export function openKept(
  { httpState, settings }: Config,
  { now, report }: { now(): number; report(problem: string): void },
): Kept {
  if (httpState === undefined) return { record: () => {}, latest: () => [] };
  const { state, sessions, secret } = httpState;
  const lives = { maxAge: settings.httpIdle * 1_000, now };
  sweepSessions(sessions, lives);
  const record = openRecordFile(httpState.record);
  return {
    secret,
    tokens: openNamedTokens(state, { now, report }),
    sessionsOf: (project) => openSessionFiles(sessions, project, lives),
    record: ({ person, ...change }) => {
      const { name, role = "owner" } = person ?? {};
      try {
        record.add({ at: now(), name, role, ...change });
      } catch (error) {
        report(`Cannot record a change: ${(error as Error).message}`);
        if (name !== undefined) forbid("change anything", "this server cannot record it now");
      }
    },
    latest: record.latest,
  };
}

/** Where others have tokens with names, the shared token only reads. */
export function rulesOf(
  { settings, provenance }: Config,
  { tokens: named, secret = "" }: Pick<Kept, "tokens" | "secret">,
  { isRandom, report }: { readonly isRandom: boolean; report(problem: string): void },
  { now }: Pick<Clock, "now">,
): TokenRules {
  const { token, noToken, http, oidcIssuer, oidcAudience, proxyFrom } = settings;
  const groups: GroupRules = {
    roles: settings.roles.flatMap((rule) => roleRuleIn(rule) ?? []),
    access: settings.access.flatMap((rule) => accessRuleIn(rule) ?? []),
  };
  const isShared = http?.isLoopback === false && provenance.readOnly.startsWith("default");
  const ofIssuer = oidcIssuer === undefined ? undefined : {
    issuer: openIssuer({
      issuer: oidcIssuer,
      audience: oidcAudience!,
      nameClaim: settings.oidcName,
      groupsClaim: settings.oidcGroups,
      ...groups,
    }, { now, report }),
    metadata: (url: URL) => `${new URL(resourceOf(settings, url)).origin}${METADATA_PATHS[1]}`,
  };
  return {
    token,
    isOpen: noToken,
    isRandom,
    secret,
    sharer: isShared ? { role: "reader" } : undefined,
    named,
    ...ofIssuer,
    proxies: openProxies({
      from: proxyFrom.flatMap((text) => networkIn(text) ?? []),
      userHeader: settings.proxyUser,
      groupsHeader: settings.proxyGroups,
      ...groups,
    }),
  };
}

const ENDPOINT = "/mcp";
/** Metadata of a protected resource (RFC 9728), for MCP clients that were refused. */
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

export const METADATA_PATHS = [WELL_KNOWN, `${WELL_KNOWN}${ENDPOINT}`] as const;

/** Behind a proxy only the audience knows the public address, if it is one. */
export function resourceOf({ oidcAudience }: Pick<Settings, "oidcAudience">, { origin }: URL): string {
  const audience = URL.parse(oidcAudience ?? "");
  return /^https?:$/.test(audience?.protocol ?? "") ? oidcAudience! : `${origin}${ENDPOINT}`;
}

export function resourceMetadata(
  settings: Pick<Settings, "oidcAudience" | "oidcIssuer">,
  url: URL,
): Response {
  return Response.json({
    resource: resourceOf(settings, url),
    authorization_servers: [settings.oidcIssuer],
    bearer_methods_supported: ["header"],
    resource_name: PRODUCT.name,
  });
}
