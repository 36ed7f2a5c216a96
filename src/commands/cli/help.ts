/**
 * `--help`, from the tables of commands and settings.
 */
import {
  type Command,
  COMMAND_NAMES,
  type CommandName,
  COMMANDS,
  isCommand,
  type Option,
  OPTIONS,
  SETTING_KEYS,
  SETTINGS,
  suggestCommands,
} from "../../settings/mod.ts";
import { fail } from "../../base/errors.ts";
import { PRODUCT } from "../../base/model.ts";
import { wrap } from "./wrap.ts";

/** Help for the program, or for one command. */
export function renderHelp(command: string | undefined): string {
  if (command === undefined) return programHelp();
  if (isCommand(command)) return commandHelp(command);
  const hint = `There are ${COMMAND_NAMES.join(", ")}`;
  return fail({
    code: "not-found",
    what: "command",
    name: command,
    suggestions: suggestCommands(command),
    hint,
  });
}

function programHelp(): string {
  return [
    `${PRODUCT.name} ${PRODUCT.version}: the BMAD Method for every MCP client`,
    "",
    "Usage: bmad-mcp [COMMAND] [OPTIONS] [DIR…]",
    "",
    "Commands:",
    ...columns(COMMAND_NAMES.map((name) => [COMMANDS[name].usage, COMMANDS[name].summary])),
    "",
    "Settings, for every command:",
    ...columns(SETTING_KEYS.map((key) => [flagOf(key), settingHelp(key)])),
    "",
    "Files: .bmad-mcp.toml in the project, config.toml in your settings folder (see: bmad-mcp config).",
    "A flag wins over a variable, a variable over the project's file, that over yours.",
    "Exit codes: 0 done, 1 not found or ambiguous, 2 wrong use or setting, 3 refused or out of reach, 70 a bug.",
    "",
    "Examples:",
    ...COMMAND_NAMES.map((name) => `  ${COMMANDS[name].examples[0]}`),
    "",
  ].join("\n");
}

/** Commands that no setting changes. */
const WITHOUT_SETTINGS: readonly CommandName[] = ["completions", "help", "licenses", "version"];

function commandHelp(name: CommandName): string {
  const { usage, summary, options, examples }: Command = COMMANDS[name];
  const isPlain = WITHOUT_SETTINGS.includes(name);
  return [
    `Usage: bmad-mcp ${usage}`,
    "",
    ...wrap(summary, WIDTH),
    ...(options.length === 0
      ? []
      : ["", "Options:", ...columns(options.map((key) => optionLine(OPTIONS[key])))]),
    ...(isPlain
      ? []
      : ["", "Settings, such as --project DIR, can stand behind it too; bmad-mcp --help lists them."]),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}

function optionLine({ flag, short, value, help }: Option): readonly [string, string] {
  return [`${short === undefined ? "" : `${short}, `}${flag}${value === undefined ? "" : ` ${value}`}`, help];
}

function flagOf(key: keyof typeof SETTINGS): string {
  const { flag, value } = SETTINGS[key];
  return flag === undefined ? "(variable only)" : `${flag}${value === undefined ? "" : ` ${value}`}`;
}

function settingHelp(key: keyof typeof SETTINGS): string {
  const { help, variables } = SETTINGS[key];
  return variables.length === 0 ? help : `${help} [${variables.join(", ")}]`;
}

const LEFT = 22;
const WIDTH = 100;

/** Two columns, the right one wrapped. */
function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  return rows.flatMap(([left, right]) => {
    const lines = wrap(right, WIDTH - LEFT - 2);
    const head = `  ${left.padEnd(LEFT)}`;
    if (left.length >= LEFT) return [`  ${left}`, ...lines.map((line) => " ".repeat(LEFT + 2) + line)];
    return lines.map((line, i) => (i === 0 ? head : " ".repeat(LEFT + 2)) + line);
  });
}
