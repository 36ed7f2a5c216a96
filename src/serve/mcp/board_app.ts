/**
 * The board as an MCP App (`io.modelcontextprotocol/ui`): offered to clients that can show one, and linked from the tool.
 *
 * All others see the same tool and the same text as ever.
 */
import type { ClientCapabilities, ReadResourceResult, Resource } from "@modelcontextprotocol/server";

const UI_EXTENSION = "io.modelcontextprotocol/ui";
const APP_TYPE = "text/html;profile=mcp-app";

/** The address of the app, and the tool that it belongs to. */
export const BOARD_APP = "ui://bmad/board";
const TOOL = "bmad_work";

export function showsApps(capabilities: ClientCapabilities | undefined): boolean {
  const { mimeTypes } = (capabilities?.extensions?.[UI_EXTENSION] ?? {}) as { readonly mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(APP_TYPE);
}

/** What a tool says about its app, to a client that can show it; the second key is for hosts of the first version. */
export function appMeta(tool: string): Readonly<Record<string, unknown>> {
  return tool === TOOL ? { ui: { resourceUri: BOARD_APP }, "ui/resourceUri": BOARD_APP } : {};
}

/** It wants a border, because its background is plain. */
const META = { ui: { prefersBorder: true } };

export const BOARD_RESOURCE: Resource = {
  uri: BOARD_APP,
  name: "board-app",
  title: "Epics and stories",
  mimeType: APP_TYPE,
  _meta: META,
};

export async function readBoardApp(): Promise<ReadResourceResult> {
  const { BOARD_VIEW } = await import("./board_view.ts");
  return { contents: [{ uri: BOARD_APP, mimeType: APP_TYPE, text: BOARD_VIEW, _meta: META }] };
}
