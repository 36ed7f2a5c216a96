/**
 * Adds our hook to the text of a client's file of hooks, or removes it.
 *
 * As edit.ts does with entries: as few lines as possible change, and an edit that would do anything else is refused. Pure:
 * texts in, texts out.
 */
import { asValues, isValues } from "../../content/parse.ts";
import type { HookFile } from "./client.ts";
import { losesComment } from "./comments.ts";
import type { Edit } from "./edit.ts";
import { depthIn, isSame, valueAt } from "./entries.ts";
import { buildHook, GROUP_KEY, isGrouped, isOwnHook } from "./hook_shapes.ts";
import {
  cutJson,
  isEmptyJson,
  type JsonKey,
  locateJson,
  parseJson,
  setJson,
  spellJson,
} from "./json_text.ts";
import type { Entry } from "./shapes.ts";

/** A parsed text, and where our hook is in it. */
interface Reading {
  readonly mark: string;
  readonly text: string;
  readonly value: Entry;
  readonly list: readonly unknown[];
  /** The keys that lead to our hook; undefined if there is none. */
  readonly own?: readonly JsonKey[];
  /** Whether nothing but our hook is in its group. */
  readonly isAlone: boolean;
}

/** Adds the hook that runs a command line, or updates ours. */
export function addHook(text: string | undefined, file: HookFile, line: string): Edit {
  const reading = readHooks(text ?? "", file);
  if ("outcome" in reading) return reading;
  const { keys, shape, seed = {} } = file;
  const item = buildHook(shape, line);
  if (reading.own === undefined) {
    const seeded = Object.keys(reading.value).length > 0
      ? reading.text
      : Object.entries(seed).reduce((left, [key, value]) => setJson(left, [key], value), reading.text);
    const written = setJson(seeded, [...keys, reading.list.length], item);
    return confirm(written, reading, file, [...reading.list, item], { outcome: "added", needsBackup: true });
  }
  const hook = isGrouped(shape) ? asValues((item[GROUP_KEY] as readonly unknown[])[0]) : item;
  const old = asValues(at(reading.value, reading.own));
  const changed = Object.entries(hook).filter(([key, value]) => !isSame(old[key], value));
  if (changed.length === 0) return { outcome: "same" };
  const own = reading.own;
  const written = changed.reduce((left, [key, value]) => setJson(left, [...own, key], value), reading.text);
  const { value } = parseJson(written, { comments: file.format === "jsonc" });
  const after = valueAt(value, keys);
  return confirm(written, reading, file, Array.isArray(after) ? after : [], {
    outcome: "updated",
    needsBackup: false,
  });
}

/**
 * Removes our hook. `before` is the text from before our first change, if it was backed up: a text that has not changed
 * since then becomes that text again, byte for byte.
 */
export function removeHook(text: string, before: string | undefined, file: HookFile): Edit {
  const reading = readHooks(text, file);
  if ("outcome" in reading) return reading;
  const { own, isAlone, list } = reading;
  if (own === undefined) return { outcome: "absent" };
  const line = lineOf(asValues(at(reading.value, own)));
  const isOurs = (earlier: string | undefined) => {
    const added = line === undefined ? undefined : addHook(earlier, file, line);
    return added !== undefined && "text" in added && added.text === text;
  };
  if (before !== undefined && isOurs(before)) return { outcome: "removed", text: before, needsBackup: false };
  if (before === undefined && isOurs(undefined)) {
    return { outcome: "removed", text: undefined, needsBackup: false };
  }
  const { keys } = file;
  const original = before === undefined ? undefined : readHooks(before, file);
  const kept = original === undefined || "outcome" in original ? 0 : depthIn(original.value, keys);
  const index = Number(own[keys.length]);
  const group = asValues(list[index]);
  const left = isAlone ? list.toSpliced(index, 1) : list.with(index, {
    ...group,
    [GROUP_KEY]: (group[GROUP_KEY] as unknown[]).toSpliced(Number(own.at(-1)), 1),
  });
  let written = cutJson(reading.text, isAlone ? own.slice(0, keys.length + 1) : own);
  for (let depth = keys.length; depth > kept && isEmptyJson(written, keys.slice(0, depth)); depth--) {
    written = cutJson(written, keys.slice(0, depth));
  }
  // Space in an empty list, and the like, is spelt as it was.
  const spelt = original !== undefined && !("outcome" in original) && isSame(original.list, left)
    ? spellJson(written, original.text, keys)
    : written;
  return confirm(spelt, reading, file, left, { outcome: "removed", needsBackup: false });
}

function readHooks(
  whole: string,
  { format, keys, shape }: HookFile,
): Reading | Extract<Edit, { outcome: "invalid" }> {
  const mark = whole.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = whole.slice(mark.length);
  const { value, problem, at: position } = parseJson(text, { comments: format === "jsonc" });
  if (problem !== undefined) return { outcome: "invalid", problem, at: position };
  if (!isValues(value)) return { outcome: "invalid", problem: "expected a map of keys and values" };
  for (let depth = 1; depth <= keys.length; depth++) {
    const path = keys.slice(0, depth);
    const found = valueAt(value, path);
    if (found === undefined) break;
    const isList = depth === keys.length;
    if (isList ? !Array.isArray(found) : !isValues(found)) {
      const what = `${path.join(".")} must be ${isList ? "a list" : "a map"}`;
      return { outcome: "invalid", problem: what, at: locateJson(text, path) };
    }
  }
  const found = valueAt(value, keys);
  const list: readonly unknown[] = Array.isArray(found) ? found : [];
  const hooks = list.flatMap((item, index) => {
    if (!isGrouped(shape)) return [{ path: [index], hook: asValues(item), isAlone: true }];
    const group = asValues(item)[GROUP_KEY];
    const inner: readonly unknown[] = Array.isArray(group) ? group : [];
    return inner.map((hook, place) => ({
      path: [index, GROUP_KEY, place],
      hook: asValues(hook),
      isAlone: inner.length === 1,
    }));
  });
  const own = hooks.find(({ hook }) => isOwnHook(hook));
  return {
    mark,
    text,
    value,
    list,
    isAlone: own?.isAlone ?? true,
    ...(own && { own: [...keys, ...own.path] }),
  };
}

function at(value: unknown, path: readonly JsonKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => Array.isArray(inner) ? inner[Number(key)] : asValues(inner)[key],
    value,
  );
}

/** The command line of a hook of ours. */
function lineOf(hook: Entry): string | undefined {
  return Object.values(hook).find((value) => typeof value === "string" && isOwnHook({ value })) as
    | string
    | undefined;
}

/** Accepts an edited text only if nothing but the list of hooks has changed, and that as expected. */
function confirm(
  text: string,
  { mark, text: old, value: before }: Reading,
  { format, keys, seed }: HookFile,
  list: readonly unknown[],
  done: Omit<Extract<Edit, { readonly needsBackup: boolean }>, "text">,
): Edit {
  const { value, problem } = parseJson(text, { comments: format === "jsonc" });
  const isNew = Object.keys(before).length === 0;
  const isRight = problem === undefined &&
    isSame(valueAt(value, keys) ?? [], list) &&
    isSame(without(asValues(value), keys), without({ ...(isNew && seed), ...before }, keys));
  if (!isRight) {
    return {
      outcome: "invalid",
      problem: `${keys.join(".")} is written in a way that cannot be edited safely`,
    };
  }
  return { ...done, text: mark + text, needsBackup: done.needsBackup || losesComment(format, old, text) };
}

/** A value without what is at some keys, nor the maps that are empty without it. */
function without(value: Entry, [key, ...rest]: readonly string[]): Entry {
  const { [key!]: inner, ...others } = value;
  if (rest.length === 0 || !isValues(inner)) return others;
  const left = without(inner, rest);
  return Object.keys(left).length === 0 ? others : { ...others, [key!]: left };
}
