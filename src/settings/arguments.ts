/**
 * The command line, understood: which command, its operands and options, and which settings were given.
 *
 * Driven by the tables of settings and commands. Says what was said, without judging values. An argument that
 * nobody knows is kept as a warning, so that configuration lines written for other servers keep working.
 */
import {
  COMMAND_NAMES,
  type CommandName,
  COMMANDS,
  type Invocation,
  isCommand,
  nearestCommands,
  type Option,
  type OptionName,
  OPTIONS,
} from "./commands.ts";
import { hideCredentials } from "../base/git_location.ts";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";
import { fail } from "../base/errors.ts";
import { suggest } from "../base/suggestions.ts";

/** What the command line says. */
export interface Arguments {
  readonly invocation: Invocation;
  /** The texts given for each setting, in order. */
  readonly settings: ReadonlyMap<keyof Settings, readonly string[]>;
  readonly warnings: readonly string[];
}

/**
 * Understands the arguments of the program. A first word that is neither a command nor a folder gets a warning; where
 * a person types it, it stops the program, which would else sit there and wait for a client.
 */
export function parseArguments(
  args: readonly string[],
  isFolder: (word: string) => boolean,
  isTyped = false,
): Arguments {
  const scan = scanArguments(args);
  const invocation = invocationOf(scan);
  const settings = new Map(scan.settings);
  const warnings = scan.unknown.map((arg) =>
    `Ignored the unknown argument ${hideCredentials(arg)}${guessFor(arg, invocation.name)}`
  );
  if (invocation.name !== "serve") return { invocation, settings, warnings };
  const [first = ""] = scan.words;
  const command = isCommand(first) ? scan.folders.findIndex(({ word }) => word) : -1;
  const folders = scan.folders.filter((_, at) => at !== command);
  if (folders.length > 0) settings.set("paths", folders.map(({ text }) => text));
  if (command < 0 && /^\w+$/.test(first) && !isFolder(first)) {
    const near = nearestCommands(first);
    const all = COMMAND_NAMES.join(", ");
    if (isTyped) {
      fail({
        code: "not-found",
        what: "command or folder",
        name: first,
        suggestions: near,
        hint: `Commands: ${all}`,
      });
    }
    warnings.push(
      `"${first}" is no command, so it is taken for a folder to serve; ` +
        (near.length === 0 ? `commands: ${all}` : `did you mean ${near[0]}?`),
    );
  }
  return { invocation: { ...invocation, operands: [] }, settings, warnings };
}

/** A command line as words and flags, before anybody asks whether they make sense together. */
export interface Scan {
  /** What is no flag and no value of one: the command and its operands. */
  readonly words: readonly string[];
  /** Plain words and values of --path, in the order given. */
  readonly folders: readonly Folder[];
  /** The texts given for each setting, in order. */
  readonly settings: ReadonlyMap<keyof Settings, readonly string[]>;
  readonly options: Invocation["options"];
  /** Whether `--help` or `--version` stands anywhere; help wins. */
  readonly asked: "help" | "version" | undefined;
  /** Flags that nobody knows, as they were written. */
  readonly unknown: readonly string[];
}

/** A folder to serve, if the command is to serve: the word before it may be the command. */
interface Folder {
  readonly text: string;
  readonly word: boolean;
}

/** Takes a command line apart. Fails where a flag lacks its value, or has one that it does not take. */
export function scanArguments(args: readonly string[]): Scan {
  const settings = new Map<keyof Settings, string[]>();
  const options: Partial<Record<OptionName, string>> = {};
  const words: string[] = [];
  const folders: Folder[] = [];
  const unknown: string[] = [];
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
      const { setting, option, row } = findFlag(name);
      if (row === undefined) {
        unknown.push(arg);
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
  return { words, folders, settings, options, asked, unknown };
}

/** The setting or the option that a flag stands for, and what is said of it in its table. */
export function findFlag(flag: string): {
  readonly setting?: keyof Settings;
  readonly option?: OptionName;
  readonly row?: Pick<Option, "value" | "values" | "help">;
} {
  const setting = SETTING_KEYS.find((key) => SETTINGS[key].flag === flag);
  if (setting !== undefined) return { setting, row: SETTINGS[setting] };
  const option = optionNamed(flag);
  return option === undefined ? {} : { option, row: OPTIONS[option] };
}

/** Every long flag that a command takes, with its help. */
export function flagsOf(command: CommandName): readonly { readonly flag: string; readonly help: string }[] {
  return [
    ...COMMANDS[command].options.map((key) => OPTIONS[key]),
    ...SETTING_KEYS.flatMap((key) => {
      const { flag, help } = SETTINGS[key];
      return flag === undefined ? [] : [{ flag, help }];
    }),
    { flag: "--help", help: "Explain the program or the command." },
    { flag: "--version", help: "Print the version." },
  ];
}

/** The flag that may have been meant by one that nobody knows, as the end of a sentence; mostly empty. */
function guessFor(arg: string, command: CommandName): string {
  const word = splitFlag(arg)[0].replace(/^-+/, "").toLowerCase();
  // One letter looks like everything.
  if (word.length < 2) return "";
  const flags = flagsOf(command).map(({ flag }) => ({ label: flag, spellings: [flag.slice(2)] }));
  const [near] = suggest(word, flags);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

function invocationOf({ words, options, asked, unknown: [odd] }: Scan): Invocation {
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
      : `"${hideCredentials(operands[max]!)}" is one word too many`;
    // A word too many may be the value of a flag that is spelt wrongly.
    const flag = odd === undefined ? "" : `${hideCredentials(odd)} is no flag${guessFor(odd, name) || "."} `;
    fail({ code: "invalid-input", field: name, problem, hint: `${flag}Write: bmad-mcp ${usage}` });
  }
  for (const option of Object.keys(options) as OptionName[]) {
    if ((known as readonly string[]).includes(option)) continue;
    fail({ code: "invalid-input", field: OPTIONS[option].flag, problem: `${name} does not take it` });
  }
  return { name, operands, options };
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
