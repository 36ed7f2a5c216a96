/**
 * Workflows for BMAD's engine: a `workflow.yaml` with instructions, which the task `workflow.xml` of the core runs.
 *
 * An installation's own command makes its reader load the engine, then the configuration, then the instructions. They are
 * delivered together, in that order, and the variables of the configuration are resolved.
 */
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { fillNames } from "../../../base/values.ts";
import { baseName } from "../../tree/mod.ts";
import { asText, parseYaml, type Values } from "../../parse.ts";
import { folderUri, type ServedFile, uriOf } from "../files/files.ts";
import { fillPlaceholders } from "../files/placeholders.ts";
import { readSafely } from "../files/reading.ts";
import { fileIn, findExactFile } from "../files/references.ts";
import { fileOf, hasSteppedBack, type Library, perKey, reachableProject, sourceOf } from "../library.ts";
import { resolveValues } from "../values/customize.ts";

/** What an engine needs of a workflow. */
export interface EngineParts {
  /** The variables of the workflow, with the values of this project. */
  readonly variables: Values;
  /** How to run it, the engine, the configuration as it is, and the instructions. */
  readonly text: string;
}

const ENGINE = "{project-root}/_bmad/core/tasks/workflow.xml";

/** The parts of a workflow that has the text `yaml`; undefined if the item needs no engine. */
export function engineParts(library: Library, entry: Entry, yaml: string): EngineParts | undefined {
  if (entry.generation !== "v6" || baseName(entry.file) !== "workflow.yaml") return undefined;
  const { value } = parseYaml(yaml);
  const engine = engineOf(library);
  const named = asText(value["instructions"]);
  // Instructions can also be part of the configuration.
  const isFile = named !== undefined && /^\S+\.\w+$/.test(named);
  return {
    variables: variablesOf(library, entry, value),
    text: [
      `To run ${qualifiedName(entry)}: follow the engine exactly, with the workflow configuration as its ` +
      "workflow-config, and save the output after each section.",
      engine === undefined ? missing("engine", ENGINE, WITHOUT_ENGINE) : section("engine", engine),
      `=== workflow configuration: ${uriOf(library, entry)} ===\n${yaml.trimEnd()}`,
      ...(isFile ? [instructionsOf(findInItem(library, entry, named), named)] : []),
    ].join("\n\n"),
  };
}

const engineOf = perKey((library) => findExactFile(library, ENGINE) ?? engineInReserve(library));

/** The engine of a source that has stepped back; most have none. */
function engineInReserve(library: Library): ServedFile | undefined {
  return library.whole.sources.values().filter((_, rank) => hasSteppedBack(library, rank))
    .map((source) => fileIn(source, ENGINE.replace("{project-root}/_bmad/", "")))
    .find((file) => file !== undefined);
}

const OWN_FOLDER = /^\{installed_path\}\//;
const IN_PROJECT = /^\{project-root\}\//;

function findInItem(library: Library, entry: Entry, reference: string): ServedFile | undefined {
  const find = (path: string) => findExactFile(library, path, fileOf(library, entry));
  return find(reference.replace(OWN_FOLDER, "./")) ?? find(reference);
}

const WITHOUT_ENGINE =
  "work through the steps of the instructions in order: do each action, wait where a step asks, " +
  "and write each template output to the output file before you go on";

function instructionsOf(file: ServedFile | undefined, named: string): string {
  return file === undefined
    ? missing("instructions", named, "tell the user to reinstall BMAD")
    : section("instructions", file);
}

function section(what: string, file: ServedFile): string {
  return `=== ${what}: ${file.uri} ===\n${fillPlaceholders(readSafely(file).text ?? "", file).trimEnd()}`;
}

function missing(what: string, reference: string, advice: string): string {
  return `=== ${what}: missing ===\nThis installation has no ${reference}: ${advice}.`;
}

/** What is delivered with the workflow, or stands beside its variables. */
const NOT_VARIABLES = ["instructions", "config_source", "date", "project-root"];

/**
 * The text values with names in them that the configuration of the module does not have, filled in as far as the server
 * knows them; the workflow's own files go by their URIs, and those of an installation outside the project, too.
 */
export function variablesOf(library: Library, entry: Entry, values: Values): Values {
  const { config } = resolveValues(library, entry);
  const known = new Map<string, string>();
  const project = reachableProject(library);
  if (project !== undefined) known.set("project-root", project);
  const fill = (text: string) => fillNames(text, NAME, (name) => known.get(name));
  const isOwn = (key: string) => !NOT_VARIABLES.includes(key) && !Object.hasOwn(config, key);
  const isElsewhere = sourceOf(library, entry).origin.kind !== "project";
  const isServed = (text: string) => OWN_FOLDER.test(text) || (isElsewhere && IN_PROJECT.test(text));
  const own: Record<string, string> = {};
  let left = MAX_FILLED;
  for (const [key, text] of Object.entries(values)) {
    if (typeof text !== "string" || text === "") continue;
    const [, setting] = /^\{config_source\}:([\w-]{1,80})$/.exec(text) ?? [];
    const value = setting === undefined ? text : asText(config[setting]);
    if (value === undefined) continue;
    const folder = isElsewhere && key === "installed_path" ? folderUri(entry).slice(0, -1) : undefined;
    const filled = folder ?? fill(value);
    if ((left -= filled.length) < 0) break;
    known.set(key, filled);
    const uri = isServed(text) ? findInItem(library, entry, text)?.uri : undefined;
    if (isOwn(key) && text.includes("{")) own[key] = uri ?? filled;
  }
  return own;
}

/** In characters: values that name each other grow with each name. */
const MAX_FILLED = 200_000;

const NAME = /(?<!\{)\{([\w-]{1,80})\}(?!\})/g;
