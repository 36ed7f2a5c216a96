/**
 * A script's usage and help, from the table of its options.
 */
import { type Argument, isOption, keyOf, type Usage } from "./options.ts";

/** `usage: memlog.py append (--workspace WORKSPACE | --path PATH) --text TEXT [--type TYPE]`. */
export function renderUsage(name: string, usage: Usage, command?: string): string {
  const { args = [], commands } = levelOf(usage, command);
  const alternatives = args.filter(({ isAlternative }) => isAlternative);
  const words = [
    ...alternatives.length === 0 ? [] : [`(${alternatives.map(spelled).join(" | ")})`],
    ...args.filter(({ isAlternative }) => !isAlternative).map((arg) =>
      arg.isRequired || !isOption(arg) ? spelled(arg) : `[${spelled(arg)}]`
    ),
    ...commands === undefined ? [] : [`{${Object.keys(commands).join()}} …`],
  ];
  return `usage: ${[name, ...command === undefined ? [] : [command], ...words].join(" ")}\n`;
}

/** The usage, what the script or one of its commands does, and every command and argument with its purpose. */
export function renderHelp(name: string, usage: Usage, command?: string): string {
  const { about, args = [], commands } = levelOf(usage, command);
  const rows = (args: readonly Argument[]) =>
    args.map((arg) => [label(arg), `${arg.help}${arg.takes === "list" ? "; repeatable" : ""}`] as const);
  const examples = examplesOf(usage).filter((one) => command === undefined || one.split(" ")[0] === command);
  return [
    renderUsage(name, usage, command),
    `${about}.\n`,
    section("commands", Object.entries(commands ?? {}).map(([name, { about }]) => [name, about])),
    section("arguments", rows(args.filter((arg) => !isOption(arg)))),
    section("options", rows(args.filter(isOption))),
    `examples:\n${examples.map((example) => `  ${name} ${example}\n`).join("")}`,
    commands === undefined ? "" : `${name} COMMAND --help shows the options of a command.\n`,
  ].filter((part) => part !== "").join("\n");
}

/** The arguments of usual calls: one for each command, or one for a script without commands. */
export function examplesOf({ example = "", commands }: Usage): readonly string[] {
  if (commands === undefined) return [example];
  return Object.entries(commands).map(([name, { example = "" }]) => `${name} ${example}`.trim());
}

function levelOf(usage: Usage, command: string | undefined): Usage {
  return command === undefined ? usage : usage.commands![command]!;
}

function section(title: string, rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  const lines = rows.map(([label, about]) => `  ${label.padEnd(width)}  ${about}\n`);
  return lines.length === 0 ? "" : `${title}:\n${lines.join("")}`;
}

/** An option with its value, or words without one, as a line of usage has them. */
function spelled(arg: Argument): string {
  return isOption(arg) ? `${arg.names[0]} ${valueOf(arg)}`.trim() : valueOf(arg);
}

function label(arg: Argument): string {
  return isOption(arg) ? arg.names.map((name) => `${name} ${valueOf(arg)}`.trim()).join(", ") : valueOf(arg);
}

function valueOf(arg: Argument): string {
  const { takes } = arg;
  if (takes === "flag") return "";
  const value = isOption(arg) ? keyOf(arg).replaceAll("-", "_").toUpperCase() : keyOf(arg);
  return takes === "some" ? `${value} [${value} …]` : takes === "any" ? `[${value} …]` : value;
}
