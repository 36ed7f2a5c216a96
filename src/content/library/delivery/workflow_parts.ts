/** What comes along with a workflow, so that its reader need not look it up. */
import {
  type Entry,
  hasKind,
  type Kind,
  type MenuItem,
  qualifiedName,
  ROOT_NAMES,
} from "../../../base/model.ts";
import { fillNames, firstOf, type Values } from "../../../base/values.ts";
import { baseName, findText } from "../../tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { asText, parseYaml } from "../../parse.ts";
import { filesOf, folderUri, type ServedFile, uriOf } from "../files/files.ts";
import { SCHEME } from "../files/mounts.ts";
import { fillPlaceholders, rawText, readSafely } from "../files/reading.ts";
import { fileIn, findExactFile } from "../files/references.ts";
import { fileOf, hasSteppedBack, type Library, perKey, reachableProject, sourceOf } from "../library.ts";
import { withProjectRoot } from "../values/config.ts";
import { resolveValues } from "../values/customize.ts";
import { renderManifest } from "./resources.ts";

const ENGINE = "{project-root}/_bmad/core/tasks/workflow.xml";

export function engineParts(library: Library, entry: Entry, yaml: string) {
  if (entry.generation !== "v6" || baseName(entry.file) !== "workflow.yaml") return undefined;
  const { value } = parseYaml(yaml);
  const engine = findEngine(library);
  const named = asText(value["instructions"]);
  // Instructions can also be part of the configuration.
  const isFile = named !== undefined && /^\S+\.\w+$/.test(named);
  return {
    variables: resolveVariables(library, entry, value),
    text: [
      `To run ${qualifiedName(entry)}: follow the engine exactly, with the workflow configuration as its ` +
      "workflow-config, and save the output after each section.",
      section("engine", engine, ENGINE.replace("_bmad", rootOf(entry)), WITHOUT_ENGINE),
      `=== workflow configuration: ${uriOf(library, entry)} ===\n${yaml.trimEnd()}`,
      ...(isFile ? [section("instructions", findInItem(library, entry, named), named, REINSTALL)] : []),
    ].join("\n\n"),
  };
}

const REINSTALL = "tell the user to reinstall BMAD";

const findEngine = perKey((library) => {
  const reserves = library.whole.sources.filter((_, rank) => hasSteppedBack(library, rank));
  const path = ENGINE.replace("{project-root}/_bmad/", "");
  return findExactFile(library, ENGINE) ?? firstOf(reserves, (source) => fileIn(source, path));
});

const OWN_FOLDER = /^\{installed_path\}\//;
const IN_PROJECT = /^\{project-root\}\//;

function findInItem(library: Library, entry: Entry, reference: string): ServedFile | undefined {
  const find = (path: string) => findExactFile(library, path, fileOf(library, entry));
  return find(reference.replace(OWN_FOLDER, "./")) ?? find(reference);
}

/** Before 6.0.0-alpha.9 it was called `bmad`. */
function rootOf({ file }: Entry): string {
  return ROOT_NAMES.find((name) => file.startsWith(`${name}/`)) ?? "_bmad";
}

const WITHOUT_ENGINE =
  "work through the steps of the instructions in order: do each action, wait where a step asks, " +
  "and write each template output to the output file before you go on";

function section(what: string, file: ServedFile | undefined, reference: string, advice: string): string {
  return file === undefined
    ? `=== ${what}: missing ===\nThis installation has no ${reference}: ${advice}.`
    : `=== ${what}: ${file.uri} ===\n${fillPlaceholders(readSafely(file).text ?? "", file).trimEnd()}`;
}

const NOT_VARIABLES = ["instructions", "config_source", "date", "project-root"];

/** Values with names that the module's configuration lacks, filled in as far as known; its own files by their URIs. */
function resolveVariables(library: Library, entry: Entry, values: Values): Values {
  const { config } = resolveValues(library, entry);
  const known = new Map<string, string>(
    Object.entries(withProjectRoot(config)).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, value]] : []
    ),
  );
  const project = reachableProject(library);
  if (project !== undefined) known.set("project-root", project);
  const fill = (text: string) => fillNames(text, NAME, (name) => known.get(name));
  const isOwn = (key: string) => !NOT_VARIABLES.includes(key) && !Object.hasOwn(config, key);
  const isElsewhere = sourceOf(library, entry).origin.kind !== "project";
  const isServed = (text: string) => OWN_FOLDER.test(text) || (isElsewhere && IN_PROJECT.test(text));
  const own: Record<string, string> = {};
  let left: number = LIMITS.delivery.filledValues;
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

const NAME = /(?<!\{)\{([\w-]{1,80})\}(?!\})/g;

export function markdownParts(library: Library, entry: Entry, text: string) {
  if (!entry.file.endsWith(".md") || !hasKind(entry, "workflow")) return undefined;
  const paths = text.matchAll(PATH_LINE).take(LIMITS.delivery.pathLines);
  const values = Object.fromEntries(paths.map(([, name, value]) => [name!, value!]));
  const variables = resolveVariables(library, entry, values);
  if (!isParty(library, entry)) {
    return Object.keys(variables).length === 0 ? undefined : { variables, text };
  }
  const agents = `=== agents, the rows of agent-manifest.csv: ${SCHEME}manifests/agents ===`;
  const rows = renderManifest(library, "agent").trimEnd();
  return { variables, text: `${text.trimEnd()}\n\n${agents}\n${rows}\n` };
}

const PATH_LINE = /^- `([\w-]{1,80})` = `([^`\n]{1,500})`/gm;

function isParty(library: Library, entry: Entry): boolean {
  return entry.name === "party-mode" &&
    filesOf(library, entry).some(({ source, path }) =>
      path.endsWith(".md") && findText(source.tree, path)?.includes("/agent-manifest.csv")
    );
}

const RUNNERS: Readonly<Partial<Record<Kind, string>>> = {
  template: "create-doc",
  checklist: "execute-checklist",
};

const DELIVERED: readonly Kind[] = ["task", "template", "checklist"];

type Naming = MenuItem | { readonly message?: string; readonly params?: Values };

export function findBundle(library: Library, entry: Entry, text: string, naming: Naming) {
  if (entry.generation !== "v4") return undefined;
  const find = (kind: Kind, id: string | undefined) =>
    id === undefined ? [] : findNear(library, entry, kind, id);
  const runnerOf = ({ kind }: Entry) => find("task", RUNNERS[kind]);
  const sectionsOf = (parts: readonly Entry[]) =>
    parts.map((part) =>
      sectionOf(library, part, fillPlaceholders(rawText(library, part), fileOf(library, part)))
    );
  const headOf = (parts: readonly Entry[]) => parts.map((part) => `${part.kind}: ${qualifiedName(part)}`);
  const own = runnerOf(entry);
  if (own.length > 0) {
    return { head: headOf(own), text: [...sectionsOf(own), sectionOf(library, entry, text)].join("\n\n") };
  }
  const words = wordsOf(entry, naming).slice(0, LIMITS.delivery.searchedMessage).toLowerCase();
  const ids = [...new Set(words.split(/[^a-z0-9-]/).filter((id) => id.includes("-")))];
  const named = DELIVERED.flatMap((kind) => ids.flatMap((id) => find(kind, id)))
    .filter(({ key }) => key !== entry.key);
  // A task that is only mentioned in the user's text for another task is not run.
  const wanted = [...named.flatMap(runnerOf), ...named].filter(({ key, kind }) =>
    key !== entry.key && (entry.kind === "agent" || kind !== "task")
  );
  const parts = [...new Map(wanted.map((one) => [one.key, one])).values()]
    .slice(0, LIMITS.delivery.bundledParts);
  if (parts.length === 0) return undefined;
  return { head: headOf(parts), text: [text.trimEnd(), ...sectionsOf(parts)].join("\n\n") };
}

function wordsOf({ kind }: Entry, naming: Naming): string {
  if ("code" in naming) return `${naming.label} ${naming.code}`;
  const { message = "", params = {} } = naming;
  return kind === "task" ? `${JSON.stringify(params)} ${message}` : "";
}

function sectionOf(library: Library, entry: Entry, text: string): string {
  return `=== ${entry.kind}: ${uriOf(library, entry)} ===\n${text.trimEnd()}`;
}

/** That of the entry's module, else of the core, else any. */
function findNear(library: Library, { module }: Entry, kind: Kind, id: string): readonly Entry[] {
  const found = library.effective.filter((one) =>
    one.generation === "v4" && one.kind === kind && one.id === id
  );
  const placeOf = (one: Entry) => [module, "bmad-core", one.module].indexOf(one.module);
  return found.toSorted((a, b) => placeOf(a) - placeOf(b)).slice(0, 1);
}
