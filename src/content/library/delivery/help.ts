/**
 * The help catalogue for projects without an installation: the catalogues of all modules, joined.
 *
 * A skill that answers “what next?” reads `_bmad/_config/bmad-help.csv`. The catalogues of every origin are in it, those
 * of the highest priority first.
 */
import { joinHelp, type ModuleHelp } from "../../inventory/mod.ts";
import type { Library, LibrarySource } from "../library.ts";
import { textAt } from "../files/references.ts";

/** The joined catalogue as CSV, with the columns of the newest generation. */
export async function renderHelp(library: Library): Promise<string> {
  return await joinHelp(library.sources.flatMap(moduleCatalogues));
}

export function moduleCatalogues(source: LibrarySource): readonly ModuleHelp[] {
  const codes = new Set(source.inventory.modules.map(({ code }) => code));
  return [...codes].flatMap((module) => {
    const text = textAt(source, `${module}/module-help.csv`);
    return text === undefined ? [] : [{ module, text }];
  });
}
