/**
 * What the server signs for a browser: the cookie that opens the pages, in exchange for the token in an address (`/?token=…`)
 * or at the door; and the proof that an action comes from a page of ours.
 *
 * A cookie holds its end, whose token it was, and a signature made with a secret of the server and what it keeps of that token:
 * so the server stores nothing, a stolen cookie does not reveal the token, and one of a revoked token is worth nothing. Browsers
 * send it to every port of a host, so it opens pages only, and not for long. A proof is bound to the cookie and the name of
 * whoever opened the page, so it is of no use in another browser or to anybody else, and valid at every server with this secret.
 */
import type { Person } from "../../base/roles.ts";
import type { Clock } from "../../base/work.ts";
import type { RequestHead } from "../listener/mod.ts";

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;
const HMAC = { name: "HMAC", hash: "SHA-256" };

const encode = (text: string) => new TextEncoder().encode(text);

const keyFor = (secret: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey("raw", secret, HMAC, false, ["sign", "verify"]);

async function sign(key: CryptoKey, text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encode(text))).toBase64(BASE64URL);
}

async function isSigned(key: CryptoKey, signature: string, text: string): Promise<boolean> {
  if (!/^[\w-]{43}$/.test(signature)) return false;
  return await crypto.subtle.verify("HMAC", key, Uint8Array.fromBase64(signature, BASE64URL), encode(text));
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

/** `keptOf` finds what the server keeps of a token by its id. */
export function openPageCookie(
  secret: string,
  keptOf: (id: string) => string | undefined,
  { now }: Pick<Clock, "now">,
) {
  const textFor = (end: number, id: string) => `page cookie of ${id} until ${end}`;
  return {
    /** The value of `Set-Cookie` for a browser that sent the token with this id. */
    issue: async (url: URL, id: string): Promise<string> => {
      const end = Math.floor(now() / 1_000) + LIFE;
      const signature = await sign(await keyFor(encode(secret + (keptOf(id) ?? ""))), textFor(end, id));
      const value = `${end}.${id === "" ? "" : `${id}.`}${signature}`;
      const secure = url.protocol === "https:" ? "; Secure" : "";
      return `${cookieName(url)}=${value}; Path=/; Max-Age=${LIFE}; HttpOnly; SameSite=Strict${secure}`;
    },
    /** The id of the token for which a request has a cookie of ours that is younger than `age` seconds. */
    idIn: async (headers: RequestHead["headers"], url: URL, age = LIFE): Promise<string | undefined> => {
      const [, end, id = "", signature] =
        /^(\d{1,12})\.(?:([a-z0-9]{1,16})\.)?([\w-]{43})$/.exec(pageCookieIn(headers, url)) ?? [];
      const left = Number(end) - now() / 1_000;
      if (signature === undefined || left <= LIFE - age || left > LIFE) return undefined;
      const kept = keptOf(id);
      if (kept === undefined) return undefined;
      const key = await keyFor(encode(secret + kept));
      return await isSigned(key, signature, textFor(Number(end), id)) ? id : undefined;
    },
  };
}

interface Asked {
  readonly request: RequestHead;
  readonly url: URL;
  readonly person?: Person | undefined;
}

/** Without a shared secret, the proofs are valid in this process alone. */
export function openProofs(shared: string | undefined) {
  const secret = shared === undefined ? crypto.getRandomValues(new Uint8Array(32)) : encode(shared);
  let key: Promise<CryptoKey> | undefined;
  const ownKey = () => key ??= keyFor(secret);
  const textFor = ({ request: { headers }, url, person }: Asked) =>
    JSON.stringify(["board", pageCookieIn(headers, url), person?.name]);
  return {
    issue: async (asked: Asked): Promise<string> => await sign(await ownKey(), textFor(asked)),
    isValid: async (asked: Asked): Promise<boolean> =>
      await isSigned(await ownKey(), asked.request.headers.get("x-bmad-proof") ?? "", textFor(asked)),
  };
}
