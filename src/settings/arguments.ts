/** Unknown words are refused, lest a typo do something else; `serve` only warns, for old configurations. */
import {
  COMMAND_NAMES,
  type CommandName,
  describeCommand,
  flagOf,
  type Invocation,
  isCommand,
  type OptionName,
  optionNamed,
  optionsOf,
} from "../operations/mod.ts";
import { commandNamed, failUnknownCommand, flagMeant, suggestCommands, withoutHabit } from "./habits.ts";
import { hideCredentials } from "./locations/mod.ts";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";
import { fail, failField, failInput } from "../base/errors.ts";
import { suggest, suggestionOf } from "../base/suggestions.ts";
import type { Setting } from "./values.ts";

/** A first word other than a command is a folder that exists, or the name of an agent, which content knows. */
export function parseArguments(
  args: readonly string[],
  { isFolder, isTyped }: { isFolder(word: string): boolean; readonly isTyped?: boolean },
): {
  readonly invocation: Invocation;
  readonly settings: ReadonlyMap<keyof Settings, readonly string[]>;
  readonly warnings: readonly string[];
} {
  const scan = scanArguments(inOurWords(args));
  const [first = ""] = scan.words;
  const isOurs = commandNamed(first) !== undefined || mayBeFolder(first, isFolder);
  const isValue = !isOurs && isValueOfUnknown(scan);
  if (!isOurs && !isValue) {
    return { invocation: guessOf(scan), settings: scan.settings, warnings: [] };
  }
  const words = isValue ? scan.words.slice(1) : scan.words;
  const invocation = invocationOf({ ...scan, words });
  const settings = new Map(scan.settings);
  if (isTyped && invocation.name === "serve" && scan.unknown[0] !== undefined) {
    refuseUnknownFlag(scan.unknown[0], "serve");
  }
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

function inOurWords(args: readonly string[]): readonly string[] {
  const { places, hasDoubtfulWord } = scanArguments(args);
  const [at] = places;
  if (at === undefined || hasDoubtfulWord) return args;
  const name = args[at]!.toLowerCase();
  return withoutHabit(isCommand(name) ? args.with(at, name) : args, places);
}

/** A bare word is more likely a typo unless such a folder exists. */
function mayBeFolder(word: string, isFolder: (word: string) => boolean): boolean {
  return word === "" || /[/\\:]|^[.~]/.test(word) || isFolder(word);
}

/** As in lines that were written for other servers. */
function isValueOfUnknown({ words: [first = ""], hasDoubtfulWord }: Scan): boolean {
  return hasDoubtfulWord && suggest(first.toLowerCase(), COMMAND_NAMES).length === 0;
}

/** The rest of the line is what the user wants from the agent. */
function guessOf({ words: [name = "", ...rest], options, asked, unknown: [odd] }: Scan): Invocation {
  if (asked !== undefined && suggestCommands(name).length > 0) failUnknownCommand(name);
  if (asked === "help") return { name: "help", operands: ["execute"], options: {} };
  if (asked === "version") return { name: "version", operands: [], options: {} };
  const known = optionsOf("execute").map(({ key }) => key);
  const given = Object.keys(options).filter((key) => !isFree(key as OptionName)) as OptionName[];
  if (odd !== undefined || !given.every((key) => known.includes(key))) failUnknownCommand(name);
  const message = rest.length === 0 ? {} : { message: rest.join(" ") };
  return { name: "execute", operands: [name], options: { ...message, ...options }, isGuess: true };
}

function isFree(option: OptionName): boolean {
  return option === "yes";
}

type Scan = ReturnType<typeof scanArguments>;

export function scanArguments(args: readonly string[]) {
  const settings = new Map<keyof Settings, readonly string[]>();
  const options: Partial<Record<OptionName, string>> = {};
  const words: string[] = [];
  const places: number[] = [];
  const folders: { readonly text: string; readonly word: boolean }[] = [];
  const unknown: string[] = [];
  // Help wins.
  let asked: "help" | "version" | undefined;
  // Whether the first word follows an unknown flag, and so may be its value.
  let hasDoubtfulWord = false;
  const addWord = (at: number) => {
    words.push(args[at]!);
    places.push(at);
    folders.push({ text: args[at]!, word: true });
  };

  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--") {
      for (let at = i + 1; at < args.length; at++) addWord(at);
      break;
    }
    if (!arg.startsWith("-") || arg === "-") {
      if (words.length === 0) hasDoubtfulWord = i > 0 && args[i - 1] === unknown.at(-1);
      addWord(i);
      if (!takesRest(words)) continue;
      words.push(...args.slice(i + 1));
      break;
    }
    const [given, value] = splitFlag(arg);
    const [name, inline = value] = splitFlag(flagMeant(given));
    if (name === "--help" || name === "-h") asked = "help";
    else if (name === "--version" || name === "-V" || name === "-v") asked ??= "version";
    else {
      const { setting, option, row } = findFlag(name);
      if (row === undefined) {
        unknown.push(arg);
        continue;
      }
      if (row.value === undefined && inline !== undefined) {
        failField(name, "the flag takes no value");
      }
      const next = args[i + 1];
      const isBare = inline === undefined && (next === undefined || isFlag(next));
      const [again = ""] = next === undefined ? [] : splitFlag(next);
      // `--http --port 8080`: the second one has the value.
      if (isBare && again !== given && flagMeant(again) === name) continue;
      const isHere = setting === "project" && inline === undefined && meansHere(words[0], next);
      const implied = row.value === undefined ? "true" : isHere ? HERE : isBare ? row.bare : inline;
      const text = implied ?? args[++i];
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
  return { words, places, folders, settings, options, asked, unknown, hasDoubtfulWord };
}

/** Where a value is expected, a flag means that it was forgotten. */
function isFlag(word: string): boolean {
  const name = flagMeant(splitFlag(word)[0]);
  return name === "--" || STANDARD_FLAGS.includes(name) || findFlag(name).row !== undefined;
}

const STANDARD_FLAGS: readonly string[] = ["--help", "-h", "--version", "-V", "-v"];

/** For `--project` without a folder: the project in which one stands. */
export const HERE = "";

/** Where `--project` says which settings file is changed, it may be without a folder. */
function meansHere(command: string | undefined, next: string | undefined): boolean {
  return (next === undefined || next.startsWith("-")) && SOURCE_COMMANDS.includes(command ?? "");
}

const SOURCE_COMMANDS: readonly string[] = [
  "sources",
  "modules",
  "add",
  "preview",
  "remove",
  "update",
] satisfies CommandName[];

export function asksForJson(args: readonly string[]): boolean {
  const end = args.findIndex((arg) => arg === "--" || arg === "script");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}

function takesRest([name, ...operands]: readonly string[]): boolean {
  if (!isCommand(name) || operands.length === 0) return false;
  return describeCommand(name).takesRest === true;
}

export function findFlag(given: string) {
  const [flag] = splitFlag(flagMeant(given));
  const setting = SETTING_KEYS.find((key) => SETTINGS[key].flag === flag);
  const option = optionNamed(flag);
  const row: Pick<Setting<unknown>, "flag" | "value" | "values" | "bare" | "help"> | undefined =
    setting === undefined ? option : SETTINGS[setting];
  return { setting, option: setting === undefined ? option?.key : undefined, row };
}

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

/** Without its value, which may be a secret. */
function nameOf(arg: string): string {
  return hideCredentials(splitFlag(arg)[0]);
}

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
  const name = named ?? "serve";
  const operands = named ? words.slice(1) : words;
  const { usage, operands: [min, max], actions } = describeCommand(name);
  const action = Object.hasOwn(actions ?? {}, operands[0] ?? "") ? operands[0] : undefined;
  const whole = action === undefined ? name : `${name} ${action}`;
  if (asked === "help") return { name: "help", operands: named ? whole.split(" ") : [], options };
  if (asked === "version") return { name: "version", operands: [], options };
  if (odd !== undefined && name !== "serve") refuseUnknownFlag(odd, name);
  if (operands.length < min) {
    const missing = actions ? "ACTION" : requiredOperand(usage.split(" ").slice(1), operands.length);
    const way = missing && WAYS[missing]?.(name);
    const hint = `${usage} (${way ?? `example: ${describeCommand(name).examples[0]}`})`;
    refuseOperands(missing ?? "argument", undefined, hint);
  }
  const isQuoted = /(?:QUESTION|TEXT|COMMAND)\]?$/.test(usage);
  refuseOperands(undefined, operands[max], `${usage}${isQuoted ? ". Put several words in quotes" : ""}`);
  if (action !== undefined) {
    const { usage } = actions![action]!;
    const [, ...wanted] = usage.split(" --")[0]!.split(" ");
    const [, ...given] = operands;
    const surplus = usage.includes("…") ? undefined : given[wanted.length];
    refuseOperands(requiredOperand(wanted, given.length), surplus, `${name} ${usage}`);
  }
  const known = optionsOf(name, action).map(({ key }) => key);
  const foreign = (Object.keys(options) as OptionName[]).find((key) => !known.includes(key) && !isFree(key));
  if (foreign === undefined) return { name, operands, options };
  return failField(flagOf(foreign), `${whole} has no such option`, `Flags: bmad-mcp help ${whole}`);
}

function refuseOperands(missing: string | undefined, surplus: string | undefined, usage: string): void {
  if (missing === undefined && surplus === undefined) return;
  const problem = missing === undefined
    ? `Unexpected argument "${hideCredentials(surplus!)}"`
    : `Missing ${missing}`;
  failInput(problem, `Usage: bmad-mcp ${usage}`);
}

function refuseUnknownFlag(arg: string, name: CommandName): never {
  const hint = guessFor(arg, name).slice(2) || `Flags: bmad-mcp help ${name}`;
  return failInput(`Unknown flag ${nameOf(arg)}`, hint);
}

function requiredOperand(operands: readonly string[], given: number): string | undefined {
  const operand = operands.filter((word) => !word.startsWith("["))[given];
  return operand?.replace("…", "").replace(/\|(?=[^|]*$)/, " or ").replaceAll("|", ", ");
}

const WAYS: Readonly<Record<string, (command: CommandName) => string>> = {
  ACTION: (command) => `actions: bmad-mcp help ${command}`,
  STORY: () => "stories: bmad-mcp board",
  NAME: () => "names: bmad-mcp list agents",
};

function splitFlag(arg: string): readonly [string, string | undefined] {
  const at = arg.startsWith("--") ? arg.indexOf("=") : -1;
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

export function readDraft(line: readonly string[]) {
  const whole = line.at(-1) ?? "";
  const before = line.slice(0, -1);
  const takesValue = (word: string | undefined) =>
    word !== undefined && findFlag(word).row?.value !== undefined;
  const [lead, inline] = /^(--[^=]+)=/.exec(whole) ?? [""];
  const isInline = takesValue(inline);
  const last = before.at(-1);
  const isBehind = !isInline && takesValue(last);
  const { words, settings } = scanArguments(isBehind ? before.slice(0, -1) : before);
  return {
    /** In `--mode=lo`, the value. */
    cursor: isInline ? whole.slice(lead.length) : whole,
    /** The part of the same word before it: `--mode=`. */
    lead: isInline ? lead : "",
    flag: isInline ? inline : isBehind ? last : undefined,
    command: commandNamed(words[0]),
    /** Neither flags nor their values; the command counts. */
    words: words.length,
    settings,
  };
}
