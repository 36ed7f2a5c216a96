/**
 * The SDK's own handler with one tool that returns a constant, served by the runtime: an HTTP server with nothing of ours.
 * Prints its address and serves until it is killed.
 */
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

const handler = createMcpHandler(() => {
  const mcp = new McpServer({ name: "constant", version: "0" }, { capabilities: { tools: {} } });
  mcp.registerTool("constant", {}, () => ({ content: [{ type: "text", text: "always the same" }] }));
  return mcp;
}, { legacy: "reject" });

const onListen = ({ port }: Deno.NetAddr) =>
  Deno.stderr.writeSync(new TextEncoder().encode(`Listening at http://127.0.0.1:${port}/mcp for nobody\n`));
Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, (request) => handler.fetch(request));
