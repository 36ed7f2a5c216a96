/**
 * The real clients that we connect to: how each is had, asked whether it sees us, made to talk to a model, and given our
 * plugin.
 */

export interface Check {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What is written to its input, which ends once it has printed `until`. */
  readonly input?: { readonly text: string; readonly until: RegExp };
  readonly shows: RegExp;
}

export interface Client {
  readonly name: string;
  readonly package: string;
  readonly program: string;
  readonly id: string;
  files?(model: string): Readonly<Record<string, string>>;
  /** Connects and lists our tools, without any model; a client that lists servers without starting them only lists us. */
  readonly connect: Check & { readonly isOnlyListing?: true };
  talk?(model: string): Omit<Check, "shows">;
  /** Begins a session, so that its hooks are run; undefined if `talk` does, or where it has none. */
  greet?(model: string): Omit<Check, "shows">;
  /** Takes us as a plugin, from a folder with its files, step by step; undefined where there is none. */
  plugin?(folder: string): readonly Check[];
}

const PROMPT = "Talk to Mary about the market for dog walking";
const CODEX_STATUS = {
  text: [
    { id: 1, method: "initialize", params: { clientInfo: { name: "check", version: "1" } } },
    { method: "initialized" },
    { id: 2, method: "mcpServerStatus/list", params: {} },
  ].map((message) => `${JSON.stringify(message)}\n`).join(""),
  until: /^\{"id":2,.*\n/m,
};

export const CLIENTS: readonly Client[] = [
  {
    name: "Claude Code",
    package: "@anthropic-ai/claude-code@2.1.325",
    program: "claude",
    id: "claude-code",
    files: () => ({
      ".claude/settings.json": '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"true"}]}]}}',
    }),
    connect: { args: ["mcp", "list"], shows: /bmad: .* - ✔ Connected/ },
    talk: (model) => ({
      args: [
        "-p",
        PROMPT,
        "--allowedTools",
        "mcp__bmad__*",
        "--output-format",
        "stream-json",
        "--verbose",
      ],
      env: {
        ANTHROPIC_API_KEY: "none",
        ANTHROPIC_BASE_URL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        ENABLE_TOOL_SEARCH: "false",
      },
    }),
    plugin: (folder) => [
      { args: ["plugin", "validate", folder], shows: /Validation passed/ },
      {
        args: ["plugin", "validate", "--profile", "directory", `${folder}/plugins/bmad`],
        shows: /^(?![^]*warning)[^]*Validation passed/,
      },
      { args: ["plugin", "marketplace", "add", folder], shows: /added marketplace: bmad-mcp/ },
      { args: ["plugin", "install", "bmad@bmad-mcp"], shows: /installed plugin: bmad@bmad-mcp/ },
      { args: ["mcp", "list"], shows: /plugin:bmad:bmad: .* - ✔ Connected/ },
    ],
  },
  {
    name: "Codex",
    package: "@openai/codex@0.166.0",
    program: "codex",
    id: "codex",
    files: (model) => ({
      ".codex/config.toml":
        '# Mine\nmodel = "fake" # none\nmodel_provider = "fake"\n[model_providers.fake]\n' +
        `name = "fake"\nbase_url = "${model}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"\n`,
      ".codex/hooks.json": '{ "hooks": {} }',
    }),
    // A person reviews a hook before its first run.
    greet: () => ({
      args: ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", PROMPT],
      env: { FAKE_KEY: "none" },
    }),
    connect: {
      args: ["app-server"],
      input: CODEX_STATUS,
      shows: /"serverInfo":\{"name":"bmad-mcp".*"tools":\{"bmad":/,
    },
    plugin: (folder) => [
      { args: ["plugin", "marketplace", "add", folder], shows: /Added marketplace `bmad-mcp`/ },
      { args: ["plugin", "add", "bmad@bmad-mcp"], shows: /Added plugin `bmad`/ },
      { args: ["app-server"], input: CODEX_STATUS, shows: /"serverInfo":\{"name":"bmad-mcp"/ },
    ],
  },
  {
    name: "Gemini CLI",
    package: "@google/gemini-cli@0.61.0",
    program: "gemini",
    id: "gemini",
    files: () => ({
      ".gemini/settings.json":
        '{\n  // Mine\n  "ui": {},\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n',
    }),
    greet: (model) => ({
      args: ["-p", PROMPT, "-m", "gemini-2.5-flash", "--approval-mode", "yolo"],
      env: {
        GEMINI_API_KEY: "none",
        GOOGLE_GEMINI_BASE_URL: model,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
    }),
    connect: {
      args: ["mcp", "list"],
      env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
      shows: /✓ bmad: .* - Connected/,
    },
    plugin: (folder) => [
      { args: ["extensions", "validate", folder], shows: /successfully validated/ },
      {
        args: ["extensions", "install", "--consent", "--skip-settings", folder],
        input: { text: "y\n", until: /installed successfully/ },
        shows: /installed successfully/,
      },
      {
        args: ["mcp", "list"],
        env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
        shows: /✓ bmad \(from bmad\): .* - Connected/,
      },
    ],
  },
  {
    name: "opencode",
    package: "opencode-ai@1.18.18",
    program: "opencode",
    id: "opencode",
    files: (model) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        // It writes this itself where it is missing.
        $schema: "https://opencode.ai/config.json",
        model: "fake/fake",
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${model}/v1`, apiKey: "none" },
            models: { fake: {} },
          },
        },
      }),
    }),
    connect: { args: ["mcp", "list"], shows: /✓ bmad .*connected/s },
    talk: () => ({ args: ["run", "--format", "json", PROMPT] }),
  },
  {
    name: "Copilot CLI",
    package: "@github/copilot@1.0.102",
    program: "copilot",
    id: "copilot-cli",
    connect: { args: ["mcp", "list"], shows: /bmad/, isOnlyListing: true },
    greet: (model) => ({
      args: ["-p", PROMPT, "--allow-all-tools"],
      env: {
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
        COPILOT_MODEL: "gpt-4.1",
        COPILOT_ALLOW_ALL: "true",
      },
    }),
  },
  {
    name: "Qwen Code",
    package: "@qwen-code/qwen-code@0.24.4",
    program: "qwen",
    id: "qwen",
    // It writes its version itself where it is missing.
    files: () => ({ ".qwen/settings.json": '{\n  // Mine\n  "ui": {},\n  "$version": 4\n}\n' }),
    connect: { args: ["mcp", "list"], shows: /✓ bmad: .* - Connected/ },
    greet: (model) => ({
      args: ["-p", PROMPT, "--approval-mode", "yolo"],
      env: { OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: "none", OPENAI_MODEL: "fake" },
    }),
  },
];
