/** Entries as a team and a user have changed them, and which agents offer which workflows in their menus. */
import { completeItem, customizeAgent, describedBy } from "../../inventory/mod.ts";
import { GENERATIONS } from "../../../base/generations.ts";
import { type Entry, hasKind, type Item } from "../../../base/model.ts";
import { isValues } from "../../../base/values.ts";
import { fileOf, type Library, perKey, perLibrary, sourceOf, withCustomized } from "../library.ts";
import { overrideFiles } from "../values/override_files.ts";
import { giveWay } from "../../../base/work.ts";
import { findFile } from "../files/references.ts";
import { LIMITS } from "../../limits.ts";

export const entryInForce = perKey(async (library, given: Entry): Promise<Entry> => {
  // An override may have been removed since the library was opened.
  const entry = await completeEntry(library, library.customized.get(given.key)?.own ?? given);
  if (entry.kind !== "skill" || !hasKind(entry, "agent")) return entry;
  // Most have none, and a list must not load what merges them.
  if (overrideFiles(library, entry).length === 0) return entry;
  const { customizationOf } = await import("../values/customize.ts");
  const { agent } = customizationOf(library, entry);
  return isValues(agent) ? await customizeAgent(entry, agent) : entry;
});

export const completeEntry = perKey(async (library, entry: Entry): Promise<Entry> => {
  const complete = await completeItem(sourceOf(library, entry).tree, entry);
  if (!GENERATIONS[entry.generation].compilesAgents || entry.kind !== "agent") return complete;
  const { changedEntry } = await import("../delivery/agent_changes.ts");
  const text = changedEntry(library, complete);
  return text === undefined ? complete : await describedBy(text, complete);
});

export async function customizeAgents(library: Library, ids: ReadonlySet<string>): Promise<Library> {
  const { whole } = library;
  const isOverridden = (item: Item) =>
    item.kind === "skill" && hasKind(item, "agent") &&
    (ids.has(item.id) || item.formerIds?.some((id) => ids.has(id)));
  // Most overrides are of workflows, and a manifest of thousands takes time.
  if (!whole.sources.some(({ inventory }) => inventory.items.some(isOverridden))) return library;
  const customized = new Map<string, Record<"served" | "own", Entry>>();
  for (const own of whole.manifest.entries.filter(isOverridden).slice(0, LIMITS.agents.customized)) {
    const served = await entryInForce(whole, own);
    if (served !== own) customized.set(own.key, { served, own });
    await giveWay();
  }
  return customized.size === 0 ? library : withCustomized(library, customized);
}

export type Offers = (entry: Entry) => readonly string[];

export const offersOf = perLibrary(async (library): Promise<Offers> => {
  const startedBy = await findStarters(library);
  return (entry) => [...new Set(startedBy(entry).map(({ agent }) => agent.name))];
});

export async function menuRequests(library: Library, entry: Entry): Promise<readonly string[]> {
  const loadMenu = async () =>
    (await import("../delivery/execute.ts")).readMenu(library, await entryInForce(library, entry));
  const requests = hasKind(entry, "agent")
    ? (await loadMenu()).map(({ code, label }) => [code, labelText(label)])
    : (await findStarters(library))(entry).map(({ words }) => [words]);
  const texts = requests.map((parts) => parts.filter((part) => part !== "").join(": "));
  return [...new Set(texts.filter((text) => text !== ""))];
}

export async function agentFor(library: Library, entry: Entry): Promise<Entry | undefined> {
  const agent = hasKind(entry, "agent") ? entry : (await findStarters(library))(entry)[0]?.agent;
  return agent && await entryInForce(library, agent);
}

export async function findStarters(library: Library) {
  const byTarget = await startersByTarget(library);
  return (
    { id, rank, file }: Entry,
  ) => [...byTarget.get(id) ?? [], ...byTarget.get(fileKey(rank, file)) ?? []];
}

function labelText(label: string): string {
  return label.replace(/^\[[^\]]*\]\s*/, "").replaceAll(/\s+/g, " ").trim();
}

const startersByTarget = perLibrary(async (library) => {
  const agents = library.visible.filter((entry) => hasKind(entry, "agent"));
  const byTarget = new Map<string, { readonly agent: Entry; readonly words: string }[]>();
  for (const agent of agents.slice(0, LIMITS.agents.withMenus)) {
    const { persona } = await entryInForce(library, agent);
    for (const { target, label } of persona?.menu ?? []) {
      if (target === undefined) continue;
      const file = target.includes("/") ? findFile(library, target, fileOf(library, agent)) : undefined;
      const key = file === undefined ? target : fileKey(library.sources.indexOf(file.source), file.path);
      byTarget.getOrInsertComputed(key, () => []).push({ agent, words: labelText(label) });
    }
  }
  return byTarget;
});

function fileKey(rank: number, path: string): string {
  return `${rank}/${path}`;
}
