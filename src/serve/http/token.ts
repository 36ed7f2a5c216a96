import { attempt } from "../../base/absence.ts";
import type { Person } from "../../base/roles.ts";
import { type Clock, pause } from "../../base/work.ts";
import type { NamedToken } from "../../process/named_tokens.ts";
import { isEqualSecret, type Issuer, type NamedTokens, type Proxies } from "../identity/mod.ts";
import type { RequestHead } from "../listener/mod.ts";
import type { Access } from "../pages/mod.ts";
import { isFromElsewhere, type Refusal } from "./gate.ts";
import { openThrottle } from "./limits.ts";
import type { Reason } from "./metrics.ts";

export interface TokenRules {
  readonly token: string | undefined;
  readonly isOpen: boolean;
  /** A random token cannot be guessed: the right one is let in however many guess. */
  readonly isRandom: boolean;
  readonly secret: string;
  /** Undefined for the user who runs the program. */
  readonly sharer?: Person;
  readonly named?: NamedTokens;
  readonly issuer?: Issuer;
  readonly proxies?: Proxies;
  metadata?(url: URL): string;
}

export interface TokenRefusal extends Refusal {
  readonly reason: Exclude<Reason, "connections">;
}

export interface Admitted {
  readonly person: Person | undefined;
  /** Whether a browser sent its cookie by itself: any page could have made it do so. */
  readonly isByCookie?: true;
  isGood?(): boolean;
}

interface Asked {
  readonly request: RequestHead;
  readonly url: URL;
  readonly peer: string;
  readonly address: string;
  /** A browser opens pages without headers of ours. */
  readonly isPage: boolean;
  readonly takesCookie?: boolean | undefined;
}

const PARAMETER = "token";
const SHARED = "";

export type TokenCheck = ReturnType<typeof openTokenCheck>;

/** Without an id for a cookie, the token opens no pages by itself. */
interface Shown extends Admitted {
  readonly id?: string;
}

export function openTokenCheck(rules: TokenRules, clock: Pick<Clock, "now" | "after">) {
  const { token, isOpen, isRandom, secret, sharer, named, issuer, proxies, metadata } = rules;
  const throttle = openThrottle(clock);
  const cookie = openPageCookie(secret, (id) => id === SHARED ? token : named?.withId(id)?.hash, clock);

  /** `mayGuess` is false while the shared token does not count. */
  const find = async (text: string, mayGuess: boolean): Promise<Shown | TokenRefusal | undefined> => {
    const isShared = token !== undefined && isEqualSecret(text, token) && mayGuess;
    const own = named?.find(text);
    const signed = await issuer?.find(text);
    if (isShared) return { person: sharer, id: SHARED };
    if (own !== undefined) return { ...admit(own), id: own.id };
    if (signed === undefined || signed === "no role") return signed && NO_ROLE;
    return refuseName(signed.person) ?? { person: signed.person, isGood: () => clock.now() < signed.ends };
  };
  /** OIDC and proxy users cannot take the name of a local token. */
  const refuseName = ({ name = "" }: Person) => named?.hasName(name) ? NAME_TAKEN : undefined;
  const admit = (own: NamedToken): Admitted => ({ person: own, isGood: () => named?.withId(own.id) === own });
  const checkShown = async (
    text: string,
    { peer, url }: Pick<Asked, "peer" | "url">,
  ): Promise<TokenRefusal | Shown> => {
    // However a token is wrong, its refusal takes the same time.
    const known = new AbortController();
    const least = pause(REFUSAL_MS, known.signal, clock);
    const wait = throttle.attempt(peer);
    // Only a token that somebody has thought of can be guessed: others are let in however many guess at their address.
    const shown = await find(text, wait === 0 || isRandom);
    if (shown === undefined) {
      await least;
      return wait > 0 ? tooMany(wait) : unauthorized("Invalid token", "token_wrong", metadata?.(url));
    }
    known.abort();
    throttle.succeeded(peer);
    return shown;
  };
  const letIn = async (text: string, to: string, from: Pick<Asked, "peer" | "url">) => {
    const shown = await checkShown(text, from);
    if ("reason" in shown) return shown;
    return shown.id === undefined ? NO_COOKIE : goTo(to, await cookie.issue(from.url, shown.id));
  };

  return {
    /** A response sends a browser on to the page without the token. */
    check: async (
      { request, url, peer, address, isPage, takesCookie }: Asked,
    ): Promise<TokenRefusal | Response | Admitted> => {
      if (isOpen) return { person: undefined };
      const told = TOKEN_HEADERS.some((name) => request.headers.isRepeated?.(name))
        ? "several"
        : proxies?.find(address, request.headers);
      if (told === "several") return unauthorized(SEVERAL, "token_wrong", metadata?.(url));
      if (told === "no role") return NO_ROLE;
      if (told !== undefined) return refuseName(told) ?? { person: told };
      const text = shownToken(request.headers);
      const inAddress = isPage && request.method === "GET" ? url.searchParams.get(PARAMETER) : null;
      if (inAddress !== null) {
        if (isFromElsewhere(request)) return FROM_ELSEWHERE;
        return await letIn(inAddress, withoutToken(url), { peer, url });
      }
      if (text !== undefined) return await checkShown(text, { peer, url });
      const id = isPage || takesCookie ? await cookie.idIn(request.headers, url) : undefined;
      if (id === SHARED) return { person: sharer, isByCookie: true };
      const own = id === undefined ? undefined : named?.withId(id);
      if (own !== undefined) return { ...admit(own), isByCookie: true };
      const message = "Missing token: send it as Authorization: Bearer TOKEN or X-API-Key: TOKEN";
      return unauthorized(message, "token_missing", metadata?.(url));
    },
    // Copied tokens come with spaces and line ends around them.
    enter: async (typed: string, to: string, from: Pick<Asked, "url" | "peer">) =>
      isOpen ? goTo(localPath(to)) : await letIn(typed.trim(), localPath(to), from),
    /** Holds the token itself only for a reader who has just shown it. */
    access: async (
      { request: { headers }, url }: Pick<Asked, "request" | "url">,
    ): Promise<Omit<Access, "launch">> => {
      if (isOpen) return { isNeeded: false };
      const id = await cookie.idIn(headers, url, SHOWN_FOR);
      const isShown = token !== undefined &&
        (id === SHARED || id === undefined && shownToken(headers) === token);
      return { isNeeded: true, ...(isShown && { token }) };
    },
  };
}

const REFUSAL_MS = 10;
const TOKEN_HEADERS = ["authorization", "x-api-key"];
const SEVERAL = "A header that says who you are came more than once: the last proxy must replace it";

function refusal(
  status: TokenRefusal["status"],
  reason: TokenRefusal["reason"],
  message: string,
  headers?: TokenRefusal["headers"],
): TokenRefusal {
  return { status, reason, message, headers };
}

const NO_ROLE = refusal(403, "no_role", "You have no role on this server: ask its owner");
const NAME_TAKEN = refusal(403, "no_role", "Your name is that of a token of this server: ask its owner");
/** Another page could sign its reader in as somebody else. */
const ELSEWHERE = "A token in a link of another page is not taken: open the address yourself";
const FROM_ELSEWHERE = refusal(401, "token_missing", ELSEWHERE);
const FOR_PROGRAMS = "This token is for programs: a browser needs a token of this server";
const NO_COOKIE = refusal(403, "token_wrong", FOR_PROGRAMS);

/** In seconds: the cookie of a browser that has shown the token reaches other ports of the host, too. */
const SHOWN_FOR = 600;

/** A token would stay in the browser's history. */
export function withoutToken({ pathname, searchParams }: URL): string {
  const parameters = new URLSearchParams(searchParams);
  parameters.delete(PARAMETER);
  return parameters.size === 0 ? pathname : `${pathname}?${parameters}`;
}

export function localPath(to: string): string {
  const base = "http://here.invalid";
  const url = URL.parse(to, base);
  if (url === null || !to.startsWith("/") || url.origin !== base) return "/";
  const path = withoutToken(url);
  // `/.//elsewhere` is a path until it is written down.
  return path.startsWith("//") ? "/" : path;
}

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

function unauthorized(message: string, reason: TokenRefusal["reason"], metadata: string | undefined) {
  const more = metadata === undefined ? "" : `, resource_metadata="${metadata}"`;
  return refusal(401, reason, message, {
    // No `Basic`: browsers would ask for a user name before they show the door.
    "www-authenticate": `Bearer realm="bmad-mcp"${more}`,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
}

function tooMany(waitMs: number): TokenRefusal {
  const seconds = String(Math.ceil(waitMs / 1_000));
  const message = `Too many wrong tokens from your address: wait ${seconds} s`;
  return refusal(429, "token_throttled", message, { "retry-after": seconds });
}

function shownToken(headers: RequestHead["headers"]): string | undefined {
  const key = headers.get("x-api-key");
  if (key !== null) return key;
  const [, scheme, value] = /^(\w+) +(\S+)$/.exec(headers.get("authorization") ?? "") ?? [];
  if (scheme?.toLowerCase() === "bearer") return value;
  if (scheme?.toLowerCase() !== "basic") return undefined;
  return attempt(() => new TextDecoder().decode(Uint8Array.fromBase64(value!)).replace(/^[^:]*:/, ""));
}

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;

const encode = (text: string) => new TextEncoder().encode(text);

function keyFor(secret: string): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", encode(secret), algorithm, false, ["sign", "verify"]);
}

async function sign(secret: string, text: string): Promise<string> {
  const signature = await crypto.subtle.sign("HMAC", await keyFor(secret), encode(text));
  return new Uint8Array(signature).toBase64(BASE64URL);
}

async function isSigned(secret: string, signature: string, text: string): Promise<boolean> {
  if (!/^[\w-]{43}$/.test(signature)) return false;
  const bytes = Uint8Array.fromBase64(signature, BASE64URL);
  return await crypto.subtle.verify("HMAC", await keyFor(secret), bytes, encode(text));
}

/** In seconds. */
const LIFE = 43_200;

function cookieName({ port, protocol }: URL): string {
  return `bmad-mcp-${port || (protocol === "https:" ? 443 : 80)}`;
}

function pageCookieIn(headers: RequestHead["headers"], url: URL): string {
  const cookies = (headers.get("cookie") ?? "").split(/; */).map((cookie) => cookie.split("="));
  return cookies.find(([name]) => name === cookieName(url))?.[1] ?? "";
}

/** A stolen cookie reveals no token, and dies with it. Browsers send it to every port, so it opens only pages. */
export function openPageCookie(
  secret: string,
  keptOf: (id: string) => string | undefined,
  { now }: Pick<Clock, "now">,
) {
  const textFor = (end: number, id: string) => `page cookie of ${id} until ${end}`;
  return {
    issue: async (url: URL, id: string): Promise<string> => {
      const end = Math.floor(now() / 1_000) + LIFE;
      const signature = await sign(secret + (keptOf(id) ?? ""), textFor(end, id));
      const value = `${end}.${id === "" ? "" : `${id}.`}${signature}`;
      const secure = url.protocol === "https:" ? "; Secure" : "";
      return `${cookieName(url)}=${value}; Path=/; Max-Age=${LIFE}; HttpOnly; SameSite=Strict${secure}`;
    },
    idIn: async (headers: RequestHead["headers"], url: URL, age = LIFE): Promise<string | undefined> => {
      const [, end, id = "", signature] =
        /^(\d{1,12})\.(?:([a-z0-9]{1,16})\.)?([\w-]{43})$/.exec(pageCookieIn(headers, url)) ?? [];
      const left = Number(end) - now() / 1_000;
      if (signature === undefined || left <= LIFE - age || left > LIFE) return undefined;
      const kept = keptOf(id);
      if (kept === undefined) return undefined;
      return await isSigned(secret + kept, signature, textFor(Number(end), id)) ? id : undefined;
    },
  };
}

interface PageRequest extends Pick<Asked, "request" | "url"> {
  readonly person?: Person | undefined;
}

/** Bound to the cookie and the reader's name. Without a shared secret, valid in this process alone. */
export function openProofs(
  secret = crypto.getRandomValues(new Uint8Array(32)).toHex(),
) {
  const textFor = ({ request: { headers }, url, person }: PageRequest) =>
    JSON.stringify(["board", pageCookieIn(headers, url), person?.name]);
  return {
    issue: (page: PageRequest) => sign(secret, textFor(page)),
    isValid: (page: PageRequest, proof = page.request.headers.get("x-bmad-proof") ?? "") =>
      isSigned(secret, proof, textFor(page)),
  };
}
