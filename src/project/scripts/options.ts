/** One table for the arguments of a script, read as BMAD's scripts do, and its help. */
import { suggest } from "../../base/suggestions.ts";

export interface Argument {
  /** `--workspace`; `-o` and `--output`; or a plain name for positional words. */
  readonly names: readonly [string, ...string[]];
  readonly help: string;
  /** Default: one value. Options can be a `flag` or a `list`; positional words `some` (at least one) or `any` number. */
  readonly takes?: "flag" | "list" | "some" | "any";
  readonly count?: readonly [least: number, most: number];
  readonly isRequired?: true;
  /** Exactly one of these options must be given. */
  readonly isAlternative?: true;
  readonly isInteger?: true;
  /** Any other argument refuses line breaks. */
  readonly isMultiline?: true;
  /** The script itself fills in names in braces. */
  readonly isPattern?: true;
  /** `{date}` is then a time as the sprint writes it; with `only`, so is the day that an activation names. */
  readonly isSprintTime?: true | "only";
  /** Written into a ledger that others share: a path in the project stays relative. */
  readonly isRecorded?: true;
}

export interface Usage {
  readonly about: string;
  readonly args?: readonly Argument[];
  readonly commands?: Readonly<Record<string, Usage>>;
  readonly example?: string;
  /** Useless without a skill that calls it. */
  readonly needsSkill?: true;
  readonly notNative?: string;
}

export interface Given {
  readonly command: string | undefined;
  one(name: string): string | undefined;
  many(name: string): readonly string[];
  has(name: string): boolean;
}

export type Parsed =
  | { readonly is: "values"; readonly given: Given }
  | { readonly is: "problem"; readonly text: string; readonly command: string | undefined }
  | { readonly is: "help"; readonly command: string | undefined };

export const PROJECT_ROOT: Argument = { names: ["--project-root"], help: "The folder that holds _bmad" };

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
        return problem(`unknown command ${shown(word)}. Known commands: ${listCommands(level)}`);
      }
      [level, command] = [level.commands[word]!, word];
      continue;
    }
    if (word === "-h" || word === "--help") return { is: "help", command };
    const { option, value } = findOption(level, word) ?? {};
    if (option === undefined) {
      const name = word.split("=")[0]!;
      const [near] = suggest(name, level.args?.filter(isOption).flatMap(({ names }) => names) ?? []);
      return problem(`unknown option ${shown(name)}${near === undefined ? "" : `. Did you mean ${near}?`}`);
    }
    const key = valueKey(option);
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
    const isWhole = /^\s*[+-]?\d+\s*$/.test(taken) && Number.isSafeInteger(Number(taken));
    if (option.isInteger && !isWhole) {
      return problem(`${option.names[0]} needs a whole number, not ${shown(taken)}`);
    }
    if (option.takes === "list") found.getOrInsertComputed(key, () => []).push(taken);
    else found.set(key, [taken]);
  }
  const rest = findRest(level);
  if (rest !== undefined && plain.length > 0) found.set(valueKey(rest), plain);
  const extra = rest === undefined ? plain[0] : rest.takes === undefined ? plain[1] : undefined;
  if (extra !== undefined) return problem(`unexpected argument ${shown(extra)}`);
  const [least, most] = rest?.count ?? [0, Infinity];
  if (plain.length < least || plain.length > most) return problem(`${command} takes other arguments`);
  const missing = missingIn(level, found);
  if (missing !== undefined) return problem(missing);
  return {
    is: "values",
    given: {
      command,
      one: (name) => found.get(name)?.at(-1),
      many: (name) => found.get(name) ?? [],
      has: (name) => found.has(name),
    },
  };
}

function isOption({ names: [first] }: Argument): boolean {
  return first.startsWith("-");
}

export function allArguments({ args = [], commands = {} }: Usage): readonly Argument[] {
  return [...args, ...Object.values(commands).flatMap(allArguments)];
}

function findRest({ args = [] }: Usage): Argument | undefined {
  return args.find((one) => !isOption(one));
}

/** After a dash, a number is a value, and so is a text with spaces, such as a list item. */
function looksLikeOption(level: Usage, word: string): boolean {
  return /^-./.test(word) && !/^-[\d.]+$/.test(word) &&
    (!word.includes(" ") || findOption(level, word) !== undefined);
}

function findOption({ args = [] }: Usage, word: string) {
  const options = args.filter(isOption);
  const whole = options.find(({ names }) => names.includes(word));
  if (whole !== undefined) return { option: whole };
  const [, name = "", value] = /^(--[^=]*)=(.*)$/s.exec(word) ?? /^(-[^-])(.+)$/s.exec(word) ?? [];
  const option = options.find(({ names }) => names.includes(name));
  return option === undefined ? undefined : { option, value };
}

function valueKey({ names }: Argument): string {
  const long = names.find((name) => name.startsWith("--")) ?? names[0];
  return long.replace(/^-+/, "");
}

function missingIn(level: Usage, found: ReadonlyMap<string, unknown>): string | undefined {
  const { args = [], commands } = level;
  if (commands !== undefined) return `a command is missing. Known commands: ${listCommands(level)}`;
  const needed = args.filter((one) => one.isRequired || !isOption(one) && one.takes !== "any");
  const missing = needed.filter((one) => !found.has(valueKey(one))).map(({ names }) => names[0]);
  if (missing.length > 0) return `missing ${missing.join(", ")}`;
  const alternatives = args.filter(({ isAlternative }) => isAlternative);
  const given = alternatives.filter((one) => found.has(valueKey(one)));
  if (alternatives.length === 0 || given.length === 1) return undefined;
  return `give exactly one of ${alternatives.map(({ names }) => names[0]).join(", ")}`;
}

function listCommands({ commands = {} }: Usage): string {
  return Object.keys(commands).join(", ");
}

export function shown(word: string): string {
  return JSON.stringify(word.length > 60 ? `${word.slice(0, 60).toWellFormed()}…` : word);
}

export function renderUsage(name: string, usage: Usage, command?: string): string {
  const { args = [], commands } = findLevel(usage, command);
  const alternatives = args.filter(({ isAlternative }) => isAlternative);
  const words = [
    ...alternatives.length === 0 ? [] : [`(${alternatives.map((arg) => spelled(arg)).join(" | ")})`],
    ...args.filter(({ isAlternative }) => !isAlternative).map((arg) =>
      arg.isRequired || !isOption(arg) ? spelled(arg) : `[${spelled(arg)}]`
    ),
    ...commands === undefined ? [] : [`{${Object.keys(commands).join()}} …`],
  ];
  return `usage: ${[name, ...command === undefined ? [] : [command], ...words].join(" ")}\n`;
}

export function renderHelp(name: string, usage: Usage, command?: string): string {
  const { about, args = [], commands } = findLevel(usage, command);
  const rows = (args: readonly Argument[]) =>
    args.map((arg) =>
      [spelled(arg, arg.names), `${arg.help}${arg.takes === "list" ? "; repeatable" : ""}`] as const
    );
  const examples = listExamples(usage).filter((one) =>
    command === undefined || one.split(" ")[0] === command
  );
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

export function listExamples({ example = "", commands }: Usage): readonly string[] {
  if (commands === undefined) return [example];
  return Object.entries(commands).map(([name, { example = "" }]) => `${name} ${example}`.trim());
}

function findLevel(usage: Usage, command: string | undefined): Usage {
  return command === undefined ? usage : usage.commands![command]!;
}

function section(title: string, rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  const lines = rows.map(([label, about]) => `  ${label.padEnd(width)}  ${about}\n`);
  return lines.length === 0 ? "" : `${title}:\n${lines.join("")}`;
}

function spelled(arg: Argument, names: readonly string[] = [arg.names[0]]): string {
  return isOption(arg) ? names.map((name) => `${name} ${valueName(arg)}`.trim()).join(", ") : valueName(arg);
}

function valueName(arg: Argument): string {
  const { takes } = arg;
  if (takes === "flag") return "";
  const value = isOption(arg) ? valueKey(arg).replaceAll("-", "_").toUpperCase() : valueKey(arg);
  return takes === "some" ? `${value} [${value} …]` : takes === "any" ? `[${value} …]` : value;
}
