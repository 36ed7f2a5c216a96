/**
 * Whether a client knows the token: as a bearer, as `X-API-Key`, as a password, in the address of a page, typed at the
 * door, or by the cookie that the last two are exchanged for.
 */
import type { Clock } from "../../base/work.ts";
import type { RequestHead } from "../listener/mod.ts";
import type { Access } from "../pages/mod.ts";
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

/** The checks of a server's token. */
export interface TokenCheck {
  /** Undefined for a request that may pass, else why not or, for a page, where to go on. */
  check(asked: Asked): Promise<TokenRefusal | Response | undefined>;
  /** Lets in a person who typed the token at the door: the way to a page of this server, or why not. */
  enter(typed: string, to: string, from: Pick<Asked, "url" | "peer">): Promise<TokenRefusal | Response>;
  /** What a client has to send, for a page about that: the token itself only for a reader who has just shown it. */
  access(asked: Pick<Asked, "request" | "url">): Promise<Access>;
}

/** Opens the check. */
export function openTokenCheck({ token, isRandom }: TokenRules, clock: Pick<Clock, "now">): TokenCheck {
  if (token === undefined) {
    return {
      check: () => Promise.resolve(undefined),
      enter: (_, to) => Promise.resolve(goTo(localPath(to))),
      access: () => Promise.resolve({ isNeeded: false }),
    };
  }
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

  return {
    check: async ({ request, url, peer, isPage }) => {
      const shown = shownToken(request.headers);
      const inAddress = isPage && request.method === "GET" ? url.searchParams.get(PARAMETER) : null;
      if (inAddress !== null) {
        return checkShown(inAddress, peer) ?? goTo(withoutToken(url), await cookie.issue(url));
      }
      if (shown !== undefined) return checkShown(shown, peer);
      // What a page may ask for besides itself, its route checks.
      if (isPage && await cookie.isValid(request.headers, url)) return undefined;
      const message = "Missing token: send it as Authorization: Bearer TOKEN or X-API-Key: TOKEN";
      return unauthorized(message, "token_missing");
    },
    // Copied tokens come with spaces and line ends around them.
    enter: async (typed, to, { url, peer }) =>
      checkShown(typed.trim(), peer) ?? goTo(localPath(to), await cookie.issue(url)),
    access: async ({ request: { headers }, url }) => {
      const isShown = shownToken(headers) !== undefined || await cookie.isValid(headers, url, SHOWN_FOR);
      return { isNeeded: true, ...(isShown && { token }) };
    },
  };
}

/** How many seconds a browser that has shown the token may see it: its cookie reaches other ports of the host, too. */
const SHOWN_FOR = 600;

/** The path of a page without the token, which would stay in the history of a browser. */
export function withoutToken({ pathname, searchParams }: URL): string {
  const parameters = new URLSearchParams(searchParams);
  parameters.delete(PARAMETER);
  return parameters.size === 0 ? pathname : `${pathname}?${parameters}`;
}

/** The path of a page of this server; the first page for anything that leads elsewhere. */
export function localPath(to: string): string {
  const base = "http://here.invalid";
  const url = URL.parse(to, base);
  if (url === null || !to.startsWith("/") || url.origin !== base) return "/";
  const path = withoutToken(url);
  // `/.//elsewhere` is a path until it is written down.
  return path.startsWith("//") ? "/" : path;
}

/** Sends a browser on. */
function goTo(location: string, cookie?: string): Response {
  return new Response(null, {
    status: 303,
    headers: {
      location,
      ...(cookie !== undefined && { "set-cookie": cookie }),
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
      // No `Basic`: browsers would ask for a user name before they show the door.
      "www-authenticate": 'Bearer realm="bmad-mcp"',
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
