/**
 * Changes the map of entries or the list of hooks in a client's file, in as few lines as possible. Unless the result
 * parses to the old value with just this change, the edit is refused.
 */
import { splitLines } from "../../base/text.ts";
import { asValues, isValues, type Parsed, parseToml, parseYaml, type Position } from "../../content/parse.ts";
import type { Format } from "./client.ts";
import { cutJson, locateJson, parseJson, setJson } from "./json_text.ts";
import type { Entry, Launch } from "./shapes.ts";
import { cutToml, setToml } from "./toml_text.ts";
import { cutYaml, setYaml, type Slot } from "./yaml_text.ts";

export type Edit =
  | {
    readonly outcome: "added" | "updated" | "replaced" | "removed";
    /** Undefined if it is the very text that `install` creates: the file can go. */
    readonly text: string | undefined;
    /** Whether more than an entry of ours, or comments in it, change: the old text is worth a backup. */
    readonly needsBackup: boolean;
    /** By name, what ours replaced; with "removed", what is back. They may hold secrets. */
    readonly replaced?: Readonly<Record<string, Entry>>;
  }
  | { readonly outcome: "same" | "absent" }
  | { readonly outcome: "foreign"; readonly runs: Launch | undefined }
  | { readonly outcome: "invalid"; readonly problem: string; readonly at?: Position };

interface TextFormat {
  parse(text: string): Parsed<unknown>;
  /** `changed`: the only keys that differ from the present item. Undefined if impossible. */
  set(text: string, slot: Slot, item: Entry, changed?: Entry): string | undefined;
  /** Without containers that become empty; the first `kept` keys stay. */
  cut(text: string, slot: Slot, kept: number): string | undefined;
  /** Skips texts in quotes, and captures comments. */
  readonly comments: RegExp;
}

const JSON_FORMAT: TextFormat = {
  parse: (text) => parseJson(text, { comments: false }),
  set: (text, { keys, name }, item, changed) =>
    changed === undefined ? setJson(text, [...keys, name], item) : Object.entries(changed).reduce(
      (left, [key, inner]) => setJson(left, [...keys, name, key], inner),
      text,
    ),
  cut: (text, { keys, name }, kept) => cutJson(text, [...keys, name], keys.length - kept),
  comments: /()(?!)/g,
};

const FORMATS: Readonly<Record<Format, TextFormat>> = {
  json: JSON_FORMAT,
  jsonc: {
    ...JSON_FORMAT,
    parse: (text) => parseJson(text, { comments: true }),
    comments: /"(?:[^"\\\n]|\\[^\n])*"?|(\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$))/g,
  },
  toml: {
    parse: parseToml,
    set: (text, { keys, name }, item) => setToml(text, [...keys, name], item),
    cut: (text, { keys, name }) => cutToml(text, [...keys, name]),
    comments:
      /"""(?:[^\\]|\\(?:[^]|$))*?(?:"{3,5}|$)|'''[^]*?(?:'{3,5}|$)|"(?:[^"\\\n]|\\[^\n])*"?|'[^'\n]*'?|(#[^\r\n]*)/g,
  },
  yaml: {
    // Comments alone are not valid YAML.
    parse: (text) =>
      splitLines(text).every((line) => /^\s*(#|$)/.test(line)) ? { value: {} } : parseYaml(text),
    set: setYaml,
    cut: (text, slot, kept) => cutYaml(text, slot, kept > 0),
    // A text in quotes may count as a comment: one backup more.
    comments: /(?:^|\s)(#[^\r\n]*)/g,
  },
};

interface Spot {
  readonly format: Format;
  readonly keys: readonly string[];
  readonly isList: boolean;
  readonly seed?: Entry;
}

export type Container = Entry | readonly unknown[];

export interface Opened {
  readonly spot: Spot;
  /** `text` is without it. */
  readonly mark: string;
  readonly text: string;
  readonly value: Entry;
  readonly container: Container;
}

type Invalid = Extract<Edit, { readonly outcome: "invalid" }>;

export function openText(whole: string, format: Format, spotIn: (value: Entry) => Spot): Opened | Invalid {
  const mark = whole.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = whole.slice(mark.length);
  const { value, problem, at } = FORMATS[format].parse(text);
  if (problem !== undefined) {
    return { outcome: "invalid", problem: problem.replace(/ \(\d+:\d+\)$/, ""), at };
  }
  if (!isValues(value)) return { outcome: "invalid", problem: "expected a map of keys and values" };
  const spot = spotIn(value);
  for (let depth = 1; depth <= spot.keys.length; depth++) {
    const keys = spot.keys.slice(0, depth);
    const found = valueAt(value, keys);
    const isList = spot.isList && depth === spot.keys.length;
    // In YAML a key without a value is null.
    if (found === undefined || (found === null && format === "yaml")) break;
    if (isList ? !Array.isArray(found) : !isValues(found)) {
      const position = /^json/.test(format) ? locateJson(text, keys) : undefined;
      const problem = `${keys.join(".")} must be ${isList ? "a list" : "a map"}`;
      return { outcome: "invalid", problem, at: position };
    }
  }
  const found = valueAt(value, spot.keys);
  const container = spot.isList ? Array.isArray(found) ? found : [] : asValues(found);
  return { spot, mark, text, value, container };
}

export function seededText({ text, value, spot: { format, seed = {} } }: Opened): string {
  const rows = Object.keys(value).length > 0 ? [] : Object.entries(seed);
  if (format !== "yaml") return rows.reduce((left, [key, value]) => setJson(left, [key], value), text);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const begin = text === "" || text.endsWith("\n") || rows.length === 0 ? text : `${text}${eol}`;
  return begin + rows.map(([key, value]) => `${key}: ${value}${eol}`).join("");
}

export function setItem(opened: Opened, name: string, item: Entry, changed?: Entry): string | undefined {
  return FORMATS[opened.spot.format].set(seededText(opened), slotOf(opened, name), item, changed);
}

export function cutItem(opened: Opened, name: string, kept: number): string | undefined {
  return FORMATS[opened.spot.format].cut(opened.text, slotOf(opened, name), kept);
}

function slotOf({ spot: { keys, isList }, container }: Opened, name: string): Slot {
  return { keys, name, index: isList ? indexOf(container, name) : undefined };
}

export function indexOf(container: Container, name: string): number {
  return Array.isArray(container) ? container.findIndex((item) => asValues(item)["name"] === name) : -1;
}

type Done = Omit<Extract<Edit, { readonly needsBackup: boolean }>, "text">;

/** Accepted only if nothing but the container has changed, and that as expected. */
export function confirmEdit(
  { spot: { format, keys, seed }, mark, text: old, value: before }: Opened,
  text: string | undefined,
  container: Container,
  done: Done,
): Edit {
  if (text !== undefined) {
    const { value, problem } = FORMATS[format].parse(text);
    const others = { ...(Object.keys(before).length === 0 && seed), ...before };
    const isRight = problem === undefined &&
      isSame(valueAt(value, keys) ?? (Array.isArray(container) ? [] : {}), container) &&
      isSame(without(asValues(value), keys), without(others, keys));
    const needsBackup = done.needsBackup || losesComment(format, old, text);
    if (isRight) return { ...done, text: mark + text, needsBackup };
  }
  return {
    outcome: "invalid",
    problem: `${keys.join(".")} is written in a way that cannot be edited safely`,
  };
}

function without(value: Entry, [key, ...rest]: readonly string[]): Entry {
  const { [key!]: inner, ...others } = value;
  if (rest.length === 0 || !isValues(inner)) return others;
  const left = without(inner, rest);
  return Object.keys(left).length === 0 ? others : { ...others, [key!]: left };
}

function losesComment(format: Format, before: string, after: string): boolean {
  const commentsIn = (text: string) =>
    Array.from(text.matchAll(FORMATS[format].comments), ([, comment]) => comment?.trimEnd() ?? "")
      .filter((comment) => comment !== "");
  const left = commentsIn(after);
  return commentsIn(before).some((comment) => {
    const at = left.indexOf(comment);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

export function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce((inner, key) => isValues(inner) ? inner[key] : undefined, value);
}

export function countKeys(value: Entry, keys: readonly string[]): number {
  const depth = keys.findIndex((_, at) => valueAt(value, keys.slice(0, at + 1)) === undefined);
  return depth < 0 ? keys.length : depth;
}

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
