/**
 * References that work in a fresh context: skills hand prompts to sub-agents, which know neither our URIs nor our calls.
 *
 * A file that lies on disk goes by its full path, any other by the literal call.
 */
import { isOfSkills } from "../../../base/generations.ts";
import type { Entry } from "../../../base/model.ts";
import { isValues, type Values } from "../../../base/values.ts";
import { joinPath } from "../../tree/mod.ts";
import { folderUri } from "../files/files.ts";
import { type Library, sourceOf } from "../library.ts";
import { openCall } from "./calls.ts";

/** The folder of a skill that lies on disk. */
export function folderOnDisk(library: Library, entry: Entry): string | undefined {
  const { origin, tree } = sourceOf(library, entry);
  if (!isOfSkills(entry.generation) || origin.kind === "package") return undefined;
  return joinPath(tree.location, entry.folder);
}

/** The literal call for a URI; `open` is the phrase that opens a file, without which the URI must do. */
export function freshCall(uri: string, open: string | undefined): string {
  return open === undefined ? uri : openCall(`"${uri}"`, { open });
}

/** A skill's customization, in whose sentences every file of the skill can be opened from anywhere. */
export function withFreshFiles(library: Library, entry: Entry, values: Values, open?: string): Values {
  const { tree } = sourceOf(library, entry);
  const folder = folderOnDisk(library, entry);
  const reference = (whole: string, mark: string, name: string) => {
    if (tree.stat(joinPath(entry.folder, name)) === undefined) return whole;
    return mark + (folder === undefined ? freshCall(folderUri(entry) + name, open) : `${folder}/${name}`);
  };
  // A value that is only a path is for the reader of this answer, who opens it from there.
  const fill = (value: unknown): unknown =>
    typeof value === "string" && /\s/.test(value)
      ? value.replaceAll(OWN_FILE, reference)
      : Array.isArray(value)
      ? value.map(fill)
      : isValues(value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]))
      : value;
  return fill(values) as Values;
}

/** `{skill-root}/prompts/x.md`, or the path alone as code. */
const OWN_FILE = /(`?)(?:\{skill-root\}\/|(?<=`))([\w-]{1,80}(?:[/.][\w-]{1,80}){1,8})/g;
