/**
 * Reads the file that a reference or an entry means, as it is delivered.
 *
 * A file is delivered byte for byte, with two exceptions: secrets in configuration files are always replaced, and the
 * placeholders of an installer are filled in, unless the raw text is requested. A failure suggests similar files.
 */
import { fail } from "../../../base/errors.ts";
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { counted } from "../../../base/text.ts";
import { baseName, decodeText } from "../../tree/mod.ts";
import { listFiles } from "./files.ts";
import { fileOf, type Library, type SourceFile } from "../library.ts";
import { SCHEME } from "./mounts.ts";
import { fillPlaceholders } from "./placeholders.ts";
import { findFile, virtualPath } from "./references.ts";
import { decodeConfig, maskSecrets } from "./secrets.ts";

/** The content of a file: text, or bytes when it is not text. */
export interface FileContent {
  /** Such as `bmad://bmm/bmad-prd/SKILL.md`; ends with `#lines=10-20` for an excerpt. */
  readonly uri: string;
  /** By the file extension: `text/markdown`; `text/plain` for unknown ones. */
  readonly mimeType: string;
  /** Missing when the file is not UTF-8 text; configuration is always text. */
  readonly text?: string;
  /** The whole file; missing when there is text. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** Reads the file that a reference in the file `from` means; `#lines=a-b` gives an excerpt. */
export function readFile(
  library: Library,
  reference: string,
  { from, raw = false }: { readonly from?: SourceFile; readonly raw?: boolean } = {},
): FileContent {
  const [name, fragment] = splitFragment(reference);
  const file = findFile(library, name, from);
  if (file === undefined) return failToFind(library, name);
  const { bytes, text } = readSafely(file);
  const { uri, mimeType } = file;
  if (text === undefined) return { uri, mimeType, bytes };
  return excerptOf({ uri, mimeType, text: raw ? text : fillPlaceholders(text, file) }, fragment);
}

export function rawText(library: Library, entry: Entry): string {
  return readSafely(fileOf(library, entry)).text ??
    fail({ code: "invalid-input", field: qualifiedName(entry), problem: `${entry.file} is not a text file` });
}

/** A file with its secrets replaced and every other byte unchanged; also as text, if it is text. */
export function readSafely(
  { source, path }: SourceFile,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly text?: string } {
  const bytes = source.tree.read(path);
  const own = decodeText(bytes);
  const readable = own ?? decodeConfig(bytes, path);
  const text = readable === undefined ? undefined : maskSecrets(readable, path);
  return { bytes: text === undefined || text === own ? bytes : new TextEncoder().encode(text), text };
}

/** A reference, and its fragment `lines=a-b` if it has one. */
export function splitFragment(reference: string): readonly [string, string | undefined] {
  const at = reference.indexOf("#lines=");
  return at < 0 ? [reference, undefined] : [reference.slice(0, at), reference.slice(at + 1)];
}

/** The lines of a content that a fragment selects; without one, all of it. */
export function excerptOf(
  content: FileContent & { readonly text: string },
  fragment: string | undefined,
): FileContent {
  if (fragment === undefined) return content;
  const [, from, to] = /^lines=(\d+)-(\d+)$/.exec(fragment) ?? [];
  if (from === undefined || Number(from) < 1 || Number(to) < Number(from)) {
    const problem = `expected a range such as #lines=10-20, got "#${fragment}"`;
    fail({ code: "invalid-input", field: "lines", problem });
  }
  const text = content.text.split("\n").slice(Number(from) - 1, Number(to)).join("\n");
  return { ...content, uri: `${content.uri}#${fragment}`, text };
}

function failToFind(library: Library, reference: string): never {
  const path = virtualPath(library, reference);
  if (path === undefined) fail({ code: "outside-root", path: reference });
  const folder = `${SCHEME}${path.absolute}/`;
  const inside = listFiles(library).map(({ uri }) => uri).filter((uri) => uri.startsWith(folder));
  if (inside.length > 0) {
    const some = inside.slice(0, 5).join(", ");
    const hint = `Open one of its ${counted(inside.length, "file")}, such as ${some}`;
    fail({ code: "invalid-input", field: "resource", problem: `"${reference}" is a folder`, hint });
  }
  const suggestions = similarFiles(library, reference);
  const hint = "List the resources to see all of them";
  fail({ code: "not-found", what: "resource", name: reference, suggestions, hint });
}

/** Up to five URIs of files with a similar name, those with a similar path first. */
function similarFiles(library: Library, reference: string): readonly string[] {
  const wanted = baseName(reference).toLowerCase();
  const stem = wanted.replace(/\.\w+$/, "");
  if (stem === "") return [];
  const distance = (uri: string) => {
    const name = baseName(uri).toLowerCase();
    return [name === wanted, name.replace(/\.\w+$/, "") === stem, name.includes(stem)].indexOf(true);
  };
  return listFiles(library)
    .map(({ uri }) => ({ uri, distance: distance(uri), shared: sharedLength(uri, reference) }))
    .filter((file) => file.distance >= 0)
    .sort((a, b) => a.distance - b.distance || b.shared - a.shared)
    .slice(0, 5).map((file) => file.uri);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
