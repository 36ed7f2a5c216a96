/** A layout's reader: one root in, plain data out. */
import { shorten } from "../../base/text.ts";
import {
  type Diagnostic,
  type Item,
  type MenuItem,
  type Module,
  type Mount,
  type Persona,
  qualifiedName,
  type RenamedAgent,
  type TreeUse,
} from "../../base/model.ts";
import { baseName, findText, joinPath, parentPath, textFault, type Tree } from "../tree/mod.ts";
import { CONFIG_FOLDERS, foldersIn, hasFile, installedModules } from "./folders.ts";
import { asList, asText, asTexts, asValues, type Parsed, parseYaml, type Values } from "../parse.ts";

export interface Findings {
  readonly version?: string;
  readonly modules: Module[];
  readonly items: Item[];
  readonly mounts: Mount[];
  readonly diagnostics: Diagnostic[];
  readonly renamed?: readonly RenamedAgent[];
  /** Skills that other layouts of the tree must not show, with the reason; undefined for a copy. */
  readonly replaced?: ReadonlyMap<string, string | undefined>;
}

export type Reader = (tree: Tree, root: string, use: TreeUse) => Findings;

export function warn(
  diagnostics: Diagnostic[],
  code: Diagnostic["code"],
  path: string,
  message: string,
  more: Partial<Diagnostic> = {},
): void {
  diagnostics.push({ level: "warning", code, message, path, ...more });
}

export function noFindings(version?: string): Findings {
  return { version, modules: [], items: [], mounts: [], diagnostics: [] };
}

export function readParsed<T>(
  tree: Tree,
  path: string,
  parse: (text: string) => Parsed<T>,
  diagnostics: Diagnostic[],
): T | undefined {
  const text = findText(tree, path);
  if (text !== undefined) return parseText(path, text, parse, diagnostics);
  // Unreadable files are reported separately.
  if (tree.stat(path) !== undefined && !tree.unreadable().includes(path)) {
    const { message, fix } = textFault(tree, path);
    warn(diagnostics, "bad-file", path, message, { fix });
  }
  return undefined;
}

export function parseText<T>(
  path: string,
  text: string,
  parse: (text: string) => Parsed<T>,
  diagnostics: Diagnostic[],
): T | undefined {
  const { value, problem, isLimit } = parse(text);
  if (problem !== undefined) warn(diagnostics, isLimit ? "limit-reached" : "bad-file", path, problem);
  return value;
}

export function packageVersion(tree: Tree): string | undefined {
  return asText(readParsed(tree, "package.json", parseYaml, [])?.["version"]);
}

export function moduleOf(code: string, version?: string, facts: Values = {}): Module {
  const description = asText(facts["description"]) ?? "";
  return { code, name: asText(facts["name"]) ?? code, description, version };
}

export function authorIn(values: unknown): { readonly author?: string } {
  const { author, metadata, workflow } = asValues(values);
  const said = [author, asValues(metadata)["author"], asValues(workflow)["author"]];
  const [name] = said.map((one) => asText(one) ?? asText(asValues(one)["name"])).filter(Boolean);
  return name === undefined ? {} : { author: shorten(name) };
}

export function firstText(values: Values, ...keys: readonly string[]): string | undefined {
  return keys.values().map((key) => asText(values[key])).find((text) => text !== undefined);
}

/** A text is a list only if it begins like one. Installers put the whole list on one line. */
export function splitPrinciples(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const mark = /\n[^\S\n]*- /.test(text) ? /\n[^\S\n]*- / : /\s- /;
  const parts = text.startsWith("- ") ? `\n${text}`.split(mark) : [text];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

export function personaOf(values: Values, menu: readonly MenuItem[] = []): Persona {
  const { principles } = values;
  return {
    role: asText(values["role"]),
    identity: asText(values["identity"]),
    communicationStyle: firstText(values, "communication_style", "communicationStyle", "style"),
    principles: Array.isArray(principles) ? asTexts(principles) : splitPrinciples(asText(principles)),
    capabilities: asTexts(values["capabilities"]).flatMap((text) => text.split(/,\s*/)),
    menu,
  };
}

export function itemOf(
  facts: Pick<Item, "kind" | "id" | "module" | "generation" | "version" | "file">,
): Item {
  const id = composed(facts.id);
  return {
    ...facts,
    id,
    roles: [],
    name: id.toLowerCase(),
    status: "verified",
    folder: parentPath(facts.file),
    ownsFolder: false,
    description: "",
  };
}

/** One spelling: some systems store an accented letter as two characters. */
export function composed(name: string): string {
  return name.normalize();
}

export function stemOf(file: string): string {
  return baseName(file).replace(/\.\w+$/, "");
}

export function endingOf(file: string): string {
  return /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? "";
}

export function reportMissing({ items, diagnostics }: Findings, what: string, path: string): void {
  const missing = items.filter((item) => item.status === "no-file-found");
  if (missing.length === 0) return;
  const verb = missing.length === 1 ? "is" : "are";
  const named = `${missing.slice(0, 3).map(qualifiedName).join(", ")}${missing.length > 3 ? ", …" : ""}`;
  const message = `${missing.length} of ${items.length} ${what} ${verb} missing (${named})`;
  warn(diagnostics, "no-file-found", path, message);
}

export type Installation = ReturnType<typeof readInstallation>;

/** `manifest.yaml` in `_config`, or in `_cfg` before 6.0 Beta, lists modules as strings or maps, possibly twice. */
export function readInstallation(tree: Tree, root: string) {
  const diagnostics: Diagnostic[] = [];
  const read = <T>(path: string, parse: (text: string) => Parsed<T>): T | undefined =>
    readParsed(tree, joinPath(root, path), parse, diagnostics);
  const readManifest = <T>(path: string, parse: (text: string) => Parsed<T>): T | undefined => {
    const problems: Diagnostic[] = [];
    const value = readParsed(tree, joinPath(root, path), parse, problems);
    for (const problem of problems) {
      diagnostics.push(problem.code === "bad-file" ? { ...problem, code: "broken-manifest" } : problem);
    }
    return value;
  };
  const config = CONFIG_FOLDERS.find((folder) => tree.list(joinPath(root, folder)).length > 0) ??
    CONFIG_FOLDERS[0]!;
  const onDisk = installedModules(tree, root);
  const file = joinPath(config, "manifest.yaml");
  const manifest = readManifest(file, parseYaml) ?? {};
  const said = asText(asValues(manifest["installation"])["version"]);
  const noted = said === undefined ? notedVersion(tree, root) : undefined;
  if ((onDisk.length > 0 || noted !== undefined) && !hasFile(tree, root, file)) {
    const isEmpty = tree.list(joinPath(root, config)).length === 0;
    const message = isEmpty ? "the folder of the installation's manifests is missing" : "the file is missing";
    warn(diagnostics, "broken-manifest", joinPath(root, isEmpty ? config : file), message);
  }
  const modules = asList(manifest["modules"])
    .map((module) => asText(module) ?? asText(asValues(module)["name"])).filter((code) => code !== undefined);
  const own = asList(manifest["modules"]).map(asValues);
  const version = said ?? noted;
  const findings: Findings = { ...noFindings(version), mounts: [{ at: "", path: root }], diagnostics };
  return {
    findings,
    config,
    version,
    versionOf: (module: string) => asText(own.find(({ name }) => name === module)?.["version"]) ?? version,
    modules: modules.length > 0 ? [...new Set(modules)] : onDisk.map(baseName),
    ides: asTexts(manifest["ides"]),
    read,
    readManifest,
  };
}

/** From a comment in a module's configuration: `# Version: 6.12.0`. */
function notedVersion(tree: Tree, root: string): string | undefined {
  const texts = foldersIn(tree, root).values().map((dir) =>
    findText(tree, joinPath(dir, "config.yaml")) ?? ""
  );
  return texts.map((text) => /^# Version: (\d[\w.-]*)\r?$/m.exec(text)?.[1]).find(Boolean);
}
