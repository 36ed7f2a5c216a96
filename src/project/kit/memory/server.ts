import { requestsTo } from "../../../process/named_server.ts";
import { LIMITS } from "../../limits.ts";

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

export function connectTo(url: string, key: Readonly<Record<string, string>>) {
  const base = url.replace(/(?<!\/)\/+$/, ""), request = requestsTo(base);
  const headers = { "content-type": "application/json", ...key };
  return {
    base,
    async ask({ method, path, body, signal }: Request) {
      const json = body === undefined ? undefined : JSON.stringify(body);
      const response = await request(`${base}${path}`, { method, headers, body: json, signal });
      return { status: response.status, text: await readReply(response) };
    },
  };
}

async function readReply(response: Response): Promise<string> {
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new Error("it redirects, which is not followed. Configure the address it redirects to");
  }
  const most = LIMITS.memory.replyBytes;
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
