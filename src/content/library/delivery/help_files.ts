/**
 * The help documents of modules after 6.12: prose in the folder `help` of a record, or in copies that skills have.
 */
import { type ServedFile, servedFile } from "../files/files.ts";
import { isUnserved } from "../../tree/mod.ts";
import { fileIn } from "../files/references.ts";
import { perKey } from "../library.ts";
import { isFlat } from "../values/flat.ts";

/** The help documents of one module. */
export interface HelpFile extends ServedFile {
  readonly module: string;
  /** Whether it is read first; others are about one topic each. */
  readonly isMain: boolean;
}

/** No document of help is a tenth as long. */
const MAX_BYTES = 1 << 20;
/** Of one module. */
const MAX_TOPICS = 100;

/** Every help document of flat modules, the main one of each module first. */
export const helpFiles = perKey((library): readonly HelpFile[] => {
  if (!isFlat(library)) return [];
  return library.sources.flatMap((source) => {
    const { modules, mounts } = source.inventory;
    return modules.flatMap(({ code: module }) => {
      const folder = `${module}/help`;
      const single = mounts.filter(({ at }) => at.startsWith(`${folder}/`)).map(({ path }) => path);
      const main = fileIn(source, `${folder}/help.md`)?.path;
      const inFolder = main === undefined ? [] : siblings(source.tree, main);
      const paths = [...new Set([...main === undefined ? [] : [main], ...single, ...inFolder])];
      return paths.slice(0, MAX_TOPICS).map((path) => servedFile(source, path))
        .filter((file) => file !== undefined && file.facts.size <= MAX_BYTES)
        .map((file) => ({ ...file!, module, isMain: file!.path === main || single.includes(file!.path) }));
    });
  });
});

function siblings(tree: ServedFile["source"]["tree"], path: string): readonly string[] {
  const folder = path.slice(0, path.lastIndexOf("/"));
  return tree.list(folder).filter(({ name, isDirectory }) =>
    !isDirectory && name.endsWith(".md") && !isUnserved(name)
  ).map(({ name }) => `${folder}/${name}`);
}
