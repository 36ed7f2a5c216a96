/**
 * Reads a script's arguments as Python's argparse does: unique prefixes of long options, `--name=value`, `-nVALUE`, `--`,
 * sub-commands, and the same complaints in the words of Python 3.11, because some scripts print them as JSON.
 */
import { pythonInt, quote } from "./python.ts";

/** One option or positional argument. */
export interface Argument {
  /** `--workspace`; `-o` and `--output`; or a plain name for a positional argument. */
  readonly names: readonly [string, ...string[]];
  /** `one` value, a `flag` without one, a list by repetition (`append`), one or more values, or any number of them. */
  readonly takes: "one" | "flag" | "append" | "some" | "any";
  readonly isRequired?: true;
  readonly isInteger?: true;
  readonly choices?: readonly string[];
}

/** What a script, or one of its sub-commands, understands. */
export interface Grammar {
  readonly args: readonly Argument[];
  /** Options of which exactly one must be given. */
  readonly oneOf?: readonly string[];
  /** The sub-commands, and the name by which complaints call that argument. */
  readonly commands?: { readonly called: string; readonly of: Readonly<Record<string, Grammar>> };
  /** Whether `-h` is unknown. */
  readonly hasNoHelp?: true;
}

/** The values that were given, by the first long name without dashes: `project-root`. */
export interface Values {
  readonly command: string | undefined;
  one(name: string): string | undefined;
  many(name: string): readonly string[];
  has(name: string): boolean;
}

/** The values; or a complaint as argparse words it; or a request for help. */
export type Parsed =
  | { readonly is: "values"; readonly values: Values }
  | { readonly is: "complaint"; readonly text: string; readonly command: string | undefined }
  | { readonly is: "help"; readonly command: string | undefined };

class Complaint extends Error {}

const NEGATIVE = /^-\d+$|^-\d*\.\d+$/;

export function parseArguments(grammar: Grammar, given: readonly string[]): Parsed {
  const found = new Map<string, string[]>();
  let command: string | undefined;
  try {
    const extras = parseLevel(grammar, given, found, (name) => command = name);
    if (extras === "help") return { is: "help", command };
    if (extras.length > 0) throw new Complaint(`unrecognized arguments: ${extras.join(" ")}`);
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    return { is: "complaint", text: error.message, command };
  }
  const values: Values = {
    command,
    one: (name) => found.get(name)?.at(-1),
    many: (name) => found.get(name) ?? [],
    has: (name) => found.has(name),
  };
  return { is: "values", values };
}

/** Reads one level: options anywhere, positional arguments in order, then the sub-command with all that follows it. */
function parseLevel(
  { args, oneOf = [], commands, hasNoHelp }: Grammar,
  given: readonly string[],
  found: Map<string, string[]>,
  onCommand: (name: string) => void,
): readonly string[] | "help" {
  const options = args.filter(isOption);
  const positionals = args.filter((one) => !isOption(one));
  const extras: string[] = [];
  const open: string[] = [];
  const isOptionWord = (word: string) =>
    looksLikeOption(word, () => findOption(options, word, hasNoHelp !== true).option !== undefined);
  let [at, onlyPlain] = [0, false];
  while (at < given.length) {
    const word = given[at++]!;
    if (!onlyPlain && word === "--") {
      onlyPlain = true;
      continue;
    }
    const isPlain = onlyPlain || !isOptionWord(word);
    if (isPlain && commands !== undefined && open.length === positionals.length) {
      const inner = Object.hasOwn(commands.of, word) ? commands.of[word] : undefined;
      if (inner === undefined) {
        const known = Object.keys(commands.of).map((name) => `'${name}'`).join(", ");
        throw new Complaint(
          `argument ${commands.called}: invalid choice: ${quote(word)} (choose from ${known})`,
        );
      }
      onCommand(word);
      const rest = parseLevel(inner, given.slice(at), found, () => {});
      if (rest === "help") return rest;
      checkMissing(args, oneOf, found, undefined);
      return [...extras, ...rest];
    }
    if (isPlain) {
      (positionals.length === 0 ? extras : open).push(word);
      continue;
    }
    if (!hasNoHelp && (word === "-h" || word === "--help")) return "help";
    const { option, value } = findOption(options, word, hasNoHelp !== true);
    if (option === undefined) {
      extras.push(word);
      continue;
    }
    const key = keyOf(option);
    checkExclusive(oneOf, option, found);
    if (option.takes === "flag") {
      if (value !== undefined) {
        throw new Complaint(`argument ${option.names.join("/")}: ignored explicit argument ${quote(value)}`);
      }
      found.set(key, []);
      continue;
    }
    const taken = value === undefined ? [] : [value];
    const wantsMore = () => option.takes === "some" || option.takes === "any" || taken.length === 0;
    while (value === undefined && wantsMore() && at < given.length && !isOptionWord(given[at]!)) {
      if (given[at] === "--") break;
      taken.push(given[at++]!);
    }
    if (taken.length === 0 && option.takes !== "any") {
      const wanted = option.takes === "some" ? "at least one argument" : "one argument";
      throw new Complaint(`argument ${option.names.join("/")}: expected ${wanted}`);
    }
    for (const one of taken) checkValue(option, one);
    if (option.takes === "append") found.getOrInsertComputed(key, () => []).push(...taken);
    else found.set(key, taken);
  }
  extras.push(...takePositionals(positionals, open, found));
  checkMissing(args, oneOf, found, commands?.called);
  return extras;
}

function isOption({ names }: Argument): boolean {
  return names[0].startsWith("-");
}

/** A text with a space is a value even after a dash, unless it begins with a known option; so is a negative number. */
function looksLikeOption(word: string, isKnown: () => boolean): boolean {
  return word.startsWith("-") && word !== "-" && !NEGATIVE.test(word) &&
    (word === "--" || !word.includes(" ") || isKnown());
}

function findOption(options: readonly Argument[], word: string, hasHelp: boolean) {
  const exact = options.find(({ names }) => names.includes(word));
  if (exact !== undefined) return { option: exact, value: undefined };
  if (!word.startsWith("--")) {
    const option = options.find(({ names }) =>
      names.some((name) => name.length === 2 && word.startsWith(name))
    );
    return { option, value: option === undefined ? undefined : word.slice(2) };
  }
  const cut = word.indexOf("=");
  const [name, value] = cut < 0 ? [word, undefined] : [word.slice(0, cut), word.slice(cut + 1)];
  const spelled = options.find(({ names }) => names.includes(name));
  if (spelled !== undefined) return { option: spelled, value };
  const fits = options.flatMap((option) =>
    option.names.filter((one) => one.startsWith(name)).map((one) => ({ option, one }))
  );
  const all = [...hasHelp && "--help".startsWith(name) ? ["--help"] : [], ...fits.map(({ one }) => one)];
  if (all.length > 1) {
    throw new Complaint(`ambiguous option: ${word} could match ${all.join(", ")}`);
  }
  return { option: fits[0]?.option, value };
}

function keyOf({ names }: Argument): string {
  const long = names.find((name) => name.startsWith("--")) ?? names[0];
  return long.replace(/^-+/, "");
}

function checkExclusive(
  oneOf: readonly string[],
  option: Argument,
  found: ReadonlyMap<string, unknown>,
): void {
  if (!oneOf.includes(keyOf(option))) return;
  const other = oneOf.find((name) => name !== keyOf(option) && found.has(name));
  if (other !== undefined) {
    throw new Complaint(`argument ${option.names.join("/")}: not allowed with argument --${other}`);
  }
}

function checkValue({ names, isInteger, choices }: Argument, value: string): void {
  const called = names.join("/");
  if (isInteger && pythonInt(value) === undefined) {
    throw new Complaint(`argument ${called}: invalid int value: ${quote(value)}`);
  }
  if (choices !== undefined && !choices.includes(value)) {
    const known = choices.map((choice) => `'${choice}'`).join(", ");
    throw new Complaint(`argument ${called}: invalid choice: ${quote(value)} (choose from ${known})`);
  }
}

/** Gives the plain words to the positional arguments; what is left over is returned. */
function takePositionals(
  positionals: readonly Argument[],
  words: readonly string[],
  found: Map<string, string[]>,
): readonly string[] {
  let rest = words;
  for (const [at, argument] of positionals.entries()) {
    const needed = positionals.slice(at + 1).filter(({ takes }) => takes !== "any").length;
    const count = argument.takes === "one" ? 1 : Math.max(0, rest.length - needed);
    const taken = rest.slice(0, count);
    if (taken.length > 0) found.set(keyOf(argument), [...taken]);
    for (const one of taken) checkValue(argument, one);
    rest = rest.slice(count);
  }
  return rest;
}

function checkMissing(
  args: readonly Argument[],
  oneOf: readonly string[],
  found: ReadonlyMap<string, unknown>,
  command: string | undefined,
): void {
  const missing = args.filter((one) =>
    (one.isRequired || !isOption(one) && one.takes !== "any") && !found.has(keyOf(one))
  )
    .map(({ names }) => names.join("/"));
  const names = command === undefined ? missing : [...missing, command];
  if (names.length > 0) throw new Complaint(`the following arguments are required: ${names.join(", ")}`);
  if (oneOf.length > 0 && !oneOf.some((name) => found.has(name))) {
    throw new Complaint(`one of the arguments ${oneOf.map((name) => `--${name}`).join(" ")} is required`);
  }
}
