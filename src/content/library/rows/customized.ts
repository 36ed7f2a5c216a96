/**
 * Agents as lists show them and names find them: with the name, title and persona that a customization gives them.
 *
 * Only agents with an override are looked at, and only once per library.
 */
import { type Entry, isOf, type Item } from "../../../base/model.ts";
import { openTurns } from "../../../base/work.ts";
import { type Library, withCustomized } from "../library.ts";
import { entryInForce } from "./complete.ts";

/** More agents than any team has. The others keep their own names, so that a library opens in time. */
const MAX_AGENTS = 200;

/** The library with its agents as the overrides of some ids make them. */
export async function customizeAgents(library: Library, ids: ReadonlySet<string>): Promise<Library> {
  const { whole } = library;
  const isOverridden = (item: Item) =>
    item.kind === "skill" && isOf(item, "agent") &&
    (ids.has(item.id) || item.formerIds?.some((id) => ids.has(id)));
  // Most overrides are of workflows, and a manifest of thousands takes time.
  if (!whole.sources.some(({ inventory }) => inventory.items.some(isOverridden))) return library;
  const customized = new Map<string, Record<"served" | "own", Entry>>();
  const giveWay = openTurns();
  for (const own of whole.manifest.entries.filter(isOverridden).slice(0, MAX_AGENTS)) {
    const served = await entryInForce(whole, own);
    if (served !== own) customized.set(own.key, { served, own });
    await giveWay();
  }
  return customized.size === 0 ? library : withCustomized(library, customized);
}
