/**
 * How the program introduces itself to a client: who it is, what it can do, and when a model should call it.
 *
 * Plain data, apart from the protocol code: where the client has to be asked for the project before that code may be
 * loaded, the first answer is given from here (mod.ts).
 */
import { PRODUCT } from "../../base/model.ts";

/** Who we are. */
export const SERVER_INFO = { name: PRODUCT.name, title: PRODUCT.title, version: PRODUCT.version } as const;

/** What we can do. */
export const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
  extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
};

/** The revisions of the protocol that open with `initialize`, the newest first. */
export const HANDSHAKE_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];
