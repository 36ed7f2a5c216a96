/** We speak the messages of MCP Apps (2026-01-26) ourselves: its package has half a megabyte. */
import type { ClientCapabilities, ReadResourceResult, Resource } from "@modelcontextprotocol/server";

const UI_EXTENSION = "io.modelcontextprotocol/ui";
const APP_TYPE = "text/html;profile=mcp-app";

export const BOARD_APP = "ui://bmad/board";

export function showsApps(capabilities: ClientCapabilities | undefined): boolean {
  const { mimeTypes } = (capabilities?.extensions?.[UI_EXTENSION] ?? {}) as { readonly mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(APP_TYPE);
}

/** The second key is for hosts of the first version. */
export const APP_META = { ui: { resourceUri: BOARD_APP }, "ui/resourceUri": BOARD_APP };

const META = { ui: { prefersBorder: true } };

export const BOARD_RESOURCE: Resource = {
  uri: BOARD_APP,
  name: "board-app",
  title: "Epics and stories",
  mimeType: APP_TYPE,
  _meta: META,
};

const STYLE = `
:root[data-theme="dark"] { color-scheme: dark; } :root[data-theme="light"] { color-scheme: light; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--card); overflow-wrap: anywhere; }
main { padding: .75rem; } h1 { font-size: 1.1rem; } p { margin: .25rem 0; } .quiet, .count { color: var(--quiet); font-weight: 400; } pre { white-space: pre-wrap; }
.card { border: 1px solid var(--line); border-radius: .7rem; padding: .1rem .8rem; } .rows { list-style: none; margin: 0; padding: 0; } .rows > li { border-top: 1px solid var(--line); }
button, input { font: inherit; } button { color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: .5rem; padding: .2rem .7rem; cursor: pointer; } input { color: inherit; border: 1px solid var(--line); border-radius: .5rem; padding: .25rem .6rem; } input::placeholder { color: var(--quiet); opacity: 1; } button:focus-visible, input:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
#refresh { margin-left: auto; }
`;

/** `tool` reads the board; what changes something is always `bmad_work`. */
export async function readBoardApp(tool: string): Promise<ReadResourceResult> {
  const { BOARD_SCRIPT, BOARD_STYLE, DIALOGS } = await import("../board/mod.ts");
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Board</title>
<style>${STYLE}${BOARD_STYLE}</style>
</head>
<body>
<main>
<div class="boardhead"><h1>Board</h1><p id="live" class="quiet" role="status">Loading</p><button id="refresh" type="button" hidden>Refresh</button></div>
<div id="board" data-app="${tool}"><div id="drawn"></div></div>
${DIALOGS.text}
</main>
<script>${BOARD_SCRIPT}</script>
</body>
</html>
`;
  return { contents: [{ uri: BOARD_APP, mimeType: APP_TYPE, text, _meta: META }] };
}
