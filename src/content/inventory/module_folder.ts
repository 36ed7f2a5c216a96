/**
 * The items of one module folder of the compiled generation, read from their files.
 *
 * Each kind of file describes itself in its own way: YAML keys, front matter, the attributes of an XML element, or only
 * a heading. A file that lacks something essential (a workflow without a name) is skipped, as by BMAD's own installers.
 */
import type { Diagnostic, Item, Kind } from "../../base/model.ts";
import { slug } from "../../base/values.ts";
import { asText, asValues, findHeading, isValues, type Values } from "../parse.ts";
import { normalizeText, parseFrontMatter, parseYaml } from "../parse.ts";
import { baseName, findText, parentPath, type Tree } from "../tree/mod.ts";
import { type AgentFacts, parseAgentFile, parseAgentSource, parseXml } from "./agent_file.ts";
import { authorIn, endingOf, itemOf, readParsed, stemOf } from "./layout.ts";
import { findModuleFiles, type Listed, ownsFolderOf } from "./module_files.ts";

interface ModuleFolder {
  readonly tree: Tree;
  readonly folder: string;
  readonly module: string;
  readonly version?: string;
  /** The forms of files in `agents` that are not agents here. */
  readonly notAgents: readonly AgentFacts["form"][];
  /** Whether a workflow may leave its name to its path. */
  readonly takesUnnamed?: boolean;
  /** What a manifest lists and need not be read. */
  readonly listed?: Listed;
  readonly diagnostics: Diagnostic[];
}

export function readModuleFolder(module: ModuleFolder): readonly Item[] {
  const files = findModuleFiles(module.tree, module.folder, module.listed);
  return [
    ...files.agentSources.flatMap((file) => agentItems(module, file, parseAgentSource)),
    // In some trees the compiled agent lies beside its source.
    ...files.agents.filter((file) => !files.agentSources.includes(file.replace(/\.md$/i, ".agent.yaml")))
      .flatMap((file) => agentItems(module, file, parseAgentFile)),
    ...oncePerFolder(files.workflows.flatMap((file) => workflowItems(module, file))),
    ...files.tasks.map((file) => fileItem(module, file, "task")),
    ...files.tools.map((file) => fileItem(module, file, "tool")),
    ...files.teams.map((file) => teamItem(module, file)),
  ];
}

function agentItems(module: ModuleFolder, file: string, parse: typeof parseAgentFile): readonly Item[] {
  const facts = readParsed(module.tree, file, parse, module.diagnostics);
  if (facts === undefined || facts.isSkipped || module.notAgents.includes(facts.form)) return [];
  const id = baseName(file).replace(/\.agent\.yaml$|\.md$/i, "");
  const { form: _, isSkipped: __, ...described } = facts;
  const ownsFolder = baseName(parentPath(file)) === id;
  return [{ ...newItem(module, "agent", file, id), ...described, ownsFolder }];
}

/** Of several files about one workflow, the one that describes it: those of its own folder, or of one name. */
function oncePerFolder(items: readonly Item[]): readonly Item[] {
  const best = new Map<string, Item>();
  for (const item of items) {
    const place = item.ownsFolder ? item.folder : item.file.replace(/\.\w+$/, "");
    const key = `${place}:${item.id}`;
    const known = best.get(key);
    if (known === undefined || (known.description === "" && item.description !== "")) best.set(key, item);
  }
  return [...best.values()];
}

/** A workflow, unless the file is a template for one or has no name. */
function workflowItems(module: ModuleFolder, file: string): readonly Item[] {
  const values = readDescription(module.tree, file, module.diagnostics);
  const name = asText(values["name"]) ??
    (module.takesUnnamed || endingOf(file) === "xml" ? nameByPath(file) : undefined);
  if (name === undefined || /[{}]/.test(name)) return [];
  const id = slug(name) || name;
  return [{
    ...newItem(module, "workflow", file, id),
    // Before 6.1, no manifest listed a workflow in XML: it is a part of others.
    roles: endingOf(file) === "xml" || asText(values["standalone"]) === "false" ? ["internal"] : [],
    ownsFolder: ownsFolderOf(file),
    title: id === name ? undefined : name,
    description: asText(values["description"]) ?? "",
    phase: phaseOf(file),
    ...authorIn(values),
  }];
}

/** The name of a workflow that does not say it: of its folder, or of its file where several share one. */
function nameByPath(file: string): string {
  return ownsFolderOf(file) ? baseName(parentPath(file)) : stemOf(file).replace(/-workflow$/, "");
}

/** The first folder below `workflows`, unless it is the workflow's own: `…/workflows/1-analysis/research/…`. */
export function phaseOf(file: string): string | undefined {
  const parts = file.split("/");
  const at = parts.indexOf("workflows");
  const folders = at < 0 ? [] : parts.slice(at + 1, -1);
  return folders.length > 1 ? folders[0] : undefined;
}

function fileItem(module: ModuleFolder, file: string, kind: Kind): Item {
  const values = readDescription(module.tree, file, module.diagnostics);
  return {
    ...newItem(module, kind, file),
    roles: asText(values["internal"]) === "true" ? ["internal"] : [],
    title: asText(values["name"]) ?? asText(values["heading"]),
    description: asText(values["description"]) ?? "",
    ...authorIn(values),
  };
}

function teamItem(module: ModuleFolder, file: string): Item {
  const bundle = asValues(readParsed(module.tree, file, parseYaml, module.diagnostics)?.["bundle"]);
  return {
    ...newItem(module, "team", file),
    title: asText(bundle["name"]),
    icon: asText(bundle["icon"]),
    description: asText(bundle["description"]) ?? "",
  };
}

/** What a file says about itself, by key. */
function readDescription(tree: Tree, file: string, diagnostics: Diagnostic[]): Values {
  if (/\.ya?ml$/i.test(file)) {
    const values = readParsed(tree, file, parseYaml, diagnostics) ?? {};
    return isValues(values["workflow"]) ? values["workflow"] : values;
  }
  if (endingOf(file) === "xml") return readParsed(tree, file, parseXml, diagnostics) ?? {};
  const text = normalizeText(findText(tree, file) ?? "");
  return { heading: findHeading(text), ...readParsed(tree, file, parseFrontMatter, diagnostics) };
}

function newItem({ module, version }: ModuleFolder, kind: Kind, file: string, id = stemOf(file)): Item {
  return itemOf({ kind, id, module, generation: "v6", version, file });
}
