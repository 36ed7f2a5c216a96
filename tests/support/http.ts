/**
 * The server over HTTP, for programs that speak nothing else. A test's own wrapper: sessions for clients of the 2025
 * revisions, a server for each request of newer ones.
 */
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isInitializeRequest,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/** A server that listens. */
export interface HttpServer extends AsyncDisposable {
  /** Where clients connect. */
  readonly url: string;
}

/** Serves what a factory makes, on a free port. */
export function serveHttp(build: (era: "legacy" | "modern") => Promise<McpServer>): HttpServer {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const servers: McpServer[] = [];
  const modern = createMcpHandler(() => build("modern"), { legacy: "reject" });

  const answerLegacy = async (request: Request): Promise<Response> => {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known !== undefined) return known.handleRequest(request);
    if (request.headers.has("mcp-session-id")) return refusal(404, "Session not found");
    const body = request.method === "POST" ? await request.clone().json().catch(() => undefined) : undefined;
    if (!isInitializeRequest(body)) return refusal(400, "Send initialize first");
    const server = await build("legacy");
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    servers.push(server);
    await server.connect(transport);
    return transport.handleRequest(request, { parsedBody: body });
  };

  const listener = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) =>
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
        originValidationResponse(request, localhostAllowedOrigins()) ??
        (await isLegacyRequest(request.clone()) ? answerLegacy(request) : modern.fetch(request)),
  );
  return {
    url: `http://localhost:${listener.addr.port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await modern.close();
      for (const server of servers) await server.close();
      await listener.shutdown();
    },
  };
}

function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }, { status });
}
