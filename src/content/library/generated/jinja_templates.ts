/**
 * The templates of launchers after 6.12, which are in Jinja: what they can use, and what becomes of a failure.
 *
 * `config` has every table of the configuration and, beside them, each key that it has only once. `workflow` is the skill's
 * customization, in which an override must not add keys. `rendered` names another file, `halt` refuses the work.
 */
import { BmadError, fail } from "../../../base/errors.ts";
import { type Diagnostic, type Entry, qualifiedName } from "../../../base/model.ts";
import { oneLine, shorten } from "../../../base/text.ts";
import { asValues, isValues, type Values } from "../../../base/values.ts";
import type * as Engine from "../../jinja.ts";

/** A template that this program cannot render, although another one may. */
export class UnsupportedTemplate extends BmadError {}

/** Of a launcher: texts by their paths in its folder. */
type Texts = ReadonlyMap<string, string>;

/** Whether texts are templates in Jinja, and not in the tokens of 6.12. */
export function areJinja(templates: Texts): boolean {
  const texts = [...templates.values()];
  return texts.some((text) => JINJA.test(text)) && !texts.some((text) => TOKEN.test(text));
}

const JINJA = /\{%|\{\{[-+]? ?(?:rendered|halt)\(|\{\{[-+]? (?:config|workflow)\./;
const TOKEN = /\{\{\.\w|\[\[bmad-snapshot:/;

/** What templates are rendered with. */
interface Material {
  readonly entry: Entry;
  readonly templates: Texts;
  readonly config: Values;
  /** The customization, and the skill's own values before anybody customized them. */
  readonly customization: { readonly merged: Values; readonly base: Values };
  /** What a text says in place of another file. */
  nameOf(file: string): string;
}

/** Renders every template. */
export function renderJinja({ openTemplates, TemplateError }: typeof Engine, material: Material): Texts {
  const { entry, templates, config, customization, nameOf } = material;
  const name = qualifiedName(entry);
  const workflow = asValues(customization.merged["workflow"]);
  const known = asValues(customization.base["workflow"]);
  const added = Object.keys(workflow).find((key) => !Object.hasOwn(known, key));
  if (added !== undefined) {
    const hint = `Remove it from _bmad/custom/${entry.id}.toml`;
    fail({
      code: "invalid-input",
      field: `workflow.${added} of ${name}`,
      problem: "the skill has no such key",
      hint,
    });
  }
  const render = openTemplates({
    config: { ...onlyOnce(config), ...config },
    workflow,
    rendered: (file: unknown) => {
      if (typeof file === "string" && templates.has(file)) return nameOf(file);
      throw new TemplateError("halt", `it refers to ${shorten(String(file), 80)}, which is missing`);
    },
    halt: (message: unknown) => {
      throw new TemplateError("halt", shorten(oneLine(String(message)), 500));
    },
  });
  const files = Array.from(templates, ([path, text]) => {
    try {
      return [path, render(text)] as const;
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const { kind, message } = error;
      if (kind === "halt") return fail({ code: "invalid-input", problem: `${name} halts: ${message}` });
      const field = `${path} of ${name}`;
      if (kind === "undefined") {
        const file = message.startsWith("workflow.") ? `${entry.id}.toml` : "config.toml";
        const hint = `Set it in _bmad/custom/${file}`;
        return fail({ code: "invalid-input", field, problem: `${message} has no value`, hint });
      }
      throw new UnsupportedTemplate({ code: "invalid-input", field, problem: oneLine(message) });
    }
  });
  return new Map(files);
}

/** The values of keys that occur once in all tables. */
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

/** An issue for a launcher that is delivered raw. */
export function rawDiagnostic({ file: path, origin }: Entry, error: UnsupportedTemplate): Diagnostic {
  const message = `is delivered without being rendered: ${error.message}`;
  return { level: "info", code: "bad-launcher", message, path, origin: origin.id };
}
