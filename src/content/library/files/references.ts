/**
 * References: from any way in which content spells a path to the one file it means.
 *
 * `bmad://bmm/bmad-prd/SKILL.md`, `{project-root}/_bmad/bmm/config.yaml`, `./step-02.md`, `{root}/tasks/x`: what
 * begins at the root is the same file wherever the reference stands. Everything else is looked for in the folder of
 * the file that holds it, the folders above, its module, its origin, then below. A file of a better origin shadows
 * the same path of a lower one.
 */
import { resolveName } from "../../catalog/mod.ts";
import { ROOT_NAMES } from "../../../base/model.ts";
import { baseName, joinPath, normalizePath, parentPath } from "../../tree/mod.ts";
import { filesByName, type ServedFile, servedFile } from "./files.ts";
import { type Library, type LibrarySource, type SourceFile, sourceOf } from "../library.ts";
import { directPaths, isBelow, isServed, mountOf, pathsAt, SCHEME, servedPath } from "./mounts.ts";

/** Finds the file that a reference means, seen from a place if one is given. */
export function findFile(library: Library, reference: string, from?: SourceFile): ServedFile | undefined {
  return findExactFile(library, reference, from) ?? findOtherEnding(library, reference, from) ??
    findMoved(library, reference, from) ?? (from && findInModule(library, reference, from)) ??
    // A place in the file, as links have it.
    (reference.includes("#")
      ? findFile(library, reference.slice(0, reference.indexOf("#")), from)
      : undefined);
}

/** The same file under another ending, as one generation names it and another has it. */
function findOtherEnding(library: Library, reference: string, from?: SourceFile): ServedFile | undefined {
  const stem = reference.replace(/\.(agent\.yaml|md|ya?ml)$/, "");
  const find = (path: string) => findExactFile(library, path, from);
  // An agent is a source before it is installed, and compiled after it; both may have a folder of their own.
  const agent = /\.(agent\.yaml|md)$/.test(reference)
    ? [stem, `${stem}/${baseName(stem)}`].flatMap((path) => [`${path}.md`, `${path}.agent.yaml`])
    : [];
  return agent.values().map(find).find((file) => file !== undefined && /(^|\/)agents\//.test(file.path)) ??
    // v4 content leaves endings out, or has others: `create-doc`, `voyage.md` for `voyage.yaml`.
    ENDINGS.values().map((ending) => find(stem + ending)).find((file) => file !== undefined && isInV4(file));
}

/**
 * The first file of a thing that has since become another: `core/workflows/party-mode/workflow.md` is a skill now, and
 * a skill's own `workflow.md` has mostly become its SKILL.md.
 */
function findMoved(library: Library, reference: string, from?: SourceFile): ServedFile | undefined {
  if (from !== undefined && /^(\.\/)?workflow\.md$/.test(reference)) {
    return findExactFile(library, "SKILL.md", from);
  }
  const [, folder, name] = /^(.*\/([\w-]+)\/)(?:workflow\.(?:md|xml|yaml)|SKILL\.md)$/.exec(reference) ?? [];
  const path = name === undefined ? undefined : virtualPath(library, reference);
  if (path?.isAbsolute !== true) return undefined;
  const beside = FIRST_FILES.values().map((file) => findExactFile(library, folder + file))
    .find((file) => file !== undefined);
  if (beside !== undefined) return beside;
  const moved = [path.absolute.split("/")[0], undefined].values()
    .map((module) => resolveName(library.manifest.entries, { name: name!, module }))
    .find(({ outcome }) => outcome === "found");
  return moved?.outcome === "found"
    ? servedFile(sourceOf(library, moved.entry), moved.entry.file)
    : undefined;
}

/** What the first file of a workflow can be called. */
const FIRST_FILES = ["workflow.md", "workflow.yaml", "workflow.xml", "SKILL.md"];

/** The one file that other things of the same module keep under this name. */
function findInModule(library: Library, reference: string, from: SourceFile): ServedFile | undefined {
  const path = virtualPath(library, reference, from);
  // What a thing says to be its own is never another's.
  if (path === undefined || path.isAbsolute || OWN_VARIABLES.test(reference)) return undefined;
  const tail = path.literal ?? "";
  if (!tail.includes("/")) return undefined;
  const module = `${SCHEME}${moduleAt(from)}/`;
  const [only, ...others] = (filesByName(library).get(baseName(tail)) ?? []).filter(({ uri, source }) =>
    source === from.source && uri.startsWith(module) && uri.endsWith(`/${tail}`)
  );
  return others.length === 0 ? only : undefined;
}

function isInV4({ source, path }: ServedFile): boolean {
  return source.inventory.roots.some((root) => root.generation === "v4" && isBelow(path, root.path));
}

const ENDINGS = [".md", ".yaml", ".yml"];

/** Modules whose files all others use. */
const SHARED_MODULES = ["core", "bmad-core", "common"];

/** Finds the file of exactly this name: near the place, in its module, then wherever it is, best origin first. */
export function findExactFile(
  library: Library,
  reference: string,
  from?: SourceFile,
): ServedFile | undefined {
  const path = virtualPath(library, reference, from);
  if (path === undefined) return undefined;
  if (from !== undefined && !path.isAbsolute) {
    const { source } = from;
    const near = firstFile(source, [
      ...foldersAbove(from).map((folder) => normalizePath(joinPath(folder, path.relative))),
      ...[moduleAt(from), ...SHARED_MODULES].flatMap((module) =>
        pathsAt(source, joinPath(module, path.relative))
      ),
    ]);
    if (near !== undefined) return winning(library, near);
  }
  return findServed(library, path.absolute, path.literal);
}

/** The folder of a file and those above it, up to where its name space begins. */
function foldersAbove({ source, path }: SourceFile): readonly string[] {
  const top = mountOf(source.inventory.mounts, path)?.path ?? "";
  const folders: string[] = [];
  for (let folder = parentPath(path); isBelow(folder, top); folder = parentPath(folder)) {
    folders.push(folder);
    if (folder === "") break;
  }
  return folders;
}

/** The code of the module that a file is served in. */
function moduleAt({ source, path }: SourceFile): string {
  return servedPath(source.inventory.mounts, path).split("/")[0]!;
}

/** The file that is served under the same name: a better origin may have one of its own. */
function winning(library: Library, file: ServedFile): ServedFile {
  return findServed(library, servedPath(file.source.inventory.mounts, file.path)) ?? file;
}

function findServed(library: Library, served: string, literal?: string): ServedFile | undefined {
  for (const source of library.sources) {
    const found = firstFile(source, [...pathsAt(source, served), literal]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The file that one origin serves at exactly this path. */
export function fileIn(source: LibrarySource, served: string): ServedFile | undefined {
  return firstFile(source, directPaths(source, served));
}

function firstFile(source: LibrarySource, paths: readonly (string | undefined)[]): ServedFile | undefined {
  for (const path of paths) {
    if (path === undefined || !isServed(source.inventory.mounts, path)) continue;
    const file = servedFile(source, path);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** What a reference can mean. */
interface VirtualPath {
  /** As it lies in a tree: `.bmad-core/tasks/x.md`. */
  readonly literal: string | undefined;
  /** As seen from the root of what is served. */
  readonly absolute: string;
  /** As seen from the file that holds the reference. */
  readonly relative: string;
  /** Whether the reference begins at the root, so that it means the same file wherever it stands. */
  readonly isAbsolute: boolean;
}

/** No system has longer paths. */
const MAX_LENGTH = 4_096;

/** Variables that stand for the root, and those that stand for the folder of the thing itself. */
const ROOT_VARIABLES = /^(\{(project-root|bmad_folder)\}\/?)+/;
const OWN_VARIABLES = /^\{(skill-root|installed_path|workflow_path)\}\/?/;

/** A reference without scheme, variables and the root folder's name; undefined when it leads out. */
export function virtualPath(library: Library, reference: string, from?: SourceFile): VirtualPath | undefined {
  const plain = reference.startsWith(SCHEME)
    ? decode(reference.slice(SCHEME.length))
    // Customization files mark the names of files so.
    : reference.replace(/^file:/, "");
  if (plain === undefined || plain.length > MAX_LENGTH || /^([/\\]|[A-Za-z]:)/.test(plain)) return undefined;
  const spelled = expand(plain, from === undefined ? "bmad-core" : moduleAt(from));
  const relative = spelled.replace(ROOT_VARIABLES, "").replace(OWN_VARIABLES, "");
  const clean = normalizePath(relative);
  // `../x` can mean something from a thing's own folder, though not from the root.
  if (clean === undefined) {
    return reference.startsWith(SCHEME)
      ? undefined
      : { literal: clean, absolute: "", relative, isAbsolute: false };
  }
  const [first, ...rest] = clean.split("/");
  const isRooted = rest.length > 0 && isRootName(library, first!);
  const absolute = isRooted
    ? rest.join("/")
    // v4 content says `.bmad-core/…`; the module is served under the name without the dot.
    : clean.replace(/^\.(?=bmad-[\w-]+\/)/, "");
  return {
    literal: clean,
    absolute: absolute.replace(/^_cfg\//, "_config/"),
    relative,
    isAbsolute: reference.startsWith(SCHEME) || isRooted || absolute !== clean ||
      ROOT_VARIABLES.test(spelled),
  };
}

/** Puts in what depends on the module: `{root}` in v4, and `{config_source}`, mostly with a key behind it. */
function expand(reference: string, module: string): string {
  return reference.replace(/^\{root\}(?=\/)/, `.${module}`)
    .replace(/^\{config_source\}(:\w+)?$/, `{project-root}/_bmad/${module}/config.yaml`);
}

/** Whether a folder's name stands for the root of what is served: the usual names, and those of real roots. */
function isRootName(library: Library, name: string): boolean {
  return ROOT_NAMES.includes(name) ||
    library.sources.some(({ inventory }) =>
      inventory.mounts.some((mount) => mount.at === "" && mount.path === name)
    );
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
