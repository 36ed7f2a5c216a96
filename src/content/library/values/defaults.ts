/**
 * The configuration that an installer writes when every question is answered with its default.
 *
 * A module's `module.yaml` (in the first alphas `_module-installer/install-config.yaml`) has its questions: `default` is
 * the answer as a user would type it, `result` the form in which it is saved. Both can refer to other answers, as typed,
 * by `{name}`. Installers use the user's login name as a default; we do not know it.
 */
import type { Diagnostic } from "../../../base/model.ts";
import { fillNames } from "../../../base/values.ts";
import { asText, asValues, isValues, parseYaml, type Values } from "../../parse.ts";
import { flatAgents, flatQuestions } from "./flat.ts";
import { findBestFile, readLayer } from "./layers.ts";
import { type Library, perKey, perLibrary } from "../library.ts";

/** A module's questions, by the keys of the answers. */
interface Questions {
  readonly rows: readonly (readonly [key: string, row: Values])[];
  readonly agents: readonly Values[];
  /** Whether they are from the first alphas, in which the core's answers were saved in the form of `result` too. */
  readonly isOld: boolean;
}

/**
 * The default configuration of a module, without the core's keys. `said` is what is configured: where the core's answers
 * are others than its defaults, what a module derives from them is derived from those.
 */
export function defaultConfig(
  library: Library,
  module: string,
  problems: Diagnostic[],
  said: Values = {},
): Values {
  const core = readQuestions(library, "core", problems);
  const known = { ...coreAnswers(library) };
  for (const key of Object.keys(known)) {
    const value = said[key];
    // As it would be typed.
    if (typeof value === "string") known[key] = value.replace("{project-root}/", "");
  }
  if (module === "core") {
    return { ...(core.isOld ? savedAnswers(core, known) : answersTo(core, known)), ...fixedValues(core) };
  }
  const own = readQuestions(library, module, problems);
  const answers = answerAll([own], { ...otherAnswers(library, own, known), ...known });
  return { ...savedAnswers(own, answers), ...fixedValues(own) };
}

/** The agents that some modules name, by their codes, as installers save them. */
export function defaultAgents(library: Library, modules: readonly string[]): Values {
  const agents = modules.flatMap((module) =>
    readQuestions(library, module, []).agents.map(({ code, team, name, title, icon, description }) => {
      const facts = { module, team: team || module, name, title, icon, description };
      return [asText(code), withoutFalsy(facts)] as const;
    })
  );
  return Object.fromEntries(agents.filter(([code]) => code !== undefined));
}

export function withoutFalsy(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value));
}

/** More than any installation has; each of them is asked for its values by every other. */
export const MAX_MODULES = 200;

/** The codes of the modules whose values are read, those of the highest priority first. */
export function moduleCodes(library: Library): readonly string[] {
  return allCodes(library).slice(0, MAX_MODULES);
}

const allCodes = perLibrary(({ sources }): readonly string[] => [
  ...new Set(sources.flatMap(({ inventory }) => inventory.modules.map(({ code }) => code))),
]);

/** An issue if some modules are not read. */
export function moduleDiagnostics(library: Library): readonly Diagnostic[] {
  const { length } = allCodes(library);
  if (length <= MAX_MODULES) return [];
  const message = `only the values of the first ${MAX_MODULES} of ${length} modules are read`;
  const fix = "Install fewer modules, or name fewer sources";
  return [{ level: "warning", code: "limit-reached", message, fix }];
}

function readQuestions(library: Library, module: string, problems: Diagnostic[]): Questions {
  const [questions, found] = questionsOf(library, module);
  problems.push(...found);
  return questions;
}

/** The questions of a module, and the issues in its file. */
const questionsOf = perKey((library, module: string): readonly [Questions, readonly Diagnostic[]] => {
  const problems: Diagnostic[] = [];
  const now = findBestFile(library, `${module}/module.yaml`);
  const file = now ?? findBestFile(library, `${module}/_module-installer/install-config.yaml`);
  if (file === undefined) {
    const rows = flatQuestions(library, module, problems);
    return [{ rows, agents: flatAgents(library, module), isOld: rows.length === 0 }, problems];
  }
  const values = readLayer(file, parseYaml, problems)?.values ?? {};
  const rows = Object.entries(values).filter((row): row is [string, Values] => isValues(row[1]));
  const agents = Array.isArray(values["agents"]) ? values["agents"].map(asValues) : [];
  return [{ rows, agents, isOld: now === undefined }, problems];
});

/** The default answers to some modules' questions, as they would be typed, added to the known ones. */
function answerAll(asked: readonly Questions[], known: Values): Values {
  const answers: Record<string, unknown> = { ...known };
  for (const [key, { prompt, default: given }] of asked.flatMap(({ rows }) => rows)) {
    if (!prompt || given === undefined || given === null || given === "") continue;
    const filled = fill(given, answers);
    // `result` adds the beginning of a path.
    answers[key] = typeof filled === "string" ? filled.replace("{project-root}/", "") : filled;
  }
  return answers;
}

const coreAnswers = perKey((library) =>
  answerAll([readQuestions(library, "core", [])], {
    directory_name: library.project?.replaceAll("\\", "/").replace(/(?<!\/)\/+$/, "").split("/").at(-1),
  })
);

const allAnswers = perKey((library) => {
  const modules = moduleCodes(library).filter((code) => code !== "core");
  return answerAll(modules.map((code) => readQuestions(library, code, [])), coreAnswers(library));
});

function answersTo({ rows }: Questions, answers: Values): Values {
  const asked = rows.filter(([key, { prompt }]) => prompt && Object.hasOwn(answers, key));
  return Object.fromEntries(asked.map(([key]) => [key, answers[key]]));
}

/** The answers to these questions as they are saved. */
function savedAnswers(questions: Questions, answers: Values): Values {
  const forms = new Map(questions.rows.map(([key, { result }]) => [key, result]));
  const saved = Object.entries(answersTo(questions, answers)).map(([key, value]) => {
    const form = forms.get(key);
    if (typeof form !== "string" || form === "{value}" || Array.isArray(value)) return [key, value];
    return [key, fill(form.replace("{value}", () => String(value)), answers)];
  });
  return Object.fromEntries(saved);
}

/** Values that are saved without a question. */
function fixedValues({ rows }: Questions): Values {
  const fixed = rows.filter(([, { prompt, result }]) => !prompt && result);
  return Object.fromEntries(fixed.map(([key, { result }]) => [key, result]));
}

const PLACEHOLDER = /\{([^{}]+)\}/g;

/** The answers to questions of other modules that a module refers to. */
function otherAnswers(library: Library, { rows }: Questions, core: Values): Values {
  const own = new Set(["value", "project-root", ...Object.keys(core), ...rows.map(([key]) => key)]);
  const named = rows.flatMap(([, row]) => [row["default"], row["result"]])
    .flatMap((text) => Array.from(String(text).matchAll(PLACEHOLDER), ([, name]) => name!));
  const others = new Set(named).difference(own);
  if (others.size === 0) return {};
  const all = allAnswers(library);
  return Object.fromEntries(
    Array.from(others).filter((name) => Object.hasOwn(all, name)).map((name) => [name, all[name]]),
  );
}

/** Replaces `{name}` in a text; unknown names stay. */
function fill(template: unknown, values: Values): unknown {
  if (typeof template !== "string") return template;
  return fillNames(
    template,
    PLACEHOLDER,
    (name) => Object.hasOwn(values, name) && values[name] ? String(values[name]) : undefined,
  );
}
