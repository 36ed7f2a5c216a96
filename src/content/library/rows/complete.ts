/**
 * An entry in full: what its file says, with the changes that a team and a user made to it.
 */
import { completeItem, customizeAgent, describedBy } from "../../inventory/mod.ts";
import { GENERATIONS } from "../../../base/generations.ts";
import { type Entry, isOf } from "../../../base/model.ts";
import { isValues } from "../../../base/values.ts";
import { type Library, perKey, sourceOf } from "../library.ts";
import { overrideFiles } from "../values/override_files.ts";

/** An entry with everything that its file says, as every override and customization makes it. */
export const entryInForce = perKey(async (library, entry: Entry) =>
  // An override may have been removed since the library was opened.
  await inForce(library, await completeEntry(library, library.customized.get(entry.key)?.own ?? entry))
);

/** An agent's skill as the overrides of the team and the user make it; any other entry as it is. */
async function inForce(library: Library, entry: Entry): Promise<Entry> {
  if (entry.kind !== "skill" || !isOf(entry, "agent")) return entry;
  // Most have none, and a list must not load what merges them.
  if (overrideFiles(library, entry).length === 0) return entry;
  const { customizationOf } = await import("../values/customize.ts");
  const { agent } = customizationOf(library, entry);
  return isValues(agent) ? await customizeAgent(entry, agent) : entry;
}

/** An entry with everything that its file says, and the changes of its customization. */
export const completeEntry = perKey(async (library, entry: Entry): Promise<Entry> => {
  const complete = await completeItem(sourceOf(library, entry).tree, entry);
  if (!GENERATIONS[entry.generation].compilesAgents || entry.kind !== "agent") return complete;
  const { changedEntry } = await import("../delivery/agent_changes.ts");
  const text = changedEntry(library, complete);
  return text === undefined ? complete : await describedBy(text, complete);
});
