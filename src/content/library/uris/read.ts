/** A path that names no file where it starts is matched by its end, the nearest file first. */
import { GENERATIONS } from "../../../base/generations.ts";
import { failField, failInput, failMissing, failOutside } from "../../../base/errors.ts";
import { type Entry, hasKind, qualifiedName } from "../../../base/model.ts";
import { suggest } from "../../../base/suggestions.ts";
import { counted, shorten } from "../../../base/text.ts";
import { checkUri, isUri } from "../../../base/uris.ts";
import { asText, asValues, isValues, type Values } from "../../../base/values.ts";
import { LIMITS } from "../../limits.ts";
import { baseName, findText, joinPath, normalizePath, parentPath } from "../../tree/mod.ts";
import type { Calls } from "../delivery/calls.ts";
import { isLauncher, loadEngine, renderedUri } from "../delivery/launcher.ts";
import { findResource, listResources, readGenerated } from "../delivery/resources.ts";
import { valueAt } from "../delivery/templates.ts";
import { filesByName, folderUri, type ServedFile, uriOf } from "../files/files.ts";
import { isBelow, moduleAt, SCHEME } from "../files/mounts.ts";
import { type FileContent, readFile, splitFragment } from "../files/reading.ts";
import { findFile, OWN_VARIABLES, virtualPath } from "../files/references.ts";
import { referencesIn } from "../health/closure.ts";
import {
  fileOf,
  type Library,
  libraryFor,
  onlyOrigin,
  perKey,
  perLibrary,
  reachableProject,
  type SourceFile,
} from "../library.ts";
import { resolveConfig, withProjectRoot } from "../values/config.ts";
import { resolveValues } from "../values/customize.ts";
import { throughTemplates } from "./uri_templates.ts";

const { valueDepth: MAX_DEPTH, shownValue: MAX_VALUE } = LIMITS.files;

export interface ReadOptions {
  readonly of?: Entry;
  readonly raw?: boolean;
  readonly origin?: string;
  readonly calls?: Calls;
}

export async function findContent(
  given: Library,
  reference: string,
  { of, ...options }: ReadOptions,
): Promise<FileContent> {
  await loadEngine(given);
  const { raw, calls, origin } = options;
  const library = origin !== undefined
    ? onlyOrigin(given, origin)
    : of === undefined
    ? libraryWith(given, reference)
    : libraryFor(given, of);
  const expanded = of && expandVariable(library, reference, of);
  if (expanded !== undefined) return await findContent(given, expanded, { of, ...options });
  // For a step of an entry, `../x` starts in the entry's own folder; the folder above that comes second.
  const own = of && reference.startsWith("../") ? findInItem(library, reference, of) : undefined;
  const asked = own ?? reference;
  const from = of && fileOf(library, of);
  // A launcher is delivered rendered, and so are the files it refers to.
  const found = (of && !raw ? await readSibling(library, of, asked, calls) : undefined) ??
    await readGenerated(library, asked, { from, raw, calls }) ??
    readFile(library, throughTemplates(library, asked), { from, raw });
  if (found !== undefined) {
    const item = of && otherItem(library, found.uri, of);
    return { ...found, ...(item && { item }) };
  }
  const spelled = findItemPath(library, reference, of);
  if (spelled === undefined) return failToFind(library, reference, of);
  return await findContent(library, spelled.uri, { of: spelled.of, ...options });
}

/** An exact address also reaches a source that has stepped back. */
function libraryWith(library: Library, reference: string): Library {
  if (library.whole === library || !reference.startsWith(SCHEME)) return library;
  const isHere = findResource(library, reference) !== undefined;
  return isHere || findResource(library.whole, reference) === undefined ? library : library.whole;
}

async function readSibling(library: Library, of: Entry, reference: string, calls: Calls | undefined) {
  const own = folderUri(of);
  const path = reference.startsWith(own)
    ? reference.slice(own.length)
    : reference.replace(/^(\.\/|\{skill-root\}\/)/, "");
  if (/^(bmad:|\{|\/)/.test(path) || !isLauncher(library, of)) return undefined;
  return await readGenerated(library, `${renderedUri(of)}/${path}`, { calls });
}

function expandVariable(library: Library, reference: string, of: Entry): string | undefined {
  let path = reference;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const [spelled, name] = /^\{((?:workflow|agent)\.[\w.-]{1,80})\}/.exec(path) ?? [];
    if (spelled === undefined) return path === reference ? undefined : path;
    const value = valueAt(resolveValues(library, of).customization, name!);
    if (value === undefined) return undefined;
    if (typeof value !== "string" || !/[./]/.test(value) || /\s/.test(value)) {
      return failInput(`"${spelled}" is a value, not a file: ${shorten(JSON.stringify(value), MAX_VALUE)}`);
    }
    path = value + path.slice(spelled.length);
  }
  return undefined;
}

function findItemPath(library: Library, reference: string, item?: Entry) {
  const [prefix, named] = /^bmad:\/\/(?:rendered\/)?([^/]+\/[^/]+)\//.exec(reference) ?? [];
  const of = reference.startsWith(SCHEME)
    ? library.effective.find((entry) => qualifiedName(entry) === named)
    : item;
  if (of === undefined) return undefined;
  const path = reference.slice(prefix?.length ?? 0);
  const own = findInItem(library, path, of);
  if (own !== undefined) return { uri: own, of };
  const from = fileOf(library, of);
  const [name, fragment] = splitFragment(path);
  const [first, second] = rankItemPaths(library, name, of);
  if (first === undefined) return undefined;
  const far = distance(first, from);
  // A bare name says too little to lead to another item.
  const isFound = far > 0 && (second === undefined || distance(second, from) > far) &&
    pathTail(library, name, of).includes("/");
  return isFound ? { uri: first.uri + fragment, of } : undefined;
}

function findInItem(library: Library, reference: string, entry: Entry): string | undefined {
  const [name, fragment] = splitFragment(reference);
  const from = fileOf(library, entry);
  const own = rankItemPaths(library, name, entry).filter((file) => distance(file, from) === 0);
  const [only, ...others] = own.length < 2
    ? own
    : own.filter(({ path }) => reachedBy(library, entry).has(path));
  return only !== undefined && others.length === 0 ? only.uri + fragment : undefined;
}

function otherItem(library: Library, uri: string, of: Entry): string | undefined {
  const path = uri.replace(/^bmad:\/\/rendered\//, SCHEME);
  const folder = folderOf(path);
  const { byFolder, byName } = ownersOf(library);
  const folders = [...folder.matchAll(/\//g)].map(({ index }) => folder.slice(0, index + 1)).toReversed();
  const own = folders.find((folder) => byFolder.has(folder));
  // An installation may have a second copy of a skill, which no list names.
  const name = folders.map((folder) => baseName(folder.slice(0, -1))).find((name) => byName.has(name));
  const owners = own === undefined ? byName.get(name ?? "") ?? [] : byFolder.get(own)!;
  if (owners.some(({ folder, rank }) => folder === of.folder && rank === of.rank)) return undefined;
  const owner = owners.find((entry) => uriOf(library, entry) === path) ?? owners[0];
  return owner && qualifiedName(owner);
}

const ownersOf = perLibrary((library) => {
  const owners = library.effective.filter((entry) =>
    GENERATIONS[entry.generation].hasItemFolders && (entry.kind === "skill" || hasKind(entry, "workflow"))
  );
  return {
    byFolder: Map.groupBy(owners, (entry) => folderOf(uriOf(library, entry))),
    byName: Map.groupBy(owners.filter(({ kind }) => kind === "skill"), ({ folder }) => baseName(folder)),
  };
});

function folderOf(uri: string): string {
  return uri.slice(0, uri.lastIndexOf("/") + 1);
}

function rankItemPaths(library: Library, reference: string, entry: Entry): readonly ServedFile[] {
  const tail = pathTail(library, reference, entry);
  if (tail === "") return [];
  const from = fileOf(library, entry);
  return (filesByName(library).get(baseName(tail)) ?? [])
    .filter(({ path }) => `/${path}`.endsWith(`/${tail}`))
    .toSorted((a, b) => distance(a, from) - distance(b, from));
}

function pathTail(library: Library, reference: string, entry: Entry): string {
  const path = virtualPath(library, reference, fileOf(library, entry));
  return path === undefined || path.isAbsolute
    ? ""
    : normalizePath(path.relative.replace(/^(\.{1,2}\/)+/, "")) ?? "";
}

function distance(file: SourceFile, from: SourceFile): number {
  if (file.source !== from.source) return 3;
  if (isBelow(file.path, parentPath(from.path))) return 0;
  return moduleAt(file) === moduleAt(from) ? 1 : 2;
}

const reachedBy = perKey((library, entry: Entry): ReadonlySet<string> => {
  const first = fileOf(library, entry);
  const reached = new Set([first.path]);
  for (const path of reached.values().take(LIMITS.files.reachedFiles)) {
    for (const reference of referencesIn(findText(first.source.tree, path) ?? "")) {
      const file = findFile(library, reference, { source: first.source, path });
      if (file !== undefined && distance(file, first) === 0) reached.add(file.path);
    }
  }
  return reached;
});

function failToFind(library: Library, asked: string, of?: Entry): never {
  const [reference] = splitFragment(asked);
  if (isUri(reference) || reference.trim() === "") {
    const [first] = library.effective;
    checkUri(reference, SCHEME, first === undefined ? `${SCHEME}manifest` : uriOf(library, first));
  }
  const document = projectPath(library, reference, of);
  if (document !== undefined) {
    failInput(`"${reference}" is a file of your project`, `Read it with your own tools at ${document}`);
  }
  if (of === undefined && OWN_VARIABLES.test(reference)) {
    const rest = reference.replace(OWN_VARIABLES, "");
    const hint = `Name the skill whose text has it, or open ${SCHEME}MODULE/SKILL/${rest}`;
    failInput(`"${reference}" lies in the folder of a skill`, hint);
  }
  const path = virtualPath(library, reference);
  if (path === undefined) failOutside(reference);
  const uris = listResources(library).map(({ uri }) => uri);
  const inItem = of === undefined || path.isAbsolute ? undefined : normalizePath(path.relative);
  const folders = [path.absolute, ...(inItem === undefined ? [] : [joinPath(qualifiedName(of!), inItem)])]
    .map((folder) => `${SCHEME}${folder}`.replace(/\/?$/, "/"));
  const inside = uris.filter((uri) => folders.some((folder) => folder !== SCHEME && uri.startsWith(folder)));
  if (inside.length > 0) {
    const some = inside.slice(0, 5).join(", ");
    const hint = `Open one of its ${counted(inside.length, "file")}, such as ${some}`;
    failField("resource", `"${reference}" is a folder`, hint);
  }
  const own = of === undefined ? [] : rankItemPaths(library, reference, of).map(({ uri }) => uri);
  const similar = own.length > 0
    ? own
    : similarUris(uris, path.absolute || reference.replace(/^(\.{1,2}\/)+/, ""));
  const hint = "List the resources to see all of them";
  failMissing("resource", reference, { suggestions: similar.slice(0, 5), hint });
}

function projectPath(library: Library, reference: string, of: Entry | undefined): string | undefined {
  if (reference.startsWith(SCHEME)) return undefined;
  const values = valuesFor(library, of);
  let spelled = reference;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    spelled = spelled.replace(/^\{([\w.-]{1,80})\}/, (whole, name: string) => values.get(name) ?? whole);
  }
  const path = virtualPath(library, spelled);
  // A path in BMAD's own folder loses the name of that folder.
  if (path?.literal === undefined || path.literal !== path.absolute) return undefined;
  const isInFolder = () => foldersIn([...values.values()]).some((folder) => isBelow(path.literal!, folder));
  if (!path.isAbsolute && !isInFolder()) return undefined;
  return joinPath(reachableProject(library) ?? "{project-root}", path.literal);
}

function valuesFor(library: Library, of: Entry | undefined): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const add = (values: Values, prefix = ""): void => {
    for (const [key, value] of Object.entries(withProjectRoot(values))) {
      const text = asText(value);
      if (text !== undefined && key !== "bmad_folder") texts.set(prefix + key, text);
      else if (isValues(value)) add(value, `${prefix}${key}.`);
    }
  };
  if (of === undefined) {
    const { core, modules } = resolveConfig(library);
    for (const values of [core, ...Object.values(asValues(modules))]) add(asValues(values));
  } else {
    const { config, customization } = resolveValues(library, of);
    add(config);
    add(customization);
  }
  return texts;
}

function foldersIn(values: readonly string[]): readonly string[] {
  return values.map((value) => value.replace(/^\{project-root\}\//, ""))
    .map((path) => /\.\w+$/.test(path) ? parentPath(path) : path)
    .filter((path) => /^[\w.-]+(\/[\w.-]+)*$/.test(path));
}

function similarUris(uris: readonly string[], asked: string): readonly string[] {
  const wanted = splitName(asked);
  if (wanted.stem === "") return [];
  const differences = [
    (file: Names) => file.name === wanted.name,
    (file: Names) => file.stem === wanted.stem,
    (file: Names) => differByWord(file.words, wanted.words),
    (file: Names) => wanted.stem.length > 2 && file.stem.includes(wanted.stem),
    (file: Names) => wanted.folder !== "" && file.folder === wanted.folder && file.ending === wanted.ending,
  ];
  const files = uris.map((uri) => ({ uri, names: splitName(uri.slice(SCHEME.length)) }));
  const similar = differences.values().map((isSmall) => files.filter(({ names }) => isSmall(names)))
    .find((found) => found.length > 0);
  if (similar === undefined) {
    // Comparing letters takes long: only names of about the same length, each once.
    const comparable = files.filter(({ names }) => Math.abs(names.stem.length - wanted.stem.length) < 4);
    const byStem = new Map(comparable.toReversed().map(({ uri, names }) => [names.stem, uri]));
    const names = byStem.entries().take(LIMITS.files.comparedNames)
      .map(([stem, label]) => ({ label, spellings: [stem] }));
    return suggest(wanted.stem, names);
  }
  const shared = ({ names }: typeof files[number]) => sharedLength(names.path, wanted.path);
  return similar.toSorted((a, b) => shared(b) - shared(a)).map(({ uri }) => uri);
}

type Names = ReturnType<typeof splitName>;

function splitName(given: string) {
  const path = given.toLowerCase();
  const name = baseName(path);
  const stem = name.replace(/\.\w+$/, "");
  const [folder, ending, words] = [parentPath(path), name.slice(stem.length), stem.split(/[-_.]/)];
  return { path, name, stem, folder, ending, words };
}

function differByWord(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (long.length < 2 || long.length - short.length > 1) return false;
  const start = sharedLength(short, long);
  const rest = short.length - start - (long.length === short.length ? 1 : 0);
  return rest <= 0 || short.slice(-rest).every((word, i) => word === long[long.length - rest + i]);
}

function sharedLength(a: string | readonly string[], b: string | readonly string[]): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
