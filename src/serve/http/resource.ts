/**
 * How clients find the issuer whose tokens this server accepts: the metadata of a protected resource (RFC 9728), which MCP
 * clients look for when they are refused.
 */
import type { Settings } from "../../settings/mod.ts";
import { PRODUCT } from "../../base/model.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const ENDPOINT = "/mcp";

/** Where the metadata is: for the server, and for its endpoint. */
export const METADATA_PATHS = [WELL_KNOWN, `${WELL_KNOWN}${ENDPOINT}`] as const;

/** The address that clients use: behind a proxy only the audience says it, where that is an address. */
function resourceOf({ oidcAudience }: Pick<Settings, "oidcAudience">, { origin }: URL): string {
  const audience = URL.parse(oidcAudience ?? "");
  return /^https?:$/.test(audience?.protocol ?? "") ? oidcAudience! : `${origin}${ENDPOINT}`;
}

/** The address of the metadata for a request that is refused. */
export function metadataFor(settings: Pick<Settings, "oidcAudience">, url: URL): string {
  return `${new URL(resourceOf(settings, url)).origin}${METADATA_PATHS[1]}`;
}

/** The metadata. */
export function resourceMetadata(
  settings: Pick<Settings, "oidcAudience" | "oidcIssuer">,
  url: URL,
): Response {
  return Response.json({
    resource: resourceOf(settings, url),
    authorization_servers: [settings.oidcIssuer],
    bearer_methods_supported: ["header"],
    resource_name: PRODUCT.name,
  });
}
