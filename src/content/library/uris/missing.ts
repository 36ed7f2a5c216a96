/**
 * A broken path: what it may mean instead. Of a document of the user's project the answer says where it is; for
 * anything else there are suggestions.
 */
import { fail } from "../../../base/errors.ts";
import { suggest } from "../../../base/suggestions.ts";
import { counted } from "../../../base/text.ts";
import { checkUri, isUri } from "../../../base/uris.ts";
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { asText, asValues, isValues, type Values } from "../../../base/values.ts";
import { baseName, joinPath, normalizePath, parentPath } from "../../tree/mod.ts";
import { uriOf } from "../files/files.ts";
import { isBelow, SCHEME } from "../files/mounts.ts";
import { splitFragment } from "../files/reading.ts";
import { OWN_VARIABLES, virtualPath } from "../files/references.ts";
import { type Library, reachableProject } from "../library.ts";
import { resolveConfig, withProjectRoot } from "../values/config.ts";
import { resolveValues } from "../values/customize.ts";
import { listResources } from "../delivery/resources.ts";
import { rankItemPaths } from "./item_paths.ts";
import { LIMITS } from "../../limits.ts";

export function failToFind(library: Library, asked: string, of?: Entry): never {
  const [reference] = splitFragment(asked);
  if (isUri(reference) || reference.trim() === "") checkUri(reference, SCHEME, exampleIn(library));
  const document = projectPath(library, reference, of);
  if (document !== undefined) {
    const problem = `"${reference}" is a file of your project`;
    fail({ code: "invalid-input", problem, hint: `Read it with your own tools at ${document}` });
  }
  if (of === undefined && OWN_VARIABLES.test(reference)) {
    const rest = reference.replace(OWN_VARIABLES, "");
    const hint = `Name the skill whose text has it, or open ${SCHEME}MODULE/SKILL/${rest}`;
    fail({ code: "invalid-input", problem: `"${reference}" lies in the folder of a skill`, hint });
  }
  const path = virtualPath(library, reference);
  if (path === undefined) fail({ code: "outside-root", path: reference });
  const uris = listResources(library).map(({ uri }) => uri);
  const inItem = of === undefined || path.isAbsolute ? undefined : normalizePath(path.relative);
  const folders = [path.absolute, ...(inItem === undefined ? [] : [joinPath(qualifiedName(of!), inItem)])]
    .map((folder) => `${SCHEME}${folder}`.replace(/\/?$/, "/"));
  const inside = uris.filter((uri) => folders.some((folder) => folder !== SCHEME && uri.startsWith(folder)));
  if (inside.length > 0) {
    const some = inside.slice(0, 5).join(", ");
    const hint = `Open one of its ${counted(inside.length, "file")}, such as ${some}`;
    fail({ code: "invalid-input", field: "resource", problem: `"${reference}" is a folder`, hint });
  }
  const own = of === undefined ? [] : rankItemPaths(library, reference, of).map(({ uri }) => uri);
  const similar = own.length > 0
    ? own
    : similarUris(uris, path.absolute || reference.replace(/^(\.{1,2}\/)+/, ""));
  const hint = "List the resources to see all of them";
  fail({ code: "not-found", what: "resource", name: reference, suggestions: similar.slice(0, 5), hint });
}

function exampleIn(library: Library): string {
  const [first] = library.effective;
  return first === undefined ? `${SCHEME}manifest` : uriOf(library, first);
}

function projectPath(library: Library, reference: string, of: Entry | undefined): string | undefined {
  if (reference.startsWith(SCHEME)) return undefined;
  const values = valuesFor(library, of);
  let spelled = reference;
  for (let depth = 0; depth < LIMITS.files.valueDepth; depth++) {
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

/** The project's folders among some values; v4 names single documents, whose folder counts. */
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
    .find((found) => found.length > 0) ?? [];
  if (similar.length === 0) {
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
  return {
    path,
    name,
    stem,
    folder: parentPath(path),
    ending: name.slice(stem.length),
    words: stem.split(/[-_.]/),
  };
}

/** Whether one of two names has a word more, or another one in the place of one of several. */
function differByWord(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (long.length < 2 || long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  const rest = short.length - start - (long.length === short.length ? 1 : 0);
  return rest <= 0 || short.slice(-rest).every((word, i) => word === long[long.length - rest + i]);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
