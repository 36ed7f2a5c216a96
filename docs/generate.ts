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
import { instructionsFor } from "../src/serve/handshake/mod.ts";
import type { Tool } from "../src/serve/mcp/tool.ts";
import { MAX_TOOLS, TOOLS } from "../src/serve/mcp/toolsets.ts";
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
        `Besides these, one tool for each agent, named \`MODULE-AGENT\`, with the parameter \`message\`; no more than ${MAX_TOOLS}`,
        "tools in all.",
        "",
      ]
      : []),
    ...tools.flatMap((tool) => [
      `#### \`${tool.name}\``,
      "",
      tool.title + ".",
      "",
      ...table(["Parameter", "Type", "Meaning"], parameterRows(tool)),
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

function parameterRows({ parameters, required = [] }: Tool): readonly (readonly string[])[] {
  return Object.entries(parameters).map(([name, { type, enum: values, description }]) => [
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
    "`bmad-mcp install` writes this server into the configuration of the clients that you name, and `bmad-mcp uninstall`",
    "takes it out again:",
    "",
    "```sh",
    "bmad-mcp install                                  # on a terminal: choose from the clients that are found here",
    "bmad-mcp install claude-code cursor               # into your own files, for every project",
    "bmad-mcp install vscode --project .               # into the file of the project that you are in",
    "bmad-mcp install claude-desktop --project ~/shop  # a client without project files is bound to the project",
    "bmad-mcp install codex --toolsets all             # settings on the line go into the entry",
    "bmad-mcp install zed --dry-run                    # only show what would change",
    "bmad-mcp install jetbrains --print                # only show the entry, to be pasted by hand",
    "```",
    "",
    "Comments, order and formatting of a file stay as they are, and so does every other entry. The first change leaves a",
    "copy beside the file (`FILE.bmad-mcp-backup`); `uninstall` restores it byte for byte where nobody has changed the file",
    "since, and takes out just the entry otherwise. A file that cannot be read is left alone, and its line and column are",
    "named. An entry of the same name that runs something else is changed only with `--force`.",
    "",
    "A password or a token on the line, as in the address of a repository, is refused: everybody who sees the client's file",
    "could read it. It belongs into your settings file ([configuration.md](configuration.md)), which every entry obeys.",
    "",
    "The entry names this program by a path that stays right when it is updated (`/opt/homebrew/bin/bmad-mcp`, Scoop's",
    "shim). In a project's file, which is often shared, that is still a path of your machine.",
    "",
    ...table(CLIENT_HEAD, clientRows()),
    "",
    `Files are looked for where these variables say, if they are set: ${
      movingVariables().map((name) => `\`${name}\``).join(", ")
    },`,
    "`XDG_CONFIG_HOME`. Of several files that a client reads, the one that is there is used.",
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
  const commands = shown.flatMap(({ usage, summary, options, examples }) => [
    `## \`bmad-mcp ${usage}\``,
    "",
    summary,
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
    "to stderr. On a terminal lists are tables as wide as the screen, long work shows how far it is, and characters of",
    "content that would steer a terminal are shown as pictures of themselves (`␛`); in a pipe each line is a name, a tab",
    "and a description. Colours are for terminals: `NO_COLOR` switches them off everywhere, `FORCE_COLOR` on, also in",
    "pipes, and in CI (`CI` is set) and on dumb terminals there are none. A reader that goes away, as in `| head`, is no",
    "failure. With `--json` a command prints one document of the form that [json.md](json.md) says.",
    "",
    "From a checkout, write `npx -y deno@2.9.5 task start` for `bmad-mcp`: `npx -y deno@2.9.5 task start list agents`.",
    "",
    ...table(["Exit code", "Meaning"], [
      ["0", "done"],
      ["1", "nothing by that name, or several things"],
      ["2", "wrong use, or a setting that does not fit"],
      ["3", "refused, or an origin out of reach"],
      ["70", "a bug; please report it"],
    ]),
    "",
    "`doctor` has its own: 0 nothing is wrong, 1 something is worth a look, 2 something is broken.",
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
    "What `--json` prints: one document on stdout, whatever else goes to stderr. Fields may be added; what is here stays",
    "as it is, or the changelog says so. `?` stands behind what may be missing, `[]` for each member of a list, `*` for a",
    "key that is data. Lists of other things (`list tasks`, `list skills`, …) have the form of `list workflows`;",
    "`list doctor` is for models, programs take `doctor`. On failure nothing is printed on stdout, and the exit code tells",
    "([cli.md](cli.md)).",
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
