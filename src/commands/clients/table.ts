/** THE table of clients. To add a client, add a row, and grant its variables in deno.json. */
import { type Client, type Format, onSystem, type System, variablesIn } from "./client.ts";
import type { ShapeName } from "./shapes.ts";

const XDG = "${XDG_CONFIG_HOME:-~/.config}";
const LIBRARY = "~/Library/Application Support";
const ROAMING = "${APPDATA:-~/AppData/Roaming}";
const LOCAL = "${LOCALAPPDATA:-~/AppData/Local}";

function inSettings(path: string): Readonly<Record<System, readonly string[]>> {
  return { linux: [`${XDG}/${path}`], darwin: [`${LIBRARY}/${path}`], windows: [`${ROAMING}/${path}`] };
}

function entriesIn(format: Format, keys: readonly string[], shape: ShapeName) {
  return { format, keys, shape };
}

const STANDARD = entriesIn("json", ["mcpServers"], "plain");
const SWITCHED = entriesIn("json", ["mcpServers"], "switched");
const TOML_TABLES = entriesIn("toml", ["mcp_servers"], "plain");

const RESTART = "Restart it.";

const SESSION_HOOKS = {
  format: "json",
  keys: ["hooks", "SessionStart"],
  end: "Stop",
  shape: "grouped",
} as const;

/** Which folders clients read is as the CLI `skills` has it (vercel-labs/skills, src/agents.ts). */
const SHARED_SKILLS = ["~/.agents/skills", ".agents/skills"] as const;

function skillsIn(folder: string, user = `~/${folder}`) {
  return [`${user}/skills`, `${folder}/skills`] as const;
}

/** A row says only what differs from the standard entry, and from what is usual in its group. */
type Row = Omit<Client, "id" | keyof typeof STANDARD> & Partial<Client>;

function clientsIn(rows: Readonly<Record<string, Row>>, usual?: (id: string) => Partial<Client>) {
  return Object.entries(rows).map(([id, row]): Client => ({ id, ...STANDARD, ...usual?.(id), ...row }));
}

// These start servers in their own working folder.
const TERMINAL_CLIENTS = clientsIn({
  "claude-code": {
    title: "Claude Code",
    skills: skillsIn(".claude", "${CLAUDE_CONFIG_DIR:-~/.claude}"),
    aliases: ["claude"],
    programs: ["claude"],
    remote: "http",
    tokenVariable: "${BMAD_TOKEN}",
    user: ["${CLAUDE_CONFIG_DIR:-~}/.claude.json"],
    project: [".mcp.json"],
    detectBy: ["${CLAUDE_CONFIG_DIR:-~/.claude}", "${CLAUDE_CONFIG_DIR:-~}/.claude.json"],
    hooks: {
      ...SESSION_HOOKS,
      user: ["${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json"],
      project: [".claude/settings.json"],
    },
    next: "Start a new session; /mcp shows the connection.",
    trust: "It asks for approval at its next start in the project.",
  },
  codex: {
    title: "Codex",
    remote: "codex",
    ...TOML_TABLES,
    user: ["${CODEX_HOME:-~/.codex}/config.toml"],
    project: [".codex/config.toml"],
    hooks: {
      ...SESSION_HOOKS,
      user: ["${CODEX_HOME:-~/.codex}/hooks.json"],
      project: [".codex/hooks.json"],
      trust: "Trust the hook once: Codex asks at its next start, and /hooks lists it.",
    },
    next: "Start a new session; /mcp shows the tools.",
    trust: "It reads the file only in projects that you trust.",
  },
  gemini: {
    title: "Gemini CLI",
    aliases: ["gemini-cli"],
    remote: "http",
    tokenVariable: "${BMAD_TOKEN}",
    ...entriesIn("jsonc", ["mcpServers"], "plain"),
    user: ["${GEMINI_CLI_HOME:-~}/.gemini/settings.json"],
    project: [".gemini/settings.json"],
    hooks: {
      ...SESSION_HOOKS,
      end: "AfterAgent",
      format: "jsonc",
      shape: "grouped-ms",
    },
    next: "Start it in a trusted folder: elsewhere it starts no servers.",
  },
  "copilot-cli": {
    title: "GitHub Copilot CLI",
    aliases: ["copilot", "github-copilot-cli"],
    programs: ["copilot"],
    remote: "copilot",
    ...entriesIn("json", ["mcpServers"], "copilot"),
    user: ["${COPILOT_HOME:-~/.copilot}/mcp-config.json"],
    // It also reads .mcp.json, but other clients read that file too and do not know its types.
    project: [".github/mcp.json"],
    hooks: {
      format: "json",
      keys: ["hooks", "sessionStart"],
      end: "agentStop",
      shape: "copilot",
      seed: { version: 1 },
      user: ["${COPILOT_HOME:-~/.copilot}/hooks/bmad-mcp.json"],
      project: [".github/hooks/bmad-mcp.json"],
    },
    next: "Start a new session; /mcp shows the server.",
    trust: "It reads the file only in folders that you trust.",
  },
  opencode: {
    title: "opencode",
    remote: "remote",
    tokenVariable: "{env:BMAD_TOKEN}",
    ...entriesIn("jsonc", ["mcp"], "joined"),
    newer: { keys: ["mcp", "servers"], shape: "joined-bare" },
    user: [`${XDG}/opencode/opencode.jsonc`, `${XDG}/opencode/opencode.json`],
    project: ["opencode.jsonc", "opencode.json"],
    next: RESTART,
  },
  qwen: {
    title: "Qwen Code",
    skills: skillsIn(".qwen"),
    aliases: ["qwen-code"],
    ...entriesIn("jsonc", ["mcpServers"], "plain"),
    user: ["~/.qwen/settings.json"],
    project: [".qwen/settings.json"],
    hooks: {
      ...SESSION_HOOKS,
      format: "jsonc",
      shape: "grouped-ms",
    },
    next: "Start a new session; /mcp shows the server.",
  },
  "cline-cli": {
    title: "Cline CLI",
    programs: ["cline"],
    remote: "cline",
    ...SWITCHED,
    user: ["${CLINE_DIR:-~/.cline}/data/settings/cline_mcp_settings.json"],
    detectBy: ["${CLINE_DIR:-~/.cline}"],
    next: RESTART,
  },
  goose: {
    title: "Goose",
    skills: skillsIn(".goose", `${XDG}/goose`),
    remote: "goose",
    ...entriesIn("yaml", ["extensions"], "goose"),
    user: {
      linux: [`${XDG}/goose/config.yaml`],
      darwin: ["~/.config/goose/config.yaml"],
      windows: [`${ROAMING}/Block/goose/config/config.yaml`],
    },
    next: "Start a new session.",
  },
  amp: {
    title: "Amp",
    remote: "plain",
    ...entriesIn("jsonc", ["amp.mcpServers"], "plain"),
    user: ["~/.config/amp/settings.json", "~/.config/amp/settings.jsonc"],
    project: [".amp/settings.json"],
    next: "Start a new session.",
    trust: "Approve it once: amp mcp approve bmad",
  },
  auggie: {
    title: "Auggie",
    skills: skillsIn(".augment"),
    aliases: ["augment"],
    user: ["~/.augment/settings.json"],
    next: "Start a new session.",
  },
  grok: {
    title: "Grok Build",
    skills: skillsIn(".grok", "${GROK_HOME:-~/.grok}"),
    ...TOML_TABLES,
    user: ["${GROK_HOME:-~/.grok}/config.toml"],
    project: [".grok/config.toml"],
    next: "Start a new session.",
  },
  kimi: {
    title: "Kimi Code",
    aliases: ["kimi-code"],
    ...entriesIn("json", ["mcpServers"], "kimi"),
    user: ["${KIMI_CODE_HOME:-~/.kimi-code}/mcp.json"],
    project: [".kimi-code/mcp.json"],
    next: "Start a new session.",
  },
  pi: {
    title: "Pi",
    skills: skillsIn(".pi", "${PI_CODING_AGENT_DIR:-~/.pi/agent}"),
    user: ["${PI_CODING_AGENT_DIR:-~/.pi/agent}/mcp.json"],
    project: [".pi/mcp.json"],
    next: "Start a new session.",
  },
  hermes: {
    title: "Hermes Agent",
    skills: skillsIn(".hermes"),
    ...entriesIn("yaml", ["mcp_servers"], "plain"),
    user: ["~/.hermes/config.yaml"],
    next: RESTART,
  },
  factory: {
    title: "Factory Droid",
    aliases: ["droid"],
    programs: ["droid"],
    manualSteps: 'Run droid mcp add NAME "COMMAND ARGS" with these values:',
  },
  crush: {
    title: "Crush",
    skills: skillsIn(".crush", "~/.config/crush"),
    ...entriesIn("json", ["mcp"], "stdio"),
    manualSteps: "Ask Crush to add this server to its configuration:",
  },
  warp: {
    title: "Warp",
    programs: ["warp-terminal"],
    manualSteps: "Paste this in Settings → AI → Manage MCP servers → Add:",
  },
}, (id) => ({ programs: [id], skills: SHARED_SKILLS }));

const VS_CODE = {
  ...entriesIn("jsonc", ["servers"], "stdio"),
  remote: "http",
  tokenVariable: "${env:BMAD_TOKEN}",
  project: [".vscode/mcp.json"],
  workspace: "${workspaceFolder}",
  next: "Run “MCP: List Servers” and start it. It asks once whether you trust it.",
} as const;
const XCODE = "~/Library/Developer/Xcode/CodingAssistant";

// Editors, their extensions and desktop applications: their PATH is minimal. They start the servers of your own file in
// any folder, those of a project's file mostly in the project.
const WINDOW_CLIENTS = clientsIn({
  "claude-desktop": {
    title: "Claude Desktop",
    user: {
      linux: [`${XDG}/Claude/claude_desktop_config.json`],
      darwin: [`${LIBRARY}/Claude/claude_desktop_config.json`],
      // The packaged application reads only its own folder.
      windows: [
        `${LOCAL}/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json`,
        `${ROAMING}/Claude/claude_desktop_config.json`,
      ],
    },
    next: "Quit it completely, including from the tray or menu bar, and restart it.",
  },
  cursor: {
    title: "Cursor",
    skills: SHARED_SKILLS,
    programs: ["cursor", "cursor-agent"],
    remote: "plain",
    tokenVariable: "${env:BMAD_TOKEN}",
    user: ["~/.cursor/mcp.json"],
    project: [".cursor/mcp.json"],
    hooks: {
      format: "json",
      keys: ["hooks", "sessionStart"],
      shape: "flat",
      seed: { version: 1 },
      user: ["~/.cursor/hooks.json"],
      project: [".cursor/hooks.json"],
    },
    workspace: "${workspaceFolder}",
    next: "Open Settings → MCP and make sure the server is on.",
  },
  vscode: {
    title: "VS Code",
    skills: SHARED_SKILLS,
    aliases: ["code", "vs-code"],
    programs: ["code"],
    ...VS_CODE,
    user: inSettings("Code/User/mcp.json"),
  },
  "vscode-insiders": {
    title: "VS Code Insiders",
    skills: SHARED_SKILLS,
    programs: ["code-insiders"],
    ...VS_CODE,
    user: inSettings("Code - Insiders/User/mcp.json"),
  },
  antigravity: {
    title: "Antigravity",
    skills: ["~/.gemini/antigravity/skills", ".agents/skills"],
    programs: ["antigravity"],
    remote: "server",
    user: ["~/.gemini/config/mcp_config.json", "~/.gemini/antigravity/mcp_config.json"],
    next: "Open Manage MCP Servers and refresh.",
  },
  kilo: {
    title: "Kilo Code",
    skills: SHARED_SKILLS,
    aliases: ["kilo-code"],
    programs: ["kilo", "kilocode"],
    remote: "remote",
    ...entriesIn("jsonc", ["mcp"], "joined"),
    user: [`${XDG}/kilo/kilo.jsonc`, `${XDG}/kilo/kilo.json`],
    project: ["kilo.jsonc", "kilo.json", ".kilo/kilo.jsonc"],
    next: RESTART,
  },
  devin: {
    title: "Devin Desktop (Windsurf)",
    skills: skillsIn(".windsurf", "~/.codeium/windsurf"),
    aliases: ["windsurf", "devin-desktop"],
    programs: ["windsurf"],
    user: {
      linux: ["~/.config/devin/mcp_config.json", "~/.codeium/windsurf/mcp_config.json"],
      darwin: ["~/.config/devin/mcp_config.json", "~/.codeium/windsurf/mcp_config.json"],
      windows: [`${ROAMING}/devin/mcp_config.json`, "~/.codeium/windsurf/mcp_config.json"],
    },
    project: [".devin/mcp_config.json"],
    workspace: "unknown",
    detectBy: ["~/.config/devin", `${ROAMING}/devin`, "~/.codeium/windsurf"],
    next: "Open its MCP settings and refresh.",
  },
  cline: {
    title: "Cline (VS Code)",
    skills: SHARED_SKILLS,
    remote: "cline",
    ...SWITCHED,
    user: inSettings("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
    next: "Open its MCP Servers panel; it connects at once.",
  },
  "roo-code": {
    title: "Roo Code",
    skills: skillsIn(".roo"),
    aliases: ["roo"],
    remote: "roo",
    user: inSettings("Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
    project: [".roo/mcp.json"],
    next: "Open its MCP panel; it connects at once.",
  },
  bob: {
    title: "IBM Bob",
    aliases: ["ibm-bob"],
    skills: skillsIn(".bob"),
    programs: ["bob"],
    ...SWITCHED,
    user: ["~/.bob/mcp_settings.json", "~/.bob/settings/mcp_settings.json"],
    project: [".bob/mcp.json"],
    workspace: "unknown",
    detectBy: ["~/.bob"],
    next: "Its settings, tab MCP, show the server.",
  },
  zed: {
    title: "Zed",
    skills: SHARED_SKILLS,
    programs: ["zed", "zeditor"],
    remote: "plain",
    ...entriesIn("jsonc", ["context_servers"], "zed"),
    user: {
      linux: [`${XDG}/zed/settings.json`],
      darwin: ["~/.config/zed/settings.json"],
      windows: [`${ROAMING}/Zed/settings.json`],
    },
    project: [".zed/settings.json"],
    next: "Open the Agent panel's settings: a green dot means connected.",
  },
  junie: {
    title: "JetBrains Junie",
    skills: skillsIn(".junie"),
    programs: ["junie"],
    user: ["~/.junie/mcp/mcp.json"],
    project: [".junie/mcp/mcp.json"],
    workspace: "unknown",
    detectBy: ["~/.junie"],
    next: "Open Settings → Tools → Junie → MCP Settings and make sure it is on.",
  },
  jetbrains: {
    title: "JetBrains AI Assistant",
    aliases: ["jetbrains-ai"],
    manualSteps: "Paste this in Settings → Tools → AI Assistant → Model Context Protocol → Add → As JSON:",
  },
  "lm-studio": {
    title: "LM Studio",
    aliases: ["lmstudio"],
    programs: ["lms"],
    remote: "plain",
    user: ["~/.lmstudio/mcp.json", "~/.cache/lm-studio/mcp.json"],
    detectBy: ["~/.lmstudio", "~/.cache/lm-studio"],
    next: "Switch it on in the Program tab.",
  },
  continue: {
    title: "Continue",
    skills: skillsIn(".continue"),
    programs: ["cn"],
    ...entriesIn("yaml", ["mcpServers"], "listed"),
    user: ["~/.continue/config.yaml"],
    project: [".continue/mcpServers/bmad.yaml"],
    seed: { name: "Local configuration", version: "1.0.0", schema: "v1" },
    next: "Reload its configuration and use agent mode.",
  },
  kiro: {
    title: "Kiro",
    skills: skillsIn(".kiro"),
    aliases: ["amazon-q"],
    programs: ["kiro", "kiro-cli"],
    remote: "plain",
    tokenVariable: "${BMAD_TOKEN}",
    ...SWITCHED,
    user: ["~/.kiro/settings/mcp.json"],
    project: [".kiro/settings/mcp.json"],
    detectBy: ["~/.kiro"],
    next: "Its MCP panel shows the connection.",
  },
  "visual-studio": {
    title: "Visual Studio",
    ...entriesIn("json", ["servers"], "stdio"),
    user: { windows: ["~/.mcp.json"] },
    project: [".mcp.json"],
    workspace: "unknown",
    detectBy: { windows: [`${LOCAL}/Microsoft/VisualStudio`] },
    next: "Choose its tools in Copilot's agent mode.",
  },
  "xcode-claude": {
    title: "Xcode (Claude agent)",
    user: { darwin: [`${XCODE}/ClaudeAgentConfig/.claude.json`] },
    next: "Start a new conversation.",
  },
  "xcode-codex": {
    title: "Xcode (Codex agent)",
    ...TOML_TABLES,
    user: { darwin: [`${XCODE}/codex/config.toml`] },
    next: "Start a new conversation.",
  },
});

export const CLIENTS: readonly Client[] = [...TERMINAL_CLIENTS, ...WINDOW_CLIENTS];

/** The form of an entry that most clients take. */
export const ANY_CLIENT: Client = {
  id: "any",
  title: "Any client",
  remote: "http",
  skills: SHARED_SKILLS,
  ...STANDARD,
  manualSteps: "Paste this into its file of MCP servers, or add a server with these values:",
};

export const CLIENT_VARIABLES: readonly string[] = [
  ...new Set(
    CLIENTS.flatMap(({ user, detectBy }) => [user, detectBy]).flatMap((paths) =>
      ["linux", "darwin", "windows"].flatMap((os) => onSystem(paths, os))
    ).flatMap(variablesIn),
  ),
];

export function findClient(name: string): Client | undefined {
  const wanted = name.toLowerCase();
  return CLIENTS.find(({ id, aliases }) => id === wanted || aliases?.includes(wanted));
}

export function startsAnywhere(client: Client): boolean {
  return client.project === undefined && WINDOW_CLIENTS.includes(client);
}
