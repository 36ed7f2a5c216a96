/**
 * The command line, understood: which command, its operands and options, and which settings were given.
 *
 * Driven by the tables of settings and commands. Says what was said, without judging values. An argument that
 * nobody knows is kept as a warning, so that configuration lines written for other servers keep working.
 */
import { COMMANDS, type Invocation, isCommand, type Option, type OptionName, OPTIONS } from "./commands.ts";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";
import { fail } from "../errors.ts";

/** What the command line says. */
export interface Arguments {
  readonly invocation: Invocation;
  /** The texts given for each setting, in order. */
  readonly settings: ReadonlyMap<keyof Settings, readonly string[]>;
  readonly warnings: readonly string[];
}

/** Understands the arguments of the program. */
export function parseArguments(args: readonly string[]): Arguments {
  const settings = new Map<keyof Settings, string[]>();
  const options: Partial<Record<OptionName, string>> = {};
  const words: string[] = [];
  /** Plain words and values of --path, in the order given. */
  const folders: Folder[] = [];
  const warnings: string[] = [];
  let asked: "help" | "version" | undefined;

  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--") {
      for (const text of args.slice(i + 1)) {
        words.push(text);
        folders.push({ text, word: true });
      }
      break;
    }
    if (!arg.startsWith("-") || arg === "-") {
      words.push(arg);
      folders.push({ text: arg, word: true });
      continue;
    }
    const [name, inline] = splitFlag(arg);
    if (name === "--help" || name === "-h") asked = "help";
    else if (name === "--version" || name === "-V") asked ??= "version";
    else {
      const setting = SETTING_KEYS.find((key) => SETTINGS[key].flag === name);
      const option = optionNamed(name);
      const row: Pick<Option, "value" | "help"> | undefined = setting
        ? SETTINGS[setting]
        : option && OPTIONS[option];
      if (row === undefined) {
        warnings.push(`Ignored the unknown argument ${arg}`);
        continue;
      }
      if (row.value === undefined && inline !== undefined) {
        fail({ code: "invalid-input", field: name, problem: "it takes no value" });
      }
      const text = row.value === undefined ? "true" : inline ?? args[++i];
      if (text === undefined) {
        fail({ code: "invalid-input", field: name, problem: `it needs a value (${row.value})` });
      }
      if (setting === "paths") folders.push({ text, word: false });
      if (setting) settings.set(setting, [...settings.get(setting) ?? [], text]);
      else if (option) options[option] = text;
    }
  }
  return { invocation: invocationOf(words, options, asked, settings, folders, warnings), settings, warnings };
}

/** A folder to serve, if the command is to serve: the word before it may be the command. */
interface Folder {
  readonly text: string;
  readonly word: boolean;
}

function invocationOf(
  words: readonly string[],
  options: Invocation["options"],
  asked: "help" | "version" | undefined,
  settings: Map<keyof Settings, string[]>,
  folders: readonly Folder[],
  warnings: string[],
): Invocation {
  // Earlier programs said `read` for it.
  const first = words[0] === "read" ? "show" : words[0];
  const named = isCommand(first) ? first : undefined;
  if (asked === "help") return { name: "help", operands: named ? [named] : [], options };
  if (asked === "version") return { name: "version", operands: [], options };
  const name = named ?? "serve";
  const operands = named ? words.slice(1) : words;
  const { usage, operands: [min, max], options: known } = COMMANDS[name];
  if (operands.length < min || operands.length > max) {
    const problem = operands.length < min
      ? "something is missing"
      : `"${operands[max]}" is one word too many`;
    fail({ code: "invalid-input", field: name, problem, hint: `Write: bmad-mcp ${usage}` });
  }
  for (const option of Object.keys(options) as OptionName[]) {
    if ((known as readonly string[]).includes(option)) continue;
    fail({ code: "invalid-input", field: OPTIONS[option].flag, problem: `${name} does not take it` });
  }
  if (name !== "serve") return { name, operands, options };
  const command = named ? folders.findIndex(({ word }) => word) : -1;
  const paths = folders.filter((_, at) => at !== command).map(({ text }) => text);
  if (paths.length > 0) settings.set("paths", paths);
  for (const word of operands.filter((word) => /^\w+$/.test(word))) {
    warnings.push(
      `"${word}" is no command, so it is taken for a folder to serve; commands: ${
        Object.keys(COMMANDS).join(", ")
      }`,
    );
  }
  return { name, operands: [], options };
}

function splitFlag(arg: string): readonly [string, string | undefined] {
  const at = arg.startsWith("--") ? arg.indexOf("=") : -1;
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

function optionNamed(flag: string): OptionName | undefined {
  return (Object.keys(OPTIONS) as OptionName[]).find((name) => {
    const option: Option = OPTIONS[name];
    return option.flag === flag || option.short === flag;
  });
}
