/**
 * Who may ask: the checks that stand before everything that is served over HTTP.
 *
 * A page in somebody's browser must not reach a server on their machine, be it by a name that it has had pointed there
 * (the `Host` header then holds that name) or directly (the browser then says in `Origin` which page asks). Whoever
 * knows the token may ask, where there is one. Pure but for the digest of the token.
 */

/** What the checks go by. */
export interface GateRules {
  /** The secret that clients must send; undefined when everybody may ask. */
  readonly token: string | undefined;
  /** Names, beside addresses and `localhost`, under which clients may reach us. */
  readonly hosts: readonly string[];
  /** Origins whose pages may ask; `*` for all. */
  readonly origins: readonly string[];
}

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const LOCAL_NAME = /^(?:localhost|[\d.]+|\[[\da-f:.]+\])$/i;
const LOCAL_ORIGIN = /^https?:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/** Checks that a request may come from where it says that it comes from. */
export function checkSource(request: Request, { hosts, origins }: GateRules): Refusal | undefined {
  const host = request.headers.get("host") ?? "";
  const name = host.replace(/:\d+$/, "").toLowerCase();
  // Names can be made to point here; addresses and localhost cannot.
  if (!LOCAL_NAME.test(name) && !hosts.includes(name)) {
    return {
      status: 403,
      message: `Requests to the host "${name}" are refused: start with --allow-host ${
        name || "NAME"
      } to allow it`,
    };
  }
  const origin = request.headers.get("origin");
  const isAllowed = origin === null || LOCAL_ORIGIN.test(origin) || isSame(origin, host) ||
    allows(origins, origin);
  return isAllowed ? undefined : {
    status: 403,
    message:
      `Requests of pages from ${origin} are refused: start with --allow-origin ${origin} to allow them`,
  };
}

/** Whether pages of an origin may ask. */
export function allows(origins: readonly string[], origin: string): boolean {
  return origins.includes("*") || origins.includes(origin);
}

function isSame(origin: string, host: string): boolean {
  return URL.parse(origin)?.host === host.toLowerCase();
}

/** Checks the token of a request: as a bearer, as `X-API-Key`, or as the password that a browser asks for. */
export async function checkToken(request: Request, { token }: GateRules): Promise<Refusal | undefined> {
  if (token === undefined) return undefined;
  const shown = shownToken(request.headers);
  if (shown !== undefined && await isEqual(shown, token)) return undefined;
  return {
    status: 401,
    message: shown === undefined
      ? "A token is needed: send it as Authorization: Bearer TOKEN or as X-API-Key: TOKEN"
      : "The token is wrong",
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

/** Compares digests, bit by bit to the end: how long that takes tells nothing of the token. */
async function isEqual(one: string, other: string): Promise<boolean> {
  const digest = async (text: string) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const [a, b] = await Promise.all([digest(one), digest(other)]);
  return a.reduce((difference, byte, at) => difference | (byte ^ b[at]!), 0) === 0;
}

/** What pages of allowed origins get to see of an answer. Nothing where no origin is allowed. */
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
