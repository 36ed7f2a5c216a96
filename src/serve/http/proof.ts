/**
 * Whether an action comes from a page of ours: from the same origin, and with a value that only our page has.
 *
 * The value is signed with a secret and bound to the cookie that opened the page and to the name of whoever did, so it is of
 * no use in another browser or to anybody else, and good at every server with this secret.
 */
import type { Person } from "../../base/roles.ts";
import type { RequestHead } from "../listener/mod.ts";
import { pageCookieIn } from "./page_cookie.ts";

/** Who asks, and for what. */
interface Asked {
  readonly request: RequestHead;
  readonly url: URL;
  readonly person?: Person | undefined;
}

/** The header that carries it. */
export const PROOF_HEADER = "x-bmad-proof";

/** Makes and checks the values; without a shared secret, they are good in this process alone. */
export function openProofs(shared: string | undefined) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = shared === undefined
    ? crypto.getRandomValues(new Uint8Array(32))
    : new TextEncoder().encode(shared);
  let key: Promise<CryptoKey> | undefined;
  const keyOf = () => key ??= crypto.subtle.importKey("raw", secret, algorithm, false, ["sign", "verify"]);
  const textFor = ({ request: { headers }, url, person }: Asked) =>
    new TextEncoder().encode(JSON.stringify(["board", pageCookieIn(headers, url), person?.name]));
  return {
    /** The value for the page that a request asks for. */
    issue: async (asked: Asked): Promise<string> =>
      new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(), textFor(asked)))
        .toBase64({ alphabet: "base64url", omitPadding: true }),
    /** Whether a request has the value of its browser. */
    isValid: async (asked: Asked): Promise<boolean> => {
      const given = asked.request.headers.get(PROOF_HEADER) ?? "";
      if (!/^[\w-]{43}$/.test(given)) return false;
      const bytes = Uint8Array.fromBase64(given, { alphabet: "base64url" });
      return await crypto.subtle.verify("HMAC", await keyOf(), bytes, textFor(asked));
    },
  };
}
