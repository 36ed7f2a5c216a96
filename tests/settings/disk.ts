/** The configuration of a start in a project on a disk that is a table of files, folders and links. */
import type { Config } from "../../src/settings/plan/mod.ts";
import { configOf, type Told } from "../support/config.ts";

export const PROJECT = "/home/ann/shop";

/** By the path in the project: a file's text, `-> TARGET` for a link; a folder ends with a slash. */
export type Disk = Readonly<Record<string, string>>;

export function configOnDisk(line: string, disk: Disk = {}, given: Told = {}): Config {
  const at = Object.entries(disk).map(([path, text]) => [`${PROJECT}/${path}`, text] as const);
  const links: ReadonlyMap<string, string> = new Map(
    at.flatMap(([path, text]) => text.startsWith("-> ") ? [[path, text.slice(3)]] : []),
  );
  const folders = new Set(links.values());
  for (const path of [`${PROJECT}/`, ...at.map(([path]) => path), ...links.values()]) {
    for (let cut = path.indexOf("/", 1); cut >= 0; cut = path.indexOf("/", cut + 1)) {
      folders.add(path.slice(0, cut));
    }
  }
  const findFolder = (path: string): string | undefined => {
    let real = "";
    for (const name of path.split("/").filter(Boolean)) {
      real = links.get(`${real}/${name}`) ?? `${real}/${name}`;
      if (!folders.has(real)) return undefined;
    }
    return real || "/";
  };
  const namesIn = (folder: string) =>
    new Set(
      at.flatMap(([path]) =>
        path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split("/")[0]! : []
      ),
    ).values().toArray();
  return configOf({
    args: line.split(" ").filter(Boolean),
    cwd: PROJECT,
    findFolder,
    readHead: (path) => disk[path.slice(PROJECT.length + 1)],
    namesIn,
    ...given,
  });
}
