/** How to connect a client, and the door, where the token is typed, which says nothing about what is behind it. */
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { PRODUCT } from "../../base/model.ts";
import { command, NO_COMMAND } from "../../base/text.ts";
import { section, shell, type Site, type View } from "./site.ts";

export interface Access {
  readonly isNeeded: boolean;
  readonly token?: string;
  readonly launch: { readonly command: string; readonly args: readonly string[] };
}

const TOKEN = "TOKEN";

export function connectPage({ projects, project }: Site, url: URL, access: Access): View {
  const isDefault = project.name === projects.home;
  const address = `${url.origin}/mcp${isDefault ? "" : `?project=${encodeURIComponent(project.name)}`}`;
  const bearer = access.isNeeded ? `Bearer ${access.token ?? TOKEN}` : undefined;
  const remote = { url: address, ...(bearer && { headers: { Authorization: bearer } }) };
  const { project: folder } = project.app.config.settings;
  const { command: program, args: words } = access.launch;
  const args = [...words, "serve", ...folder === undefined ? [] : ["--project", folder]];
  const own = { mcpServers: { bmad: { command: program, args } } };
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const header = { line: bearer === undefined ? "" : command` --header ${`Authorization: ${bearer}`}` };
  const claude = command`claude mcp add --transport http bmad ${address}${header}` ?? NO_COMMAND;
  const install = command`bmad-mcp install --http ${url.port || "8080"}` ?? NO_COMMAND;
  const clients = [
    ["Claude Code", claude],
    ["Cursor, Windsurf, LM Studio and most others", json({ mcpServers: { bmad: remote } })],
    ["VS Code (.vscode/mcp.json)", json({ servers: { bmad: { type: "http", ...remote } } })],
  ] as const;
  return {
    title: "Connect",
    tab: "connect",
    body: [
      markup`<h1>Connect a client</h1>
<p>This command does it for every client that it finds.</p>`,
      snippet("On this machine", install),
      section("By hand", aboutToken(access)),
      clients.map(([title, text]) => snippet(title, text, access.token !== undefined)),
      section("Without this server", snippet("A client that starts the server itself", json(own))),
    ],
  };
}

function aboutToken({ isNeeded, token }: Access): Content {
  if (!isNeeded) return markup`<p>This server needs no token.</p>`;
  if (token !== undefined) {
    return markup`<p>The server’s token is filled in: a snippet is for you alone. Open one to see it.</p>`;
  }
  return markup`<p>Put the server’s token in place of ${TOKEN}, or have it filled in for ten minutes:</p>
${tokenForm("/connect", "door", markup` name="token" aria-label="Token" placeholder="Token"`, "Fill in")}`;
}

/** Closed at first with the token: others may see the screen. */
function snippet(title: string, text: string, isSecret = false): Markup {
  const shown = markup`<pre class="snippet" tabindex="0" aria-label="${title}">${text}</pre>`;
  return markup`<section class="copied"><div class="head"><h3>${title}</h3><span class="end"><button type="button" data-copy="${text}">Copy</button></span></div>${
    isSecret ? markup`<details><summary>Show it, with the token</summary>${shown}</details>` : shown
  }</section>`;
}

export const DOOR_PATH = "/enter";

/** With the hidden user name, browsers keep the token as a password. */
function tokenForm(to: string, style: string, field: Markup, button: string, label?: Markup): Markup {
  return markup`<form method="post" action="${DOOR_PATH}" class="${style}"><input type="hidden" name="to" value="${to}">
<input type="text" name="user" value="${PRODUCT.name}" autocomplete="username" hidden>
${label}<div class="line"><input type="password"${field} required autocomplete="current-password" spellcheck="false"><button>${button}</button></div></form>`;
}

export interface Door {
  readonly to: string;
  readonly problem?: string;
  /** It holds the token; undefined if its owner chose one. */
  readonly file?: string;
}

export function doorPage({ to, problem, file }: Door): Markup {
  const isWrong = problem !== undefined;
  const field = markup` id="token" name="token" autofocus${
    isWrong && markup` aria-invalid="true" aria-describedby="problem"`
  }`;
  return withoutNavigation(
    "Enter the token",
    markup`<p>This server shows its pages to people who know its token.</p>
${isWrong && markup`<p class="note bad" role="alert" id="problem">${problem}</p>`}
${tokenForm(to, "card door", field, "Open", markup`<label for="token">Token</label>\n`)}
<h2>Where is it?</h2>
${
      file === undefined ? markup`<p>Whoever started the server chose it. Ask them.</p>` : markup`<ul>
<li>The terminal in which the server was started shows the dashboard’s address. Open that, and you are in.</li>
<li>On that machine, its user finds the token in the file <code>${file}</code>.</li>
</ul>`
    }`,
  );
}

export function programsPage(path: string): Markup {
  return withoutNavigation(
    "For programs",
    markup`<p><code>${path}</code> is for programs, which send the token with every request.</p>
<p><a href="/">Open the dashboard</a> · <a href="/connect">Connect a client</a></p>`,
  );
}

/** It would tell about the project. */
function withoutNavigation(title: string, body: Markup): Markup {
  return shell(
    title,
    markup`<header class="lone"><div class="wide"><div class="top"><span class="brand">${PRODUCT.name}</span></div></div></header>
<main class="wide" id="main">
<h1>${title}</h1>
${body}
</main>`,
  );
}
