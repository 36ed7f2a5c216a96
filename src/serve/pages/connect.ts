/**
 * How to connect a client to this server, or to one that the client starts itself: snippets to copy.
 */
import { command, NO_COMMAND } from "../../base/text.ts";
import { markup } from "./markup.ts";
import type { Site, View } from "./site.ts";

/** Snippets for clients; `url` is the address of the page. */
export function connectPage(site: Site, url: URL): View {
  const { projects, project } = site;
  const isDefault = project.name === projects.names[0];
  const address = `${url.origin}/mcp${isDefault ? "" : `?project=${encodeURIComponent(project.name)}`}`;
  const headers = { Authorization: "Bearer TOKEN" };
  const { project: folder } = project.app.config;
  const args = folder === undefined ? ["serve"] : ["serve", "--project", folder];
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const snippets: readonly (readonly [title: string, text: string])[] = [
    [
      "Claude Code",
      command`claude mcp add --transport http bmad ${address} --header ${`Authorization: ${headers.Authorization}`}` ??
        NO_COMMAND,
    ],
    [
      "Cursor, Windsurf, LM Studio and most others",
      json({ mcpServers: { bmad: { url: address, headers } } }),
    ],
    ["VS Code (.vscode/mcp.json)", json({ servers: { bmad: { type: "http", url: address, headers } } })],
    [
      "A client that starts the server itself",
      json({ mcpServers: { bmad: { command: "bmad-mcp", args } } }),
    ],
  ];
  return {
    title: "Connect",
    tab: "connect",
    body: markup`<h1>Connect a client</h1>
<p>On this machine, <code>${
      command`bmad-mcp install --http ${url.port || "8080"}` ?? NO_COMMAND
    }</code> does it for you. By hand, copy one of these, and put the server's token in place of TOKEN; a server that was started with --no-token needs none.</p>
${
      snippets.map(([title, text]) =>
        markup`<h2>${title}</h2><pre class="snippet" tabindex="0" aria-label="${title}">${text}</pre>`
      )
    }`,
  };
}
