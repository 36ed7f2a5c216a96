/**
 * The help catalogue where no installation has written one: what the modules' own catalogues say, joined.
 *
 * A skill that answers “what next?” reads `_bmad/_config/bmad-help.csv`. Every origin's catalogues count, the
 * best origin's first, so that what only a lower origin has is in it too.
 */
import { joinHelp, type ModuleHelp } from "../../inventory/mod.ts";
import { findText } from "../../tree/mod.ts";
import type { Library } from "../library.ts";
import { fileIn } from "../files/references.ts";

/** The joined catalogue, as CSV in the columns of the newest generation. */
export async function renderHelp(library: Library): Promise<string> {
  return await joinHelp(library.sources.flatMap((source): readonly ModuleHelp[] => {
    const codes = new Set(source.inventory.modules.map(({ code }) => code));
    return [...codes].flatMap((module) => {
      const file = fileIn(source, `${module}/module-help.csv`);
      const text = file === undefined ? undefined : findText(source.tree, file.path);
      return text === undefined ? [] : [{ module, text }];
    });
  }));
}
