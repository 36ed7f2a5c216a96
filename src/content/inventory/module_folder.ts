/** Modules of the compiled generation, from their files. Incomplete ones are skipped, as by BMAD's installers. */
import type { Diagnostic, Item, Kind, RenamedAgent } from "../../base/model.ts";
import { slug } from "../../base/values.ts";
import {
  asText,
  asValues,
  findHeading,
  isValues,
  normalizeText,
  parseFrontMatter,
  parseYaml,
  type Values,
} from "../parse.ts";
import { baseName, findText, joinPath, parentPath, type Tree } from "../tree/mod.ts";
import { type AgentFacts, parseAgentFile, parseAgentSource, parseXml } from "./agent_file.ts";
import {
  authorIn,
  composed,
  endingOf,
  itemOf,
  moduleOf,
  noFindings,
  packageVersion,
  type Reader,
  readParsed,
  stemOf,
} from "./layout.ts";
import { AGENT_CHANGES, CONFIG_FOLDERS, configFolders, CUSTOM_FILES, findModuleFiles } from "./folders.ts";
import { folderName, hasFile, hasRootName, type Listed, MODULE_FILE, modulesIn } from "./folders.ts";
import { OLD_MODULE_FILE, ownsFolderOf, ownSkills, partMounts } from "./folders.ts";
import { addSkill } from "./skill.ts";

interface ModuleFolder {
  readonly tree: Tree;
  readonly folder: string;
  readonly module: string;
  readonly version?: string;
  readonly notAgents: readonly AgentFacts["form"][];
  readonly takesUnnamed?: boolean;
  readonly listed?: Listed;
  readonly diagnostics: Diagnostic[];
}

export function readModuleFolder(module: ModuleFolder): readonly Item[] {
  const files = findModuleFiles(module.tree, module.folder, module.listed);
  return [
    ...files.agentSources.flatMap((file) => agentItems(module, file, parseAgentSource)),
    // Some trees have the compiled agent beside its source.
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

function nameByPath(file: string): string {
  return ownsFolderOf(file) ? baseName(parentPath(file)) : stemOf(file).replace(/-workflow$/, "");
}

/** `…/workflows/1-analysis/research/…` → `1-analysis`; none if that is the workflow's own folder. */
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

/** Roots without an installer. Every Markdown file in `agents` is an agent: authors need not know the compiled form. */
export const handWritten: Reader = (tree, root) => {
  const findings = noFindings();
  const { diagnostics } = findings;
  findings.mounts.push(...CUSTOM_FILES.map((name) => ({ at: name, path: joinPath(root, name) })));
  for (const folder of modulesIn(tree, root)) {
    const module = composed(folder === root ? flatModule(tree, root) : baseName(folder));
    findings.modules.push(moduleOf(module));
    const own = { tree, folder, module, notAgents: [], takesUnnamed: true, diagnostics };
    findings.items.push(...readModuleFolder(own));
    for (const path of ownSkills(tree, folder)) {
      addSkill(findings, tree, path, { module, modulePath: baseName(path) });
    }
    // In a root with a BMAD name, the whole module is served; elsewhere other files may lie beside it.
    const isWhole = root !== "" && folder !== root;
    findings.mounts.push(...(isWhole ? [{ at: module, path: folder }] : partMounts(module, folder)));
  }
  for (const folder of configFolders(tree, root)) {
    findings.mounts.push({ at: `${baseName(folder)}/config.yaml`, path: joinPath(folder, "config.yaml") });
  }
  findings.mounts.push(...changeFolders(tree, root).map((path) => ({ at: "_config/agents", path })));
  return { ...findings, renamed: readRenamed(tree, root) };
};

function flatModule(tree: Tree, root: string): string {
  // A BMAD folder may hold the configuration of all modules.
  const isModule = !hasRootName(tree, root) &&
    ["config.yaml", MODULE_FILE].some((name) => hasFile(tree, root, name));
  return isModule ? folderName(tree, root) : "custom";
}

export const sourceModules: Reader = (tree, root) => {
  const version = packageVersion(tree);
  const findings = noFindings(version);
  const { diagnostics } = findings;
  const facts = readParsed(tree, joinPath(root, MODULE_FILE), parseYaml, diagnostics) ??
    readParsed(tree, joinPath(root, OLD_MODULE_FILE), parseYaml, diagnostics) ?? {};
  const module = asText(facts["code"]) ?? (baseName(root) || "custom");
  const notAgents = ["prose", "described"] as const;
  findings.modules.push(moduleOf(module, version, facts));
  findings.items.push(
    ...readModuleFolder({ tree, folder: root, module, version, notAgents, diagnostics }),
  );
  const ownFiles = [...partMounts(module, ""), { at: `${module}/${OLD_MODULE_FILE}`, path: OLD_MODULE_FILE }];
  findings.mounts.push(...(root === "" ? ownFiles : [{ at: module, path: root }]));
  return findings;
};

/** Installers write an empty customization for every agent, so only one with a line like this is parsed. */
const NAMED = /^[ \t]+(?:name|title|icon):\s*(?!""|''|#|~|null\b)\S/m;

function changeFolders(tree: Tree, root: string): readonly string[] {
  return CONFIG_FOLDERS.map((folder) => joinPath(root, folder, "agents"))
    .filter((folder) => tree.list(folder).length > 0);
}

export function readRenamed(tree: Tree, root: string): readonly RenamedAgent[] {
  return changeFolders(tree, root).flatMap((folder) =>
    tree.list(folder).filter(({ name }) => name.endsWith(AGENT_CHANGES)).flatMap(({ name }) => {
      const text = findText(tree, joinPath(folder, name)) ?? "";
      if (!NAMED.test(text)) return [];
      const metadata = asValues(asValues(parseYaml(text).value["agent"])["metadata"]);
      const named = ([["displayName", "name"], ["title", "title"], ["icon", "icon"]] as const)
        .map(([key, from]) => [key, asText(metadata[from])] as const).filter(([, text]) => text);
      return [{ agent: composed(name.slice(0, -AGENT_CHANGES.length)), ...Object.fromEntries(named) }];
    })
  );
}
