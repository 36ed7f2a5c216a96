/** Do the lines about a project's documents reach every surface that starts work? */
import assert from "node:assert/strict";
import { type App, openApp } from "../../../src/app.ts";
import { denoHost } from "../../../src/process/host.ts";
import { execute } from "../../../src/commands/cli/browse.ts";
import { callTool } from "../../../src/serve/mcp/mod.ts";
import { getPrompt } from "../../../src/serve/mcp/prompts.ts";
import { resolveConfig } from "../../support/config.ts";
import { installation, type InstallVersion } from "../../support/installs.ts";
import { copyTree, withTree } from "../../support/trees.ts";

const PRDS: Readonly<Partial<Record<InstallVersion, string>>> = {
  "6.12.0": "_bmad-output/planning-artifacts/prds/prd-shop-2026-10-02/prd.md",
  "4.44.3": "docs/prd.md",
};

const STARTS: Readonly<
  Partial<Record<InstallVersion, Readonly<Record<string, (app: App) => Promise<string>>>>>
> = {
  "6.12.0": {
    "bmad": tool("bmad", { operation: "execute", workflow: "architecture" }),
    "execute_workflow": tool("execute_workflow", { workflow_name: "architecture" }),
    "execute_task": tool("execute_task", { task_name: "architecture" }),
    "bmad-workflow": tool("bmad-workflow", { workflow: "architecture" }),
    "an agent's tool": tool("bmm-pm", { message: "Go on" }),
    "a workflow's prompt": prompt("bmad-architecture"),
    "an agent's prompt": prompt("bmad-pm"),
    "the command line": commandLine("architecture"),
  },
  "4.44.3": {
    "execute_task": tool("execute_task", { task_name: "create-next-story" }),
    "an agent's prompt": prompt("bmad-pm"),
    "the command line": commandLine("pm"),
  },
};

function tool(name: string, args: Readonly<Record<string, string>>) {
  return async (app: App) => (await callTool(app, name, args)).content[0]!.text!;
}

function prompt(name: string) {
  return async (app: App) =>
    JSON.parse(JSON.stringify(await getPrompt(app, name, {}))).messages[0].content.text;
}

function commandLine(name: string) {
  return async (app: App) =>
    `${
      (await execute({
        host: denoHost("."),
        open: () => Promise.resolve(app),
        invocation: { name: "execute", operands: [name], options: {} },
      })).text
    }\n`;
}

for (const [version, path] of Object.entries(PRDS) as [InstallVersion, string][]) {
  Deno.test(`every way to start work of ${version} names the documents [tool:execute-artefacts]`, () =>
    withTree({}, async (dir) => {
      await copyTree(await installation({ version, tools: "claude-code" }), dir);
      await Deno.mkdir(`${dir}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
      await Deno.writeTextFile(`${dir}/${path}`, "---\nstatus: final\n---\n# PRD\n");
      const host = denoHost(dir);
      const app = openApp(
        resolveConfig({ ...host, home: undefined, args: ["--project", dir], env: () => undefined }),
        host,
      );
      const lines = `\nArtefacts here (files of the project):\n- PRD: ${path} (final)\n`;
      for (const [way, start] of Object.entries(STARTS[version]!)) {
        const text = await start(app);
        assert.ok(text.includes(lines), `${way}: ${text.slice(0, 2_000)}`);
      }
    }));
}
