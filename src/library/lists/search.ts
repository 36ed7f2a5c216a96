/**
 * Finding things by words: names, titles, descriptions, roles and modules, with prefixes and small slips.
 *
 * The index is made when somebody first searches a library, and kept as long as the library is.
 */
import MiniSearch from "minisearch";
import { visibleEntries } from "../../catalog/mod.ts";
import type { Entry } from "../../model.ts";
import { type Library, perLibraryPaced } from "../library.ts";
import { forEachPaced, type Watch } from "../pace.ts";
import { SUPPORTING_KINDS, supportingEntries } from "./supporting.ts";

/** An entry and how well it fits. */
interface Hit {
  /** Always one that counts and that lists show. */
  readonly entry: Entry;
  /** Higher fits better; numbers of two searches cannot be compared. */
  readonly score: number;
}

/** The entries that fit the words, best first. */
export async function searchEntries(library: Library, words: string, watch: Watch): Promise<readonly Hit[]> {
  const { index, entries } = await indexOf(library, watch);
  return index.search(words, {
    prefix: true,
    fuzzy: (term) => (term.length > 3 && term.length <= 32 ? 0.2 : false),
    boostDocument: (key) => SUPPORTING_KINDS.includes(entries.get(key)?.kind ?? "skill") ? 0.2 : 1,
    boost: { name: 4, displayName: 4, title: 3, module: 2, menu: 0.5 },
  }).map(({ id, score }) => ({ entry: entries.get(id)!, score }));
}

const indexOf = perLibraryPaced(async (library, watch) => {
  const all = [
    ...visibleEntries(library.effective),
    ...supportingEntries(library).filter(({ kind }) => kind !== "config"),
  ];
  const index = new MiniSearch({
    fields: ["name", "displayName", "title", "description", "role", "module", "phase", "menu"],
    idField: "key",
  });
  await forEachPaced(all, { name: "Indexing", stride: 512 }, watch, (entry) => index.add(documentOf(entry)));
  return { index, entries: new Map(all.map((entry) => [entry.key, entry])) };
});

function documentOf(entry: Entry) {
  return {
    key: entry.key,
    name: `${entry.name} ${entry.id}`,
    displayName: entry.displayName ?? "",
    title: entry.title ?? "",
    description: `${entry.description} ${entry.help?.description ?? ""}`,
    role: entry.persona?.role ?? "",
    module: entry.module,
    phase: entry.phase ?? "",
    menu: entry.persona?.menu.map((item) => item.label).join(" ") ?? "",
  };
}
