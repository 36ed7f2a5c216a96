/**
 * The cookie that opens the pages in a browser, in exchange for the token in an address (`/?token=…`) or at the door.
 *
 * It holds its end and a signature made with the token, so the server stores nothing, and a stolen cookie does
 * not reveal the token. Browsers send it to every port of a host, so it opens pages only, and not for long.
 */
import type { Clock } from "../../base/work.ts";
import type { RequestHead } from "../listener/mod.ts";

/** In seconds. */
const LIFE = 43_200;

/** Browsers send cookies to every port of a host. */
function nameOf({ port, protocol }: URL): string {
  return `bmad-mcp-${port || (protocol === "https:" ? 443 : 80)}`;
}

/** The value of our cookie in a request; empty if it has none. */
export function pageCookieIn(headers: RequestHead["headers"], url: URL): string {
  const cookies = (headers.get("cookie") ?? "").split(/; */).map((cookie) => cookie.split("="));
  return cookies.find(([name]) => name === nameOf(url))?.[1] ?? "";
}

/** Signs and checks cookies with the token. */
export function openPageCookie(token: string, { now }: Pick<Clock, "now">) {
  const encode = (text: string) => new TextEncoder().encode(text);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  let key: Promise<CryptoKey> | undefined;
  const keyOf = () =>
    key ??= crypto.subtle.importKey("raw", encode(token), algorithm, false, ["sign", "verify"]);
  const textOf = (end: number) => encode(`page cookie until ${end}`);
  return {
    /** The value of `Set-Cookie` for a browser that sent the token. */
    issue: async (url: URL): Promise<string> => {
      const end = Math.floor(now() / 1_000) + LIFE;
      const signature = new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(), textOf(end)));
      const value = `${end}.${signature.toBase64({ alphabet: "base64url", omitPadding: true })}`;
      const secure = url.protocol === "https:" ? "; Secure" : "";
      return `${nameOf(url)}=${value}; Path=/; Max-Age=${LIFE}; HttpOnly; SameSite=Strict${secure}`;
    },
    /** Whether a request has a cookie of ours that is younger than `age` seconds. */
    isValid: async (headers: RequestHead["headers"], url: URL, age = LIFE): Promise<boolean> => {
      const [, end, signature] = /^(\d{1,12})\.([\w-]{43})$/.exec(pageCookieIn(headers, url)) ?? [];
      const seconds = now() / 1_000;
      const left = Number(end) - seconds;
      if (end === undefined || left <= LIFE - age || left > LIFE) return false;
      const bytes = Uint8Array.fromBase64(signature!, { alphabet: "base64url" });
      return await crypto.subtle.verify("HMAC", await keyOf(), bytes, textOf(Number(end)));
    },
  };
}
