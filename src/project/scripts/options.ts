/**
 * The options of a script: one table, by which its arguments are read and its help is printed.
 *
 * Arguments have the form that BMAD's scripts accept: `--name value`, `--name=value`, `-nVALUE`, `--`, commands.
 */
import { suggest } from "../../base/suggestions.ts";

/** One option, or the words that follow without one. */
export interface Argument {
  /** `--workspace`; `-o` and `--output`; or a plain name for words without an option. */
  readonly names: readonly [string, ...string[]];
  readonly help: string;
  /**
   * One value, unless it says otherwise. An option may be a `flag` without a value, or be repeated to make a `list`; words
   * without an option may be `some`, at least one, or `any` number.
   */
  readonly takes?: "flag" | "list" | "some" | "any";
  /** Of words without an option: how many, at least and at most. */
  readonly count?: readonly [least: number, most: number];
  readonly isRequired?: true;
  /** Exactly one of the options with this mark must be given. */
  readonly isAlternative?: true;
  readonly isInteger?: true;
  /** Whether the value may have several lines; in any other argument a line break is refused. */
  readonly isMultiline?: true;
  /** Whether the value has names in braces that the script fills in itself. */
  readonly isPattern?: true;
  /** Whether it is a time as the sprint writes it, so that `{date}` means that. */
  readonly isSprintTime?: true;
  /** Whether it is written into a ledger: a path in the project is then the same for everybody who shares it. */
  readonly isRecorded?: true;
}

/** What a script, or one of its commands, is for and understands. */
export interface Usage {
  readonly about: string;
  readonly args?: readonly Argument[];
  readonly commands?: Readonly<Record<string, Usage>>;
  /** The arguments of a usual call. A script with commands has one for each of them instead. */
  readonly example?: string;
  /** Whether it is of no use where no skill calls it: it reads a file of its skill, or what later generations keep. */
  readonly needsSkill?: true;
  readonly notNative?: string;
}

/** The values that were given, by the first long name without dashes: `project-root`. */
export interface Given {
  readonly command: string | undefined;
  one(name: string): string | undefined;
  many(name: string): readonly string[];
  has(name: string): boolean;
}

/** The values; or what is wrong with the arguments; or a request for help. */
export type Parsed =
  | { readonly is: "values"; readonly given: Given }
  | { readonly is: "problem"; readonly text: string; readonly command: string | undefined }
  | { readonly is: "help"; readonly command: string | undefined };

export const PROJECT_ROOT: Argument = { names: ["--project-root"], help: "The folder that holds _bmad" };

/** Reads options anywhere, and a command with everything that follows it; `read` makes of each value what it means. */
export function parseArguments(
  usage: Usage,
  words: readonly string[],
  read = (value: string, _: Argument | undefined): string => value,
): Parsed {
  const found = new Map<string, string[]>();
  const plain: string[] = [];
  let [level, command]: [Usage, string | undefined] = [usage, undefined];
  const problem = (text: string): Parsed => ({ is: "problem", text, command });
  let hasEnded = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === "--" && !hasEnded) {
      hasEnded = true;
      continue;
    }
    if (hasEnded || !looksLikeOption(level, word)) {
      if (level.commands === undefined) {
        plain.push(read(word, findRest(level)));
        continue;
      }
      if (!Object.hasOwn(level.commands, word)) {
        return problem(`unknown command ${shown(word)}. Known commands: ${commandsOf(level)}`);
      }
      [level, command] = [level.commands[word]!, word];
      continue;
    }
    if (word === "-h" || word === "--help") return { is: "help", command };
    const { option, value } = findOption(level, word) ?? {};
    if (option === undefined) return problem(unknownOption(level, word));
    const key = keyOf(option);
    if (option.takes === "flag") {
      if (value !== undefined) return problem(`${option.names[0]} takes no value`);
      found.set(key, []);
      continue;
    }
    const next = words[at + 1];
    const spelled = value ?? (next === undefined || looksLikeOption(level, next) ? undefined : next);
    if (spelled === undefined) return problem(`${option.names[0]} needs a value`);
    if (value === undefined) at++;
    const taken = read(spelled, option);
    if (option.isInteger && !isWhole(taken)) {
      return problem(`${option.names[0]} needs a whole number, not ${shown(taken)}`);
    }
    if (option.takes === "list") found.getOrInsertComputed(key, () => []).push(taken);
    else found.set(key, [taken]);
  }
  const rest = findRest(level);
  if (rest !== undefined && plain.length > 0) found.set(keyOf(rest), plain);
  const extra = rest === undefined ? plain[0] : rest.takes === undefined ? plain[1] : undefined;
  if (extra !== undefined) return problem(`unexpected argument ${shown(extra)}`);
  const [least, most] = rest?.count ?? [0, Infinity];
  if (plain.length < least || plain.length > most) return problem(`${command} takes other arguments`);
  const missing = missingIn(level, found);
  if (missing !== undefined) return problem(missing);
  const given: Given = {
    command,
    one: (name) => found.get(name)?.at(-1),
    many: (name) => found.get(name) ?? [],
    has: (name) => found.has(name),
  };
  return { is: "values", given };
}

/** Whether an argument has a name of its own, unlike the words that follow without one. */
export function isOption({ names: [first] }: Argument): boolean {
  return first.startsWith("-");
}

/** All arguments of a script and its commands. */
export function argumentsOf({ args = [], commands = {} }: Usage): readonly Argument[] {
  return [...args, ...Object.values(commands).flatMap(argumentsOf)];
}

/** The words that follow without an option, if any may. */
function findRest({ args = [] }: Usage): Argument | undefined {
  return args.find((one) => !isOption(one));
}

/** After a dash, a number is a value, and so is a text with spaces, such as a line of a list. */
function looksLikeOption(level: Usage, word: string): boolean {
  return /^-./.test(word) && !/^-[\d.]+$/.test(word) &&
    (!word.includes(" ") || findOption(level, word) !== undefined);
}

function findOption({ args = [] }: Usage, word: string) {
  const named = (name: string) => args.find((one) => isOption(one) && one.names.includes(name));
  const whole = named(word);
  if (whole !== undefined) return { option: whole };
  const isLong = word.startsWith("--");
  const end = isLong ? word.indexOf("=") : 2;
  const option = end < 0 ? undefined : named(word.slice(0, end));
  return option === undefined ? undefined : { option, value: word.slice(isLong ? end + 1 : end) };
}

function unknownOption({ args = [] }: Usage, word: string): string {
  const name = word.split("=")[0]!;
  const [near] = suggest(name, args.filter(isOption).flatMap(({ names }) => names));
  return `unknown option ${shown(name)}${near === undefined ? "" : `. Did you mean ${near}?`}`;
}

/** The name under which values are found. */
export function keyOf({ names }: Argument): string {
  const long = names.find((name) => name.startsWith("--")) ?? names[0];
  return long.replace(/^-+/, "");
}

/** Which arguments are missing, or must not be given together; undefined if all is well. */
function missingIn(level: Usage, found: ReadonlyMap<string, unknown>): string | undefined {
  const { args = [], commands } = level;
  if (commands !== undefined) return `a command is missing. Known commands: ${commandsOf(level)}`;
  const needed = args.filter((one) => one.isRequired || !isOption(one) && one.takes !== "any");
  const missing = needed.filter((one) => !found.has(keyOf(one))).map(({ names }) => names[0]);
  if (missing.length > 0) return `missing ${missing.join(", ")}`;
  const alternatives = args.filter(({ isAlternative }) => isAlternative);
  const given = alternatives.filter((one) => found.has(keyOf(one)));
  if (alternatives.length === 0 || given.length === 1) return undefined;
  return `give exactly one of ${alternatives.map(({ names }) => names[0]).join(", ")}`;
}

function commandsOf({ commands = {} }: Usage): string {
  return Object.keys(commands).join(", ");
}

function isWhole(text: string): boolean {
  return /^\s*[+-]?\d+\s*$/.test(text) && Number.isSafeInteger(Number(text));
}

/** A word of a command line in a message. */
export function shown(word: string): string {
  return JSON.stringify(word.length > 60 ? `${word.slice(0, 60).toWellFormed()}…` : word);
}
