/** A fake machine: its files, links and variables as plain data, for code that gets the disk passed in. */
import type { Machine } from "../../src/commands/clients/target.ts";

export interface MachineParts {
  readonly os?: Machine["os"];
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute paths of files; the folders above them exist, too. */
  readonly files?: readonly string[];
  /** Absolute paths of folders, which may be empty. */
  readonly folders?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
}

export function machine(parts: MachineParts): Machine {
  const { os = "linux", env = {}, files = [], links = {} } = parts;
  const folders = new Set<string>(["/", "C:/", ...parts.folders ?? []]);
  for (const path of [...files, ...folders, ...Object.keys(links)]) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      folders.add(path.slice(0, at));
    }
  }
  const real = (path: string): string => {
    const link = Object.keys(links).find((one) => path === one || path.startsWith(`${one}/`));
    return link === undefined ? path : real(links[link]! + path.slice(link.length));
  };
  return {
    os,
    home: "home" in parts ? parts.home : os === "windows" ? "C:\\Users\\ann" : "/home/ann",
    env: (name) => env[name],
    look: (path) => {
      const target = real(path);
      if (files.includes(target)) return { kind: "file", real: target };
      if (folders.has(target)) return { kind: "folder", real: target };
      return Object.hasOwn(links, path) ? { kind: "dead-link", real: path } : undefined;
    },
    namesIn: (folder) => {
      const below = [...files, ...folders, ...Object.keys(links)].filter((path) =>
        path.startsWith(`${real(folder)}/`)
      );
      return [...new Set(below.map((path) => path.slice(real(folder).length + 1).split("/")[0]!))];
    },
  };
}
