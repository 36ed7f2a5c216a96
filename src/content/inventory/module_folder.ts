/**
 * The things of one module folder of the compiled generation, read from their files.
 *
 * Every kind of file says in its own way what it is: YAML keys, front matter, the attributes of an XML element, or
 * only a heading. A file that says nothing where something must be said (a workflow without a name) is left out,
 * as BMAD's own installers do.
 */
import type { Diagnostic, Item, Kind } from "../../base/model.ts";
import {
  asText,
  asValues,
  isValues,
  normalizeText,
  parseFrontMatter,
  parseYaml,
  type Values,
} from "../parse.ts";
import { baseName, findText, parentPath, type Tree } from "../tree/mod.ts";
import { type AgentFacts, attributesOf, parseAgentFile, parseAgentSource } from "./agent_file.ts";
import { readParsed } from "./layout.ts";
import { findModuleFiles, type Told } from "./module_files.ts";
import { slug } from "../../base/values.ts";

/** A module and how it is to be read. */
interface ModuleFolder {
  readonly tree: Tree;
  readonly folder: string;
  /** The code of the module. */
  readonly module: string;
  readonly version?: string;
  /** Whether every Markdown file in `agents` is an agent, or only what is written as one. */
  readonly takesProse: boolean;
  /** What is known already and need not be read. */
  readonly told?: Told;
  readonly diagnostics: Diagnostic[];
}

/** Every thing of a module. */
export function readModuleFolder(module: ModuleFolder): readonly Item[] {
  const files = findModuleFiles(module.tree, module.folder, module.told);
  return [
    ...files.agentSources.flatMap((file) => agentItems(module, file, parseAgentSource)),
    // What was compiled lies beside its source in some trees.
    ...files.agents.filter((file) => !files.agentSources.includes(file.replace(/\.md$/, ".agent.yaml")))
      .flatMap((file) => agentItems(module, file, parseAgentFile)),
    ...oncePerFolder(files.workflows.flatMap((file) => workflowItems(module, file))),
    ...files.tasks.map((file) => fileItem(module, file, "task")),
    ...files.tools.map((file) => fileItem(module, file, "tool")),
    ...files.teams.map((file) => teamItem(module, file)),
  ];
}

function agentItems(module: ModuleFolder, file: string, parse: typeof parseAgentFile): readonly Item[] {
  const facts = readParsed(module.tree, file, parse, module.diagnostics);
  if (facts === undefined || facts.isSkipped || (facts.form === "prose" && !module.takesProse)) return [];
  const id = baseName(file).replace(/\.agent\.yaml$|\.md$/, "");
  const { form: _, isSkipped: __, ...described } = facts satisfies AgentFacts;
  return [{
    ...itemOf(module, "agent", id, file),
    ...described,
    ownsFolder: baseName(parentPath(file)) === id,
  }];
}

/** Of files in one folder that tell of the same workflow, the one that describes it. */
function oncePerFolder(items: readonly Item[]): readonly Item[] {
  const best = new Map<string, Item>();
  for (const item of items) {
    const place = `${item.folder}:${item.id}`;
    const known = best.get(place);
    if (known === undefined || (known.description === "" && item.description !== "")) best.set(place, item);
  }
  return [...best.values()];
}

/** A workflow, unless the file is a template for one or says nothing about itself. */
function workflowItems(module: ModuleFolder, file: string): readonly Item[] {
  const values = readDescription(module.tree, file, module.diagnostics);
  const name = asText(values["name"]) ??
    (module.takesProse || file.endsWith(".xml") ? baseName(parentPath(file)) : undefined);
  if (name === undefined || /[{}]/.test(name)) return [];
  const id = slug(name) || name;
  return [{
    ...itemOf(module, "workflow", id, file),
    // Before 6.1 a workflow in XML was in no manifest: it is a part of others.
    roles: file.endsWith(".xml") || asText(values["standalone"]) === "false" ? ["internal"] : [],
    ownsFolder: true,
    title: id === name ? undefined : name,
    description: asText(values["description"]) ?? "",
    phase: phaseOf(file),
  }];
}

/** The first folder below `workflows`, unless it is the workflow's own: `…/workflows/1-analysis/research/…`. */
export function phaseOf(file: string): string | undefined {
  const place = /(?:^|\/)workflows\/(.*)\/[^/]*$/.exec(file)?.[1]?.split("/") ?? [];
  return place.length > 1 ? place[0] : undefined;
}

function fileItem(module: ModuleFolder, file: string, kind: Kind): Item {
  const values = readDescription(module.tree, file, module.diagnostics);
  return {
    ...itemOf(module, kind, baseName(file).replace(/\.\w+$/, ""), file),
    roles: asText(values["internal"]) === "true" ? ["internal"] : [],
    title: asText(values["name"]) ?? asText(values["heading"]),
    description: asText(values["description"]) ?? "",
  };
}

function teamItem(module: ModuleFolder, file: string): Item {
  const bundle = asValues(readParsed(module.tree, file, parseYaml, module.diagnostics)?.["bundle"]);
  return {
    ...itemOf(module, "team", baseName(file).replace(/\.\w+$/, ""), file),
    title: asText(bundle["name"]),
    icon: asText(bundle["icon"]),
    description: asText(bundle["description"]) ?? "",
  };
}

function readDescription(tree: Tree, file: string, diagnostics: Diagnostic[]): Values {
  if (/\.ya?ml$/.test(file)) {
    const values = readParsed(tree, file, parseYaml, diagnostics) ?? {};
    return isValues(values["workflow"]) ? asValues(values["workflow"]) : values;
  }
  const text = normalizeText(findText(tree, file) ?? "");
  if (file.endsWith(".md")) {
    const heading = /^# +(.+)$/m.exec(text)?.[1]?.trim();
    return { heading, ...readParsed(tree, file, parseFrontMatter, diagnostics) };
  }
  const objective = /<objective>([\s\S]*?)<\/objective>/.exec(text)?.[1];
  return {
    description: objective,
    ...attributesOf(/<(?:task|tool|workflow)\b([^>]*)>/.exec(text)?.[1] ?? ""),
  };
}

function itemOf(
  module: Pick<ModuleFolder, "module" | "version">,
  kind: Kind,
  id: string,
  file: string,
): Item {
  return {
    kind,
    roles: [],
    id,
    name: id.toLowerCase(),
    module: module.module,
    generation: "v6",
    version: module.version,
    status: "verified",
    folder: parentPath(file),
    ownsFolder: false,
    file,
    description: "",
  };
}
