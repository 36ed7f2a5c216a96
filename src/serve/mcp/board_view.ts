/**
 * The board as an MCP App: one HTML text that a client shows beside the answer of a tool.
 *
 * It loads nothing and talks to its client alone, in the messages of the extension (protocol 2026-01-26). The board in it
 * is that of the page: the same drawing, which it asks the tool for, the same style and the same script. The package of
 * the extension has half a megabyte for the messages alone.
 */
import { APP_THEMES, BOARD_SCRIPT, BOARD_STYLE, DIALOGS } from "../board/mod.ts";

const LIGHT =
  "--text: #1b1f24; --quiet: #57606a; --line: #d5dae0; --card: #ffffff; --field: #eef1f4; --link: #0a58a8; --bad: #a8201a; --bad-back: #fdecea; --warn: #7a4d00; --warn-back: #fdf3dc; --mark: #4338a8; --mark-back: #ecebfb;";
const DARK =
  "--text: #e6e9ed; --quiet: #a0aab5; --line: #333a43; --card: #181c21; --field: #232930; --link: #7fbaff; --bad: #ff9a91; --bad-back: #3a1a18; --warn: #ecc15a; --warn-back: #33280d; --mark: #b9b2ff; --mark-back: #262347;";

const STYLE = `
:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
:root[data-theme="dark"] { color-scheme: dark; ${DARK} }
:root[data-theme="light"] { color-scheme: light; ${LIGHT} }
* { box-sizing: border-box; } body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--card); overflow-wrap: anywhere; }
main { padding: .75rem; } h1 { font-size: 1.1rem; } p { margin: .25rem 0; } .quiet, .count { color: var(--quiet); font-weight: 400; } pre { white-space: pre-wrap; }
.card { border: 1px solid var(--line); border-radius: .7rem; padding: .1rem .8rem; } .rows { list-style: none; margin: 0; padding: 0; } .rows > li { border-top: 1px solid var(--line); }
.tag { display: inline-block; font-size: .78rem; line-height: 1.35; padding: .08rem .5rem; border-radius: 1rem; background: var(--field); color: var(--quiet); } .tag.warn { background: var(--warn-back); color: var(--warn); } .tag.bad { background: var(--bad-back); color: var(--bad); } .tag.mark { background: var(--mark-back); color: var(--mark); }
button, input { font: inherit; } button { color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: .5rem; padding: .2rem .7rem; cursor: pointer; } input { color: inherit; border: 1px solid var(--line); border-radius: .5rem; padding: .25rem .6rem; } input::placeholder { color: var(--quiet); opacity: 1; } button:focus-visible, input:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
#refresh { margin-left: auto; }
`;

/** `tool` is what it reads the board with; what changes something is always `bmad_work`. */
export const drawView = (tool: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Board</title>
<style>${STYLE}${BOARD_STYLE}${APP_THEMES}</style>
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
