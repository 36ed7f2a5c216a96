/**
 * The block before an activated text: which of its steps are done, the values that they would have found, and how to open
 * files.
 *
 * It comes first, because the text itself tells its reader to run scripts and load configuration.
 */
import type { Entry } from "../../../base/model.ts";
import { formatYaml } from "../../parse.ts";
import { joinPath } from "../../tree/mod.ts";
import type { Values } from "../../../base/values.ts";
import { type Calls, openCall, startCall } from "./calls.ts";
import { folderUri } from "../files/files.ts";
import { isLauncher, renderedUri } from "./launcher.ts";
import { type Library, perEntry } from "../library.ts";
import { withProjectRoot } from "../values/config.ts";
import { resolveValues } from "../values/customize.ts";

/** What the block depends on besides the entry. */
interface Facts {
  readonly date?: string;
  readonly calls?: Calls;
  readonly isRendered: boolean;
  /** The variables of a workflow for BMAD's engine. */
  readonly variables?: Values;
}

export function renderResolved(library: Library, entry: Entry, facts: Facts): string {
  const { date, variables } = facts;
  const places = { "project-root": library.project, "skill-root": folderOnDisk(library, entry), date };
  const given = Object.entries(places).filter(([, value]) => value !== undefined);
  const values = formatYaml({ ...Object.fromEntries(given), ...(variables && { variables }) });
  return "Already resolved (skip the steps that run resolve_*.py or load configuration):\n" +
    `${given.length > 0 || variables !== undefined ? values : ""}${renderValues(library, entry)}\n` +
    fileNote(entry, facts);
}

/** The folder of a skill that lies on disk. */
function folderOnDisk(library: Library, { generation, folder, rank }: Entry): string | undefined {
  const { origin, tree } = library.sources[rank]!;
  if (generation !== "skills" || origin.kind === "package") return undefined;
  return joinPath(tree.location, folder);
}

const renderValues = perEntry((library, entry): string => {
  const { customization, config, problems } = resolveValues(library, entry);
  const values = {
    // A rendered text already contains its customization.
    ...(isLauncher(library, entry) ? {} : customization),
    ...(Object.keys(config).length > 0 && { config: withProjectRoot(config) }),
    ...(problems.length > 0 && { problems }),
  };
  return Object.keys(values).length === 0 ? "" : formatYaml(values);
});

/** How to open what the text refers to, in the spelling of its generation. */
function fileNote(entry: Entry, { isRendered, calls }: Facts): string {
  const { generation, module } = entry;
  const [folder, meaning] = generation === "skills"
    ? [isRendered ? `${renderedUri(entry)}/` : folderUri(entry), "; {project-root}/_bmad/PATH is bmad://PATH"]
    : generation === "v6"
    ? ["bmad://", " for {project-root}/_bmad/PATH"]
    : [`bmad://${module}/`, ` for .${module}/PATH and {root}/PATH`];
  const what = generation === "skills" ? "skill" : "workflow";
  return `Files: ${openCall(`"${folder}PATH"`, calls)}${meaning}. ` +
    `${what === "skill" ? "Skills" : "Workflows"}: ${startCall(what, "…", calls)}.`;
}
