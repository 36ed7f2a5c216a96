/**
 * Writes what the user asked for at a place of their own: one file, or a folder of files, whole or not at all.
 * Nothing is replaced unless the caller says so, and of folders only those that an earlier export has made.
 */
import { unlessMissing } from "../../base/absence.ts";
import { reportRefusal } from "../../base/errors.ts";
import { parentPath } from "../../content/tree/mod.ts";
import { createFile, refuseWrite } from "./write.ts";

export type Output = Uint8Array<ArrayBuffer> | ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

interface Target {
  readonly path: string;
  readonly draft: string;
  readonly isForced: boolean;
  readonly isPrivate?: boolean;
  isOwn?(folder: string): boolean;
}

export function writeOutput(output: Output, target: Target): void {
  const { path, draft, isPrivate } = target;
  checkFree(output, target);
  if (findFacts(draft) !== undefined) {
    refuseWrite(path, `${draft} exists: remove it if it was left over when an earlier call was interrupted`);
  }
  reportRefusal(path, () => {
    try {
      if (output instanceof Uint8Array) createFile(draft, output, isPrivate ? 0o600 : undefined);
      else {
        Deno.mkdirSync(draft);
        for (const [name, bytes] of output) {
          Deno.mkdirSync([draft, parentPath(name)].filter(Boolean).join("/"), { recursive: true });
          createFile(`${draft}/${name}`, bytes);
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
  const there = findFacts(path);
  if (there === undefined) return;
  if (!isForced) refuseWrite(path, "it exists; --force replaces it");
  const isFile = output instanceof Uint8Array;
  if (isFile ? !there.isFile : !there.isDirectory || !isOwn?.(path)) {
    refuseWrite(path, `it exists and is not ${isFile ? "a plain file" : "the folder of an earlier export"}`);
  }
}

function findFacts(path: string): Deno.FileInfo | undefined {
  return unlessMissing(() => Deno.lstatSync(path));
}

function removeIfThere(path: string): void {
  if (findFacts(path) !== undefined) Deno.removeSync(path, { recursive: true });
}
