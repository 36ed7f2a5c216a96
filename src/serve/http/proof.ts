/**
 * Whether an action comes from a page of ours: from the same origin, and with a value that only our page has.
 *
 * The value is signed with the server's token and bound to the cookie that opened the page, so it is of no use in another
 * browser, and good at every server with this token. Without a token, it is signed with a secret of this process.
 */
import type { RequestHead } from "../listener/mod.ts";
import { pageCookieIn } from "./page_cookie.ts";

/** The header that carries it. */
export const PROOF_HEADER = "x-bmad-proof";

/** Makes and checks the values. */
export function openProofs(token: string | undefined) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = token === undefined
    ? crypto.getRandomValues(new Uint8Array(32))
    : new TextEncoder().encode(token);
  let key: Promise<CryptoKey> | undefined;
  const keyOf = () => key ??= crypto.subtle.importKey("raw", secret, algorithm, false, ["sign", "verify"]);
  const textFor = (headers: RequestHead["headers"], url: URL) =>
    new TextEncoder().encode(`board of ${pageCookieIn(headers, url)}`);
  return {
    /** The value for the page that a request asks for. */
    issue: async ({ headers }: RequestHead, url: URL): Promise<string> =>
      new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(), textFor(headers, url)))
        .toBase64({ alphabet: "base64url", omitPadding: true }),
    /** Whether a request has the value of its browser. */
    isValid: async ({ headers }: RequestHead, url: URL): Promise<boolean> => {
      const given = headers.get(PROOF_HEADER) ?? "";
      if (!/^[\w-]{43}$/.test(given)) return false;
      const bytes = Uint8Array.fromBase64(given, { alphabet: "base64url" });
      return await crypto.subtle.verify("HMAC", await keyOf(), bytes, textFor(headers, url));
    },
  };
}
