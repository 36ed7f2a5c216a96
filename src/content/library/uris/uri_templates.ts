/** URIs that mean the same in every generation. A template knows every way to fill it; an exact file overrides it. */
import { findByName } from "../../catalog/mod.ts";
import { type Entry, hasKind } from "../../../base/model.ts";
import { firstOf } from "../../../base/values.ts";
import { baseName, joinPath } from "../../tree/mod.ts";
import { filesOf, listFiles, type ServedFile, servedFile } from "../files/files.ts";
import { SCHEME } from "../files/mounts.ts";
import { moduleCodes } from "../values/defaults.ts";
import { fragmentsOf } from "../files/fragments.ts";
import { type Library, perLibrary, sourceOf } from "../library.ts";
import { splitFragment } from "../files/reading.ts";
import { fileIn, findFile, virtualPath } from "../files/references.ts";
import { listResources } from "../delivery/resources.ts";
import { kindOf, supportingEntries } from "../files/supporting.ts";

export interface TemplateFacts {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType?: string;
}

export interface Filling {
  readonly values: Readonly<Record<string, string>>;
  readonly uri: string;
  readonly entry?: Entry;
}

interface Template extends TemplateFacts {
  fillings(library: Library): readonly Filling[];
}

const TEMPLATES: readonly Template[] = ([
  {
    uriTemplate: "bmad://{module}/agents/{agent}.md",
    name: "agent",
    title: "Agent",
    description: "An agent's source",
    mimeType: "text/markdown",
    fillings: (library) => ofKind(library, "agent", ownFile),
  },
  {
    uriTemplate: "bmad://{module}/workflows/{workflow}/workflow.yaml",
    name: "workflow",
    title: "Workflow",
    description: "The first file of a workflow, whatever its format",
    fillings: (library) => ofKind(library, "workflow", ownFile),
  },
  {
    uriTemplate: "bmad://{module}/workflows/{workflow}/instructions.md",
    name: "instructions",
    title: "Workflow instructions",
    description: "A workflow's instructions, which may be its first file",
    fillings: (library) => ofKind(library, "workflow", instructionsOf),
  },
  {
    uriTemplate: "bmad://{module}/workflows/{workflow}/template.md",
    name: "workflow-template",
    title: "Workflow template",
    description: "The template of the document that a workflow writes",
    fillings: (library) => ofKind(library, "workflow", templateOf),
  },
  {
    uriTemplate: "bmad://{module}/templates/{template}",
    name: "template",
    title: "Document template",
    description: "Any document template, by its name",
    fillings: (library) => {
      const entries = [...library.visible, ...supportingEntries(library)];
      const templates = entries.filter((entry) => hasKind(entry, "template"));
      return filledBy(library, templates, ownFile, ({ id }) => ({ template: id }));
    },
  },
  {
    uriTemplate: "bmad://{module}/knowledge/{category}/{file}",
    name: "knowledge",
    title: "Knowledge",
    description: "A piece of knowledge; its category is its subject, or the item it belongs to",
    fillings: (library) =>
      fragmentsOf(library).map(({ module, domain, file: { path, uri } }) => ({
        values: { module, category: domain, file: baseName(path) },
        uri,
      })),
  },
  {
    uriTemplate: "bmad://_cfg/agents/{agent}.customize.yaml",
    name: "agent-customize",
    title: "Agent customization",
    description: "The customizable values of an agent, such as bmm-analyst",
    fillings: (library) =>
      ofKind(library, "agent", customizeOf).map(({ values: { module, agent }, ...rest }) => {
        return { ...rest, values: { agent: `${module}-${agent}` } };
      }),
  },
  {
    uriTemplate: "bmad://{module}/{skill}/customize.toml",
    name: "customize",
    title: "Customization",
    description: "The customizable values of an agent or a workflow",
    fillings: (library) => filledBy(library, library.visible, customizeOf, ({ id }) => ({ skill: id })),
  },
  {
    uriTemplate: "bmad://{module}/config.yaml",
    name: "config",
    title: "Module configuration",
    description: "A module's configuration",
    mimeType: "application/x-yaml",
    fillings: configFiles,
  },
  {
    uriTemplate: "bmad://{module}/{skill}/{+path}",
    name: "skill-file",
    title: "File of a skill",
    description: "Any file of a skill",
    fillings: skillFiles,
  },
  {
    uriTemplate: "bmad://{module}/{+path}",
    name: "file",
    title: "File of a module",
    description: "Any file of a module, by its served path",
    fillings: (library) =>
      listFiles(library).flatMap(({ uri }) => {
        const [module = "", ...path] = partsOf(uri);
        return path.length === 0 ? [] : [{ values: { module, path: path.join("/") }, uri }];
      }),
  },
] satisfies readonly Template[]).map((row) => ({ ...row, fillings: perLibrary(row.fillings) }));

export const URI_TEMPLATES: readonly TemplateFacts[] = TEMPLATES.map(({ fillings: _, ...facts }) => facts);

export function listFillings(library: Library, uriTemplate: string): readonly Filling[] {
  return TEMPLATES.find((template) => template.uriTemplate === uriTemplate)?.fillings(library) ?? [];
}

export function throughTemplates(library: Library, reference: string): string {
  const [name, fragment] = splitFragment(reference);
  const path = virtualPath(library, name);
  if (path?.isAbsolute !== true || findFile(library, name) !== undefined) return reference;
  const uri = firstOf(TEMPLATES, (template) => findFilled(library, template, SCHEME + path.absolute));
  return uri === undefined ? reference : uri + fragment;
}

function findFilled(library: Library, template: Template, uri: string): string | undefined {
  const given = compileTemplate(template.uriTemplate).exec(uri)?.groups;
  if (given === undefined) return undefined;
  const fillings = template.fillings(library);
  const exact = fillings.find(({ values }) =>
    Object.entries(values).every(([name, value]) => value.toLowerCase() === given[name]!.toLowerCase())
  );
  if (exact !== undefined) return exact.uri;
  const kind = (["agent", "workflow"] as const).find((kind) => given[kind] !== undefined);
  if (kind === undefined) return undefined;
  const meant = findByName(library.manifest.entries, { name: given[kind]!, module: given["module"], kind });
  return meant && fillings.find(({ entry }) => entry?.key === meant.key)?.uri;
}

function compileTemplate(uriTemplate: string): RegExp {
  // References are normalized to the newer name of this folder.
  const source = uriTemplate.replace("/_cfg/", "/_config/").split(/(\{\+?\w+\})/).map((part) => {
    const [, plus, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? [];
    return name === undefined ? RegExp.escape(part) : `(?<${name}>${plus ? ".+" : "[^/]+"})`;
  });
  return new RegExp(`^${source.join("")}$`, "i");
}

type Finder = (library: Library, entry: Entry) => ServedFile | undefined;

function ofKind(library: Library, kind: "agent" | "workflow", find: Finder): readonly Filling[] {
  const taken = new Set<string>();
  return library.visible.filter((entry) => hasKind(entry, kind)).flatMap((entry) => {
    const { module, name, id } = entry;
    const label = taken.has(`${module}/${name}`) ? id : name;
    taken.add(`${module}/${name}`);
    return filledBy(library, [entry], find, () => ({ [kind]: label })).map((one) => ({ ...one, entry }));
  });
}

function filledBy(
  library: Library,
  entries: readonly Entry[],
  find: Finder,
  nameOf: (entry: Entry) => Filling["values"],
): readonly Filling[] {
  return entries.flatMap((entry) => {
    const file = find(library, entry);
    return file === undefined ? [] : [{ values: { module: entry.module, ...nameOf(entry) }, uri: file.uri }];
  });
}

const ownFile: Finder = (library, entry) => servedFile(sourceOf(library, entry), entry.file);

const instructionsOf: Finder = (library, entry) => {
  const names = entry.ownsFolder ? ["instructions.md", "instructions.xml", "workflow.md"] : [];
  return firstOf(names, (name) => servedFile(sourceOf(library, entry), joinPath(entry.folder, name))) ??
    ownFile(library, entry);
};

const templateOf: Finder = (library, entry) => {
  if (!entry.ownsFolder) return undefined;
  const templates = filesOf(library, entry).filter(({ uri }) => kindOf(uri) === "template");
  return templates.find(({ path }) => baseName(path) === "template.md") ??
    templates.find(({ path }) => baseName(path).includes(entry.name)) ?? templates[0];
};

/** Before skills, installers wrote it beside the manifests. */
const customizeOf: Finder = (library, entry) => {
  const source = sourceOf(library, entry);
  const { module, id, folder } = entry;
  return (entry.ownsFolder ? servedFile(source, joinPath(folder, "customize.toml")) : undefined) ??
    fileIn(source, `_config/agents/${module}-${id}.customize.yaml`);
};

function configFiles(library: Library): readonly Filling[] {
  const modules = new Set(moduleCodes(library));
  return ["config.yaml", "core-config.yaml", "core-config.yml"].flatMap((name) =>
    listResources(library).filter(({ uri }) => uri.endsWith(`/${name}`)).flatMap(({ uri }) => {
      const [module = "", ...path] = partsOf(uri);
      return path.length === 1 && modules.has(module) ? [{ values: { module }, uri }] : [];
    })
  );
}

function skillFiles(library: Library): readonly Filling[] {
  const skills = new Set(
    library.visible.filter((entry) => entry.kind === "skill")
      .map(({ module, id }) => `${module}/${id}`),
  );
  return listFiles(library).flatMap(({ uri }) => {
    const [module = "", skill = "", ...path] = partsOf(uri);
    if (path.length === 0 || !skills.has(`${module}/${skill}`)) return [];
    return [{ values: { module, skill, path: path.join("/") }, uri }];
  });
}

function partsOf(uri: string): readonly string[] {
  return uri.slice(SCHEME.length).split("/").map(decodeURIComponent);
}
