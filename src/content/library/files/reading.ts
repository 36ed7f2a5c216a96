/**
 * Reads the file that a reference or an entry means, as it is delivered.
 *
 * A file is delivered byte for byte, with two exceptions: secrets in configuration files are always replaced, and the
 * placeholders of an installer are filled in, unless the raw text is requested.
 */
import { splitLines } from "../../../base/text.ts";
import { fail } from "../../../base/errors.ts";
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { decodeText, textFault } from "../../tree/mod.ts";
import { fileOf, type Library, openCache, type SourceFile, sourceOf } from "../library.ts";
import { fillPlaceholders } from "./placeholders.ts";
import { findFile } from "./references.ts";
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
  /** The qualified name of the item that it belongs to, if it was asked for in a text of another one. */
  readonly item?: string;
}

/** Reads the file that a reference in the file `from` means, if there is one; `#lines=a-b` gives an excerpt. */
export function readFile(
  library: Library,
  reference: string,
  { from, raw = false }: { readonly from?: SourceFile; readonly raw?: boolean } = {},
): FileContent | undefined {
  const [name, fragment] = splitFragment(reference);
  const file = findFile(library, name, from);
  if (file === undefined) return undefined;
  const { bytes, text } = readSafely(file);
  const { uri, mimeType } = file;
  if (text === undefined) return { uri, mimeType, bytes };
  return excerptOf({ uri, mimeType, text: raw ? text : fillPlaceholders(text, file) }, fragment);
}

const texts = openCache<string, string>(({ length }) => length);

/** The text of an entry's own file. */
export function rawText(library: Library, entry: Entry): string {
  // Not by the entry, which is another one with its overrides than without.
  return texts(
    library,
    `${entry.rank} ${entry.file}`,
    () => readSafely(fileOf(library, entry)).text ?? failWithoutText(library, entry),
  );
}

function failWithoutText(library: Library, entry: Entry): never {
  const { file } = entry;
  const { fix: hint, message } = textFault(sourceOf(library, entry).tree, file);
  const problem = hint === undefined ? `${file} is not a text file` : `${file} cannot be read: ${message}`;
  return fail({ code: "invalid-input", field: qualifiedName(entry), problem, hint });
}

/** A file with its secrets replaced and every other byte unchanged; also as text, if it is text. */
interface SafeFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly text?: string;
}

/** What was made of the bytes of a file, as long as they are kept: masking takes longer than reading. */
const SAFE = new WeakMap<Uint8Array, SafeFile & { readonly path: string }>();

/** Reads a file in that form. */
export function readSafely({ source, path }: SourceFile): SafeFile {
  const bytes = source.tree.read(path);
  const known = SAFE.get(bytes);
  if (known?.path === path) return known;
  const own = decodeText(bytes);
  const readable = own ?? decodeConfig(bytes, path);
  const text = readable === undefined ? undefined : maskSecrets(readable, path);
  const isSame = text === undefined || text === own;
  const safe = { path, bytes: isSame ? bytes : new TextEncoder().encode(text), text };
  SAFE.set(bytes, safe);
  return safe;
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
  const text = splitLines(content.text).slice(Number(from) - 1, Number(to)).join("\n");
  return { ...content, uri: `${content.uri}#${fragment}`, text };
}
