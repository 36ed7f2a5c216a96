/**
 * Resources: every served file under its `bmad://` URI, the generated ones, and templates whose variables complete.
 *
 * The values of a template's variable are read off the URIs that exist, so a completion always leads somewhere.
 */
import type {
  CompleteRequestParams,
  CompleteResult,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { App } from "../app.ts";
import { isOf, type Kind } from "../model.ts";

/** Every resource. */
export async function listResources(app: App): Promise<readonly Resource[]> {
  return (await app.resources()).map(({ uri, title, mimeType, size, modified }) => ({
    uri,
    name: uri.slice("bmad://".length),
    title,
    mimeType,
    size,
    annotations: modified === undefined ? undefined : { lastModified: new Date(modified).toISOString() },
  }));
}

/** What a resource holds. */
export async function readResource(app: App, uri: string): Promise<ReadResourceResult> {
  const { mimeType, text, bytes } = await app.open(uri);
  return {
    contents: [text === undefined ? { uri, mimeType, blob: bytes!.toBase64() } : { uri, mimeType, text }],
  };
}

interface Template {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType?: string;
  /** Only things of this kind fill the template. */
  readonly kind?: Kind;
}

const TEMPLATES: readonly Template[] = [
  {
    uriTemplate: "bmad://{module}/{agent}/SKILL.md",
    name: "agent",
    description: "An agent's source",
    mimeType: "text/markdown",
    kind: "agent",
  },
  {
    uriTemplate: "bmad://{module}/{workflow}/SKILL.md",
    name: "workflow",
    description: "A workflow's entry file",
    mimeType: "text/markdown",
    kind: "workflow",
  },
  {
    uriTemplate: "bmad://{module}/{workflow}/instructions.md",
    name: "instructions",
    description: "A workflow's instructions",
    mimeType: "text/markdown",
    kind: "workflow",
  },
  {
    uriTemplate: "bmad://{module}/{workflow}/{template}-template.md",
    name: "template",
    description: "A document template of a workflow",
    mimeType: "text/markdown",
    kind: "workflow",
  },
  {
    uriTemplate: "bmad://{module}/{skill}/resources/knowledge/{file}",
    name: "knowledge",
    description: "A knowledge fragment",
    mimeType: "text/markdown",
  },
  {
    uriTemplate: "bmad://{module}/{skill}/customize.toml",
    name: "customize",
    description: "What can be customized in a skill",
    mimeType: "application/toml",
  },
  {
    uriTemplate: "bmad://{module}/config.yaml",
    name: "config",
    description: "A module's configuration",
    mimeType: "application/x-yaml",
  },
  { uriTemplate: "bmad://{module}/{skill}/{+path}", name: "file", description: "Any file of a skill" },
];

/** The templates. */
export function listTemplates(): readonly ResourceTemplateType[] {
  return TEMPLATES.map(({ uriTemplate, name, description, mimeType }) => ({
    uriTemplate,
    name,
    description,
    mimeType,
  }));
}

/** Values for a variable of a template, or for a prompt's argument, which is free text and completes to nothing. */
export async function complete(
  app: App,
  { ref, argument, context }: CompleteRequestParams,
): Promise<CompleteResult> {
  const template = ref.type === "ref/resource"
    ? TEMPLATES.find(({ uriTemplate }) => uriTemplate === ref.uri)
    : undefined;
  const values = template === undefined
    ? []
    : await valuesOf(app, template, argument.name, context?.arguments ?? {});
  const typed = argument.value.toLowerCase();
  const begins = values.filter((value) => value.toLowerCase().startsWith(typed));
  const contains = values.filter((value) => !begins.includes(value) && value.toLowerCase().includes(typed));
  const all = [...begins, ...contains];
  return { completion: { values: all.slice(0, 100), total: all.length, hasMore: all.length > 100 } };
}

async function valuesOf(
  app: App,
  template: Template,
  variable: string,
  given: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const pattern = patternOf(template.uriTemplate);
  const entries = (await app.entries()).filter((entry) =>
    template.kind === undefined || isOf(entry, template.kind)
  );
  const folders = new Set(entries.map((entry) => `${entry.module}/${entry.id}`));
  const values = new Set<string>();
  for (const { uri } of await app.resources()) {
    const groups = pattern.exec(uri)?.groups;
    if (groups?.[variable] === undefined) continue;
    if (
      template.kind !== undefined &&
      !folders.has(`${groups["module"]}/${groups["agent"] ?? groups["workflow"]}`)
    ) continue;
    const fits = Object.entries(given).every(([name, value]) =>
      groups[name] === undefined || groups[name] === value
    );
    if (fits) values.add(groups[variable]);
  }
  return [...values].sort();
}

/** `bmad://{module}/{+path}` as a pattern with a group for each variable. */
function patternOf(uriTemplate: string): RegExp {
  const source = uriTemplate.split(/(\{\+?\w+\})/).map((part) => {
    const [, plus, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? [];
    return name === undefined ? RegExp.escape(part) : `(?<${name}>${plus ? ".+" : "[^/]+"})`;
  });
  return new RegExp(`^${source.join("")}$`);
}
