/**
 * Several files that change together.
 */
import { BmadError, fail } from "../../../base/errors.ts";
import type { ProjectFiles } from "../../files/mod.ts";
import type { FileEdit } from "./edits.ts";

/** Writes all files or none: if one cannot be written, those before it get back what they had. */
export function writeAll(files: ProjectFiles, edits: readonly FileEdit[]): void {
  for (const [at, { path, text, before }] of edits.entries()) {
    try {
      files.replace(path, text, before);
    } catch (error) {
      const written = edits.slice(0, at).reverse();
      const kept = written.filter((one) => !isSetBack(files, one)).map((one) => one.path);
      if (written.length === 0 || !(error instanceof BmadError)) throw error;
      const told = kept.length === 0
        ? "nothing was changed"
        : `${kept.join(", ")} was changed already, and the same call again does the rest`;
      const { failure } = error;
      if (failure.code === "not-writable") fail({ ...failure, reason: `${failure.reason}; ${told}` });
      if (failure.code === "not-allowed") fail({ ...failure, hint: `${failure.hint}; ${told}` });
      throw error;
    }
  }
}

/** Gives a file back what it had, unless others have changed it meanwhile. */
function isSetBack(files: ProjectFiles, { path, text, before }: FileEdit): boolean {
  try {
    files.replace(path, before, text);
    return true;
  } catch (error) {
    if (error instanceof BmadError) return false;
    throw error;
  }
}
