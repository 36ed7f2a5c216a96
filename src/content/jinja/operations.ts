/**
 * What templates do with values; each operation pays before it works. A template can put a list into itself many times
 * over, so whatever visits nested items pays for each visit and counts the levels.
 */
import { isValues, MAX_DEPTH, type Values } from "../../base/values.ts";
import { LONG_STEP, type Spend, STEP, tooDeep, unsupported } from "./costs.ts";

export interface Means {
  readonly spend: Spend;
  listText(items: readonly unknown[]): string;
}

/** In the words of Python. */
export function textOf(value: unknown, { spend, listText }: Means): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (value === null) return "None";
  if (!Array.isArray(value)) return unsupported("a table or a function cannot be inserted");
  visit(value, spend);
  const text = listText(value);
  spend(text.length);
  return text;
}

function visit(value: unknown, spend: Spend, levels = MAX_DEPTH): void {
  spend(typeof value === "string" ? STEP + value.length : STEP);
  if (typeof value !== "object" || value === null) return;
  if (levels === 0) tooDeep();
  for (const inner of Object.values(value)) visit(inner, spend, levels - 1);
}

export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isValues(value) ? sizeOf(value) > 0 : Boolean(value);
}

/** The runtime counts a table's keys one by one, so they are counted only once. */
const sizes = new WeakMap<Values, number>();

function sizeOf(table: Values): number {
  const size = sizes.get(table) ?? Object.keys(table).length;
  sizes.set(table, size);
  return size;
}

function isEqual(a: unknown, b: unknown, spend: Spend, levels = MAX_DEPTH): boolean {
  spend(STEP);
  if (typeof a === "string" && typeof b === "string") {
    if (a.length === b.length) spend(a.length);
    return a === b;
  }
  if (levels === 0) tooDeep();
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isEqual(item, b[at], spend, levels - 1));
  }
  if (!isValues(a) || !isValues(b)) return a === b;
  if (sizeOf(a) !== sizeOf(b)) return false;
  spend(sizeOf(a) * LONG_STEP);
  return Object.entries(a).every(([key, value]) =>
    Object.hasOwn(b, key) && isEqual(value, b[key], spend, levels - 1)
  );
}

function compare(a: unknown, b: unknown, spend: Spend): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== "string" || typeof b !== "string") {
    return unsupported("only numbers or texts have an order");
  }
  spend(STEP + Math.min(a.length, b.length));
  return a === b ? 0 : a < b ? -1 : 1;
}

function isIn(part: unknown, whole: unknown, spend: Spend): boolean {
  if (Array.isArray(whole)) return whole.some((one) => isEqual(one, part, spend));
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

type Comparison = (a: unknown, b: unknown, spend: Spend) => boolean;

export const COMPARISONS: Readonly<Record<string, Comparison>> = {
  "==": isEqual,
  "!=": (a, b, spend) => !isEqual(a, b, spend),
  "<=": (a, b, spend) => compare(a, b, spend) <= 0,
  ">=": (a, b, spend) => compare(a, b, spend) >= 0,
  "<": (a, b, spend) => compare(a, b, spend) < 0,
  ">": (a, b, spend) => compare(a, b, spend) > 0,
  "in": isIn,
  "not in": (a, b, spend) => !isIn(a, b, spend),
};

export function calculate(operator: string, a: unknown, b: unknown, means: Means): unknown {
  if (operator === "~") return joined([textOf(a, means), textOf(b, means)], "", means.spend);
  if (operator === "+" && typeof a === "string" && typeof b === "string") {
    return joined([a, b], "", means.spend);
  }
  if (operator === "+" && Array.isArray(a) && Array.isArray(b)) {
    means.spend((a.length + b.length) * STEP);
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
  return Number.isSafeInteger(number) || (Number.isFinite(number) && Math.abs(number) < 2 ** 53)
    ? number
    : unsupported("a number is too large");
}

export function negative(value: unknown): number {
  return typeof value === "number" ? -value : unsupported('"-" expects a number');
}

function joined(texts: readonly string[], separator: string, spend: Spend): string {
  spend(texts.reduce((sum, text) => sum + STEP + text.length + separator.length, 0));
  return texts.join(separator);
}

function split(text: string, separator: string, spend: Spend): readonly string[] {
  if (separator === "") return unsupported("a separator is empty");
  payForSearch(text, separator, spend);
  const next = (from: number) => text.indexOf(separator, from);
  for (let at = next(0); at >= 0; at = next(at + separator.length)) spend(STEP + separator.length);
  return text.split(separator);
}

function replaced(text: string, old: string, by: string, spend: Spend): string {
  return joined(split(text, old, spend), by, spend);
}

export function range(spend: Spend, from: number, to?: number, step = 1): readonly number[] {
  const [first, last] = to === undefined ? [0, from] : [from, to];
  const length = Math.max(0, Math.ceil((last - first) / step));
  spend(length * STEP);
  return Array.from({ length }, (_, at) => first + at * step);
}

/** Upper case of one character can be three; the runtime looks at each of them more than once. */
const CASE_COST = 4;

function asText(value: unknown): string {
  return typeof value === "string" ? value : unsupported("expected a text");
}

function paidText(value: unknown, spend: Spend): string {
  const text = asText(value);
  spend(text.length);
  return text;
}

export function asList(value: unknown, spend: Spend): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isValues(value)) return unsupported(NOT_A_LIST);
  spend(sizeOf(value) * LONG_STEP);
  return Object.keys(value);
}

/** The items of a list, paid for one by one. */
function copied(value: unknown, spend: Spend): readonly unknown[] {
  const items = asList(value, spend);
  spend(items.length * STEP);
  return items;
}

function pairsOf(value: unknown, spend: Spend): readonly (readonly [string, unknown])[] {
  if (!isValues(value)) return unsupported("expected a table");
  spend(sizeOf(value) * LONG_STEP);
  return Object.entries(value);
}

/** The items of a list, once each; texts that differ in case alone are the same, as in Python's Jinja. */
function uniqueItems(items: readonly unknown[], spend: Spend): readonly unknown[] {
  const seen = new Map<unknown, unknown>();
  for (const item of items) {
    spend(LONG_STEP);
    if (typeof item === "object" && item !== null) return unsupported("a list is not compared with others");
    if (typeof item === "string") spend(item.length * CASE_COST);
    seen.getOrInsert(typeof item === "string" ? item.toLowerCase() : item, item);
  }
  return [...seen.values()];
}

/** JSON as Python writes it for a page: one line, keys in order, and nothing that a page could take for markup. */
function jsonOf(value: unknown, spend: Spend, levels = MAX_DEPTH): string {
  spend(STEP);
  if (levels === 0) return tooDeep();
  if (Array.isArray(value)) {
    return `[${joined(value.map((item) => jsonOf(item, spend, levels - 1)), ", ", spend)}]`;
  }
  if (isValues(value)) {
    const fields = pairsOf(value, spend).toSorted(([a], [b]) => compare(a, b, spend)).map(([key, item]) =>
      `${jsonOf(key, spend, levels - 1)}: ${jsonOf(item, spend, levels - 1)}`
    );
    return `{${joined(fields, ", ", spend)}}`;
  }
  if (typeof value !== "string") return JSON.stringify(value) ?? unsupported("a function cannot be inserted");
  // Each character may become six.
  spend(value.length * 6);
  return JSON.stringify(value).replaceAll(
    /[<>&']|[^ -~]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function asNumber(value: unknown): number {
  return typeof value === "number" ? value : unsupported("expected a number");
}

function extreme(items: readonly unknown[], sign: 1 | -1, spend: Spend): unknown {
  return items.reduce((best, item) => sign * compare(item, best, spend) < 0 ? item : best, items[0]);
}

const CHANGES: Readonly<Record<string, (text: string) => string>> = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  capitalize: (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase(),
  title: (text) =>
    text.toLowerCase().replaceAll(/[^\s(<[{-]+/g, (word) => word[0]!.toUpperCase() + word.slice(1)),
  trim: (text) => text.trim(),
};

type Operation = (means: Means, value: unknown, args: readonly unknown[]) => unknown;

const ON_TEXTS = Object.entries(CHANGES).map(([name, change]): readonly [string, Operation] => [
  name,
  (means, value) => {
    const text = textOf(value, means);
    means.spend(text.length * CASE_COST);
    return change(text);
  },
]);

const replace: Operation = (means, value, [old, by]) =>
  replaced(textOf(value, means), asText(old), asText(by), means.spend);

function length(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.length;
  return isValues(value) ? sizeOf(value) : unsupported(NOT_A_LIST);
}

const instead: Operation = (_, value, [other = "", alsoEmpty = false]) =>
  value === undefined || (isTrue(alsoEmpty) && !isTrue(value)) ? other : value;

export const FILTERS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ...ON_TEXTS,
  ["default", instead],
  ["d", instead],
  ["replace", replace],
  ["length", (_, value) => length(value)],
  ["count", (_, value) => length(value)],
  ["first", (_, value) => Array.isArray(value) ? value[0] : asText(value).slice(0, 1)],
  ["last", (_, value) => Array.isArray(value) ? value.at(-1) : asText(value).slice(-1)],
  ["string", (means, value) => textOf(value, means)],
  ["int", (_, value) => Math.trunc(Number(value)) || 0],
  ["abs", (_, value) => Math.abs(asNumber(value))],
  ["list", ({ spend }, value) => asList(value, spend)],
  ["items", ({ spend }, value) => pairsOf(value, spend)],
  ["tojson", ({ spend }, value) => jsonOf(value, spend)],
  ["unique", ({ spend }, value) => uniqueItems(asList(value, spend), spend)],
  ["min", ({ spend }, value) => extreme(asList(value, spend), 1, spend)],
  ["max", ({ spend }, value) => extreme(asList(value, spend), -1, spend)],
  [
    "sum",
    ({ spend }, value) =>
      checkedNumber(copied(value, spend).reduce((sum: number, item) => sum + asNumber(item), 0)),
  ],
  ["join", (means, value, [separator = ""]) => {
    const texts = copied(value, means.spend).map((item) => textOf(item, means));
    return joined(texts, asText(separator), means.spend);
  }],
  ["reverse", ({ spend }, value) => copied(value, spend).toReversed()],
  ["sort", ({ spend }, value) =>
    copied(value, spend).toSorted((a, b) => {
      spend(STEP);
      return compare(a, b, spend);
    })],
  ["indent", (means, value, [width = 4]) => {
    if (typeof width !== "number" || !(width >= 0)) {
      return unsupported("the width of an indent must be a number");
    }
    means.spend(width);
    return replaced(textOf(value, means), "\n", `\n${" ".repeat(width)}`, means.spend);
  }],
]);

const TEXT_METHODS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ...ON_TEXTS.map((
    [name, change],
  ): readonly [string, Operation] => [name === "trim" ? "strip" : name, change]),
  ["replace", replace],
  ["split", ({ spend }, value, [separator]) => split(asText(value), asText(separator), spend)],
  ["startswith", ({ spend }, value, [part]) => asText(value).startsWith(paidText(part, spend))],
  ["endswith", ({ spend }, value, [part]) => asText(value).endsWith(paidText(part, spend))],
]);

const TABLE_METHODS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["items", ({ spend }, value) => pairsOf(value, spend)],
  ["keys", ({ spend }, value) => pairsOf(value, spend).map(([key]) => key)],
  ["values", ({ spend }, value) => pairsOf(value, spend).map(([, item]) => item)],
  ["get", (_, value, [key, otherwise = null]) => ownMember(value as Values, key) ?? otherwise],
]);

function ownMember(table: Values, key: unknown): unknown {
  return typeof key === "string" && Object.hasOwn(table, key) ? table[key] : undefined;
}

export type Callable = (means: Means, args: readonly unknown[]) => unknown;

export function member(value: unknown, key: unknown): unknown {
  const own = isValues(value) ? ownMember(value, key) : undefined;
  if (own !== undefined) return own;
  if (typeof key === "number" && (Array.isArray(value) || typeof value === "string")) return value.at(key);
  if (typeof key !== "string") return undefined;
  const methods = isValues(value) ? TABLE_METHODS : typeof value === "string" ? TEXT_METHODS : undefined;
  const method = methods?.get(key);
  return method && ((means, args) => method(means, value, args)) satisfies Callable;
}

type Test = (value: unknown) => boolean;

export const TESTS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["defined", (value) => value !== undefined],
  ["undefined", (value) => value === undefined],
  ["none", (value) => value === null],
  ["string", (value) => typeof value === "string"],
  ["number", (value) => typeof value === "number"],
  ["boolean", (value) => typeof value === "boolean"],
  ["mapping", isValues],
  ["sequence", (value) => Array.isArray(value) || typeof value === "string"],
  ["true", (value) => value === true],
  ["false", (value) => value === false],
  ["odd", (value) => typeof value === "number" && Math.abs(value % 2) === 1],
  ["even", (value) => typeof value === "number" && value % 2 === 0],
]);
