/**
 * Reading: what the file behind a reference or a thing holds, as it is handed on.
 *
 * A file is delivered byte for byte, with two exceptions: secrets in configuration files are replaced, always; and
 * placeholders that an installer fills in are filled in, unless the raw text is asked for.
 */
import { fail } from "../../../base/errors.ts";
import type { Entry } from "../../../base/model.ts";
import { baseName, decodeText } from "../../tree/mod.ts";
import { listFiles } from "./files.ts";
import { type Library, type Place, placeOf } from "../library.ts";
import { SCHEME } from "./mounts.ts";
import { fillPlaceholders } from "./placeholders.ts";
import { findFile, virtualPath } from "./references.ts";
import { decodeConfig, maskSecrets } from "./secrets.ts";

/** What a file holds: text, or bytes when it is not text. */
export interface FileContent {
  /** Such as `bmad://bmm/bmad-prd/SKILL.md`; ends in `#lines=10-20` when it is an excerpt. */
  readonly uri: string;
  /** By the name's ending: `text/markdown`; `text/plain` for endings we do not know. */
  readonly mimeType: string;
  /** Missing when the bytes are not UTF-8 text; configuration is always text. */
  readonly text?: string;
  /** The whole file; missing when there is text. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** How a reference is to be read. */
export interface ReadRequest {
  /** Where the reference stands, so that `./step-02.md` means something. */
  readonly from?: Place;
  /** Leave the placeholders that an installer would have filled in. */
  readonly raw?: boolean;
}

/** Reads the file that a reference means; `#lines=a-b` gives an excerpt. */
export function readFile(
  library: Library,
  reference: string,
  { from, raw = false }: ReadRequest = {},
): FileContent {
  const [name, fragment] = splitFragment(reference);
  const file = findFile(library, name, from);
  if (file === undefined) return failToFind(library, name);
  const { bytes, text: safe } = readSafely(file);
  const { uri, mimeType } = file;
  if (safe === undefined) return { uri, mimeType, bytes };
  const text = raw ? safe : fillPlaceholders(safe, file);
  return fragment === undefined
    ? { uri, mimeType, text }
    : { uri: `${uri}#${fragment}`, mimeType, text: excerpt(text, fragment) };
}

/** The raw text of an entry's file. */
export function rawText(library: Library, entry: Entry): string {
  const place = placeOf(library, entry);
  return readSafely(place).text ??
    fail({ code: "invalid-input", field: "name", problem: `${place.path} is not a text file` });
}

/** A file with its secrets replaced and every other byte as it is; its text, when it is one. */
export function readSafely(
  { holding, path }: Place,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly text?: string } {
  const bytes = holding.tree.read(path);
  const own = decodeText(bytes);
  const readable = own ?? decodeConfig(bytes, path);
  const text = readable === undefined ? undefined : maskSecrets(readable, path);
  return { bytes: text === undefined || text === own ? bytes : new TextEncoder().encode(text), text };
}

/** A reference and what stands behind its `#lines=`. */
export function splitFragment(reference: string): readonly [string, string | undefined] {
  const at = reference.indexOf("#lines=");
  return at < 0 ? [reference, undefined] : [reference.slice(0, at), reference.slice(at + 1)];
}

/** The lines of a text that a fragment asks for. */
export function excerpt(text: string, fragment: string): string {
  const [, from, to] = /^lines=(\d+)-(\d+)$/.exec(fragment) ?? [];
  if (from === undefined || Number(from) < 1 || Number(to) < Number(from)) {
    fail({
      code: "invalid-input",
      field: "uri",
      problem: `"#${fragment}" is no range of lines`,
      hint: "Write #lines=10-20",
    });
  }
  return text.split("\n").slice(Number(from) - 1, Number(to)).join("\n");
}

function failToFind(library: Library, reference: string): never {
  const path = virtualPath(library, reference);
  if (path === undefined) fail({ code: "outside-root", path: reference });
  const folder = `${SCHEME}${path.absolute}/`;
  const inside = listFiles(library).map(({ uri }) => uri).filter((uri) => uri.startsWith(folder));
  if (inside.length > 0) {
    const hint = `Open one of its ${inside.length} files, such as ${inside.slice(0, 5).join(", ")}`;
    fail({ code: "invalid-input", field: "uri", problem: `"${reference}" is a folder`, hint });
  }
  const hint = `List what there is with {"operation":"list","query":"resources"}`;
  fail({
    code: "not-found",
    what: "resource",
    name: reference,
    suggestions: nearFiles(library, reference),
    hint,
  });
}

/** Up to five URIs of files with a like name, those in a like place first. */
function nearFiles(library: Library, reference: string): readonly string[] {
  const wanted = baseName(reference).toLowerCase();
  const stem = wanted.replace(/\.\w+$/, "");
  if (stem === "") return [];
  const distance = (uri: string) => {
    const name = baseName(uri).toLowerCase();
    return name === wanted
      ? 0
      : name.replace(/\.\w+$/, "") === stem
      ? 1
      : name.includes(stem)
      ? 2
      : undefined;
  };
  return listFiles(library)
    .map(({ uri }) => ({ uri, distance: distance(uri), shared: sharedLength(uri, reference) }))
    .filter((file) => file.distance !== undefined)
    .sort((a, b) => a.distance! - b.distance! || b.shared - a.shared)
    .slice(0, 5).map((file) => file.uri);
}

/** How many characters two texts begin with in common. */
function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
