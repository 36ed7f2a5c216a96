/**
 * Entries in what a file says: where they stand, and what the file would say with one more or one less.
 *
 * Values only; which lines of the text that takes is the work of each format's own file.
 */
import { asValues, isValues, type Values } from "../../content/parse.ts";
import type { Layout } from "./client.ts";
import { isListed } from "./shapes.ts";

/** What some keys lead to. */
export function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce((inner, key) => isValues(inner) ? inner[key] : undefined, value);
}

/** The entry of a name. */
export function entryIn(value: Values, { keys, shape }: Layout, name: string): unknown {
  const shelf = valueAt(value, keys);
  if (!isListed(shape)) return isValues(shelf) ? shelf[name] : undefined;
  return Array.isArray(shelf) ? shelf[indexOf(shelf, name)] : undefined;
}

/** The place of a name in a list of entries. */
export function indexOf(list: readonly unknown[], name: string): number {
  return list.findIndex((item) => asValues(item)["name"] === name);
}

/** How many of the keys lead somewhere in a value. */
export function depthIn(value: Values, keys: readonly string[]): number {
  const depth = keys.findIndex((_, at) => valueAt(value, keys.slice(0, at + 1)) === undefined);
  return depth < 0 ? keys.length : depth;
}

/** A value in which an entry stands, in the place of the one of that name. */
export function withEntry(value: Values, { keys, shape }: Layout, name: string, entry: Values): Values {
  const [key, ...rest] = keys;
  if (rest.length > 0) {
    const inner = withEntry(asValues(value[key!]), { keys: rest, shape }, name, entry);
    return { ...value, [key!]: inner };
  }
  const shelf = value[key!];
  if (!isListed(shape)) return { ...value, [key!]: { ...asValues(shelf), [name]: entry } };
  const list: readonly unknown[] = Array.isArray(shelf) ? shelf : [];
  const at = indexOf(list, name);
  return { ...value, [key!]: at < 0 ? [...list, entry] : list.with(at, entry) };
}

/** A value without an entry, and without what only held it; the first `kept` of the keys stay. */
export function withoutEntry(value: Values, { keys, shape }: Layout, name: string, kept: number): Values {
  const [key, ...rest] = keys;
  const shelf = value[key!];
  const left = rest.length > 0
    ? withoutEntry(asValues(shelf), { keys: rest, shape }, name, Math.max(0, kept - 1))
    : Array.isArray(shelf)
    ? shelf.filter((_, at) => at !== indexOf(shelf, name))
    : withoutKey(asValues(shelf), name);
  const isEmpty = (Array.isArray(left) ? left : Object.keys(left)).length === 0;
  return isEmpty && kept === 0 ? withoutKey(value, key!) : { ...value, [key!]: left };
}

function withoutKey(value: Values, key: string): Values {
  return Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
}

/** Whether two values say the same; the order of keys does not count. */
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
