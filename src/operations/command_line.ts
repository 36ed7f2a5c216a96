import { failUnknown } from "../base/errors.ts";
import { suggest } from "../base/suggestions.ts";
import { type OperationName, OPERATIONS, paramsOf } from "./table.ts";
import type { Action, Need, Operation, Param } from "./operation.ts";

type Table = typeof OPERATIONS;

export type CommandName = {
  [N in OperationName]: Table[N] extends { readonly command: infer C } ? C extends string ? C : never
    : N;
}[OperationName];

type FlagsOf<P> = {
  [K in keyof P]: P[K] extends { readonly operand: string } | { readonly only: "tool" } ? never : K & string;
}[keyof P];

export type OptionName = { [N in OperationName]: FlagsOf<Table[N]["params"]> }[OperationName] | "json";

export interface Option {
  readonly key: OptionName;
  readonly flag: string;
  readonly short?: string;
  readonly value?: string;
  readonly values?: readonly string[];
  readonly help: string;
}

export interface Command extends Operation {
  readonly operation: OperationName;
  readonly usage: string;
  readonly operands: readonly [min: number, max: number];
  readonly options: readonly Option[];
  readonly examples: readonly string[];
}

const JSON_OPTION: Option = { key: "json", flag: "--json", help: "Print JSON." };

/** Commands are made when asked for: a start needs one of them. */
const OPERATION_OF = Object.fromEntries(
  (Object.keys(OPERATIONS) as OperationName[]).flatMap((operation) => {
    const { command = operation }: Operation = OPERATIONS[operation];
    return command === null ? [] : [[command, operation]];
  }),
) as Readonly<Record<CommandName, OperationName>>;

export const COMMAND_NAMES = (Object.keys(OPERATION_OF) as CommandName[]).filter((name) =>
  !rowOf(name).isHidden
);

const commands = new Map<CommandName, Command>();

export function describeCommand(name: CommandName): Command {
  const known = commands.get(name) ?? makeCommand(name, OPERATION_OF[name], rowOf(name));
  commands.set(name, known);
  return known;
}

function rowOf(name: CommandName): Operation {
  return OPERATIONS[OPERATION_OF[name]];
}

function makeCommand(name: CommandName, operation: OperationName, row: Operation): Command {
  const params = paramsOf(operation, "terminal");
  const operands = params.flatMap(([, param]) => param.operand === undefined ? [] : [param]);
  const isAction = row.actions !== undefined;
  const usage = row.usage ??
    [name, ...(isAction ? [Object.keys(row.actions!).join("|")] : []), ...operands.map(spell)].join(" ");
  const required = usage.replace(/ (?:\[|--).*|…/g, "");
  const results = row.results ?? (row.result === undefined ? undefined : { [required]: row.result });
  return {
    ...row,
    operation,
    usage,
    results,
    examples: row.examples ?? [],
    operands: [
      operands.filter(({ isRequired }) => isRequired).length + (isAction && !row.hasDefaultAction ? 1 : 0),
      operands.at(-1)?.kind === "list" ? Infinity : operands.length + (isAction ? 1 : 0),
    ],
    options: [
      ...params.flatMap(([key, param]) => param.operand === undefined ? [optionOf(key, param)] : []),
      ...(results === undefined ? [] : [JSON_OPTION]),
    ],
  };
}

function spell({ operand, kind, isRequired }: Param): string {
  const word = kind === "list" ? `${operand}…` : operand!;
  return isRequired ? word : `[${word}]`;
}

function optionOf(key: string, { kind, flag = `--${key}`, short, value, choices, about }: Param): Option {
  return {
    key: key as OptionName,
    flag,
    ...(short && { short }),
    ...(kind !== "flag" && { value: value ?? "TEXT" }),
    ...(choices && { values: choices }),
    help: about,
  };
}

export function optionsOf(name: CommandName, action?: string): readonly Option[] {
  const { options, actions } = describeCommand(name);
  const own = action !== undefined && actions !== undefined && Object.hasOwn(actions, action)
    ? actions[action]!.params
    : undefined;
  if (own === undefined) return options;
  return options.flatMap((option) => {
    if (option.key === "json") return [option];
    const help = Object.hasOwn(own, option.key) ? own[option.key] : undefined;
    return help === undefined ? [] : [help === true ? option : { ...option, help }];
  });
}

/** Whether a flag takes a value does not depend on the command. */
export function optionNamed(flag: string): Option | undefined {
  return optionWhere((option) => option.flag === flag || option.short === flag);
}

export function flagOf(key: OptionName): string {
  return optionWhere((option) => option.key === key)!.flag;
}

function optionWhere(fits: (option: Option) => boolean): Option | undefined {
  if (fits(JSON_OPTION)) return JSON_OPTION;
  for (const operation of Object.values(OPERATION_OF)) {
    for (const [key, param] of paramsOf(operation, "terminal")) {
      if (param.operand !== undefined) continue;
      const option = optionOf(key, param);
      if (fits(option)) return option;
    }
  }
  return undefined;
}

export function actionsOf(command: CommandName): Readonly<Record<string, Action>> {
  return describeCommand(command).actions ?? {};
}

type ActionOf<N> = N extends OperationName
  ? Table[N] extends { readonly actions: infer A } ? keyof A & string : never
  : never;

export function actionNamed<N extends CommandName>(command: N, word: string): ActionOf<N> {
  const actions = actionsOf(command);
  if (Object.hasOwn(actions, word)) return word as ActionOf<N>;
  const candidates = Object.entries(actions).map(([label, { words }]) => ({
    label,
    spellings: [label, ...words.split(" ")],
  }));
  return failUnknown(
    `${command} action`,
    word,
    Object.keys(actions),
    suggest(word.toLowerCase(), candidates),
  );
}

export function commandNeeds(name: CommandName, need: Need): boolean {
  return describeCommand(name).needs?.includes(need) === true;
}

export function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(OPERATION_OF, word);
}

export interface Invocation {
  readonly name: CommandName;
  /** The words after the command. None for `serve`: its folders go into the setting `paths`. */
  readonly operands: readonly string[];
  /** An option without a value is `"true"`. */
  readonly options: Readonly<Partial<Record<OptionName, string>>>;
  /** Whether the first word may be the name of an agent or workflow. */
  readonly isGuess?: true;
}
