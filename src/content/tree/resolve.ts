/**
 * From a path inside a tree to the resolved name of a file, never outside the root: a link that points out of it, or
 * to a file that holds secrets, is refused. A file has one name here, on every system (`isAlias`).
 */
import { isDenied, isMissing } from "../../base/absence.ts";
import { liesIn } from "../../base/paths.ts";
import { isInside, normalizePath, SEPARATOR } from "./paths.ts";
import { isSecretFile } from "./secret_files.ts";

/** Systems on whose disks a file answers to other spellings of its name. */
export const HAS_ALIASES = Deno.build.os === "windows" || Deno.build.os === "darwin";

export function realPath(name: string): string | undefined {
  return askDisk(() => Deno.realPathSync(name));
}

export function statOf(name: string): Deno.FileInfo | undefined {
  return askDisk(() => Deno.statSync(name));
}

function isLink(name: string): boolean {
  return askDisk(() => Deno.lstatSync(name))?.isSymlink === true;
}

/** The system's answer about a name; undefined for a broken link, or for what this process may not see. */
export function askDisk<T>(ask: () => T, onDenied?: () => void): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (leadsNowhere(error)) return undefined;
    if (!isDenied(error)) throw error;
    onDenied?.();
    return undefined;
  }
}

export function leadsNowhere(error: unknown): boolean {
  return isMissing(error) || error instanceof Deno.errors.FilesystemLoop ||
    (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG");
}

/**
 * `CONFIG~1.YAM` for `config.yaml`, on disks that treat these as one. Such a spelling finds nothing, as on Linux: whether
 * secrets are removed from a file depends on its name.
 */
export function isAlias(path: string, root: string, isLink: (name: string) => boolean): boolean {
  const parts = path.split("/");
  return !parts.some((_, at) => isLink(`${root}${SEPARATOR}${parts.slice(0, at + 1).join(SEPARATOR)}`));
}

/** `folder` need not exist yet, and must lie in `within`, links followed. No link leads into a `closed` folder. */
export function openResolver(
  folder: string,
  within: string | undefined,
  closed: readonly string[] = [],
) {
  const refused = new Set<string>();
  const findRoot = () => {
    const real = realPath(folder);
    if (real === undefined || within === undefined) return real;
    const outer = realPath(within);
    return outer !== undefined && isInside(real, outer) ? real : undefined;
  };
  let root = findRoot();
  /** The absolute name of a clean path, links not followed; undefined while the root does not exist. */
  const nameOf = (clean: string): string | undefined => {
    // A folder that is gone, or out of reach behind a link, may come back under its own name.
    if (root === undefined || (clean === "" && realPath(root) === undefined)) root = findRoot();
    if (clean === "" || root === undefined) return root;
    return `${root}${SEPARATOR}${SEPARATOR === "/" ? clean : clean.replaceAll("/", SEPARATOR)}`;
  };
  const resolve = (path: string): string | undefined => {
    const clean = normalizePath(path);
    const name = clean === undefined ? undefined : nameOf(clean);
    if (clean === undefined || name === undefined || root === undefined) return undefined;
    const real = realPath(name);
    // A link must not give another name to a file that is kept back because of its own.
    const own = real !== undefined && real !== name && isInside(real, root)
      ? real.slice(root.length).replaceAll(SEPARATOR, "/")
      : undefined;
    const isKept = own !== undefined && (isSecretFile(own) || closed.some((each) => liesIn(own, `/${each}`)));
    if (real !== undefined && (isKept || !isInside(real, root))) {
      refused.add(clean);
      return undefined;
    }
    return real !== undefined && real !== name && isAlias(clean, root, isLink) ? undefined : real;
  };
  return { nameOf, resolve, refused: refused as ReadonlySet<string> };
}
