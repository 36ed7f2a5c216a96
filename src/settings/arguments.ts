/**
 * Parses the command line: the command, its operands and options, and the settings given.
 *
 * Driven by the tables of settings and commands. Values are not checked here. What is unknown is refused, so that a
 * mistyped word never does something else; only `serve` merely warns about unknown flags, because configuration written
 * for other servers has to keep working.
 */
import {
  type Command,
  COMMAND_NAMES,
  type CommandName,
  commandNamed,
  COMMANDS,
  type Invocation,
  isCommand,
  type Option,
  type OptionName,
  OPTIONS,
  optionsOf,
  suggestCommands,
} from "./commands.ts";
import { actionsOf } from "./command_actions.ts";
import { hideCredentials } from "./locations/mod.ts";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";
import { fail, failUnknown } from "../base/errors.ts";
import { suggest, suggestionOf } from "../base/suggestions.ts";
import { SOURCE_COMMANDS } from "./source_commands.ts";

/** The parsed command line. */
export interface Arguments {
  readonly invocation: Invocation;
  /** The texts given for each setting, in order. */
  readonly settings: ReadonlyMap<keyof Settings, readonly string[]>;
  readonly warnings: readonly string[];
}

/** Parses the arguments of the program. A first word that names no command is a folder to serve, if it exists. */
export function parseArguments(args: readonly string[], isFolder: (word: string) => boolean): Arguments {
  const scan = scanArguments(args);
  const [first = ""] = scan.words;
  const isValue = commandNamed(first) === undefined && !mayBeFolder(first, isFolder) &&
    refuseUnlessValue(scan);
  const words = isValue ? scan.words.slice(1) : scan.words;
  const invocation = invocationOf({ ...scan, words });
  const settings = new Map(scan.settings);
  const warnings = [
    ...scan.unknown.map((arg) => `Ignored unknown argument ${nameOf(arg)}${guessFor(arg, invocation.name)}`),
    ...(isValue ? [`Ignored unknown argument ${hideCredentials(first)}`] : []),
  ];
  if (invocation.name !== "serve") return { invocation, settings, warnings };
  const skipped = isValue || isCommand(first) ? scan.folders.findIndex(({ word }) => word) : -1;
  const folders = scan.folders.filter((_, at) => at !== skipped);
  if (folders.length > 0) settings.set("paths", folders.map(({ text }) => text));
  const { test, ...options } = invocation.options;
  const name = test === undefined ? "serve" : "doctor";
  return { invocation: { name, operands: [], options }, settings, warnings };
}

/** Whether a first word may be a folder: a bare word only if there is one, because it is more likely a typo. */
function mayBeFolder(word: string, isFolder: (word: string) => boolean): boolean {
  return word === "" || /[/\\:]|^[.~]/.test(word) || isFolder(word);
}

/** Refuses a first word that is neither a command nor a folder, unless it may be the value of an unknown flag. */
function refuseUnlessValue({ words: [first = ""], hasDoubtfulWord }: Scan): true {
  if (hasDoubtfulWord && suggest(first.toLowerCase(), COMMAND_NAMES).length === 0) return true;
  return failUnknown("command or folder", first, COMMAND_NAMES, suggestCommands(first).slice(0, 1));
}

/** A command line as words and flags, before checking that they fit together. */
export interface Scan {
  /** The command and its operands: everything that is neither a flag nor its value. */
  readonly words: readonly string[];
  /** Plain words and values of --path, in the order given. */
  readonly folders: readonly Folder[];
  /** The texts given for each setting, in order. */
  readonly settings: ReadonlyMap<keyof Settings, readonly string[]>;
  readonly options: Invocation["options"];
  /** Whether `--help` or `--version` was given; help wins. */
  readonly asked: "help" | "version" | undefined;
  readonly unknown: readonly string[];
  /** Whether the first word follows an unknown flag, and so may be its value. */
  readonly hasDoubtfulWord: boolean;
}

/** A folder to serve, if the command is `serve`; a word may also be the command itself. */
interface Folder {
  readonly text: string;
  readonly word: boolean;
}

/** Splits a command line. Fails if a flag lacks its value, or has one that it does not take. */
export function scanArguments(args: readonly string[]): Scan {
  const settings = new Map<keyof Settings, string[]>();
  const options: Partial<Record<OptionName, string>> = {};
  const words: string[] = [];
  const folders: Folder[] = [];
  const unknown: string[] = [];
  let asked: "help" | "version" | undefined;
  let hasDoubtfulWord = false;

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
      if (words.length === 0) hasDoubtfulWord = i > 0 && args[i - 1] === unknown.at(-1);
      words.push(arg);
      folders.push({ text: arg, word: true });
      if (!takesRest(words)) continue;
      words.push(...args.slice(i + 1));
      break;
    }
    const [name, inline] = splitFlag(arg);
    if (name === "--help" || name === "-h") asked = "help";
    else if (name === "--version" || name === "-V" || name === "-v") asked ??= "version";
    else {
      const { setting, option, row } = findFlag(name);
      if (row === undefined) {
        unknown.push(arg);
        continue;
      }
      if (row.value === undefined && inline !== undefined) {
        fail({ code: "invalid-input", field: name, problem: "the flag takes no value" });
      }
      const isHere = setting === "project" && inline === undefined && meansHere(words[0], args[i + 1]);
      const text = row.value === undefined ? "true" : isHere ? "." : inline ?? args[++i];
      if (text === undefined || (inline === undefined && isFlag(text))) {
        fail({
          code: "invalid-input",
          field: name,
          problem: `missing value ${row.value}`,
          ...text && { hint: `If ${nameOf(text)} is the value, write ${row.flag}=${nameOf(text)}` },
        });
      }
      if (setting === "paths") folders.push({ text, word: false });
      if (setting) settings.set(setting, [...settings.get(setting) ?? [], text]);
      else if (option) options[option] = text;
    }
  }
  return { words, folders, settings, options, asked, unknown, hasDoubtfulWord };
}

/** Whether a word is a flag of ours: where a value is expected, the value was forgotten. */
function isFlag(word: string): boolean {
  const [name] = splitFlag(word);
  return name === "--" || STANDARD_FLAGS.includes(name) || findFlag(name).row !== undefined;
}

const STANDARD_FLAGS: readonly string[] = ["--help", "-h", "--version", "-V", "-v"];

/** Whether `--project` without a folder means the working folder: where it says which settings file is changed. */
function meansHere(command: string | undefined, next: string | undefined): boolean {
  return (next === undefined || next.startsWith("-")) && Object.hasOwn(SOURCE_COMMANDS, command ?? "");
}

/** Whether a command line asks for JSON, even if nothing else about it can be understood. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.findIndex((arg) => arg === "--" || arg === "script");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}

/** Whether everything after these words belongs to the command line of another program. */
function takesRest([name, ...operands]: readonly string[]): boolean {
  if (!isCommand(name) || operands.length === 0) return false;
  const command: Command = COMMANDS[name];
  return command.takesRest === true;
}

/** The setting or option that a flag stands for, with its row. */
export function findFlag(flag: string): {
  readonly setting?: keyof Settings;
  readonly option?: OptionName;
  readonly row?: Partial<Pick<Option, "flag">> & Pick<Option, "value" | "values" | "help">;
} {
  const setting = SETTING_KEYS.find((key) => SETTINGS[key].flag === flag);
  if (setting !== undefined) return { setting, row: SETTINGS[setting] };
  const option = optionNamed(flag);
  return option === undefined ? {} : { option, row: OPTIONS[option] };
}

/** Every long flag that a command takes, with its help. */
export function flagsOf(command: CommandName): readonly { readonly flag: string; readonly help: string }[] {
  return [
    ...optionsOf(command),
    ...SETTING_KEYS.flatMap((key) => {
      const { flag, help } = SETTINGS[key];
      return flag === undefined ? [] : [{ flag, help }];
    }),
    { flag: "--help", help: "Show help for the program or the command." },
    { flag: "--version", help: "Print the version." },
  ];
}

/** An unknown flag without its value, which may be a secret. */
function nameOf(arg: string): string {
  return hideCredentials(splitFlag(arg)[0]);
}

/** A suggestion for an unknown flag, as a sentence to append; usually empty. */
function guessFor(arg: string, command: CommandName): string {
  const word = splitFlag(arg)[0].replace(/^-+/, "").toLowerCase();
  // A single letter resembles everything.
  if (word.length < 2) return "";
  const flags = flagsOf(command).map(({ flag }) => ({ label: flag, spellings: [flag.slice(2)] }));
  const suggestion = suggestionOf(suggest(word, flags).slice(0, 1));
  return suggestion === undefined ? "" : `. ${suggestion}`;
}

function invocationOf({ words, options, asked, unknown: [odd] }: Scan): Invocation {
  const named = commandNamed(words[0]);
  if (asked === "help") return { name: "help", operands: helpOf(named, words[1]), options };
  if (asked === "version") return { name: "version", operands: [], options };
  const name = named ?? "serve";
  const operands = named ? words.slice(1) : words;
  const { usage, operands: [min, max] } = COMMANDS[name];
  if (odd !== undefined && name !== "serve") {
    const hint = guessFor(odd, name).slice(2) || `Flags: bmad-mcp help ${name}`;
    fail({ code: "invalid-input", problem: `Unknown flag ${nameOf(odd)}`, hint });
  }
  if (operands.length < min || operands.length > max) {
    const problem = operands.length < min
      ? `Missing ${missingOperand(usage, operands.length)}`
      : `Unexpected argument "${hideCredentials(operands[max]!)}"`;
    fail({ code: "invalid-input", problem, hint: `Usage: bmad-mcp ${usage}` });
  }
  const known = optionsOf(name, operands[0]).map(({ key }) => key);
  for (const option of Object.keys(options) as OptionName[]) {
    if (known.includes(option)) continue;
    const whole = Object.hasOwn(actionsOf(name), operands[0] ?? "") ? `${name} ${operands[0]}` : name;
    fail({
      code: "invalid-input",
      field: OPTIONS[option].flag,
      problem: `${whole} has no such option`,
      hint: `Flags: bmad-mcp help ${whole}`,
    });
  }
  return { name, operands, options };
}

/** What `--help` asks about: the program, a command, or an action of it. */
function helpOf(named: CommandName | undefined, action: string | undefined): readonly string[] {
  if (named === undefined) return [];
  return action !== undefined && Object.hasOwn(actionsOf(named), action) ? [named, action] : [named];
}

/** The first operand that is not given, as the usage line names it: `list KIND` → `KIND`. */
function missingOperand(usage: string, given: number): string {
  const operand = usage.split(" ")[given + 1] ?? "argument";
  return operand.includes("|") ? "ACTION" : operand.replace("…", "");
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
