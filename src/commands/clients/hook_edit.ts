/** Adds or removes our hook in the text of a client's file of hooks. */
import { asValues } from "../../content/parse.ts";
import type { HookFile } from "./client.ts";
import { confirmEdit, countKeys, type Edit, isSame, openText, seededText } from "./file_text.ts";
import { cutJson, setJson, spellJson } from "./json_text.ts";
import { buildHook, type Entry, GROUP_KEY, hookShape, OWN_LINE } from "./shapes.ts";

export function addHook(text: string | undefined, file: HookFile, line: string): Edit {
  const reading = readHooks(text ?? "", file);
  if ("outcome" in reading) return reading;
  const { own, container, spot: { keys } } = reading;
  if (own === undefined) {
    const item = buildHook(file.shape, line);
    const written = setJson(seededText(reading), [...keys, container.length], item);
    return confirmEdit(reading, written, [...container, item], { outcome: "added", needsBackup: true });
  }
  const hook = hookShape(file.shape).build(line);
  const changed = Object.entries(hook).filter(([key, value]) => !isSame(own.hook[key], value));
  if (changed.length === 0) return { outcome: "same" };
  const written = changed.reduce(
    (left, [key, value]) => setJson(left, [...own.path, key], value),
    reading.text,
  );
  const next = own.replaced({ ...own.hook, ...hook });
  return confirmEdit(reading, written, next, { outcome: "updated", needsBackup: false });
}

/** If `before`, the backed-up text, is unchanged apart from our hook, it comes back byte for byte. */
export function removeHook(text: string, before: string | undefined, file: HookFile): Edit {
  const reading = readHooks(text, file);
  if ("outcome" in reading) return reading;
  const { own, spot: { keys } } = reading;
  if (own === undefined) return { outcome: "absent" };
  const again = addHook(before, file, ownLineOf(own.hook)!);
  if ("text" in again && again.text === text) return { outcome: "removed", text: before, needsBackup: false };
  const original = before === undefined ? undefined : readHooks(before, file);
  const known = original === undefined || "outcome" in original ? undefined : original;
  const kept = known === undefined ? 0 : countKeys(known.value, keys);
  const written = own.isAlone
    ? cutJson(reading.text, own.path.slice(0, keys.length + 1), keys.length - kept)
    : cutJson(reading.text, own.path, 0);
  // Space in an empty list is spelt as it was.
  const others = own.replaced();
  const spelt = known !== undefined && isSame(known.container, others)
    ? spellJson(written, known.text, keys)
    : written;
  return confirmEdit(reading, spelt, others, { outcome: "removed", needsBackup: false });
}

function readHooks(whole: string, { format, keys, seed, shape }: HookFile) {
  const opened = openText(whole, format, () => ({ format, keys, isList: true, seed }));
  if ("outcome" in opened) return opened;
  const list = opened.container as readonly unknown[];
  const { isGrouped } = hookShape(shape);
  for (const [index, item] of list.entries()) {
    const group = asValues(item)[GROUP_KEY];
    const hooks = !isGrouped ? [item] : Array.isArray(group) ? group : [];
    const place = hooks.findIndex((hook) => ownLineOf(asValues(hook)) !== undefined);
    if (place < 0) continue;
    const own = {
      path: [...keys, index, ...(isGrouped ? [GROUP_KEY, place] : [])],
      hook: asValues(hooks[place]),
      isAlone: hooks.length === 1,
      replaced: (hook?: Entry) => {
        const left = hook === undefined ? hooks.toSpliced(place, 1) : hooks.with(place, hook);
        if (left.length === 0) return list.toSpliced(index, 1);
        return list.with(index, isGrouped ? { ...asValues(item), [GROUP_KEY]: left } : left[0]);
      },
    };
    return { ...opened, container: list, own };
  }
  return { ...opened, container: list, own: undefined };
}

function ownLineOf(hook: Entry): string | undefined {
  return Object.values(hook).filter((value) => typeof value === "string").find((line) => OWN_LINE.test(line));
}
