/**
 * Resources that exist in no file: the master manifest, the manifests by kind, the help catalogue, who can be called
 * together, what to do in place of scripts, the configuration in force, and what a launcher renders.
 *
 * The CSV manifests have the columns of BMAD's own, so that content which reads those finds them even without
 * an installation; so do the files of the configuration. As one resource, it is in the form in which BMAD's own
 * script prints it.
 */
import { dump } from "js-yaml";
import { visibleEntries } from "../../catalog/mod.ts";
import { type Entry, isOf, type Kind } from "../../../base/model.ts";
import { formatToml } from "../../parse.ts";
import { isOfV4, resolveConfig, resolveModuleConfig } from "../values/config.ts";
import { moduleCodes } from "../values/defaults.ts";
import { uriOf } from "../files/files.ts";
import { renderHelp } from "./help.ts";
import { findRendered } from "./launcher.ts";
import { SCHEME } from "../files/mounts.ts";
import { excerpt, type FileContent, splitFragment } from "../files/reading.ts";
import { findFile, virtualPath } from "../files/references.ts";
import type { Library, SourceFile } from "../library.ts";
import { activeParty, partyMenu, partyNamed, personaPool, rosterAgents } from "./roster.ts";
import { renderScripts } from "./script_substitutes.ts";

/** A resource that is made when it is read. */
interface GeneratedResource {
  readonly path: string;
  readonly title: string;
  readonly mimeType: string;
  /** Whether it stands in for a file: one that an installation has is that file. */
  readonly isStandIn?: true;
  /** What is made from the rest of a path that goes on behind its own. */
  renderPart?(library: Library, part: string): string;
  render(library: Library): string | Promise<string>;
}

const AGENT_COLUMNS =
  "name,displayName,title,icon,role,identity,communicationStyle,principles,module,path,canonicalId".split(
    ",",
  );
const OTHER_COLUMNS = "name,displayName,description,module,path,standalone,canonicalId".split(",");

const KINDS: readonly (readonly [plural: string, kind: Kind])[] = [
  ["agents", "agent"],
  ["workflows", "workflow"],
  ["tasks", "task"],
  ["tools", "tool"],
  ["skills", "skill"],
];

const GENERATED: readonly GeneratedResource[] = [
  {
    path: "manifest",
    title: "Every record of every origin",
    mimeType: "application/json",
    render: (library) => json({ entries: library.manifest.entries.map((entry) => recordOf(library, entry)) }),
  },
  ...KINDS.map(([plural, kind]): GeneratedResource => ({
    path: `manifests/${plural}`,
    title: `Manifest of ${plural}`,
    mimeType: "text/csv",
    render: (library) => renderManifest(library, kind),
  })),
  {
    path: "_config/bmad-help.csv",
    title: "Help catalogue: what to do when",
    mimeType: "text/csv",
    isStandIn: true,
    render: renderHelp,
  },
  {
    path: "roster",
    title: "The party that comes together when none is named",
    mimeType: "application/json",
    render: (library) => json(activeParty(library)),
  },
  {
    path: "roster/agents",
    title: "The agents, as configuration spells them",
    mimeType: "application/json",
    render: (library) => json({ agents: rosterAgents(library) }),
  },
  {
    path: "roster/parties",
    title: "The names of all parties; each is below by its id",
    mimeType: "application/json",
    render: (library) => json(partyMenu(library)),
    renderPart: (library, id) => json(partyNamed(library, id)),
  },
  {
    path: "roster/personas",
    title: "Agents, personas and parties with their members",
    mimeType: "application/json",
    render: (library) => json(personaPool(library)),
  },
  {
    path: "scripts",
    title: "What to do in place of the scripts that skills call",
    mimeType: "text/markdown",
    render: renderScripts,
  },
  {
    path: "config/current",
    title: "The configuration in force, without secrets",
    mimeType: "application/json",
    render: (library) => json(resolveConfig(library)),
  },
  {
    path: "config.toml",
    title: "The configuration in force, where no installation has written it down",
    mimeType: "application/toml",
    isStandIn: true,
    render: (library) => MADE + formatToml(resolveConfig(library)),
  },
];

const MADE = "# Made by the server: nobody has installed this.\n";

/** What is made for a library: the same for all, and a file of configuration for each module. */
function resourcesOf(library: Library): readonly GeneratedResource[] {
  const modules = moduleCodes(library).filter((code) => !isOfV4(library, code));
  return [...GENERATED, ...modules.map(configFile)];
}

function configFile(module: string): GeneratedResource {
  return {
    path: `${module}/config.yaml`,
    title: `The configuration of ${module}, where no installation has written it down`,
    mimeType: "application/x-yaml",
    isStandIn: true,
    render: (library) => MADE + dump(resolveModuleConfig(library, module), { lineWidth: -1 }),
  };
}

/** The generated resources of a library. */
export function listGenerated(library: Library): readonly GeneratedFacts[] {
  return resourcesOf(library).filter(({ path, isStandIn }) =>
    !isStandIn || findFile(library, path) === undefined
  )
    .map(({ path, title, mimeType }) => ({ uri: SCHEME + path, title, mimeType }));
}

/** A generated resource, as lists show it. */
export interface GeneratedFacts {
  /** Such as `bmad://manifests/agents`. */
  readonly uri: string;
  /** For people: what it tells. */
  readonly title: string;
  /** Of what is made. */
  readonly mimeType: string;
}

/** Finds where a reference leads, without reading what is there. */
export function findResource(library: Library, reference: string): Located | undefined {
  const [name] = splitFragment(reference);
  const asked = virtualPath(library, name)?.absolute ?? "";
  const found = findGenerated(library, asked);
  const file = found === undefined || found.isStandIn ? findFile(library, name) : undefined;
  if (file !== undefined) return { uri: file.uri, isMade: false };
  return found !== undefined || findRendered(library, asked) !== undefined
    ? { uri: SCHEME + asked, isMade: true }
    : undefined;
}

/** Where a reference leads. */
export interface Located {
  /** The one URI, however the reference spells it. */
  readonly uri: string;
  /** Whether it is no file but made when it is read, from any of the files there are. */
  readonly isMade: boolean;
}

/** Makes a resource, if the reference names one. A manifest that is no file is made too: `_config/agent-manifest.csv`. */
export async function readGenerated(
  library: Library,
  reference: string,
  from?: SourceFile,
): Promise<FileContent | undefined> {
  const [name, fragment] = splitFragment(reference);
  const asked = virtualPath(library, name, from)?.absolute ?? "";
  const rendered = findRendered(library, asked);
  if (rendered !== undefined) return made(asked, "text/markdown", rendered, fragment);
  const found = findGenerated(library, asked);
  if (found === undefined) return undefined;
  const { resource, part, isStandIn } = found;
  // A manifest that an installation has is that file.
  if (isStandIn && findFile(library, name) !== undefined) return undefined;
  const text = part === undefined ? await resource.render(library) : resource.renderPart!(library, part);
  return made(asked, resource.mimeType, text, fragment);
}

/** Whether a resource is made for a reference where no file is. */
export function isGenerated(library: Library, reference: string, from: SourceFile): boolean {
  return findGenerated(library, virtualPath(library, reference, from)?.absolute ?? "") !== undefined;
}

/** A generated resource, and which of it is asked for. */
interface Found {
  readonly resource: GeneratedResource;
  /** What of its path is behind its own. */
  readonly part?: string;
  /** Whether a file would count in its place. */
  readonly isStandIn: boolean;
}

/** The generated resource at a served path. */
function findGenerated(library: Library, asked: string): Found | undefined {
  const resources = resourcesOf(library);
  const [, kind] = /^_config\/(agent|workflow|task|tool|skill)-manifest\.csv$/.exec(asked) ?? [];
  const path = kind === undefined ? asked : `manifests/${kind}s`;
  const whole = resources.find((resource) => resource.path === path);
  if (whole !== undefined) {
    return { resource: whole, isStandIn: kind !== undefined || whole.isStandIn === true };
  }
  const above = resources.find((resource) => resource.renderPart && path.startsWith(`${resource.path}/`));
  return above && { resource: above, part: path.slice(above.path.length + 1), isStandIn: false };
}

function made(path: string, mimeType: string, text: string, fragment: string | undefined): FileContent {
  const uri = SCHEME + path.split("/").map(encodeURIComponent).join("/");
  return fragment === undefined
    ? { uri, mimeType, text }
    : { uri: `${uri}#${fragment}`, mimeType, text: excerpt(text, fragment) };
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 1);
}

function recordOf(library: Library, entry: Entry): Readonly<Record<string, unknown>> {
  const { key, kind, roles, id, name, module, generation, version, status, displayName, title, description } =
    entry;
  const uri = status === "no-file-found" ? undefined : uriOf(library, entry);
  const { id: origin, priority } = entry.origin;
  return {
    key,
    kind,
    roles,
    id,
    name,
    module,
    origin,
    priority,
    status,
    generation,
    version,
    displayName,
    title,
    description,
    path: entry.file,
    uri,
  };
}

function renderManifest(library: Library, kind: Kind): string {
  const columns = kind === "agent" ? AGENT_COLUMNS : OTHER_COLUMNS;
  const rows = visibleEntries(library.effective).filter((entry) => isOf(entry, kind)).map((entry) => {
    const { role, identity, communicationStyle, principles = [] } = entry.persona ?? { principles: [] };
    const values: Readonly<Record<string, string | undefined>> = {
      name: entry.name,
      displayName: entry.displayName ?? entry.title,
      title: entry.title,
      icon: entry.icon,
      description: entry.description,
      role,
      identity,
      communicationStyle,
      principles: principles.join(" "),
      module: entry.module,
      path: uriOf(library, entry).replace(SCHEME, "_bmad/"),
      standalone: "true",
      canonicalId: entry.id,
    };
    return columns.map((column) => csvField(values[column] ?? "")).join(",");
  });
  return [columns.join(","), ...rows, ""].join("\n");
}

function csvField(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
