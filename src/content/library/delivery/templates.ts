/** The templates of launchers: tokens and conditions in 6.12, Jinja later. */
import { recover } from "../../../base/absence.ts";
import { BmadError, failField, failInput } from "../../../base/errors.ts";
import { cachedWith } from "../../../base/cache.ts";
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { oneLine, shorten, splitKeepingEnds, splitLines } from "../../../base/text.ts";
import { asValues, firstOf, isValues, type Values } from "../../../base/values.ts";
import { parseToml } from "../../parse.ts";
import type * as Jinja from "../../jinja/mod.ts";
import { LIMITS } from "../../limits.ts";
import { isSecret, isSecretKey, maskValue } from "../files/secrets.ts";
import { mapTexts } from "../values/merge.ts";

export type Texts = ReadonlyMap<string, string>;

interface LauncherMaterial {
  readonly entry: Entry;
  readonly templates: Texts;
  /** As `base` the skill's own values, before anybody customized them. */
  readonly customization: Readonly<Record<"base" | "merged", Values>>;
  readonly folder: string;
}

export type NamedInPrompt = (file: string, template: string) => string;

interface TokenMaterial extends LauncherMaterial {
  /** Each is resolved on first use: mostly the first one has every value. */
  readonly configs: readonly (() => Values)[];
  readonly inPrompt?: NamedInPrompt;
}

type Refuse = (problem: string, hint?: string) => never;

type Token = Partial<Record<"path" | "key" | "custom" | "file", string>>;

const TOKEN = new RegExp(
  [
    // A dotted path in the configuration, or a key that it has once, at any depth.
    String.raw`\{\{config\.(?<path>[\w.-]+)\}\}`,
    String.raw`\{\{\.(?<key>\w+)\}\}`,
    String.raw`\{workflow\.(?<custom>[\w.-]+)\}`,
    String.raw`\[\[bmad-snapshot:(?<file>[\w./-]+\.md)\]\]`,
  ].join("|"),
  "g",
);

export function hasTokens(text: string): boolean {
  return text.search(TOKEN) >= 0;
}

const { tokens: MAX_TOKENS, conditions: MAX_CONDITIONS } = LIMITS.delivery;

export function renderTokens(material: TokenMaterial): Texts {
  const { entry, templates, customization } = material;
  const name = qualifiedName(entry);
  const refuseIn = (field: string): Refuse => (problem, hint) => failField(field, problem, hint);
  const conditions = templates.values().reduce((sum, text) => sum + text.split("[[bmad-if:").length - 1, 0);
  if (conditions > MAX_CONDITIONS) refuseIn(name)(`it has more than ${MAX_CONDITIONS} conditions`);
  const valueOf = openValues(material);
  // A long value with many tokens for it would be searched for secrets each time.
  const values = new Map<string, string>();
  let length = 0;
  const renderLine = (line: string, path: string) => {
    const isPrompt = /\bsub-?agents?\b/i.test(line);
    // One pass: a replacement is never searched for tokens.
    return line.replace(TOKEN, (token, ...rest) => {
      const refuse = refuseIn(`${token} in ${path} of ${name}`);
      const value = values.getOrInsertComputed(
        `${isPrompt} ${token}`,
        () => valueOf(token, rest.at(-1) as Token, refuse, isPrompt),
      );
      if (values.size > MAX_TOKENS) refuse(`the skill has more than ${MAX_TOKENS} different ones`);
      length += value.length;
      return length > LIMITS.tree.fileBytes ? refuse("it makes the skill too large") : value;
    });
  };
  return new Map(Array.from(templates, ([path, text]) => {
    const lines = splitKeepingEnds(applyConditions(text, customization, refuseIn(`${path} of ${name}`)));
    return [path, lines.map((line) => renderLine(line, path)).join("")];
  }));
}

function openValues({ entry, templates, customization, folder, configs, inPrompt }: TokenMaterial) {
  const resolved: Values[] = [];
  const lookups = configs.map((config, at) => () => resolved[at] ??= config());
  const nameOf = (file: string, isPrompt: boolean) => {
    const template = templates.get(file);
    return isPrompt && inPrompt && template !== undefined ? inPrompt(file, template) : `${folder}/${file}`;
  };
  return (token: string, { file, custom, path, key }: Token, refuse: Refuse, isPrompt: boolean): string => {
    if (file !== undefined) return templates.has(file) ? nameOf(file, isPrompt) : refuse("no such file");
    if (custom !== undefined) {
      const hint = `Set it in _bmad/custom/${entry.id}.toml`;
      return customText(customization, `workflow.${custom}`, (problem) => refuse(problem, hint))
        .replaceAll(/\{skill-root\}\/([\w./-]{1,200}\.md)/g, (_, file: string) => nameOf(file, true))
        .replaceAll("{skill-root}", folder);
    }
    const [at, value] = path === undefined ? findByKey(lookups, key!, refuse) : findAt(lookups, path, refuse);
    // The model must not see a secret; the user can look it up.
    const keys = at.split(".");
    if (keys.some(isSecretKey) || isSecret(keys.at(-1)!, value)) return token;
    return maskValue(plainText(value, (problem) => refuse(problem, hintToSet(at))));
  };
}

type Located = readonly [path: string, value: unknown];

const scalarsByKey = cachedWith((values: Values) =>
  Map.groupBy(scalarsIn(values), ([path]) => path.slice(path.lastIndexOf(".") + 1))
);

function scalarsIn(table: Values, prefix = ""): readonly Located[] {
  return Object.entries(table).flatMap(([name, value]): readonly Located[] => {
    if (isValues(value)) return scalarsIn(value, `${prefix}${name}.`);
    return Array.isArray(value) ? [] : [[`${prefix}${name}`, value]];
  });
}

const NOT_SET = "the configuration has no value for it";

function hintToSet(path: string): string {
  return `Set ${path} in _bmad/custom/config.toml`;
}

function findAt(configs: TokenMaterial["configs"], path: string, refuse: Refuse): Located {
  const value = firstOf(configs, (config) => valueAt(config(), path));
  return value === undefined ? refuse(NOT_SET, hintToSet(path)) : [path, value];
}

function findByKey(configs: TokenMaterial["configs"], key: string, refuse: Refuse): Located {
  const [first, ...others] = firstOf(configs, (config) => scalarsByKey(config()).get(key)) ?? [];
  if (first === undefined) return refuse(NOT_SET, hintToSet(`core.${key}`));
  if (others.length === 0) return first;
  const paths = [first, ...others].map(([path]) => path).join(", ");
  return refuse(`ambiguous between ${paths}`, "Keep only one of them in the configuration");
}

export function valueAt(values: Values, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (value, part) => isValues(value) && Object.hasOwn(value, part) ? value[part] : undefined,
    values,
  );
}

const DIRECTIVE = /\[\[bmad-(?:if|else|endif)\b/;
const CONDITION = /^\[\[bmad-if:([\w-]{1,80}(?:\.[\w-]{1,80}){0,8}) {0,8}(==|!=)(.{1,500})\]\]$/;

function applyConditions(text: string, { merged, base }: LauncherMaterial["customization"], refuse: Refuse) {
  if (!DIRECTIVE.test(text)) return text;
  const blocks: Record<"isAround" | "holds" | "hasElse", boolean>[] = [];
  let counts = true;
  const kept = splitLines(text).filter((line, at) => {
    if (!DIRECTIVE.test(line)) return counts;
    const wrong = (problem: string) => refuse(`line ${at + 1}: ${problem}`);
    const directive = line.trim();
    const open = blocks.at(-1);
    const [, path, operator, literal] = CONDITION.exec(directive) ?? [];
    if (path !== undefined) {
      const [known, value] = [base, merged].map((values) => valueAt(values, path));
      if (known === undefined || typeof known === "object") wrong(`the skill has no single value ${path}`);
      const { value: { value: expected }, problem } = parseToml(`value = ${literal!.trim()}`);
      if (problem !== undefined) wrong(problem);
      const holds = (value === expected) === (operator === "==");
      blocks.push({ isAround: counts, holds, hasElse: false });
      counts &&= holds;
    } else if (directive === "[[bmad-else]]" && open?.hasElse === false) {
      blocks[blocks.length - 1] = { ...open, hasElse: true };
      counts = open.isAround && !open.holds;
    } else if (directive === "[[bmad-endif]]" && open !== undefined) {
      blocks.pop();
      counts = open.isAround;
    } else wrong("the condition is malformed, or belongs to none");
    return false;
  });
  return blocks.length === 0 ? kept.join("\n") : refuse("a condition is not closed");
}

/** The skill's own value decides which type a customized one must have. */
function customText({ merged, base }: LauncherMaterial["customization"], path: string, refuse: Refuse) {
  const before = valueAt(base, path);
  const value = valueAt(merged, path);
  if (before === undefined || value === undefined) return refuse("missing in the skill's customize.toml");
  if (typeof before === "string") {
    // An empty `open_spec` means "do nothing", although the skill's own is not empty.
    return plainText(value, refuse, before.trim() === "" || path === "workflow.open_spec");
  }
  if (!Array.isArray(before)) return refuse("expected a text or a list");
  if (!Array.isArray(value)) return refuse("expected a list");
  return renderList(before, value, refuse);
}

function renderList(before: readonly unknown[], value: readonly unknown[], refuse: Refuse): string {
  if (before.length > 0 && before.every(isValues)) return renderReviewLayers(value, refuse);
  const items = value.map((item) => plainText(item, refuse).replace(LINE_END_AT_END, "").split(LINE_END));
  return items.length === 0 ? "_None._" : items.map((lines) => `- ${lines.join("\n  ")}`).join("\n");
}

function plainText(value: unknown, refuse: Refuse, mayBeEmpty = false): string {
  if (typeof value !== "string") return refuse("expected text");
  return value.trim() === "" && !mayBeEmpty ? refuse("must not be empty") : value;
}

/** Those of Python's `splitlines`, which the script uses. */
// deno-lint-ignore no-control-regex
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const LINE_END_AT_END = new RegExp(`(?:${LINE_END.source})$`);

function renderReviewLayers(layers: readonly unknown[], refuse: Refuse): string {
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

/** A template that this program cannot render, although another one may. */
export class UnsupportedTemplate extends BmadError {}

/** Jinja would take what else is in braces, which is for the model, for mistakes. */
export function areJinja(templates: Texts): boolean {
  const texts = [...templates.values()];
  return texts.some((text) => JINJA.test(text)) && !texts.some((text) => OTHER_TOKEN.test(text));
}

const JINJA = /\{%|\{\{[-+]? ?(?:rendered|halt)\(|\{\{[-+]? (?:config|workflow)\./;
const OTHER_TOKEN = /\{\{\.\w|\[\[bmad-snapshot:/;

/** `config` also has each key that its tables have only once. Empty files are left out. */
export function renderJinja(
  { openTemplates, TemplateError }: typeof Jinja,
  { entry, templates, customization, folder }: LauncherMaterial,
  config: Values,
): Texts {
  const name = qualifiedName(entry);
  const workflow = asValues(customization.merged["workflow"]);
  checkOverrides(entry, workflow, asValues(customization.base["workflow"]), "workflow");
  const halt = (message: string) => {
    throw new TemplateError("halt", message);
  };
  const links: { readonly from: string; readonly to: string }[] = [];
  let from = "";
  const render = openTemplates({
    config: { ...onlyOnce(config), ...config },
    workflow: mapTexts(workflow, (text) => text.replaceAll("{skill-root}", folder)),
    rendered: (to: string) => {
      if (!templates.has(to)) halt(`it refers to ${shorten(to, 80)}, which is missing`);
      links.push({ from, to });
      return `${folder}/${to}`;
    },
    halt: (message: string) => halt(shorten(message, 500)),
  }, (items) => renderList(items, items, (problem) => failField(name, problem)));
  const files = new Map<string, string>();
  for (const [path, text] of templates) {
    from = path;
    files.set(
      path,
      recover(TemplateError, () => render(text), (error) => refuseTemplate(entry, path, error)),
    );
  }
  const isEmpty = (path: string) => files.get(path)!.trim() === "";
  const broken = links.find(({ from, to }) => !isEmpty(from) && isEmpty(to));
  if (broken !== undefined) {
    failInput(`${broken.from} of ${name} refers to ${broken.to}, which is empty`);
  }
  return files;
}

function refuseTemplate(entry: Entry, path: string, { kind, message }: Jinja.TemplateError): never {
  const name = qualifiedName(entry);
  if (kind === "halt") return failInput(`${name} halts: ${message}`);
  const field = `${path} of ${name}`;
  if (kind === "undefined") {
    const file = message.startsWith("workflow.") ? `${entry.id}.toml` : "config.toml";
    return failField(field, `${message} has no value`, `Set it in _bmad/custom/${file}`);
  }
  throw new UnsupportedTemplate({ code: "invalid-input", field, problem: oneLine(message) });
}

function checkOverrides(entry: Entry, values: Values, known: Values, prefix: string): void {
  for (const [key, value] of Object.entries(values)) {
    const path = `${prefix}.${key}`;
    const before = known[key];
    if (isValues(value) && isValues(before)) checkOverrides(entry, value, before, path);
    else if (!Object.hasOwn(known, key) || typeOf(value) !== typeOf(before)) {
      const problem = Object.hasOwn(known, key)
        ? `expected ${typeOf(before)}, got ${typeOf(value)}`
        : "the skill has no such key";
      failField(`${path} of ${qualifiedName(entry)}`, problem, `Fix it in _bmad/custom/${entry.id}.toml`);
    }
  }
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : isValues(value) ? "a table" : `a ${typeof value}`;
}

function onlyOnce(config: Values): Values {
  const once = scalarsByKey(config).entries().filter(([, found]) => found.length === 1);
  return Object.fromEntries(once.map(([key, [first]]) => [key, first![1]]));
}
