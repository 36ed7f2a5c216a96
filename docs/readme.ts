/**
 * Generates the parts of README.md that come from tables.
 */
import { CLIENTS } from "../src/commands/clients/mod.ts";
import { PRODUCT } from "../src/base/model.ts";
import { fillSections } from "./sections.ts";

const SECTIONS: Readonly<Record<string, () => readonly string[]>> = {
  clients: renderClients,
  buttons: renderButtons,
};

/** The README with its generated parts up to date. */
export function fillReadme(text: string): string {
  return fillSections(text, SECTIONS);
}

/** Every client by name; docs/install.md lists their files. */
function renderClients(): readonly string[] {
  const titles = CLIENTS.map(({ title, id }) => `${title} (\`${id}\`)`);
  const rows: string[][] = [];
  for (let at = 0; at < titles.length; at += 3) rows.push(titles.slice(at, at + 3));
  return [
    "| `bmad-mcp install …` | | |",
    "| --- | --- | --- |",
    ...rows.map((row) => `| ${[0, 1, 2].map((column) => row[column] ?? "").join(" | ")} |`),
  ];
}

/** Links that make a client add the server; they need the program on the PATH. */
function renderButtons(): readonly string[] {
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
