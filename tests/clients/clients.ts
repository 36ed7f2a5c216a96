/**
 * The real clients that we connect to: how each is installed, told of our server, asked whether it sees us, and made
 * to talk to a model.
 */

/** How a client starts our server. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A program to be run, and what it must print. */
interface Check {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What is written to its input; its end comes some seconds later. */
  readonly input?: string;
  readonly shows: RegExp;
}

/** One client. */
export interface Client {
  readonly name: string;
  /** The npm package with its version. */
  readonly package: string;
  /** The program in `node_modules/.bin`. */
  readonly program: string;
  /** Its configuration files, by their path in the home folder. */
  files(launch: Launch, model: string): Readonly<Record<string, string>>;
  /** Connects and lists our tools, without any model. */
  readonly connect: Check;
  /** Lets a model call our tool; undefined where we only connect. */
  talk?(model: string): Omit<Check, "shows">;
}

const PROMPT = "Talk to Mary about the market for dog walking";
const servers = (launch: Launch) => JSON.stringify({ mcpServers: { bmad: launch } }, null, 2);

export const CLIENTS: readonly Client[] = [
  {
    name: "Claude Code",
    package: "@anthropic-ai/claude-code@2.1.325",
    program: "claude",
    files: (launch) => ({ ".claude.json": servers(launch), "mcp.json": servers(launch) }),
    connect: { args: ["mcp", "list"], shows: /bmad: .* - ✔ Connected/ },
    talk: (model) => ({
      args: [
        ...["-p", PROMPT, "--mcp-config", "../mcp.json", "--strict-mcp-config"],
        ...["--allowedTools", "mcp__bmad__*", "--output-format", "stream-json", "--verbose"],
      ],
      env: {
        ANTHROPIC_API_KEY: "none",
        ANTHROPIC_BASE_URL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        ENABLE_TOOL_SEARCH: "false",
      },
    }),
  },
  {
    name: "Codex",
    package: "@openai/codex@0.166.0",
    program: "codex",
    files: ({ command, args, env }) => ({
      ".codex/config.toml": [
        "[mcp_servers.bmad]",
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
        "[mcp_servers.bmad.env]",
        ...Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
        "",
      ].join("\n"),
    }),
    connect: {
      args: ["app-server"],
      input: [
        { id: 1, method: "initialize", params: { clientInfo: { name: "check", version: "1" } } },
        { method: "initialized" },
        { id: 2, method: "mcpServerStatus/list", params: {} },
      ].map((message) => `${JSON.stringify(message)}\n`).join(""),
      shows: /"serverInfo":\{"name":"bmad-mcp".*"tools":\{"bmad":/,
    },
  },
  {
    name: "Gemini CLI",
    package: "@google/gemini-cli@0.61.0",
    program: "gemini",
    files: (launch) => ({ ".gemini/settings.json": servers(launch) }),
    connect: {
      args: ["mcp", "list"],
      env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
      shows: /✓ bmad: .* - Connected/,
    },
  },
  {
    name: "opencode",
    package: "opencode-ai@1.18.18",
    program: "opencode",
    files: ({ command, args, env }, model) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        model: "fake/fake",
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${model}/v1`, apiKey: "none" },
            models: { fake: {} },
          },
        },
        mcp: { bmad: { type: "local", command: [command, ...args], environment: env, enabled: true } },
      }),
    }),
    connect: { args: ["mcp", "list"], shows: /✓ bmad .*connected/s },
    talk: () => ({ args: ["run", "--format", "json", PROMPT] }),
  },
];
