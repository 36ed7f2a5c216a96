/**
 * Whether a client knows the token: as a bearer, as `X-API-Key`, as the password that a browser asks for, in the address
 * of a page, or by the cookie that such an address is exchanged for.
 */
import type { Clock } from "../../base/work.ts";
import type { RequestHead } from "../listener/mod.ts";
import type { Refusal } from "./gate.ts";
import type { Reason } from "./metrics.ts";
import { openPageCookie } from "./page_cookie.ts";
import { openThrottle } from "./throttle.ts";

/** The token of a server. */
export interface TokenRules {
  /** Undefined if none is needed. */
  readonly token: string | undefined;
  /** Whether it was chosen at random and cannot be guessed: the right one is then let in however many guess. */
  readonly isRandom: boolean;
}

/** A refusal, and why as metrics name it. */
export interface TokenRefusal extends Refusal {
  readonly reason: Exclude<Reason, "connections">;
}

/** What is known of a request from its headers. */
interface Asked {
  readonly request: RequestHead;
  readonly url: URL;
  readonly peer: string;
  /** Whether it is for a page, which a browser may open without headers of ours. */
  readonly isPage: boolean;
}

/** The parameter of a page's address that holds the token. */
const PARAMETER = "token";

/** Opens the check. It returns undefined for a request that may pass, else why not or, for a page, where to go on. */
export function openTokenCheck({ token, isRandom }: TokenRules, clock: Pick<Clock, "now">) {
  if (token === undefined) return () => Promise.resolve(undefined);
  const throttle = openThrottle(clock);
  const cookie = openPageCookie(token, clock);
  const expected = encode(token);

  const checkShown = (shown: string, peer: string): TokenRefusal | undefined => {
    const wait = throttle.attempt(peer);
    if (wait > 0 && !isRandom) return tooMany(wait);
    if (isEqual(encode(shown), expected)) {
      throttle.succeeded(peer);
      return undefined;
    }
    return wait > 0 ? tooMany(wait) : unauthorized("Invalid token", "token_wrong");
  };

  return async ({ request, url, peer, isPage }: Asked): Promise<TokenRefusal | Response | undefined> => {
    const shown = shownToken(request.headers);
    const inAddress = isPage && request.method === "GET" ? url.searchParams.get(PARAMETER) : null;
    if (inAddress !== null) {
      return checkShown(inAddress, peer) ?? withoutToken(url, await cookie.issue(url));
    }
    if (shown !== undefined) return checkShown(shown, peer);
    const isReading = isPage && ["GET", "HEAD"].includes(request.method);
    if (isReading && await cookie.isValid(request.headers, url)) return undefined;
    const message = "Missing token: send it as Authorization: Bearer TOKEN or X-API-Key: TOKEN";
    return unauthorized(message, "token_missing");
  };
}

/** Sends a browser to the same page without the token, which would stay in its history. */
function withoutToken(url: URL, cookie: string): Response {
  const parameters = new URLSearchParams(url.searchParams);
  parameters.delete(PARAMETER);
  return new Response(null, {
    status: 303,
    headers: {
      location: parameters.size === 0 ? url.pathname : `${url.pathname}?${parameters}`,
      "set-cookie": cookie,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    },
  });
}

function unauthorized(message: string, reason: TokenRefusal["reason"]): TokenRefusal {
  return {
    reason,
    status: 401,
    message,
    headers: {
      "www-authenticate": 'Bearer realm="bmad-mcp", Basic realm="bmad-mcp"',
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    },
  };
}

function tooMany(waitMs: number): TokenRefusal {
  const seconds = Math.ceil(waitMs / 1_000);
  const message = `Too many wrong tokens from your address: wait ${seconds} s`;
  const headers = { "retry-after": String(seconds) };
  return { status: 429, message, headers, reason: "token_throttled" };
}

function shownToken(headers: RequestHead["headers"]): string | undefined {
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

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Compares in a time that depends on the length of what was shown, and so tells nothing about the token. */
function isEqual(shown: Uint8Array, token: Uint8Array): boolean {
  const difference = (one: number, byte: number, at: number) => one | (byte ^ token[at % token.length]!);
  return shown.reduce(difference, shown.length ^ token.length) === 0;
}
