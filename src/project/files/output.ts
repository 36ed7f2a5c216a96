/**
 * Writes what the user asked for at a place of their own: one file, or a folder of files, whole or not at all.
 *
 * Everything is written under another name beside the target first. Nothing that is there is replaced unless the caller
 * says so, and of folders only those that an earlier export has made.
 */
import { fail, reportRefusal } from "../../base/errors.ts";
import { parentPath } from "../../content/tree/mod.ts";

/** What is written: a file, or the files of a folder by their paths. */
export type Output = Uint8Array<ArrayBuffer> | ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** Where it is written. */
export interface Target {
  /** Absolute; the folder it lies in exists. */
  readonly path: string;
  /** The name beside it under which it is written first. */
  readonly draft: string;
  readonly isForced: boolean;
  /** Whether only the user may read it. */
  readonly isPrivate?: boolean;
  /** Whether a folder that is there may be replaced; none may unless it says so. */
  isOwn?(folder: string): boolean;
}

/** Writes it, or fails without having changed anything. */
export function writeOutput(output: Output, target: Target): void {
  const { path, draft, isPrivate } = target;
  checkFree(output, target);
  if (factsOf(draft) !== undefined) {
    refuse(path, `${draft} exists: remove it if it was left over when an earlier call was interrupted`);
  }
  reportRefusal(path, () => {
    try {
      if (output instanceof Uint8Array) writeFile(draft, output, isPrivate ? 0o600 : undefined);
      else {
        Deno.mkdirSync(draft);
        for (const [name, bytes] of output) {
          Deno.mkdirSync([draft, parentPath(name)].filter(Boolean).join("/"), { recursive: true });
          writeFile(`${draft}/${name}`, bytes);
        }
      }
      // Only what may be replaced is still there.
      if (!(output instanceof Uint8Array)) removeIfThere(path);
      Deno.renameSync(draft, path);
    } catch (error) {
      removeIfThere(draft);
      throw error;
    }
  });
}

function checkFree(output: Output, { path, isForced, isOwn }: Target): void {
  const there = factsOf(path);
  if (there === undefined) return;
  if (!isForced) refuse(path, "it exists; --force replaces it");
  const isFile = output instanceof Uint8Array;
  if (isFile ? !there.isFile : !there.isDirectory || !isOwn?.(path)) {
    refuse(path, `it exists and is not ${isFile ? "a plain file" : "the folder of an earlier export"}`);
  }
}

function refuse(path: string, hint: string): never {
  return fail({ code: "not-allowed", what: `write ${path}`, hint });
}

function factsOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function removeIfThere(path: string): void {
  if (factsOf(path) !== undefined) Deno.removeSync(path, { recursive: true });
}

function writeFile(path: string, bytes: Uint8Array, mode?: number): void {
  using file = Deno.openSync(path, { write: true, createNew: true, mode });
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  file.syncDataSync();
}
