/** What anybody may know before they connect: the card (SEP-2127) and the catalogue that leads there. */
import { PRODUCT } from "../../base/model.ts";

export const CARD_TYPE = "application/mcp-server-card+json";
export const CATALOG_TYPE = "application/ai-catalog+json";

/** What it offers depends on who asks, so a card says nothing of it. */
export function cardOf(endpoint: string) {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name: `${hostOf(endpoint).split(".").reverse().join(".")}/${PRODUCT.name}`,
    version: PRODUCT.version,
    title: PRODUCT.title,
    description: "Agents and workflows of the BMAD Method, and the work of projects that follow it.",
    remotes: [{ type: "streamable-http", url: endpoint }],
  };
}

export function catalogOf(endpoint: string) {
  const identifier = `urn:air:${hostOf(endpoint)}:mcp:${PRODUCT.name}`;
  const url = `${endpoint.replace(/\/$/, "")}/server-card`;
  return { specVersion: "1.0", entries: [{ identifier, type: CARD_TYPE, url }] };
}

/** An IPv6 address is no name. */
function hostOf(endpoint: string): string {
  const { hostname } = new URL(endpoint);
  return hostname.startsWith("[") ? "localhost" : hostname;
}

export function publish(type: string, value: unknown): Response {
  const headers = {
    "content-type": type,
    "cache-control": "public, max-age=3600",
    "access-control-allow-origin": "*",
  };
  return new Response(JSON.stringify(value), { headers });
}
