/**
 * Requests to a server that the user named, and to no other.
 *
 * The runtime cannot narrow a right to use the network once it is granted, so the named hosts are enforced here. No other
 * unit may call `fetch`.
 */

/** Sends a request, or fails if its URL is not one of the server. */
export type Request = (url: string, options: RequestInit) => Promise<Response>;

/** Returns what sends requests to a server. A redirect is not followed: the caller gets it as the response. */
export function requestsTo(server: string): Request {
  const origin = URL.parse(server)?.origin;
  return async (url, options) => {
    const wanted = URL.parse(url);
    if (wanted === null || wanted.origin !== origin || wanted.username !== "") {
      throw new Error("the address is not on the configured server");
    }
    return await fetch(wanted, { ...options, redirect: "manual" });
  };
}
