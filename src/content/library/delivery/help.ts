/**
 * Help: the catalogues of all modules, joined for projects without an installation, and the help documents that are prose
 * after 6.12.
 */
import { joinHelp, type ModuleHelp } from "../../inventory/mod.ts";
import { type Library, type LibrarySource, perKey } from "../library.ts";
import { fileIn, textAt } from "../files/references.ts";
import { type ServedFile, servedFile } from "../files/files.ts";
import { isUnserved } from "../../tree/mod.ts";
import { isFlat } from "../values/defaults.ts";
import { LIMITS } from "../../limits.ts";

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

export const helpFiles = perKey((library) => {
  if (!isFlat(library)) return [];
  return library.sources.flatMap((source) => {
    const { modules, mounts } = source.inventory;
    return modules.flatMap(({ code: module }) => {
      const folder = `${module}/help`;
      const single = mounts.filter(({ at }) => at.startsWith(`${folder}/`)).map(({ path }) => path);
      const main = fileIn(source, `${folder}/help.md`)?.path;
      const inFolder = main === undefined ? [] : siblings(source.tree, main);
      const paths = [...new Set([...main === undefined ? [] : [main], ...single, ...inFolder])];
      return paths.slice(0, LIMITS.helpFiles.count).flatMap((path) => servedFile(source, path) ?? [])
        .filter(({ facts }) => facts.size <= LIMITS.helpFiles.bytes)
        .map((file) => ({ ...file, module, isMain: file.path === main || single.includes(file.path) }));
    });
  });
});

function siblings(tree: ServedFile["source"]["tree"], path: string): readonly string[] {
  const folder = path.slice(0, path.lastIndexOf("/"));
  return tree.list(folder).filter(({ name, isDirectory }) =>
    !isDirectory && name.endsWith(".md") && !isUnserved(name)
  ).map(({ name }) => `${folder}/${name}`);
}
