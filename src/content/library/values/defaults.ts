/**
 * What an installer would have written had every question been answered with its default.
 *
 * A module's `module.yaml` (in the first alphas `_module-installer/install-config.yaml`) holds its questions:
 * `default` is the answer as a user would type it, `result` the form in which it is written down. Defaults and
 * results refer to other answers, as they were typed, by `{name}`. The user's name on the machine, which
 * installers put in place of the default, is not known to us.
 */
import type { Diagnostic } from "../../../base/model.ts";
import { asText, asValues, isValues, parseYaml, type Values } from "../../parse.ts";
import { findBestFile, readLayer } from "./layers.ts";
import { type Library, perLibrary } from "../library.ts";

/** A module's questions, by the key that the answer gets. */
interface Questions {
  readonly rows: readonly (readonly [key: string, row: Values])[];
  /** The roster that the module brings along. */
  readonly agents: readonly Values[];
  /** Whether they are from the time when the core's answers too were written down in the form of `result`. */
  readonly isOld: boolean;
}

/** The default configuration of a module: its own keys alone. */
export function defaultConfig(library: Library, module: string, problems: Diagnostic[]): Values {
  const core = readQuestions(library, "core", problems);
  const known = coreAnswers(library);
  if (module === "core") {
    return { ...(core.isOld ? writeDown(core, known) : answersTo(core, known)), ...fixedValues(core) };
  }
  const own = readQuestions(library, module, problems);
  const answers = answerAll([own], { ...otherAnswers(library, own, known), ...known });
  return { ...writeDown(own, answers), ...fixedValues(own) };
}

/** The agents that some modules name, by their codes, as installers write them down. */
export function defaultAgents(library: Library, modules: readonly string[]): Values {
  const agents = modules.flatMap((module) =>
    readQuestions(library, module, []).agents.map(({ code, team, name, title, icon, description }) => {
      const facts = { module, team: team || module, name, title, icon, description };
      return [asText(code), Object.fromEntries(Object.entries(facts).filter(([, value]) => value))] as const;
    })
  );
  return Object.fromEntries(agents.filter(([code]) => code !== undefined));
}

/** The codes of all modules, each once, best origin first. */
export function moduleCodes(library: Library): readonly string[] {
  return [
    ...new Set(library.sources.flatMap(({ inventory }) => inventory.modules.map((module) => module.code))),
  ];
}

/** The questions of every module that somebody asked for, each with what is wrong with its file. */
const questionsOf = perLibrary(() => new Map<string, readonly [Questions, readonly Diagnostic[]]>());

function readQuestions(library: Library, module: string, problems: Diagnostic[]): Questions {
  const known = questionsOf(library);
  const [questions, found] = known.get(module) ?? findQuestions(library, module);
  known.set(module, [questions, found]);
  problems.push(...found);
  return questions;
}

function findQuestions(library: Library, module: string): readonly [Questions, readonly Diagnostic[]] {
  const problems: Diagnostic[] = [];
  const now = findBestFile(library, `${module}/module.yaml`);
  const place = now ?? findBestFile(library, `${module}/_module-installer/install-config.yaml`);
  const values = place === undefined ? {} : readLayer(place, parseYaml, problems)?.values ?? {};
  const rows = Object.entries(values).filter((row): row is [string, Values] => isValues(row[1]));
  const agents = Array.isArray(values["agents"]) ? values["agents"].map(asValues) : [];
  return [{ rows, agents, isOld: now === undefined }, problems];
}

/** What is known, and with it the answers to some modules' questions, as they would be typed. */
function answerAll(asked: readonly Questions[], known: Values): Values {
  const answers: Record<string, unknown> = { ...known };
  for (const [key, { prompt, default: given }] of asked.flatMap(({ rows }) => rows)) {
    if (!prompt || given === undefined || given === null || given === "") continue;
    const filled = fill(given, answers);
    // Where a path begins, `result` says.
    answers[key] = typeof filled === "string" ? filled.replace("{project-root}/", "") : filled;
  }
  return answers;
}

/** The answers to the core's questions. */
const coreAnswers = perLibrary((library) =>
  answerAll([readQuestions(library, "core", [])], { directory_name: projectName(library) })
);

/** The answers to all modules' questions, one module after the other. */
const allAnswers = perLibrary((library) => {
  const modules = moduleCodes(library).filter((code) => code !== "core");
  return answerAll(modules.map((code) => readQuestions(library, code, [])), coreAnswers(library));
});

/** Of all answers those to these questions. */
function answersTo({ rows }: Questions, answers: Values): Values {
  return Object.fromEntries(
    rows.filter(([key, { prompt }]) => prompt && Object.hasOwn(answers, key)).map((
      [key],
    ) => [key, answers[key]]),
  );
}

/** The answers to these questions in the form in which they are written down. */
function writeDown(questions: Questions, answers: Values): Values {
  const forms = new Map(questions.rows.map(([key, { result }]) => [key, result]));
  const written = Object.entries(answersTo(questions, answers)).map(([key, value]) => {
    const form = forms.get(key);
    if (typeof form !== "string" || form === "{value}" || Array.isArray(value)) return [key, value];
    return [key, fill(form.replace("{value}", () => String(value)), answers)];
  });
  return Object.fromEntries(written);
}

/** What is written down without a question. */
function fixedValues({ rows }: Questions): Values {
  return Object.fromEntries(
    rows.filter(([, { prompt, result }]) => !prompt && result).map(([key, { result }]) => [key, result]),
  );
}

const PLACEHOLDER = /\{([^{}]+)\}/g;

/** The answers to questions of other modules that a module refers to. */
function otherAnswers(library: Library, { rows }: Questions, core: Values): Values {
  const near = new Set(["value", "project-root", ...Object.keys(core), ...rows.map(([key]) => key)]);
  const named = rows.flatMap(([, row]) => [row["default"], row["result"]])
    .flatMap((text) => Array.from(String(text).matchAll(PLACEHOLDER), ([, name]) => name!));
  const far = [...new Set(named)].filter((name) => !near.has(name));
  if (far.length === 0) return {};
  const answers = allAnswers(library);
  return Object.fromEntries(
    far.filter((name) => Object.hasOwn(answers, name)).map((name) => [name, answers[name]]),
  );
}

/** How many characters other answers may bring into one: each could double the one before it. */
const ROOM = 10_000;

/** Puts values for `{name}` into a text; what nobody knows stays. */
function fill(template: unknown, values: Values): unknown {
  if (typeof template !== "string") return template;
  let room = ROOM;
  return template.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const value = Object.hasOwn(values, name) && values[name] ? String(values[name]) : whole;
    room -= value.length;
    return room < 0 ? whole : value;
  });
}

function projectName(library: Library): string | undefined {
  return library.project?.replaceAll("\\", "/").replace(/\/+$/, "").split("/").at(-1);
}
