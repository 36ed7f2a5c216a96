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

export async function readReply(response: Response, most: number): Promise<string> {
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new Error("it redirects, which is not followed. Configure the address it redirects to");
  }
  const decoder = new TextDecoder();
  let text = "", size = 0;
  for await (const bytes of response.body ?? []) {
    size += bytes.length;
    // Leaving the loop cancels the rest.
    if (size > most) throw new Error(`its reply exceeds ${most / 2 ** 20} MB`);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
