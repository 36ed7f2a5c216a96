/**
 * Entries in a parsed file: finding one, and the value of the file with one more or one less.
 *
 * Values only. Each format has its own file for the text: json_text.ts, toml_text.ts, yaml_text.ts.
 */
import { asValues, isValues, type Values } from "../../content/parse.ts";
import type { Layout } from "./client.ts";
import { isListed } from "./shapes.ts";

/** The value at a path of keys. */
export function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce((inner, key) => isValues(inner) ? inner[key] : undefined, value);
}

/** The entry of a name. */
export function entryIn(value: Values, { keys, shape }: Layout, name: string): unknown {
  const entries = valueAt(value, keys);
  if (!isListed(shape)) return isValues(entries) ? entries[name] : undefined;
  return Array.isArray(entries) ? entries[indexOf(entries, name)] : undefined;
}

/** The index of a name in a list of entries. */
export function indexOf(list: readonly unknown[], name: string): number {
  return list.findIndex((item) => asValues(item)["name"] === name);
}

/** How many of the keys exist, from the outside in. */
export function depthIn(value: Values, keys: readonly string[]): number {
  const depth = keys.findIndex((_, at) => valueAt(value, keys.slice(0, at + 1)) === undefined);
  return depth < 0 ? keys.length : depth;
}

/** The value with an entry added, or replaced if it has one of that name. */
export function withEntry(value: Values, { keys, shape }: Layout, name: string, entry: Values): Values {
  const [key, ...rest] = keys;
  if (rest.length > 0) {
    const inner = withEntry(asValues(value[key!]), { keys: rest, shape }, name, entry);
    return { ...value, [key!]: inner };
  }
  const entries = value[key!];
  if (!isListed(shape)) return { ...value, [key!]: { ...asValues(entries), [name]: entry } };
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  const at = indexOf(list, name);
  return { ...value, [key!]: at < 0 ? [...list, entry] : list.with(at, entry) };
}

/** The value without an entry and without containers that become empty; the first `kept` keys stay. */
export function withoutEntry(value: Values, { keys, shape }: Layout, name: string, kept: number): Values {
  const [key, ...rest] = keys;
  const entries = value[key!];
  const left = rest.length > 0
    ? withoutEntry(asValues(entries), { keys: rest, shape }, name, Math.max(0, kept - 1))
    : Array.isArray(entries)
    ? entries.filter((_, at) => at !== indexOf(entries, name))
    : withoutKey(asValues(entries), name);
  const isEmpty = (Array.isArray(left) ? left : Object.keys(left)).length === 0;
  return isEmpty && kept === 0 ? withoutKey(value, key!) : { ...value, [key!]: left };
}

function withoutKey(value: Values, key: string): Values {
  return Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
}

/** Whether two values are equal, regardless of the order of keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  }
  if (isValues(a) && isValues(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
  }
  return Object.is(a, b) || (a instanceof Date && b instanceof Date && a.getTime() === b.getTime());
}
