/**
 * How to connect a client to this server, or to one that the client starts itself: snippets to copy.
 */
import { PRODUCT } from "../../base/model.ts";
import { command, NO_COMMAND } from "../../base/text.ts";
import { DOOR_PATH } from "./door.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import type { Site, View } from "./site.ts";

/** What a client has to send to be let in. */
export interface Access {
  readonly isNeeded: boolean;
  /** The token, for a reader who may see it. */
  readonly token?: string;
}

/** In place of a token that is not shown. */
const TOKEN = "TOKEN";

/** Snippets for clients; `url` is the address of the page. */
export function connectPage(site: Site, url: URL, access: Access): View {
  const { projects, project } = site;
  const isDefault = project.name === projects.names[0];
  const address = `${url.origin}/mcp${isDefault ? "" : `?project=${encodeURIComponent(project.name)}`}`;
  const bearer = access.isNeeded ? `Bearer ${access.token ?? TOKEN}` : undefined;
  const remote = { url: address, ...(bearer && { headers: { Authorization: bearer } }) };
  const { project: folder } = project.app.config;
  const args = folder === undefined ? ["serve"] : ["serve", "--project", folder];
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const header = { line: bearer === undefined ? "" : command` --header ${`Authorization: ${bearer}`}` };
  const snippets: readonly Snippet[] = [
    {
      title: "Claude Code",
      text: command`claude mcp add --transport http bmad ${address}${header}` ?? NO_COMMAND,
    },
    { title: "Cursor, Windsurf, LM Studio and most others", text: json({ mcpServers: { bmad: remote } }) },
    { title: "VS Code (.vscode/mcp.json)", text: json({ servers: { bmad: { type: "http", ...remote } } }) },
  ];
  const own: Snippet = {
    title: "A client that starts the server itself",
    text: json({ mcpServers: { bmad: { command: "bmad-mcp", args } } }),
  };
  const install: Snippet = {
    title: "On this machine",
    text: command`bmad-mcp install --http ${url.port || "8080"}` ?? NO_COMMAND,
  };
  return {
    title: "Connect",
    tab: "connect",
    body: markup`<h1>Connect a client</h1>
<p>This command does it for every client that it finds.</p>
${snippetOf(install)}
<h2>By hand</h2>
${aboutToken(access)}
${snippets.map((one) => access.token === undefined ? snippetOf(one) : hidden(one))}
<h2>Without this server</h2>
${snippetOf(own)}`,
  };
}

/** A text to copy. */
interface Snippet {
  readonly title: string;
  readonly text: string;
}

function aboutToken({ isNeeded, token }: Access): Content {
  if (!isNeeded) return markup`<p>This server needs no token.</p>`;
  if (token !== undefined) {
    return markup`<p>The server’s token is filled in: a snippet is for you alone. Open one to see it.</p>`;
  }
  return markup`<p>Put the server’s token in place of ${TOKEN}, or have it filled in for ten minutes:</p>
<form method="post" action="${DOOR_PATH}" class="door"><input type="hidden" name="to" value="/connect">
<input type="text" name="user" value="${PRODUCT.name}" autocomplete="username" hidden>
<div class="line"><input type="password" name="token" required aria-label="Token" placeholder="Token" autocomplete="current-password" spellcheck="false"><button>Fill in</button></div></form>`;
}

function snippetOf({ title, text }: Snippet): Markup {
  return markup`<section class="copied"><div class="head"><h3>${title}</h3><span class="end">${
    copyButton(text)
  }</span></div><pre class="snippet" tabindex="0" aria-label="${title}">${text}</pre></section>`;
}

/** Closed at first: others may see the screen. It can be copied as it is. */
function hidden({ title, text }: Snippet): Markup {
  return markup`<section class="copied"><div class="head"><h3>${title}</h3><span class="end">${
    copyButton(text)
  }</span></div><details><summary>Show it, with the token</summary><pre class="snippet" tabindex="0" aria-label="${title}">${text}</pre></details></section>`;
}

/** Shown where the script of the pages runs. */
function copyButton(text: string): Markup {
  return markup`<button type="button" data-copy="${text}" hidden>Copy</button>`;
}
