/**
 * The SDK's own handler with one tool that returns a constant, on our socket code: the minimum cost of an HTTP server.
 * Prints its address and serves until it is killed.
 */
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { listen } from "../../src/serve/listener/mod.ts";

const handler = createMcpHandler(() => {
  const mcp = new McpServer({ name: "constant", version: "0" }, { capabilities: { tools: {} } });
  mcp.registerTool("constant", {}, () => ({ content: [{ type: "text", text: "always the same" }] }));
  return mcp;
}, { legacy: "reject" });

const listener = await listen({
  ...{ host: "127.0.0.1", port: 0, maxBody: 1 << 20, headerTimeout: 10_000, stallMs: 10_000 },
  ...{ connections: 1_024, clientConnections: 1_024 },
});
listener.answerWith(({ request }) =>
  Promise.resolve({
    isPublic: false,
    answer: async (body) => {
      const parsedBody = body && JSON.parse(new TextDecoder().decode(body));
      return { response: await handler.fetch(request as Request, { parsedBody }) };
    },
  })
);
await Deno.stderr.write(new TextEncoder().encode(`Listening at ${listener.url}/mcp for nobody\n`));
