/**
 * What a workflow in Markdown tells its reader to look up: the paths that it lists, and the agents of a party.
 *
 * Up to 6.3 party mode reads the agents from the manifest that the installer wrote. They are delivered as they are served:
 * with those that somebody wrote by hand, and without those that another source overrides.
 */
import { type Entry, isOf } from "../../../base/model.ts";
import { findText } from "../../tree/mod.ts";
import type { Values } from "../../parse.ts";
import { filesOf } from "../files/files.ts";
import { SCHEME } from "../files/mounts.ts";
import type { Library } from "../library.ts";
import { type EngineParts, variablesOf } from "./engine.ts";
import { renderManifest } from "./manifests.ts";

/** The parts of a workflow that has this text; undefined if its reader has nothing to look up. */
export function markdownParts(library: Library, entry: Entry, text: string): EngineParts | undefined {
  if (!entry.file.endsWith(".md") || !isOf(entry, "workflow")) return undefined;
  const variables = pathsIn(library, entry, text);
  const agents = isParty(library, entry) ? renderManifest(library, "agent").trimEnd() : undefined;
  if (agents === undefined && Object.keys(variables).length === 0) return undefined;
  const section = `=== agents, the rows of agent-manifest.csv: ${SCHEME}manifests/agents ===\n${agents}\n`;
  return { variables, text: agents === undefined ? text : `${text.trimEnd()}\n\n${section}` };
}

/** A line of a list: "- `installed_path` = `{project-root}/_bmad/…`". */
const PATH_LINE = /^- `([\w-]{1,80})` = `([^`\n]{1,500})`/gm;

/** More than any workflow lists. */
const MAX_PATHS = 100;

/** The paths that the text of a compiled installation lists, resolved. */
function pathsIn(library: Library, entry: Entry, text: string): Values {
  if (entry.generation !== "v6") return {};
  const listed = text.matchAll(PATH_LINE).take(MAX_PATHS).map(([, name, value]) => [name!, value!] as const);
  return variablesOf(library, entry, Object.fromEntries(listed));
}

/** Whether an item is a party that reads its agents from an installer's manifest. */
function isParty(library: Library, entry: Entry): boolean {
  return entry.name === "party-mode" &&
    filesOf(library, entry).some(({ source, path }) =>
      path.endsWith(".md") && findText(source.tree, path)?.includes("/agent-manifest.csv")
    );
}
