/**
 * Which agents offer which workflows: the entries that menus start, the agents with those menus, and their labels.
 *
 * A menu names a skill, or the file of a workflow in any spelling of content. It is computed once per library, when a
 * list first needs it.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import { type Entry, isOf, type MenuItem } from "../../../base/model.ts";
import { fileOf, type Library, perLibrary } from "../library.ts";
import { entryInForce } from "./complete.ts";
import { findFile } from "../files/references.ts";

/** The short names of the agents that offer an entry. */
export type Offers = (entry: Entry) => readonly string[];

/** More agents than any team has; a list must not open the files of all. */
const MAX_AGENTS = 500;

export const offersOf = perLibrary(async (library): Promise<Offers> => {
  const startedBy = await startersOf(library);
  return (entry) => [...new Set(startedBy(entry).map(({ agent }) => agent.name))];
});

/** Requests that suit an entry: the items of an agent's own menu, else the labels of the menus that start it. */
export async function menuRequests(library: Library, entry: Entry): Promise<readonly string[]> {
  const requests = isOf(entry, "agent")
    ? (await ownMenu(library, entry)).map(({ code, label }) => [code, labelText(label)])
    : (await startersOf(library))(entry).map(({ words }) => [words]);
  const texts = requests.map((parts) => parts.filter((part) => part !== "").join(": "));
  return [...new Set(texts.filter((text) => text !== ""))];
}

/** The agent with which people start an entry: itself, or the first with a menu that does; undefined if none does. */
export async function agentFor(library: Library, entry: Entry): Promise<Entry | undefined> {
  const agent = isOf(entry, "agent") ? entry : (await startersOf(library))(entry)[0]?.agent;
  return agent && await entryInForce(library, agent);
}

/** An agent that starts an entry, and the label of its menu item. */
interface Starter {
  readonly agent: Entry;
  readonly words: string;
}

export async function startersOf(library: Library): Promise<(entry: Entry) => readonly Starter[]> {
  const byTarget = await startersByTarget(library);
  return ({ id, rank, file }) => [...byTarget.get(id) ?? [], ...byTarget.get(fileKey(rank, file)) ?? []];
}

async function ownMenu(library: Library, entry: Entry): Promise<readonly MenuItem[]> {
  const { menuOf } = await import("../delivery/execute.ts");
  return menuOf(library, await entryInForce(library, entry));
}

/** A label on one line, without the code in compiled menus: `[CB] Create a brief`. */
function labelText(label: string): string {
  return label.replace(/^\[[^\]]*\]\s*/, "").replaceAll(/\s+/g, " ").trim();
}

/** By the id of the entry that they start, or by its file. */
const startersByTarget = perLibrary(async (library): Promise<ReadonlyMap<string, readonly Starter[]>> => {
  const agents = visibleEntries(library.effective).filter((entry) => isOf(entry, "agent"));
  const byTarget = new Map<string, Starter[]>();
  for (const agent of agents.slice(0, MAX_AGENTS)) {
    const { persona } = await entryInForce(library, agent);
    for (const { target, label } of persona?.menu ?? []) {
      if (target === undefined) continue;
      const file = target.includes("/") ? findFile(library, target, fileOf(library, agent)) : undefined;
      const key = file === undefined ? target : fileKey(library.sources.indexOf(file.source), file.path);
      byTarget.set(key, [...byTarget.get(key) ?? [], { agent, words: labelText(label) }]);
    }
  }
  return byTarget;
});

function fileKey(rank: number, path: string): string {
  return `${rank}/${path}`;
}
