/**
 * Changes our own settings files, each completely or not at all; owner and mode stay.
 */
import { fail, reportRefusal } from "../../base/errors.ts";
import type { Context } from "../../base/paths.ts";
import { type OwnChange, withOwnChange } from "../../settings/mod.ts";
import { type Kept, keptOf, removeIfPossible, writeNew } from "./new_file.ts";
import { folderOf } from "./paths.ts";

/** Makes a change of the user's own file; false if the file already says so. */
export function changeOwnFile(change: OwnChange, context: Omit<Context, "base">): boolean {
  const { file } = change;
  return changeText(file, (text) => withOwnChange(text, change, context), {
    draft: `${file}.${crypto.randomUUID().slice(0, 8)}`,
    isPrivate: true,
    ifLink: `Edit ${"key" in change ? change.key : "trusted"} in it yourself`,
  });
}

/** How a file of ours is replaced. */
export interface ChangeTextOptions {
  /** Where the new text is until it replaces the file. */
  readonly draft: string;
  /** Whether a new file is for its owner alone: it may come to hold keys. */
  readonly isPrivate?: boolean;
  /** What to do by hand if the file is a link, which is left alone. */
  readonly ifLink?: string;
}

/** Changes a file by an edit of its text, empty if there is no file; false if the edit changes nothing. */
export function changeText(
  file: string,
  edit: (text: string) => string | undefined,
  { draft, isPrivate = false, ifLink = "Replace it with a file" }: ChangeTextOptions,
): boolean {
  const isNew = isMissing(file);
  if (!isNew && !Deno.lstatSync(file).isFile) {
    const hint = Deno.lstatSync(file).isSymlink ? `it is a link. ${ifLink}` : "it is not a file";
    return fail({ code: "not-allowed", what: `change ${file}`, hint });
  }
  const text = edit(isNew ? "" : readText(file));
  if (text === undefined) return false;
  return reportRefusal(file, () => {
    try {
      const folder = folderOf(file);
      if (isMissing(folder)) Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeNew(draft, new TextEncoder().encode(text), isNew ? newIn(folder, isPrivate) : keptOf(file));
      Deno.renameSync(draft, file);
      return true;
    } catch (error) {
      removeIfPossible(draft);
      throw error;
    }
  });
}

/** With its byte order mark, if it has one. */
function readText(path: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Deno.readFileSync(path));
}

/** What root creates belongs to the owner of the folder. */
function newIn(folder: string, isPrivate: boolean): Kept {
  const { uid, gid } = Deno.lstatSync(folder);
  const newOwner = uid === null || gid === null ? undefined : { uid, gid };
  return { ...(newOwner && { newOwner }), ...(isPrivate && { mode: 0o600 }) };
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
