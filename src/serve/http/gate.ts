/**
 * Who may ask: the checks before everything that is served over HTTP.
 *
 * A page in a user's browser must not reach a server on their machine, neither through a name that was pointed at it (the
 * `Host` header then holds that name) nor directly (the browser then names the page's origin in `Origin`). If there is a
 * token, the client must know it. Pure except for the digest of the token.
 */

import type { openThrottle } from "./throttle.ts";

type Throttle = ReturnType<typeof openThrottle>;

export interface GateRules {
  /** The secret that clients must send; undefined if there is none. */
  readonly token: string | undefined;
  /** Host names, besides addresses and `localhost`, under which clients may reach us. */
  readonly hosts: readonly string[];
  /** Origins whose pages may send requests; `*` for all. */
  readonly origins: readonly string[];
}

export interface Refusal {
  readonly status: 401 | 403 | 429;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const LOCAL_NAME = /^(?:localhost|[\d.]+|\[[\da-f:.]+\])$/i;
const LOCAL_ORIGIN = /^https?:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

export function checkSource(request: Request, { hosts, origins }: GateRules): Refusal | undefined {
  const host = request.headers.get("host") ?? "";
  const name = host.replace(/:\d+$/, "").toLowerCase();
  // A name can be pointed here by anybody; addresses and localhost cannot.
  if (!LOCAL_NAME.test(name) && !hosts.includes(name)) {
    const message = `Host "${name}" is not allowed: start the server with --allow-host ${name || "NAME"}`;
    return { status: 403, message };
  }
  const origin = request.headers.get("origin");
  const isAllowed = origin === null || LOCAL_ORIGIN.test(origin) || isSame(origin, host) ||
    allows(origins, origin);
  if (isAllowed) return undefined;
  const message = `Origin ${origin} is not allowed: start the server with --allow-origin ${origin}`;
  return { status: 403, message };
}

function allows(origins: readonly string[], origin: string): boolean {
  return origins.includes("*") || origins.includes(origin);
}

function isSame(origin: string, host: string): boolean {
  return URL.parse(origin)?.host === host.toLowerCase();
}

/** Checks the token of a request: as a bearer, as `X-API-Key`, or as the password that a browser asks for. */
export async function checkToken(
  request: Request,
  peer: string,
  { token }: GateRules,
  throttle: Throttle,
): Promise<Refusal | undefined> {
  if (token === undefined) return undefined;
  const shown = shownToken(request.headers);
  if (shown === undefined) {
    return unauthorized("Missing token: send it as Authorization: Bearer TOKEN or X-API-Key: TOKEN");
  }
  const wait = throttle.attempt(peer);
  if (wait > 0) {
    const seconds = Math.ceil(wait / 1_000);
    const message = `Too many wrong tokens from your address: wait ${seconds} s`;
    return { status: 429, message, headers: { "retry-after": String(seconds) } };
  }
  if (!await isEqual(shown, token)) return unauthorized("Invalid token");
  throttle.succeeded(peer);
  return undefined;
}

function unauthorized(message: string): Refusal {
  return {
    status: 401,
    message,
    headers: { "www-authenticate": 'Bearer realm="bmad-mcp", Basic realm="bmad-mcp"' },
  };
}

function shownToken(headers: Headers): string | undefined {
  const key = headers.get("x-api-key");
  if (key !== null) return key;
  const [, scheme, value] = /^(\w+) +(\S+)$/.exec(headers.get("authorization") ?? "") ?? [];
  if (scheme?.toLowerCase() === "bearer") return value;
  if (scheme?.toLowerCase() !== "basic") return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(value!)).replace(/^[^:]*:/, "");
  } catch {
    return undefined;
  }
}

/** Compares digests in constant time, so that the time tells nothing about the token. */
async function isEqual(one: string, other: string): Promise<boolean> {
  const digest = async (text: string) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const [a, b] = await Promise.all([digest(one), digest(other)]);
  return a.reduce((difference, byte, at) => difference | (byte ^ b[at]!), 0) === 0;
}

/** CORS headers for pages of allowed origins; none for others. */
export function corsHeaders(request: Request, { origins }: GateRules): Readonly<Record<string, string>> {
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
