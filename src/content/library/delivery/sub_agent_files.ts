/**
 * References that work in a fresh context: skills hand prompts to sub-agents, which know neither our URIs nor our calls.
 *
 * A file that lies on the reader's disk goes by its full path; of others the short ones are put into the prompt, and the
 * rest go by the literal call.
 */
import { GENERATIONS } from "../../../base/generations.ts";
import type { Entry } from "../../../base/model.ts";
import { isValues, type Values } from "../../../base/values.ts";
import { joinPath } from "../../tree/mod.ts";
import { folderUri } from "../files/files.ts";
import { readSafely } from "../files/reading.ts";
import { byteLength } from "../shape.ts";
import { type Library, sourceOf } from "../library.ts";
import { openCall } from "./calls.ts";

/** The folder of a skill, if it is on a disk that the reader can reach. */
export function folderOnDisk(library: Library, entry: Entry): string | undefined {
  const { origin, tree } = sourceOf(library, entry);
  if (library.isRemote || !GENERATIONS[entry.generation].isOfSkills || origin.kind === "package") {
    return undefined;
  }
  return joinPath(tree.location, entry.folder);
}

/** The literal call for a URI; `open` is the phrase that opens a file, without which the URI must do. */
export function literalCall(uri: string, open: string | undefined): string {
  return open === undefined ? uri : openCall(`"${uri}"`, { open });
}

/** The most bytes of short files that are put into the prompts of a skill. */
const MAX_INCLUDED = 2_048;

/** How the files of a skill are named. */
interface FileForm {
  /** The phrase that opens one. */
  readonly open?: string;
  readonly maxIncluded?: number;
  /** The paths of those that the same answer delivers. */
  readonly delivered?: ReadonlySet<string>;
}

/** For the reader of the answer, who would open again what it has; a sub-agent has only the sentence. */
const DELIVERED = "(You have it below; only a sub-agent has to load it.)";

/** A skill's customization, in whose sentences every file of the skill can be opened from anywhere. */
export function withSubAgentFiles(
  library: Library,
  entry: Entry,
  values: Values,
  { open, maxIncluded = MAX_INCLUDED, delivered = new Set() }: FileForm = {},
): Values {
  const { tree } = sourceOf(library, entry);
  const folder = folderOnDisk(library, entry);
  let left = maxIncluded;
  /** A short text, as long as there is room. */
  const shortText = (path: string): string | undefined => {
    if ((tree.stat(path)?.size ?? Infinity) > left) return undefined;
    const text = readSafely({ source: sourceOf(library, entry), path }).text?.trim();
    if (text !== undefined) left -= byteLength(text);
    return text;
  };
  const fillText = (value: string): string => {
    const included = new Map<string, string>();
    let isDelivered = false;
    const filled = value.replaceAll(OWN_FILE, (whole: string, mark: string, name: string) => {
      const path = joinPath(entry.folder, name);
      if (tree.stat(path) === undefined) return whole;
      isDelivered ||= delivered.has(name);
      if (folder !== undefined) return `${mark}${folder}/${name}`;
      const uri = folderUri(entry) + name;
      const text = included.get(uri) ?? shortText(path);
      if (text === undefined) return mark + literalCall(uri, open);
      included.set(uri, text);
      return mark + uri;
    });
    return [
      isDelivered ? `${filled} ${DELIVERED}` : filled,
      ...Array.from(included, ([uri, text]) => `=== ${uri} ===\n${text}`),
    ].join("\n\n");
  };
  // A value that is only a path is for the reader of this answer, who opens it from there.
  const fill = (value: unknown): unknown =>
    typeof value === "string" && /\s/.test(value)
      ? fillText(value)
      : Array.isArray(value)
      ? value.map(fill)
      : isValues(value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]))
      : value;
  return fill(values) as Values;
}

/** `{skill-root}/prompts/x.md`, or the path alone as code. */
const OWN_FILE = /(`?)(?:\{skill-root\}\/|(?<=`))([\w-]{1,80}(?:[/.][\w-]{1,80}){1,8})/g;
