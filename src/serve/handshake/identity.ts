/**
 * How the server identifies itself to a client: name, version, capabilities, protocol versions.
 *
 * Plain data without the SDK, because the handshake answers `initialize` before third-party code may be loaded (mod.ts).
 */
import { PRODUCT } from "../../base/model.ts";

/** Name, title and version. */
export const SERVER_INFO = { name: PRODUCT.name, title: PRODUCT.title, version: PRODUCT.version } as const;

/** What we declare to every client. */
export const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
  extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
};

/** The protocol versions that open with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];
