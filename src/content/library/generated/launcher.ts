/**
 * Launchers: skills whose own text only starts a script that renders their `workflow.md` and the files beside it.
 *
 * The script needs Python and an installation, so the server renders in its place, to the same text. Where the
 * script writes paths of its output, ours has URIs at which the rendered files can be read; `{project-root}` stays,
 * because only the client knows where that is. Values come from the installation and, where it says nothing, are
 * those that a fresh one would have. What cannot be rendered fails as a whole before the work begins.
 */
import { BmadError, fail } from "../../../base/errors.ts";
import { type Diagnostic, type Entry, qualifiedName } from "../../../base/model.ts";
import { isValues, normalizeText, parseToml, type Values } from "../../parse.ts";
import { baseName, findText, joinPath, MAX_FILE_BYTES } from "../../tree/mod.ts";
import { mergeConfig, resolveConfig } from "../values/config.ts";
import { customizationOf } from "../values/customize.ts";
import { filesOf } from "../files/files.ts";
import { rawText } from "../files/reading.ts";
import { type Library, perLibrary, sourceOf } from "../library.ts";
import { SCHEME } from "../files/mounts.ts";
import { isSecret, isSecretKey, maskValue } from "../files/secret_patterns.ts";

/** The file that a launcher's script renders first and tells the model to follow. */
const WORKFLOW = "workflow.md";

/** Below this name rendered files are served: `bmad://rendered/bmm/bmad-build/workflow.md`. */
const SHELF = "rendered";

/** Whether a skill is nothing but the call of the script that renders its workflow. */
export function isLauncher(library: Library, entry: Entry): boolean {
  return entry.generation === "skills" && entry.ownsFolder &&
    sourceOf(library, entry).tree.stat(joinPath(entry.folder, WORKFLOW)) !== undefined &&
    rawText(library, entry).split("\n").some(callsScript);
}

function callsScript(line: string): boolean {
  const at = line.indexOf("render_skill.py");
  return at >= 0 && line.includes("--skill", at);
}

/** What of each launcher was rendered last, by its key. */
const snapshotsOf = perLibrary(() => new Map<string, Snapshot>());

/** The workflow that a launcher leads to. Every launch renders anew, as the script does. */
export function renderLauncher(library: Library, entry: Entry): string {
  const snapshot = renderSnapshot(library, entry);
  snapshotsOf(library).set(entry.key, snapshot);
  return snapshot.get(WORKFLOW)!;
}

/** Where the rendered files of a launcher can be read. */
export function snapshotUri(entry: Entry): string {
  return SCHEME + [SHELF, ...qualifiedName(entry).split("/")].map(encodeURIComponent).join("/");
}

/** The rendered text at a served path, if the path is one of a launcher's files. */
export function findRendered(library: Library, path: string): string | undefined {
  if (!path.startsWith(`${SHELF}/`)) return undefined;
  const folderOf = (entry: Entry) => `${SHELF}/${qualifiedName(entry)}/`;
  const entry = library.effective.find((entry) =>
    path.startsWith(folderOf(entry)) && isLauncher(library, entry)
  );
  if (entry === undefined) return undefined;
  const snapshot = snapshotsOf(library).get(entry.key) ?? renderSnapshot(library, entry);
  snapshotsOf(library).set(entry.key, snapshot);
  return snapshot.get(path.slice(folderOf(entry).length));
}

/** The launchers that cannot be rendered, each with the reason. */
export function launcherDiagnostics(library: Library): readonly Diagnostic[] {
  return library.effective.flatMap((entry): readonly Diagnostic[] => {
    try {
      if (isLauncher(library, entry)) renderSnapshot(library, entry);
      return [];
    } catch (error) {
      if (!(error instanceof BmadError)) throw error;
      const { file: path, origin } = entry;
      const message = `does not start: ${error.message}`;
      return [{ level: "warning", code: "bad-launcher", message, path, origin: origin.id }];
    }
  });
}

/** What a token can be; the pattern's groups say which. */
interface TokenParts {
  /** `{{config.core.user_name}}`: a place in the configuration. */
  readonly place?: string;
  /** `{{.user_name}}`: a key that is in one place of the configuration only. */
  readonly key?: string;
  /** `{workflow.on_complete}`: a place in the skill's customization. */
  readonly custom?: string;
  /** `[[bmad-snapshot:step-01.md]]`: another rendered file. */
  readonly file?: string;
}

const TOKEN = new RegExp(
  [
    String.raw`\{\{config\.(?<place>[\w.-]+)\}\}`,
    String.raw`\{\{\.(?<key>\w+)\}\}`,
    String.raw`\{workflow\.(?<custom>[\w.-]+)\}`,
    String.raw`\[\[bmad-snapshot:(?<file>[\w./-]+\.md)\]\]`,
  ].join("|"),
  "g",
);

/** Stops with what is wrong with a token. */
type Refuse = (problem: string, hint?: string) => never;

/** Rendered texts, by the path in the launcher's folder. */
type Snapshot = ReadonlyMap<string, string>;

/** Renders every text of a launcher but its own. */
export function renderSnapshot(library: Library, entry: Entry): Snapshot {
  const sources = sourcesOf(library, entry);
  if (!sources.has(WORKFLOW)) {
    const problem = `${WORKFLOW} of ${qualifiedName(entry)} is too large or not a text file`;
    fail({ code: "invalid-input", field: "name", problem });
  }
  const tables = configTables(library, entry);
  const change = changeOf(library, entry);
  const folder = snapshotUri(entry);
  const hint = `Set it in _bmad/custom/${entry.id}.toml`;

  const valueOf = (token: string, parts: TokenParts, refuse: Refuse): string => {
    if (parts.file !== undefined) {
      return sources.has(parts.file) ? `${folder}/${parts.file}` : refuse("the skill has no such file");
    }
    if (parts.custom !== undefined) {
      const told = (problem: string) => refuse(problem, hint);
      return customText(change, `workflow.${parts.custom}`, told).replaceAll("{skill-root}", folder);
    }
    const [place, value] = parts.place === undefined
      ? valueNamed(tables, parts.key!, refuse)
      : valueAt(tables, parts.place, refuse);
    // A secret is not for the model: whoever follows the text can look it up where it is kept.
    const keys = place.split(".");
    if (keys.some(isSecretKey) || isSecret(keys.at(-1)!, value)) return token;
    return maskValue(
      plainText(value, (problem) => refuse(problem, `Set ${place} in _bmad/custom/config.toml`)),
    );
  };

  let length = 0;
  const render = (text: string, path: string) =>
    // One pass: what was put in is never looked through for tokens.
    text.replace(TOKEN, (token, ...rest) => {
      const field = `${token} in ${path} of ${qualifiedName(entry)}`;
      const refuse = (problem: string, hint?: string) =>
        fail({ code: "invalid-input", field, problem, hint });
      const value = valueOf(token, rest.at(-1) as TokenParts, refuse);
      length += value.length;
      // A long value in many places is more than any file may be.
      return length > MAX_FILE_BYTES ? refuse("with it the skill becomes too large") : value;
    });
  return new Map(Array.from(sources, ([path, text]) => [path, render(text, path)]));
}

/** The texts that are rendered: every Markdown file of the folder but the launcher itself. */
function sourcesOf(library: Library, entry: Entry): ReadonlyMap<string, string> {
  const { tree } = sourceOf(library, entry);
  const sources = new Map<string, string>();
  for (const { path } of filesOf(library, entry)) {
    const text = path.endsWith(".md") && baseName(path) !== "SKILL.md" ? findText(tree, path) : undefined;
    const name = entry.folder === "" ? path : path.slice(entry.folder.length + 1);
    if (text !== undefined) sources.set(name, normalizeText(text));
  }
  return sources;
}

/**
 * Where configuration is looked for, one table after the other: the layers of the installation, as the script does;
 * then what a fresh installation of the skill's module would have; then that of every module.
 */
function configTables(library: Library, entry: Entry): readonly Table[] {
  return [
    once(() => mergeConfig(library)),
    once(() => resolveConfig(library, [], [entry.module])),
    once(() => resolveConfig(library)),
  ];
}

/** A table of configuration, made when it is first asked: an installation mostly answers everything. */
type Table = () => Values;

function once(make: Table): Table {
  let made: Values | undefined;
  return () => made ??= make();
}

/** A value with its place: `core.user_name`. */
type Placed = readonly [place: string, value: unknown];

function valueAt(tables: readonly Table[], place: string, refuse: Refuse): Placed {
  const value = tables.values().map((table) => lookUp(table(), place)).find((value) => value !== undefined);
  return value === undefined ? refuse(NOWHERE, `Set ${place} in _bmad/custom/config.toml`) : [place, value];
}

/** The value that a key has in the first table that knows it, where it must stand once. */
function valueNamed(tables: readonly Table[], key: string, refuse: Refuse): Placed {
  const [first, ...others] = tables.values().map((table) => scalarsNamed(table(), key))
    .find((found) => found.length > 0) ?? [];
  if (first === undefined) return refuse(NOWHERE, `Set core.${key} in _bmad/custom/config.toml`);
  if (others.length === 0) return first;
  const places = [first, ...others].map(([place]) => place).join(", ");
  return refuse(`it can mean ${places}`, "Only one of these may be in the configuration");
}

const NOWHERE = "no configuration has a value for it";

/** Every value under a key, at any depth, that is neither a table nor a list. */
function scalarsNamed(table: Values, key: string, prefix = ""): readonly Placed[] {
  return Object.entries(table).flatMap(([name, value]): readonly Placed[] => {
    const place = `${prefix}${name}`;
    if (isValues(value)) return scalarsNamed(value, key, `${place}.`);
    return name === key && !Array.isArray(value) ? [[place, value]] : [];
  });
}

/** What stands at a dotted place. */
function lookUp(table: Values, place: string): unknown {
  return place.split(".").reduce<unknown>(
    (value, part) => isValues(value) && Object.hasOwn(value, part) ? value[part] : undefined,
    table,
  );
}

/** A skill's customization: what it has become, and what it was before anybody changed it. */
interface Change {
  readonly merged: Values;
  readonly base: Values;
}

function changeOf(library: Library, entry: Entry): Change {
  const text = findText(sourceOf(library, entry).tree, joinPath(entry.folder, "customize.toml"));
  return {
    merged: customizationOf(library, entry),
    base: text === undefined ? {} : parseToml(text).value,
  };
}

/** Texts that a customization may empty although the skill's own is not: here that means "do nothing". */
const MAY_BE_EMPTIED = ["workflow.open_spec"];

/** A customized value as text. What the skill itself has there says what it must be. */
function customText({ merged, base }: Change, place: string, refuse: Refuse): string {
  const before = lookUp(base, place);
  const value = lookUp(merged, place);
  if (before === undefined || value === undefined) {
    return refuse("the skill's customize.toml does not have it");
  }
  if (typeof before === "string") {
    return plainText(value, refuse, before.trim() === "" || MAY_BE_EMPTIED.includes(place));
  }
  if (!Array.isArray(before)) return refuse("only texts and lists can be put into a text");
  if (!Array.isArray(value)) return refuse("it must be a list");
  return before.length > 0 && before.every(isValues)
    ? layersText(value, refuse)
    : listText(value.map((item) => plainText(item, refuse)));
}

function plainText(value: unknown, refuse: Refuse, mayBeEmpty = false): string {
  if (typeof value !== "string") return refuse("it must be text");
  return value.trim() === "" && !mayBeEmpty ? refuse("it must not be empty") : value;
}

/** A list in Markdown; the further lines of an item are set in below its first. */
function listText(items: readonly string[]): string {
  if (items.length === 0) return "_None._";
  const linesOf = (item: string) => item.replace(LINE_END_AT_END, "").split(LINE_END);
  return items.map((item) => `- ${linesOf(item).join("\n  ")}`).join("\n");
}

/** What Python's `splitlines`, which the script uses, takes for the end of a line. */
// deno-lint-ignore no-control-regex
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const LINE_END_AT_END = new RegExp(`(?:${LINE_END.source})$`);

/** Layers of a review as sections. One without an instruction is switched off. */
function layersText(layers: readonly unknown[], refuse: Refuse): string {
  const seen = new Set<string>();
  const sections = layers.map((layer, i) => {
    if (!isValues(layer)) return refuse(`its item ${i + 1} must be a table`);
    const field = (key: string, value = layer[key], mayBeEmpty = false) =>
      plainText(value, (problem) => refuse(`${key} of its item ${i + 1}: ${problem}`), mayBeEmpty);
    const id = field("id");
    if (seen.has(id)) return refuse(`two of its items have the id "${id}"`);
    seen.add(id);
    const title = `#### ${field("name", layer["name"] ?? id)} (\`${id}\`)`;
    const instruction = field("instruction", layer["instruction"], true).trim();
    const when = layer["when"] === undefined ? [] : [`Run only when: ${field("when")}`];
    return instruction === "" ? "" : [title, ...when, instruction].join("\n\n");
  }).filter((section) => section !== "");
  return sections.join("\n\n") ||
    "No active review layers. HALT with blocking condition `no active review layers`.";
}
