/**
 * From a path inside a tree to the resolved name of a file on disk, and never to one outside the root.
 *
 * Every name is resolved and compared with the root before anybody opens it; a link that points out of the root is
 * refused and remembered. A file has one name here, on every system: see `isAlias`. A missing name is an ordinary answer,
 * and so is one that this process may not see; every other error of the system is thrown.
 */
import { isInside, normalizePath, SEPARATOR } from "./paths.ts";

/** Systems on whose disks a file answers to other spellings of its name. */
export const HAS_ALIASES = Deno.build.os === "windows" || Deno.build.os === "darwin";

/**
 * Whether a path resolves to another name without any link in it: `Config.yaml`, `CONFIG~1.YAM` or `config.yaml.` for
 * `config.yaml`, on disks that treat these as one. Such a spelling finds nothing, as on Linux: how a file is treated,
 * for example whether secrets are removed from it, depends on its name.
 */
export function isAlias(path: string, root: string, isLink: (name: string) => boolean): boolean {
  const parts = path.split("/");
  return !parts.some((_, at) => isLink(`${root}${SEPARATOR}${parts.slice(0, at + 1).join(SEPARATOR)}`));
}

/** Resolves paths below a folder, which need not exist yet and must lie in `within`, links followed. */
export function openResolver(folder: string, within: string | undefined) {
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
    root ??= findRoot();
    return clean === "" ? root : root && `${root}${SEPARATOR}${clean.replaceAll("/", SEPARATOR)}`;
  };
  /** The resolved absolute name of a path; undefined when nothing is there or it points out of the root. */
  const resolve = (path: string): string | undefined => {
    const clean = normalizePath(path);
    const name = clean === undefined ? undefined : nameOf(clean);
    if (clean === undefined || name === undefined || root === undefined) return undefined;
    const real = realPath(name);
    if (real !== undefined && !isInside(real, root)) {
      refused.add(clean);
      return undefined;
    }
    return real !== undefined && real !== name && isAlias(clean, root, isLink) ? undefined : real;
  };
  return { nameOf, resolve, refused };
}

function realPath(name: string): string | undefined {
  return unlessMissing(() => Deno.realPathSync(name));
}

export function statOf(name: string): Deno.FileInfo | undefined {
  return unlessMissing(() => Deno.statSync(name));
}

function isLink(name: string): boolean {
  return unlessMissing(() => Deno.lstatSync(name))?.isSymlink === true;
}

/** The system's answer; undefined for a missing name, and for one it refuses, which `onRefusal` hears of. */
export function unlessMissing<T>(ask: () => T, onRefusal?: () => void): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (!isRefusal(error)) throw error;
    onRefusal?.();
    return undefined;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    error instanceof Deno.errors.FilesystemLoop ||
    (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG");
}

/** Whether an error says that a name is not for us to see. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied;
}
