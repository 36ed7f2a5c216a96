/**
 * Resources that exist in no file: the master manifest, the manifests by kind, the configuration in force, and what
 * a launcher renders.
 *
 * The CSV manifests have the columns of BMAD's own, so that content which reads those finds them even without
 * an installation. Values whose key names a secret are left out of the configuration.
 */
import { visibleEntries } from "../catalog/mod.ts";
import { type Entry, isOf, type Kind } from "../model.ts";
import type { Values } from "../parse.ts";
import { resolveModuleConfig } from "./customize.ts";
import { withoutSecrets } from "./secrets.ts";
import { uriOf } from "./files.ts";
import { findRendered } from "./launcher.ts";
import { SCHEME } from "./mounts.ts";
import { excerpt, type FileContent, findFile, splitFragment, virtualPath } from "./references.ts";
import type { Library, Place } from "./library.ts";

/** A resource that is made when it is read. */
interface GeneratedResource {
  readonly path: string;
  readonly title: string;
  readonly mimeType: string;
  render(library: Library): string;
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

export const GENERATED: readonly GeneratedResource[] = [
  {
    path: "manifest",
    title: "Every record of every origin",
    mimeType: "application/json",
    render: (library) =>
      JSON.stringify({ entries: library.manifest.entries.map((entry) => recordOf(library, entry)) }, null, 1),
  },
  ...KINDS.map(([plural, kind]): GeneratedResource => ({
    path: `manifests/${plural}`,
    title: `Manifest of ${plural}`,
    mimeType: "text/csv",
    render: (library) => renderManifest(library, kind),
  })),
  {
    path: "config/current",
    title: "The configuration in force, without secrets",
    mimeType: "application/json",
    render: (library) => JSON.stringify(currentConfig(library), null, 1),
  },
];

/** Makes a resource, if the reference names one. A manifest that is no file is made too: `_config/agent-manifest.csv`. */
export function readGenerated(
  library: Library,
  reference: string,
  from?: Place,
): FileContent | undefined {
  const [name, fragment] = splitFragment(reference);
  const path = virtualPath(library, name, from)?.absolute;
  const rendered = path === undefined ? undefined : findRendered(library, path);
  if (rendered !== undefined) return made(reference, "text/markdown", rendered, fragment);
  const [, kind] = /^_config\/(agent|workflow|task|tool|skill)-manifest\.csv$/.exec(path ?? "") ?? [];
  const found = GENERATED.find((resource) =>
    resource.path === (kind === undefined ? path : `manifests/${kind}s`)
  );
  // A manifest that an installation has is that file.
  if (found === undefined || (kind !== undefined && findFile(library, name) !== undefined)) return undefined;
  return made(reference, found.mimeType, found.render(library), fragment);
}

function made(uri: string, mimeType: string, text: string, fragment: string | undefined): FileContent {
  return { uri, mimeType, text: fragment === undefined ? text : excerpt(text, fragment) };
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

function currentConfig(library: Library): Values {
  const codes = new Set(
    library.holdings.flatMap(({ inventory }) => inventory.modules.map((module) => module.code)),
  );
  return Object.fromEntries(
    [...codes].map((code) => [code, withoutSecrets(resolveModuleConfig(library, code))]),
  );
}
