/**
 * `--help`, from the tables of commands and settings: an overview, one command in full, or one of its actions.
 */
import {
  actionsOf,
  type Command,
  COMMAND_NAMES,
  type CommandName,
  commandNamed,
  COMMANDS,
  failUnknownAction,
  GIT_SETTINGS,
  HTTP_SETTINGS,
  MEMORY_SETTINGS,
  type Option,
  optionsOf,
  SETTING_KEYS,
  SETTINGS,
  type Settings,
  suggestCommands,
  TEAM_SETTINGS,
} from "../../settings/mod.ts";
import { failUnknown } from "../../base/errors.ts";
import { PRODUCT } from "../../base/model.ts";
import { wrap } from "./wrap.ts";

const MAX_WIDTH = 100;
const MIN_WIDTH = 40;

/** Help for the program, for a command or for one of its actions, as wide as the screen. */
export function renderHelp(
  [command, action]: readonly string[],
  columns: number = MAX_WIDTH,
): string {
  const width = Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, columns));
  if (command === undefined) return programHelp(width);
  const name = commandNamed(command) ??
    failUnknown("command", command, COMMAND_NAMES, suggestCommands(command));
  return action === undefined ? commandHelp(name, width) : actionHelp(name, action, width);
}

function programHelp(width: number): string {
  return [
    ...wrap(`${PRODUCT.name} ${PRODUCT.version}: the BMAD Method for every MCP client`, width),
    "",
    "Usage: bmad-mcp [COMMAND] [OPTIONS] [DIR…]",
    "",
    "Commands:",
    ...table(COMMAND_NAMES.map((name) => [COMMANDS[name].usage, COMMANDS[name].summary]), width),
    ...settingGroups(width),
    "",
    ...[
      "Settings files: .bmad-mcp.toml in the project, config.toml in your settings folder (see bmad-mcp config).",
      "Flags override variables, variables override the project's file, and that overrides your own.",
      "Exit codes: 0 success, 1 not found or ambiguous, 2 invalid usage or setting, 3 refused or unavailable, 70 bug.",
    ].flatMap((line) => wrap(line, width)),
    "",
    "Examples:",
    ...COMMAND_NAMES.map((name) => `  ${COMMANDS[name].examples[0]}`),
    "",
  ].join("\n");
}

function commandHelp(name: CommandName, width: number): string {
  const { usage, summary, details, examples, isStandalone }: Command = COMMANDS[name];
  const actions = Object.values(actionsOf(name));
  return [
    `Usage: bmad-mcp ${usage}`,
    "",
    ...wrap(details === undefined ? summary : `${summary} ${details}`, width),
    ...section("Actions:", actions.map(({ usage, summary }) => [usage, summary]), width),
    ...section("Options:", optionsOf(name).map(optionLine), width),
    ...(name === "serve" ? settingGroups(width) : isStandalone ? [] : ["", ...settingsNote(width)]),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}

function actionHelp(command: CommandName, word: string, width: number): string {
  const actions = actionsOf(command);
  const action = Object.hasOwn(actions, word) ? actions[word]! : failUnknownAction(command, word);
  const { examples }: Command = COMMANDS[command];
  const own = examples.filter((example) => example.startsWith(`bmad-mcp ${command} ${word}`));
  return [
    `Usage: bmad-mcp ${command} ${action.usage}`,
    "",
    ...wrap(action.summary, width),
    ...section("Options:", optionsOf(command, word).map(optionLine), width),
    "",
    ...settingsNote(width),
    ...(own.length === 0 ? [] : ["", "Examples:", ...own.map((example) => `  ${example}`)]),
    "",
  ].join("\n");
}

function settingsNote(width: number): readonly string[] {
  return wrap("Settings such as --project DIR work here too; bmad-mcp --help lists them.", width);
}

const keysOf = (table: object) => Object.keys(table) as readonly (keyof Settings)[];

/** The settings by what they are about. Any other one is found below the last heading. */
const GROUPS: readonly (readonly [heading: string, keys: readonly (keyof Settings)[]])[] = [
  ["Content", ["project", "paths", "roots", "mode", "pack"]],
  ["Tools", ["toolsets", "tools", "excludeTools", "readOnly", "noSampling", "rememberUsage"]],
  ["Programs that tools may run", ["allowExec", "execTimeout", "allowGit"]],
  ["Limits", ["maxResult", "maxFile", "maxFiles"]],
  ["Output", ["logLevel", "logFile", "noColor", "quiet"]],
  ["Git repositories", keysOf(GIT_SETTINGS)],
  ["Several at work", keysOf(TEAM_SETTINGS)],
  ["Project memory", keysOf(MEMORY_SETTINGS)],
  ["HTTP server", keysOf(HTTP_SETTINGS)],
];

function settingGroups(width: number): readonly string[] {
  const grouped = GROUPS.flatMap(([, keys]) => keys);
  const others = SETTING_KEYS.filter((key) => !grouped.includes(key));
  return [...GROUPS, ["Other settings", others] as const].flatMap(([heading, keys]) =>
    section(`${heading}:`, keys.map(settingLine), width)
  );
}

function optionLine({ flag, short, value, help }: Option): readonly [string, string] {
  return [`${short === undefined ? "" : `${short}, `}${flag}${value === undefined ? "" : ` ${value}`}`, help];
}

function settingLine(key: keyof typeof SETTINGS): readonly [string, string] {
  const { flag, value, help, variables } = SETTINGS[key];
  const about = variables.length === 0 ? help : `${help} [${variables.join(", ")}]`;
  if (flag !== undefined) return optionLine({ flag, value, help: about });
  return [variables.length === 0 ? `${key} (file only)` : "(variable only)", about];
}

function section(
  heading: string,
  rows: readonly (readonly [string, string])[],
  width: number,
): readonly string[] {
  return rows.length === 0 ? [] : ["", heading, ...table(rows, width)];
}

/** A narrower screen has no space for two columns. */
const NARROW = 70;

/** Two columns, the right one wrapped; on a narrow screen one below the other. */
function table(rows: readonly (readonly [string, string])[], width: number): readonly string[] {
  const left = width < NARROW ? 4 : 22;
  const indent = " ".repeat(left + 2);
  return rows.flatMap(([name, about]) => {
    const lines = wrap(about, width - indent.length);
    if (name.length >= left) return [`  ${name}`, ...lines.map((line) => indent + line)];
    return lines.map((line, i) => (i === 0 ? `  ${name.padEnd(left)}` : indent) + line);
  });
}
