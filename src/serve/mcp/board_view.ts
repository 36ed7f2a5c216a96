/**
 * The board as an MCP App: one HTML text that a client shows beside the answer of `bmad_work`.
 *
 * It loads nothing and talks to its client alone, in the messages of the extension (protocol 2026-01-26): it introduces
 * itself, asks for the board through the tool, and asks again after every call of it. Everything that comes from the
 * project becomes text, never markup. The package of the extension has half a megabyte for the same.
 */

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #57606a; --line: #d5dae0; --card: #ffffff; --field: #eef1f4; --good: #12662b; --mark: #4338a8; --bad: #a8201a; --warn: #7a4d00; }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { --text: #e6e9ed; --quiet: #a0aab5; --line: #333a43; --card: #181c21; --field: #232930; --good: #7ee29a; --mark: #b9b2ff; --bad: #ff9a91; --warn: #ecc15a; } }
:root[data-theme="dark"] { color-scheme: dark; --text: #e6e9ed; --quiet: #a0aab5; --line: #333a43; --card: #181c21; --field: #232930; --good: #7ee29a; --mark: #b9b2ff; --bad: #ff9a91; --warn: #ecc15a; }
:root[data-theme="light"] { color-scheme: light; }
* { box-sizing: border-box; } body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--card); overflow-wrap: anywhere; }
main { padding: .75rem; } h1 { font-size: 1.1rem; margin: 0; } h2 { font-size: 1rem; margin: 1rem 0 .25rem; } p { margin: .25rem 0; } ul { list-style: none; margin: 0; padding: 0; }
li { border-top: 1px solid var(--line); padding: .35rem 0; } .quiet { color: var(--quiet); font-weight: 400; } .top { display: flex; gap: .75rem; align-items: center; justify-content: space-between; }
.state { background: var(--field); color: var(--quiet); border-radius: 1rem; padding: 0 .5rem; font-size: .8rem; } .done { color: var(--good); } .review, .in-progress { color: var(--mark); } .blocked { color: var(--bad); } .drift { color: var(--warn); }
button { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: .5rem; padding: .2rem .7rem; cursor: pointer; } button:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; } pre { white-space: pre-wrap; }
`;

const SCRIPT = `
const waiting = new Map();
let last = 0, latest = 0;
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const ask = (method, params) => new Promise((resolve, reject) => {
  waiting.set(++last, { resolve, reject });
  post({ id: last, method, params });
});
const $ = (id) => document.getElementById(id);
const element = (name, className, ...content) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
};
const setTheme = (theme) => { if (theme) document.documentElement.dataset.theme = theme; };
const textIn = ({ content = [] }) => content.map((block) => block.text ?? "").join("\\n");

async function readBoard() {
  let text = "";
  for (let part = 1; part <= 1000; part++) {
    const args = { operation: "board", format: "json", ...(part > 1 && { part }) };
    const result = await ask("tools/call", { name: "bmad_work", arguments: args });
    const piece = textIn(result);
    if (result.isError) throw new Error(piece);
    const note = /\\n\\[part (\\d+) of (\\d+)[^\\n]*\\]$/.exec(piece);
    text += note === null ? piece : piece.slice(0, note.index);
    if (note === null || note[1] === note[2]) return JSON.parse(text);
  }
}

function storyRow({ ref, title, state, status, notes, isFree, note, drift }) {
  const words = [isFree && "free", ...notes, note].filter(Boolean).join(" · ");
  const word = status === undefined || status === state ? state : state + " (" + status + ")";
  return element("li", "", element("span", "quiet", ref + " "), title + " ",
    element("span", "state " + state, word), element("span", "quiet", words && " " + words),
    ...drift.map(({ problem }) => element("p", "drift", problem)));
}

function epicSection({ ref, title, stories, drift }) {
  const done = stories.filter(({ state }) => state === "done").length;
  const name = /^\\d/.test(ref) && !title.startsWith("Epic ") ? "Epic " + ref + ": " + title : title;
  const count = element("span", "quiet", " " + done + " of " + stories.length + " done");
  return element("section", "", element("h2", "", name, count),
    ...drift.map(({ problem }) => element("p", "drift", problem)), element("ul", "", ...stories.map(storyRow)));
}

async function show() {
  const own = ++latest;
  try {
    const { epics, total, counts } = await readBoard();
    if (own !== latest) return;
    $("summary").textContent = total === 0 ? "No stories yet." : (counts.done ?? 0) + " of " + total + " done";
    $("epics").replaceChildren(...epics.map(epicSection));
  } catch (error) {
    if (own === latest) $("summary").textContent = "The board cannot be read: " + error.message;
  }
}

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params, result, error } = data;
  if (method === undefined) {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  } else if (id !== undefined) post({ id, result: {} });
  else if (method === "ui/notifications/tool-result") {
    if (canCall) show();
    else $("epics").replaceChildren(element("pre", "", textIn(params)));
  } else if (method === "ui/notifications/host-context-changed") setTheme(params.theme);
});

let canCall = false;
(async () => {
  const { hostCapabilities, hostContext } = await ask("ui/initialize", {
    appInfo: { name: "bmad-board", version: "1" },
    appCapabilities: {},
    protocolVersion: "2026-01-26",
  });
  setTheme(hostContext?.theme);
  canCall = hostCapabilities?.serverTools !== undefined;
  post({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(() => post({
    method: "ui/notifications/size-changed",
    params: { width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight },
  })).observe(document.body);
  $("refresh").hidden = !canCall;
  $("refresh").onclick = show;
  if (canCall) show();
  else $("summary").textContent = "";
})();
`;

/** The app. */
export const BOARD_VIEW = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Board</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<div class="top"><h1>Board</h1><button id="refresh" type="button" hidden>Refresh</button></div>
<p id="summary" class="quiet" role="status">Loading</p>
<div id="epics"></div>
</main>
<script type="module">${SCRIPT}</script>
</body>
</html>
`;
