/**
 * A script's usage and help, from its grammar and its manual. What is in them is as in argparse; the words are ours.
 */
import type { Argument, Grammar } from "./arguments.ts";
import { MANUALS } from "./manual.ts";

/** `usage: memlog.py append (--workspace WORKSPACE | --path PATH) --text TEXT [--type TYPE]`. */
export function usageOf(name: string, grammar: Grammar, command?: string): string {
  const { args, oneOf = [], commands } = command === undefined ? grammar : grammar.commands!.of[command]!;
  const one = ({ names: [first] }: Argument) => oneOf.includes(first.replace(/^-+/, ""));
  const words = [
    ...oneOf.length === 0 ? [] : [`(${args.filter(one).map(spelled).join(" | ")})`],
    ...args.filter((arg) => !one(arg)).map((arg) =>
      arg.isRequired || !isOption(arg) ? spelled(arg) : `[${spelled(arg)}]`
    ),
    ...commands === undefined ? [] : [`{${Object.keys(commands.of).join()}} …`],
  ];
  return `usage: ${[name, ...command === undefined ? [] : [command], ...words].join(" ")}\n`;
}

/** The usage, what the script or one of its commands does, and every command and argument with its purpose. */
export function helpOf(name: string, grammar: Grammar, command?: string): string {
  const { about, commands = {}, args, examples } = MANUALS[name]!;
  const level = command === undefined ? grammar : grammar.commands!.of[command]!;
  const row = (arg: Argument) => [label(arg), args[arg.names[0]] ?? ""] as const;
  const isShown = (example: string) => command === undefined || example.split(" ")[0] === command;
  return [
    usageOf(name, grammar, command),
    `${command === undefined ? about : commands[command]}.\n`,
    section("commands", level.commands === undefined ? [] : Object.entries(commands)),
    section("arguments", level.args.filter((arg) => !isOption(arg)).map(row)),
    section("options", level.args.filter(isOption).map(row)),
    `examples:\n${examples.filter(isShown).map((example) => `  ${name} ${example}\n`).join("")}`,
    level.commands === undefined ? "" : `${name} COMMAND --help shows the options of a command.\n`,
  ].filter((part) => part !== "").join("\n");
}

function section(title: string, rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  const lines = rows.map(([label, about]) => `  ${label.padEnd(width)}  ${about}\n`);
  return lines.length === 0 ? "" : `${title}:\n${lines.join("")}`;
}

function isOption({ names: [first] }: Argument): boolean {
  return first.startsWith("-");
}

/** An option with its value, or a positional argument, as a line of usage has it. */
function spelled(arg: Argument): string {
  return `${isOption(arg) ? `${arg.names[0]} ` : ""}${valueOf(arg)}`.trim();
}

function label(arg: Argument): string {
  return isOption(arg) ? arg.names.map((name) => `${name} ${valueOf(arg)}`.trim()).join(", ") : valueOf(arg);
}

function valueOf({ names, takes, choices }: Argument): string {
  if (takes === "flag") return "";
  const long = names.find((name) => name.startsWith("--")) ?? names[0];
  const plain = long.replace(/^-+/, "");
  const value = choices === undefined
    ? names[0].startsWith("-") ? plain.replaceAll("-", "_").toUpperCase() : plain
    : `{${choices.join()}}`;
  return takes === "some" ? `${value} [${value} …]` : takes === "any" ? `[${value} …]` : value;
}
