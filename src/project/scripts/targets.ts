/**
 * What a script may write to, where its caller says: a new file, or one of the kind that the script writes.
 *
 * BMAD's own scripts replace whatever has the name. Here documents, stories and ledgers stay what they are, and our records
 * of the work are written by nobody else.
 */
import { fail } from "../../base/errors.ts";
import { asValues, parseJson } from "../../base/values.ts";
import { baseName, joinPath, parentPath } from "../../content/tree/mod.ts";
import type { ProjectFiles } from "../files/mod.ts";
import { JOURNAL_FILE, QUESTIONS_FILE } from "../work/formats/mod.ts";

/** What a script writes. */
export interface Kind {
  /** How the names of such files end; undefined for any. */
  readonly ends?: readonly [string, ...string[]];
  /** Whether a text is one, also by the path that it has. */
  isOwn(text: string, path: string): boolean;
}

/** Fails unless a script may write there. Nothing is created. The result is the text that is there now. */
export function openTarget(files: ProjectFiles, path: string, { ends, isOwn }: Kind): string | undefined {
  if (isRecord(files, path)) refuse(path, "it is a record that only this program writes. Name another file");
  // A folder is left to the script, which says so.
  const isOther = ends?.every((end) => !path.toLowerCase().endsWith(end)) && !files.realFolder(path);
  if (isOther) {
    refuse(path, `this script writes files that end with ${ends!.join(" or ")}`);
  }
  files.checkTarget(path);
  const before = files.find(path);
  if (before?.trim() && !isOwn(before, path)) {
    refuse(path, "it exists, and this script has not written it. Name another file");
  }
  return before;
}

function refuse(path: string, hint: string): never {
  return fail({ code: "not-allowed", what: `write ${path}`, hint });
}

const RECORDS: readonly string[] = [JOURNAL_FILE, QUESTIONS_FILE];

/** Whether a path is one of our records, in whatever case, as some systems ignore it. */
function isRecord({ root, records, realFolder }: ProjectFiles, path: string): boolean {
  const folder = realFolder(parentPath(path))?.slice(root.length + 1) ?? parentPath(path);
  const parts = joinPath(folder, baseName(path)).toLowerCase().split("/");
  return RECORDS.includes(parts.at(-1)!) || parts.includes(baseName(records));
}

/** An object in JSON that has these keys. */
export function jsonWith(...keys: readonly string[]): Kind {
  return {
    ends: [".json"],
    isOwn: (text) => {
      const found = asValues(parseJson(text));
      return keys.every((key) => Object.hasOwn(found, key));
    },
  };
}

/** A page with one of these titles. */
export function pageCalled(...titles: readonly string[]): Kind {
  return {
    ends: [".html"],
    isOwn: (text) => titles.some((title) => text.includes(`<title>${title}</title>`)),
  };
}
