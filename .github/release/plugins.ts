/**
 * Generates the plugins through which coding clients install the server.
 *
 * They are the files of a repository of their own, `bmad-mcp-plugins`: a marketplace for Claude Code and for Codex,
 * with one plugin that both read, and an extension for Gemini CLI. None contains the program; they start the one on
 * the path. The files are generated with each release and are not in this repository.
 */
import { drawIcon } from "./icon.ts";
import { findClient } from "../../src/commands/clients/table.ts";
import { renderSkill, SKILL } from "../../src/commands/clients/skill.ts";
import { buildHook, HOOK_ARGS } from "../../src/commands/clients/shapes.ts";
import { DESCRIPTION, LAUNCH, type Release, renderJson } from "./release.ts";

/** Every file of the plugin repository, by repository name and path. */
export function buildPlugins(
  release: Release,
  licence: string,
): Readonly<Record<string, string | Uint8Array>> {
  const { version, home } = release;
  const owner = { name: release.owner };
  const servers = { mcpServers: { bmad: LAUNCH } };
  const line = [LAUNCH.command, ...HOOK_ARGS].join(" ");
  const plugin = {
    name: "bmad",
    version,
    description: DESCRIPTION,
    author: owner,
    homepage: home,
    repository: home,
    license: "MIT",
    keywords: ["bmad", "mcp", "agents", "workflows"],
  };
  const files: Readonly<Record<string, unknown>> = {
    ".claude-plugin/marketplace.json": {
      name: "bmad-mcp",
      owner,
      metadata: { description: DESCRIPTION },
      plugins: [{ name: plugin.name, source: "./plugins/bmad", description: DESCRIPTION, version }],
    },
    ".agents/plugins/marketplace.json": {
      name: "bmad-mcp",
      interface: { displayName: "BMAD Method over MCP" },
      plugins: [{
        name: plugin.name,
        source: { source: "local", path: "./plugins/bmad" },
        policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
        category: "Productivity",
      }],
    },
    "plugins/bmad/.claude-plugin/plugin.json": plugin,
    "plugins/bmad/.codex-plugin/plugin.json": {
      ...plugin,
      mcpServers: "./.mcp.json",
      skills: "./skills/",
    },
    // Claude Code finds this file by its name, Codex through its manifest.
    "plugins/bmad/.mcp.json": servers,
    // Both find this one by its name.
    "plugins/bmad/hooks/hooks.json": hooksFile("claude-code", line),
    "hooks/hooks.json": hooksFile("gemini", line),
    "gemini-extension.json": { name: plugin.name, version, description: DESCRIPTION, ...servers },
  };
  const readme = renderReadme(release);
  return {
    ...Object.fromEntries(
      Object.entries(files).map(([path, value]) => [`bmad-mcp-plugins/${path}`, renderJson(value)]),
    ),
    // Claude Code and Codex find the one of the plugin, Gemini CLI and `npx skills add` the one at the top.
    [`bmad-mcp-plugins/plugins/bmad/skills/${SKILL}/SKILL.md`]: renderSkill(),
    [`bmad-mcp-plugins/skills/${SKILL}/SKILL.md`]: renderSkill(),
    "bmad-mcp-plugins/README.md": readme,
    "bmad-mcp-plugins/plugins/bmad/README.md": readme,
    // Plugin catalogues require these two beside each plugin.
    "bmad-mcp-plugins/LICENSE": licence,
    "bmad-mcp-plugins/plugins/bmad/LICENSE": licence,
    "bmad-mcp-plugins/plugins/bmad/.claude-plugin/icon.png": drawIcon(),
  };
}

/** A file of hooks with ours, in the form that a client's own files have. */
function hooksFile(client: string, line: string): unknown {
  const { keys: [outer, start], end, shape } = findClient(client)!.hooks!;
  const events = [start, end].filter((event) => event !== undefined);
  return { [outer!]: Object.fromEntries(events.map((event) => [event, [buildHook(shape, line)]])) };
}

function renderReadme({ owner, home }: Release): string {
  const plugins = `${owner}/bmad-mcp-plugins`;
  return `# BMAD Method over MCP: plugins

These plugins connect your coding client to [bmad-mcp](${home}), which serves BMAD agents,
workflows and skills from your project, your home folder and its own embedded content, and tell each new session what
is in hand (\`bmad-mcp prime\`). With them comes a skill, for work through the terminal; for that alone:
\`npx skills add ${plugins}\`. They do not contain the program: install it first, as its README says, so that \`bmad-mcp --version\` works in a new terminal.

| Client      | Install                                                                            |
| ----------- | ---------------------------------------------------------------------------------- |
| Claude Code | \`claude plugin marketplace add ${plugins}\`, then \`claude plugin install bmad@bmad-mcp\` |
| Codex       | \`codex plugin marketplace add ${plugins}\`, then \`codex plugin add bmad@bmad-mcp\` |
| Gemini CLI  | \`gemini extensions install https://github.com/${plugins}\` |

Then ask for what you want: “Talk to Mary about the market for dog walking”.

This is an independent project. It is not affiliated with, endorsed by or sponsored by BMad Code, LLC. BMad™, BMad
Method™ and BMad Core™ are trademarks of BMad Code, LLC. The files here are generated with each release; please propose
changes in the repository named above.
`;
}
