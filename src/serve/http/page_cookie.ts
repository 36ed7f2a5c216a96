/**
 * The cookie that opens the pages in a browser, in exchange for the token in an address (`/?token=…`) or at the door.
 *
 * It holds its end, whose token it was, and a signature made with a secret of the server and what it keeps of that token: so
 * the server stores nothing, a stolen cookie does not reveal the token, and one of a token that was revoked is worth nothing.
 * Browsers send it to every port of a host, so it opens pages only, and not for long.
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

/** Signs and checks cookies; `keptOf` has what the server keeps of a token, by its id: none for the one that all share. */
export function openPageCookie(
  secret: string,
  keptOf: (id: string) => string | undefined,
  { now }: Pick<Clock, "now">,
) {
  const encode = (text: string) => new TextEncoder().encode(text);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const keyOf = (kept: string) =>
    crypto.subtle.importKey("raw", encode(secret + kept), algorithm, false, ["sign", "verify"]);
  const textOf = (end: number, id: string) => encode(`page cookie of ${id} until ${end}`);
  return {
    /** The value of `Set-Cookie` for a browser that sent the token with this id. */
    issue: async (url: URL, id: string): Promise<string> => {
      const end = Math.floor(now() / 1_000) + LIFE;
      const key = await keyOf(keptOf(id) ?? "");
      const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, textOf(end, id)));
      const whose = id === "" ? "" : `${id}.`;
      const value = `${end}.${whose}${signature.toBase64({ alphabet: "base64url", omitPadding: true })}`;
      const secure = url.protocol === "https:" ? "; Secure" : "";
      return `${nameOf(url)}=${value}; Path=/; Max-Age=${LIFE}; HttpOnly; SameSite=Strict${secure}`;
    },
    /** The id of the token for which a request has a cookie of ours that is younger than `age` seconds. */
    idIn: async (headers: RequestHead["headers"], url: URL, age = LIFE): Promise<string | undefined> => {
      const [, end, id = "", signature] =
        /^(\d{1,12})\.(?:([a-z0-9]{1,16})\.)?([\w-]{43})$/.exec(pageCookieIn(headers, url)) ?? [];
      const left = Number(end) - now() / 1_000;
      if (signature === undefined || left <= LIFE - age || left > LIFE) return undefined;
      const kept = keptOf(id);
      if (kept === undefined) return undefined;
      const bytes = Uint8Array.fromBase64(signature, { alphabet: "base64url" });
      const isOurs = await crypto.subtle.verify("HMAC", await keyOf(kept), bytes, textOf(Number(end), id));
      return isOurs ? id : undefined;
    },
  };
}
