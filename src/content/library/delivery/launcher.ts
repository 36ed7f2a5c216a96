/**
 * Launchers: skills whose own text only runs a script that renders their `workflow.md` and the files beside it.
 *
 * The script needs Python and an installation, so we render the same text in its place. Where the script writes the path
 * of a rendered file, we write its URI; `{project-root}` stays, because only the client knows where that is. Values come
 * from the installation, else they are the defaults of a fresh one. A launcher that cannot be rendered completely fails
 * before its work begins.
 */
import { splitKeepingEnds, splitLines } from "../../../base/text.ts";
import { BmadError, fail } from "../../../base/errors.ts";
import { GENERATIONS } from "../../../base/generations.ts";
import { type Diagnostic, type Entry, qualifiedName } from "../../../base/model.ts";
import { openTurns, yieldToRequests } from "../../../base/work.ts";
import { isValues, normalizeText, parseToml, type Values } from "../../parse.ts";
import {
  baseName,
  findText,
  joinPath,
  MAX_FILE_BYTES,
  noteReads,
  type Recorded,
  recordReads,
} from "../../tree/mod.ts";
import { mergeConfig, resolveConfig } from "../values/config.ts";
import { customizationOf } from "../values/customize.ts";
import { readLayer } from "../values/layers.ts";
import { filesOf } from "../files/files.ts";
import { checkConditions, withoutConditions } from "./conditions.ts";
import { folderOnDisk, literalCall } from "./sub_agent_files.ts";
import { areJinja, rawDiagnostic, renderJinja, UnsupportedTemplate } from "./jinja_templates.ts";
import { type Library, perLibrary, sourceOf } from "../library.ts";
import { SCHEME } from "../files/mounts.ts";
import { isSecret, isSecretKey, maskValue } from "../files/secret_patterns.ts";

/** The rendered file that a launcher tells the model to follow. */
const WORKFLOW = "workflow.md";

/** Rendered files are served below it: `bmad://rendered/bmm/bmad-build/workflow.md`. */
const FOLDER = "rendered";

/** Whether a skill only calls the script that renders its workflow. */
export function isLauncher(library: Library, entry: Entry): boolean {
  return GENERATIONS[entry.generation].isOfSkills && entry.ownsFolder &&
    sourceOf(library, entry).tree.stat(joinPath(entry.folder, WORKFLOW)) !== undefined &&
    splitLines(findText(sourceOf(library, entry).tree, entry.file) ?? "").some((line) =>
      line.split("render_skill.py").slice(1).join().includes("--skill")
    );
}

let engine: typeof import("../../jinja/mod.ts") | undefined;

/** Loads what renders the templates of launchers after 6.12, where any are served. */
export async function loadEngine(library: Library): Promise<void> {
  const isNeeded = () =>
    library.effective.some((entry) => entry.generation === "flat" && isLauncher(library, entry));
  if (engine === undefined && isNeeded()) engine = await import("../../jinja/mod.ts");
}

/** Texts by their paths in the launcher's folder. */
type RenderedFiles = ReadonlyMap<string, string>;

/** Renderings of so many characters together are kept; another is made again when a file of it is asked for. */
const MAX_KEPT = 1 << 23;

/** The last renderings of launchers, by their key and the phrase that opens a file, with what they were made from. */
const renderingsOf = perLibrary(() => new Map<string, Recorded<RenderedFiles>>());

/** A launcher's workflow, or why it can only be delivered raw. */
export function launch(
  library: Library,
  entry: Entry,
  open?: string,
): { readonly text?: string; readonly problem?: string } {
  try {
    return { text: renderLauncher(library, entry, open) };
  } catch (error) {
    if (!(error instanceof UnsupportedTemplate)) throw error;
    return { problem: error.message };
  }
}

/** A launcher's workflow. Every launch renders it again, as the script does. */
export function renderLauncher(library: Library, entry: Entry, open?: string): string {
  return renderFresh(library, entry, open).get(WORKFLOW) ?? "";
}

/** Renders every text of a launcher so that prompts for sub-agents name files that these can open. */
function renderFresh(library: Library, entry: Entry, open: string | undefined): RenderedFiles {
  const folder = folderOnDisk(library, entry);
  const rendering = recordReads(() =>
    renderFiles(library, entry, (name, template) =>
      // A template is not what the sub-agent should read.
      folder !== undefined && template.search(TOKEN) < 0
        ? `${folder}/${name}`
        : literalCall(`${renderedUri(entry)}/${name}`, open))
  );
  keep(renderingsOf(library), `${open}\n${entry.key}`, rendering);
  return rendering.value;
}

function keep(
  renderings: Map<string, Recorded<RenderedFiles>>,
  key: string,
  rendering: Recorded<RenderedFiles>,
) {
  renderings.delete(key);
  renderings.set(key, rendering);
  let length = 0;
  for (const [key, { value }] of [...renderings].reverse()) {
    for (const text of value.values()) length += text.length;
    if (length > MAX_KEPT) renderings.delete(key);
  }
}

export function renderedUri(entry: Entry): string {
  return SCHEME + [FOLDER, ...qualifiedName(entry).split("/")].map(encodeURIComponent).join("/");
}

/** The rendered text at a served path; undefined when that is not a file of a launcher. */
export function findRendered(library: Library, path: string, open?: string): string | undefined {
  if (!path.startsWith(`${FOLDER}/`)) return undefined;
  const folderOf = (entry: Entry) => `${FOLDER}/${qualifiedName(entry)}/`;
  const isMeant = (entry: Entry) => path.startsWith(folderOf(entry)) && isLauncher(library, entry);
  const entry = library.effective.find(isMeant);
  if (entry === undefined) return undefined;
  const last = renderingsOf(library).get(`${open}\n${entry.key}`);
  // Whoever caches an answer made from it has to ask again once it is rendered again.
  if (last !== undefined) noteReads(last.reads);
  return (last?.value ?? renderFresh(library, entry, open)).get(path.slice(folderOf(entry).length));
}

/** The URIs of all rendered files, without rendering them. */
export const listRendered = perLibrary((library): readonly string[] =>
  library.effective.filter((entry) => isLauncher(library, entry)).flatMap((entry) =>
    templateNames(library, entry).map(([name]) =>
      `${renderedUri(entry)}/${name.split("/").map(encodeURIComponent).join("/")}`
    )
  )
);

export async function launcherDiagnostics(library: Library): Promise<readonly Diagnostic[]> {
  const found: (Diagnostic | undefined)[] = [];
  const giveWay = openTurns();
  for (const entry of library.effective) {
    await giveWay();
    if (!isLauncher(library, entry)) continue;
    found.push(findLauncherDiagnostic(library, entry));
    await yieldToRequests();
  }
  return found.filter((diagnostic) => diagnostic !== undefined);
}

function findLauncherDiagnostic(library: Library, entry: Entry): Diagnostic | undefined {
  try {
    renderFiles(library, entry);
    return undefined;
  } catch (error) {
    if (error instanceof UnsupportedTemplate) return rawDiagnostic(entry, error);
    if (!(error instanceof BmadError)) throw error;
    const { file: path, origin } = entry;
    const message = `cannot be started: ${error.message}`;
    return { level: "warning", code: "bad-launcher", message, path, origin: origin.id };
  }
}

/** The groups of the token pattern, one of which matched. */
interface Token {
  /** `{{config.core.user_name}}`: a dotted path in the configuration. */
  readonly path?: string;
  /** `{{.user_name}}`: a key that the configuration has once, at any depth. */
  readonly key?: string;
  /** `{workflow.on_complete}`: a dotted path in the skill's customization. */
  readonly custom?: string;
  /** `[[bmad-snapshot:step-01.md]]`: another rendered file. */
  readonly file?: string;
}

const TOKEN = new RegExp(
  [
    String.raw`\{\{config\.(?<path>[\w.-]+)\}\}`,
    String.raw`\{\{\.(?<key>\w+)\}\}`,
    String.raw`\{workflow\.(?<custom>[\w.-]+)\}`,
    String.raw`\[\[bmad-snapshot:(?<file>[\w./-]+\.md)\]\]`,
  ].join("|"),
  "g",
);

/** Different ones of a launcher, each of whose values is looked for and searched for secrets. */
const MAX_TOKENS = 2_000;

/** A line that tells its reader to start a sub-agent. */
const SUBAGENT = /\bsub-?agents?\b/i;

type Refuse = (problem: string, hint?: string) => never;

/** What a prompt for a sub-agent names in place of a file with some template. */
type Naming = (name: string, template: string) => string;

/** Renders every text of a launcher except its own. */
export function renderFiles(library: Library, entry: Entry, inPrompt?: Naming): RenderedFiles {
  const name = qualifiedName(entry);
  const templates = templatesOf(library, entry);
  if (!templates.has(WORKFLOW)) {
    const problem = `${WORKFLOW} is too large or not a text file`;
    fail({ code: "invalid-input", field: name, problem });
  }
  if (engine !== undefined && areJinja(templates)) {
    const refuse: Refuse = (problem) => fail({ code: "invalid-input", field: name, problem });
    return renderJinja(engine, {
      entry,
      templates,
      config: resolveConfig(library),
      folder: renderedUri(entry),
      customization: customizationOfSkill(library, entry),
      listText: (items) => listOrLayers(items, items, refuse),
    });
  }
  checkConditions(templates.values(), (problem) => fail({ code: "invalid-input", field: name, problem }));
  const customization = customizationOfSkill(library, entry);
  const valueOf = replacer(library, entry, templates, customization, inPrompt);
  // A long value with many tokens for it would be searched for secrets each time.
  const values = new Map<string, string>();
  let length = 0;
  const renderLine = (line: string, path: string) => {
    const isPrompt = SUBAGENT.test(line);
    // One pass: a replacement is never searched for tokens.
    return line.replace(TOKEN, (token, ...rest) => {
      const refuse: Refuse = (problem, hint) =>
        fail({ code: "invalid-input", field: `${token} in ${path} of ${name}`, problem, hint });
      const key = `${isPrompt} ${token}`;
      const value = values.get(key) ?? valueOf(token, rest.at(-1) as Token, refuse, isPrompt);
      values.set(key, value);
      if (values.size > MAX_TOKENS) refuse(`the skill has more than ${MAX_TOKENS} different ones`);
      length += value.length;
      // A long value that is repeated often could exceed every limit.
      return length > MAX_FILE_BYTES ? refuse("it makes the skill too large") : value;
    });
  };
  return new Map(Array.from(templates, ([path, text]) => {
    const refuse = (problem: string) => fail({ code: "invalid-input", field: `${path} of ${name}`, problem });
    const lines = splitKeepingEnds(withoutConditions(text, customization, refuse));
    return [path, lines.map((line) => renderLine(line, path)).join("")];
  }));
}

/** Replaces one token of a launcher. */
function replacer(
  library: Library,
  entry: Entry,
  templates: RenderedFiles,
  customization: Customization,
  inPrompt?: Naming,
) {
  const folder = renderedUri(entry);
  const nameOf = (file: string, isPrompt: boolean) => {
    const template = templates.get(file);
    return isPrompt && inPrompt && template !== undefined ? inPrompt(file, template) : `${folder}/${file}`;
  };
  const configs = configsOf(library, entry);
  return (token: string, { file, custom, path, key }: Token, refuse: Refuse, isPrompt: boolean): string => {
    if (file !== undefined) return templates.has(file) ? nameOf(file, isPrompt) : refuse("no such file");
    if (custom !== undefined) {
      const hint = `Set it in _bmad/custom/${entry.id}.toml`;
      return customText(customization, `workflow.${custom}`, (problem) => refuse(problem, hint))
        .replaceAll(/\{skill-root\}\/([\w./-]{1,200}\.md)/g, (_, file: string) => nameOf(file, true))
        .replaceAll("{skill-root}", folder);
    }
    const [at, value] = path === undefined
      ? valueNamed(configs, key!, refuse)
      : valueAt(configs, path, refuse);
    // The model must not see a secret; the user can look it up.
    const keys = at.split(".");
    if (keys.some(isSecretKey) || isSecret(keys.at(-1)!, value)) return token;
    return maskValue(plainText(value, (problem) => refuse(problem, hintToSet(at))));
  };
}

function hintToSet(path: string): string {
  return `Set ${path} in _bmad/custom/config.toml`;
}

/** The texts of a launcher together have at most so many characters, and it has at most so many files. */
const MAX_TEMPLATES = 1 << 22;
const MAX_TEMPLATE_FILES = 500;

function templatesOf(library: Library, entry: Entry): RenderedFiles {
  const { tree } = sourceOf(library, entry);
  const names = templateNames(library, entry);
  const templates = new Map<string, string>();
  let length = 0;
  for (const [name, path] of names) {
    const text = findText(tree, path);
    length += text?.length ?? 0;
    if (length > MAX_TEMPLATES || names.length > MAX_TEMPLATE_FILES) {
      fail({
        code: "invalid-input",
        field: qualifiedName(entry),
        problem: "it has too many or too long texts",
      });
    }
    if (text !== undefined) templates.set(name, normalizeText(text));
  }
  return templates;
}

/** The paths of a launcher's texts except its own: in its folder, and in the tree. */
function templateNames(library: Library, entry: Entry): readonly (readonly [name: string, path: string])[] {
  return filesOf(library, entry).map(({ path }) => path)
    .filter((path) => path.endsWith(".md") && baseName(path) !== "SKILL.md")
    .map((path) => [entry.folder === "" ? path : path.slice(entry.folder.length + 1), path]);
}

/** A configuration, with its values that are neither tables nor lists by their key, at any depth. */
interface Config {
  readonly values: Values;
  readonly scalars: ReadonlyMap<string, readonly Located[]>;
}

/** It is resolved on first use: mostly the first one has every value. */
type LazyConfig = () => Config;

/**
 * The configurations to look in, one after the other: the layers of the installation, as the script does; then the
 * defaults of the skill's own module; then those of every module.
 */
function configsOf(library: Library, entry: Entry): readonly LazyConfig[] {
  const configs: readonly (() => Values)[] = [
    () => mergeConfig(library),
    () => resolveConfig(library, [], [entry.module]),
    () => resolveConfig(library),
  ];
  const resolved: Config[] = [];
  return configs.map((config, at) => () => resolved[at] ??= withScalars(config()));
}

function withScalars(values: Values): Config {
  const scalars = Map.groupBy(scalarsIn(values), ([path]) => path.slice(path.lastIndexOf(".") + 1));
  return { values, scalars };
}

/** A value with its dotted path: `core.user_name`. */
type Located = readonly [path: string, value: unknown];

function valueAt(configs: readonly LazyConfig[], path: string, refuse: Refuse): Located {
  const value = configs.values().map((config) => lookUp(config().values, path)).find((value) =>
    value !== undefined
  );
  return value === undefined ? refuse(NOT_SET, hintToSet(path)) : [path, value];
}

/** The value of a key in the first configuration that has it, where it must be unique. */
function valueNamed(configs: readonly LazyConfig[], key: string, refuse: Refuse): Located {
  const [first, ...others] = configs.values().map((config) => config().scalars.get(key) ?? [])
    .find((found) => found.length > 0) ?? [];
  if (first === undefined) return refuse(NOT_SET, hintToSet(`core.${key}`));
  if (others.length === 0) return first;
  const paths = [first, ...others].map(([path]) => path).join(", ");
  return refuse(`ambiguous between ${paths}`, "Keep only one of them in the configuration");
}

const NOT_SET = "the configuration has no value for it";

/** Every value, at any depth, that is neither a table nor a list. */
function scalarsIn(table: Values, prefix = ""): readonly Located[] {
  return Object.entries(table).flatMap(([name, value]): readonly Located[] => {
    if (isValues(value)) return scalarsIn(value, `${prefix}${name}.`);
    return Array.isArray(value) ? [] : [[`${prefix}${name}`, value]];
  });
}

function lookUp(table: Values, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (value, part) => isValues(value) && Object.hasOwn(value, part) ? value[part] : undefined,
    table,
  );
}

/** The customization, and as `base` the skill's own values, before anybody customized them. */
interface Customization {
  readonly merged: Values;
  readonly base: Values;
}

function customizationOfSkill(library: Library, entry: Entry): Customization {
  const file = { source: sourceOf(library, entry), path: joinPath(entry.folder, "customize.toml") };
  const base = readLayer(file, parseToml, [])?.values ?? {};
  return { merged: customizationOf(library, entry), base };
}

/** Texts that a customization may empty although the skill's own is not: empty means "do nothing" here. */
const MAY_BE_EMPTIED = ["workflow.open_spec"];

/** A customized value as text. The skill's own value decides which type it must have. */
function customText(
  { merged, base }: Customization,
  path: string,
  refuse: Refuse,
): string {
  const before = lookUp(base, path);
  const value = lookUp(merged, path);
  if (before === undefined || value === undefined) return refuse("missing in the skill's customize.toml");
  if (typeof before === "string") {
    return plainText(value, refuse, before.trim() === "" || MAY_BE_EMPTIED.includes(path));
  }
  if (!Array.isArray(before)) return refuse("expected a text or a list");
  if (!Array.isArray(value)) return refuse("expected a list");
  return listOrLayers(before, value, refuse);
}

/** A list as sections if the skill's own list is one of tables, else in Markdown. */
function listOrLayers(before: readonly unknown[], value: readonly unknown[], refuse: Refuse): string {
  return before.length > 0 && before.every(isValues)
    ? layersText(value, refuse)
    : listText(value.map((item) => plainText(item, refuse)));
}

function plainText(value: unknown, refuse: Refuse, mayBeEmpty = false): string {
  if (typeof value !== "string") return refuse("expected text");
  return value.trim() === "" && !mayBeEmpty ? refuse("must not be empty") : value;
}

/** A list in Markdown; further lines of an item are indented. */
function listText(items: readonly string[]): string {
  if (items.length === 0) return "_None._";
  const linesOf = (item: string) => item.replace(LINE_END_AT_END, "").split(LINE_END);
  return items.map((item) => `- ${linesOf(item).join("\n  ")}`).join("\n");
}

/** The line ends of Python's `splitlines`, which the script uses. */
// deno-lint-ignore no-control-regex
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const LINE_END_AT_END = new RegExp(`(?:${LINE_END.source})$`);

/** The layers of a review as sections. A layer without an instruction is disabled. */
function layersText(layers: readonly unknown[], refuse: Refuse): string {
  const seen = new Set<string>();
  const sections = layers.map((layer, i) => {
    if (!isValues(layer)) return refuse(`expected a table as item ${i + 1}`);
    const field = (key: string, value = layer[key], mayBeEmpty = false) =>
      plainText(value, (problem) => refuse(`${key} of item ${i + 1}: ${problem}`), mayBeEmpty);
    const id = field("id");
    if (seen.has(id)) return refuse(`two items have the id "${id}"`);
    seen.add(id);
    const title = `#### ${field("name", layer["name"] ?? id)} (\`${id}\`)`;
    const instruction = field("instruction", layer["instruction"], true).trim();
    const when = layer["when"] === undefined ? [] : [`Run only when: ${field("when")}`];
    return instruction === "" ? "" : [title, ...when, instruction].join("\n\n");
  }).filter((section) => section !== "");
  return sections.join("\n\n") ||
    "No active review layers. HALT with blocking condition `no active review layers`.";
}
