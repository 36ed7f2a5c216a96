/**
 * Which agents offer what: the things that menus start, the agents whose menus those are, and in which words.
 *
 * A menu names a skill, or a file of a workflow in one of the spellings of content. Worked out once for a library,
 * when somebody first lists what menus can start.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import { completeItem } from "../../inventory/mod.ts";
import { type Entry, isOf, type MenuItem } from "../../../base/model.ts";
import { fileOf, type Library, perLibrary, sourceOf } from "../library.ts";
import { findFile } from "../files/references.ts";

/** The short names of the agents that offer a thing. */
export type Offers = (entry: Entry) => readonly string[];

/** More agents than any team has; their files are not all opened for the sake of a list. */
const MOST_AGENTS = 500;

/** What the agents of a library offer. */
export const offersOf = perLibrary(async (library): Promise<Offers> => {
  const lines = await menuLines(library);
  return (entry) => [...new Set(linesFor(lines, entry).map(({ agent }) => agent.name))];
});

/**
 * What a user may want of a thing, in the words of menus: of an agent what its own menu offers, with the codes that it
 * knows; of anything else what the menus that start it say.
 */
export async function menuRequests(library: Library, entry: Entry): Promise<readonly string[]> {
  const wishes = isOf(entry, "agent")
    ? (await ownMenu(library, entry)).map(({ code, label }) => [code, wordsOf(label)])
    : (await startersOf(library))(entry).map(({ words }) => [words]);
  const texts = wishes.map((parts) => parts.filter((part) => part !== "").join(": "));
  return [...new Set(texts.filter((text) => text !== ""))];
}

/** A line of a menu that starts a thing. */
export interface Starter {
  /** Whose menu it is. */
  readonly agent: Entry;
  /** What the line says. */
  readonly words: string;
}

/** The lines of menus that start a thing. */
export async function startersOf(library: Library): Promise<(entry: Entry) => readonly Starter[]> {
  const lines = await menuLines(library);
  return (entry) => linesFor(lines, entry).map(({ agent, item }) => ({ agent, words: wordsOf(item.label) }));
}

/** An agent's menu with what its team and user made of it. */
async function ownMenu(library: Library, entry: Entry): Promise<readonly MenuItem[]> {
  const { menuOf } = await import("../generated/execute.ts");
  return menuOf(library, await completeItem(sourceOf(library, entry).tree, entry));
}

/** A label on one line, without the code that compiled menus have in it: `[CB] Create a brief`. */
function wordsOf(label: string): string {
  return label.replace(/^\[[^\]]*\]\s*/, "").replaceAll(/\s+/g, " ").trim();
}

/** One line of an agent's menu. */
interface MenuLine {
  readonly agent: Entry;
  readonly item: MenuItem;
}

/** Lines of menus by the id of the thing that they start, or by the place of its file. */
type MenuLines = ReadonlyMap<string, readonly MenuLine[]>;

const menuLines = perLibrary(async (library): Promise<MenuLines> => {
  const agents = visibleEntries(library.effective).filter((entry) => isOf(entry, "agent")).slice(
    0,
    MOST_AGENTS,
  );
  const byTarget = new Map<string, MenuLine[]>();
  for (const agent of agents) {
    const { persona } = await completeItem(sourceOf(library, agent).tree, agent);
    for (const item of persona?.menu ?? []) {
      const { target } = item;
      if (target === undefined) continue;
      const file = target.includes("/") ? findFile(library, target, fileOf(library, agent)) : undefined;
      const key = file === undefined ? target : fileKey(library.sources.indexOf(file.source), file.path);
      byTarget.set(key, [...byTarget.get(key) ?? [], { agent, item }]);
    }
  }
  return byTarget;
});

function linesFor(byTarget: MenuLines, entry: Entry): readonly MenuLine[] {
  return [...byTarget.get(entry.id) ?? [], ...byTarget.get(fileKey(entry.rank, entry.file)) ?? []];
}

function fileKey(rank: number, path: string): string {
  return `${rank}/${path}`;
}
