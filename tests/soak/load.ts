/**
 * Many clients at once over HTTP: how many requests per second, how evenly, and does memory stay level?
 *
 * In the same run, the driver also measures the SDK's own handler with one tool that returns a constant, served by the
 * runtime: throughput is a ratio of the two.
 */
import { quantile, residentMemory } from "./measure.ts";

interface LoadRequest {
  readonly method: string;
  readonly name?: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly fits: (text: string) => boolean;
}

const bmad = (args: Readonly<Record<string, unknown>>, fits: (text: string) => boolean): LoadRequest => ({
  method: "tools/call",
  name: "bmad",
  params: { name: "bmad", arguments: args },
  fits,
});

export const MIX: readonly LoadRequest[] = [
  bmad({ operation: "list", query: "agents" }, (text) => text.includes("bmad-agent-analyst")),
  bmad({ operation: "list", query: "workflows" }, (text) => text.includes("bmad-prd")),
  bmad({ operation: "read", agent: "analyst" }, (text) => text.includes("Mary")),
  bmad({ operation: "execute", agent: "architect" }, (text) => text.includes("agent: ")),
  bmad({ operation: "execute", workflow: "prd" }, (text) => text.includes("bmad-prd")),
  bmad({ operation: "search", query: "brainstorm a new product" }, (text) => text.includes("brainstorming")),
  { method: "tools/list", params: {}, fits: (text) => text.includes('"bmad"') },
  {
    method: "resources/read",
    name: "bmad://manifests/agents",
    params: { uri: "bmad://manifests/agents" },
    fits: (text) => text.includes("analyst"),
  },
];

export const CONSTANT: readonly LoadRequest[] = [{
  method: "tools/call",
  name: "constant",
  params: { name: "constant", arguments: {} },
  fits: (text) => text.includes("always the same"),
}];

export async function drive(
  url: string,
  mix: readonly LoadRequest[],
  options: {
    readonly clients: number;
    readonly ms: number;
    readonly pid: number;
    readonly headers?: Readonly<Record<string, string>>;
  },
) {
  const until = performance.now() + options.ms;
  const times: number[] = [];
  const errors: string[] = [];
  const memory: number[] = [];
  const sample = setInterval(() => memory.push(residentMemory(options.pid)), 1_000);
  const client = async (first: number) => {
    for (let n = first; performance.now() < until; n++) {
      const request = mix[n % mix.length]!;
      const begun = performance.now();
      const text = await ask(url, request, n, options.headers).catch((error) => `failed: ${error}`);
      times.push(performance.now() - begun);
      if (!request.fits(text)) errors.push(`${request.method} ${request.name}: ${text.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: options.clients }, (_, n) => client(n)));
  clearInterval(sample);
  return {
    requests: times.length,
    errors,
    perSecond: times.length / (options.ms / 1_000),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    memory,
  };
}

async function ask(
  url: string,
  { method, name, params }: LoadRequest,
  id: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await fetch(url, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } }),
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...headers,
      ...(name === undefined ? {} : { "mcp-name": name }),
    },
  });
  return await response.text();
}
