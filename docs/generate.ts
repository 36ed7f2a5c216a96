/**
 * Writes the reference pages that come from tables: docs/configuration.md, docs/cli.md, docs/json.md,
 * docs/mcp.md and docs/install.md.
 *
 * Run by `deno task docs`. tests/docs_test.ts fails when a page and its table have come apart.
 */
import { CLIENT_HEAD, clientRows, movingVariables } from "./client_table.ts";
import { JSON_SHAPES } from "./json_shapes.ts";
import { fillReadme } from "./readme.ts";
import { URI_TEMPLATES } from "../src/content/library/lists/uri_templates.ts";
import { DENO_TASK } from "../src/base/model.ts";
import { instructionsFor } from "../src/serve/handshake/mod.ts";
import { MOST_TOOLS, TOOLS } from "../src/serve/mcp/toolsets.ts";
import {
  type Command,
  COMMAND_NAMES,
  COMMANDS,
  type Option,
  OPTIONS,
  SETTING_KEYS,
  SETTINGS,
} from "../src/settings/mod.ts";
import { resolveConfig } from "../tests/support/config.ts";

const NOTE = "<!-- Written by `deno task docs` from the tables in src. Do not edit by hand. -->";

/** Every generated page, by its file name. */
export const PAGES: Readonly<Record<string, () => string>> = {
  "configuration.md": renderConfiguration,
  "cli.md": renderCli,
  "json.md": renderJson,
  "mcp.md": renderMcp,
  "install.md": renderInstall,
};

function renderMcp(): string {
  const sets = Object.entries(TOOLS).flatMap(([set, tools]) => [
    `### Tool set \`${set}\``,
    "",
    ...(set === "agents"
      ? [
        `Besides these, one tool for each agent, named \`MODULE-AGENT\`, with the parameter \`message\`; no more than ${MOST_TOOLS}`,
        "tools in all.",
        "",
      ]
      : []),
    ...tools.flatMap((tool) => [
      `#### \`${tool.name}\``,
      "",
      tool.title + ".",
      "",
      ...table(["Parameter", "Type", "Meaning"], parameterRows(tool.inputSchema)),
      "",
    ]),
  ]);
  return page(
    "# MCP",
    "",
    NOTE,
    "",
    "What a client is offered. [prompts-and-resources.md](prompts-and-resources.md) tells of prompts, resources and skills,",
    "[clients.md](clients.md) of the clients that were tried.",
    "",
    "## Tools",
    "",
    "Which sets are on is a setting (`--toolsets`, `--tools`, `--exclude-tools`, `--read-only`); alone, `bmad` is, and in a",
    "project that keeps them `memory` and `runs` ([memory.md](memory.md)). No tool changes anything, unless its title says",
    "that it remembers, queues, writes or runs. Results are text; one that is longer than `--max-result` comes in parts, each with the call for the",
    "next. Arguments are taken as models send them: synonyms, numbers as text, and in the tool `bmad` a missing operation.",
    "",
    ...sets,
    "## Resource templates",
    "",
    ...table(
      ["Template", "What it leads to"],
      URI_TEMPLATES.map((row) => [`\`${row.uriTemplate}\``, row.title]),
    ),
    "",
    "## Changes",
    "",
    "What changes on disk is served within a second, without a restart, and clients are told: `list_changed` for tools,",
    "prompts and resources, and `notifications/resources/updated` for what they subscribed to, with",
    "`resources/subscribe` in the 2025 revisions and `subscriptions/listen` in 2026-07-28, under the URI that they used.",
    "",
    "## Instructions",
    "",
    "What a client may show its model before anything else, with the default tools:",
    "",
    "```text",
    instructionsFor(resolveConfig({
      args: [],
      cwd: "/",
      home: undefined,
      os: "linux",
      contentDir: "/",
      env: () => undefined,
      readSettings: () => undefined,
    })),
    "```",
  );
}

function parameterRows(schema: Readonly<Record<string, unknown>>): readonly (readonly string[])[] {
  const required = (schema["required"] ?? []) as readonly string[];
  const properties = (schema["properties"] ?? {}) as Readonly<
    Record<string, Readonly<Record<string, unknown>>>
  >;
  return Object.entries(properties).map(([name, { type, enum: values, description }]) => [
    `\`${name}\`${required.includes(name) ? " (required)" : ""}`,
    String(type),
    [description, Array.isArray(values) ? values.join(", ") : undefined].filter(Boolean).join(" "),
  ]);
}

function renderInstall(): string {
  return page(
    "# Connect a client",
    "",
    NOTE,
    "",
    "`bmad-mcp install` adds this server to the configuration of clients, and `bmad-mcp uninstall` removes it:",
    "",
    "```sh",
    "bmad-mcp install                                  # choose from the clients found on this machine",
    "bmad-mcp install claude-code cursor               # in your own files, for every project",
    "bmad-mcp install vscode --project .               # in the file of the current project",
    "bmad-mcp install claude-desktop --project ~/shop  # a client without project files is bound to the project",
    "bmad-mcp install codex --toolsets all             # other settings go into the entry",
    "bmad-mcp install zed --dry-run                    # show what would change",
    "bmad-mcp install jetbrains --print                # show the entry to paste by hand",
    "```",
    "",
    "Comments, order and formatting of a file stay as they are, and so does every other entry. The first change leaves a",
    "backup beside the file (`FILE.bmad-mcp-backup`). If the file has not changed since, `uninstall` restores it byte for",
    "byte; otherwise it removes only the entry. A file that cannot be parsed stays unchanged, and the error names the line",
    "and column. An entry of the same name that runs another program changes only with `--force`.",
    "",
    "A password or token on the command line, as in the URL of a repository, is refused, because anyone who sees the",
    "client's file could read it. Put it in your settings file ([configuration.md](configuration.md)), which every entry uses.",
    "",
    "The entry names this program by a path that survives updates (`/opt/homebrew/bin/bmad-mcp`, Scoop's shim). In a",
    "project's file, which is often shared, that is still a path on your machine.",
    "",
    ...table(CLIENT_HEAD, clientRows()),
    "",
    `These variables move the files of clients: ${
      movingVariables().map((name) => `\`${name}\``).join(", ")
    },`,
    "`XDG_CONFIG_HOME`. If a client can read several files, the first one that exists is used.",
  );
}

function renderConfiguration(): string {
  const rows = SETTING_KEYS.map((key) => {
    const { flag, value, variables, files, default: standard, help } = SETTINGS[key];
    const inFiles = { both: `\`${key}\``, user: `\`${key}\` (yours only)`, none: "–" }[files];
    return [
      flag === undefined ? "–" : `\`${flag}${value === undefined ? "" : ` ${value}`}\``,
      variables.map((name) => `\`${name}\``).join(", ") || "–",
      inFiles,
      flag?.startsWith("--no-") ? "off" : showDefault(standard),
      help,
    ];
  });
  return page(
    "# Configuration",
    "",
    NOTE,
    "",
    "A setting can come from a flag, a variable or a settings file. A flag wins over a variable, a variable over the",
    "project's file, the project's file over yours. `bmad-mcp config` prints every setting with its value and where it",
    "came from. A value that does not fit stops the program with exit code 2 and says what would fit.",
    "",
    ...table(["Flag", "Variable", "File key", "Default", "Meaning"], rows),
    "",
    "## Settings files",
    "",
    "- The project's: `.bmad-mcp.toml` in the project folder. It comes with the repository, so it can name only folders",
    "  inside the project, and cannot switch off the sandbox or bring back tools that you exclude.",
    "- Yours: `bmad-mcp/config.toml` in `$XDG_CONFIG_HOME` (else `~/.config`), on macOS in `~/Library/Application Support`,",
    "  on Windows in `%APPDATA%`.",
    "",
    "Both are TOML with one `key = value` a line: strings, whole numbers, `true`, `false` and arrays of strings.",
    "",
    "```toml",
    'mode = "auto"',
    'paths = ["bmad-extra", "packages/design/_bmad"]  # relative to the file',
    'toolsets = ["bmad", "workflows"]',
    "maxResult = 32768",
    "```",
    "",
    "## Where content comes from",
    "",
    "| Priority | Origin | Where |",
    "| --- | --- | --- |",
    "| 1 | project | the project folder: every BMAD root in it and the skill folders of IDEs (`.claude/skills`, …) |",
    "| 2 | cli | each folder given as an argument or with `--path`, in order |",
    "| 3 | env | each folder in `BMAD_ROOT` |",
    "| 4 | user | `~/.bmad`, and BMAD's skills in `~/.claude/skills` and `~/.agents/skills` |",
    "| 5 | git | each git repository, however it was named: as an argument, with `--path`, in `BMAD_ROOT` or in your settings file |",
    "| 9 | package | the content that is part of the program |",
    "",
    "The lower number wins, thing by thing and file by file; nothing is hidden for good: `list conflicts` shows what",
    "shadows what. When the program is started in the home folder or at the root of the disk, as desktop clients do, that",
    "folder does not count as a project: name one with `--project`.",
  );
}

function renderCli(): string {
  const shown: readonly Command[] = COMMAND_NAMES.map((name) => COMMANDS[name]);
  const commands = shown.flatMap(({ usage, summary, details = "", options, examples }) => [
    `## \`bmad-mcp ${usage}\``,
    "",
    `${summary} ${details}`.trim(),
    "",
    ...(options.length === 0
      ? []
      : [...table(["Option", "Meaning"], options.map((key) => optionRow(OPTIONS[key]))), ""]),
    "```sh",
    ...examples,
    "```",
    "",
  ]);
  return page(
    "# Command line",
    "",
    NOTE,
    "",
    "Every command also takes the settings of [configuration.md](configuration.md). Results go to stdout, everything else",
    "to stderr. On a terminal, lists are tables that fit the screen, long work shows its progress, and control characters",
    "in content appear as symbols (`␛`). In a pipe, each line is a name, a tab and a description. Colours are for",
    "terminals only, except in CI (`CI` is set) and on dumb ones; `NO_COLOR` turns them off, `FORCE_COLOR` turns them on",
    "even in pipes. A reader that stops early, as in `| head`, is not an error. With `--json` a command prints one",
    "document, described in [json.md](json.md).",
    "",
    `From a checkout, write \`${DENO_TASK} start\` for \`bmad-mcp\`: \`${DENO_TASK} start list agents\`.`,
    "",
    ...table(["Exit code", "Meaning"], [
      ["0", "success"],
      ["1", "not found, or ambiguous"],
      ["2", "invalid usage, or an invalid setting"],
      ["3", "refused, or unavailable"],
      ["70", "a bug; please report it"],
    ]),
    "",
    "`doctor` has its own: 0 means healthy, 1 warnings, 2 errors.",
    "",
    ...commands,
  );
}

function renderJson(): string {
  return page(
    "# JSON",
    "",
    NOTE,
    "",
    "What `--json` prints: one document on stdout; everything else goes to stderr. Fields may be added; those listed here",
    "do not change unless the changelog says so. `?` marks fields that may be missing, `[]` each member of a list, `*` a",
    "key that is data. Other lists (`list tasks`, `list skills`, …) look like `list workflows`; `list doctor` is for",
    "models, programs use `doctor`. On failure stdout is empty, and the exit code says why ([cli.md](cli.md)).",
    "",
    ...JSON_SHAPES.flatMap(({ command, fields }) => [
      `## \`bmad-mcp ${command} --json\``,
      "",
      ...table(
        ["Field", "Type", "Meaning"],
        fields.map(([path, type, meaning]) => [`\`${path}\``, type, meaning]),
      ),
      "",
    ]),
  );
}

function optionRow({ flag, short, value, help }: Option): readonly string[] {
  const long = `\`${flag}${value === undefined ? "" : ` ${value}`}\``;
  return [short === undefined ? long : `\`${short}\`, ${long}`, help];
}

function showDefault(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "–";
  if (typeof value === "boolean") return value ? "on" : "off";
  return `\`${value}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

function page(...lines: readonly string[]): string {
  return `${lines.join("\n").trimEnd()}\n`;
}

if (import.meta.main) {
  const readme = new URL("../README.md", import.meta.url);
  await Deno.writeTextFile(readme, fillReadme(await Deno.readTextFile(readme)));
  for (const [name, render] of Object.entries(PAGES)) {
    await Deno.writeTextFile(new URL(name, import.meta.url), render());
  }
}
