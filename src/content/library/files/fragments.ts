/** The reference texts of agents and workflows, as opposed to the steps that they follow. */
import { type Entry, shortName } from "../../../base/model.ts";
import { parseCsv, parseFrontMatter, parseTable } from "../../parse.ts";
import { baseName, findText, joinPath, normalizePath, parentPath } from "../../tree/mod.ts";
import { filesOf, listFiles, type ServedFile, stemOf } from "./files.ts";
import { SCHEME, uriAt } from "./mounts.ts";
import { kindOf, useOf } from "./supporting.ts";
import { entriesAt, type Library, perLibrary } from "../library.ts";
import { counted, splitLines } from "../../../base/text.ts";
import { asText, slug } from "../../../base/values.ts";
import { LIMITS } from "../../limits.ts";

export interface Fragment {
  readonly domain: string;
  readonly id: string;
  readonly module: string;
  readonly title?: string;
  readonly about?: string;
  readonly tags: readonly string[];
  readonly tier?: string;
  readonly file: ServedFile;
}

const INDEXED_DOMAINS: Readonly<Record<string, string>> = { tea: "testarch", qa: "gametest" };

/** A text in a folder for knowledge, or one level below: module, path above, folder, category, stem. */
const TEXT =
  /^([^/]+)\/(?:(.+)\/)?(knowledge|data|resources|references|docs|types)\/(?:([^/]+)\/)?([^/]+)\.(?:md|csv|ya?ml|txt)$/i;
const TABLE = /^([^/]+)\/(?:(.+)\/)?([^/]+)\.csv$/i;
const OTHER_FOLDER = /\/(?:[^/]*steps?[^/]*|templates?|examples?|scripts)\//i;
const OTHER_FILE = /template|checklist|[-.]example$|-manifest$|-index$|-help$|^default-party$/i;
const SORTING = /^(?:assets|knowledge|data|resources|references|docs|types|workflows|tasks|agents|\d+-.*)$/i;

export const fragmentsOf = perLibrary((library): readonly Fragment[] => {
  const files = listFiles(library);
  const byUri = new Map(files.map((file) => [file.uri, file]));
  const indexed = files.filter(({ uri }) => /-index\.csv$/i.test(uri)).flatMap((file) => rowsOf(file, byUri));
  const known = new Set(indexed.map(({ file }) => file.uri));
  const loose = looseFragments(library, files.filter(({ uri }) => !known.has(uri)));
  return firstBy([...indexed, ...loose], ({ domain, id }) => `${domain}/${id}`);
});

function firstBy(fragments: readonly Fragment[], keyOf: (fragment: Fragment) => string): readonly Fragment[] {
  return Map.groupBy(fragments, keyOf).values().map(([first]) => first!).toArray();
}

function rowsOf(index: ServedFile, byUri: ReadonlyMap<string, ServedFile>): readonly Fragment[] {
  const stem = baseName(index.path).replace(/-index\.csv$/i, "").toLowerCase();
  const domain = Object.hasOwn(INDEXED_DOMAINS, stem) ? INDEXED_DOMAINS[stem]! : stem;
  const { value: rows } = parseTable(findText(index.source.tree, index.path) ?? "");
  return rows.flatMap(({ id = "", name, description, tags = "", tier, fragment_file = "" }) => {
    const path = normalizePath(joinPath(parentPath(index.path), fragment_file));
    const file = path && byUri.get(uriAt(index.source, path));
    if (id === "" || !file) return [];
    return [{
      domain,
      id: id.toLowerCase(),
      module: servedPath(index).split("/")[0]!,
      title: name,
      about: description,
      tags: tags.split(",").map((tag) => tag.trim()).filter((tag) => tag !== ""),
      tier,
      file,
    }];
  });
}

function looseFragments(library: Library, files: readonly ServedFile[]): readonly Fragment[] {
  const modules = new Set(library.effective.map(({ module }) => module));
  const isOther = ({ kind }: Entry) => kind !== "knowledge";
  return files.filter((file) => !entriesAt(library, file, library.manifest.entries).some(isOther))
    .flatMap((file) => looseFragment(file) ?? [])
    .filter(({ module, file }) => modules.has(module) || kindOf(file.uri) === "knowledge");
}

export function withoutCopies(fragments: readonly Fragment[]): readonly Fragment[] {
  return firstBy(fragments, ({ module, id, file }) => `${module}/${id} ${file.facts.size}`);
}

function looseFragment(file: ServedFile): Fragment | undefined {
  const path = servedPath(file);
  const isKnowledge = kindOf(file.uri) === "knowledge";
  const [, module, above, folder, category, stem] = TEXT.exec(path) ??
    (isKnowledge ? knowledgeParts(path) : tableParts(path));
  if (module === undefined || stem === undefined || /^readme$/i.test(stem)) return undefined;
  // A folder called knowledge has nothing else.
  const isOther = OTHER_FOLDER.test(path) || OTHER_FILE.test(stem);
  if (isOther && folder?.toLowerCase() !== "knowledge") return undefined;
  const owner = above?.split("/").findLast((part) => !SORTING.test(part)) ?? module;
  const domain = slug(shortName(category ?? owner, module));
  return { domain, id: slug(stem) || stem, module, tags: [], file };
}

function knowledgeParts(path: string): readonly (string | undefined)[] {
  const folder = baseName(parentPath(path));
  const category = folder.toLowerCase() === "knowledge" ? undefined : folder;
  return [path, path.split("/")[0], undefined, "knowledge", category, baseName(path).replace(/\.\w+$/, "")];
}

function tableParts(path: string): readonly (string | undefined)[] {
  const [whole, module, above, stem] = TABLE.exec(path) ?? [];
  return [whole, module, above, undefined, undefined, stem];
}

function servedPath({ uri }: ServedFile): string {
  return decodeURIComponent(uri.slice(SCHEME.length));
}

export function describeFragment({ title, about, file }: Fragment) {
  if (title !== undefined && title !== "") return { title, about: about ?? "" };
  const text = findText(file.source.tree, file.path) ?? "";
  if (file.mimeType === "text/csv") {
    const { value: [columns = [], ...rows] } = parseCsv(text);
    return { title: "", about: `table of ${counted(rows.length, "row")}: ${columns.join(", ")}` };
  }
  const start = text.slice(0, LIMITS.files.fragmentHead);
  const { value: head } = parseFrontMatter(start);
  const body = start.replace(/^\uFEFF?---\r?\n[^]*?\r?\n---\r?\n/, "").replaceAll(/<!--[^]*?(?:-->|$)/g, "");
  const lines = splitLines(body).map((line) => line.trim());
  // In YAML this is a comment, which serves as well.
  const heading = lines.find((line) => /^#+ /.test(line))?.replace(/^#+ /, "") ?? "";
  const prose = file.mimeType === "text/markdown"
    ? lines.find((line) => /^[\p{L}\p{N}*_"“]/u.test(line))
    : undefined;
  return { title: heading, about: asText(head["description"]) ?? prose ?? "" };
}

interface Domain {
  readonly name: string;
  readonly items: readonly string[];
  readonly steps?: RegExp;
  readonly files: RegExp;
}

const DOMAINS: readonly Domain[] = [
  {
    name: "architecture",
    items:
      ("architect architecture create-architecture solution-architecture game-architect game-architecture " +
        "check-implementation-readiness implementation-readiness solutioning-gate-check").split(" "),
    steps: /-(?:decisions|patterns|starter|structure)$/,
    files:
      /^(?:architect-checklist|(?:[a-z-]+-)?architecture-tmpl|architecture-patterns|decision-catalog|technical-preferences|adr-quality-readiness-checklist)$/,
  },
  {
    name: "patterns",
    items: [],
    files:
      /^(?:(?:[^.]+-)?patterns(?:-[^.]+)?|pattern-categories|decision-catalog|technical-preferences|fixture-architecture|fixtures-composition)$/,
  },
];

export const curatedDomains = perLibrary((library): ReadonlyMap<string, readonly Fragment[]> => {
  const known = new Map(fragmentsOf(library).map((fragment) => [fragment.file.uri, fragment]));
  const owners = library.visible;
  const found = DOMAINS.map(({ name, items, steps, files }) => {
    const fragments = new Map<string, Fragment>();
    const add = (file: ServedFile, id: string, module: string) =>
      fragments.getOrInsertComputed(
        file.uri,
        (uri) => known.get(uri) ?? { domain: name, id, module, tags: [], file },
      );
    for (const entry of owners.filter((entry) => items.includes(entry.name))) {
      for (const file of textsOf(library, entry, steps)) add(file, idIn(entry, file), entry.module);
    }
    for (const file of listFiles(library).filter(({ path }) => files.test(stemOf(path)))) {
      if (READABLE.test(file.path)) add(file, slug(stemOf(file.path)), servedPath(file).split("/")[0]!);
    }
    return [name, withoutCopies([...fragments.values()])] as const;
  });
  return new Map(found.filter(([, fragments]) => fragments.length > 0));
});

const READABLE = /\.(?:md|ya?ml|csv|xml|txt)$/i;
const USES: readonly string[] = ["instructions", "template", "checklist", "data", "knowledge"];

function textsOf(library: Library, entry: Entry, steps: RegExp | undefined): readonly ServedFile[] {
  const files = filesOf(library, entry);
  const isMain = ({ path }: ServedFile) => path === entry.file;
  const isPart = ({ uri, path }: ServedFile) => {
    const use = useOf(uri) ?? "";
    return use === "step" ? steps?.test(stemOf(path)) : USES.includes(use);
  };
  return [
    ...files.filter(isMain),
    ...files.filter((file) => !isMain(file) && READABLE.test(file.path) && isPart(file)),
  ];
}

/** `architecture` for the main text of that workflow, `architecture-template` for its `template.md`. */
function idIn(entry: Entry, { path }: ServedFile): string {
  const stem = slug(stemOf(path));
  if (path === entry.file) return entry.name;
  return GENERAL.includes(stem) ? `${entry.name}-${stem}` : stem;
}

const GENERAL: readonly string[] = ["instructions", "template", "checklist", "workflow"];
