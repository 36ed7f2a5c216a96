/**
 * Which agents offer what: the things that menus start, and the agents whose menus those are.
 *
 * A menu names a skill, or a file of a workflow in one of the spellings of content. Worked out once for a library,
 * when somebody first lists what menus can start.
 */
import { visibleEntries } from "../catalog/mod.ts";
import { completeItem } from "../inventory/mod.ts";
import { type Entry, isOf } from "../model.ts";
import { holdingOf, perLibrary, placeOf } from "./library.ts";
import { findFile } from "./references.ts";

/** The short names of the agents that offer a thing. */
export type Offers = (entry: Entry) => readonly string[];

/** More agents than any team has; their files are not all opened for the sake of a list. */
const MOST_AGENTS = 500;

/** What the agents of a library offer. */
export const offersOf = perLibrary(async (library): Promise<Offers> => {
  const agents = visibleEntries(library.effective).filter((entry) => isOf(entry, "agent")).slice(
    0,
    MOST_AGENTS,
  );
  const byTarget = new Map<string, Set<string>>();
  for (const agent of agents) {
    const { persona } = await completeItem(holdingOf(library, agent).tree, agent);
    for (const { target } of persona?.menu ?? []) {
      if (target === undefined) continue;
      const file = target.includes("/") ? findFile(library, target, placeOf(library, agent)) : undefined;
      const key = file === undefined ? target : fileKey(library.holdings.indexOf(file.holding), file.path);
      byTarget.set(key, (byTarget.get(key) ?? new Set()).add(agent.name));
    }
  }
  return (entry) => [...byTarget.get(entry.id) ?? [], ...byTarget.get(fileKey(entry.rank, entry.file)) ?? []];
});

function fileKey(rank: number, path: string): string {
  return `${rank}/${path}`;
}
