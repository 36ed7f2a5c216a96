/**
 * The board as an MCP App (`io.modelcontextprotocol/ui`): offered to clients that can show one, and linked from the tool.
 *
 * All others see the same tool and the same text as ever.
 */
import type { ClientCapabilities, ReadResourceResult, Resource } from "@modelcontextprotocol/server";

const UI_EXTENSION = "io.modelcontextprotocol/ui";
const APP_TYPE = "text/html;profile=mcp-app";

export const BOARD_APP = "ui://bmad/board";

export function showsApps(capabilities: ClientCapabilities | undefined): boolean {
  const { mimeTypes } = (capabilities?.extensions?.[UI_EXTENSION] ?? {}) as { readonly mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(APP_TYPE);
}

/** What a tool that shows the board says about its app; the second key is for hosts of the first version. */
export const APP_META = { ui: { resourceUri: BOARD_APP }, "ui/resourceUri": BOARD_APP };

/** It wants a border, because its background is plain. */
const META = { ui: { prefersBorder: true } };

export const BOARD_RESOURCE: Resource = {
  uri: BOARD_APP,
  name: "board-app",
  title: "Epics and stories",
  mimeType: APP_TYPE,
  _meta: META,
};

/** The app, which reads the board with a tool. */
export async function readBoardApp(tool: string): Promise<ReadResourceResult> {
  const { drawView } = await import("./board_view.ts");
  return { contents: [{ uri: BOARD_APP, mimeType: APP_TYPE, text: drawView(tool), _meta: META }] };
}
