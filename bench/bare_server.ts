/**
 * The smallest server of the official SDK: one tool with a constant answer, as the floor for our own.
 */
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const server = new McpServer({ name: "bare", version: "1.0.0" });
server.registerTool(
  "greet",
  { description: "Greets" },
  () => ({ content: [{ type: "text", text: "Hello" }] }),
);
await server.connect(new StdioServerTransport());
