import { readReply, requestsTo } from "../../../process/named_server.ts";
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
      return { status: response.status, text: await readReply(response, LIMITS.memory.replyBytes) };
    },
  };
}
