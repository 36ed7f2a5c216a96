/**
 * The entries as the manifests of BMAD's installers would list them, and as records of the master manifest.
 *
 * The CSV manifests have BMAD's own columns, so that content which reads them works without an installation.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import { type Entry, isOf, type Kind } from "../../../base/model.ts";
import { uriOf } from "../files/files.ts";
import { type Library, sourceOf } from "../library.ts";
import { pathFromProject, recordFacts } from "../record_facts.ts";

/** The kinds that have a manifest. */
export const LISTED_KINDS: readonly Kind[] = ["agent", "workflow", "task", "tool", "skill"];

// Readers rely on the order of BMAD's columns: ours come last.
const AGENT_COLUMNS =
  "name displayName title icon role identity communicationStyle principles module path canonicalId author source";
const OTHER_COLUMNS = "name displayName description module path standalone canonicalId author source";

/** An entry as one record of the master manifest. */
export function recordOf(library: Library, entry: Entry): Readonly<Record<string, unknown>> {
  const { key, kind, roles, id, name, module, status, generation, version } = entry;
  const { displayName, title, description, file: path, origin: { id: origin, priority, kind: originKind } } =
    entry;
  const { author, source } = recordFacts(library, entry);
  const uri = status === "no-file-found" ? undefined : uriOf(library, entry);
  const identity = {
    key,
    kind,
    roles,
    id,
    name,
    module,
    origin,
    originKind,
    priority,
    status,
    source,
    generation,
    version,
  };
  const place = { path, absolutePath: absolutePath(library, entry), exists: status !== "no-file-found", uri };
  return { ...identity, author, displayName, title, description, ...place };
}

/** Where an entry's file is on this machine, or should be; embedded content has no files of its own. */
function absolutePath(library: Library, entry: Entry): string | undefined {
  const { origin, file } = entry;
  return origin.kind === "package" ? undefined : `${sourceOf(library, entry).tree.location}/${file}`;
}

/** The entries of a kind that are in force, in the columns of BMAD's own manifests. */
export function renderManifest(library: Library, kind: Kind): string {
  const columns = (kind === "agent" ? AGENT_COLUMNS : OTHER_COLUMNS).split(" ");
  const rows = visibleEntries(library.effective).filter((entry) => isOf(entry, kind)).map((entry) => {
    const { name, title, displayName = title, icon, description, module, persona } = entry;
    const { role, identity, communicationStyle, principles = [] } = persona ?? { principles: [] };
    const values: Readonly<Record<string, string | undefined>> = {
      name,
      displayName,
      title,
      icon,
      description,
      role,
      identity,
      communicationStyle,
      module,
      principles: principles.join(" "),
      path: pathFromProject(library, entry),
      ...recordFacts(library, entry),
      standalone: "true",
      canonicalId: entry.id,
    };
    return columns.map((column) => `"${(values[column] ?? "").replaceAll('"', '""')}"`).join(",");
  });
  return [columns.join(","), ...rows, ""].join("\n");
}
