/** Replies of a server that the user configured, which may be faulty or taken over by others. */

/** In bytes, after decompression. */
const MAX_BYTES = 64 * 2 ** 20;

export async function readReply(response: Response): Promise<string> {
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new Error("it redirects, which is not followed. Configure the address it redirects to");
  }
  const decoder = new TextDecoder();
  let text = "", size = 0;
  for await (const bytes of response.body ?? []) {
    size += bytes.length;
    // Leaving the loop cancels the rest.
    if (size > MAX_BYTES) throw new Error(`its reply exceeds ${MAX_BYTES / 2 ** 20} MB`);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
