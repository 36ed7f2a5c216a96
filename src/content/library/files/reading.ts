/** Reads files byte for byte, but for secrets and an installer's placeholders. */
import { splitLines } from "../../../base/text.ts";
import { failField } from "../../../base/errors.ts";
import { type Entry, isHidden, isSupporting, qualifiedName } from "../../../base/model.ts";
import { baseName, decodeText, joinPath, textFault } from "../../tree/mod.ts";
import { fileOf, type Library, openCache, perLibrary, type SourceFile, sourceOf } from "../library.ts";
import { findFile } from "./references.ts";
import { decodeConfig, maskSecrets } from "./secrets.ts";
import { layoutOf } from "../../inventory/mod.ts";
import { filesOf, folderUri, ownFile } from "./files.ts";
import { innerRoot, moduleAt } from "./mounts.ts";
import { isOnlyFrontMatter } from "../../parse.ts";

export interface FileContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text?: string;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** The item that it belongs to, if it was asked for in a text of another one. */
  readonly item?: string;
}

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
  return takeExcerpt({ uri, mimeType, text: raw ? text : fillPlaceholders(text, file) }, fragment);
}

const texts = openCache<string, string>(({ length }) => length);

export function rawText(library: Library, entry: Entry): string {
  const { rank, file } = entry;
  // Not by the entry, which is another one with its overrides than without.
  return texts(library, `${rank} ${file}`, () => {
    const { text } = readSafely(fileOf(library, entry));
    if (text !== undefined) return text;
    const { fix: hint, message } = textFault(sourceOf(library, entry).tree, file);
    const problem = hint === undefined ? `${file} is not a text file` : `${file} cannot be read: ${message}`;
    return failField(qualifiedName(entry), problem, hint);
  });
}

type SafeFile = Required<Pick<FileContent, "bytes">> & Pick<FileContent, "text">;

/** Kept as long as the bytes of the file: masking takes longer than reading. */
const SAFE = new WeakMap<Uint8Array, SafeFile & { readonly path: string }>();

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

export function splitFragment(reference: string): readonly [string, string] {
  const at = reference.indexOf("#lines=");
  return at < 0 ? [reference, ""] : [reference.slice(0, at), reference.slice(at)];
}

export function takeExcerpt(content: FileContent & { readonly text: string }, fragment: string): FileContent {
  if (fragment === "") return content;
  const [, from, to] = /^#lines=(\d+)-(\d+)$/.exec(fragment) ?? [];
  if (from === undefined || Number(from) < 1 || Number(to) < Number(from)) {
    failField("lines", `expected a range such as #lines=10-20, got "${fragment}"`);
  }
  const text = splitLines(content.text).slice(Number(from) - 1, Number(to)).join("\n");
  return { ...content, uri: content.uri + fragment, text };
}

export function fillPlaceholders(text: string, { source, path }: SourceFile): string {
  if (!text.includes("{bmad_folder}") && !text.includes("{root}")) return text;
  const root = innerRoot(source, path);
  if (root?.generation === "v4") {
    const module = moduleAt({ source, path });
    // Shared files of packs are installed into the core.
    return text.replaceAll("{root}", module === "common" ? ".bmad-core" : `.${module}`);
  }
  const name = root && layoutOf(root).isFreelyNamed ? baseName(root.path) : "";
  return text.replaceAll("{bmad_folder}", name || "_bmad");
}

export type SkillFolder = ReturnType<typeof folderOf>;
export type SkillFile = ReturnType<SkillFolder["files"]>[number];

export const listSkills = perLibrary((library): readonly SkillFolder[] => {
  const skills = library.effective.filter(({ file, ownsFolder }) =>
    ownsFolder && baseName(file) === "SKILL.md"
  );
  const folders = new Map(skills.map((entry) => [qualifiedName(entry), folderOf(library, entry)]));
  return [...folders.values()].sort((a, b) => (`${a.path}/` < `${b.path}/` ? -1 : 1));
});

function folderOf(library: Library, entry: Entry) {
  const { origin, tree } = sourceOf(library, entry);
  return {
    path: qualifiedName(entry),
    name: entry.id,
    location: origin.kind === "package"
      ? folderUri(entry).replace(/\/$/, "")
      : joinPath(tree.location, entry.folder),
    read: (path: string) => {
      const file = ownFile(library, entry, path);
      return file && readSafely(file).text;
    },
    /** A skill that only forwards to a newer one can only be reached by name. */
    isListed: !isHidden(entry),
    files: () =>
      filesOf(library, entry).map(({ path, mimeType, source }) => ({
        path: path.slice(entry.folder === "" ? 0 : entry.folder.length + 1),
        mimeType,
        read: () => readSafely({ source, path }),
      })),
    /** Changes with its files; looks at the disk, but reads nothing. */
    state: () =>
      filesOf(library, entry).map(({ path, source: { tree } }) => `${path}\0${tree.stamp(path)?.mark}`)
        .join("\n"),
  };
}

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
