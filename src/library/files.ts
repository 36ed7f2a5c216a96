/**
 * Served files: from any way in which content spells a path to one file, and from a file to its one URI.
 *
 * `bmad://bmm/bmad-prd/SKILL.md` names the file by module, thing and path, wherever it lies on disk. Each
 * holding's mounts say where that is; holdings are tried in order, so a project's file shadows the same path of
 * a lower origin. A reference inside a thing is looked for in its own folder, its module, its origin, then below.
 */
import { fail } from "../errors.ts";
import { type Entry, type Mount, qualifiedName, ROOT_NAMES } from "../model.ts";
import { baseName, decodeText, type FileFacts, joinPath, normalizePath, walkFiles } from "../tree.ts";
import { type Holding, holdingOf, type Library } from "./library.ts";

/** A file that is served. */
export interface ServedFile {
  /** The one canonical URI: `bmad://bmm/bmad-prd/SKILL.md`. */
  readonly uri: string;
  /** By the name's ending: `text/markdown`; `text/plain` for endings we do not know. */
  readonly mimeType: string;
  /** The origin that it is read from. */
  readonly holding: Holding;
  /** The path in the holding's tree. */
  readonly path: string;
  /** Its size and, on disk, its age. */
  readonly facts: FileFacts;
}

/** What a file holds: text, or bytes when it is not text. */
export interface FileContent {
  /** Such as `bmad://bmm/bmad-prd/SKILL.md`; ends in `#lines=10-20` when it is an excerpt. */
  readonly uri: string;
  /** By the name's ending: `text/markdown`; `text/plain` for endings we do not know. */
  readonly mimeType: string;
  /** Missing when the bytes are not UTF-8 text. */
  readonly text?: string;
  /** The whole file; missing when there is text. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

export const SCHEME = "bmad://";

/** The files of a library, and which origins have more of them than may be listed. */
interface FileList {
  readonly files: readonly ServedFile[];
  readonly cut: readonly Holding[];
}

const LISTS = new WeakMap<Library, FileList>();

/** Every served file, each under its canonical URI, best origin first; of each origin as many as may be listed. */
export function listFiles(library: Library): readonly ServedFile[] {
  return fileList(library).files;
}

/** The origins whose files are not all listed, because they are too many. */
export function cutShort(library: Library): readonly Holding[] {
  return fileList(library).cut;
}

/** Made once: a library does not change, what changes on disk makes a new one. */
function fileList(library: Library): FileList {
  const known = LISTS.get(library) ?? makeFileList(library);
  LISTS.set(library, known);
  return known;
}

function makeFileList(library: Library): FileList {
  const files = new Map<string, ServedFile>();
  const cut: Holding[] = [];
  for (const holding of library.holdings) {
    const paths = [...takeFirst(mountedFiles(holding), library.maxFiles + 1)];
    if (paths.length > library.maxFiles) cut.push(holding);
    for (const path of paths.slice(0, library.maxFiles)) {
      const file = servedFile(holding, path);
      if (file !== undefined && !files.has(file.uri)) files.set(file.uri, file);
    }
  }
  return { files: [...files.values()], cut };
}

/** The path of every file below the mounts of a holding, each once. */
function* mountedFiles({ tree, inventory: { mounts } }: Holding): Generator<string> {
  const inner = new Set(mounts.map((mount) => mount.path));
  const skip = (path: string) => isUnserved(baseName(path)) || inner.has(path);
  for (const path of inner) {
    // A mount may also be a single file.
    if (path !== "" && tree.stat(path) !== undefined) yield path;
    else yield* walkFiles(tree, path, skip);
  }
}

function* takeFirst<T>(values: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const value of values) {
    if (taken++ >= count) return;
    yield value;
  }
}

/** The files of one thing: its whole folder, or its one file. */
export function filesOf(library: Library, entry: Entry): readonly ServedFile[] {
  const holding = holdingOf(library, entry);
  const paths = entry.ownsFolder
    ? walkFiles(holding.tree, entry.folder, (path) => isUnserved(baseName(path)))
    : [entry.file];
  return [...paths].map((path) => servedFile(holding, path)).filter((file) => file !== undefined);
}

/** The URI of an entry's first file. */
export function uriOf(library: Library, entry: Entry): string {
  return uriAt(holdingOf(library, entry).inventory.mounts, entry.file);
}

/**
 * Finds the file that a reference means, seen from an entry if one is given. v4 content names files without their
 * ending, or with another one: `create-doc`, `voyage.md` for `voyage.yaml`.
 */
export function findFile(library: Library, reference: string, from?: Entry): ServedFile | undefined {
  const found = findExactFile(library, reference, from);
  if (found !== undefined) return found;
  const stem = reference.replace(/\.(md|ya?ml)$/, "");
  return ENDINGS.values().map((ending) => findExactFile(library, stem + ending, from))
    .find((file) => file !== undefined && isOfV4(file));
}

function isOfV4({ holding, path }: ServedFile): boolean {
  return holding.inventory.roots.some((root) => root.generation === "v4" && isBelow(path, root.path));
}

const ENDINGS = [".md", ".yaml", ".yml"];

/** Finds the file of exactly this name. */
export function findExactFile(library: Library, reference: string, from?: Entry): ServedFile | undefined {
  const path = virtualPath(library, reference);
  if (path === undefined) return undefined;
  if (from !== undefined) {
    const holding = holdingOf(library, from);
    const own = normalizePath(joinPath(from.folder, path.relative));
    const found = firstFile(holding, [
      own,
      ...pathsAt(holding, joinPath(from.module, path.relative)),
      ...pathsAt(holding, path.absolute),
      path.literal,
    ]);
    if (found !== undefined) return found;
  }
  for (const holding of library.holdings) {
    const found = firstFile(holding, [...pathsAt(holding, path.absolute), path.literal]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads the file that a reference means; `#lines=a-b` gives an excerpt. */
export function readFile(library: Library, reference: string, from?: Entry): FileContent {
  const [name, fragment] = splitFragment(reference);
  const file = findFile(library, name, from);
  if (file === undefined) return failToFind(library, name);
  const bytes = file.holding.tree.read(file.path);
  const text = decodeText(bytes);
  const { uri, mimeType } = file;
  if (text === undefined) return { uri, mimeType, bytes };
  return fragment === undefined
    ? { uri, mimeType, text }
    : { uri: `${uri}#${fragment}`, mimeType, text: excerpt(text, fragment) };
}

/** The text of an entry's file. */
export function rawText(library: Library, entry: Entry): string {
  const text = decodeText(holdingOf(library, entry).tree.read(entry.file));
  return text ?? fail({ code: "invalid-input", field: "name", problem: `${entry.file} is not a text file` });
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
  fail({ code: "not-found", what: "resource", name: reference, near: nearFiles(library, reference), hint });
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

/** The `bmad://` form of a thing's own folder, for telling a model how to open what a text refers to. */
export function folderUri(entry: Entry): string {
  return `${SCHEME}${qualifiedName(entry)}/`;
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown",
  yaml: "application/x-yaml",
  yml: "application/x-yaml",
  json: "application/json",
  xml: "application/xml",
  csv: "text/csv",
  toml: "application/toml",
  html: "text/html",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  pdf: "application/pdf",
};

/** The MIME type of a file, by its name. */
export function mimeTypeOf(path: string): string {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(MIME_TYPES, ending) ? MIME_TYPES[ending]! : "text/plain";
}

/** Names that lie among content without being content. */
function isUnserved(name: string): boolean {
  return name.startsWith(".") || name === "__pycache__" || name === "node_modules" || name === "tests" ||
    name === "render" || name.endsWith(".pyc");
}

function servedFile(holding: Holding, path: string): ServedFile | undefined {
  const facts = holding.tree.stat(path);
  if (facts === undefined) return undefined;
  return { uri: uriAt(holding.inventory.mounts, path), mimeType: mimeTypeOf(path), holding, path, facts };
}

function firstFile(holding: Holding, paths: readonly (string | undefined)[]): ServedFile | undefined {
  for (const path of paths) {
    if (path === undefined || !isServed(holding.inventory.mounts, path)) continue;
    const file = servedFile(holding, path);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Whether a path may be served: a mount covers it, and below the mount it leads through nothing unserved. */
function isServed(mounts: readonly Mount[], path: string): boolean {
  const mount = path === "" ? undefined : mountOf(mounts, path);
  return mount !== undefined && !path.slice(mount.path.length).split("/").some(isUnserved);
}

/** The most specific mount that covers a path. */
function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.filter((mount) => isBelow(path, mount.path))
    .reduce<Mount | undefined>(
      (a, b) => (a === undefined || b.path.length > a.path.length ? b : a),
      undefined,
    );
}

/** The URI of a path in a tree: the most specific mount gives the name. */
function uriAt(mounts: readonly Mount[], path: string): string {
  const mount = mountOf(mounts, path) ?? { at: "", path: "" };
  const rest = mount.path === "" ? path : path.slice(mount.path.length + 1);
  return SCHEME + joinPath(mount.at, rest).split("/").map(encodeURIComponent).join("/");
}

/** The paths in a holding's tree that a served path can mean, most specific mount first. */
function pathsAt(holding: Holding, served: string): readonly string[] {
  const mounts = holding.inventory.mounts.filter((mount) => isBelow(served, mount.at))
    .toSorted((a, b) => b.at.length - a.at.length);
  const direct = mounts.flatMap((mount) => {
    const path = joinPath(mount.path, mount.at === "" ? served : served.slice(mount.at.length + 1));
    // Before 6.0.0-alpha.17 the folder of the manifests was `_cfg`.
    return mount.at === "" && served.startsWith("_config/")
      ? [path, joinPath(mount.path, served.replace("_config/", "_cfg/"))]
      : [path];
  });
  // A path that names a thing by where it lay before installation: bmm/plan/bmad-prd/… or .claude/skills/bmad-prd/….
  const parts = served.split("/");
  const indirect = parts.flatMap((part, i) =>
    holding.inventory.mounts.filter((mount) => mount.at.endsWith(`/${part}`))
      .map((mount) => joinPath(mount.path, parts.slice(i + 1).join("/")))
  );
  return [...direct, ...indirect];
}

/** What a reference can mean. */
interface VirtualPath {
  /** As it lies in a tree: `.bmad-core/tasks/x.md`. */
  readonly literal: string | undefined;
  /** As seen from the root of what is served. */
  readonly absolute: string;
  /** As seen from the file that holds the reference. */
  readonly relative: string;
}

const VARIABLES = /^(\{(project-root|bmad_folder|root|skill-root|installed_path)\}\/?)+/;

/** A reference without scheme, variables and the root folder's name; undefined when it leads out. */
export function virtualPath(library: Library, reference: string): VirtualPath | undefined {
  const plain = reference.startsWith(SCHEME) ? decode(reference.slice(SCHEME.length)) : reference;
  if (plain === undefined || /^([/\\]|[A-Za-z]:)/.test(plain)) return undefined;
  const relative = plain.replace(VARIABLES, "");
  const clean = normalizePath(relative);
  // `../x` can mean something from a thing's own folder, though not from the root.
  if (clean === undefined) {
    return reference.startsWith(SCHEME) ? undefined : { literal: clean, absolute: "", relative };
  }
  const [first, ...rest] = clean.split("/");
  const absolute = rest.length > 0 && isRootName(library, first!)
    ? rest.join("/")
    // v4 content says `.bmad-core/…`; the module is served under the name without the dot.
    : clean.replace(/^\.(?=bmad-[\w-]+\/)/, "");
  return { literal: clean, absolute: absolute.replace(/^_cfg\//, "_config/"), relative };
}

/** Whether a folder's name stands for the root of what is served: the usual names, and those of real roots. */
function isRootName(library: Library, name: string): boolean {
  return ROOT_NAMES.includes(name) ||
    library.holdings.some(({ inventory }) =>
      inventory.mounts.some((mount) => mount.at === "" && mount.path === name)
    );
}

function isBelow(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
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
