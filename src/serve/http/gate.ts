/** A page in a browser must not reach a server on this machine, by a name (`Host`) or directly (`Origin`). */
import type { RequestHead } from "../listener/mod.ts";
import { command, withCommand } from "../../base/text.ts";

export interface GateRules {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

export interface Refusal {
  readonly status: 401 | 403 | 429;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const LOCAL_NAME = /^(?:localhost|[\d.]+|\[[\da-f:.]+\])$/i;
const LOCAL_ORIGIN = /^https?:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/** What is for everybody, pages of any origin may read. */
export function checkSource(
  request: RequestHead,
  { hosts, origins, isForAll }: GateRules & { readonly isForAll?: boolean | undefined },
): Refusal | undefined {
  const host = request.headers.get("host") ?? "";
  const name = host.replace(/:\d+$/, "").toLowerCase();
  // Anyone can point a name to this machine, but not an address or localhost.
  if (!LOCAL_NAME.test(name) && !hosts.includes(name)) {
    return notAllowed(`Host "${name}"`, command`--allow-host ${name || "NAME"}`);
  }
  const origin = request.headers.get("origin");
  const isAllowed = origin === null || LOCAL_ORIGIN.test(origin) || isSame(origin, host) ||
    allows(origins, origin) || isForAll === true;
  return isAllowed ? undefined : notAllowed(`Origin ${origin}`, command`--allow-origin ${origin}`);
}

function notAllowed(source: string, option: ReturnType<typeof command>): Refusal {
  const message = `${source} is not allowed: ${withCommand("start the server with", option)}`;
  return { status: 403, message };
}

/** Programs send no `Origin`. */
export function isOwnForm({ headers }: RequestHead, { origins }: Pick<GateRules, "origins">): boolean {
  const origin = headers.get("origin");
  return origin === null || isSame(origin, headers.get("host") ?? "") || allows(origins, origin);
}

export function isSameOrigin({ headers }: RequestHead): boolean {
  const site = headers.get("sec-fetch-site");
  return isSame(headers.get("origin") ?? "", headers.get("host") ?? "") &&
    (site === null || site === "same-origin");
}

export function isFromElsewhere({ headers }: RequestHead): boolean {
  return ["cross-site", "same-site"].includes(headers.get("sec-fetch-site") ?? "");
}

function allows(origins: readonly string[], origin: string): boolean {
  return origins.includes("*") || origins.includes(origin);
}

function isSame(origin: string, host: string): boolean {
  return URL.parse(origin)?.host === host.toLowerCase();
}

export function corsHeaders(request: RequestHead, { origins }: GateRules): Readonly<Record<string, string>> {
  const origin = request.headers.get("origin");
  if (origin === null || !allows(origins, origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers":
      "authorization, content-type, accept, last-event-id, mcp-method, mcp-name, mcp-protocol-version, " +
      "mcp-session-id, x-api-key, x-bmad-project",
    "access-control-expose-headers": "mcp-session-id, mcp-protocol-version, www-authenticate",
    "access-control-max-age": "600",
    vary: "origin",
  };
}
