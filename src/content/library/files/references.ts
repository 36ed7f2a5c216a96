/** From any spelling of a path in content to the file that it means, the nearest first. */
import { findByName } from "../../catalog/mod.ts";
import { Invalid } from "../../../base/invalid.ts";
import { ROOT_NAMES } from "../../../base/model.ts";
import { isUri, pathOfUri } from "../../../base/uris.ts";
import { baseName, findText, joinPath, normalizePath, parentPath, spelledOnDisk } from "../../tree/mod.ts";
import { filesByName, type ServedFile, servedFile } from "./files.ts";
import {
  bmadFolderOf,
  directPaths,
  exactPaths,
  findMount,
  isBelow,
  isServed,
  moduleAt,
  pathsAt,
  SCHEME,
  servedPath,
} from "./mounts.ts";
import { type Library, type LibrarySource, perLibrary, type SourceFile, sourceOf } from "../library.ts";
import { LIMITS } from "../../limits.ts";
import { firstOf } from "../../../base/values.ts";

const { referenceLength: MAX_LENGTH } = LIMITS.files;

export function findFile(library: Library, reference: string, from?: SourceFile): ServedFile | undefined {
  return findExactFile(library, reference, from) ?? findOtherExtension(library, reference, from) ??
    findMoved(library, reference, from) ?? (from && findInModule(library, reference, from)) ??
    (reference.includes("#") ? findFile(library, reference.split("#")[0]!, from) : undefined);
}

function findOtherExtension(library: Library, reference: string, from?: SourceFile): ServedFile | undefined {
  const stem = reference.replace(/\.(agent\.yaml|md|ya?ml)$/, "");
  const find = (path: string) => findExactFile(library, path, from);
  // An agent is a YAML source before installation and Markdown after it, perhaps in a folder of its own.
  const agent = /\.(agent\.yaml|md)$/.test(reference) && [reference, from?.path ?? ""].some(isAmongAgents)
    ? [stem, `${stem}/${baseName(stem)}`].flatMap((path) => [`${path}.md`, `${path}.agent.yaml`])
    : [];
  // v4 content leaves extensions out, or has wrong ones: `create-doc`, `voyage.md` for `voyage.yaml`.
  const extensions = hasV4(library) ? [".md", ".yaml", ".yml"] : [];
  return agent.filter((path) => path !== reference).values().map(find)
    .find((file) => file !== undefined && isAmongAgents(file.path)) ??
    extensions.values().map((extension) => find(stem + extension)).find((file) => file && isInV4(file));
}

function isAmongAgents(path: string): boolean {
  return /(?:^|\/)agents\//.test(path);
}

const hasV4 = perLibrary(({ sources }): boolean =>
  sources.some(({ inventory: { roots } }) => roots.some(({ generation }) => generation === "v4"))
);

/** `core/workflows/party-mode/workflow.md` is a skill now, and a skill's `workflow.md` has mostly become its SKILL.md. */
function findMoved(library: Library, reference: string, from?: SourceFile): ServedFile | undefined {
  if (from !== undefined && /^(\.\/)?workflow\.md$/.test(reference)) {
    return findExactFile(library, "SKILL.md", from);
  }
  if (reference.length > MAX_LENGTH) return undefined;
  const [, folder, name] = /^(.*\/([\w-]+)\/)(?:workflow\.(?:md|xml|yaml)|SKILL\.md)$/.exec(reference) ?? [];
  const path = name === undefined ? undefined : virtualPath(library, reference);
  if (path?.isAbsolute !== true) return undefined;
  const beside = firstOf(FIRST_FILES, (file) => findExactFile(library, folder + file));
  if (beside !== undefined) return beside;
  const modules = [path.absolute.split("/")[0], undefined];
  const moved = firstOf(modules, (module) => findByName(library.manifest.entries, { name: name!, module }));
  return moved && servedFile(sourceOf(library, moved), moved.file);
}

const FIRST_FILES = ["workflow.md", "workflow.yaml", "workflow.xml", "SKILL.md"];

function findInModule(library: Library, reference: string, from: SourceFile): ServedFile | undefined {
  const path = virtualPath(library, reference, from);
  // A reference to an item's own folder never means another item.
  if (path === undefined || path.isAbsolute || OWN_VARIABLES.test(reference)) return undefined;
  const tail = path.literal ?? "";
  // v4 has a folder for each kind of file, and its texts name the files alone.
  if (!tail.includes("/") && !isInV4(from)) return undefined;
  const module = `${SCHEME}${moduleAt(from)}/`;
  const [only, ...others] = (filesByName(library).get(baseName(tail)) ?? []).filter(({ uri, source }) =>
    source === from.source && uri.startsWith(module) && uri.endsWith(`/${tail}`)
  );
  return others.length === 0 ? only : undefined;
}

function isInV4({ source, path }: SourceFile): boolean {
  return source.inventory.roots.some((root) => root.generation === "v4" && isBelow(path, root.path));
}

export function findExactFile(library: Library, reference: string, from?: SourceFile) {
  const path = virtualPath(library, reference, from);
  if (path === undefined) return undefined;
  if (from !== undefined && !path.isAbsolute) {
    const { source } = from;
    const near = firstFile(source, [
      ...foldersAbove(from).map((folder) => normalizePath(joinPath(folder, path.relative))),
      ...[moduleAt(from), "core", "bmad-core", "common"].flatMap((module) =>
        pathsAt(source, joinPath(module, path.relative))
      ),
    ]);
    if (near !== undefined) {
      const served = servedPath(source.inventory.mounts, near.path);
      const found = findServed(library, served, { folder: bmadFolderOf(source, near.path) });
      // Of two files of one source with the same served path, the near one is meant.
      return found === undefined || found.source === source ? near : found;
    }
  }
  return findServed(library, path.absolute, path);
}

function foldersAbove({ source, path }: SourceFile): readonly string[] {
  const top = findMount(source.inventory.mounts, path)?.path ?? "";
  const folders: string[] = [];
  for (let folder = parentPath(path); isBelow(folder, top); folder = parentPath(folder)) {
    folders.push(folder);
    if (folder === "") break;
  }
  return folders;
}

function findServed(library: Library, served: string, { literal, folder }: Partial<VirtualPath> = {}) {
  return firstOf(library.sources, (source) => {
    if (folder === undefined) return firstFile(source, [...pathsAt(source, served), literal]);
    const { elsewhere = [], own = [] } = Object.groupBy(
      pathsAt(source, served),
      (path) => (bmadFolderOf(source, path) ?? folder) === folder ? "own" : "elsewhere",
    );
    return firstFile(source, [literal, ...exactPaths(source, served), ...own, ...elsewhere]);
  });
}

export function fileIn(source: LibrarySource, served: string): ServedFile | undefined {
  return firstFile(source, directPaths(source, served));
}

export function textAt(source: LibrarySource, served: string): string | undefined {
  const file = fileIn(source, served);
  return file && findText(source.tree, file.path);
}

function firstFile(source: LibrarySource, paths: readonly (string | undefined)[]): ServedFile | undefined {
  const known = paths.filter((path) => path !== undefined);
  const { mounts } = source.inventory;
  const fileAt = (path: string) => isServed(mounts, path) ? servedFile(source, path) : undefined;
  return firstOf(known, fileAt) ??
    firstOf(known.filter((path) => /[^\0-\x7f]/.test(path)), (path) => {
      const spelled = spelledOnDisk(source.tree, path);
      return spelled === undefined ? undefined : fileAt(spelled);
    });
}

type VirtualPath = NonNullable<ReturnType<typeof virtualPath>>;

const ROOT_VARIABLES = /^(\{(project-root|bmad_folder)\}\/?)+/;
export const OWN_VARIABLES = /^\{(skill-root|installed_path|workflow_path)\}\/?/;

export function virtualPath(library: Library, reference: string, from?: SourceFile) {
  const plain = isUri(reference)
    ? pathOfUri(reference, SCHEME)
    // Customization files mark file names so.
    : fromDisk(library, reference.replace(/^file:/, ""));
  if (plain instanceof Invalid || plain.length > MAX_LENGTH || /^([/\\]|[A-Za-z]:)/.test(plain)) {
    return undefined;
  }
  const module = from === undefined ? "bmad-core" : moduleAt(from);
  const spelled = plain.replace(/^\{root\}(?=\/)/, `.${module}`)
    .replace(/^\{config_source\}(:\w+)?$/, `{project-root}/_bmad/${module}/config.yaml`);
  const relative = spelled.replace(ROOT_VARIABLES, "").replace(OWN_VARIABLES, "");
  const clean = normalizePath(relative);
  // `../x` can be valid from an item's own folder, though not from the root.
  const outside = { literal: undefined, folder: undefined, absolute: "", relative, isAbsolute: false };
  if (clean === undefined) return plain === reference || reference.startsWith("file:") ? outside : undefined;
  const [first, ...rest] = clean.split("/");
  const isRooted = rest.length > 0 && isRootName(library, first!);
  // v4 content has `.bmad-core/…`; the module is served without the dot.
  const absolute = isRooted ? rest.join("/") : clean.replace(/^\.(?=bmad-[\w-]+\/)/, "");
  return {
    literal: clean,
    folder: isRooted ? first : undefined,
    absolute: absolute.replace(/^_cfg\//, "_config/"),
    relative,
    /** It starts at the root, and so means the same file everywhere. */
    isAbsolute: reference.startsWith(SCHEME) || isRooted || absolute !== clean ||
      ROOT_VARIABLES.test(spelled),
  };
}

/** Content spells a full path, of the project or of what is served, with variables that a reader fills in. */
function fromDisk({ project, sources }: Library, path: string): string {
  const inProject = project === undefined ? undefined : pathBelow(project, path);
  if (inProject !== undefined) return `{project-root}/${inProject}`;
  for (const { tree, origin, inventory: { mounts } } of sources) {
    const below = origin.kind === "package" ? undefined : pathBelow(tree.location, path);
    const own = below === undefined ? undefined : normalizePath(below);
    if (own !== undefined && isServed(mounts, own)) return `{project-root}/_bmad/${servedPath(mounts, own)}`;
  }
  return path;
}

function pathBelow(folder: string, path: string): string | undefined {
  return path.startsWith(folder) && /[/\\]/.test(path[folder.length] ?? "")
    ? path.slice(folder.length + 1)
    : undefined;
}

function isRootName(library: Library, name: string): boolean {
  return ROOT_NAMES.includes(name) ||
    library.sources.some(({ inventory }) =>
      inventory.mounts.some((mount) => mount.at === "" && mount.path === name)
    );
}
