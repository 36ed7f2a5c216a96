/**
 * Changes the user's own settings file, completely or not at all; owner and mode stay.
 */
import { fail } from "../../base/errors.ts";
import type { Context } from "../../base/paths.ts";
import { type OwnChange, withOwnChange } from "../../settings/mod.ts";
import { keptOf, removeIfPossible, writeNew } from "./new_file.ts";
import { folderOf } from "./paths.ts";

/** Makes a change; false if the file already says so. */
export function changeOwnFile(change: OwnChange, context: Omit<Context, "base">): boolean {
  const { file } = change;
  const isNew = isMissing(file);
  if (!isNew && Deno.lstatSync(file).isSymlink) {
    const key = "key" in change ? change.key : "trusted";
    const hint = `it is a link. Edit ${key} in it yourself`;
    return fail({ code: "not-allowed", what: `change ${file}`, hint });
  }
  const text = withOwnChange(isNew ? "" : readText(file), change, context);
  if (text === undefined) return false;
  const draft = `${file}.${crypto.randomUUID().slice(0, 8)}`;
  try {
    Deno.mkdirSync(folderOf(file), { recursive: true, mode: 0o700 });
    // It may come to hold keys: a new file is for its owner alone.
    writeNew(draft, new TextEncoder().encode(text), isNew ? { mode: 0o600 } : keptOf(file));
    Deno.renameSync(draft, file);
  } catch (error) {
    removeIfPossible(draft);
    const hint = error instanceof Error ? error.message : String(error);
    return fail({ code: "not-allowed", what: `change ${file}`, hint });
  }
  return true;
}

/** With its byte order mark, if it has one. */
function readText(path: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Deno.readFileSync(path));
}

function isMissing(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
}
