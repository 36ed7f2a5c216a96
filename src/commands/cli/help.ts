/**
 * `--help`, from the tables of commands and settings: an overview, or one command in full.
 */
import {
  type Command,
  COMMAND_NAMES,
  type CommandName,
  commandNamed,
  COMMANDS,
  type Option,
  OPTIONS,
  SETTING_KEYS,
  SETTINGS,
  suggestCommands,
} from "../../settings/mod.ts";
import { failUnknown } from "../../base/errors.ts";
import { PRODUCT } from "../../base/model.ts";
import { wrap } from "./wrap.ts";

/** Help for the program, or for one command. */
export function renderHelp(command: string | undefined): string {
  if (command === undefined) return programHelp();
  const name = commandNamed(command);
  if (name !== undefined) return commandHelp(name);
  return failUnknown("command", command, COMMAND_NAMES, suggestCommands(command));
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
    "Settings for every command:",
    ...columns(SETTING_KEYS.map(settingLine)),
    "",
    "Settings files: .bmad-mcp.toml in the project, config.toml in your settings folder (see bmad-mcp config).",
    "Flags override variables, variables override the project's file, and that overrides your own.",
    "Exit codes: 0 success, 1 not found or ambiguous, 2 invalid usage or setting, 3 refused or unavailable, 70 bug.",
    "",
    "Examples:",
    ...COMMAND_NAMES.map((name) => `  ${COMMANDS[name].examples[0]}`),
    "",
  ].join("\n");
}

function commandHelp(name: CommandName): string {
  const { usage, summary, details, options, examples, isStandalone }: Command = COMMANDS[name];
  return [
    `Usage: bmad-mcp ${usage}`,
    "",
    ...wrap(details === undefined ? summary : `${summary} ${details}`, WIDTH),
    ...(options.length === 0
      ? []
      : ["", "Options:", ...columns(options.map((key) => optionLine(OPTIONS[key])))]),
    ...(isStandalone
      ? []
      : ["", "Settings such as --project DIR work here too; bmad-mcp --help lists them."]),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}

function optionLine({ flag, short, value, help }: Option): readonly [string, string] {
  return [`${short === undefined ? "" : `${short}, `}${flag}${value === undefined ? "" : ` ${value}`}`, help];
}

function settingLine(key: keyof typeof SETTINGS): readonly [string, string] {
  const { flag, value, help, variables } = SETTINGS[key];
  const about = variables.length === 0 ? help : `${help} [${variables.join(", ")}]`;
  return flag === undefined ? ["(variable only)", about] : optionLine({ flag, value, help: about });
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
