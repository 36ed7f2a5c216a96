/**
 * Links that add the server to a client with one click, as docs/install.md shows them.
 */
import { PRODUCT } from "../src/base/model.ts";

/** One link per client that takes them; they need the program on the PATH. */
export function installLinks(): readonly string[] {
  const { name: command } = PRODUCT;
  const entry = { command, args: ["serve"] };
  const base64 = (value: unknown) => encodeURIComponent(btoa(JSON.stringify(value)));
  const vscode = `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: "bmad", ...entry }))}`;
  const goose = new URLSearchParams({
    cmd: command,
    arg: "serve",
    id: "bmad",
    name: "BMAD",
    description: "The BMAD Method",
  });
  const links: Readonly<Record<string, string>> = {
    "VS Code": `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(vscode)}`,
    "Cursor": `https://cursor.com/en/install-mcp?name=bmad&config=${base64(entry)}`,
    "LM Studio": `https://lmstudio.ai/install-mcp?name=bmad&config=${base64(entry)}`,
    "Kiro": `https://kiro.dev/launch/mcp/add?name=bmad&config=${encodeURIComponent(JSON.stringify(entry))}`,
    "Goose": `https://block.github.io/goose/extension?${goose}`,
  };
  const badge = (title: string) =>
    `https://img.shields.io/badge/${
      encodeURIComponent(title.replaceAll(" ", "_"))
    }-Install-0098FF?style=flat-square`;
  return Object.entries(links).map(([title, link]) => `[![Install in ${title}](${badge(title)})](${link})`);
}
