/**
 * What an answer says about the file of its entry. Apart from the other notes, because a start must not load the parsers.
 */
import { type Entry, isSupporting } from "../../base/model.ts";
import { isOnlyFrontMatter } from "../parse.ts";
import { rawText } from "./files/reading.ts";
import type { Library } from "./library.ts";

/** What is wrong with the file of an entry, which is served as it is. */
export function fileNote(library: Library, entry: Entry): string | undefined {
  const { file, origin, fault } = entry;
  const problem = fault ??
    library.diagnostics.find(({ code, path, origin: id }) =>
      code === "bad-file" && path === file && id === origin.id
    )?.message;
  if (problem !== undefined) return `${file} is broken, and served as it is: ${problem}`;
  // Nobody follows a template or a table.
  if (isSupporting(entry.kind)) return undefined;
  const text = rawText(library, entry);
  if (text.trim() === "") return `${file} is empty, so there is nothing to follow`;
  return file.endsWith(".md") && isOnlyFrontMatter(text)
    ? `${file} has front matter, but no text to follow`
    : undefined;
}
