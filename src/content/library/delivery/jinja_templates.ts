/**
 * The templates of launchers after 6.12, which are in Jinja. `config` has every table of the configuration and, beside
 * them, each key that it has only once; `workflow` is the skill's customization, in which an override must not add
 * keys.
 */
import { BmadError, fail } from "../../../base/errors.ts";
import { qualifiedName } from "../../../base/model.ts";
import { oneLine, shorten } from "../../../base/text.ts";
import { asValues, isValues, type Values } from "../../../base/values.ts";
import { mapTexts } from "../values/merge.ts";
import { type LauncherMaterial, renderList, type Texts } from "./token_templates.ts";
import type * as Engine from "../../jinja/mod.ts";

/** A template that this program cannot render, although another one may. */
export class UnsupportedTemplate extends BmadError {}

export function areJinja(templates: Texts): boolean {
  const texts = [...templates.values()];
  return texts.some((text) => JINJA.test(text)) && !texts.some((text) => TOKEN.test(text));
}

const JINJA = /\{%|\{\{[-+]? ?(?:rendered|halt)\(|\{\{[-+]? (?:config|workflow)\./;
const TOKEN = /\{\{\.\w|\[\[bmad-snapshot:/;

interface JinjaMaterial extends LauncherMaterial {
  readonly config: Values;
}

/** Renders every template. One that is empty in the end is left out, and nothing may refer to it. */
export function renderJinja({ openTemplates, TemplateError }: typeof Engine, material: JinjaMaterial): Texts {
  const { entry, templates, config, customization, folder } = material;
  const name = qualifiedName(entry);
  const workflow = checked(customization, (path, problem) => {
    const hint = `Fix it in _bmad/custom/${entry.id}.toml`;
    return fail({ code: "invalid-input", field: `${path} of ${name}`, problem, hint });
  });
  const links: { readonly from: string; readonly to: string }[] = [];
  let from = "";
  const render = openTemplates({
    config: { ...onlyOnce(config), ...config },
    workflow: mapTexts(workflow, (text) => text.replaceAll("{skill-root}", folder)),
    rendered: (file: string) => {
      if (!templates.has(file)) {
        throw new TemplateError("halt", `it refers to ${shorten(file, 80)}, which is missing`);
      }
      links.push({ from, to: file });
      return `${folder}/${file}`;
    },
    halt: (message: string) => {
      throw new TemplateError("halt", shorten(message, 500));
    },
  }, (items) => renderList(items, items, (problem) => fail({ code: "invalid-input", field: name, problem })));
  const files = new Map<string, string>();
  for (const [path, text] of templates) {
    from = path;
    try {
      files.set(path, render(text));
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      refuse(material, path, error);
    }
  }
  const empty = new Set([...files].filter(([, text]) => text.trim() === "").map(([path]) => path));
  const broken = links.find(({ from, to }) => !empty.has(from) && empty.has(to));
  if (broken !== undefined) {
    fail({
      code: "invalid-input",
      problem: `${broken.from} of ${name} refers to ${broken.to}, which is empty`,
    });
  }
  return files;
}

function refuse({ entry }: LauncherMaterial, path: string, { kind, message }: Engine.TemplateError): never {
  const name = qualifiedName(entry);
  if (kind === "halt") return fail({ code: "invalid-input", problem: `${name} halts: ${message}` });
  const field = `${path} of ${name}`;
  if (kind === "undefined") {
    const file = message.startsWith("workflow.") ? `${entry.id}.toml` : "config.toml";
    const hint = `Set it in _bmad/custom/${file}`;
    return fail({ code: "invalid-input", field, problem: `${message} has no value`, hint });
  }
  throw new UnsupportedTemplate({ code: "invalid-input", field, problem: oneLine(message) });
}

function checked(
  { merged, base }: LauncherMaterial["customization"],
  wrong: (path: string, problem: string) => never,
): Values {
  const check = (values: Values, known: Values, prefix: string) => {
    for (const [key, value] of Object.entries(values)) {
      const path = `${prefix}.${key}`;
      if (!Object.hasOwn(known, key)) wrong(path, "the skill has no such key");
      const before = known[key];
      if (isValues(value) && isValues(before)) check(value, before, path);
      else if (typeOf(value) !== typeOf(before)) {
        wrong(path, `expected ${typeOf(before)}, got ${typeOf(value)}`);
      }
    }
  };
  const workflow = asValues(merged["workflow"]);
  check(workflow, asValues(base["workflow"]), "workflow");
  return workflow;
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : isValues(value) ? "a table" : `a ${typeof value}`;
}

function onlyOnce(config: Values): Values {
  const found = new Map<string, unknown>();
  const seen = new Set<string>();
  const visit = (table: Values, depth: number) => {
    for (const [key, value] of Object.entries(table)) {
      if (isValues(value)) {
        if (depth < MAX_DEPTH) visit(value, depth + 1);
      } else if (!Array.isArray(value)) {
        if (seen.has(key)) found.delete(key);
        else found.set(key, value);
        seen.add(key);
      }
    }
  };
  visit(config, 0);
  return Object.fromEntries(found);
}

const MAX_DEPTH = 10;
