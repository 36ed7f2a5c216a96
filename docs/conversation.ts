/**
 * Draws docs/agent.svg and docs/board.png: an agent at work in a client, and the board in a browser, from real runs.
 *
 * Both are of the demo project over an installation of 6.12. The answers are those of the server; what a person says
 * is ours. Run by `deno task pictures`.
 */
import { startBrowser } from "../tests/browser/chromium.ts";
import { startHttp } from "../tests/support/http.ts";
import { installation } from "../tests/support/installs.ts";
import { runCli } from "../tests/support/program.ts";
import { copyTree, withTree } from "../tests/support/trees.ts";
import { wrap } from "../src/commands/cli/wrap.ts";
import { widthOf } from "../src/commands/cli/screen.ts";
import { DEMO } from "./demo.ts";
import { COLUMNS, renderPicture } from "./picture.ts";

/** What a person says, and the call that a model makes for it. */
const TURNS: readonly (readonly [said: string, tool: string, call: Readonly<Record<string, string>>])[] = [
  ["What is next?", "bmad", { operation: "next" }],
  ["I take it.", "bmad_work", { operation: "claim", story: "1-3", by: "ann" }],
  ["Done!", "bmad_work", { operation: "mark", story: "1-3", status: "done", by: "ann" }],
];

const dim = (text: string) => `\x1b[2m${text}\x1b[22m`;

async function converse(project: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [said, tool, call] of TURNS) {
    const { stdout, stderr } = await runCli(["call", tool, JSON.stringify(call)], { cwd: project });
    const text = (stdout || stderr.replace(/^bmad-mcp: /, "")).trimEnd();
    const answer = text.replaceAll("_bmad-output/implementation-artifacts/", "…/").split("\n");
    lines.push(
      `\x1b[1m› ${said}\x1b[22m`,
      `\x1b[32m●\x1b[39m ${dim(`${tool} ${JSON.stringify(call)}`)}`,
      ...answer.flatMap((line) => wrap(line, COLUMNS - 4, widthOf)).map((line) => `  ${line}`),
      "",
    );
  }
  return lines;
}

/** Draws both. */
export async function drawProject(folder: URL): Promise<void> {
  await withTree({}, async (dir) => {
    const project = `${dir}/pawpath`;
    await copyTree(await installation({ version: "6.12.0", tools: "claude-code" }), project);
    for (const [path, text] of Object.entries(DEMO)) {
      const file = `${project}/${path}`;
      await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(file, text);
    }
    const title = "A conversation with an agent about the next story";
    await Deno.writeTextFile(new URL("agent.svg", folder), renderPicture(await converse(project), title));
    await using program = await startHttp(["--project", project]);
    await using browser = await startBrowser();
    const tab = await browser.newTab({ scripts: true });
    await tab.open(`${program.url}/board`, { width: 1_280, height: 640, dark: false });
    await Deno.writeFile(new URL("board.png", folder), await tab.screenshot());
  });
}
