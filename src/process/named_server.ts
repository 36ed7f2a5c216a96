/** Requests to servers that the user named. The runtime cannot narrow this right, so no other unit fetches. */

type Request = (url: string, options: RequestInit) => Promise<Response>;

/** Fails for any other server. A redirect is not followed: the caller gets it as the response. */
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
