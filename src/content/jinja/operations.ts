/** What templates do with values: operators, filters, tests and methods, as in Python's Jinja. */
import { compareTexts, escapeUnit } from "../../base/text.ts";
import { isValues, type Values } from "../../base/values.ts";
import { type Spend, STEP, unsupported, weightOf } from "./costs.ts";

export interface Means {
  readonly spend: Spend;
  listText(items: readonly unknown[]): string;
}

export type Callable = (args: readonly unknown[], means: Means) => unknown;
type Operation = (value: unknown, args: readonly unknown[], means: Means) => unknown;

/** How often an operation may look at a character. */
const LOOKS = 4;

/** Pays for what the operation reads and makes. One whose result may be longer than both pays for that itself. */
export function perform(operation: Operation, value: unknown, args: readonly unknown[], means: Means) {
  for (const given of [value, ...args]) means.spend(LOOKS * weightOf(given));
  const result = operation(value, args, means);
  means.spend(weightOf(result));
  return result;
}

export function textOf(value: unknown, { spend, listText }: Means): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (value === null) return "None";
  if (!Array.isArray(value)) return unsupported("a table or a function cannot be inserted");
  spend(weightOf(value));
  const text = listText(value);
  spend(text.length);
  return text;
}

export function isTrue(value: unknown): boolean {
  // The runtime would count a table's keys one by one.
  return typeof value === "object" && value !== null ? weightOf(value) > EMPTY : Boolean(value);
}

const EMPTY = weightOf([]);

function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || weightOf(a) !== weightOf(b)) return a === b;
  if (Array.isArray(a) && Array.isArray(b)) return a.every((item, at) => isEqual(item, b[at]));
  if (!isValues(a) || !isValues(b)) return a === b;
  return Object.entries(a).every(([key, value]) => Object.hasOwn(b, key) && isEqual(value, b[key]));
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== "string" || typeof b !== "string") {
    return unsupported("only numbers or texts have an order");
  }
  return compareTexts(a, b);
}

function isIn(part: unknown, whole: unknown, spend: Spend): boolean {
  if (Array.isArray(whole)) {
    spend(weightOf(whole));
    return whole.some((one) => isEqual(one, part));
  }
  if (typeof part !== "string") return unsupported("only a list can have something that is not a text");
  if (typeof whole !== "string") {
    return isValues(whole) ? Object.hasOwn(whole, part) : unsupported(NOT_A_LIST);
  }
  payForSearch(whole, part, spend);
  return whole.includes(part);
}

const NOT_A_LIST = "expected a list";

/** The runtime's own search compares, at worst, every character with every other one. */
function payForSearch(text: string, part: string, spend: Spend): void {
  spend(text.length * Math.max(1, Math.min(part.length, text.length)));
}

const COMPARISONS: Readonly<Record<string, (a: unknown, b: unknown, spend: Spend) => boolean>> = {
  "==": isEqual,
  "!=": (a, b) => !isEqual(a, b),
  "<=": (a, b) => compare(a, b) <= 0,
  ">=": (a, b) => compare(a, b) >= 0,
  "<": (a, b) => compare(a, b) < 0,
  ">": (a, b) => compare(a, b) > 0,
  "in": isIn,
  "not in": (a, b, spend) => !isIn(a, b, spend),
};

export const COMPARING = Object.keys(COMPARISONS);

export function holds(operator: string, a: unknown, b: unknown, { spend }: Means): boolean {
  spend(Math.min(weightOf(a), weightOf(b)));
  return COMPARISONS[operator]!(a, b, spend);
}

export function calculate(operator: string, a: unknown, b: unknown, means: Means): unknown {
  if (operator === "~") return joined([textOf(a, means), textOf(b, means)], "", means);
  if (operator === "+" && typeof a === "string" && typeof b === "string") return joined([a, b], "", means);
  if (operator === "+" && Array.isArray(a) && Array.isArray(b)) {
    means.spend(weightOf(a) + weightOf(b));
    return [...a, ...b];
  }
  if (typeof a !== "number" || typeof b !== "number") return unsupported(`"${operator}" expects numbers`);
  return checkedNumber(NUMBERS[operator]!(a, b));
}

const NUMBERS: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "//": (a, b) => Math.floor(a / b),
  "%": (a, b) => a - b * Math.floor(a / b),
};

function checkedNumber(number: number): number {
  return Math.abs(number) < 2 ** 53 ? number : unsupported("a number is too large");
}

export function negative(value: unknown): number {
  return typeof value === "number" ? -value : unsupported('"-" expects a number');
}

function joined(texts: readonly string[], separator: string, { spend }: Means): string {
  spend(texts.reduce((sum, text) => sum + STEP + text.length + separator.length, 0));
  return texts.join(separator);
}

function split(text: string, separator: string, { spend }: Means): readonly string[] {
  if (separator === "") return unsupported("a separator is empty");
  payForSearch(text, separator, spend);
  return text.split(separator);
}

export const range: Callable = (args, { spend }) => {
  const numbers = args.map((arg) => typeof arg === "number" ? arg : unsupported("range expects numbers"));
  const [first = 0, last = 0, step = 1] = numbers.length < 2 ? [0, ...numbers] : numbers;
  const length = Math.max(0, Math.ceil((last - first) / step));
  spend(length * STEP);
  return Array.from({ length }, (_, at) => first + at * step);
};

function asText(value: unknown): string {
  return typeof value === "string" ? value : unsupported("expected a text");
}

function asNumber(value: unknown): number {
  return typeof value === "number" ? value : unsupported("expected a number");
}

export function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isValues(value) ? Object.keys(value) : unsupported(NOT_A_LIST);
}

function pairsOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isValues(value) ? Object.entries(value) : unsupported("expected a table");
}

function uniqueItems(items: readonly unknown[]): readonly unknown[] {
  const seen = new Map<unknown, unknown>();
  for (const item of items) {
    if (typeof item === "object" && item !== null) return unsupported("a list is not compared with others");
    seen.getOrInsert(typeof item === "string" ? item.toLowerCase() : item, item);
  }
  return [...seen.values()];
}

/** As Python writes it for a page: one line, keys in order, and nothing that could be markup. */
function jsonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(", ")}]`;
  if (isValues(value)) {
    const fields = pairsOf(value).toSorted(([a], [b]) => compare(a, b));
    return `{${fields.map(([key, item]) => `${jsonOf(key)}: ${jsonOf(item)}`).join(", ")}}`;
  }
  const json = JSON.stringify(value) ?? unsupported("a function cannot be inserted");
  return json.replaceAll(/[<>&']|[^ -~]/g, escapeUnit);
}

function extreme(items: readonly unknown[], sign: 1 | -1): unknown {
  return items.reduce((best, item) => sign * compare(item, best) < 0 ? item : best, items[0]);
}

function onText(change: (text: string) => string): Operation {
  return (value, _, means) => change(textOf(value, means));
}

const CASES = {
  upper: onText((text) => text.toUpperCase()),
  lower: onText((text) => text.toLowerCase()),
  capitalize: onText((text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()),
  title: onText((text) =>
    text.toLowerCase().replaceAll(/[^\s(<[{-]+/g, (word) => word[0]!.toUpperCase() + word.slice(1))
  ),
};

const trim = onText((text) => text.trim());

const replace: Operation = (value, [old, by], means) =>
  joined(split(textOf(value, means), asText(old), means), asText(by), means);

const sizeOf: Operation = (value) => typeof value === "string" ? value.length : asList(value).length;

const orDefault: Operation = (value, [other = "", alsoEmpty = false]) =>
  value === undefined || (isTrue(alsoEmpty) && !isTrue(value)) ? other : value;

const indent: Operation = (value, [width = 4], means) => {
  if (typeof width !== "number" || !(width >= 0)) {
    return unsupported("the width of an indent must be a number");
  }
  means.spend(width);
  return replace(value, ["\n", `\n${" ".repeat(width)}`], means);
};

export const FILTERS = tableOf<Operation>({
  ...CASES,
  trim,
  replace,
  indent,
  default: orDefault,
  d: orDefault,
  length: sizeOf,
  count: sizeOf,
  first: (value) => Array.isArray(value) ? value[0] : asText(value).slice(0, 1),
  last: (value) => Array.isArray(value) ? value.at(-1) : asText(value).slice(-1),
  string: (value, _, means) => textOf(value, means),
  int: (value) => Math.trunc(Number(value)) || 0,
  abs: (value) => Math.abs(asNumber(value)),
  list: asList,
  items: pairsOf,
  tojson: jsonOf,
  unique: (value) => uniqueItems(asList(value)),
  min: (value) => extreme(asList(value), 1),
  max: (value) => extreme(asList(value), -1),
  sum: (value) => checkedNumber(asList(value).map(asNumber).reduce((sum, item) => sum + item, 0)),
  join: (value, [separator = ""], means) =>
    joined(asList(value).map((item) => textOf(item, means)), asText(separator), means),
  reverse: (value) => asList(value).toReversed(),
  sort: (value) => asList(value).toSorted(compare),
});

const TEXT_METHODS = tableOf<Operation>({
  ...CASES,
  strip: trim,
  replace,
  split: (value, [separator], means) => split(asText(value), asText(separator), means),
  startswith: (value, [part]) => asText(value).startsWith(asText(part)),
  endswith: (value, [part]) => asText(value).endsWith(asText(part)),
});

const TABLE_METHODS = tableOf<Operation>({
  items: pairsOf,
  keys: asList,
  values: (value) => pairsOf(value).map(([, item]) => item),
});

/** A map, because a template may name anything, such as `constructor`. */
function tableOf<T>(rows: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(rows));
}

function ownMember(table: Values, key: unknown): unknown {
  return typeof key === "string" && Object.hasOwn(table, key) ? table[key] : undefined;
}

export function member(value: unknown, key: unknown): unknown {
  const own = isValues(value) ? ownMember(value, key) : undefined;
  if (own !== undefined) return own;
  if (typeof key === "number" && (Array.isArray(value) || typeof value === "string")) return value.at(key);
  if (typeof key !== "string") return undefined;
  // It reads one key, so that it does not pay for the whole table.
  if (key === "get" && isValues(value)) {
    return (([name, otherwise = null]) => ownMember(value, name) ?? otherwise) satisfies Callable;
  }
  const methods = isValues(value) ? TABLE_METHODS : typeof value === "string" ? TEXT_METHODS : undefined;
  const method = methods?.get(key);
  return method && ((args, means) => perform(method, value, args, means)) satisfies Callable;
}

export const TESTS = tableOf<(value: unknown) => boolean>({
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  none: (value) => value === null,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  mapping: isValues,
  sequence: (value) => Array.isArray(value) || typeof value === "string",
  true: (value) => value === true,
  false: (value) => value === false,
  odd: (value) => typeof value === "number" && Math.abs(value % 2) === 1,
  even: (value) => typeof value === "number" && value % 2 === 0,
});
